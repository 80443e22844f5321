"""Words for messages: a value cut to a length, the name that was probably meant; warnings at the user's own line."""

from __future__ import annotations

import difflib
import inspect
import os
import warnings
from collections.abc import Iterable
from typing import Any

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep

LONGEST = 160
"""The most characters of a value in a message."""


def shortened(value: Any) -> str:
    """How Python writes a value, on one line and not too long.

    >>> shortened((3, "here"))
    "(3, 'here')"
    >>> len(shortened(list(range(1000))))
    160
    """
    text = " ".join(repr(value).split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def counted(number: int, noun: str) -> str:
    """A number and a noun.

    >>> counted(1, "step"), counted(0, "step")
    ('1 step', '0 steps')
    """
    return f"{number} {noun}" if number == 1 else f"{number:,} {noun}s"


def did_you_mean(given: str, known: Iterable[str], most: int = 1, likeness: float = 0.6) -> str:
    """The end of an error message that suggests names similar to the one given; empty where none is similar.

    >>> did_you_mean("frozen_lake", ["frozen-lake", "sailing"])
    '; did you mean frozen-lake?'
    >>> did_you_mean("plna", ["play", "plan"]), did_you_mean("x", ["play", "plan"])
    ('; did you mean plan?', '')
    """
    wanted = _letters(given)
    by_letters: dict[str, str] = {}
    for name in known:
        by_letters.setdefault(_letters(name), name)  # of names with the same letters, the first
    close = difflib.get_close_matches(wanted, by_letters, most + 2, likeness)
    close.sort(key=lambda letters: sorted(letters) != sorted(wanted))  # swapped letters first
    return f"; did you mean {' or '.join(by_letters[letters] for letters in close[:most])}?" if close else ""


def _letters(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


def warn(said: str) -> None:
    """Warn at the line of the program that called the package, through whichever of its functions."""
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(said, stacklevel=level)
