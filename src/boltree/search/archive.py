"""A file of byte arrays: a NumPy archive that any NumPy reads, and that is read here with every length checked.

Only plain bytes are read, never objects, so nothing in a file is ever run; and memory is taken only for what is there.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from ..errors import ParameterError
from ..files import whole_file

Bytes = NDArray[np.uint8]


def write_archive(path: Path, arrays: Mapping[str, Any]) -> None:
    """Write arrays of bytes; the file appears whole or not at all."""
    with whole_file(path) as file:
        np.savez(file, **arrays)


def read_archive(path: Path) -> dict[str, Bytes]:
    """The arrays of a file; ParameterError if it is not such a file, or damaged."""
    try:
        size = path.stat().st_size
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            if sum(member.file_size for member in members) > size:
                raise ValueError("it would unpack to more than it is")
            return {member.filename.removesuffix(".npy"): _bytes_of(archive.read(member)) for member in members}
    except FileNotFoundError:
        raise ParameterError(f"{path}: there is no such file") from None
    except _DAMAGE as error:
        raise ParameterError(f"{path}: not a saved search, or damaged ({error or type(error).__name__})") from None


_DAMAGE = (OSError, ValueError, KeyError, EOFError, RuntimeError, NotImplementedError, zipfile.BadZipFile, MemoryError)
"""What the libraries raise about bad files: RuntimeError for one with a password, NotImplementedError for methods."""


def _bytes_of(content: bytes) -> Bytes:
    """One array in NumPy's own format."""
    file = io.BytesIO(content)
    if npy.read_magic(file) != (1, 0):
        raise ValueError("an array in another format")
    shape, _, dtype = npy.read_array_header_1_0(file)
    found = np.frombuffer(content, np.uint8, offset=file.tell())
    if dtype != np.uint8 or shape != (found.size,):
        raise ValueError(f"an array of {dtype} and shape {shape}, where {found.size} bytes are")
    return found
