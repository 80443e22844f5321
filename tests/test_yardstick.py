"""``boltree bench --yardstick``: what cannot be measured is told, and what is measured is the same search in both."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

import boltree as bt
from boltree.bench import yardstick
from boltree.bench.sailing_in_place import SailingInPlace
from boltree.cli.commands import main
from boltree.problem.state import PlainState
from boltree.problems.sailing import WIND

STUB = """
#include <cstdint>
namespace h {
enum { BTS, DENTS, UCT };
struct Rng { explicit Rng(uint64_t) {} };
struct Params { int algo; double alpha, eps, beta0, c, qinit; bool use_alias; int H; };
struct Node { double v; };
struct Tree { Node nodes[1]; Tree(int64_t, int64_t, int) {} int64_t new_node(int64_t, bool, int) { return 0; } };
struct Chain { int D; double reward; };
struct Lake { explicit Lake(int) {} };
struct Sail {};
template <int A, class P> struct Search {
    double work;
    Search(Tree&, const Params& p, P&, Rng&) : work(p.eps) {}
    int64_t run(int64_t, int64_t n, int64_t& done) {
        volatile double x = work;
        for (int64_t i = 0; i < 100 * n; i++) x = x + 1.0;
        done = n;
        return 3 * n;
    }
};
}
"""
"""A search that does nothing: what a yardstick's header must have."""


@pytest.mark.skipif(shutil.which("g++") is None, reason="the yardstick is compiled with g++")
def test_all_searches_are_measured_beside_a_yardstick(tmp_path):
    (tmp_path / "bts.hpp").write_text(STUB)
    lines = yardstick.measure_beside(tmp_path, 0.01, 1).splitlines()[2:]
    assert len(lines) == 15
    assert [line.split("  ")[0] for line in lines[::5]] == ["D-chain", "Frozen Lake", "Sailing"]
    for line in lines:
        *_, depth, rate, _, their_rate, _, ratio = line.split()
        assert float(depth) == 3.0
        rates = [float(one.replace(",", "")) for one in (rate, their_rate)]
        assert float(ratio) == pytest.approx(rates[0] / rates[1], abs=0.02, rel=0.05)


@pytest.mark.parametrize(
    ("header", "said"),
    [
        (None, "must be a folder with bts.hpp"),
        ("nonsense", "bts.hpp does not compile: "),
    ],
)
def test_what_is_no_yardstick(tmp_path, header, said, capsys):
    if header is not None:
        if shutil.which("g++") is None:
            pytest.skip("the yardstick is compiled with g++")
        (tmp_path / "bts.hpp").write_text(header)
    assert main(["bench", "--yardstick", str(tmp_path)]) == 2
    assert f"--yardstick {tmp_path}: {said}" in capsys.readouterr().err


def test_without_a_compiler(tmp_path, capsys, monkeypatch):
    (tmp_path / "bts.hpp").write_text(STUB)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert main(["bench", "--yardstick", str(tmp_path)]) == 2
    assert "needs g++, which is not installed" in capsys.readouterr().err


def test_it_is_not_saved(tmp_path, capsys):
    assert main(["bench", "--yardstick", str(tmp_path), "--json", "x.json"]) == 2
    assert "--yardstick: cannot be saved or compared" in capsys.readouterr().err


def test_the_boat_of_the_yardstick_sails_as_ours():
    """Where a move is legal both do the same; where it is not, this one stays in place."""
    ours, theirs = bt.problems.Sailing(6, "SE"), SailingInPlace()
    bt.check(theirs)
    for cell, wind, action in np.ndindex(36, 8, 8):
        state = PlainState(theirs.new_state())
        state.place = 8 * cell + wind
        reward, done = theirs.plain_step(state, action, np.array([1, 2], np.uint64))
        place, turn = state.place >> 3, min(abs(action - wind), 8 - abs(action - wind))
        legal = ours.plain_params.successors[cell, action] >= 0 and turn < 4
        assert reward == (-1.0 - turn if turn < 4 else -4.0)
        assert place == (ours.plain_params.successors[cell, action] if legal else cell)
        assert done == (place == 5)
        assert WIND[wind, state.place & 7] > 0.0
