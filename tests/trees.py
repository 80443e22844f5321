"""The invariants that every tree satisfies between trials, checked from its memory."""

from __future__ import annotations

import numpy as np

import boltree as bt
from boltree.core.memory.layout import NONE, ORIGIN, RECYCLED, SINGLE, TERMINAL, UNFINISHED
from boltree.core.memory.soundness import FAULTS, find_fault
from boltree.tree import Node

AVERAGES = ("mean",)


def fault_of(search: bt.Search) -> str:
    """What is wrong with a search's memory, in words; "" if nothing is. As saved files are looked through."""
    used = (
        np.zeros(int(search.tree.fields.node_count), np.uint8),
        np.zeros(int(search.tree.fields.unit_count), np.uint8),
    )
    return FAULTS[int(find_fault(search.tree.record, *used))]


def check_invariants(
    search: bt.Search, tolerance: float = 1e-9, runs: int = 1, rewards_of_outcomes: bool = False
) -> int:
    """Assert counts, sums and values of every node; returns how many nodes were seen.

    A search whose threads have a tree each has merged them after so many runs, or more often. Where rewards depend on
    nothing but the outcome, the sums W are checked for problems with chance too. Where subtrees were freed, a node may
    have more visits than actions.
    """
    t, nodes = search.tree.fields, search.tree.storage.nodes
    algorithm = search.algorithm
    average, switching = algorithm.state_value == "mean", algorithm.search_distribution == "switching"
    scale = 1.0 + max(abs(float(nodes["value"][: search.size].max())), abs(float(nodes["value"][: search.size].min())))
    stack, seen = [int(t.root)], 0
    while stack:
        index = stack.pop()
        seen += 1
        record, node = nodes[index], Node(search.tree, index)
        ended = bool(record.marks & TERMINAL) or record.depth >= t.horizon
        children = node.children
        for outcomes in children.values():
            stack.extend(child._index for child in outcomes)
        if ended:
            assert record.value == 0.0
            assert not children
            continue
        visits, q = node.visits, node.q
        tried = int(visits.sum())
        if not switching:
            first = 0 if search.growth == "trial" or record.marks & ORIGIN else 1
            if search.recyclings:
                assert tried <= node.count - first, (index, tried, node.count)
            elif record.marks & UNFINISHED and search.parallelism == "a tree each":  # valued in several trees
                runner = getattr(search.runner, "chosen", search.runner)
                often = search.threads * max(runs, runner.merges)
                assert node.count - often <= tried <= node.count - first, (index, tried, node.count)
            else:
                assert tried == node.count - first, (index, tried, node.count)
        if tried == 0:
            continue
        merged = search.parallelism == "a tree each"
        assert record.best != RECYCLED
        for i, action in enumerate(node.actions):
            outcomes = children.get(int(action), [])
            if visits[i] == 0:
                assert np.isnan(q[i])
                continue
            if not switching:
                assert sum(child.count for child in outcomes) == visits[i]
            if not average and record.block != NONE and not record.marks & SINGLE:
                edge = search.tree.storage.edges[record.block + i]
                rest = float(edge.w) - t.discount * sum(child.count * child.value for child in outcomes)
                if search.problem.deterministic or rewards_of_outcomes:
                    paid = sum(child.count * child.reward for child in outcomes)
                    assert abs(rest - paid) <= tolerance * scale * visits[i]
            if average and not switching and not merged and search.growth == "trial":  # V is the mean of all returns
                if search.problem.deterministic or rewards_of_outcomes:
                    paid = sum(child.count * (child.reward + t.discount * child.value) for child in outcomes)
                    assert abs(q[i] * visits[i] - paid) <= tolerance * scale * visits[i]
        own = -q if node.player == 1 else q
        value = -node.value if node.player == 1 else node.value
        if algorithm.state_value == "max":
            assert abs(value - np.nanmax(own)) <= tolerance * scale
        if average and not switching and not (search.recyclings and (merged or tried < node.count - first)):
            assert abs(value - np.nansum(own * visits) / tried) <= tolerance * scale
        if algorithm.entropy_bonus == "shannon":
            bound = (t.horizon - record.depth) * np.log(search.problem.actions)
            assert abs(node.entropy) <= bound + tolerance
        assert np.isfinite(node.value)
    assert seen == search.size
    return seen


