"""Whether particles from a file can be states: compiled code looks things up by their fields."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..problem.problem import Problem


def are_states(problem: Problem, rows: NDArray[np.uint64]) -> bool:
    """Whether rows of 64-bit words can be states of a problem, as far as memory is concerned."""
    states = np.ascontiguousarray(rows).view(problem.state_layout()).ravel()
    return problem.are_sound(states)


def are_observations(problem: Any, rows: NDArray[np.uint64]) -> bool:
    """Whether rows of 64-bit words can be observations: a number must be one of those that there are."""
    numbered = problem.observation_layout().names == ("number",)
    return not numbered or bool((rows < np.uint64(problem.observation)).all())
