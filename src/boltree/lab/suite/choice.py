"""Which problems and which contenders a run of the suite has."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from ...errors import ParameterError
from ...messages import did_you_mean
from .case import Case
from .grid import GRID, PLAN
from .planners import Contender
from .problems import cases

CONTENDERS: dict[str, tuple[Contender, ...]] = {"plan": PLAN, "grid": GRID, "all": (*PLAN, *GRID)}
"""The contenders by what they are called on the command line."""


def chosen_cases(groups: Sequence[str] | None, patterns: Sequence[str] | None, quick: bool = False) -> list[Case]:
    """The suite's problems, or a part of them.

    Args:
        groups: only these groups; all if None.
        patterns: only problems whose names match one of these, as file names match ``*``; all if None.
        quick: where no pattern is given, only one problem of each family.
    """
    known = cases()
    for pattern in patterns or ():
        if not any(fnmatchcase(case.name, pattern) for case in known):
            hint = did_you_mean(pattern, [case.name for case in known])
            raise ParameterError(f"--problems {pattern}: must match a problem of the suite (--list names them){hint}")
    found = [
        case
        for case in known
        if (groups is None or case.group in groups)
        and (patterns is None or any(fnmatchcase(case.name, pattern) for pattern in patterns))
    ]
    if not found:
        raise ParameterError(f"--group {' '.join(groups or ())}: has none of these problems (--list names all)")
    if quick and patterns is None:
        return list({case.family: case for case in reversed(found)}.values())[::-1]
    return found
