"""Arenas: memory for the tree that grows without copying it.

Where the system allows it (system.py), an arena reserves address space as large as it may ever get and
the system fills it in page by page as the tree grows. Elsewhere it is an ordinary array that is copied to
twice its size when full. The kernel never sees the difference: it gets the views anew at every call.
"""

from __future__ import annotations

import contextlib
import mmap
from typing import Any

import numpy as np

from ..system import SYSTEM
from ..system import physical_memory as physical_memory

_ORDINARY_BYTES = 4 << 20
"""The first part of an arena, in ordinary pages; what follows is in large ones, if the arena may grow large."""
_LARGE_BYTES = 128 << 20
"""An arena that may grow to this has large pages: one of them, half used, is a small part of it."""
_KEPT_BYTES = 64 << 20
"""This much of a cleared arena stays: zeroing a page costs less than touching a new one for the first time."""


class Arena:
    """Bytes that grow up to `limit`; `array` is a view of what is there now."""

    def __init__(self, limit: int, *, reserve: bool = True) -> None:
        page = mmap.PAGESIZE
        self.limit = -(-limit // page) * page
        self.reserved = False
        self._map: mmap.mmap | None = None
        if reserve and SYSTEM.no_reserve is not None:
            try:
                self._map = mmap.mmap(-1, self.limit, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | SYSTEM.no_reserve)
                self.reserved = True
            except (OSError, ValueError, OverflowError):  # strict overcommit, or a limit on address space
                pass
        if self._map is not None:
            if hasattr(mmap, "MADV_HUGEPAGE") and self.limit >= _LARGE_BYTES:
                with contextlib.suppress(OSError):
                    self._map.madvise(mmap.MADV_HUGEPAGE, _ORDINARY_BYTES, self.limit - _ORDINARY_BYTES)
            self.array: Any = np.frombuffer(self._map, np.uint8)
        else:
            self.array = np.zeros(min(self.limit, 1 << 20), np.uint8)

    @property
    def size(self) -> int:
        """Bytes that can be used without growing."""
        return int(self.array.nbytes)

    def make_room(self, size: int) -> bool:
        """Grow to a number of bytes; False when that cannot be."""
        while self.size < size:
            if not self.grow():
                return False
        return True

    def grow(self) -> bool:
        """Make room for more, by copying; False when the limit is reached or there is no more memory."""
        if self.size >= self.limit:
            return False
        try:
            larger = np.zeros(min(self.limit, 2 * self.size), np.uint8)
        except MemoryError:
            return False
        larger[: self.size] = self.array
        self.array = larger
        return True

    def release(self, used: int) -> None:
        """Give what lies beyond the first `used` bytes back to the system, if it takes back parts of an array."""
        start = -(-used // mmap.PAGESIZE) * mmap.PAGESIZE
        if self._map is not None and SYSTEM.takes_pages_back and start < self.limit:
            self._map.madvise(mmap.MADV_DONTNEED, start, self.limit - start)

    def clear(self, used: int) -> None:
        """Make the first `used` bytes zeros again; of a large arena all but the first part goes back to the system."""
        if self.reserved and SYSTEM.takes_pages_back and used > _KEPT_BYTES:
            self.release(_KEPT_BYTES)
            used = _KEPT_BYTES
        self.array[:used] = 0


def own_pages(size: int) -> Any:
    """An array in pages of its own: when it is freed they go back to the system, not to a heap that keeps them."""
    try:
        return np.frombuffer(mmap.mmap(-1, size), np.uint8)
    except (OSError, ValueError, OverflowError):
        return np.empty(size, np.uint8)
