"""Rollouts where actions are drawn from boxes: each is held for a while, so that rollouts go somewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.formulas.elementary import exp
from ..core.native import array_at, record_at
from ..core.random import uniform
from ..core.trial.widening import LONGEST
from .boxes import F8, Boxes, looker

U8 = np.dtype(np.uint64)


def box_rollout(
    advance: Any, functions: dict[str, Any], layout: np.dtype[Any], read: Any, boxes: Boxes
) -> Callable[..., int]:
    """The wrapper of rollouts: actions by `random_action`, else uniform ones that are held for a while.

    The mean time is drawn for each rollout. In place of a mask and a number of actions, it is given room for an action,
    and where the bounds lie.
    """
    look, size = looker(boxes), boxes.size
    own = functions.get("random_action")
    if own is not None:

        def rollout_by_problem(params, state, rng, steps, out, room, bounds):  # type: ignore[no-untyped-def]
            result, generator = array_at(out, 2, F8), array_at(rng, 2, U8)
            here, parameters = record_at(state, layout), read(params)
            limits, drawn = array_at(bounds, 3 * size, F8), array_at(room, size, F8)
            discount = result[0]
            total, weight = 0.0, 1.0
            for _ in range(steps):
                own(parameters, here, generator, drawn)
                for d in range(size):
                    if not (drawn[d] >= limits[3 * d] and drawn[d] <= limits[3 * d + 1]):
                        raise ValueError("random_action drew an action that is outside of its box")
                reward, done = advance(parameters, here, state, look(room, size, F8), generator, out)
                total += weight * reward
                weight *= discount
                if done:
                    break
            result[0] = total
            return 0

        return rollout_by_problem

    def rollout(params, state, rng, steps, out, room, bounds):  # type: ignore[no-untyped-def]
        result, generator = array_at(out, 2, F8), array_at(rng, 2, U8)
        here, parameters = record_at(state, layout), read(params)
        limits, drawn = array_at(bounds, 3 * size, F8), array_at(room, size, F8)
        discount = result[0]
        total, weight = 0.0, 1.0
        hold = 1.0 - exp(-LONGEST * uniform(generator))
        for k in range(steps):
            if k == 0 or uniform(generator) >= hold:
                for d in range(size):
                    u, low, count = uniform(generator), limits[3 * d], limits[3 * d + 2]
                    drawn[d] = low + u * (limits[3 * d + 1] - low) if count == 0.0 else np.floor(u * count)
            reward, done = advance(parameters, here, state, look(room, size, F8), generator, out)
            total += weight * reward
            weight *= discount
            if done:
                break
        result[0] = total
        return 0

    return rollout
