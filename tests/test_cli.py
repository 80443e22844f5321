"""The command line, as a person types it."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from boltree.cli.commands import main


def test_plan(capsys):
    assert main(["plan", "frozen-lake"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("FrozenLake: right (2), value 0.834514, proven\n")
    assert "\n  *  right (2)" in shown
    assert "\n  expects: right, down" in shown
    assert main(["plan", "frozen-lake", "--trials", "1", "--tree", "1"]) == 0
    assert ", proven" not in capsys.readouterr().out


def test_plan_with_algorithms(capsys):
    names = ("MENTS", "RENTS", "TENTS", "BTS", "DENTS", "UCT", "HMCTS")
    assert main(["plan", "frozen-lake", "--trials", "2000", "--algorithm", *map(str.lower, names)]) == 0
    shown = capsys.readouterr().out
    assert "optimal value 0.8345" in shown
    for name in names:
        assert f"\n{name} " in shown
    assert "regret" in shown


def test_plan_with_chosen_algorithms(capsys):
    assert main(["plan", "d-chain", "--trials", "5000", "--algorithm", "dents", "ar-bts", "--tree", "2"]) == 0
    shown = capsys.readouterr().out
    assert "ARBTS" in shown
    assert "(right)" in shown
    assert "|--" in shown


def test_what_was_meant(capsys):
    with pytest.raises(SystemExit):
        main(["plan", "d-chain", "--trails", "5"])
    shown = capsys.readouterr().err
    assert "usage: boltree plan" in shown
    assert "--trails 5: there is no such option or argument; did you mean --trials?" in shown
    assert main(["plan", "CartPole-v1"]) == 2
    assert "write \"boltree:from_gymnasium('CartPole-v1')\"" in capsys.readouterr().err


def test_plan_without_exact_values(tmp_path, capsys, monkeypatch):
    """A problem in plain Python with too many states is searched all the same."""
    (tmp_path / "endless.py").write_text(
        "import boltree as bt\n"
        "class Endless(bt.PythonProblem):\n"
        "    actions, horizon, deterministic = 2, 40, True\n"
        "    def start(self, rng): return 1\n"
        "    def step(self, state, action, rng): return 2 * state + action, float(action), False\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert main(["plan", "endless:Endless", "--trials", "100", "--algorithm", "uct"]) == 0
    shown = capsys.readouterr().out
    assert "Endless: more than 20,000 reachable states" in shown
    assert "regret" not in shown


def test_plan_ones_own_problem(tmp_path, capsys, monkeypatch):
    (tmp_path / "mine.py").write_text(
        "import boltree as bt\nchain = bt.problems.DChain(5)\nmake = lambda: chain\nx = 3\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("mine:chain", "mine:make"):
        assert main(["plan", name, "--trials", "100"]) == 0
    assert main(["plan", "mine:nothing"]) == 2
    assert "has no attribute 'nothing'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["plan", "chess"], "problem 'chess': must be one of frozen-lake"),
        (["plan", "d-chain", "--algorithm", "minimax"], "algorithm 'minimax': must be one of"),
        (["plan", "frozen_lake"], "or module:object; did you mean frozen-lake?"),
        (["plan", "DChian(12)"], "; did you mean DChain?"),
        (["plan", "d-chain", "--algorithm", "ar-bst"], "; did you mean ARBTS?"),
    ],
)
def test_mistakes(words, message, capsys):
    assert main(words) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["plna", "d-chain"], r"argument COMMAND: 'plna': must be one of plan, .*; did you mean plan\?"),
        (["zzz"], "argument COMMAND: 'zzz': must be one of plan, [^;]*$"),
        (["plan", "d-chain", "--trials", "-5"], "argument --trials: '-5': must be a whole number of at least 1"),
        (["plan", "d-chain", "--seconds", "nan"], "argument --seconds: 'nan': must be a number"),
        (["plan", "d-chain", "--seconds", "0"], "argument --seconds: '0': must be a number greater than 0"),
        (["play", "--board", "20"], "argument --board: '20': must be a whole number from 2 to 19"),
        (["bench", "--repeats", "0"], "argument --repeats: '0': must be a whole number of at least 1"),
        (["bench", "--scale", "-1"], "argument --scale: '-1': must be a number greater than 0"),
        (["tune", "d-chain", "--seed", "-1"], "argument --seed: '-1': must be a whole number of at least 0"),
        (["plan", "d-chain", "--growth", "leafs"], r"'leafs': must be one of leaf, trial; did you mean leaf\?"),
    ],
)
def test_misspelt_words(words, message, capsys):
    with pytest.raises(SystemExit):
        main(words)
    assert re.search(message, capsys.readouterr().err.strip())


def test_help_has_an_example(capsys):
    for command in ("plan", "bench"):
        with pytest.raises(SystemExit):
            main([command, "--help"])
        assert re.search("examples?: boltree", capsys.readouterr().out)


def test_bench(capsys, tmp_path):
    assert main(["bench", "--repeats", "1", "--scale", "0.002", "--json", str(tmp_path / "b.json")]) == 0
    shown = capsys.readouterr().out
    assert "ns/visit" in shown
    assert "D-chain 10, leaf" in shown
    assert (tmp_path / "b.json").exists()


def test_says_when_it_compiles_and_then_remembers(tmp_path):
    """A cold cache compiles with a line on the terminal; a warm one is silent."""
    program = (
        "import boltree as bt; s = bt.Search(bt.problems.DChain(4), bt.BTS(), seed=0); "
        "s.run(trials=100); print(s.recommend())"
    )
    environment = {k: v for k, v in os.environ.items() if k != "BOLTREE_QUIET"} | {"BOLTREE_CACHE": str(tmp_path)}
    said = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == "1"
        said.append(done.stderr)
    assert "boltree: compiling trials in a tree (about 20 s, once on this machine) ..." in said[0]
    assert said[1] == ""


def test_interpreted():
    """NUMBA_DISABLE_JIT=1 steps through the same kernel in plain Python, with the same result."""
    program = (
        "import boltree as bt\n"
        "for a in (bt.UCT(), bt.BTS(), bt.DENTS(), bt.MENTS(alias=True), bt.RENTS(), bt.TENTS(), bt.HMCTS(),\n"
        "          bt.PUCT(), bt.ANTS(), bt.ARDENTS(alias=True), bt.PowerUCT(), bt.BRUE(), bt.Uniform()):\n"
        "    s = bt.Search(bt.problems.Sailing(4), a, seed=0)\n"
        "    s.run(trials=30)\n"
        "    print(a.name, s.root.visits.tolist(), repr(s.root.value))\n"
    )
    shown = []
    for disabled in ("0", "1"):
        environment = os.environ | {"NUMBA_DISABLE_JIT": disabled, "BOLTREE_QUIET": "1"}
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        shown.append(done.stdout)
    assert shown[0] == shown[1]
