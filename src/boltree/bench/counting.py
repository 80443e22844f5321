"""How many instructions a piece of work takes, where the machine counts them: Linux, on hardware that counts them.

The count is that of this thread outside of the kernel, so other work on the machine does not change it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import struct
import sys
from collections.abc import Callable

SYSTEM_CALLS = {"x86_64": 298, "aarch64": 241}
"""The number of perf_event_open."""

HARDWARE, INSTRUCTIONS = 0, 1
_SIZE = 128  # of the record that says what is counted
_PINNED, _NO_KERNEL, _NO_HYPERVISOR = 1 << 2, 1 << 5, 1 << 6
_COUNTED_STEPS = 20_000


class Counter:
    """A count that only grows; `read` gives None where the machine does not count.

    Args:
        kind: the kind of event, as Linux numbers them.
        event: the event.
    """

    def __init__(self, kind: int = HARDWARE, event: int = INSTRUCTIONS) -> None:
        self._file = -1
        number = SYSTEM_CALLS.get(platform.machine())
        if sys.platform != "linux" or number is None:
            return
        asked = struct.pack("IIQQQQQ", kind, _SIZE, event, 0, 0, 0, _PINNED | _NO_KERNEL | _NO_HYPERVISOR)
        record = ctypes.create_string_buffer(asked, _SIZE)
        self._file = ctypes.CDLL(None).syscall(number, record, 0, -1, -1, 0)  # this thread, on any core, in no group
        before = self.read()
        sum(range(_COUNTED_STEPS))
        after = self.read()
        if before is None or after is None or after <= before:  # it was allowed, but nothing is counted
            self.close()

    def read(self) -> int | None:
        """The count so far."""
        if self._file < 0:
            return None
        with contextlib.suppress(OSError):
            found = os.read(self._file, 8)
            if len(found) == 8:
                return int.from_bytes(found, sys.byteorder)
        return None

    def of(self, work: Callable[[], object]) -> int | None:
        """The count of a piece of work."""
        before = self.read()
        work()
        after = self.read()
        return None if before is None or after is None else after - before

    def close(self) -> None:
        """Count no more."""
        if self._file >= 0:
            os.close(self._file)
        self._file = -1
