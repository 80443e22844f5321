"""What differs between operating systems, and which of it is used: all of that is chosen here.

| | Linux | macOS | Windows | plain |
|---|---|---|---|---|
| an arena | reserved address space | reserved address space | copied when it grows | copied when it grows |
| freed pages | go back to the system | stay | stay | stay |
| a thread that waits for a lock | yields its core | yields its core | yields its core | spins |
| a thread without work | sleeps | sleeps | sleeps | spins |

``BOLTREE_SYSTEM=plain`` uses nothing of the system's own, whichever it is: what is done on a system that is not in this
table, and what the tests run anywhere.
"""

from __future__ import annotations

import ctypes
import os
import platform
import sys
from dataclasses import dataclass
from typing import Any

import llvmlite

from ..errors import ParameterError

UNKNOWN_MEMORY = 16 << 30
"""Bytes of memory that a machine is taken to have where the system does not say."""


@dataclass(frozen=True)
class System:
    """What is used of an operating system; by default, nothing."""

    no_reserve: int | None = None
    """The flag by which mmap reserves address space without memory; None where arenas are copied instead."""
    takes_pages_back: bool = False
    """Whether MADV_DONTNEED gives pages back, which are zeros when they are touched again."""
    library: str | None = ""
    """The library that has the next two functions; "" is what the process has loaded, None is none."""
    yield_name: str = ""
    """Gives the processor to another thread. It takes no arguments, and ignores those that it is called with."""
    sleep_name: str = ""
    """Lets the thread sleep, for a number of units."""
    sleep_unit_us: int = 1
    """Microseconds of such a unit."""

    def address(self, name: str) -> int:
        """The address of a function of the library; 0 where there is none."""
        if not name or self.library is None:
            return 0
        try:
            function = getattr(ctypes.CDLL(self.library or None), name, None)
        except OSError:
            return 0
        return 0 if function is None else int(ctypes.cast(function, ctypes.c_void_p).value or 0)


PLAIN = System(library=None)
SYSTEMS = {
    "linux": System(0x4000, True, yield_name="sched_yield", sleep_name="usleep"),
    "darwin": System(0x40, yield_name="sched_yield", sleep_name="usleep"),
    "win32": System(library="kernel32", yield_name="SwitchToThread", sleep_name="Sleep", sleep_unit_us=1000),
}


def chosen_system(wish: str | None = None, platform: str = sys.platform) -> System:
    """What is used of a platform, unless the wish is ``"plain"``.

    >>> chosen_system("plain", "linux").no_reserve, chosen_system(None, "aix") == chosen_system("plain")
    (None, True)
    """
    if wish not in (None, "", "plain"):
        raise ParameterError(f"BOLTREE_SYSTEM={wish!r}: must be 'plain', or not be set")
    return PLAIN if wish == "plain" else SYSTEMS.get(platform, PLAIN)


SYSTEM = chosen_system(os.environ.get("BOLTREE_SYSTEM"))
YIELD_AT = SYSTEM.address(SYSTEM.yield_name)
SLEEP_AT = SYSTEM.address(SYSTEM.sleep_name)


def counts_cycles(machine: str, llvmlite_version: str) -> bool:
    """Whether compiled code may read the processor's clock; on ARM, LLVM before 20 reads one that programs may not.

    >>> counts_cycles("AMD64", "0.44.0"), counts_cycles("arm64", "0.44.0"), counts_cycles("arm64", "0.50.0")
    (True, False, True)
    """
    if machine.lower() in ("x86_64", "amd64"):
        return True
    major, minor = (int(part) for part in llvmlite_version.split(".")[:2])
    return machine.lower() in ("aarch64", "arm64") and (major, minor) >= (0, 45)


COUNTS_CYCLES = counts_cycles(platform.machine(), llvmlite.__version__)


def physical_memory() -> int:
    """Bytes of memory of this machine, as far as the system says."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return _memory_of_windows() or UNKNOWN_MEMORY


class _MemoryStatus(ctypes.Structure):
    """MEMORYSTATUSEX of Windows."""

    _fields_ = (
        ("length", ctypes.c_uint32),
        ("load", ctypes.c_uint32),
        ("physical", ctypes.c_uint64),
        ("rest", ctypes.c_uint64 * 6),
    )


def _memory_of_windows() -> int:
    """Bytes of memory as Windows says; 0 elsewhere."""
    loader: Any = getattr(ctypes, "windll", None)
    if loader is None:
        return 0
    status = _MemoryStatus(length=ctypes.sizeof(_MemoryStatus))
    return int(status.physical) if loader.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)) else 0
