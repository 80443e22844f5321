"""The reference where outcomes are known: an action's value weighs them by the problem's probabilities, not by counts.

Q(s,a) = sum over s' of p(s') (r + discount V(s')) / sum of p(s'),  over the outcomes s' that have a value:
                                                                    those that were visited, and ends
"""

from __future__ import annotations

import math
from typing import Any

from .recorder import Double, ProblemRules
from .reference import PlainNode, Step
from .shared import SharedTree


class KnownRules(ProblemRules):
    """What the reference must know of a problem that lists its outcomes."""

    def outcomes(self, key: Any, action: int) -> list[tuple[float, float, bytes, bool]]:
        """All outcomes of an action with a positive probability: it, the reward, the state, whether it ends."""
        problem, found = self.problem, []
        for k in range(problem.plain_count_outcomes(self._state(key), action)):
            state = self._state(key)
            chance, reward, done = problem.plain_outcome(state, action, k)
            if chance > 0.0:
                found.append((chance, reward, state.memory.tobytes(), done))
        return found


class KnownTree(SharedTree):
    """Nodes shared by state and depth, whose outcomes are weighed by probabilities."""

    rules: KnownRules

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.places = {self.key(self.root.state, 0, False)}

    def count_nodes(self) -> int:
        return len(self.places)

    def follow(self, node: PlainNode, step: Step) -> tuple[PlainNode, bool]:
        """A node is made when its action is listed, and is new to trials until one comes."""
        for _, _, state, done in self.rules.outcomes(node.state, step.action):
            self.places.add(self.key(state, node.depth + 1, done))
        return super().follow(node, step)

    def compute_edge(self, node: PlainNode, action: int) -> None:
        ways, gamma = self.ways[id(node)], self.rules.discount
        mass, total, entropy = [], [], []
        for chance, reward, state, done in self.rules.outcomes(node.state, action):
            child = self.nodes.get(self.key(state, node.depth + 1, done))
            ended = done or node.depth + 1 >= self.rules.horizon
            if child is None and not ended:
                continue
            mass.append(chance)
            total.append(chance * (reward + gamma * (child.value if child is not None else 0.0)))
            entropy.append(chance * (child.entropy if child is not None else 0.0))
        whole = len(mass) == len(self.rules.outcomes(node.state, action))
        scale = node.count[action] / (1.0 if whole else math.fsum(mass))
        ways.w[action], ways.h[action] = scale * math.fsum(total), scale * gamma * math.fsum(entropy)


class KnownDouble(Double):
    """A search that knows outcomes, and its reference; nodes that were only listed are counted, but not compared."""

    def __init__(self, problem: Any, algorithm: Any, growth: str, **options: Any) -> None:
        super().__init__(
            problem,
            algorithm,
            growth,
            tree=KnownTree,
            rules=KnownRules,
            transpositions=True,
            outcomes="known",
            **options,
        )

    def compare_all(self) -> None:
        assert isinstance(self.plain, KnownTree)
        assert self.search.size == len(self.plain.places)
        assert self.plain.size == len(self.ways)
        self.compare(self.ways)
        assert self.search.recommend() in self.plain.recommended(self.plain.root)
