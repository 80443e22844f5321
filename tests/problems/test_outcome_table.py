"""Tables of outcomes: against the dense arrays, ends and rewards of their own for outcomes, starts, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import boltree as bt
from boltree.errors import ProblemError
from boltree.problems import OutcomeTable, Tabular

WALK: list[Any] = [
    [[(0.7, 1, 0.0, False), (0.3, 0, -1.0, False)], [(1.0, 0, 0.5, True)]],
    [[(0.5, 2, 4.0, True), (0.25, 0, 0.0, False), (0.25, 0, -2.0, False)], []],
    [[], []],
]


def test_a_dense_table_is_the_same_problem(checks: Any) -> None:
    source = np.random.default_rng(3)
    chances = source.dirichlet(np.ones(4), (4, 2))
    rewards = source.normal(size=(4, 2, 4))
    listed = [[[(chances[s, a, t], t, rewards[s, a, t], t == 3) for t in range(4)] for a in range(2)] for s in range(4)]
    table, dense = OutcomeTable(listed, 6, start=1, discount=0.9), Tabular(chances, rewards, 6, 1, [3], discount=0.9)
    assert checks.solve(table) == pytest.approx(checks.solve(dense), abs=1e-12)
    ours, theirs = (bt.Search(p, bt.DENTS(alpha=1.0), seed=1, growth="trial") for p in (table, dense))
    for search in (ours, theirs):
        search.run(trials=500)
    assert ours.root.value == theirs.root.value


def test_outcomes_that_lead_to_the_same_state_differ(checks: Any, compiled: Any) -> None:
    problem = OutcomeTable(WALK, 5)
    one = problem.new_state()
    one["s"] = 1
    found = [(int(to["s"][0]), *rest) for to, *rest in compiled(problem).outcomes(one, 0)]
    assert found == [(2, 0.5, 4.0, True), (0, 0.25, 0.0, False), (0, 0.25, -2.0, False)]
    assert problem.legal_actions((1,)) == [0]
    assert problem.show_state((2,)) == "state 2 of 0..2, terminal"
    assert not problem.deterministic
    checks.distribution(problem, one, 0, 5000)
    checks.episodes(problem, 10)
    checks.recipe(problem)
    # V1 = 2 + 0.25 V0 - 0.5 + 0.25 V0, V0 = max(0.5, 0.7 V1 - 0.3 + 0.3 V0), two steps from the end and further
    assert bt.solve(problem, horizon=2).root_value == pytest.approx(0.7 * 1.5 - 0.3 + 0.3 * 0.5)


def test_dictionaries_are_tables_too() -> None:
    given = {s: {a: WALK[s][a] for a in range(2) if WALK[s][a]} for s in range(3)}
    assert OutcomeTable(given, 5).recipe() == OutcomeTable(WALK, 5).recipe()


def test_random_starts(checks: Any) -> None:
    problem = OutcomeTable(WALK, 5, start=[0.25, 0.75, 0.0])
    states = [int(problem.start_state(seed)["s"]) for seed in range(2000)]
    assert np.bincount(states, minlength=3) == pytest.approx([500, 1500, 0], abs=100)
    bt.check(problem)
    checks.recipe(problem)
    dense = np.zeros((2, 1, 2))
    dense[:, 0, 1] = 1.0
    checks.recipe(Tabular(dense, np.zeros((2, 1)), 3, start=[0.5, 0.5]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"outcomes": []}, "outcomes has 0 actions, must have from 1 to 65535"),
        ({"outcomes": [[[]]]}, "outcomes is empty, must have at least one outcome"),
        ({"outcomes": 3}, "outcomes=3, must be a list or a dictionary"),
        ({"outcomes": {"a": []}}, "outcomes must have keys 0, 1, ..."),
        (
            {"outcomes": [[[(0.5, 0, 1.0, True)]]]},
            "the probabilities of state 0, action 0 sum to 0.5, must sum to 1",
        ),
        (
            {"outcomes": [[[(1.0, 1, 1.0, True)]]]},
            "outcomes[0][0] has (1.0, 1, 1.0, True); an outcome is (probability from 0 to 1, state from 0 to 0, "
            "finite reward, done)",
        ),
        (
            {"outcomes": [[[(1.0, 1, 1.0, False)]], []]},
            "state 0, action 0 leads to state 1, which has no action; that outcome must be done=True",
        ),
        ({"start": 3}, "start=3, must be an integer from 0 to 2"),
        ({"start": 2}, "start=2 is a terminal state, must be one of the others"),
        ({"start": [0.5, 0.4, 0.0]}, "start must be a state or 3 probabilities that sum to 1"),
    ],
)
def test_errors(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ProblemError) as error:
        OutcomeTable(**({"outcomes": WALK, "horizon": 5} | change))
    assert str(error.value) == f"OutcomeTable: {message}"
