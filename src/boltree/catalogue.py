"""Problems and settings by name: what the command line offers, with the paper's tuned parameters (tables 3 and 4)."""

from __future__ import annotations

import ast
import importlib
import os
import re
import sys
from collections.abc import Callable
from typing import Any

from . import problems
from .algorithms.schedules import log_decay
from .algorithms.table import BTS, DENTS, HMCTS, MENTS, RENTS, TENTS, UCT, Algorithm
from .errors import ParameterError
from .messages import did_you_mean
from .problem.problem import Problem

PROBLEMS: dict[str, Callable[[], Problem]] = {
    "frozen-lake": lambda: problems.FrozenLake("8x12-test"),
    "frozen-lake-8x8": lambda: problems.FrozenLake("8x8"),
    "frozen-lake-8x12": lambda: problems.FrozenLake("8x12"),
    "sailing": lambda: problems.Sailing(6, "SE"),
    "sailing-n": lambda: problems.Sailing(6, "N"),
    "d-chain": lambda: problems.DChain(10),
    "d-chain-modified": lambda: problems.DChain(10, 0.5),
    "d-chain-20": lambda: problems.DChain(20),
    "d-chain-20-modified": lambda: problems.DChain(20, 0.5),
    "tic-tac-toe": lambda: problems.TicTacToe(),
    "connect-four": lambda: problems.ConnectFour(),
    "hex": lambda: problems.Hex(7),
    "breakthrough": lambda: problems.Breakthrough(6, 6),
    "othello": lambda: problems.Othello(8),
    "nim": lambda: problems.Nim((1, 3, 5, 7)),
    "kalah": lambda: problems.Kalah(6, 4),
    "tiger": lambda: problems.Tiger(),
    "rock-sample": lambda: problems.RockSample(7, 8),
    "tag": lambda: problems.Tag(),
    "pocman": lambda: problems.Pocman(),
}

TOO_LARGE = ("connect-four", "hex", "breakthrough", "othello", "kalah")
"""Problems that are known to have too many states for exact values."""


PROBLEMS_HELP = (
    f"{', '.join(PROBLEMS)} (frozen-lake is the paper's 8x12 map for testing, frozen-lake-8x12 the one it tunes on); a "
    'class such as "DChain(12)"; or module:object of your own'
)
"""The help of the argument `problem`, which several commands have."""


def problem_named(name: str) -> Problem:
    """A problem by its name, by its class and arguments, or by an import path.

    ``"frozen-lake"`` is a name of this catalogue, ``"DChain(12, final_reward=0.5)"`` a class of `bt.problems`, and
    ``"module:object"`` a problem, or a function or class that makes one, with arguments if need be: ``"mine:maze(8)"``.

    >>> problem_named("DChain(12, final_reward=0.5)").horizon
    100
    """
    if name in PROBLEMS:
        return PROBLEMS[name]()
    path, arguments, keywords = _call(name)
    if ":" in path:
        found = _imported(name, path)
    elif path in problems.__all__:
        found = getattr(problems, path)
    else:
        if re.fullmatch(r"[\w/-]+-v\d+", name):
            raise ParameterError(
                f"problem {name!r}: must be a problem; of an environment of Gymnasium's, write "
                f"\"boltree:from_gymnasium('{name}')\""
            )
        known = [*PROBLEMS, *problems.__all__] if path == name else problems.__all__
        raise ParameterError(
            f"problem {name!r}: must be one of {', '.join(PROBLEMS)}, a class such as DChain(12), or module:object"
            + did_you_mean(path, known)
        )
    try:
        made = found(*arguments, **keywords) if callable(found) and not isinstance(found, Problem) else found
    except TypeError as error:
        raise ParameterError(f"problem {name!r}: {error}") from error
    if not isinstance(made, Problem):
        raise ParameterError(f"problem {name!r}: is a {type(made).__name__}, must be a bt.Problem or make one")
    return made


def _call(name: str) -> tuple[str, list[Any], dict[str, Any]]:
    """``"path(1, key='x')"`` as the path and its arguments, which must be plain values."""
    path, bracket, rest = name.partition("(")
    if not bracket:
        return name, [], {}
    try:
        call = ast.parse("f(" + rest, mode="eval").body
        assert isinstance(call, ast.Call)
        keywords = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
        return path, [ast.literal_eval(argument) for argument in call.args], keywords
    except (SyntaxError, ValueError, AssertionError):
        raise ParameterError(
            f"problem {name!r}: arguments must be plain values, such as DChain(12, final_reward=0.5)"
        ) from None


def _imported(name: str, path: str) -> Any:
    module, _, attribute = path.partition(":")
    if "" not in sys.path and os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())  # modules in the current folder are found, as by `python -m`
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise ParameterError(
            f"problem {name!r}: {error} (write module:object, such as mine:problem for mine.py)"
        ) from error


def tuned_algorithms(name: str) -> list[Algorithm]:
    """The algorithms the paper compares, with its settings for this kind of problem."""
    settings: dict[str, Any]
    if name.startswith("sailing"):
        settings = {"q_init": -200.0}
        return [
            MENTS(alpha=10.0, epsilon=1.0, **settings),
            RENTS(alpha=10.0, epsilon=1.0, **settings),
            TENTS(alpha=0.1, epsilon=2.0, **settings),
            BTS(alpha=10.0, epsilon=1.0, **settings),
            DENTS(alpha=10.0, beta=log_decay(10.0), epsilon=1.0, **settings),
            UCT(c="auto"),
            HMCTS(c="auto", threshold=30),
        ]
    if name.startswith("frozen-lake"):
        return [
            MENTS(alpha=0.001, epsilon=1.0),
            RENTS(alpha=0.001, epsilon=2.0),
            TENTS(alpha=0.001, epsilon=1.0),
            BTS(alpha=0.1, epsilon=2.0),
            DENTS(alpha=0.1, beta=log_decay(1.0), epsilon=1.0),
            UCT(c="auto"),
            HMCTS(c="auto", threshold=3000),
        ]
    if "chain" not in name.lower():  # no tuned settings: the search finds its own temperatures
        return [MENTS(), BTS(), DENTS(), UCT(c="auto")]
    return [
        MENTS(alpha=1.0, epsilon=0.1),
        BTS(alpha=1.0, epsilon=0.1),
        DENTS(alpha=1.0, beta=log_decay(1.0), epsilon=0.1),
        UCT(c="auto"),
    ]
