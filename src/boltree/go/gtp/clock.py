"""Time in a game over GTP: what is left for each colour, and how much of it a move may take."""

from __future__ import annotations

from dataclasses import dataclass

LAG_SECONDS = 0.1
"""Seconds of every move that are left for messages."""

LEAST_SECONDS = 0.05
"""Seconds that a move takes even when there is no time."""


@dataclass
class _Left:
    seconds: float
    stones: int  # to be played in these seconds; 0 in the main time


class Clock:
    """Main time, then byo-yomi: a number of stones in a number of seconds, again and again."""

    def __init__(self) -> None:
        self.running = False
        self._byo_yomi, self._stones = 0.0, 0
        self._left = {colour: _Left(0.0, 0) for colour in ("black", "white")}

    def set_times(self, main: float, byo_yomi: float, stones: int) -> None:
        """Time settings as GTP has them; byo-yomi time without stones means no limit."""
        self.running = not (byo_yomi > 0 and stones == 0)
        self._byo_yomi, self._stones = byo_yomi, stones
        for left in self._left.values():
            left.seconds, left.stones = main, 0
            self._enter_byo_yomi(left)

    def stop(self) -> None:
        """No limit."""
        self.running = False

    def tell(self, colour: str, seconds: float, stones: int) -> None:
        """What the controller's clock says."""
        self._left[colour] = left = _Left(seconds, stones)
        if stones == 0:
            self._enter_byo_yomi(left)

    def spend(self, colour: str, seconds: float) -> None:
        """Take a move's time off; if the controller's clock then tells another time, that one counts."""
        left = self._left[colour]
        left.seconds -= seconds
        if left.stones > 0:
            left.stones -= 1
            if left.stones == 0:
                left.seconds, left.stones = self._byo_yomi, self._stones
        else:
            self._enter_byo_yomi(left)

    def _enter_byo_yomi(self, left: _Left) -> None:
        if left.seconds <= 0 and self._stones > 0:
            left.seconds, left.stones = self._byo_yomi, self._stones

    def seconds_for(self, colour: str, size: int, moves: int) -> float | None:
        """Seconds for the next move; None without a limit.

        In the main time a game is taken to last two moves for three points, and always sixteen more. With byo-yomi to
        follow, a move of the main time takes at least what one takes then.
        """
        if not self.running:
            return None
        left = self._left[colour]
        if left.stones > 0:
            share = left.seconds / left.stones
        else:
            to_come = max(size * size * 2 / 3 - moves, 16) / 2
            share = left.seconds / to_come
            if self._stones > 0:
                share = max(share, min(left.seconds, self._byo_yomi / self._stones))
        return max(min(share, left.seconds) - LAG_SECONDS, LEAST_SECONDS)
