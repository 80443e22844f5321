"""The problems of the suite, by name."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from functools import cache, partial

import numpy as np

from ... import problems
from ...errors import ParameterError
from ...messages import did_you_mean
from ...problem.problem import Problem
from . import graphs, worlds
from .case import Case
from .decisions import Regret
from .drawing import Draw, drawn
from .endings import connect_four_ending
from .horizons import LIMIT
from .simulated import has_gymnasium, has_rddl, simulated_cases

RANDOM: dict[str, tuple[Draw, int]] = {
    "dense": (graphs.dense, 29),
    "sparse": (graphs.sparse, 29),
    "traps": (graphs.traps, 29),
    "distractors": (graphs.distractors, 29),
    "mazes": (worlds.maze, 28),
    "paths": (worlds.shortest_path, 28),
    "inventories": (worlds.inventory, 28),
}
"""The kinds of random problems, and how many of each are provable: 200 together."""

LARGE: dict[str, tuple[Draw, int]] = {
    "large mazes": (partial(worlds.maze, smallest=25, largest=45), 6),
    "large paths": (partial(worlds.shortest_path, smallest=500, largest=1500), 6),
    "large inventories": (partial(worlds.inventory, smallest=40, largest=90), 6),
    "large lakes": (partial(worlds.frozen_lake, size=30), 6),
}
"""The kinds of random problems that are too large to prove, and how many of each."""

LARGEST = 5_000_000
"""Triples that a large problem has at most, so that it can be solved."""

_FEW, _MANY = Regret(6), Regret(12)


def cases() -> list[Case]:
    """All problems of the suite that can be made with what is installed."""
    return list(_all().values())


def case_named(name: str) -> Case:
    """A problem of the suite by its name."""
    found = _all().get(name)
    if found is None:
        raise ParameterError(f"problem {name!r}: must be a problem of the suite{did_you_mean(name, _all())}")
    return found


def missing() -> list[str]:
    """What cannot be made here, and why, in words."""
    absent = [] if has_gymnasium() else ["Gymnasium's environments: pip install 'boltree[gym]'"]
    return absent + ([] if has_rddl() else ["planning problems in RDDL: pip install 'boltree[rddl]'"])


@cache
def _all() -> dict[str, Case]:
    return {case.name: case for part in _PARTS for case in part()}


def _known() -> Iterator[Case]:
    """The paper's problems."""
    makers: dict[str, tuple[str, Callable[[], Problem]]] = {
        "d-chain": ("chains", lambda: problems.DChain(10)),
        "d-chain-20": ("chains", lambda: problems.DChain(20)),
        "d-chain-modified": ("chains", lambda: problems.DChain(10, 0.5)),
        "d-chain-20-modified": ("chains", lambda: problems.DChain(20, 0.5)),
        "adapted-chain": ("chains", lambda: problems.AdaptedChain(10)),
        "average-return-trap": ("chains", lambda: problems.AverageReturnTrap(10)),
        "frozen-lake-8x8": ("frozen lakes", lambda: problems.FrozenLake("8x8")),
        "frozen-lake-8x12": ("frozen lakes", lambda: problems.FrozenLake("8x12")),
        "frozen-lake-8x12-test": ("frozen lakes", lambda: problems.FrozenLake("8x12-test")),
        "sailing-4": ("sailing", lambda: problems.Sailing(4, "N")),
        "sailing-5": ("sailing", lambda: problems.Sailing(5, "SE")),
        "sailing-6": ("sailing", lambda: problems.Sailing(6, "SE")),
        "sailing-6-n": ("sailing", lambda: problems.Sailing(6, "N")),
    }
    for name, (family, make) in makers.items():
        yield Case(name, family, "provable", make, _FEW)


