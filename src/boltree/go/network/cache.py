"""Networks that can be had by name: where they are kept, and how they come there.

A wheel of KaTrain, a user interface for Go, carries a network. pip fetches it with the user's own settings, the
network is taken out, and its hash is checked before it gets its name in the cache.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from ...core.machine_code import cache_folder
from ...errors import ParameterError

_PIECE = 2**20


@dataclass(frozen=True)
class NamedNetwork:
    """A network that has a short name; `package` is the wheel that carries it, if any does."""

    name: str
    file: str
    size: int
    sha256: str
    package: str | None
    about: str


KNOWN = {
    one.name: one
    for one in (
        NamedNetwork(
            "b6", "g170-b6c96-s175395328-d26788732.bin.gz", 3_827_339,
            "f5d32604e3675c480c7c8f6aa579a1ea857135628a0afccc8fa56330fbacd38d", None, "6 blocks, 96 channels: fast",
        ),
        NamedNetwork(
            "b15", "g170e-b15c192-s1672170752-d466197061.bin.gz", 36_948_927,
            "1579a64e6190c3a8d73eeb96feb4dee1879f9e5e114279b15d6c56dbab3b0f78", "katrain==1.10.1",
            "15 blocks, 192 channels: stronger",
        ),
        NamedNetwork(
            "b18", "kata1-b18c384nbt-s9996604416-d4316597426.bin.gz", 97_898_094,
            "9d7a6afed8ff5b74894727e156f04f0cd36060a24824892008fbb6e0cba51f1d", "katrain==1.18.1",
            "18 nested blocks, 384 channels: strongest, for a GPU",
        ),
    )
}  # fmt: skip


def network_folder() -> Path:
    """Where networks are kept: beside the machine code, in the user's cache folder or under ``BOLTREE_CACHE``."""
    try:
        folder = cache_folder().parent / "networks"
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ParameterError(
            f"no folder for networks: {error}; set BOLTREE_CACHE to one that can be written"
        ) from error
    return folder


def cached_network(name: str) -> Path | None:
    """The file of a known network if the cache has it."""
    path = network_folder() / KNOWN[name].file
    return path if path.is_file() else None


def find_network(name: str | Path) -> Path:
    """The file of a network, given its name or its path."""
    if str(name) in KNOWN:
        found = cached_network(str(name))
        if found is None:
            raise ParameterError(f"{name}: not fetched yet; {how_to_get(KNOWN[str(name)])}")
        return found
    path = Path(name).expanduser()
    if not path.exists():
        raise ParameterError(f"{path}: no such file, and no network of that name; the names are {', '.join(KNOWN)}")
    return path


def how_to_get(known: NamedNetwork) -> str:
    """What a user has to do for a network that is not in the cache."""
    if known.package is None:
        return f"no package carries it; if you have {known.file}, run boltree network get PATH"
    return f"run boltree network get {known.name}"


def keep_network(path: Path) -> Path:
    """Copy a known network's file into the cache, so that its name works."""
    with path.open("rb") as stream:
        found = _digest(stream)
        for known in KNOWN.values():
            if found == known.sha256:
                stream.seek(0)
                return _store(stream, known, str(path))
    raise ParameterError(f"{path}: none of {', '.join(KNOWN)}, so it is not kept; use it by its path")


def fetch_network(name: str) -> Path:
    """Fetch a known network into the cache, unless it is there and sound."""
    known = KNOWN[name]
    there = cached_network(name)
    if there is not None:
        with there.open("rb") as stream:
            if _digest(stream) == known.sha256:
                return there
    if known.package is None:
        raise ParameterError(f"{name}: {how_to_get(known)}")
    with tempfile.TemporaryDirectory(prefix="boltree-") as folder:
        wheel = _download(known.package, Path(folder))
        with _member(wheel, known.file) as stream:
            return _store(stream, known, wheel.name)


def _download(package: str, folder: Path) -> Path:
    """The wheel of a package, without what it depends on; pip takes it from where this user's pip takes all."""
    if importlib.util.find_spec("pip") is None:
        raise ParameterError(f"{package}: pip is missing; run {sys.executable} -m ensurepip, or give a network's path")
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--quiet"]
    command += ["--ignore-requires-python", "--disable-pip-version-check", "--dest", str(folder), package]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wheels = list(folder.glob("*.whl"))
    if len(wheels) != 1:
        said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or ["it gave no reason"]
        raise ParameterError(f"{package}: pip could not download it ({said[-1]}); offline, give a network's path")
    return wheels[0]


@contextmanager
def _member(wheel: Path, file: str) -> Iterator[IO[bytes]]:
    """A file of a wheel's models, being read."""
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(f"katrain/models/{file}") as stream:
            yield stream
    except KeyError:
        raise ParameterError(f"{wheel.name}: expected katrain/models/{file} in it, found none") from None
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise ParameterError(f"{wheel.name}: expected a wheel, found damage ({error})") from error


def _store(stream: IO[bytes], known: NamedNetwork, origin: str) -> Path:
    """Copy to the cache under a temporary name; only a file with the right hash gets the real one."""
    folder = network_folder()
    handle, temporary = tempfile.mkstemp(dir=folder, suffix=".part")
    try:
        digest, size = hashlib.sha256(), 0
        with os.fdopen(handle, "wb") as out:
            for piece in _pieces(stream):
                size += len(piece)
                if size > known.size:
                    break
                digest.update(piece)
                out.write(piece)
        if size != known.size or digest.hexdigest() != known.sha256:
            raise ParameterError(
                f"{origin}: {known.file}: expected {known.size:,} bytes with sha256 {known.sha256}, "
                f"found {digest.hexdigest() if size == known.size else 'another size'}"
            )
        os.chmod(temporary, 0o644)
        os.replace(temporary, folder / known.file)
    except OSError as error:
        raise ParameterError(f"{folder}: {known.file} could not be written: {error.strerror}") from error
    finally:
        Path(temporary).unlink(missing_ok=True)
    return folder / known.file


def _pieces(stream: IO[bytes]) -> Iterator[bytes]:
    return iter(lambda: stream.read(_PIECE), b"")


def _digest(stream: IO[bytes]) -> str:
    digest = hashlib.sha256()
    for piece in _pieces(stream):
        digest.update(piece)
    return digest.hexdigest()
