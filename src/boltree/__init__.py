"""Boltree: Monte-Carlo tree search with Boltzmann exploration.

>>> import boltree as bt
>>> problem = bt.problems.FrozenLake("8x12-test")
>>> search = bt.Search(problem, bt.DENTS(alpha=0.1, beta=bt.log_decay(1.0)), seed=0, growth="trial")
>>> search.run(trials=20_000)
'trials'
>>> 0.6 < bt.value_of(search) < 0.99**18
True
"""

from . import go, problems
from .acting import Episode, act
from .adapters import from_gymnasium, from_openspiel, from_pettingzoo, from_rddl
from .agent import Agent
from .algorithms import (
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
from .batches import Together
from .checking import check
from .errors import ParameterError, ProblemError
from .evaluate import Estimate, sample_value, simple_regret, value_of
from .evaluators import Cached, Evaluator
from .generator import integer, uniform
from .many import Searches, search_many
from .problem import Problem
from .python_problem import PythonProblem
from .records import record
from .scenes import Board, Chain, Grid
from .schedules import log_decay, sqrt_decay
from .search import Search
from .solve import Solution, solve
from .tree import Node
from .tree.survey import Survey
from .viewer import Watched, watch

__version__ = "0.1.0"

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
    "Board",
    "Cached",
    "Chain",
    "Custom",
    "Episode",
    "Estimate",
    "Evaluator",
    "Grid",
    "Node",
    "ParameterError",
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
    "check",
    "from_gymnasium",
    "from_openspiel",
    "from_pettingzoo",
    "from_rddl",
    "go",
    "integer",
    "log_decay",
    "problems",
    "record",
    "sample_value",
    "search_many",
    "simple_regret",
    "solve",
    "sqrt_decay",
    "uniform",
    "value_of",
    "watch",
]
