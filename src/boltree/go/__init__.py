"""Go: ``bt.go``. ``board/`` holds the rules and what a network sees; the problem is `bt.problems.Go`.

``network/`` asks networks, ``gtp/`` talks to other programs, ``match/`` plays players against each other.
"""

from __future__ import annotations

from .game import Game
from .network.evaluation import GoEvaluator
from .network.network import load_network

__all__ = ["Game", "GoEvaluator", "load_network"]
