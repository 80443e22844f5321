"""Many small searches, one after the other in the same memory: plant a root, run its trials, read the results.

A worker is one tree record with its storage, and a job: which searches it runs, and where their states, seeds and
results lie. Before each search everything in the record that is not an address of memory is reset to what a fresh one
has; what the last tree left in memory is overwritten before it is read.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..formulas.recommend import recommended
from ..jit import inlined, kernel
from ..memory.blocks import make_block, state_at
from ..memory.layout import BAD_PLAYER, DONE, NODE, NONE, PLAYER_FAILED, SINGLE, TREE
from ..memory.views import edge_at, index_of, node_at, prior_in_of, rng_of
from ..native import FAILED, array_at, call
from .read import policy_of
from .run import run_more

JOB = np.dtype(
    [
        ("number", "i8"),  # of the search that is run, or is next
        ("planted", "i8"),  # whether its root is in the tree
        ("last", "i8"),  # the first search that is not this worker's
        ("left", "i8"),  # trials until Python is asked how to go on
        ("trials", "i8"),  # of each search
        ("tree_at", "i8"),  # the worker's record
        ("fresh_at", "i8"),  # a fresh record for every problem
        ("root_at", "i8"),  # a fresh root
        ("path_at", "i8"),  # the way to the root: a zero
        ("which_at", "i8"),  # each search's problem
        ("starts_at", "i8"),  # each search's state
        ("words_at", "i8"),  # each search's number for ties, and its generator
        ("noise_at", "i8"),  # each search's Dirichlet noise, where the algorithm wants it
        ("actions_at", "i8"),  # what was found
        ("visits_at", "i8"),
        ("q_at", "i8"),
        ("values_at", "i8"),
        ("policy_at", "i8"),
    ]
)

_I8, _F8, _U8 = np.dtype(np.int64), np.dtype(np.float64), np.dtype(np.uint64)
_WORDS = TREE.itemsize // 8
_NODE_WORDS = NODE.itemsize // 8
assert TREE.fields is not None
_MEMORY, _RUN = TREE.fields["nodes_at"][1] // 8, TREE.fields["growth"][1] // 8  # what lies between says where memory is


@kernel
def run_searches(handle: Any, jobs: Any) -> int:
    """Run a worker's searches; DONE (all, or as many trials as were allowed), an error, or an event for Python."""
    tree, job = handle[0], jobs[0]
    while job.number < job.last and job.left > 0:
        if not job.planted:
            status = plant(tree, job)
            if status != DONE:
                return status
        before = tree.trials
        status = run_more(tree, min(job.left, job.trials - before), False, False)
        job.left -= tree.trials - before
        if status != DONE:
            return status
        if tree.trials >= job.trials:
            status = read_root(tree, job)
            if status != DONE:
                return status
            job.planted = 0
            job.number += 1
    return DONE


@kernel
def plant_search(handle: Any, jobs: Any) -> int:
    """`plant`, for Python."""
    return plant(handle[0], jobs[0])


@kernel
def read_search(handle: Any, jobs: Any) -> int:
    """`read_root`, for Python."""
    return read_root(handle[0], jobs[0])


@inlined
def plant(tree: Any, job: Any) -> int:
    """Begin the job's next search: a tree that is only its root; DONE, or an error of the problem's `player`."""
    i = job.number
    fresh = job.fresh_at + 8 * _WORDS * array_at(job.which_at, i + 1, _I8)[i]
    copy_words(fresh, job.tree_at, 0, _MEMORY)
    copy_words(fresh, job.tree_at, _RUN, _WORDS)
    if tree.index_wanted or tree.index_stale:
        for k in range(tree.index_size):
            index_of(tree)[k] = NONE
    tree.index_count = tree.index_wanted = tree.index_stale = 0
    copy_words(job.root_at, tree.nodes_at, 0, _NODE_WORDS)
    copy_words(job.starts_at + 8 * tree.words * i, tree.states_at, 0, tree.words)
    words = array_at(job.words_at + 24 * i, 3, _U8)
    tree.seed = words[0]
    rng_of(tree)[0], rng_of(tree)[1] = words[1], words[2]
    if job.noise_at:
        copy_words(job.noise_at + 8 * tree.actions * i, tree.noise_at, 0, tree.actions)
    if tree.player != 0:
        mover = call(tree.player, (tree.params_at, state_at(tree, 0)))
        if mover != 0 and mover != 1:
            return PLAYER_FAILED if mover == FAILED else BAD_PLAYER
        node_at(tree, 0).player = mover
    job.planted = 1
    return DONE


@inlined
def copy_words(source: int, target: int, first: int, last: int) -> None:
    """Copy the 64-bit words from `first` to `last` of what lies at two addresses."""
    given, taken = array_at(source, last, _U8), array_at(target, last, _U8)
    for w in range(first, last):
        taken[w] = given[w]


@inlined
def read_root(tree: Any, job: Any) -> int:
    """Write a search's results to its rows; q is NaN for untried actions, and illegal ones have probability 0."""
    i, n = job.number, tree.actions
    node = node_at(tree, 0)
    action = recommended(tree, 0)
    if node.block == NONE or node.marks & SINGLE:  # after a single trial
        status = make_block(tree, 0, False)
        if status != DONE:
            tree.error_node = 0
            return status
    array_at(job.actions_at, i + 1, _I8)[i] = action
    array_at(job.values_at, i + 1, _F8)[i] = node.value
    visits, q = array_at(job.visits_at + 8 * n * i, n, _I8), array_at(job.q_at + 8 * n * i, n, _F8)
    policy, by_edge = array_at(job.policy_at + 8 * n * i, n, _F8), prior_in_of(tree)
    policy_of(tree, array_at(job.path_at, 1, _I8), by_edge)
    for a in range(n):
        visits[a] = 0
        q[a] = np.nan
        policy[a] = 0.0
    for k in range(np.int64(node.actions)):
        edge = edge_at(tree, node.block + k)
        a = np.int64(edge.action)
        visits[a] = edge.visits
        policy[a] = by_edge[k]
        if edge.visits > 0:
            q[a] = -edge.q if node.player == 1 else edge.q
    return DONE
