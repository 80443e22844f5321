"""``bt.plan``, and searches without an algorithm: what they answer, how it is printed, what they choose."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pytest

import boltree as bt
from known_games import Exact
from mdps import random_mdp

FINITE = {
    "d-chain": lambda: bt.problems.DChain(10),
    "lake": lambda: bt.problems.FrozenLake("8x12-test"),
    "sailing": lambda: bt.problems.Sailing(5, "SE"),
    "tic-tac-toe": bt.problems.TicTacToe,
    "nim": bt.problems.Nim,
    "arrays": lambda: random_mdp(1, horizon=12).problem(),
    "two players": lambda: Exact(2).problem,
}


class Drift(bt.PythonProblem):
    """A walk in plain Python that lists its outcomes: slips one time in five, and pays at 4."""

    actions, horizon = 2, 12
    action_names = ("left", "right")

    def start(self, rng: Any) -> int:
        return 0

    def outcomes(self, state: int, action: int) -> list[tuple[float, int, float, bool]]:
        move = 1 if action else -1
        return [(p, state + m, float(state + m == 4), state + m == 4) for p, m in ((0.8, move), (0.2, -move))]


class Simulated(bt.PythonProblem):
    """The same walk that can only be simulated."""

    actions, horizon = 2, 12

    def start(self, rng: Any) -> int:
        return 0

    def step(self, state: int, action: int, rng: Any) -> tuple[int, float, bool]:
        move = 1 if (action == 1) == (rng.random() < 0.8) else -1
        return state + move, float(state + move == 4), state + move == 4


FINITE["python"] = Drift


@pytest.mark.parametrize("name", FINITE)
def test_small_problems_are_proven(name: str) -> None:
    problem = FINITE[name]()
    found = bt.plan(problem, seconds=20, seed=0)
    best = bt.solve(problem)
    assert found.proven
    assert found.value == pytest.approx(best.root_value, abs=1e-9)
    assert found.lower == found.upper == found.value
    sign = -1.0 if found.search.root.player == 1 else 1.0
    assert sign * best.q()[best.actions().tolist().index(found.action)] == pytest.approx(sign * best.root_value)
    exact = dict(zip(best.actions().tolist(), best.q(), strict=True))
    assert sorted(one.action for one in found.alternatives) == sorted(exact)
    for one in found.alternatives:  # those that are surely worse need not be worked out
        assert one.lower - 1e-9 <= exact[one.action] <= one.upper + 1e-9
        assert not one.proven or one.value == pytest.approx(exact[one.action], abs=1e-9)
    assert found.alternatives[0].action == found.action
    assert found.alternatives[0].proven
    assert found.search.run(trials=100) == "proven"


def test_the_line_follows_best_actions_to_the_end() -> None:
    found = bt.plan(bt.problems.DChain(10), seed=0)
    assert [step.action for step in found.line] == [1] * 10
    assert [step.name for step in found.line] == ["right"] * 10
    assert found.line[0].value == 1.0


def test_what_is_printed() -> None:
    text = str(bt.plan(bt.problems.DChain(10), seed=0))
    assert text.startswith("DChain: right (1), value 1, proven\n")
    assert "proven" in text.split("surely within")[1]
    assert "expects: right, right" in text
    unknown = str(bt.plan(Simulated(), trials=200, seed=0))
    assert "proven" not in unknown.splitlines()[0]
    assert "surely" not in unknown  # nothing is sure where only samples are seen
    assert "visits" in unknown


def test_it_shows_itself_in_notebooks() -> None:
    found = bt.plan(bt.problems.DChain(3), seed=0)
    assert found._repr_html_().startswith("<div")
    assert "proven" in repr(found)


@pytest.mark.parametrize("make", [Simulated, bt.problems.ConnectFour, lambda: bt.problems.Hex(3), Drift])
def test_any_problem_has_an_answer(make: Any) -> None:
    problem = make()
    found = bt.plan(problem, trials=300, seed=1)
    assert found.action in problem.legal_actions(found.search.root.state_record)
    assert found.lower <= found.value <= found.upper
    assert found.trials <= 300


def test_same_seed_same_plan() -> None:
    one, two = (bt.plan(bt.problems.ConnectFour(), trials=2_000, seed=7) for _ in range(2))
    assert one.alternatives == two.alternatives


def test_a_win_at_once_is_proven_in_twenty_searches_of_twenty() -> None:
    """A win in one among later ones: a value alone cannot tell them apart, a proof can."""
    for seed in range(20):
        found = bt.plan(bt.problems.ConnectFour("334455"), trials=20_000, seed=seed)
        assert found.action in (2, 6)
        assert found.proven
        assert found.value == 1.0


def test_limits() -> None:
    problem = bt.problems.ConnectFour()
    assert bt.plan(problem, seconds=0.0, seed=0).trials == 1  # a robot without time still acts
    assert bt.plan(problem, trials=1, seed=0).trials == 1
    with pytest.raises(bt.ParameterError, match="trials=0: must be"):
        bt.plan(problem, trials=0)
    assert bt.plan(problem, trials=17, seed=0).trials == 17
    seen: list[int] = []
    bt.plan(problem, trials=2_000, seed=0, progress=lambda search: seen.append(search.trials))
    assert seen[-1] == 2_000


def test_from_another_state() -> None:
    chain = bt.problems.DChain(10)
    state = chain.start_state(0)
    state["d"] = 5
    found = bt.plan(chain, state=state, seed=0)
    assert found.search.root.state_record == state


def test_evaluators_and_heuristics_are_used() -> None:
    class Even:
        batch = 1
        gives_prior = True

        def evaluate(self, features: Any) -> Any:
            return np.full((len(features), 7), 1 / 7), np.zeros(len(features))

    search = bt.Search(bt.problems.ConnectFour(), evaluator=Even(), seed=0)
    assert isinstance(search.algorithm, bt.PUCT)
    search.run(trials=50)
    assert search.root.count >= 50


def test_an_algorithm_that_is_given_stays_as_it_was() -> None:
    search = bt.Search(bt.problems.DChain(4), bt.DENTS(), seed=0)
    assert (search.growth, search.transpositions, search.outcomes, search.proofs) == ("leaf", False, "sampled", False)


def test_what_a_search_without_an_algorithm_chooses() -> None:
    known = bt.Search(bt.problems.DChain(4), seed=0)
    assert (known.growth, known.transpositions, known.outcomes, known.proofs) == ("trial", True, "known", True)
    simulated = bt.Search(Simulated(), seed=0)
    assert (simulated.transpositions, simulated.outcomes, simulated.proofs) == (True, "pooled", False)
    for wish in ({"transpositions": False}, {"growth": "leaf"}):
        assert bt.Search(Simulated(), seed=0, **wish).outcomes == "sampled"  # what was wished for cannot have more
    game = bt.Search(bt.problems.ConnectFour(), seed=0)
    assert game.growth == "leaf"
    assert not game.algorithm.state_value_row.maximal  # rollouts are noisy
    assert bt.Search(bt.problems.DChain(4), transpositions=False, outcomes="sampled", proofs=False).proofs is False


def test_threads_share_nodes() -> None:
    lake = bt.Search(bt.problems.FrozenLake("8x8"), seed=0, threads=2)
    assert (lake.threads, lake.proofs, lake.parallelism) == (2, True, "a graph each")
    game = bt.Search(bt.problems.ConnectFour(), seed=0, threads=2)
    assert (game.threads, game.transpositions, game.proofs) == (2, True, True)
    game.run(trials=2_000)
    assert game.root.count == 2_000


def test_transpositions_auto() -> None:
    lake = bt.problems.FrozenLake("8x8")
    assert bt.Search(lake, bt.BTS(), transpositions="auto").transpositions is True
    assert bt.Search(lake, bt.RENTS(), transpositions="auto").transpositions is False
    assert bt.Search(lake, bt.BTS(), transpositions="auto", on_full="recycle").transpositions is False


def test_playing_without_an_algorithm() -> None:
    assert bt.act(bt.problems.DChain(6), trials=200).value == 1.0


@pytest.mark.parametrize("make", [bt.problems.ConnectFour, lambda: bt.problems.FrozenLake("8x12")])
def test_saved_and_loaded(make: Any, tmp_path: Any) -> None:
    search = bt.Search(make(), seed=0)
    search.run(trials=500)
    search.save(tmp_path / "one.search")
    again = bt.Search.load(tmp_path / "one.search")
    for one in (search, again):
        one.run(trials=500)
    assert again.root.q.tolist() == search.root.q.tolist()
    assert again.root.action_bounds.tolist() == search.root.action_bounds.tolist()


def test_advancing_keeps_what_is_proven() -> None:
    lake = bt.problems.FrozenLake("8x8")
    search = bt.Search(lake, seed=0)
    assert search.run(trials=100_000) == "proven"
    before = search.trials
    while not search.root.terminal and search.root.depth < 10:
        search.advance(search.recommend())
        assert search.proven
        assert search.run(trials=100) == "proven"
    assert search.trials == before


def test_noise_is_warned_of() -> None:
    with pytest.warns(UserWarning, match="DENTS backs up the value of the best action"):
        bt.Search(bt.problems.ConnectFour(), bt.DENTS())
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bt.Search(bt.problems.ConnectFour(), bt.ARDENTS())
        bt.Search(bt.problems.ConnectFour(), bt.DENTS(), growth="trial")
        bt.Search(bt.problems.ConnectFour(), bt.DENTS(), evaluator=0.0)
        bt.Search(bt.problems.DChain(4), bt.DENTS())
        bt.Search(bt.problems.ConnectFour())


class Interrupted(Drift):
    """The walk that lists its outcomes; asking about them raises once, at a given call."""

    def __init__(self, at: int) -> None:
        self.left, self.error = at, KeyboardInterrupt if at % 2 else ArithmeticError
        super().__init__()

    def outcomes(self, state: int, action: int) -> list[tuple[float, int, float, bool]]:
        self.left -= 1
        if self.left == 0:
            raise self.error
        return super().outcomes(state, action)


@pytest.mark.parametrize("at", [1, 2, 3, 5, 8, 13, 21])
def test_an_exception_while_outcomes_are_listed_costs_nothing(at: int) -> None:
    wanted = bt.solve(Drift()).root_value
    problem = Interrupted(at)
    search = bt.Search(problem, seed=0)
    with contextlib.suppress(KeyboardInterrupt, ArithmeticError):
        search.run(trials=10_000)
    assert problem.left <= 0  # it did raise
    assert search.run(trials=10_000) == "proven"
    assert search.root.value == pytest.approx(wanted, abs=1e-12)
