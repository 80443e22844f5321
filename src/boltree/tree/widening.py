"""How many actions a node may have that are drawn from boxes, and how many outcomes an action that never come again."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.formulas import space
from ..core.memory.growing import vector_word
from ..core.memory.layout import NONE
from ..core.memory.storage import Storage
from ..errors import ParameterError
from ..problem.python.problem import PythonProblem
from ..problem.record import Record
from .outcomes import lists_outcomes
from .tree_like import TreeLike

ACTIONS = (3.0, 0.4)
"""k and a where actions are drawn from boxes: a node with N visits has up to k N^a actions."""

OUTCOMES = (1.0, 0.4)
"""k and a where states are real numbers: an action that was taken N times has up to k N^a outcomes."""

OBSERVATIONS = (5.0, 1.0 / 15.0)
"""k and a where observations are real numbers: an action that was taken N times has up to k N^a observed outcomes."""

NEAR = 0.8
"""The share of new actions that are drawn near the best one so far."""


def enter_widening(tree: TreeLike, outcomes: Any, actions: Any) -> None:
    """Enter how many outcomes an action may have, and a node how many actions; refuses what makes no sense."""
    _enter_outcomes(tree, outcomes)
    problem, t = tree.problem, tree.fields
    if problem.boxes is None:
        if actions is not None:
            raise ParameterError(
                f"action_widening={actions!r}: must be left out for {problem.display_name()}, whose actions are listed"
            )
        return
    factor, power = pair("action_widening", ACTIONS if actions is None else actions)
    t.action_widening, t.action_power = factor, power
    t.near = 0.0 if t.state_value == space.SOFT else NEAR


def refuse_for_boxes(tree: TreeLike, outcomes: str, proofs: bool) -> None:
    """Refuse what needs a list of actions."""
    t, algorithm, name = tree.fields, tree.algorithm, tree.problem.display_name()
    drawn = f"{name}, whose actions are drawn from boxes"
    rows = algorithm.distribution_row, algorithm.state_value_row, algorithm.entropy_row
    why = next((row.listed for row in rows if row.listed), "")
    if t.adaptive:
        why = "sets its temperature by an entropy that grows with the number of actions"
    if t.noise_weight:
        why = "adds noise to the priors of listed actions"
    if why:
        raise ParameterError(f"{algorithm.name}: cannot search {drawn}, because it {why}")
    if outcomes != "sampled" or proofs:
        given = f"outcomes={outcomes!r}: must be 'sampled'" if outcomes != "sampled" else "proofs=True: must be False"
        raise ParameterError(f"{given} for {drawn}, because not all of them are ever known")
    if t.transpositions:
        raise ParameterError(
            f"transpositions={tree.transpositions!r}: must be False for {drawn}, because their states never come again"
        )
    if t.prior_external:
        raise ParameterError(
            f"evaluator: gives priors, which are of listed actions; set gives_prior = False for {drawn}"
        )
    if tree.batch > 1 or tree.in_common_batches:
        raise ParameterError(f"evaluator: must take one leaf at a time (batch = 1) for {drawn}")


def enter_dues(storage: Storage) -> None:
    """Write from which visits on a node may have one action more than each number: the inverse of k N^a."""
    t = storage.fields
    if t.box_words:
        more = np.arange(1.0, t.actions + 1.0) / t.action_widening
        with np.errstate(over="ignore", divide="ignore"):
            visits = (
                np.maximum(more, 1.0) ** (1.0 / t.action_power) if t.action_power else np.where(more > 1, np.inf, 1)
            )
        storage.scratch["dues"][:] = np.ceil(np.minimum(visits, 2.0**62)).astype(np.int64)


def vectors_of(tree: TreeLike, index: int) -> Any:
    """The actions that were drawn from boxes at a node: floats, or an array with a row for each."""
    node, t, boxes = tree.storage.node(index), tree.fields, tree.problem.boxes
    assert boxes is not None
    n, found = int(node.actions), np.zeros((0, boxes.size))
    if node.block != NONE:
        first = int(vector_word(tree.record, index))
        found = np.array(tree.storage.words[first : first + n * int(t.box_words)]).reshape(n, boxes.size)
    return found[:, 0] if boxes.single else found


def pair(name: str, given: Any) -> tuple[float, float]:
    """k and a, checked."""
    try:
        factor, power = map(float, given)
    except (TypeError, ValueError):
        factor, power = -1.0, 0.0
    if not (0.0 < factor < np.inf and 0.0 <= power < 1.0):
        off = ", or False" if name == "widening" else ""
        raise ParameterError(f"{name}={given!r}: must be (k, a) with k above 0 and a from 0 to below 1{off}")
    return factor, power


def _enter_outcomes(tree: TreeLike, widening: Any) -> None:
    problem, t = tree.problem, tree.fields
    name, given = problem.display_name(), f"widening={widening!r}"
    if widening is None:
        widening = _usual_outcomes(tree)
    if widening is False:
        return
    factor, power = pair("widening", widening)
    if problem.hidden and not problem.has("observation_probability"):
        raise ParameterError(f"{given}: {name} must have observation_probability")
    if not problem.hidden and (problem.deterministic or t.transpositions):
        why = "whose outcomes are certain" if problem.deterministic else "unless transpositions=False"
        raise ParameterError(f"{given}: must be left out for {name}, {why}")
    t.widening, t.widening_power = factor, power


def _usual_outcomes(tree: TreeLike) -> tuple[float, float] | bool:
    """What suits the problem: widening where states, or observations, are real numbers that never come again."""
    problem = tree.problem
    if problem.hidden:
        real = isinstance(problem.observation, Record) and problem.observation.real
        return OBSERVATIONS if real and problem.has("observation_probability") else False
    if problem.deterministic or tree.fields.transpositions or lists_outcomes(problem):
        return False
    real = type(problem).state.real or (problem.boxes is not None and isinstance(problem, PythonProblem))
    return OUTCOMES if real else False
