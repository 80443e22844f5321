"""Files that are there as a whole or not at all, in folders that can be written to."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

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
    """Write a file under a temporary name and rename it; whatever goes wrong leaves nothing behind."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        with open(temporary, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
