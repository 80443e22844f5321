"""Where machine code is kept: a folder for each version of the sources, so that several lie side by side.

The versions that were not used for the longest time are deleted where all together take more than `MOST_BYTES`.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numba

from ..version import __version__

MOST_BYTES = 512 << 20
"""What all versions may take together; one takes about 20 MB."""

UNCOMPILED = (
    "adapters", "batches", "belief", "cli", "evaluators", "exact", "go/gtp", "go/match", "jobs", "lab", "parallel",
    "search", "tree", "viewer", "web",
)  # fmt: skip
"""Packages without compiled functions: machine code stays valid when they are edited."""


@lru_cache(maxsize=1)
def source_stamp() -> str:
    """A hash of the package's sources that may be compiled: machine code is valid only for this text."""
    digest, package = hashlib.sha256(), Path(__file__).resolve().parents[1]
    apart = {package / room for room in UNCOMPILED}
    for path in sorted(package.rglob("*.py")):
        if apart.isdisjoint(path.parents):
            digest.update(path.read_bytes())
    return digest.hexdigest()


@lru_cache(maxsize=1)
def cache_folder() -> Path:
    """Where all versions are kept: under ``BOLTREE_CACHE``, else the user's cache folder, else a temporary one."""
    chosen = os.environ.get("BOLTREE_CACHE")
    if chosen:
        candidates = [Path(chosen)]
    else:
        home = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
        candidates = [Path(home) if home else Path.home() / ".cache"]
        candidates.append(Path(tempfile.gettempdir()))
    for folder in candidates:
        path = folder / "boltree" / "machine-code"
        try:
            path.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=path).close()
        except OSError:
            continue
        return path
    raise OSError("no writable cache folder")


@lru_cache(maxsize=1)
def version_folder() -> Path:
    """Where this version is kept: these sources, compiled by this Numba. Noted as used now."""
    compiled_by = hashlib.sha256(f"{source_stamp()} {numba.__version__}".encode()).hexdigest()
    folder = cache_folder() / f"{__version__}-{compiled_by[:12]}"
    folder.mkdir(exist_ok=True)
    os.utime(folder)
    return folder


@dataclass(frozen=True)
class KeptVersion:
    """A version's machine code: where it lies, the bytes that it takes, and when it was last used."""

    path: Path
    nbytes: int
    used: float


def kept_versions() -> list[KeptVersion]:
    """All versions that are kept, the last used one first. Other processes may add and delete meanwhile."""
    found = []
    for path in cache_folder().iterdir():
        try:
            if not path.is_dir():  # of 0.1, which had one folder for all
                continue
            files = list(path.iterdir())
            found.append(KeptVersion(path, sum(file.stat().st_size for file in files), path.stat().st_mtime))
        except OSError:
            continue
    return sorted(found, key=lambda one: -one.used)


def make_room(most: int | None = None) -> None:
    """Delete the versions that were not used for the longest time, so that the others take at most `most` bytes."""
    total, most = 0, MOST_BYTES if most is None else most
    for one in kept_versions():
        total += one.nbytes
        if total > most and one.path != version_folder():
            total -= one.nbytes
            _delete(one.path)


def clear() -> int:
    """Delete the machine code of all versions; how many bytes it took."""
    kept = kept_versions()
    for path in cache_folder().iterdir():
        _delete(path)
    version_folder.cache_clear()
    return sum(one.nbytes for one in kept)


def _delete(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
