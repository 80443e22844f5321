"""The examples run and print what they promise."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
NEEDED = {"gymnasium": "gymnasium", "openspiel": "pyspiel", "pettingzoo": "pettingzoo", "rddl": "pyRDDLGym"}
PRINTED = {
    "gymnasium_frozen_lake": "UCT with transpositions: 0.577 of 0.641",
    "gymnasium_cartpole_agent": "balanced for 500 steps",
    "gymnasium_own_environment": "first action: ",
    "openspiel_connect_four": "won",
    "pettingzoo_tic_tac_toe": "result for the first player: 0.0",
    "rddl_elevators": "the best is -3.303",
}


@pytest.mark.parametrize(
    "path",
    [path for path in sorted(EXAMPLES.glob("*.py")) if path.stem.partition("_")[0] in NEEDED],
    ids=lambda path: path.stem,
)
def test_an_example(path, capsys):
    pytest.importorskip(NEEDED[path.stem.partition("_")[0]])
    runpy.run_path(str(path), run_name="__main__")
    assert PRINTED[path.stem] in capsys.readouterr().out
