"""What a search knows of outcomes: whether it weighs them by the problem's probabilities, and proves values."""

from __future__ import annotations

import math
from typing import Any, Literal

from ..core.memory.layout import BY_DEPTH, TRIAL
from ..errors import ParameterError, ProblemError
from .tree_like import TreeLike

Outcomes = Literal["sampled", "pooled", "known"]

SHARE_OF_EXACT_VALUES = 0.125
"""The share of a search's memory that the problem's exact values may take, where they are worked out beside trials."""


def enter_outcomes(tree: TreeLike, outcomes: Any, proofs: Any) -> None:
    """Enter into a tree's record what it knows of outcomes; refuses what makes no sense."""
    t, problem = tree.fields, tree.problem
    if outcomes not in ("sampled", "pooled", "known"):
        raise ParameterError(f"outcomes={outcomes!r}: must be 'sampled', 'pooled' or 'known'")
    if not isinstance(proofs, bool):
        raise ParameterError(f"proofs={proofs!r}: must be True or False")
    if proofs and outcomes != "known":
        raise ParameterError("proofs=True: needs outcomes='known', because a value is proven from all outcomes")
    if outcomes == "sampled":
        return
    if outcomes == "pooled":
        _check_pooled(tree)
        return
    if not lists_outcomes(problem):
        raise ParameterError(
            f"outcomes='known': {problem.display_name()} must have {problem.outcomes_wanted}, or deterministic = True"
        )
    if not t.transpositions:
        raise ParameterError("outcomes='known': needs transpositions=True, where an action's outcomes are shared nodes")
    t.known = 1
    t.count_outcomes, t.outcomes = problem.address("count_outcomes"), problem.address("outcomes")
    if not proofs:
        return
    if t.transpositions != BY_DEPTH:
        raise ParameterError(
            "proofs=True: needs transpositions=True, not 'state': nodes shared at all depths have no last step to "
            "begin a proof at"
        )
    if tree.algorithm.state_value_row.has_temperature:
        raise ParameterError(
            f"proofs=True: must be False with {tree.algorithm.name}, whose values count entropy as well as reward"
        )
    t.proofs = 1
    t.lowest_reward, t.highest_reward = rewards_of(problem)
    t.bounds = problem.address("bounds")


def _check_pooled(tree: TreeLike) -> None:
    """Refuse outcomes pooled over depths where that makes no sense."""
    t, row = tree.fields, tree.algorithm.state_value_row
    if t.transpositions != BY_DEPTH:
        raise ParameterError("outcomes='pooled': needs transpositions=True, where a node is a state at a depth")
    if t.growth != TRIAL:
        raise ParameterError("outcomes='pooled': needs growth='trial', because values of leaves are not outcomes")
    if not row.maximal or row.has_temperature:
        raise ParameterError(
            f"outcomes='pooled': must be 'sampled' or 'known' with {tree.algorithm.name}, whose values are not maxima"
        )


def rewards_of(problem: Any) -> tuple[float, float]:
    """The least and the most that a step can pay, by the problem's `rewards`; infinite where it does not say."""
    given = problem.rewards
    if given is None:
        return -math.inf, math.inf
    try:
        low, high = map(float, given)
    except (TypeError, ValueError):
        low, high = math.nan, math.nan
    if not -math.inf <= low <= high <= math.inf:
        raise ProblemError(
            f"{problem.display_name()}: rewards={given!r}, must be the least and the most that a step can pay, "
            "(low, high)"
        )
    return low, high


def lists_outcomes(problem: Any) -> bool:
    """Whether a problem says all that may happen: it lists the outcomes of an action, or has only one of each."""
    return bool(problem.has("outcomes") and problem.has("count_outcomes"))
