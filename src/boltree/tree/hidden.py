"""Trees of problems whose state is hidden: what they refuse, and the belief that their trials begin with."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..belief.belief import Belief
from ..core.memory import layout as records
from ..errors import ParameterError
from ..messages import shortened
from ..problem.problem import Problem
from ..problem.python.problem import PythonProblem
from .tree_like import TreeLike


def refuse_for_hidden(tree: TreeLike, state: Any, outcomes: str, proofs: bool) -> None:
    """Refuse what needs nodes that are states."""
    t, name = tree.fields, tree.problem.display_name()
    if outcomes != "sampled" or proofs:
        given = f"outcomes={outcomes!r}: must be 'sampled'" if outcomes != "sampled" else "proofs=True: must be False"
        raise ParameterError(f"{given} for {name}, whose state is hidden, because a node is a whole history")
    if state is not None:
        raise ParameterError(
            f"state={shortened(state)}: must be left out, because the state of {name} is hidden; give belief=..."
        )
    if t.transpositions:
        raise ParameterError(
            f"transpositions: must be False for {name}, whose state is hidden, because a node is a whole history"
        )
    if t.evaluator == records.EXTERNAL:
        raise ParameterError(
            f"evaluator: must be a number, 'rollout' or 'heuristic' for {name}, whose state is hidden, because an "
            "object would be shown states"
        )


def checked_belief(problem: Any, belief: Any) -> Belief | None:
    """A belief that a search begins with, or None for the problem's own start."""
    if belief is None:
        return None
    if not problem.hidden:
        raise ParameterError(
            f"belief={belief!r}: must be left out, because the state of {problem.display_name()} is seen; give "
            "state=..."
        )
    if not isinstance(belief, Belief):
        raise ParameterError(f"belief={belief!r}: must be a bt.Belief")
    if not _are_one(belief.problem, problem):
        raise ParameterError(f"belief={belief!r}: is about {belief.problem!r}, must be about {problem!r}")
    return belief


def _are_one(one: Problem, other: Problem) -> bool:
    """Whether states of one problem are states of the other: the same object, or a compiled class and parameters."""
    if one is other:
        return True
    if type(one) is not type(other) or isinstance(one, PythonProblem):
        return False
    return all(map(np.array_equal, one.plain_params, other.plain_params))


def enter_belief(tree: Any, belief: Belief | None) -> None:
    """Let trials begin with the states of a belief; with starts of the problem's own where it is None."""
    tree.belief = belief
    t = tree.fields
    if belief is None:
        t.particle_count = 0
    else:
        states = tree.begins = belief.equally_weighted()
        t.particles_at, t.particle_count = states.ctypes.data, len(states)


def belief_of(tree: Any) -> Belief:
    """What is believed at the root; particles of the problem's own start are drawn when they are first asked for."""
    if tree.belief is None:
        if tree.prior is None:
            tree.prior = Belief(tree.problem, seed=tree.belief_seed)
        return tree.prior  # type: ignore[no-any-return]
    return tree.belief  # type: ignore[no-any-return]


def restore_belief(tree: Any, given: Any, *, own_start: bool) -> None:
    """Enter a belief that was made arrays, from their bytes; ParameterError where they cannot be one."""
    belief = Belief.from_arrays(tree.problem, given)
    enter_belief(tree, None if own_start else belief)
    tree.prior = belief if own_start else None


def any_state(tree: TreeLike) -> Any:
    """The record of a state that the root's belief holds possible: what problems are asked about at the root."""
    if tree.fields.particle_count:
        words: Any = tree.begins[0].copy()
    else:
        words = np.frombuffer(tree.problem.start_state(0).tobytes(), np.uint64)
    return words.view(tree.problem.state_layout())[0]


def carry_any(tree: TreeLike) -> None:
    """Put `any_state` where a trial's state lies, for a kernel that asks the problem about a root without edges."""
    words = np.frombuffer(any_state(tree).tobytes(), np.uint64)
    tree.storage.scratch["carried"].reshape(2, -1)[:] = words


def carried_state(tree: TreeLike) -> Any:
    """A copy of the words that the trial carries."""
    t, memory = tree.fields, tree.storage.scratch["carried"]
    return memory.reshape(2, -1)[int(t.carried_at != memory.ctypes.data)].copy()
