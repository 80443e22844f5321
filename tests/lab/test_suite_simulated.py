"""Cases that can only be simulated: scores worked out by hand, the same worlds for everyone, and what is registered."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import pytest

import boltree as bt
from boltree.lab.suite import simulated
from boltree.lab.suite.case import Case, Numbers
from boltree.lab.suite.episodes import Episodes, GamesWon
from boltree.lab.suite.job import SuiteJob, _prepared
from boltree.lab.suite.planners import Decision, Default
from boltree.lab.suite.problems import cases, missing
from boltree.lab.suite.simulated import simulated_cases

CASES = {case.name: case for case in simulated_cases()}


def nothing(answers: int, value: float) -> None:
    """Watches no more than it must."""


def always(choose: Any) -> Any:
    def ask(problem: Any, state: Any, trials: Any, seconds: Any, seed: int) -> Decision:
        return Decision(choose(problem, state), 0.0, False, trials, 0.25)

    return ask


class Walk(bt.PythonProblem):
    """Steps of 0 or 1, or of 2 by luck, which pay what they are long; the end is at 6."""

    actions, horizon = 2, 3

    def start(self, rng: Any) -> int:
        return 0

    def step(self, state: int, action: int, rng: Any) -> tuple[int, float, bool]:
        length = action * (2 if rng.random() < 0.5 else 1)
        return state + length, float(length), state + length >= 6


def test_episodes_by_hand() -> None:
    seen: list[int] = []
    right = Episodes(20, 4).run(Walk(), always(lambda problem, state: 1), 10, None, 3, lambda n, value: seen.append(n))
    stay = Episodes(20, 4).run(Walk(), always(lambda problem, state: 0), 10, None, 3, nothing)
    assert 4.0 < right["score"] < 7.0  # 4 steps of 1.5, or fewer
    assert stay["score"] == 0.0
    assert stay["answers"] == 80
    assert 60 <= right["answers"] <= 80
    assert seen == list(range(1, right["answers"] + 1))
    assert right["seconds"] == 0.25
    assert right["random"] == stay["random"] == pytest.approx(3.0, abs=0.5)  # half as much
    assert "regret" not in right


def test_episodes_begin_alike_and_differ_by_the_seed() -> None:
    def score(seed: int) -> float:
        found = Episodes(3, 4).run(Walk(), always(lambda problem, state: 1), 1, None, seed, nothing)
        return float(found["score"])

    assert score(1) == score(1)
    assert len({score(seed) for seed in range(8)}) > 1


def test_a_planner_sees_where_it_is_and_other_seeds() -> None:
    asked: list[tuple[int, int]] = []

    def ask(problem: Any, state: Any, trials: Any, seconds: Any, seed: int) -> Decision:
        asked.append((state, seed))
        return Decision(1, 0.0, False, 1, 0.0)

    Episodes(1, 3).run(Walk(), ask, 1, None, 0, nothing)
    assert asked[0][0] == 0 < asked[1][0] < asked[2][0]
    assert len({seed for _, seed in asked}) == 3


def test_games_against_a_weak_opponent_and_a_strong_one() -> None:
    """Nim (1, 2) is won by who begins and takes one of two; the second player then has no choice."""

    def best(problem: Any, state: Any) -> int:
        return int(bt.plan(problem, trials=500, state=state, seed=0).action)

    game = bt.problems.Nim((1, 2), misere=False)
    found = GamesWon(4, opening=0, opponent_trials=500).run(game, always(best), 1, None, 0, nothing)
    assert found["score"] == 0.5  # who begins wins: two of four
    assert found["random"] < 0.5
    assert found["answers"] >= 4
    blunder = always(lambda problem, state: problem.legal_actions(state)[0])
    assert GamesWon(4, 0, 500).run(game, blunder, 1, None, 0, nothing)["score"] == 0.0


def test_pairs_of_games_share_their_opening() -> None:
    """The first time our side is asked as the second player, one more stone lies beside those of the opening."""
    asked: list[set[int]] = []

    def ask(problem: Any, state: Any) -> int:
        stones = int(state.first) | int(state.second)
        asked.append({cell for cell in range(16) if stones >> cell & 1})
        return int(problem.legal_actions(state)[0])

    for seed in range(3):
        asked.clear()
        GamesWon(2, opening=2, opponent_trials=1).run(bt.problems.Hex(4), always(ask), 1, None, seed, nothing)
        first = next(stones for stones in asked if len(stones) == 2)
        second = next(stones for stones in asked if len(stones) == 3)
        assert first < second


def run(case: Case, trials: int = 2) -> Numbers:
    measure = case.measure
    if isinstance(measure, Episodes):
        measure = Episodes(1, 2)
    return measure.run(case.make(), Default().planner(), trials, None, 1, nothing)


QUICKLY_MADE = [name for name, case in CASES.items() if case.family != "rddl" or name == "rddl-gameoflife"]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", QUICKLY_MADE)
def test_cases_can_be_played(name: str) -> None:
    found = run(CASES[name])
    assert np.isfinite(found["score"])
    assert np.isfinite(found["random"])
    assert found["answers"] > 0


def test_what_is_repeated_pays_every_time() -> None:
    pytest.importorskip("gymnasium", reason="pip install 'boltree[gym]'")
    problem = CASES["cart-pole"].make()
    found = Episodes(1, 1).run(problem, always(lambda problem, state: 0), 1, None, 0, nothing)
    assert found["score"] == 2.0  # two steps, of one each
    assert problem.horizon == 12


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec

    def without(name: str, package: str | None = None) -> Any:
        return None if name in ("gymnasium", "rddlrepository") else found(name, package)

    monkeypatch.setattr(simulated.importlib.util, "find_spec", without)
    assert [case.name for case in simulated_cases()] == ["connect-four", "othello-6x6", "hex-5x5"]
    assert missing() == [
        "Gymnasium's environments: pip install 'boltree[gym]'",
        "planning problems in RDDL: pip install 'boltree[rddl]'",
    ]


def test_they_are_registered_and_problems_in_python_are_made_anew() -> None:
    registered = {case.name: case for case in cases()}
    assert set(CASES) <= set(registered)
    assert {registered[name].group for name in CASES} == {"large"}
    assert _prepared("hex-5x5")[1] is _prepared("hex-5x5")[1]
    if "blackjack" in CASES:
        assert _prepared("blackjack")[1] is not _prepared("blackjack")[1]


def test_a_job_has_a_score_and_no_regret() -> None:
    found = SuiteJob("hex-5x5", Default(), 5).run()
    assert np.isnan(found["regret"])
    assert 0.0 <= found["random"] <= found["score"] <= 1.0
