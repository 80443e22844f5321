"""The words of a GTP command: colours and numbers, and what is answered when they are none."""

from __future__ import annotations

import math


class GtpError(Exception):
    """What GTP answers with a question mark."""


def first(words: list[str], syntax: str) -> str:
    """The first word; `syntax` says what should be there."""
    if not words:
        raise GtpError(f"syntax: {syntax}")
    return words[0]


def colour_of(word: str) -> str:
    """black or white."""
    found = {"b": "black", "black": "black", "w": "white", "white": "white"}.get(word.lower())
    if found is None:
        raise GtpError(f"invalid colour {word[:40]!r}: must be b, w, black or white")
    return found


def whole(name: str, word: str) -> int:
    """A whole number of at least 0."""
    if not word.isascii() or not word.isdecimal() or len(word) > 9:
        raise GtpError(f"{name}: {word[:40]!r} must be a whole number")
    return int(word)


def real(name: str, word: str) -> float:
    """A finite number."""
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise GtpError(f"{name}: {word[:40]!r} must be a number")
    return value


def seconds_of(name: str, word: str) -> float:
    """A time."""
    value = real(name, word)
    if not 0 <= value < 1e9:
        raise GtpError(f"{name}: {word[:40]!r} must be a number of at least 0")
    return value


def truth(name: str, word: str) -> bool:
    """true or false."""
    found = {"true": True, "false": False}.get(word.lower())
    if found is None:
        raise GtpError(f"{name}: {word[:40]!r} must be true or false")
    return found
