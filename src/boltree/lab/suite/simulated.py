"""Problems that can only be simulated: Gymnasium's environments, planning problems in RDDL, and games, as cases."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator
from functools import partial
from typing import Any

from ... import problems
from ...problem.problem import Problem
from .case import Case
from .episodes import Episodes, GamesWon

_RDDL = ("SysAdmin_MDP_ippc2011", "GameOfLife_MDP_ippc2011", "AcademicAdvising_MDP_ippc2014", "Wildfire_MDP_ippc2014")
"""Domains whose first instance has too many states to list."""


def simulated_cases() -> Iterator[Case]:
    """Every case for which the packages are there."""
    if has_gymnasium():
        yield from _environments()
    if has_rddl():
        for domain in _RDDL:
            name = "rddl-" + domain.partition("_")[0].lower()
            yield Case(name, "rddl", "large", partial(_planning, domain), Episodes(1, 6))
    yield from _games()


def has_gymnasium() -> bool:
    """Whether Gymnasium's environments can be made."""
    return importlib.util.find_spec("gymnasium") is not None


def has_rddl() -> bool:
    """Whether planning problems in RDDL can be made."""
    return all(importlib.util.find_spec(name) is not None for name in ("pyRDDLGym", "rddlrepository"))


def _environments() -> Iterator[Case]:
    """Each with how often an action is repeated, how many actions a plan looks ahead, and how it is measured."""
    table = {
        "cart-pole": ("CartPole-v1", 2, 12, Episodes(1, 40)),
        "acrobot": ("Acrobot-v1", 6, 15, Episodes(1, 20)),
        "mountain-car": ("MountainCar-v0", 10, 14, Episodes(1, 20)),
        "blackjack": ("Blackjack-v1", 1, 12, Episodes(100, 12)),
    }
    for name, (environment, repeated, ahead, measure) in table.items():
        make = partial(_environment, environment, repeated, ahead)
        yield Case(name, "simulated control" if repeated > 1 else "blackjack", "large", make, measure)


def _environment(name: str, repeated: int, ahead: int) -> Problem:
    from ...adapters import from_gymnasium

    gymnasium = importlib.import_module("gymnasium")

    class Repeated(gymnasium.Wrapper):  # type: ignore[misc, name-defined]
        """Takes every action several times and adds up the rewards."""

        def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
            total = 0.0
            for _ in range(repeated):
                observation, reward, terminated, truncated, info = self.env.step(action)
                total += float(reward)
                if terminated or truncated:
                    break
            return observation, total, terminated, truncated, info

    return from_gymnasium(Repeated(gymnasium.make(name)), horizon=ahead, discount=1.0)


def _planning(domain: str) -> Problem:
    from ...adapters import from_rddl

    return from_rddl(domain, "1", horizon=5, discount=1.0, table=False, compiled=False)


def _games() -> Iterator[Case]:
    makers: dict[str, Any] = {
        "connect-four": (problems.ConnectFour, 4),
        "othello-6x6": (partial(problems.Othello, 6), 4),
        "hex-5x5": (partial(problems.Hex, 5), 2),
    }
    for name, (make, opening) in makers.items():
        yield Case(name, "large games", "large", make, GamesWon(40, opening))
