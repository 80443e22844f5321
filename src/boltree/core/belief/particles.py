"""Particles of a belief: drawn from a problem's start, and taken through an action and what was observed after it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import kernel
from ..native import FAILED, array_at, call

MODEL = np.dtype(
    [
        ("params_at", "i8"),
        ("start", "i8"),  # the addresses of the problem's functions; 0 for one that it does not define
        ("step", "i8"),
        ("observe", "i8"),
        ("observation_probability", "i8"),
        ("perturb", "i8"),
        ("words", "i8"),  # 64-bit words of a state
        ("seen_words", "i8"),  # and of an observation
        ("rng_at", "i8"),
        ("out_at", "i8"),  # a problem's results
        ("seen_at", "i8"),  # an observation
        ("failed_at", "i8"),  # which particle failed
        ("failed_weight", "f8"),  # and the probability that cannot be
        ("rng0", "u8"),  # and the random numbers before it was stepped
        ("rng1", "u8"),
    ],
    align=True,
)
"""A problem as these kernels see it, and their scratch memory."""

DONE, START_FAILED, STEP_FAILED, OBSERVE_FAILED, PROBABILITY_FAILED, PERTURB_FAILED, BAD_PROBABILITY = range(7)

_F8, _U8 = np.dtype(np.float64), np.dtype(np.uint64)


@kernel
def draw_starts(handle: Any, states: Any) -> int:
    """Fill rows of words with starts; DONE or START_FAILED."""
    model = handle[0]
    for i in range(states.shape[0]):
        for w in range(model.words):
            states[i, w] = np.uint64(0)
        if call(model.start, (model.params_at, states.ctypes.data + 8 * i * model.words, model.rng_at)) == FAILED:
            return START_FAILED
    return DONE


@kernel
def step_particles(
    handle: Any, action: int, observed: Any, before: Any, after: Any, weights: Any, first: int, perturbed: bool
) -> int:
    """Take states through an action, and weigh where they led by what was observed; DONE or an error.

    Row i of `after` is made from row ``(first + i) % len(before)``, and changed by the problem's `perturb` if it is to
    be `perturbed`. Its weight is the probability of the observation; where the problem does not say that, 1 if the same
    is observed in a simulation, else 0. A state in which the problem ended weighs 0: nothing is observed then.
    """
    model = handle[0]
    out = array_at(model.out_at, 2, _F8)
    seen = array_at(model.seen_at, model.seen_words, _U8)
    rng = array_at(model.rng_at, 2, _U8)
    observed_at = observed.ctypes.data
    for i in range(after.shape[0]):
        source = (first + i) % before.shape[0]
        source_at, target_at = before.ctypes.data + 8 * source * model.words, after.ctypes.data + 8 * i * model.words
        for w in range(model.words):
            after[i, w] = before[source, w]
        weights[i] = 0.0
        model.failed_at, model.rng0, model.rng1 = source, rng[0], rng[1]
        if call(model.step, (model.params_at, target_at, action, model.rng_at, model.out_at)) == FAILED:
            return STEP_FAILED
        if out[1] != 0.0:
            continue
        if perturbed and call(model.perturb, (model.params_at, target_at, model.rng_at)) == FAILED:
            return PERTURB_FAILED
        if model.observation_probability != 0:
            task = (model.params_at, observed_at, source_at, action, target_at, model.out_at)
            if call(model.observation_probability, task) == FAILED:
                return PROBABILITY_FAILED
            if not (out[0] >= 0.0 and out[0] < np.inf):
                model.failed_weight = out[0]
                return BAD_PROBABILITY
            weights[i] = out[0]
            continue
        task2 = (model.params_at, source_at, action, target_at, model.rng_at, model.seen_at)
        if call(model.observe, task2) == FAILED:
            return OBSERVE_FAILED
        same = True
        for w in range(model.seen_words):
            same = same and seen[w] == observed[w]
        weights[i] = 1.0 if same else 0.0
    return DONE
