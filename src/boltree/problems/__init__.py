"""The built-in problems: ``bt.problems``."""

from __future__ import annotations

from .bandit import Bandit
from .chains import AdaptedChain, AverageReturnTrap, DChain
from .connect_four import ConnectFour
from .frozen_lake import FrozenLake
from .go import Go
from .outcome_table import OutcomeTable
from .sailing import Sailing
from .synthetic_tree import SyntheticTree
from .tabular import Tabular
from .tic_tac_toe import TicTacToe

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
