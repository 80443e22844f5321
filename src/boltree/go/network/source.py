"""Words, whole numbers and arrays out of a gzip file that may be damaged or hostile.

Nothing is trusted: a word has a longest length, an array a largest size, and memory is taken only for what is there.
"""

from __future__ import annotations

import gzip
import math
import re
import zlib
from pathlib import Path
from types import TracebackType

import numpy as np

from ...errors import ParameterError
from .layers import Floats

_LONGEST_WORD = 200
_LONGEST_GAP = 1000
_MOST_WEIGHTS = 2**28  # of a file; the largest published networks of these versions have some 10^8
_MOST_IN_ARRAY = 2**24
_PIECE = 2**20
_MARKER = b"@BIN@"


class Source:
    """A network file being read; `place` is the layer at which it stands, for messages."""

    def __init__(self, path: Path) -> None:
        self.path, self.place = path, "header"
        self._weights = 0
        try:
            if path.is_dir():
                raise self.wrong("a file", "a folder")
            self._raw = path.open("rb")
        except FileNotFoundError:
            raise ParameterError(f"{path}: no such file") from None
        except OSError as error:
            raise ParameterError(f"{path}: {error.strerror}") from error
        start = self._raw.read(2)
        if start != b"\x1f\x8b":
            self._raw.close()
            raise self.wrong("a gzip file, as KataGo's .bin.gz is", f"one that begins with {start!r}")
        self._raw.seek(0)
        self._stream = gzip.GzipFile(fileobj=self._raw)

    def __enter__(self) -> Source:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()
        self._raw.close()

    def wrong(self, expected: str, found: str) -> ParameterError:
        """The error that says where something else was expected."""
        return ParameterError(f"{self.path}: {self.place}: expected {expected}, found {found}")

    def _read(self, size: int) -> bytes:
        try:
            return self._stream.read(size)
        except EOFError:
            raise self.wrong("more data", "the end of a truncated file") from None
        except (OSError, zlib.error) as error:
            raise self.wrong("sound gzip data", f"damage ({error})") from error

    def _skip_gap(self) -> bytes:
        """The first byte that is not white space; nothing at the end."""
        for _ in range(_LONGEST_GAP):
            byte = self._read(1)
            if not byte.isspace():
                return byte
        raise self.wrong("data", f"{_LONGEST_GAP} blanks")

    def word(self, what: str) -> str:
        """The next word, of printable ASCII."""
        letters = bytearray(self._skip_gap())
        while letters and len(letters) <= _LONGEST_WORD:
            byte = self._read(1)
            if not byte or byte.isspace():
                break
            letters += byte
        if not letters:
            raise self.wrong(what, "the end of the file")
        if len(letters) > _LONGEST_WORD or not all(33 <= letter <= 126 for letter in letters):
            raise self.wrong(what, f"{bytes(letters[:20])!r}")
        return letters.decode("ascii")

    def name(self, what: str) -> str:
        """The name of a layer, which becomes the place."""
        found = self.word(f"the name of {what}")
        self.place = f"{what} {found}"
        return found

    def one_of(self, what: str, allowed: tuple[str, ...]) -> str:
        """A word that must be one of a few."""
        found = self.word(what)
        if found not in allowed:
            raise self.wrong(f"{what}, one of {', '.join(allowed)}", repr(found))
        return found

    def whole(self, what: str, low: int, high: int) -> int:
        """A whole number within bounds."""
        found = self.word(what)
        if not re.fullmatch(r"[0-9]{1,9}", found) or not low <= int(found) <= high:
            allowed = str(low) if low == high else f"{low} to {high}"
            raise self.wrong(f"{what} = {allowed}", repr(found))
        return int(found)

    def number(self, what: str) -> float:
        """A finite number of at least 0."""
        found = self.word(what)
        try:
            value = float(found)
        except ValueError:
            value = math.nan
        if not (math.isfinite(value) and value >= 0):
            raise self.wrong(f"{what}, a number of at least 0", repr(found))
        return value

    def floats(self, *shape: int) -> Floats:
        """An array: the marker, then little-endian float32, then white space."""
        count = math.prod(shape)
        if count > _MOST_IN_ARRAY or self._weights + count > _MOST_WEIGHTS:
            raise self.wrong(f"at most {_MOST_IN_ARRAY:,} weights here, {_MOST_WEIGHTS:,} in all", f"{count:,}")
        first = self._skip_gap()
        marker = (first + self._exactly(len(_MARKER) - 1)) if first else first
        if marker != _MARKER:
            raise self.wrong("@BIN@ and an array", repr(bytes(marker)) if marker else "the end of the file")
        array = np.frombuffer(self._exactly(4 * count), "<f4").astype(np.float32).reshape(shape)
        after = self._read(1)
        if after and not after.isspace():
            raise self.wrong(f"an array of {count:,} numbers", "a longer one")
        if not np.isfinite(array).all():
            raise self.wrong("finite weights", "NaN or infinity")
        self._weights += count
        return array

    def _exactly(self, size: int) -> bytearray:
        """A number of bytes; read in pieces, for a wrong size must not take memory that the file does not fill."""
        found = bytearray()
        while len(found) < size:
            piece = self._read(min(_PIECE, size - len(found)))
            if not piece:
                raise self.wrong(f"{size:,} bytes", f"the end of the file after {len(found):,}")
            found += piece
        return found

    def finish(self) -> None:
        """Read to the end, where gzip checks its sum; nothing but white space may follow."""
        self.place = "after the last layer"
        last = self._skip_gap()
        if last:
            raise self.wrong("the end of the file", "more data")
