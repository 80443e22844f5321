"""Entropies below an action are discounted as values are, in every kind of tree: against formulas worked by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest

import boltree as bt

LEVELS = 4
REWARD = 0.4
ALPHA = 1.0


class Choices(bt.Problem):
    """Action 1 pays and ends; action 0 leads to more choices of two, among which nothing differs and nothing pays."""

    state = bt.record(level="i4", coin="i4")
    params = bt.record(pays="f8")
    actions = 2
    horizon = LEVELS

    @staticmethod
    def start(params: Any, state: Any, rng: Any) -> None:
        state.level = 0
        state.coin = 0

    @staticmethod
    def step(params: Any, state: Any, action: int, rng: Any) -> tuple[float, bool]:
        ends = state.level == 0 and action == 1
        state.level += 1
        state.coin = bt.integer(rng, 2)
        return (params.pays if ends else 0.0), ends

    @staticmethod
    def count_outcomes(params: Any, state: Any, action: int) -> int:
        return 2

    @staticmethod
    def outcomes(params: Any, state: Any, action: int, k: int) -> tuple[float, float, bool]:
        ends = state.level == 0 and action == 1
        state.level += 1
        state.coin = k
        return 0.5, (params.pays if ends else 0.0), ends


def share_by_hand(gamma: float, own: float, sparse: bool) -> float:
    """The probability of action 0, where each of the levels below it is worth the entropy `own` of a uniform choice."""
    below = own * sum(gamma**k for k in range(1, LEVELS))
    advantage = below - REWARD / ALPHA
    return min(1.0, max(0.0, (1.0 + advantage) / 2)) if sparse else 1.0 / (1.0 + math.exp(-advantage))


SHANNON, TSALLIS = math.log(2.0), 0.25
CASES = {
    "MENTS": (bt.MENTS(alpha=ALPHA, epsilon=0.0), SHANNON),
    "DENTS": (bt.DENTS(alpha=ALPHA, beta=ALPHA, epsilon=0.0), SHANNON),
    "ARDENTS": (bt.ARDENTS(alpha=ALPHA, beta=ALPHA, epsilon=0.0), SHANNON),
    "ARMENTS": (bt.ARMENTS(alpha=ALPHA, epsilon=0.0), SHANNON),
    "ARTENTS": (bt.ARTENTS(alpha=ALPHA, epsilon=0.0), TSALLIS),
}
TREES: dict[str, dict[str, Any]] = {
    "a tree": {"growth": "trial"},
    "leaf growth": {"growth": "leaf"},
    "merged trees": {"growth": "trial", "threads": 3, "deterministic": True},
    "shared by depth": {"growth": "trial", "transpositions": True},
    "shared by state": {"growth": "trial", "transpositions": "state"},
    "known outcomes": {"growth": "trial", "transpositions": True, "outcomes": "known"},
}


DISCOUNTS = [
    (gamma, tree) for gamma in (0.3, 0.5, 0.9, 1.0) for tree in TREES if gamma < 1.0 or tree != "shared by state"
]


@pytest.mark.parametrize(("gamma", "tree"), DISCOUNTS)
@pytest.mark.parametrize("name", CASES)
def test_entropies_are_discounted(gamma: float, name: str, tree: str) -> None:
    """DENTS with beta = alpha has MENTS' policy, and both the formula's, whatever the discount and the tree."""
    algorithm, own = CASES[name]
    search = bt.Search(Choices(pays=REWARD, discount=gamma), algorithm, seed=0, **TREES[tree])
    search.run(trials=6_000)
    expected = share_by_hand(gamma, own, name == "ARTENTS")
    assert search.policy()[0] == pytest.approx(expected, abs=2e-3)
