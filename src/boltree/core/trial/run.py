"""The kernels that run trials one after the other in one thread; how Python calls them, for a tree and for a graph."""

from __future__ import annotations

from typing import Any

from ..formulas.space import POWER, SWITCHING
from ..formulas.temperature import solve_temperature
from ..jit import inlined, kernel
from ..memory.layout import CONTRADICTION, DONE, EVALUATE, FULL, INDEX, PROVEN, SOLVED, SWEEP, UNKNOWN_CHOICE
from ..memory.room import nodes_of_trial, room_for, units_of_trial
from ..memory.views import node_at, rng_of
from .backup import back_up
from .leaf import enter_leaf
from .trial import descend
from .undo import undo


@kernel
def run_trials(handle: Any, trials: int) -> int:
    """`run_more`, for Python."""
    return run_more(handle[0], trials, False, False)


@kernel
def run_graph_trials(handle: Any, trials: int) -> int:
    """`run_trials` where nodes have several parents: compiled apart, so that the code for trees stays fast."""
    return run_more(handle[0], trials, True, False)


@kernel
def run_hidden_trials(handle: Any, trials: int) -> int:
    """`run_trials` where the state is hidden, so that nodes are histories."""
    return run_more(handle[0], trials, False, True)


@inlined
def run_more(tree: Any, trials: int, graph: bool, hidden: bool) -> int:
    """Run up to `trials` trials; DONE, an error, or what Python must do before it calls again.

    That is to make room (FULL), evaluate a leaf (EVALUATE), make an index (INDEX) or sweep the graph (SWEEP). SOLVED
    says that the root is proven, so that there is nothing left to try. `graph` and `hidden` are constants, as in
    `descend`.
    """
    if tree.state_value > POWER:  # the last number that has a formula
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
            if tree.box_words:  # blocks grow with the visits
                new_units = units_of_trial(tree, levels)
            status = room_for(tree, new_nodes, new_units)
            if status != DONE:
                return status
            if graph and tree.visits_made >= tree.next_sweep:
                return SWEEP
            if tree.distribution == SWITCHING and levels > 0:
                tree.switch = levels - tree.trials % levels
        before = rng_of(tree)[0], rng_of(tree)[1]
        resumed = tree.pending
        status = enter_leaf(tree) if resumed else descend(tree, graph, hidden)
        if status == EVALUATE:
            return EVALUATE
        if status != DONE:
            undo(tree, graph)
            tree.pending = 0
            if status in (FULL, INDEX):  # no room for outcomes that the problem lists: the same trial will be run again
                rng_of(tree)[0], rng_of(tree)[1] = before
            return status
        tree.pending = 0
        if resumed != 2:
            back_up(tree, graph, False)
            tree.trials += 1
            if graph and tree.contradiction:
                return CONTRADICTION
            if tree.adaptive and tree.trials % tree.every == 0:
                solve_temperature(tree)
    return DONE


@kernel
def abandon_trial(handle: Any) -> None:
    """Undo a trial whose leaf waits for an evaluation that will not come."""
    if handle[0].transpositions:
        undo(handle[0], True)
    else:
        undo(handle[0], False)
    handle[0].pending = 0
