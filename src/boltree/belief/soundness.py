"""Whether particles from a file can be states: compiled code looks things up by their fields."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..problem.problem import Problem

INDICES = {
    "Tag": {"robot": "x", "opponent": "x"},
    "LaserTag": {"robot": "x", "opponent": "x"},
    "RockSample": {"cell": "rock_at"},
}
"""Fields by which a problem of ours looks up what a parameter has, in helpers, where Numba checks no bounds."""

MEMBERS = {"Pocman": {"pocman": "free", "ghosts": "free"}}
"""Fields that must be one of a parameter's numbers, for the same reason."""


def are_states(problem: Problem, rows: NDArray[np.uint64]) -> bool:
    """Whether rows of 64-bit words can be states of a problem, as far as memory is concerned."""
    states = np.ascontiguousarray(rows).view(problem.state_layout()).ravel()
    name, parameters = type(problem).__name__, problem.plain_params
    for field, parameter in INDICES.get(name, {}).items():
        if not (states[field] < len(getattr(parameters, parameter))).all():
            return False
    for field, parameter in MEMBERS.get(name, {}).items():
        if not np.isin(states[field], getattr(parameters, parameter)).all():
            return False
    return problem.are_sound(states)


def are_observations(problem: Any, rows: NDArray[np.uint64]) -> bool:
    """Whether rows of 64-bit words can be observations: a number must be one of those that there are."""
    numbered = problem.observation_layout().names == ("number",)
    return not numbered or bool((rows < np.uint64(problem.observation)).all())
