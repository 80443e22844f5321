"""Leaf values and priors from outside the kernel: a network, or any Python object.

Numbers, rollouts and a problem's own heuristic are evaluated inside the kernel; an `Evaluator` is asked from
Python, between selecting leaves and backing them up.
"""

from .batches import Batches
from .cached import Cached
from .external import Evaluator, evaluate_waiting, features_for
from .together import Together

__all__ = ["Batches", "Cached", "Evaluator", "Together", "evaluate_waiting", "features_for"]