def check_shared(search: bt.Search, tolerance: float = 1e-9, *, merged: bool = False) -> int:
    """Assert the counts and the equations of shared nodes, as they are shown; returns how many nodes were seen.

    Where graphs were `merged`, a leaf that several had valued counts that once, and not each arrival.
    """
    t, algorithm, gamma = search.tree.fields, search.algorithm, search.problem.discount
    by_state = search.transpositions == "state"
    nodes = search.tree.storage.nodes[: search.size]
    scale = 1.0 + float(np.abs(nodes["value"]).max()) + float(np.abs(nodes["entropy"]).max())
    arrived = np.zeros(search.size, np.int64)
    keys = set()
    for index in range(search.size):
        record, node = nodes[index], Node(search.tree, index)
        keys.add((node.state_record.tobytes(), int(record.depth), node.terminal))
        if node.terminal or record.depth >= t.horizon:
            assert record.value == 0.0
            assert not node.children
            continue
        visits, q = node.visits, node.q
        own = int(search.growth == "leaf" and not record.marks & (ORIGIN | UNFINISHED))
        if not record.marks & UNFINISHED:
            assert visits.sum() == max(node.count - own, 0)
        for i, action in enumerate(node.actions):
            outcomes, taken = node.outcomes(int(action)), node.arrivals(int(action))
            assert taken.sum() == visits[i]
            assert len({child._index for child in outcomes}) == len(outcomes)
            if visits[i] == 0:
                continue
            for child, times in zip(outcomes, taken, strict=True):
                arrived[child._index] += times
            paid = sum(float(link.rewards) for link in node._links(int(action)))
            edge = search.tree.storage.edges[record.block + i]
            w = paid + gamma * sum(n * child.value for child, n in zip(outcomes, taken, strict=True))
            assert abs(float(edge.w) - w) <= tolerance * scale * visits[i]
            assert abs(q[i] - w / visits[i]) <= tolerance * scale
            if algorithm.entropy_bonus != "none":
                h = gamma * sum(n * child.entropy for child, n in zip(outcomes, taken, strict=True)) / visits[i]
                row = 4 * (int(record.block) + int(record.actions)) + 3 * i
                assert abs(search.tree.storage.words[row + 1] - h) <= tolerance * scale
        if visits.sum() == 0:
            continue
        mine = -q if node.player == 1 else q
        value = -node.value if node.player == 1 else node.value
        if algorithm.state_value == "max":
            assert abs(value - np.nanmax(mine)) <= tolerance * scale
        if algorithm.state_value == "mean":
            first = -record.reward if node.player == 1 else record.reward
            mean = (own * first + np.nansum(mine * visits)) / (own + visits.sum())
            assert abs(value - mean) <= tolerance * scale
        if algorithm.entropy_bonus != "none":
            n, first_row = int(record.actions), 4 * (int(record.block) + int(record.actions))
            h, pi = (search.tree.storage.words[first_row + k : first_row + 3 * n : 3] for k in (1, 2))
            if algorithm.entropy_bonus == "tsallis":
                entropy = 0.5 * (1.0 - float((pi**2).sum()))
            else:
                entropy = -float((pi[pi > 0] * np.log(pi[pi > 0])).sum())
            entropy *= -1.0 if node.player == 1 else 1.0
            assert abs(node.entropy - (entropy + float((pi * h).sum()))) <= tolerance * scale
    assert len(keys) == search.size, "two nodes of the same state"
    if not by_state:  # where trials are cut, not every arrival is a visit; below an old root it had other visits
        inner = [i for i in range(search.size) if i != t.root]
        exact = bool(nodes[int(t.root)].marks & ORIGIN)
        if merged:
            assert not exact or all(arrived[i] >= nodes[i].visits for i in inner)
        else:
            assert all(arrived[i] == nodes[i].visits if exact else arrived[i] <= nodes[i].visits for i in inner)
    return search.size
