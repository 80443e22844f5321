"""Go: ``bt.go``. The board is ``board.py`` (stones) and ``rules.py`` (turns); the problem is `bt.problems.Go`."""

from __future__ import annotations

from .game import Game

__all__ = ["Game"]
