"""The three chains: rewards by hand, optimal and soft values, errors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from boltree.errors import ProblemError
from boltree.problems import AdaptedChain, AverageReturnTrap, DChain


def rewards_of(found: list[tuple[Any, float, bool]]) -> list[tuple[float, bool]]:
    return [(reward, done) for _, reward, done in found]


def test_d_chain_pays_on_the_left_by_position_and_on_the_right_at_the_end(play: Any) -> None:
    assert rewards_of(play(DChain(4), [1, 1, 0])) == [(0.0, False), (0.0, False), (0.25, True)]
    assert rewards_of(play(DChain(3, 0.5), [1, 1, 1]))[-1] == (0.5, True)


@pytest.mark.parametrize(
    ("problem", "optimum"),
    [(DChain(10), 1.0), (DChain(10, 0.5), 0.9), (DChain(20), 1.0), (DChain(20, 0.5), 0.95), (AdaptedChain(8, 9), 1.0)],
)
def test_optimal_values(checks: Any, problem: Any, optimum: float) -> None:
    assert checks.solve(problem) == pytest.approx(optimum, abs=1e-12)


def test_soft_value_of_the_modified_chain_is_the_papers(checks: Any) -> None:
    """2.74 is the soft value of going right from state 1, so of state 2: a chain of 9 that pays as if D were 10."""
    value = 0.5
    for d in range(10, 1, -1):
        value = float(np.logaddexp((10 - d) / 10, value))
    assert value == pytest.approx(2.74, abs=0.005)
    assert checks.solve(DChain(10, 0.5), "soft", 1.0) == pytest.approx(float(np.logaddexp(0.9, value)), abs=1e-12)


def test_adapted_chain_by_hand(play: Any) -> None:
    chain = AdaptedChain(3, 2)
    assert rewards_of(play(chain, [0])) == [(2 / 3, True)]
    assert rewards_of(play(chain, [1, 1, 0])) == [(0.0, False), (0.0, False), (0.0, True)]
    to_f = play(chain, [1, 1, 1, 1])
    assert rewards_of(to_f) == [(0.0, False)] * 3 + [(1.0, True)]
    assert to_f[2][0]["d"][0] == 4
    assert chain.show_state(to_f[3][0][0]) == "F"
    to_e = play(chain, [1, 1, 1, 0, 1, 0])
    assert rewards_of(to_e) == [(0.0, False)] * 5 + [(0.0, True)]
    assert "mouth" in chain.show_state(to_e[3][0][0])


def test_the_trap_has_two_states_per_step_and_they_are_shared(play: Any) -> None:
    chain, trap, seen = AdaptedChain(2, 3), 3, set()
    for path in range(2**trap):
        found = play(chain, [1, 1, 0] + [path >> i & 1 for i in range(trap)])
        assert [done for _, _, done in found] == [False] * (2 + trap) + [True]
        seen |= {state.tobytes() for state, _, _ in found[3:]}
    assert len(seen) == 2 * trap


@pytest.mark.parametrize(("alpha", "trap"), [(1.0, 5), (0.2, 12)])
def test_soft_value_of_the_trap(checks: Any, alpha: float, trap: int) -> None:
    """At D=1 the start's soft value is that of left (0) and of the choice, of E (alpha K log 2) and F (1)."""
    choice = alpha * float(np.logaddexp(trap * math.log(2), 1 / alpha))
    expected = alpha * float(np.logaddexp(0.0, choice / alpha))
    assert checks.solve(AdaptedChain(1, trap), "soft", alpha) == pytest.approx(expected, abs=1e-12)


def test_the_default_horizon_lets_every_trial_end(play: Any) -> None:
    chain = AdaptedChain(4, 6)
    assert chain.horizon == 12
    longest = play(chain, [1] * 4 + [0] + [1] * 6)
    assert longest[-1][2]
    assert len(longest) <= chain.horizon


def test_average_return_trap_by_hand(play: Any, checks: Any) -> None:
    trap = AverageReturnTrap(4)
    assert rewards_of(play(trap, [0])) == [(1.0, True)]
    assert rewards_of(play(trap, [1, 0])) == [(0.0, False), (0.0, True)]
    assert rewards_of(play(trap, [1, 1, 1, 1])) == [(0.0, False)] * 3 + [(2.0, True)]
    assert checks.solve(trap) == 2.0
    assert checks.solve(AverageReturnTrap(2), "uniform") == 1.0 / 2 + (2.0 / 2) / 2


@pytest.mark.parametrize("problem", [DChain(3), AdaptedChain(2, 3), AverageReturnTrap(4)])
def test_plain_python_and_compiled_agree(checks: Any, problem: Any) -> None:
    assert checks.episodes(problem, 30) > 30
    checks.recipe(problem)


def test_shown(play: Any) -> None:
    assert AverageReturnTrap(3).show_state((2,)) == "..*.."
    chain = AdaptedChain(3, 2)
    assert chain.show_state((2, 0)) == "..*. choice of E or F"
    assert chain.show_state((4, 0)) == "choice of E or F"
    assert chain.show_state((6, 1)) == "trap, lower state after step 1 of 2"
    assert chain.action_name(1) == "right"
    assert AverageReturnTrap(3).action_name(0) == "stop"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: DChain(0), "DChain: length=0, must be an integer of at least 1"),
        (
            lambda: DChain(2.0),  # type: ignore[arg-type]
            "DChain: length=2.0, must be an integer of at least 1",
        ),
        (lambda: DChain(True), "DChain: length=True, must be an integer of at least 1"),
        (lambda: AdaptedChain(0, 3), "AdaptedChain: length=0, must be an integer from 1 to 1000000"),
        (
            lambda: AdaptedChain(3, "4"),  # type: ignore[arg-type]
            "AdaptedChain: trap='4', must be an integer from 1 to 1000000",
        ),
        (lambda: AdaptedChain(3, 4, horizon=0), "AdaptedChain: horizon=0, must be an integer of at least 1"),
        (lambda: AverageReturnTrap(1), "AverageReturnTrap: length=1, must be an integer from 2 to 1000000"),
    ],
)
def test_errors(make: Any, message: str) -> None:
    with pytest.raises(ProblemError) as error:
        make()
    assert str(error.value) == message
