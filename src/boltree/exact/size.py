"""Tells early that a problem has too many states, without listing them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.random import new_generator
from ..problem.problem import Problem
from ..problem.random import Generator
from ..problem.state import PlainState

DOUBT = 1e-6
"""How probable a wrong answer is, at most."""

WALK_STEPS = 32
"""Walks are this long."""


def steps_to_more(problem: Problem, start: Any, most: int) -> int | None:
    """After how many random steps from a state there are surely more than `most` states; None if that is not seen.

    Of n independent draws from N states or fewer, all differ with a probability of at most exp(-n (n-1) / 2N), which
    is reached where the states are equally likely. So random walks that are all in different states after some steps
    tell that there are many.
    """
    needed = -2.0 * math.log(DOUBT / WALK_STEPS) * most  # of n (n-1)
    rng = Generator(new_generator(0))
    walks = [PlainState(np.asarray(start).reshape(1).copy()) for _ in range(math.ceil(1.1 * math.sqrt(needed)) + 1)]
    for step in range(1, min(WALK_STEPS, problem.horizon) + 1):
        alive = []
        for state in walks:
            legal = problem.legal_actions(state)
            if legal and not problem.plain_step(state, legal[int(rng.random() * len(legal))], rng.words)[1]:
                alive.append(state)
        walks = alive
        if len(walks) * (len(walks) - 1) < needed:
            return None
        if len({state.tobytes() for state in walks}) == len(walks):
            return step
    return None
