"""What a search expects to happen: its best actions, each followed by the likeliest outcome."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..tree import Node, Tree

LONGEST_LINE = 200
"""The most steps of a line."""


@dataclass(frozen=True)
class PlannedStep:
    """A step of a line: the best action in a state. Its value is the state's; visits are 0 beyond the tree.

    Where states are hidden, `state` is what was observed before the action; None at first.
    """

    state: Any
    action: Any
    name: str
    value: float
    visits: int


class PlannedLine(tuple[PlannedStep, ...]):
    """The steps of a line, a tuple, which prints as a table."""

    __slots__ = ()

    def __str__(self) -> str:
        from ..terminal import table

        if not self:
            return "nothing is known of what comes next"
        return table(
            ["step", "action", "value", "visits"],
            [[f"{i}", step.name, f"{step.value:.4g}", f"{step.visits:,}"] for i, step in enumerate(self, 1)],
        )


def line_of(tree: Tree, node: Node | None, steps: int = LONGEST_LINE) -> PlannedLine:
    """The best actions from a node of a tree on, each followed by its likeliest outcome: as far as values are known."""
    line: list[PlannedStep] = []
    assert node is not None
    if tree.problem.hidden:
        return _line_of_histories(node, steps)
    here, left = node.state_record, tree.horizon - node.depth
    problem, exact = tree.problem, tree.exact
    while here is not None and left > 0 and len(line) < steps:
        action = None if node is None else node.recommended
        if node is not None and action is not None:
            visits = int(node.visits[node.place_of(action)])
            line.append(PlannedStep(node.state, action, node.action_name(action), node.value, visits))
            outcomes, chances = node.outcomes(action), node.chances(action)
        else:
            outcomes, chances = [], np.zeros(0)
        if outcomes:
            node = outcomes[int(chances.argmax())]
            here = None if node.terminal else node.state_record
        else:
            best = None if exact is None else exact.best(here, left, action)
            if best is None:
                break
            chosen, value, following = best
            if action is None:
                state = problem.present(here)
                line.append(PlannedStep(state, chosen, problem.action_name_in(state, chosen), value, 0))
            node, here = None, following
        left -= 1
    return PlannedLine(line)


def _line_of_histories(node: Node, steps: int) -> PlannedLine:
    """`line_of` where states are hidden: the best actions, each followed by its likeliest observation."""
    line: list[PlannedStep] = []
    while (action := node.recommended) is not None and len(line) < steps:
        visits = int(node.visits[node.place_of(action)])
        line.append(PlannedStep(node.observation, action, node.action_name(action), node.value, visits))
        outcomes = node.outcomes(action)
        node = outcomes[int(node.arrivals(action).argmax())]
    return PlannedLine(line)
