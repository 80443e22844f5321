"""Machine code that came with the package: compiled for a common processor, and used where this one can run it.

A wheel carries it in `FOLDER`, with `TARGET` beside it, which says what processor it was compiled for. Problems enter
kernels by address, so a kernel's code depends on nothing of a user's. What is not there, or was compiled from another
text or by another Numba, is compiled here as if nothing had come.
"""

from __future__ import annotations

import json
import os
import platform
from functools import lru_cache
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

FOLDER = Path(__file__).resolve().parents[1] / "machine_code"
TARGET = "target.json"

X86_64_V3 = (
    "sse3", "ssse3", "sse4.1", "sse4.2", "popcnt", "cx16", "sahf", "avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt",
    "movbe",
)  # fmt: skip
"""What a processor must have to run code for x86-64-v3, in LLVM's names."""

COMMON = {"x86_64": ("x86-64-v3", X86_64_V3), "aarch64": ("generic", ()), "arm64": ("generic", ())}
"""For each architecture, the processor that code is compiled for when it is to run on most, and what it must have."""


def common_processor() -> str | None:
    """The processor that machine code for others is compiled for on this architecture; None where there is none."""
    found = COMMON.get(platform.machine().lower().replace("amd64", "x86_64"))
    return None if found is None else found[0]


def write_target(folder: Path) -> None:
    """Note beside machine code, in the process that compiled it, what it was compiled for."""
    from numba.core.registry import cpu_target

    triple, processor, features = cpu_target.target_context.codegen().magic_tuple()
    text = json.dumps({"triple": triple, "processor": processor, "features": features}, indent=1)
    (folder / TARGET).write_text(text + "\n", encoding="utf-8")


@lru_cache(maxsize=1)
def shipped_target() -> tuple[str, str, str] | None:
    """What the code that came with the package was compiled for, if there is any and this processor can run it.

    It is what Numba's index calls a target: triple, processor, features. `BOLTREE_SHIPPED=0` does without.
    """
    if os.environ.get("BOLTREE_SHIPPED") == "0":
        return None
    try:
        told = json.loads((FOLDER / TARGET).read_text(encoding="utf-8"))
        target = (told["triple"], told["processor"], told["features"])
    except (OSError, ValueError, KeyError):
        return None
    for processor, wanted in COMMON.values():
        if target[1] == processor and target[0] == llvm.get_process_triple():
            here: Any = llvm.get_host_cpu_features()
            return target if all(here.get(feature, False) for feature in wanted) else None
    return None
