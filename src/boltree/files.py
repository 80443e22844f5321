"""Writing files: each is written completely or not at all, in a folder that was checked to be writable."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from .errors import ParameterError


def make_writable(folder: Path, given: Path) -> None:
    """Make a folder below the one the user has `given`, and make sure that it can be written to."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".{secrets.token_hex(8)}.probe"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise ParameterError(f"--out {given}: cannot be written to: {error.strerror}") from error


def put_whole(path: Path, content: bytes) -> None:
    """Write a file that appears whole or not at all."""
    with whole_file(path) as file:
        file.write(content)


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write under a temporary name, which is renamed at the end; an error leaves nothing behind.

    Only a process that is killed leaves the temporary file; a file that was there before stays as it was.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        with open(temporary, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
