"""The libraries are extras: imported when asked for, and an error that says how to get them."""

from __future__ import annotations

import subprocess
import sys

LIBRARIES = ("gymnasium", "pyspiel", "pettingzoo", "pyRDDLGym", "mujoco", "pygame")


def run(code: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip().splitlines()


def test_importing_boltree_imports_none_of_them() -> None:
    assert run(f"import sys, boltree; print([n for n in {LIBRARIES} if n in sys.modules])") == ["[]"]


def test_without_a_library_the_install_command_is_said() -> None:
    code = f"""
import sys
for name in {LIBRARIES}:
    sys.modules[name] = None
import boltree as bt
for call in (
    lambda: bt.from_gymnasium("CartPole-v1"),
    lambda: bt.Agent("CartPole-v1", bt.UCT(), trials=1),
    lambda: bt.from_openspiel("connect_four"),
    lambda: bt.from_pettingzoo("tictactoe_v3"),
    lambda: bt.from_rddl("Elevators_MDP_ippc2011", "1"),
):
    try:
        call()
    except bt.ParameterError as error:
        print(error)
"""
    said = run(code)
    assert [line.rpartition("; ")[2] for line in said] == [
        f"run pip install 'boltree[{extra}]'" for extra in ("gym", "gym", "openspiel", "pettingzoo", "rddl")
    ]


def test_without_mujoco_the_install_command_is_said() -> None:
    code = """
import sys
sys.modules["mujoco"] = None
import boltree as bt
try:
    bt.from_gymnasium("Ant-v5", actions=2)
except bt.ParameterError as error:
    print(error)
"""
    assert run(code)[-1].endswith("run pip install 'boltree[mujoco]'")
