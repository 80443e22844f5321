"""The example in examples/compare_speed.py runs with whatever is installed."""

from __future__ import annotations

import pytest
from examples import compare_speed


def test_the_table(capsys, monkeypatch):
    monkeypatch.setattr(compare_speed, "there", lambda module: module == "pyspiel")
    pytest.importorskip("pyspiel")
    compare_speed.main(["--simulations", "100", "--repeats", "1", "--batches", "4"])
    shown = capsys.readouterr().out
    for words in ("Boltree, the game in Python", "OpenSpiel, C++", "OpenSpiel, Python", "4 searches of 64"):
        assert words in shown


def test_the_rules_in_plain_python():
    assert compare_speed.moved("X........", 4) == "X...O...."
    assert [compare_speed.result(board) for board in ("XXX.OO...", "OOOXX.X..", "XOXXOOOXX", "X........")] == [
        1.0, -1.0, 0.0, None,
    ]  # fmt: skip
