"""What an analysis command asks for: ``lz-analyze [COLOUR] [INTERVAL] [KEY VALUE ...]``, and its relatives alike."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..board.points import COLOURS, action_named
from ..game import Game
from .words import GtpError, colour_of, real, truth, whole

INTERVAL_SECONDS = 1.0
"""Seconds between two reports, where the command names none."""

MOVES = 20
"""Moves of a report, where the command names no number."""

_SKIPPED = ("movesownership", "ownershipstdev", "movesownershipstdev", "pvedgevisits", "noresultvalue")
"""Options of KataGo's whose values are not given here; a program that asks for them reads on without."""


@dataclass(frozen=True)
class Bar:
    """Moves that are left out, or the only ones that are not, for a colour up to a depth of the search."""

    colour: str
    moves: tuple[str, ...]
    depth: int
    others: bool  # all others are left out


@dataclass(frozen=True)
class Wish:
    """What an analysis command asks for."""

    colour: str | None = None
    seconds: float = INTERVAL_SECONDS
    most: int | None = None
    least: int = 0
    ownership: bool = False
    root: bool = False
    line_visits: bool = False
    bars: tuple[Bar, ...] = ()

    @property
    def limit(self) -> int:
        """The number of moves that a report may tell of."""
        return max(MOVES, self.least) if self.most is None else max(self.most, 1)

    def barred(self, game: Game) -> list[tuple[int, int, int]]:
        """The moves that are left out, as `bt.problems.Go` takes them."""
        found = []
        for bar in self.bars:
            named = {action_named(move, game.size) for move in bar.moves}
            every = set(range(game.size**2 + 1))
            until = game.length + bar.depth
            found += [
                (COLOURS.index(bar.colour), action, until) for action in sorted(every - named if bar.others else named)
            ]
        return found


def wish_of(words: list[str]) -> Wish:
    """The arguments of an analysis command; the interval is in 1/100 s.

    >>> wish_of(["b", "50", "maxmoves", "3"]) == Wish("black", 0.5, most=3)
    True
    >>> wish_of(["interval", "10", "avoid", "w", "D4,pass", "5"]).bars
    (Bar(colour='white', moves=('D4', 'pass'), depth=5, others=False),)
    """
    wish, words = Wish(), list(words)
    if words and words[0].lower() in ("b", "w", "black", "white"):
        wish = replace(wish, colour=colour_of(words.pop(0)))
    if words and words[0][:1].isdecimal():
        words.insert(0, "interval")
    while words:
        key = words.pop(0).lower()
        if key in ("avoid", "allow"):
            wish = replace(wish, bars=(*wish.bars, _bar(key, words)))
            del words[:3]
        else:
            wish = _with(wish, key, words.pop(0) if words else "")
    if any(bar.others for bar in wish.bars) and len(wish.bars) > 1:
        raise GtpError("allow: may stand there once, and not with avoid")
    return wish


def _with(wish: Wish, key: str, value: str) -> Wish:
    """The wish with one option more."""
    if key in _SKIPPED:
        return wish
    if key == "ownership":
        return replace(wish, ownership=truth(key, value))
    if key == "rootinfo":
        return replace(wish, root=truth(key, value))
    if key == "pvvisits":
        return replace(wish, line_visits=truth(key, value))
    if key == "interval":
        return replace(wish, seconds=min(max(real(key, value), 1.0), 360_000.0) / 100)
    if key == "maxmoves":
        return replace(wish, most=whole(key, value))
    if key == "minmoves":
        return replace(wish, least=whole(key, value))
    raise GtpError(
        f"{key[:40]!r}: must be a colour, an interval in 1/100 s, maxmoves N, minmoves N, avoid or allow COLOUR "
        "MOVE,MOVE,... DEPTH, ownership true, rootInfo true or pvVisits true"
    )


def _bar(key: str, words: list[str]) -> Bar:
    if len(words) < 3:
        raise GtpError(f"{key}: must be {key} COLOUR MOVE,MOVE,... DEPTH")
    moves = tuple(filter(None, words[1].split(",")))
    return Bar(colour_of(words[0]), moves, whole(f"{key} depth", words[2]), key == "allow")