def _gymnasium() -> Iterator[Case]:
    """Gymnasium's tables."""
    if not has_gymnasium():
        return
    from ...adapters import from_gymnasium

    makers: dict[str, Callable[[], Problem]] = {
        "cliff-walking": lambda: from_gymnasium("CliffWalking-v1", horizon=50),
        "slippery-lake-4x4": lambda: from_gymnasium("FrozenLake-v1", map_name="4x4", horizon=100),
        "slippery-lake-8x8": lambda: from_gymnasium("FrozenLake-v1", map_name="8x8", horizon=100),
        "taxi": _taxi,
    }
    for name, make in makers.items():
        yield Case(name, "gymnasium", "provable", make, _FEW)


def _planning() -> Iterator[Case]:
    """First instances in RDDL that are small enough for a table."""
    if not has_rddl():
        return
    from ...adapters import from_rddl

    for name in ("Navigation", "CrossingTraffic", "SkillTeaching", "Elevators"):
        make = partial(from_rddl, f"{name}_MDP_ippc2011", "1")
        yield Case(f"rddl-{name.lower()}", "rddl tables", "provable", make, _FEW)


def _taxi() -> Problem:
    """Taxi from one of its starts: at the upper left, the passenger waits at Y and wants to B."""
    gymnasium = importlib.import_module("gymnasium")
    taxi = gymnasium.make("Taxi-v4").unwrapped
    return problems.OutcomeTable(taxi.P, horizon=25, start=int(taxi.encode(0, 0, 2, 3)))


_SMALL_GAMES: dict[str, Callable[[], Problem]] = {
    "tic-tac-toe": problems.TicTacToe,
    "nim-1-3-5-7-misere": problems.Nim,
    "nim-3-4-5-misere": lambda: problems.Nim((3, 4, 5)),
    "nim-3-4-5": lambda: problems.Nim((3, 4, 5), misere=False),
    "nim-2-3-4-5": lambda: problems.Nim((2, 3, 4, 5), misere=False),
    "kalah-2x4": lambda: problems.Kalah(2, 4),
    "kalah-3x1": lambda: problems.Kalah(3, 1),
    "kalah-3x2": lambda: problems.Kalah(3, 2),
    "kalah-4x1": lambda: problems.Kalah(4, 1),
}
"""Whole games; Kalah by its houses and the seeds in each."""


def _small_games() -> Iterator[Case]:
    for name, make in _SMALL_GAMES.items():
        yield Case(name, "games", "provable", make, _FEW)
    for number in range(8):
        ending = partial(connect_four_ending, number)
        yield Case(f"connect-four-ending-{number}", "games", "provable", ending, _FEW)


def _random() -> Iterator[Case]:
    """200 random problems of several kinds."""
    for kind, (draw, count) in RANDOM.items():
        for number in range(count):
            yield Case(f"{kind}-{number}", kind, "provable", partial(_drawn, kind, draw, number), _FEW)


def _large() -> Iterator[Case]:
    """Problems that can be solved, but are too large to prove in a few seconds."""
    for wind in ("SE", "N", "W", "S"):
        make = partial(problems.Sailing, 20, wind, horizon=100)
        yield Case(f"sailing-20-{wind.lower()}", "large sailing", "large", make, _MANY)
    for kind, (draw, count) in LARGE.items():
        for number in range(count):
            name = f"{kind.replace(' ', '-')}-{number}"
            yield Case(name, kind, "large", partial(_drawn, kind, draw, number, LARGEST, LIMIT), _MANY)


def _hidden() -> Iterator[Case]:
    """The first large problems of each kind once more, as simulators."""
    for case in _large():
        number = case.name.rpartition("-")[2]
        if number in ("se", "n", "0", "1"):
            family = case.family.replace("large", "simulated")
            yield Case(f"{case.name}-simulated", family, "large", case.make, Regret(_MANY.positions, hidden=True))


def _drawn(kind: str, draw: Draw, number: int, limit: int = LIMIT, least: int = 0) -> Problem:
    seed = [number, *kind.encode()]
    return drawn(draw, np.random.default_rng(seed), limit, least)


_PARTS = (_known, _gymnasium, _planning, _small_games, _random, _large, _hidden, simulated_cases)
