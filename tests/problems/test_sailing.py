"""Sailing: rules by hand, the exact values by an independent backward induction, distributions, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from boltree.core.random import new_generator
from boltree.errors import ProblemError
from boltree.problems import Sailing
from boltree.problems.sailing import DIRECTIONS, WIND

STEPS = ((-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1))
MOVES = dict(zip(DIRECTIONS, STEPS, strict=True))
TENTHS = "43000003 43300000 04330000 00433000 00042400 00003340 00000334 40000033"  # the wind's matrix, row by row


def induction(size: int, horizon: int, wind: str, best: bool) -> float:
    """The rules written again, without the problem: the value of the start."""
    matrix = np.array([[int(tenth) for tenth in row] for row in TENTHS.split()]) / 10
    value = np.zeros((size, size, 8))
    for _ in range(horizon):
        after = value @ matrix.T  # [row, column, wind before it changed]
        new = np.zeros_like(value)
        for row in range(size):
            for column in range(size):
                if (row, column) == (0, size - 1):
                    continue
                for w in range(8):
                    q = []
                    for a, (down, right) in enumerate(MOVES.values()):
                        tack = min((a - w) % 8, (w - a) % 8)
                        r, c = row + down, column + right
                        if tack < 4 and 0 <= r < size and 0 <= c < size:
                            q.append(-(1 + tack) + (0.0 if (r, c) == (0, size - 1) else after[r, c, w]))
                    new[row, column, w] = max(q) if best else sum(q) / len(q)
        value = new
    return float(value[size - 1, 0, DIRECTIONS.index(wind)])


@pytest.mark.parametrize(
    ("wind", "best", "expected", "within"),
    [("SE", True, -15.0074, 5e-5), ("N", True, -11.0191, 5e-5), ("SE", False, -118.8, 0.05)],
)
def test_exact_values(checks: Any, wind: str, best: bool, expected: float, within: float) -> None:
    independent = induction(6, 50, wind, best)
    assert independent == pytest.approx(expected, abs=within)
    assert checks.solve(Sailing(6, wind), "best" if best else "uniform") == pytest.approx(independent, abs=1e-9)


def state_of(problem: Sailing, row: int, column: int, wind: str) -> Any:
    state = problem.new_state()
    state[0] = problem.as_state((row * problem.plain_params.size + column, DIRECTIONS.index(wind)))
    return state


def test_start_and_legal_moves() -> None:
    sea = Sailing(4, "S")
    start = sea.start_state()
    assert (start["cell"], start["wind"]) == (12, 4)

    def names(row: int, column: int, wind: str) -> list[str]:
        return [DIRECTIONS[a] for a in sea.legal_actions(state_of(sea, row, column, wind)[0])]

    assert names(3, 0, "S") == ["NE", "E"]  # north is against the wind
    assert names(3, 0, "E") == ["N", "NE", "E"]
    assert names(1, 1, "E") == ["N", "NE", "E", "SE", "S", "SW", "NW"]
    assert names(0, 0, "W") == ["SE", "S"]
    assert names(3, 3, "W") == ["N", "W", "NW"]


@pytest.mark.parametrize(("action", "cost"), [("N", 1), ("NE", 2), ("NW", 2), ("E", 3), ("W", 3), ("SE", 4), ("SW", 4)])
def test_costs_grow_with_the_tack(compiled: Any, action: str, cost: int) -> None:
    sea = Sailing(5)
    to, reward, done = compiled(sea).step(state_of(sea, 2, 2, "N"), DIRECTIONS.index(action), new_generator(0))
    down, right = MOVES[action]
    assert (reward, done, int(to["cell"][0])) == (-cost, False, (2 + down) * 5 + 2 + right)


def test_arriving_pays_its_cost_and_ends_in_one_state(compiled: Any, checks: Any) -> None:
    sea = Sailing(3)
    ((to, chance, reward, done),) = compiled(sea).outcomes(state_of(sea, 1, 1, "N"), DIRECTIONS.index("NE"))
    assert (chance, reward, done, int(to["cell"][0])) == (1.0, -2.0, True, 2)
    for wind in ("N", "E", "NW"):  # the step ends in that state too, whatever the wind was
        checks.distribution(sea, state_of(sea, 1, 1, wind), DIRECTIONS.index("NE"), 20)


def test_the_wind_changes_by_its_row(compiled: Any, checks: Any) -> None:
    sea = Sailing(5)
    assert np.allclose(WIND.sum(axis=1), 1.0)
    for wind, name in enumerate(DIRECTIONS):
        state = state_of(sea, 2, 2, name)
        found = compiled(sea).outcomes(state, wind)
        assert {int(to["wind"][0]): chance for to, chance, _, _ in found} == {
            w: WIND[wind, w] for w in range(8) if WIND[wind, w] > 0
        }
        checks.distribution(sea, state, wind, 5000)


def test_illegal_moves_raise(compiled: Any) -> None:
    sea = Sailing(4)
    for state, action in ((state_of(sea, 3, 0, "N"), "W"), (state_of(sea, 1, 1, "N"), "S")):
        with pytest.raises(ValueError, match="compiled step raised"):
            compiled(sea).step(state, DIRECTIONS.index(action), new_generator(0))
        with pytest.raises(ValueError, match="compiled outcomes raised"):
            compiled(sea).outcomes(state, DIRECTIONS.index(action))


def test_plain_python_and_compiled_agree(checks: Any) -> None:
    for problem in (Sailing(), Sailing(3, 0, horizon=20), Sailing(20, "W")):
        assert checks.episodes(problem, 5) > 10
        checks.recipe(problem)
    sea = Sailing()
    for at in ((5, 0, "S"), (2, 2, "N"), (0, 3, "E")):
        checks.random_actions(sea, state_of(sea, *at), 5000)


def test_sizes(checks: Any) -> None:
    assert Sailing(2).plain_params.legal_count.shape == (4, 8)
    assert checks.solve(Sailing(2, "NE")) == -1.0
    checks.episodes(Sailing(255, "NE"), 1, steps=5)


def test_shown() -> None:
    assert Sailing(3, "SE").show_state(Sailing(3, "SE").start_state()) == ". . G\n. . .\n* . .\nwind SE ↘"
    assert Sailing().action_name(7) == "NW"
    assert Sailing(wind=2).recipe() == {"size": 6, "wind": "E", "horizon": 50}


WINDS = "must be one of N, NE, E, SE, S, SW, W, NW, or an integer from 0 to 7"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"size": 1}, "Sailing: size=1, must be an integer from 2 to 255"),
        ({"size": 256}, "Sailing: size=256, must be an integer from 2 to 255"),
        ({"wind": "X"}, f"Sailing: wind='X', {WINDS}"),
        ({"wind": 8}, f"Sailing: wind=8, {WINDS}"),
        ({"wind": -1}, f"Sailing: wind=-1, {WINDS}"),
        ({"wind": True}, f"Sailing: wind=True, {WINDS}"),
        ({"wind": 2.0}, f"Sailing: wind=2.0, {WINDS}"),
        ({"horizon": 0}, "Sailing: horizon=0, must be an integer of at least 1"),
    ],
)
def test_errors(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ProblemError) as error:
        Sailing(**arguments)
    assert str(error.value) == message
