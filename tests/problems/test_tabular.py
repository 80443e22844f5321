"""Tabular problems: sampling and outcomes against the arrays, values against linear algebra, errors."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from boltree.core.random import new_generator
from boltree.errors import ProblemError
from boltree.problem.state import PlainState
from boltree.problems import Tabular


def random_mdp(seed: int, states: int = 6, actions: int = 3) -> tuple[Any, Any]:
    """Transitions with many zeros, and rewards per successor."""
    source = np.random.default_rng(seed)
    chances = source.random((states, actions, states)) * (source.random((states, actions, states)) < 0.5)
    chances[:, :, 0] += 0.1
    return chances / chances.sum(axis=2, keepdims=True), source.normal(size=(states, actions, states))


def at(problem: Tabular, s: int) -> Any:
    state = problem.new_state()
    state["s"] = s
    return state


def induction(chances: Any, rewards: Any, horizon: int, terminal: Any, legal: Any, discount: float) -> Any:
    """Optimal values by backward induction on the dense arrays."""
    open_states = np.ones(len(chances))
    open_states[list(terminal)] = 0.0
    value = np.zeros(len(chances))
    for _ in range(horizon):
        q = (chances * (rewards + discount * open_states * value)).sum(axis=2)
        value = np.where(legal, q, -np.inf).max(axis=1)
    return value


@pytest.mark.parametrize("seed", range(3))
def test_values_are_those_of_the_arrays(checks: Any, seed: int) -> None:
    chances, rewards = random_mdp(seed)
    legal = np.random.default_rng(seed + 9).random((6, 3)) < 0.7
    legal[:, 1] = True
    values = induction(chances, rewards, 7, (5,), legal, 0.9)
    problem = Tabular(chances, rewards, 7, start=2, terminal=[5], legal=legal, discount=0.9)
    assert checks.solve(problem) == pytest.approx(values[2], abs=1e-12)
    mean = (chances * rewards).sum(axis=2)
    problem = Tabular(chances, mean, 7, start=1, terminal=[5], legal=legal, discount=0.9)
    assert checks.solve(problem) == pytest.approx(
        induction(chances, np.repeat(mean[:, :, None], 6, 2), 7, (5,), legal, 0.9)[1], abs=1e-12
    )


def test_outcomes_are_the_possible_ones(compiled: Any) -> None:
    chances, rewards = random_mdp(4)
    problem = Tabular(chances, rewards, 5, terminal=[3])
    for s, a in itertools.product((0, 1, 2, 4, 5), range(3)):
        found = {int(to["s"][0]): rest for to, *rest in compiled(problem).outcomes(at(problem, s), a)}
        assert found == {t: [chances[s, a, t], rewards[s, a, t], t == 3] for t in range(6) if chances[s, a, t] > 0}


def test_steps_are_distributed_as_the_outcomes(checks: Any) -> None:
    problem = Tabular(*random_mdp(1), horizon=5, terminal=[4])
    for s, a in ((0, 0), (1, 2), (5, 1)):
        checks.distribution(problem, at(problem, s), a, 10_000)
    skewed = Tabular([[[0.0, 1e-3, 0.0, 0.999]]] * 4, np.zeros((4, 1)), 5)
    checks.distribution(skewed, at(skewed, 0), 0, 20_000)


def test_random_actions_are_uniform_over_the_legal_ones(checks: Any) -> None:
    legal = np.array([[1, 0, 1, 1], [0, 0, 0, 1]], bool)
    problem = Tabular(np.full((2, 4, 2), 0.5), np.zeros((2, 4)), 5, legal=legal)
    for s in (0, 1):
        checks.random_actions(problem, at(problem, s), 5000)
        assert problem.legal_actions((s,)) == np.flatnonzero(legal[s]).tolist()


def test_a_terminal_state_pays_its_reward_and_ends(play: Any) -> None:
    walk = np.zeros((3, 2, 3))
    walk[0, 0, 0] = walk[0, 1, 1] = walk[1, 0, 0] = walk[1, 1, 2] = 1.0  # the terminal state's rows stay 0
    problem = Tabular(walk, [[0, 1], [2, 5], [np.nan, np.nan]], 9, terminal=(2,))
    assert problem.deterministic
    assert [rest for _, *rest in play(problem, [0, 1, 0, 1, 1])] == [
        *([0.0, False], [1.0, False], [2.0, False], [1.0, False], [5.0, True])
    ]


def test_deterministic_is_set_only_where_every_legal_action_has_one_outcome() -> None:
    chances = np.zeros((2, 2, 2))
    chances[0, 0, 1] = chances[1, 0, 0] = 1.0
    chances[0, 1] = chances[1, 1] = 0.5
    legal = np.array([[True, False], [True, False]])
    assert not Tabular(chances, np.zeros((2, 2)), 3).deterministic
    assert Tabular(chances, np.zeros((2, 2)), 3, legal=legal).deterministic
    assert not Tabular(chances, np.zeros((2, 2)), 3, legal=[[True, False], [True, True]]).deterministic
    assert Tabular(chances, np.zeros((2, 2)), 3, terminal=[1], legal=[[True, False], [True, True]]).deterministic
    assert not Tabular.deterministic


def test_illegal_rows_are_not_read_and_illegal_actions_raise(compiled: Any) -> None:
    chances = np.full((2, 2, 2), 0.5)
    chances[0, 1] = [np.nan, -3.0]
    problem = Tabular(chances, [[0, np.inf], [0, 0]], 3, legal=[[1, 0], [1, 1]])
    with pytest.raises(ValueError, match="compiled step raised"):
        compiled(problem).step(at(problem, 0), 1, new_generator(0))
    assert compiled(problem).outcomes(at(problem, 0), 1) == []
    plain: Any = Tabular.outcomes
    with pytest.raises(ValueError, match="illegal here"):
        plain(problem.plain_params, PlainState(at(problem, 0)), 1, 0)


def test_plain_python_and_compiled_agree(checks: Any) -> None:
    chances, rewards = random_mdp(2)
    legal = np.ones((6, 3), bool)
    legal[:, 2] = False
    walk = np.zeros((3, 1, 3))
    walk[0, 0, 1] = walk[1, 0, 2] = walk[2, 0, 0] = 1.0
    for problem in (
        Tabular(chances, rewards, 12),
        Tabular(chances, rewards[:, :, 0], 12, start=3, terminal={1, 4}, legal=legal, discount=0.5),
        Tabular(walk, [[1], [2], [3]], 4),
    ):
        assert checks.episodes(problem, 10) > 10
        checks.recipe(problem)


def test_the_arrays_are_copied() -> None:
    chances, rewards = random_mdp(2)
    problem = Tabular(chances, rewards, 12)
    before = problem.recipe()
    chances[:] = 0.0
    rewards[:] = np.nan
    assert problem.recipe() == before


def test_shown() -> None:
    problem = Tabular(*random_mdp(2), horizon=3, terminal=[5])
    assert problem.show_state((2,)) == "state 2 of 0..5"
    assert problem.show_state((5,)) == "state 5 of 0..5, terminal"
    assert problem.action_name(2) == "2"


GOOD: dict[str, Any] = {"transitions": np.full((2, 3, 2), 0.5), "rewards": np.zeros((2, 3)), "horizon": 4}


def changed(values: Any, where: Any, value: Any) -> Any:
    copy = np.array(values, float)
    copy[where] = value
    return copy


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"transitions": np.zeros((2, 3))},
            "transitions has shape (2, 3), must be (states, actions, states) and none 0",
        ),
        (
            {"transitions": np.zeros((2, 3, 4))},
            "transitions has shape (2, 3, 4), must be (states, actions, states) and none 0",
        ),
        (
            {"transitions": np.zeros((2, 0, 2))},
            "transitions has shape (2, 0, 2), must be (states, actions, states) and none 0",
        ),
        (
            {"transitions": np.zeros((1, 70000, 1))},
            "transitions has 70000 actions, must have at most 65535",
        ),
        (
            {"transitions": changed(GOOD["transitions"], (1, 2), [0.5, 0.4])},
            "transitions[1, 2] (state 1, action 2) sum to 0.9, must sum to 1",
        ),
        (
            {"transitions": changed(GOOD["transitions"], (0, 1), [1.5, -0.5])},
            "transitions[0, 1, 0]=1.5, must be a probability from 0 to 1",
        ),
        (
            {"transitions": changed(GOOD["transitions"], (1, 0, 1), np.nan)},
            "transitions[1, 0, 1]=nan, must be a probability from 0 to 1",
        ),
        ({"rewards": np.zeros((3, 2))}, "rewards has shape (3, 2), must be (2, 3) or (2, 3, 2)"),
        ({"rewards": changed(GOOD["rewards"], (1, 2), np.nan)}, "rewards[1, 2]=nan, must be a finite number"),
        (
            {"rewards": changed(np.zeros((2, 3, 2)), (0, 2, 1), -np.inf)},
            "rewards[0, 2, 1]=-inf, must be a finite number",
        ),
        ({"start": 2}, "start=2, must be an integer from 0 to 1"),
        ({"start": -1}, "start=-1, must be an integer from 0 to 1"),
        ({"terminal": [0]}, "start=0 is a terminal state, must be one of the others"),
        ({"terminal": [1, 2]}, "terminal[1]=2, must be an integer from 0 to 1"),
        ({"terminal": 1}, "terminal=1, must be a list of states from 0 to 1"),
        ({"legal": np.ones((3, 2))}, "legal has shape (3, 2), must be (2, 3)"),
        ({"legal": [[1, 1, 1], [0, 2, 0]]}, "legal[1, 1]=2, must be true or false"),
        (
            {"legal": [[1, 1, 1], [0, 0, 0]]},
            "legal[1] has no legal action, must have one (or put state 1 in terminal)",
        ),
        ({"horizon": 0}, "horizon=0, must be an integer of at least 1"),
        ({"discount": 1.5}, "discount=1.5, must be in (0, 1]"),
    ],
)
def test_errors(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ProblemError) as error:
        Tabular(**(GOOD | change))
    assert str(error.value) == f"Tabular: {message}"


def test_arrays_that_are_not_arrays() -> None:
    for field in ("transitions", "rewards", "legal"):
        with pytest.raises(ProblemError, match=f"Tabular: {field} must be an array of numbers: "):
            Tabular(**(GOOD | {field: [[1, 2], [3]]}))


def test_probabilities_of_single_precision_are_accepted() -> None:
    chances = np.full((3, 1, 3), 1 / 3, np.float32)
    assert Tabular(chances, np.zeros((3, 1)), 2).plain_params.chances.size == 9
