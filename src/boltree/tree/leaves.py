"""What a new leaf is worth: how a search's evaluator is entered into its tree's record."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.memory import layout as records
from ..errors import ParameterError
from ..evaluators import takes_states
from ..problem.problem import Problem


def is_external(evaluator: Any, growth: str) -> bool:
    """Whether leaves are valued by an object outside of the kernel."""
    return growth == "leaf" and not isinstance(evaluator, (str, int, float, np.number))


def enter_evaluator(t: Any, problem: Problem, evaluator: Any, growth: str) -> None:
    """Enter an evaluator into a tree's record, or refuse it."""
    if growth == "trial":
        t.evaluator, t.v_init = records.CONSTANT, 0.0
    elif isinstance(evaluator, (int, float, np.number)) and not isinstance(evaluator, bool):
        if not math.isfinite(evaluator):
            raise ParameterError(f"evaluator={evaluator!r}: must be a finite number")
        t.evaluator, t.v_init = records.CONSTANT, float(evaluator)
    elif evaluator == "rollout":
        t.evaluator, t.rollout = records.ROLLOUT, problem.address("rollout")
    elif evaluator == "heuristic":
        if not problem.has("heuristic"):
            raise ParameterError(
                f"evaluator='heuristic': {problem.display_name()} has no heuristic(params, state); write one, or "
                "use 'rollout' or a number"
            )
        t.evaluator, t.heuristic = records.HEURISTIC, problem.address("heuristic")
    elif hasattr(evaluator, "evaluate"):
        takes_states(evaluator)  # which refuses what it cannot be told
        t.evaluator = records.EXTERNAL
    else:
        raise ParameterError(
            f"evaluator={evaluator!r}: must be a number, 'rollout', 'heuristic', or an object with evaluate(batch)"
        )
