"""The built-in problems: ``bt.problems``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy import lazy_names
from .bandit import Bandit
from .chains import AdaptedChain, AverageReturnTrap, DChain
from .connect_four import ConnectFour
from .frozen_lake import FrozenLake
from .outcome_table import OutcomeTable
from .sailing import Sailing
from .synthetic_tree import SyntheticTree
from .tabular import Tabular
from .tic_tac_toe import TicTacToe

if TYPE_CHECKING:
    from .go import Go
else:  # Go's rules are imported when a board is asked for
    __getattr__, __dir__ = lazy_names(__name__, {"Go": ".go"})

__all__ = [
    "AdaptedChain",
    "AverageReturnTrap",
    "Bandit",
    "ConnectFour",
    "DChain",
    "FrozenLake",
    "Go",
    "OutcomeTable",
    "Sailing",
    "SyntheticTree",
    "Tabular",
    "TicTacToe",
]
