"""The kernels that Python calls: run trials, and read a recommendation."""

from __future__ import annotations

from typing import Any

from ..formulas.space import POWER, SWITCHING
from ..formulas.temperature import solve_temperature
from ..jit import inlined, kernel
from ..memory.layout import DONE, EVALUATE, FULL, INDEX, PROVEN, SOLVED, SWEEP, UNKNOWN_CHOICE
from ..memory.room import nodes_of_trial, room_for, units_of_trial
from ..memory.views import node_at, rng_of
from .graph import back_up_graph, undo_in_graph
from .trial import back_up, descend, enter_leaf, undo


@kernel
def run_trials(handle: Any, trials: int) -> int:
    """`run_more`, for Python."""
    return run_more(handle[0], trials, False)


@kernel
def run_graph_trials(handle: Any, trials: int) -> int:
    """`run_trials` where nodes are shared: code of its own, so that a tree's stays as fast as it is."""
    return run_more(handle[0], trials, True)


@inlined
def run_more(tree: Any, trials: int, graph: bool) -> int:
    """Run up to `trials` trials; DONE, or what must be seen to first: FULL, EVALUATE, INDEX, SWEEP, or an error.

    SOLVED where the root is proven: there is nothing to try any more.

    Whether nodes are `graph` is a constant.
    """
    if tree.state_value > POWER:  # the last of them
        return UNKNOWN_CHOICE
    end = tree.trials + trials
    levels = tree.horizon - node_at(tree, tree.root).depth
    new_nodes = nodes_of_trial(tree, levels)
    new_units = units_of_trial(tree, levels)
    while tree.trials < end or tree.pending:
        if not tree.pending:
            if graph and tree.proofs and node_at(tree, tree.root).marks & PROVEN:
                return SOLVED
            tree.nodes_before = tree.node_count
            status = room_for(tree, new_nodes, new_units)
            if status != DONE:
                return status
            if graph and tree.visits_made >= tree.next_sweep:
                return SWEEP
            if tree.distribution == SWITCHING and levels > 0:
                tree.switch = levels - tree.trials % levels
        before = rng_of(tree)[0], rng_of(tree)[1]
        resumed = tree.pending
        status = enter_leaf(tree) if resumed else descend(tree, graph)
        if status == EVALUATE:
            return EVALUATE
        if status != DONE:
            if graph:
                undo_in_graph(tree)
            else:
                undo(tree)
            tree.pending = 0
            if status in (FULL, INDEX):  # outcomes that the problem lists found no room; the trial is made again
                rng_of(tree)[0], rng_of(tree)[1] = before
            return status
        tree.pending = 0
        if resumed != 2:
            if graph:
                back_up_graph(tree)
            else:
                back_up(tree)
            tree.trials += 1
            if tree.adaptive and tree.trials % tree.every == 0:
                solve_temperature(tree)
    return DONE


@kernel
def abandon_trial(handle: Any) -> None:
    """Take back a trial whose leaf waits for an evaluation that will not come."""
    if handle[0].transpositions:
        undo_in_graph(handle[0])
    else:
        undo(handle[0])
    handle[0].pending = 0
