"""Machine code that came with the package is used where the processor can run it, and only there."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from boltree.core import shipped

PROGRAM = """
import sys
from pathlib import Path
from boltree.core import jit, shipped
from boltree.core.machine_code import version_folder

shipped.FOLDER = Path(sys.argv[1])

@jit.brief
def twice(n):
    return 2 * n

compiled = []
twice._compiler.compile, inner = lambda *types: compiled.append(types) or inner(*types), twice._compiler.compile
assert twice(21) == 42
if sys.argv[2] == "write":
    shipped.write_target(version_folder())
print(len(compiled), version_folder())
"""


def run(folder, what, cache, **environment):
    """Call a kernel in a process with a cache of its own: how often it was compiled, and where its code was kept."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder), what],
        env=os.environ | {"BOLTREE_CACHE": str(cache)} | environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    compiled, _, kept = done.stdout.strip().partition(" ")
    return int(compiled), kept


@pytest.mark.skipif(shipped.common_processor() is None, reason="no machine code is made ahead for this architecture")
def test_what_came_with_the_package_is_not_compiled_again(tmp_path):
    target = {"NUMBA_CPU_NAME": str(shipped.common_processor()), "NUMBA_CPU_FEATURES": ""}
    compiled, folder = run(tmp_path / "none", "write", tmp_path / "1", **target)
    assert compiled == 1
    assert run(folder, "read", tmp_path / "2")[0] == 0
    assert run(folder, "read", tmp_path / "3", BOLTREE_SHIPPED="0")[0] == 1


def test_code_for_another_processor_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setattr(shipped, "FOLDER", tmp_path)
    found = shipped.shipped_target.__wrapped__

    def told(**changed):
        here = {"triple": shipped.llvm.get_process_triple(), "processor": "x86-64-v3", "features": ""} | changed
        (tmp_path / shipped.TARGET).write_text(json.dumps(here))
        return found()

    assert found() is None  # there is none
    monkeypatch.setattr(shipped.llvm, "get_host_cpu_features", lambda: dict.fromkeys(shipped.X86_64_V3, True))
    assert told() == (shipped.llvm.get_process_triple(), "x86-64-v3", "")
    assert told(processor="a-later-one") is None
    assert told(triple="another-system") is None
    monkeypatch.setattr(shipped.llvm, "get_host_cpu_features", lambda: {"avx2": False})
    assert told() is None
    (tmp_path / shipped.TARGET).write_text("half a fi")
    assert found() is None
