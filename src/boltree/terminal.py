"""Tables, help and arguments for the terminal."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .messages import did_you_mean


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table as text: its first two columns are aligned left, the others, which hold numbers, right."""
    widths = [max(len(str(row[i])) for row in (heads, *rows)) for i in range(len(heads))]

    def line(cells: Sequence[str]) -> str:
        parts = [
            cell.ljust(width) if i < 2 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return "  ".join(parts).rstrip()

    return "\n".join([line(heads), "  ".join("-" * width for width in widths), *(line(row) for row in rows)])


class HelpFormatter(argparse.HelpFormatter):
    """Shows the default of an option in its help, where it has one."""

    def _get_help_string(self, action: argparse.Action) -> str:
        text = action.help or ""
        shown = isinstance(action.default, (str, int, float, Path)) and not isinstance(action.default, bool)
        given = shown and action.default != argparse.SUPPRESS and action.option_strings
        return f"{text} (default: %(default)s)" if given else text


class Parser(argparse.ArgumentParser):
    """Suggests what was probably meant by an unknown command, option or choice; its help shows defaults."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"formatter_class": HelpFormatter, **options})

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """The arguments, all of which must be known."""
        found, unknown = self.parse_known_args(args, namespace)
        if unknown:
            parser = self._commands().get(getattr(found, "command", None), self)
            hint = did_you_mean(unknown[0], parser._option_string_actions) if unknown[0].startswith("-") else ""
            parser.error(f"{' '.join(unknown)}: there is no such option or argument{hint}")
        return found

    def _commands(self) -> Any:
        parts = [action.choices for action in self._actions if isinstance(action, argparse._SubParsersAction)]
        return parts[0] if parts else {}

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            names = [str(one) for one in action.choices]
            hint = did_you_mean(str(value), names)
            raise argparse.ArgumentError(action, f"{value!r}: must be one of {', '.join(names)}{hint}")


def whole_within(least: int, most: int | None = None) -> Callable[[str], int]:
    """The type of an argument that is a whole number from `least` to `most`, or of at least `least`.

    >>> whole_within(2, 19)("9")
    9
    """
    allowed = f"of at least {least}" if most is None else f"from {least} to {most}"

    def whole(text: str) -> int:
        value = int(text) if re.fullmatch(r"[0-9]+(_[0-9]+)*", text) else -1
        if value < least or (most is not None and value > most):
            raise argparse.ArgumentTypeError(f"{text!r}: must be a whole number {allowed}")
        return value

    return whole


whole_number = whole_within(1)
"""The type of an argument that counts something: a whole number of at least 1."""

seed_number = whole_within(0)
"""The type of an argument that is a seed: a whole number of at least 0."""


def real_number(text: str) -> float:
    """An argument that is a number, neither infinite nor so large that it must be a mistake."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not abs(value) < 1e6:
        raise argparse.ArgumentTypeError(f"{text!r}: must be a number between -1e6 and 1e6")
    return value


def number_or_text(text: str) -> float | str:
    """A number where it is one, else the text.

    >>> number_or_text("0.5"), number_or_text("rollout")
    (0.5, 'rollout')
    """
    try:
        return float(text)
    except ValueError:
        return text


def positive_number(text: str) -> float:
    """An argument that is a number greater than 0."""
    value = real_number(text)
    if value <= 0:
        raise argparse.ArgumentTypeError(f"{text!r}: must be a number greater than 0")
    return value
