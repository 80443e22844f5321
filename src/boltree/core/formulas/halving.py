"""Sequential halving at the root (H-MCTS; Karnin et al., Pepels et al.); below it trials go by UCB.

With a budget of B trials, above the threshold, and k > 1 actions the root runs ceil(log2 k) rounds. In each, every
surviving action gets floor(B / (survivors * rounds)) further visits (at least one), then the better half by
mean survives. What is left of B, and any trial beyond it, goes by UCB among the survivors.

Only the root halves. A node below it would need to know its budget, which is a share of its action's by chance; and
whatever the budget, a constant share of its visits would go to all actions alike, in the first round of each grant, so
that its mean would never come to the value of its best action.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import inlined
from ..memory.blocks import extra_at
from ..memory.views import edge_at, quota_at, schedule_at

PLAIN = -1
"""`halving_slot` returns it when the root follows UCB."""


@inlined
def begin_rounds(tree: Any, node: Any) -> None:
    """Begin the first round at a root that has not begun."""
    schedule = schedule_at(tree, node.block - 1)
    if schedule.begun:
        return
    n = np.int64(node.actions)
    schedule.budget = tree.budget
    schedule.used = 0
    schedule.begun = 1
    extra = extra_at(tree, node.block, n)
    for i in range(n):
        quota_at(tree, extra, i).alive = 1
    if tree.budget > tree.threshold and n > 1:
        start_round(tree, node, n)
    else:
        schedule.quota = 0


@inlined
def start_round(tree: Any, node: Any, survivors: int) -> None:
    """Give each survivor its visits of this round."""
    schedule = schedule_at(tree, node.block - 1)
    extra = extra_at(tree, node.block, node.actions)
    quota = schedule.budget // (survivors * rounds_of(np.int64(node.actions)))
    schedule.quota = max(quota, 1)
    for i in range(np.int64(node.actions)):
        row = quota_at(tree, extra, i)
        if row.alive:
            row.done = 0


@inlined
def rounds_of(n: int) -> int:
    """ceil(log2 n), at least 1."""
    rounds = 1
    while (1 << rounds) < n:
        rounds += 1
    return rounds


@inlined
def halving_slot(tree: Any, node: Any) -> int:
    """The survivor with the fewest visits this round, while there are rounds; else PLAIN."""
    schedule = schedule_at(tree, node.block - 1)
    if schedule.quota == 0 or schedule.used >= schedule.budget:
        return PLAIN
    extra = extra_at(tree, node.block, node.actions)
    slot, fewest = PLAIN, schedule.quota
    for i in range(np.int64(node.actions)):
        row = quota_at(tree, extra, i)
        if row.alive and row.done < fewest:
            slot, fewest = i, np.int64(row.done)
    return slot


@inlined
def halving_visit(tree: Any, node: Any, slot: int) -> None:
    """Count a finished visit; when the round is complete, the better half survives."""
    schedule = schedule_at(tree, node.block - 1)
    schedule.used += 1
    if schedule.quota == 0:
        return
    count_visit(tree, node, slot)
    if schedule.used >= schedule.budget:
        schedule.quota = 0  # the budget is spent: no more rounds


@inlined
def count_visit(tree: Any, node: Any, slot: int) -> None:
    """One of the round's visits was made."""
    schedule = schedule_at(tree, node.block - 1)
    n = np.int64(node.actions)
    extra = extra_at(tree, node.block, n)
    quota_at(tree, extra, slot).done += 1
    survivors = 0
    for i in range(n):
        row = quota_at(tree, extra, i)
        if row.alive:
            survivors += 1
            if row.done < schedule.quota:
                return
    keep = (survivors + 1) // 2
    if survivors == 1 or keep == survivors:
        schedule.quota = 0
        return
    for _ in range(survivors - keep):
        worst, lowest = -1, np.inf
        for i in range(n):
            edge = edge_at(tree, node.block + i)
            if quota_at(tree, extra, i).alive and (worst < 0 or edge.q < lowest):
                worst, lowest = i, edge.q
        quota_at(tree, extra, worst).alive = 0
    if keep > 1:
        start_round(tree, node, keep)
    else:
        schedule.quota = 0
