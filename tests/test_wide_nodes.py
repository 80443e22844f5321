"""Nodes with many actions keep their edges in an order, for maxima and for TENTS' support: it changes nothing."""

from __future__ import annotations

import time

import numpy as np
import pytest

import boltree as bt
from boltree.algorithms import configure
from boltree.lab.claims.costs import SLIPPERY, corridor
from golden_trees import MODES, digests_of
from plain.games import make
from plain.recorder import Double
from test_golden_trees import STORED

MAXIMA = {"BTS": bt.BTS(alpha=0.3), "DENTS": bt.DENTS(alpha=0.3), "Uniform": bt.Uniform()}


@pytest.mark.parametrize("mode", MODES)
def test_with_a_tournament_trees_are_those_that_are_stored(mode, monkeypatch):
    """Bit for bit, in every mode, with a tournament at every node that has two actions or more."""
    monkeypatch.setattr(configure, "SCAN_TO", 1)
    monkeypatch.setattr(configure, "TOURNAMENT_FROM", 2)
    found = digests_of(mode, MAXIMA)
    assert found == {case: digest for case, digest in STORED[mode].items() if case in found}
    assert found


@pytest.mark.parametrize("mode", [mode for mode in MODES if "proofs" not in mode])
def test_tents_in_order_is_tents(mode, monkeypatch):
    """The same trees and, but for rounding, the same values, with edges in order and without."""
    _, run = MODES[mode]
    monkeypatch.setattr(configure, "SUPPORT_FROM", configure.NEVER)
    plain = run(bt.TENTS(alpha=0.3), "leaf")
    monkeypatch.setattr(configure, "SUPPORT_FROM", 2)
    kept = run(bt.TENTS(alpha=0.3), "leaf")
    one, other = plain.survey(), kept.survey()
    assert (one.visits == other.visits).all()
    np.testing.assert_allclose(one.value, other.value, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", ["game two", "game two prior"])
@pytest.mark.parametrize(
    "algorithm",
    [
        bt.BTS(alpha=0.2),
        bt.DENTS(alpha=0.2, beta=bt.log_decay(1.0)),
        bt.TENTS(alpha=0.2, alias=False),
        bt.TENTS(alpha=5.0),
        bt.TENTS(alpha=bt.sqrt_decay(1.0), q_init=-0.3),
        bt.RENTS(alpha=0.2),
        bt.ARRENTS(alpha=0.2, early_rebuilds=True),
    ],
    ids=str,
)
def test_wide_nodes_against_plain(algorithm, kind):
    Double(make(kind, 3, actions=40, horizon=3), algorithm, "trial", seed=7, compact=False).run(400, every=20)


@pytest.mark.parametrize(
    "algorithm", [bt.BTS(alpha=0.1), bt.TENTS(alpha=0.1), bt.RENTS(alpha=0.1), bt.ARRENTS(alpha=0.1)], ids=str
)
def test_saved_wide_searches_go_on_bit_for_bit(algorithm, tmp_path):
    search = bt.Search(corridor(50, 0.5), algorithm, seed=1, evaluator=0.0)
    search.run(trials=700)
    search.save(tmp_path / "search")
    loaded = bt.Search.load(tmp_path / "search", problem=corridor(50, 0.5))
    for one in (search, loaded):
        one.run(trials=700)
    assert (search.survey().value == loaded.survey().value).all()
    assert (search.survey().visits == loaded.survey().visits).all()


@pytest.mark.parametrize("algorithm", [bt.RENTS(alpha=0.1, alias=True), bt.ARRENTS(alpha=0.1, alias=True)], ids=str)
def test_after_an_advance_the_root_is_relative_to_nothing(algorithm):
    """Its next visit builds a table relative to a uniform policy, not to that of its former parent."""
    search = bt.Search(corridor(20), algorithm, seed=1, evaluator=0.0)
    search.run(trials=2_000)
    search.advance(0, search.node([0]).state)
    search.run(trials=1)
    tree, node = search.tree, search.tree.storage.nodes[int(search.tree.fields.root)]
    first = 4 * (int(node["block"]) + 20) + (3 + 0) * 20 * bool(tree.fields.extra_words) + 20
    np.testing.assert_allclose(tree.storage.words[first : first + 20], 1 / 20)


def visit_seconds(algorithm, actions):
    """Seconds of the processor that a visit of the corridor's nodes takes."""
    search = bt.Search(corridor(actions, SLIPPERY), algorithm, seed=0, evaluator=0.0)
    search.run(trials=2 * actions)
    before, began = int(search.tree.fields.visits_made), time.thread_time()
    search.run(trials=40_000)
    return (time.thread_time() - began) / (int(search.tree.fields.visits_made) - before)


@pytest.mark.parametrize("algorithm", [bt.BTS, bt.DENTS, bt.MENTS, bt.RENTS, bt.TENTS], ids=lambda a: a.__name__)
def test_backups_do_not_look_at_all_actions(algorithm):
    """From 64 to 4096 actions, where outcomes are random: by log A, and by what a cache holds, not by 64."""
    chosen = algorithm(alpha=0.01, epsilon=0.1)
    few, many = (min(visit_seconds(chosen, actions) for _ in range(3)) for actions in (64, 4096))
    assert many < 4 * few
