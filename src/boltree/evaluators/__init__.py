"""Leaf values and priors from outside of the kernel: a network, or any Python object.

Numbers, rollouts and a problem's own heuristic are evaluated inside the kernel; an `Evaluator` is asked from
Python, between selecting leaves and backing them up.
"""

from .cached import Cached
from .evaluator import NOTHING, Answers, Evaluator, ask, batch_size, checked
from .facts import answer_about, side_of, takes_states, wants_of

__all__ = [
    "NOTHING",
    "Answers",
    "Cached",
    "Evaluator",
    "answer_about",
    "ask",
    "batch_size",
    "checked",
    "side_of",
    "takes_states",
    "wants_of",
]
