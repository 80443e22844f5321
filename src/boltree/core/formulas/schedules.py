"""Temperatures as functions of a count: constant, x/log(e+m), x/sqrt(m), or a user's function."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from ..jit import inlined
from ..memory.views import logs_of, out_of, rng_of
from ..native import call
from ..random import uniform_of
from .elementary import exp, log
from .space import CONSTANT, LOG_DECAY, SPECTRUM, SQRT_DECAY

E = 2.718281828459045


@inlined
def log_e_plus(tree: Any, m: int) -> float:
    """log(e + m), from a table for small m."""
    if m < logs_of(tree).size:
        return logs_of(tree)[m]  # type: ignore[no-any-return]
    return log(E + m)


@inlined
def draw_temperature(tree: Any) -> None:
    """Draw this trial's temperature, uniform in its logarithm, where each trial has one of its own."""
    if tree.alpha_kind == SPECTRUM:
        tree.trial_alpha = tree.alpha_scale * exp(tree.alpha_span * uniform_of(rng_of(tree)))


@inlined
def scheduled(tree: Any, kind: int, scale: float, function: int, m: int) -> float:
    """A schedule's value at the count m; NaN when the user's function failed."""
    if kind == CONSTANT:
        return scale
    if kind == SPECTRUM:
        return tree.trial_alpha
    if kind == LOG_DECAY:
        return scale / log_e_plus(tree, m)
    if kind == SQRT_DECAY:
        return scale / sqrt(max(m, 1))
    if call(function, (m, tree.out_at)) != 0:
        return np.nan
    return out_of(tree)[0]  # type: ignore[no-any-return]


@inlined
def shares(tree: Any, visits: int) -> tuple[float, float]:
    """The shares of the policy that explore uniformly, and that follow the prior, at a visit."""
    log_visits = log_e_plus(tree, visits)
    follow = min(1.0, tree.epsilon_prior / log_visits) if tree.has_prior else 0.0
    return min(1.0, tree.epsilon / log_visits), follow
