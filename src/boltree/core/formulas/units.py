"""Automatic temperatures and biases: in units of what the search itself has seen of the returns.

The unit is the difference between the highest and the lowest return of a trial so far. Rewards that are multiplied by a
number multiply the unit, so the search does the same; rewards that are shifted change nothing either.
"""

from __future__ import annotations

from typing import Any

from ..jit import inlined
from ..memory.views import step_at


@inlined
def note_return(tree: Any, value: float) -> None:
    """Record a trial's return; a new highest or lowest one changes the temperatures and the initial preference."""
    if value >= tree.lowest and value <= tree.highest:
        return
    tree.lowest = min(tree.lowest, value)
    tree.highest = max(tree.highest, value)
    unit = tree.highest - tree.lowest
    if unit == 0.0:
        unit = abs(tree.highest)  # all returns so far were equal
    if unit == 0.0:
        unit = 1.0  # all were 0: any temperature is as good
    if tree.auto_alpha > 0.0:
        tree.alpha_scale = tree.auto_alpha * unit
    if tree.auto_beta > 0.0:
        tree.beta_scale = tree.auto_beta * unit
    if tree.auto_c > 0.0:
        tree.c = tree.auto_c * unit
    if tree.auto_q:
        tree.q_init = tree.lowest
        tree.q_init_second = -tree.highest


@inlined
def note_trial(tree: Any, value: float) -> None:
    """Record the return of a whole trial, from its leaf's value, before any value is computed at a temperature."""
    if tree.automatic:
        total = value
        for level in range(tree.length - 1, -1, -1):
            total = step_at(tree, level).reward + tree.discount * total
        note_return(tree, total)


@inlined
def note_shift(tree: Any, value: float) -> None:
    """Record the return from a node on, where values are computed relative to the lowest."""
    if tree.shifted:
        tree.lowest = min(tree.lowest, value)
        tree.highest = max(tree.highest, value)
