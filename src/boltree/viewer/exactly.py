"""What a problem is worth exactly, where that is quickly found."""

from __future__ import annotations

from ..errors import ProblemError
from ..exact.solve import solve
from ..problem.python.problem import PythonProblem
from ..search.search import Search

STATES, PLAIN_STATES = 50_000, 5_000
"""Problems with more states are not solved for a page; the second of problems in plain Python."""


def optimum_of(search: Search) -> float | None:
    """The exact value of a search's root under the best play; None where that would take long.

    >>> import boltree as bt
    >>> optimum_of(bt.Search(bt.problems.DChain(10), bt.UCT(), seed=0))
    1.0
    >>> optimum_of(bt.Search(bt.problems.ConnectFour(), bt.UCT(), seed=0)) is None
    True
    """
    problem, root = search.problem, search.root
    if problem.hidden or not (problem.has("outcomes") and problem.has("count_outcomes")):
        return None
    most = PLAIN_STATES if isinstance(problem, PythonProblem) else STATES
    try:
        return solve(problem, state=root.state_record, horizon=search.horizon - root.depth, max_states=most).root_value
    except ProblemError:
        return None
