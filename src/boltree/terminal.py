"""Tables, help and arguments for the terminal."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .messages import did_you_mean


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns under heads; the first two to the left, numbers to the right."""
    widths = [max(len(str(row[i])) for row in (heads, *rows)) for i in range(len(heads))]

    def line(cells: Sequence[str]) -> str:
        parts = [
            cell.ljust(width) if i < 2 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return "  ".join(parts).rstrip()

    return "\n".join([line(heads), "  ".join("-" * width for width in widths), *(line(row) for row in rows)])


class Parser(argparse.ArgumentParser):
    """Says what was probably meant by a command, an option or a choice that there is not."""

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


class HelpFormatter(argparse.HelpFormatter):
    """Says what an option is when it is left out, where that is not nothing."""

    def _get_help_string(self, action: argparse.Action) -> str:
        text = action.help or ""
        shown = isinstance(action.default, (str, int, float, Path)) and not isinstance(action.default, bool)
        given = shown and action.default != argparse.SUPPRESS and action.option_strings
        return f"{text} (default: %(default)s)" if given else text


def whole_number(text: str) -> int:
    """An argument that is a whole number of at least 1."""
    if not re.fullmatch(r"[1-9][0-9_]*", text):
        raise argparse.ArgumentTypeError(f"{text!r}: must be a whole number of at least 1")
    return int(text)


def seed_number(text: str) -> int:
    """An argument that is a whole number of at least 0."""
    if not re.fullmatch(r"[0-9]+", text):
        raise argparse.ArgumentTypeError(f"{text!r}: must be a whole number of at least 0")
    return int(text)


def positive_number(text: str) -> float:
    """An argument that is a number greater than 0."""
    value = real_number(text)
    if value <= 0:
        raise argparse.ArgumentTypeError(f"{text!r}: must be a number greater than 0")
    return value


def real_number(text: str) -> float:
    """An argument that is a number."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not abs(value) < 1e6:
        raise argparse.ArgumentTypeError(f"{text!r}: must be a number")
    return value
