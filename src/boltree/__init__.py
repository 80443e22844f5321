"""Boltree: Monte-Carlo tree search with Boltzmann exploration.

>>> import boltree as bt
>>> problem = bt.problems.FrozenLake("8x12-test")
>>> search = bt.Search(problem, bt.DENTS(alpha=0.1, beta=bt.log_decay(1.0)), seed=0, growth="trial")
>>> search.run(trials=20_000)
'trials'
>>> 0.6 < bt.value_of(search) < 0.99**18
True
"""

from typing import TYPE_CHECKING

from . import problems
from .algorithms.anchored import anchored
from .algorithms.schedules import log_decay, spectrum, spread, sqrt_decay
from .algorithms.table import (
    ANTS,
    ARBTS,
    ARDENTS,
    ARMENTS,
    ARRENTS,
    ARTENTS,
    BRUE,
    BTS,
    DENTS,
    HMCTS,
    MENTS,
    PUCT,
    RENTS,
    TENTS,
    UCT,
    Algorithm,
    Custom,
    PowerUCT,
    StochasticPowerUCT,
    Uniform,
    algorithm,
)
from .belief.belief import Belief
from .errors import ParameterError, ProblemError
from .evaluators import Cached, Evaluator
from .lazy import lazy_names
from .problem.boxes import box
from .problem.problem import Problem
from .problem.python.problem import PythonProblem
from .problem.random import integer, uniform
from .problem.record import record
from .problem.scene import Board, Chain, Grid
from .search.act import Episode, Planner, act
from .search.search import Search
from .search.viewing import Page, use_viewer
from .tree import Node
from .tree.survey import Survey
from .version import __version__ as __version__

if TYPE_CHECKING:  # a type checker sees every name, and that there are no others
    from . import adapters as adapters
    from . import go
    from . import lab as lab
    from . import viewer as viewer
    from .adapters import from_gymnasium, from_openspiel, from_pettingzoo, from_pomdp, from_rddl
    from .adapters.agent import Agent
    from .batches.together import Together
    from .exact.beliefs import BeliefSolution
    from .exact.evaluate import Estimate, sample_value, simple_regret, value_of
    from .exact.solution import Solution
    from .exact.solve import solve
    from .jobs.evaluate import evaluate
    from .jobs.evaluation import Evaluation
    from .problem.check import check
    from .search.many import Searches, search_many
    from .search.plan import Plan, plan
    from .viewer import Watched, watch
else:  # a search needs none of these, so that what they import is imported when they are first used
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "Agent": ".adapters.agent",
            "BeliefSolution": ".exact.beliefs",
            "Estimate": ".exact.evaluate",
            "Evaluation": ".jobs.evaluation",
            "Plan": ".search.plan",
            "Searches": ".search.many",
            "Solution": ".exact.solution",
            "Together": ".batches.together",
            "Watched": ".viewer",
            "adapters": ".adapters",
            "check": ".problem.check",
            "evaluate": ".jobs.evaluate",
            "from_gymnasium": ".adapters",
            "from_openspiel": ".adapters",
            "from_pettingzoo": ".adapters",
            "from_pomdp": ".adapters",
            "from_rddl": ".adapters",
            "go": ".go",
            "lab": ".lab",
            "plan": ".search.plan",
            "sample_value": ".exact.evaluate",
            "search_many": ".search.many",
            "simple_regret": ".exact.evaluate",
            "solve": ".exact.solve",
            "value_of": ".exact.evaluate",
            "viewer": ".viewer",
            "watch": ".viewer",
        },
    )


def _show(search: Search, trials: int | None) -> Page:
    """What ``search.watch()`` calls."""
    from .viewer import watch as show_searches

    return show_searches(search, trials)


use_viewer(_show)


__all__ = [
    "ANTS",
    "ARBTS",
    "ARDENTS",
    "ARMENTS",
    "ARRENTS",
    "ARTENTS",
    "BRUE",
    "BTS",
    "DENTS",
    "HMCTS",
    "MENTS",
    "PUCT",
    "RENTS",
    "TENTS",
    "UCT",
    "Agent",
    "Algorithm",
    "Belief",
    "BeliefSolution",
    "Board",
    "Cached",
    "Chain",
    "Custom",
    "Episode",
    "Estimate",
    "Evaluation",
    "Evaluator",
    "Grid",
    "Node",
    "ParameterError",
    "Plan",
    "Planner",
    "PowerUCT",
    "Problem",
    "ProblemError",
    "PythonProblem",
    "Search",
    "Searches",
    "Solution",
    "StochasticPowerUCT",
    "Survey",
    "Together",
    "Uniform",
    "Watched",
    "act",
    "algorithm",
    "anchored",
    "box",
    "check",
    "evaluate",
    "from_gymnasium",
    "from_openspiel",
    "from_pettingzoo",
    "from_pomdp",
    "from_rddl",
    "go",
    "integer",
    "log_decay",
    "plan",
    "problems",
    "record",
    "sample_value",
    "search_many",
    "simple_regret",
    "solve",
    "spectrum",
    "spread",
    "sqrt_decay",
    "uniform",
    "value_of",
    "watch",
]
