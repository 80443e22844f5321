"""What the games of a match say: wins by colour, pairs, trials for a move, Elo."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from ...terminal import table
from .elo import Elo, elo_difference

Line = dict[str, Any]


class Standings:
    """The results of a tournament so far.

    Args:
        labels: the players, in order.
        lines: finished games, as the store reads them.
        two_by_two: whether players meet in fixed pairs only, so that not all pairs play.
    """

    def __init__(self, labels: Sequence[str], lines: Sequence[Line], *, two_by_two: bool = False) -> None:
        self.labels, self.lines, self._two_by_two = list(labels), list(lines), two_by_two

    def won(self, black: str, white: str) -> tuple[float, float]:
        """The points of Black and of White in the games where they had these colours; a draw is half a point each."""
        scores = [line["black_score"] for line in self.lines if (line["black"], line["white"]) == (black, white)]
        return sum(scores), len(scores) - sum(scores)

    def points(self, one: str, other: str) -> tuple[float, float]:
        """The points of both, with either colour."""
        (a, b), (c, d) = self.won(one, other), self.won(other, one)
        return a + d, b + c

    def pairs(self, one: str, others: Sequence[str]) -> list[float]:
        """One's mean result in each pair against others; a pair of which one game is missing has that of the other."""
        scores: dict[tuple[str, int], list[float]] = {}
        for line in self.lines:
            for colour, opposite in (("black", "white"), ("white", "black")):
                if line[colour] == one and line[opposite] in others:
                    score = line["black_score"] if colour == "black" else 1 - line["black_score"]
                    scores.setdefault((line[opposite], line["pair"]), []).append(score)
        return [sum(several) / len(several) for several in scores.values()]

    def elo(self, one: str, others: Sequence[str]) -> Elo | None:
        """One's difference to others, taken together; None without a game."""
        pairs = self.pairs(one, others)
        return elo_difference(pairs) if pairs else None

    def trials(self, label: str) -> float | None:
        """Trials for a move that was searched, over all its games; None for an engine."""
        trials = searches = 0
        for line in self.lines:
            for colour in ("black", "white"):
                if line[colour] == label:
                    trials, searches = trials + line[f"{colour}_trials"], searches + line[f"{colour}_searches"]
        return trials / searches if searches else None

    def matches_won(self, label: str) -> float:
        """How many others it has beaten over all their games; half a match where they are even."""
        scores = [self.points(label, other) for other in self.labels if other != label]
        return sum(0.5 + ((mine > theirs) - (mine < theirs)) / 2 for mine, theirs in scores)

    def winner(self) -> str:
        """Who won the most matches; among equals, who won the most games."""

        def merit(label: str) -> tuple[float, float]:
            return self.matches_won(label), sum(self.points(label, other)[0] for other in self.labels if other != label)

        return max(self.labels, key=merit)  # the first of equals

    # Tables

    def text(self) -> str:
        """The paper's table (Black's rows against White's columns), then every match with its Elo difference."""
        if not self.lines:
            return "No game is finished."
        parts = [self._matches()]
        if not self._two_by_two:
            parts.insert(0, self._by_colour())
            if len(self.labels) > 2:
                parts.append(self._ranking())
        forfeits = [line for line in self.lines if line["ended"].startswith("forfeit")]
        if forfeits:
            parts.append(f"{len(forfeits)} games were forfeited, the first: {forfeits[0]['ended']}")
        return "\n\n".join(parts)

    def _by_colour(self) -> str:
        rows = []
        for black in self.labels:
            cells = ["-" if black == white else _pair(self.won(black, white)) for white in self.labels]
            rows.append([black, "", *cells, self._trials(black)])
        return table(["Black \\ White", "", *self.labels, "trials/move"], rows)

    def _matches(self) -> str:
        rows = []
        for one, other in combinations(self.labels, 2):
            elo = self.elo(one, [other])
            if elo is not None:
                rows.append([one, other, _pair(self.points(one, other)), str(elo)])
                if self._two_by_two:
                    rows[-1] += [self._trials(one), self._trials(other)]
        heads = ["trials/move", "against"] if self._two_by_two else []
        return table(["player", "against", "result", "Elo [95 %]", *heads], rows)

    def _trials(self, label: str) -> str:
        trials = self.trials(label)
        return "" if trials is None else f"{trials:,.0f}"

    def _ranking(self) -> str:
        rows = []
        for one in self.labels:
            elo = self.elo(one, [other for other in self.labels if other != one])
            if elo is not None:
                points = [self.points(one, other) for other in self.labels if other != one]
                total = _pair((sum(mine for mine, _ in points), sum(theirs for _, theirs in points)))
                rows.append((elo.mean, [one, f"{self.matches_won(one):g}", total, str(elo)]))
        rows.sort(key=lambda row: -row[0])
        return table(["player", "matches won", "games", "Elo to the others [95 %]"], [row for _, row in rows])


def _pair(points: tuple[float, float]) -> str:
    return f"{points[0]:g}-{points[1]:g}"
