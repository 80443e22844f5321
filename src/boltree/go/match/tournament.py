"""Matches: paired games between two players or, as a round robin, between all of a list; run, kept, gone on with."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from ...errors import LabError, ParameterError
from ...extras import needs
from ...jobs.executors import Executor, Progress
from ..settings import varied
from .contender import Contender, distinct
from .display import MatchDisplay
from .match import Pairing
from .openings import Opening
from .standings import Standings
from .store import MatchStore


@dataclass(frozen=True)
class Tournament:
    """A round robin between all players, or matches of two by two.

    Args:
        players: at least two.
        games: of every two players; half with either colour.
        size: of the board.
        komi: White's points for moving second.
        openings: one for each pair of games, again from the first when there are fewer.
        seed: all random numbers derive from it.
        threads: of a network's evaluations.
        two_by_two: the first player meets only the second, the third only the fourth, and so on.
    """

    players: tuple[Contender, ...]
    games: int
    size: int
    komi: float
    openings: tuple[Opening, ...] = ((),)
    seed: int = 0
    threads: int | None = None
    two_by_two: bool = False

    def __post_init__(self) -> None:
        if len(self.players) < 2:
            raise ParameterError("a match: name two players or more, such as puct ar-bts")
        if self.games < 2 or self.games % 2:
            raise ParameterError(f"--games {self.games}: must be even, as every opening is played with either colour")
        if self.two_by_two and len(self.players) % 2:
            raise ParameterError(f"--two-by-two: {len(self.players)} players, must be an even number of them")
        distinct(self.players, repeated=self.two_by_two)
        met = [frozenset((one.label, other.label)) for one, other in self.meetings()]
        for pair in met if self.two_by_two else ():
            if len(pair) == 1 or met.count(pair) > 1:
                raise ParameterError(f"--two-by-two: {' - '.join(sorted(pair))}: must be two players, and named once")

    @property
    def labels(self) -> list[str]:
        """The players' names."""
        return list(dict.fromkeys(one.label for one in self.players))

    def meetings(self) -> list[tuple[Contender, Contender]]:
        """Who plays against whom."""
        if self.two_by_two:
            return list(zip(self.players[::2], self.players[1::2], strict=True))
        return list(combinations(self.players, 2))

    def pairings(self) -> list[Pairing]:
        """Every game; all matches grow alike."""
        return [
            Pairing(
                black,
                white,
                self.size,
                self.komi,
                self.openings[pair % len(self.openings)],
                pair,
                self.seed,
                self.threads,
            )
            for pair in range(self.games // 2)
            for one, other in self.meetings()
            for black, white in ((one, other), (other, one))
        ]

    def run(self, folder: Path, executor: Executor, shard: tuple[int, int] = (0, 1), *, show: bool = True) -> Standings:
        """Play what is missing, keep it, and read everything."""
        store, pairings = MatchStore(folder), self.pairings()
        first, of = shard
        mine = pairings[first::of]
        todo = store.missing(mine)
        if todo:
            self._play(store, executor, todo, mine, show)
        return Standings(self.labels, store.read(pairings), two_by_two=self.two_by_two)

    def _play(
        self, store: MatchStore, executor: Executor, todo: list[Pairing], mine: Sequence[Pairing], show: bool
    ) -> None:
        needs("sgfmill.sgf", "go")  # every game ends in a record; better refused now than after it was played
        progress, failures = Progress(len(todo)), []
        display = MatchDisplay(self.labels, todo, store.read(mine), len(mine), progress, quiet=not show)
        jobs: Any = todo  # the lab's executors run whatever has run(watch)
        with display, closing(executor.run(jobs, progress, display.tick)) as ending:
            for finished in ending:
                pairing: Any = finished.job
                if finished.columns is None:
                    failures.append(f"{pairing.black.label} against {pairing.white.label}: {finished.failure}")
                else:
                    store.write(pairing, finished.columns, finished.machine)
                    display.finished(pairing, finished.columns)
        if failures:
            raise LabError(
                f"{len(failures)} of {len(mine)} games failed; the others are kept in {store.games}. "
                f"First: {failures[0]}"
            )


def tuned(contender: Contender, parameter: str, numbers: Sequence[float]) -> tuple[Contender, ...]:
    """Players that differ in one parameter, for a round robin."""
    if contender.setting is None:
        raise ParameterError("--tune: an engine's parameters cannot be tuned")
    if len(set(numbers)) < 2:
        raise ParameterError(f"--tune {parameter}: name two different numbers or more, such as 3,1,0.3")
    settings = [varied(contender.setting, parameter, number) for number in numbers]
    return tuple(replace(contender, label=one.label, setting=one) for one in settings)


def verdict(standings: Standings, parameter: str, numbers: Sequence[float]) -> str:
    """Which number won, by the paper's rule; and whether a larger or smaller one should be tried."""
    best = standings.winner()
    number = dict(zip(standings.labels, numbers, strict=True))[best]
    text = f"Best: {best}: it won the most matches (then games)."
    if number == max(numbers):
        text += f" It is the largest tried; try larger {parameter} too."
    elif number == min(numbers):
        text += f" It is the smallest tried; try smaller {parameter} too."
    return text
