"""What an evaluator may be told of positions beside their features, and whose values it gives.

An evaluator with ``values = "mover"`` gives the values of the player to move, as most networks do; with ``wants =
("player", "legal")`` it is called as ``evaluate(batch, player=..., legal=...)``. Both need the states themselves, from
which the features are made when it is asked.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ParameterError
from ..problem.problem import Problem
from ..problem.python.problem import PythonProblem

FACTS = ("player", "legal")
"""What may be wanted: who moves, [K]; which actions are legal, [K, actions] of True and False."""

SIDES = ("player 0", "mover")
"""Whose values an evaluator may give."""


def wants_of(evaluator: Any) -> tuple[str, ...]:
    """What an evaluator wants to be told."""
    wanted = getattr(evaluator, "wants", ())
    if not isinstance(wanted, (tuple, list)) or not set(wanted) <= set(FACTS):
        raise ParameterError(f"evaluator: wants={wanted!r}, must be some of {FACTS!r}")
    return tuple(wanted)


def side_of(evaluator: Any) -> str:
    """Whose values it gives."""
    side = getattr(evaluator, "values", SIDES[0])
    if not isinstance(side, str):  # something else that an evaluator calls its values
        return SIDES[0]
    if side not in SIDES:
        raise ParameterError(f"evaluator: values={side!r}, must be 'player 0' or 'mover'")
    return side


def takes_states(evaluator: Any) -> bool:
    """Whether it must be asked with the states in hand."""
    return (
        bool(getattr(evaluator, "takes_states", False)) or bool(wants_of(evaluator)) or side_of(evaluator) != SIDES[0]
    )


def positions(problem: Problem, states: NDArray[Any]) -> Any:
    """States as evaluators see them: their features, or the states themselves."""
    return problem.features(states) if problem.has("features") else problem.batch_of(states)


def answer_about(evaluator: Any, problem: Problem, states: NDArray[Any]) -> Any:
    """What an evaluator says of states, told what it wants; its values as player 0's."""
    wanted, mover = wants_of(evaluator), side_of(evaluator) != SIDES[0]
    players = _players(problem, states) if mover or "player" in wanted else None
    told: dict[str, Any] = {}
    if "player" in wanted:
        told["player"] = players
    if "legal" in wanted:
        told["legal"] = _legal(problem, states)
    answer = evaluator.evaluate(positions(problem, states), **told)
    if not mover or not isinstance(answer, tuple) or len(answer) != 2:
        return answer
    values = np.array(answer[1], np.float64).reshape(-1)
    if values.size == len(states):  # else it is refused where all answers are checked
        values[players == 1] *= -1.0
    return answer[0], values


def _players(problem: Problem, states: NDArray[Any]) -> NDArray[np.int64]:
    if isinstance(problem, PythonProblem):
        return np.array([problem.plain_player(one) for one in states], np.int64)
    found: NDArray[np.int64] = problem.player(states)
    return found


def _legal(problem: Problem, states: NDArray[Any]) -> NDArray[np.bool_]:
    if not isinstance(problem, PythonProblem):
        found: NDArray[np.bool_] = problem.legal(states)
        return found
    mask = np.zeros((len(states), problem.actions), np.bool_)
    for row, one in zip(mask, states, strict=True):
        row[problem.legal_actions(one)] = True
    return mask
