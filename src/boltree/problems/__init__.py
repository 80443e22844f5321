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
    from .breakthrough import Breakthrough
    from .go import Go
    from .hex import Hex
    from .hidden_tabular import HiddenTabular
    from .kalah import Kalah
    from .laser_tag import LaserTag
    from .light_dark import LightDark
    from .lqr import LQR
    from .mountain_car import MountainCarContinuous
    from .nim import Nim
    from .othello import Othello
    from .pendulum import Pendulum
    from .pocman import Pocman
    from .rock_sample import RockSample
    from .sub_hunt import SubHunt
    from .tag import Tag
    from .tiger import Tiger
    from .vdp_tag import VDPTag
else:  # a game's rules are imported when it is asked for
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "Breakthrough": ".breakthrough",
            "Go": ".go",
            "Hex": ".hex",
            "Kalah": ".kalah",
            "Nim": ".nim",
            "Othello": ".othello",
            "HiddenTabular": ".hidden_tabular",
            "LaserTag": ".laser_tag",
            "LQR": ".lqr",
            "LightDark": ".light_dark",
            "MountainCarContinuous": ".mountain_car",
            "Pendulum": ".pendulum",
            "Pocman": ".pocman",
            "RockSample": ".rock_sample",
            "SubHunt": ".sub_hunt",
            "Tag": ".tag",
            "Tiger": ".tiger",
            "VDPTag": ".vdp_tag",
        },
    )

__all__ = [
    "LQR",
    "AdaptedChain",
    "AverageReturnTrap",
    "Bandit",
    "Breakthrough",
    "ConnectFour",
    "DChain",
    "FrozenLake",
    "Go",
    "Hex",
    "HiddenTabular",
    "Kalah",
    "LaserTag",
    "LightDark",
    "MountainCarContinuous",
    "Nim",
    "Othello",
    "OutcomeTable",
    "Pendulum",
    "Pocman",
    "RockSample",
    "Sailing",
    "SubHunt",
    "SyntheticTree",
    "Tabular",
    "Tag",
    "TicTacToe",
    "Tiger",
    "VDPTag",
]
