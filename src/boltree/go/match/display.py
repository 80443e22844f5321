"""How far a match is, on the terminal: a live table, or a line for each finished game."""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Sequence
from itertools import combinations
from types import TracebackType
from typing import Any

from ...extras import needs
from ...jobs.executors import Progress
from .match import Pairing
from .standings import Line, Standings


class MatchDisplay:
    """A live table in a terminal; elsewhere a line for each game.

    Args:
        labels: the players.
        todo: the games that are to be played.
        lines: those that are finished already.
        total: how many there are in all.
        progress: the moves that running games have come to.
        quiet: show nothing.
    """

    def __init__(
        self,
        labels: Sequence[str],
        todo: Sequence[Pairing],
        lines: Sequence[Line],
        total: int,
        progress: Progress,
        *,
        quiet: bool,
    ) -> None:
        self._todo, self._progress, self._quiet, self._total = todo, progress, quiet, total
        self._standings = Standings(labels, lines)
        met = [(one.black.label, one.white.label) for one in todo] + [(one["black"], one["white"]) for one in lines]
        self._meetings = {frozenset(pair) for pair in met}
        self._kept = len(lines)
        self._ended: set[str] = set()
        self._began = time.monotonic()
        self._live: Any = None

    def __enter__(self) -> MatchDisplay:
        if not self._quiet:
            if self._kept:
                print(f"{self._kept} games are finished already; {len(self._todo)} to go", file=sys.stderr)
            if sys.stderr.isatty() and importlib.util.find_spec("rich") is not None:
                console = needs("rich.console").Console(stderr=True)
                self._live = needs("rich.live").Live(console=console, refresh_per_second=2, get_renderable=self._table)
                self._live.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._live is not None:
            self._live.__exit__(kind, error, at)

    def tick(self) -> None:
        """Nothing: the live table draws itself, and lines come with finished games."""

    def finished(self, pairing: Pairing, columns: dict[str, Any]) -> None:
        """Note a finished game."""
        names = {"black": pairing.black.label, "white": pairing.white.label, "pair": pairing.pair}
        self._standings.lines.append({**columns, **names})
        self._ended.add(pairing.key())
        if self._quiet or self._live is not None:
            return
        done = len(self._standings.lines)
        print(
            f"{done} of {self._total}: {names['black']} (black) - {names['white']} (white): "
            f"{columns['result']} after {columns['moves']} moves; {self._left()}",
            file=sys.stderr,
            flush=True,
        )

    def _left(self) -> str:
        spent, done = time.monotonic() - self._began, len(self._ended)
        rest = f", about {_span(spent / done * (len(self._todo) - done))} left" if done else ""
        return f"{_span(spent)}{rest}"

    def _table(self) -> Any:
        found = self._standings
        table = needs("rich.table").Table(box=None, pad_edge=False)
        for head, justify in (("match", "left"), ("result", "right"), ("Elo [95 %]", "right"), ("now", "left")):
            table.add_column(head, justify=justify, no_wrap=True)
        running: dict[frozenset[str], list[int]] = {}
        for index, pairing in enumerate(self._todo):
            move = self._progress.read(index)[0]
            if move and pairing.key() not in self._ended:
                running.setdefault(frozenset((pairing.black.label, pairing.white.label)), []).append(move)
        for one, other in combinations(found.labels, 2):
            if frozenset((one, other)) not in self._meetings:
                continue
            mine, theirs = found.points(one, other)
            elo = found.elo(one, [other])
            moves = running.get(frozenset((one, other)), [])
            now = f"move {', '.join(map(str, moves))}" if moves else ""
            table.add_row(f"{one} - {other}", f"{mine:g}-{theirs:g}", "" if elo is None else str(elo), now)
        table.caption = f"{len(found.lines)} of {self._total} games, {self._left()}"
        table.caption_justify = "left"
        return table


def _span(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
