"""Go: ``bt.go``. The board is ``board.py`` (stones) and ``rules.py`` (turns); the problem is `bt.problems.Go`.

What a network sees is ``features.py`` (with ``ladders.py`` and ``area.py``); asking one is ``evaluation.py``.
"""

from __future__ import annotations

from .game import Game
from .network.evaluation import GoEvaluator
from .network.network import load_network

__all__ = ["Game", "GoEvaluator", "load_network"]
