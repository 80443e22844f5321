"""The 40 settings that `bt.plan` is compared with: ten of an algorithm's, each with both growths and either sharing."""

from __future__ import annotations

from ...jobs.settings import Setting, labelled
from .planners import Default, Fixed

_ALGORITHMS = (
    Setting("uct", {"c": "auto"}),
    Setting("uct", {"c": 1.0}),
    Setting("uct", {"c": 10.0}),
    Setting("bts", {"alpha": "auto", "epsilon": 1.0}),
    Setting("bts", {"alpha": 0.1, "epsilon": 1.0}),
    Setting("bts", {"alpha": 1.0, "epsilon": 0.1}),
    Setting("dents", {"alpha": "auto", "beta": "auto", "epsilon": 1.0}),
    Setting("dents", {"alpha": 0.1, "beta": "log_decay(1.0)", "epsilon": 1.0}),
    Setting("dents", {"alpha": 1.0, "beta": "log_decay(alpha)", "epsilon": 0.1}),
    Setting("ar-bts", {"alpha": "auto"}),
)

GRID = tuple(
    Fixed(setting, growth, transpositions)
    for setting in labelled(_ALGORITHMS)
    for growth in ("leaf", "trial")
    for transpositions in (False, True)
)
"""What would be tried by hand."""

PLAN = (Default(),)
"""`bt.plan` alone."""
