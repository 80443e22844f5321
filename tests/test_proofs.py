"""Bounds and proofs: they hold the exact values of all nodes, whatever the options of a search."""

from __future__ import annotations

import contextlib
import math
from typing import Any

import numpy as np
import pytest

import boltree as bt
from known_games import Exact

ALGORITHMS = (
    bt.BTS(alpha=bt.spectrum()),
    bt.BTS(alpha=bt.spectrum(0.05, 2.0)),
    bt.BTS(alpha=0.3, alias=True),
    bt.DENTS(alpha=0.2, beta=bt.log_decay(1.0)),
    bt.UCT(),
    bt.UCT(c=1.0),
    bt.PUCT(),
    bt.PowerUCT(),
    bt.StochasticPowerUCT(),
    bt.ARBTS(),
    bt.ARDENTS(),
    bt.Uniform(),
)
EVALUATORS = ("rollout", 0.3, "heuristic")


def assert_sound(search: bt.Search, exact: Exact) -> int:
    """Compare all nodes with the exact values; returns how many are proven."""
    proven = 0
    horizon = search.horizon
    for i in range(search.size):
        node = search.node_at(i)
        left = horizon - node.depth
        if node.terminal or left == 0:
            continue
        value = exact.value(node.state.s, left)
        slack = 1e-9 * max(1.0, abs(value))
        assert node.lower - slack <= value <= node.upper + slack, (i, node.lower, value, node.upper)
        if node.proven:
            proven += 1
            assert abs(node.value - value) <= slack
            if node.recommended is not None or i == search.tree.fields.root:
                assert abs(exact.q(node.state.s, node.recommended, left) - value) <= slack
        for action, (lower, upper) in zip(node.actions, node.action_bounds, strict=True):
            q = exact.q(node.state.s, int(action), left)
            assert lower - slack <= q <= upper + slack, (i, action, lower, q, upper)
    return proven


class Stopped(Exception):
    """Raised in the middle of a run."""


def interrupt(search: bt.Search) -> None:
    raise Stopped


def examine(seed: int, threads: int = 1) -> bool:
    """Search a random game with random options, in pieces and with interruptions; whether it was proven."""
    rng = np.random.default_rng(seed)

    def one_of(options: Any) -> Any:
        return options[rng.integers(len(options))]

    exact = Exact(
        seed,
        horizon=int(rng.integers(1, 7)),
        discount=float(one_of([1.0, 0.9, 0.5])),
        two=bool(rng.random() < 0.6),
        bounded=str(one_of(["", "rewards", "bounds"])),
    )
    search = bt.Search(
        exact.problem,
        one_of(ALGORITHMS),
        seed=seed,
        growth=one_of(["leaf", "trial"]),
        evaluator=one_of(EVALUATORS),
        transpositions=True,
        outcomes="known",
        proofs=True,
        threads=threads,
    )
    if rng.random() < 0.7:
        search.tree.exact = None  # what trials prove by themselves
    for _ in range(int(rng.integers(1, 6))):
        if rng.random() < 0.3:
            with contextlib.suppress(Stopped):  # a proven search runs no trial, and asks nothing
                search.run(trials=int(rng.integers(20, 60)), progress=interrupt)
        else:
            search.run(trials=int(rng.integers(1, 80)))
        if rng.random() < 0.3:
            assert_sound(search, exact)
        if rng.random() < 0.3 and search.root.depth + 1 < search.horizon:
            action = search.recommend()
            going_on = [node for node in search.root.outcomes(action) if not node.terminal]
            if going_on:
                search.advance(action, one_of(going_on).state, horizon=one_of(["absolute", "receding"]))
        if search.horizon > exact.horizon + 1:
            break
    assert_sound(search, exact)
    return search.proven


def test_no_false_proof():
    proven = [examine(seed) for seed in range(250)]
    assert 50 < sum(proven) < 250  # so both proven and open trees were looked at


def test_no_false_proof_by_several_threads():
    proven = [examine(seed, threads=1 + seed % 3) for seed in range(20_000, 20_150)]
    assert 30 < sum(proven) < 150


@pytest.mark.slow
def test_no_false_proof_in_thousands():
    for seed in range(250, 10_250):
        examine(seed)


class Ladder(bt.PythonProblem):
    """Steps that all pay 1, or their number; its bounds and rewards are what a test says."""

    actions, horizon, deterministic, all_pay = 2, 6, True, False

    def __init__(self, highest: float, rewards: object = None) -> None:
        self.highest, self.rewards = highest, rewards  # type: ignore[assignment]
        super().__init__()

    def start(self, rng: Any) -> int:
        return 0

    def step(self, state: int, action: int, rng: Any) -> tuple[int, float, bool]:
        return state + action, 1.0 if self.all_pay else float(action), False

    def bounds(self, state: int) -> tuple[float, float]:
        return 0.0, self.highest


def test_bounds_that_hold_are_believed_and_help() -> None:
    assert bt.plan(Ladder(6.0), seed=0).value == 6.0


def test_bounds_that_outcomes_contradict_are_an_error() -> None:
    ladder = Ladder(0.5)
    ladder.all_pay = True
    search = bt.Search(ladder, seed=0)
    search.tree.exact = None
    with pytest.raises(bt.ProblemError, match="which its bounds rule out"):
        search.run(trials=1_000)


@pytest.mark.parametrize("rewards", [(0.0, 0.5), (0.5, 1.0)])
def test_rewards_outside_of_what_the_problem_says_are_an_error(rewards: Any) -> None:
    problem = Ladder(6.0, rewards)
    with pytest.raises(bt.ProblemError, match=r"must be within rewards=\(0\.\d, \d\.\d\)"):
        bt.plan(problem, seed=0)
    with pytest.raises(bt.ProblemError, match="must be within rewards"):
        bt.check(problem)


@pytest.mark.parametrize("rewards", [(1.0, 0.0), (0.0,), "high", (math.nan, 1.0)])
def test_rewards_that_cannot_be_are_refused(rewards: Any) -> None:
    with pytest.raises(bt.ProblemError, match=r"rewards=.*must be the least and the most that a step can pay"):
        bt.Search(Ladder(6.0, rewards), seed=0)


def test_bounds_are_checked() -> None:
    with pytest.raises(bt.ProblemError, match="the lower one must be at most the upper one"):
        bt.check(Ladder(-1.0))


def test_what_is_surely_worse_is_not_tried_again() -> None:
    exact = Exact(3, two=True, bounded="bounds")
    search = bt.Search(exact.problem, bt.Uniform(), seed=0, transpositions=True, outcomes="known", proofs=True)
    search.tree.exact = None
    looked_at = 0
    while search.run(trials=1) == "trials":
        search.tree.estimates.resume()  # what trials go by, not what is shown
        root = search.root
        lower, upper = root.action_bounds.T
        worse = upper < lower.max() - 1e-9 if root.player == 0 else lower > upper.min() + 1e-9
        before = root.visits.copy()
        if worse.any() and not search.proven:
            search.run(trials=1)
            looked_at += 1
            assert (search.root.visits == before)[worse].all()
    assert looked_at > 0
