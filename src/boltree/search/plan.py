"""``bt.plan``: the right action for a problem, with nothing to choose; and a proof where one can be had."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Any, Union

from ..checks import whole
from ..messages import counted
from ..problem.problem import Problem
from ..problem.python.problem import PythonProblem
from ..tree import Node
from ..tree.proof_text import WITHIN, after_value, bounds_text
from ..tree.summary import DIM, PAGE, table_html
from .line import PlannedLine
from .search import Search

MOST_ALTERNATIVES = 8
"""The most actions that a printed plan lists."""

LONGEST_SHOWN = 12
"""The most steps of its line that a printed plan lists."""


@dataclass(frozen=True)
class Alternative:
    """An action that could be taken: what it is worth by the search, and surely at least and at most."""

    action: Any
    name: str
    value: float
    lower: float
    upper: float
    visits: int

    @property
    def proven(self) -> bool:
        """Whether its value is proven to be exact."""
        return self.lower == self.upper


@dataclass(frozen=True)
class Plan:
    """What a search recommends, and what it knows of it. Values are player 0's.

    Attributes:
        action: the recommended action.
        name: what it is called.
        value: what acting best from here is worth, as far as the search knows.
        lower, upper: what it is worth at least and at most, surely; infinite where nothing is known.
        proven: whether the value is proven to be exact, so that no better action exists.
        line: what it expects to happen: its best actions with the likeliest outcomes.
        alternatives: every action that could be taken, the best first.
        trials: trials run.
        seconds: how long it took, without compiling.
        search: the search itself: run it on, advance it, watch it.
    """

    action: Any
    name: str
    value: float
    lower: float
    upper: float
    proven: bool
    line: PlannedLine
    alternatives: tuple[Alternative, ...]
    trials: int
    seconds: float
    search: Search

    def __repr__(self) -> str:
        return f"<Plan {_called(self.action, self.name)}: value {self.value:.6g}{', proven' if self.proven else ''}>"

    def __str__(self) -> str:
        return plan_text(self)

    def _repr_html_(self) -> str:
        title, *facts = _head(self)
        below = "".join(f'<div style="{DIM}">{escape(fact)}</div>' for fact in facts)
        return f'<div style="{PAGE}"><div><b>{escape(title)}</b></div>{below}{table_html(self.search.root)}</div>'


def plan(
    problem: Problem,
    *,
    seconds: float | None = None,
    trials: int | None = None,
    state: Any = None,
    seed: int | None = None,
    threads: int = 1,
    progress: Union[bool, Callable[[Search], object], None] = None,
) -> Plan:
    """Search a problem and say what to do, with no algorithm, temperature or tree to choose.

    Args:
        problem: the problem.
        seconds: at most so long, but for one trial at least; 1 second where neither this nor `trials` is given.
        trials: at most this number of trials, 1 or more. It ends sooner where the value is proven.
        state: where to plan from; the problem's own start if None.
        seed: of the random numbers.
        threads: how many run trials side by side; one where actions are drawn from boxes.
        progress: True for a line on the terminal, or a function called between chunks of trials.

    >>> import boltree as bt
    >>> found = bt.plan(bt.problems.DChain(10), seed=0)
    >>> found.action, found.value, found.proven
    (1, 1.0, True)
    """
    whole("trials", trials, 1, none=True)
    if seconds is None and trials is None:
        seconds = 1.0
    search = Search(problem, state=state, seed=seed, threads=threads)
    began = time.perf_counter()
    search.run(trials=1)  # there is an answer, however little time there is; and what must be compiled is
    if not isinstance(problem, PythonProblem):
        began = time.perf_counter()
    left = None if seconds is None else max(0.0, seconds - (time.perf_counter() - began))
    search.run(trials=None if trials is None else trials - 1, seconds=left, progress=progress)
    return plan_of(search, time.perf_counter() - began)


def plan_of(search: Search, seconds: float) -> Plan:
    """What a search recommends as it stands now."""
    root = search.root
    action = search.recommend()
    alternatives = alternatives_of(root, root.place_of(action))
    return Plan(
        action=action,
        name=root.action_name(action),
        value=root.value if root.proven else alternatives[0].value,
        lower=root.lower,
        upper=root.upper,
        proven=root.proven,
        line=search.line(),
        alternatives=alternatives,
        trials=search.trials,
        seconds=seconds,
        search=search,
    )


def alternatives_of(root: Node, chosen: int) -> tuple[Alternative, ...]:
    """Every action of a node: the chosen one, given by its place, and the others from the best on."""
    sign = -1.0 if root.player == 1 else 1.0
    actions = [root.action_at(i) for i in range(len(root.actions))]
    rows = [
        Alternative(
            action,
            root.action_name(action),
            float(lower if lower == upper else q),
            float(lower),
            float(upper),
            int(visits),
        )
        for action, q, (lower, upper), visits in zip(actions, root.q, root.action_bounds, root.visits, strict=True)
    ]
    best = rows.pop(chosen)
    rows.sort(key=lambda one: (math.isnan(one.value), -sign * one.value))
    return (best, *rows)


def plan_text(found: Plan) -> str:
    """A plan as a person would like to read it: the action, how sure it is, what else there is, what comes next."""
    lines = _head(found)
    heads = ("", "action", "value", WITHIN, "visits")
    table = [
        (
            " " if place else "*",
            _called(one.action, one.name),
            "-" if math.isnan(one.value) else f"{one.value:.4g}",
            bounds_text(one.lower, one.upper),
            f"{one.visits:,}",
        )
        for place, one in enumerate(found.alternatives[:MOST_ALTERNATIVES])
    ]
    if not any(row[3] for row in table):
        heads, table = (*heads[:3], heads[4]), [(*row[:3], row[4]) for row in table]  # type: ignore[assignment, misc]
    widths = [max(len(row[i]) for row in (heads, *table)) for i in range(len(heads))]
    for row in (heads, *table):
        cells = [
            cell.ljust(width) if i < 2 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  " + "  ".join(cells).rstrip())
    if len(found.alternatives) > MOST_ALTERNATIVES:
        lines.append(f"     ... and {len(found.alternatives) - MOST_ALTERNATIVES:,} more")
    if len(found.line) > 1:
        shown = ", ".join(step.name for step in found.line[:LONGEST_SHOWN])
        more = len(found.line) - LONGEST_SHOWN
        lines.append(f"  expects: {shown}{f', ... ({more} more)' if more > 0 else ''}")
    return "\n".join(lines)


def _head(found: Plan) -> list[str]:
    sure = after_value(bounds_text(found.lower, found.upper))
    return [
        f"{found.search.problem.display_name()}: {_called(found.action, found.name)}, value {found.value:.6g}{sure}",
        f"  {counted(found.trials, 'trial')} in {found.seconds:.2f} s, {counted(found.search.size, 'node')}",
    ]


def _called(action: Any, name: str) -> str:
    return name if name == str(action) or not isinstance(action, int) else f"{name} ({action})"
