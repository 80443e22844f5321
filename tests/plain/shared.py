"""The reference where nodes are shared: a dictionary of nodes, counts by edge and outcome, values from what lies below.

Formulas are those of ``core/trial/graph.py``'s first lines. Estimates that trials go by are as old as their edge's last
computing: at each visit of the edge, at every |A(s)|-th visit of the node, and whenever eight visits for every node
have been made since all were computed. `settle` computes all of them until nothing changes.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any

import numpy as np

from .reference import PlainNode, PlainTree, Step, Visit


class Ways:
    """What a node knows of its outcomes: for each action and child how often, and the rewards; W and the sum of H."""

    def __init__(self, node: PlainNode) -> None:
        self.seen: dict[int, dict[int, tuple[PlainNode, list[float]]]] = {a: {} for a in node.actions}
        self.w = dict.fromkeys(node.actions, 0.0)
        self.h = dict.fromkeys(node.actions, 0.0)
        self.v_init = 0.0
        self.pi: np.ndarray | None = None  # of the last visit


class SharedTree(PlainTree):
    """Nodes shared by state and depth."""

    by_state = False

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.nodes: dict[Hashable, PlainNode] = {self.key(self.root.state, 0, False): self.root}
        self.ways: dict[int, Ways] = {id(self.root): Ways(self.root)}
        self.made, self.due = 0, 0  # visits, and those at which all are computed

    def replay(self, steps: list[Step]) -> list[PlainNode]:
        if self.made >= self.due:
            self.sweep()
            self.due = self.made + 8 * self.count_nodes()
        self.made += len(steps) + 1
        return super().replay(steps)

    def count_nodes(self) -> int:
        return self.size

    def key(self, state: Hashable, depth: int, terminal: bool) -> Hashable:
        return state, depth, terminal

    def follow(self, node: PlainNode, step: Step) -> tuple[PlainNode, bool]:
        depth = node.depth + (0 if self.by_state else 1)
        key = self.key(step.state, depth, step.terminal)
        created = key not in self.nodes
        if created:
            child = self.nodes[key] = PlainNode(self.rules, step.state, depth, step.terminal)
            self.ways[id(child)] = Ways(child)
            self.size += 1
        return self.nodes[key], created

    def q(self, node: PlainNode, action: int) -> float:
        return self.ways[id(node)].w[action] / node.count[action]

    def h(self, node: PlainNode, action: int) -> float:
        return self.ways[id(node)].h[action] / node.count[action] if node.count[action] else 0.0

    def state_value(self, node: PlainNode, reference: np.ndarray | None) -> float:
        if self.family != "mean":
            return super().state_value(node, reference)
        ways = self.ways[id(node)]
        own = 1 if self.growth == "leaf" and node is not self.root else 0
        return (own * ways.v_init + math.fsum(ways.w.values())) / (own + sum(node.count.values()))

    def compute_edge(self, node: PlainNode, action: int) -> None:
        """W = sum of rewards + discount n V, and the discounted sum of n H_V."""
        ways, gamma = self.ways[id(node)], self.rules.discount
        seen = ways.seen[action].values()
        ways.w[action] = math.fsum(math.fsum(paid) + gamma * len(paid) * child.value for child, paid in seen)
        ways.h[action] = gamma * math.fsum(len(paid) * child.entropy for child, paid in seen)

    def compute_node(self, node: PlainNode) -> None:
        """V and H_V, from the edges as they are."""
        node.value = self.state_value(node, None)
        if self.bonus:
            self.enter_entropy(node)

    def enter_entropy(self, node: PlainNode) -> None:
        """H_V = H(pi) + sum of pi H_Q, for the policy of the last visit."""
        pi = self.ways[id(node)].pi
        if pi is not None:
            node.entropy = node.sign * (self.entropy_of(pi, None) + float((pi * self.mover_h(node)).sum()))

    def back_up(self, path: list[Visit], leaf: PlainNode) -> None:
        value = 0.0 if leaf.ended else leaf.value
        self.totals.append(self.total(path, value))  # before any value is computed at a temperature
        if leaf.visits == 1:
            self.ways[id(leaf)].v_init = value
        after = leaf
        for visit in reversed(path):
            node, action = visit.node, visit.step.action
            value = visit.step.reward + self.rules.discount * value
            self.lowest, self.highest = min(self.lowest, value), max(self.highest, value)
            node.count[action] += 1
            node.returns[action].append(value)  # only to say that it was tried
            ways = self.ways[id(node)]
            ways.pi = visit.backup_pi
            ways.seen[action].setdefault(id(after), (after, []))[1].append(visit.step.reward)
            for a in node.tried if node.visits % len(node.actions) == 0 else [action]:
                self.compute_edge(node, a)
            self.compute_node(node)
            after = node

    def sweep(self) -> None:
        """Compute everything, from the deepest nodes up; of one depth, the newest first."""
        for _, node in sorted(enumerate(self.nodes.values()), key=lambda item: (-item[1].depth, -item[0])):
            if node.tried:
                for action in node.tried:
                    self.compute_edge(node, action)
                self.compute_node(node)

    def settle(self) -> None:
        """What is shown."""
        self.sweep()


class SharedByState(SharedTree):
    """Nodes shared by state: a trial ends where it has been, or when it is as long as the horizon."""

    by_state = True

    def decide(self, node: PlainNode, step: Step, path: list[Visit]) -> Visit:
        """The entropy value is of the policy just drawn from, should the trial come back here."""
        visit = super().decide(node, step, path)
        if self.bonus:
            self.ways[id(node)].pi = visit.backup_pi
            self.enter_entropy(node)
        return visit

    def cut(self, node: PlainNode, created: bool, path: list[Visit]) -> bool:
        if node.terminal or (created and self.growth == "leaf"):
            return False
        return len(path) >= self.rules.horizon or any(visit.node is node for visit in path)

    def settle(self) -> None:
        """The same again and again, until nothing changes."""
        while True:
            before = [(node.value, node.entropy) for node in self.nodes.values()]
            self.sweep()
            if np.allclose(before, [(n.value, n.entropy) for n in self.nodes.values()], rtol=1e-13, atol=1e-13):
                return
