"""Others' environments as problems: Gymnasium's, OpenSpiel's, PettingZoo's, planning problems in RDDL, .pomdp files.

Each library is imported when it is asked for, and is an extra of its own. This package works with problems and their
states, not with algorithms, and holds no compiled code.
"""

from __future__ import annotations

from .gymnasium import from_gymnasium
from .openspiel import from_openspiel
from .pettingzoo import from_pettingzoo
from .pomdp_file import from_pomdp
from .rddl import from_rddl

__all__ = ["from_gymnasium", "from_openspiel", "from_pettingzoo", "from_pomdp", "from_rddl"]
