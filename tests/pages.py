"""Running what the README and the pages of docs/ show.

A page's Python blocks are one program, run from top to bottom. A line that ends in ``# -> VALUE`` says what it gives,
and must be right; a remark in parentheses may follow. A block below ``<!-- needs: NAME ... -->`` is left out where one
of the names is missing: ``bt.NAME`` is an export of the package, anything else a module.
"""

from __future__ import annotations

import ast
import importlib.util
import re
from dataclasses import dataclass
from pathlib import Path

import boltree as bt

ROOT = Path(__file__).parents[1]
_FENCE = re.compile(r"(?:^<!-- needs: (?P<needs>.*?) -->\n+)?^```(?P<language>\w+)\n(?P<code>.*?)^```$", re.M | re.S)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: Path
    line: int
    code: str
    needs: tuple[str, ...]

    def missing(self) -> list[str]:
        """What it needs and is not there."""
        return [name for name in self.needs if not _is_there(name)]


def _is_there(name: str) -> bool:
    if name.startswith("bt."):
        return hasattr(bt, name[3:])
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def blocks_of(page: Path, language: str) -> list[Block]:
    """The blocks of a page in a language, in their order."""
    text = page.read_text()
    return [
        Block(page, text[: found.start("code")].count("\n"), found["code"], tuple((found["needs"] or "").split()))
        for found in _FENCE.finditer(text)
        if found["language"] == language
    ]


def run(block: Block, names: dict[str, object]) -> None:
    """Run a block with the names that those before it have made; every ``# -> VALUE`` must be right."""
    lines = block.code.splitlines()
    for statement in ast.parse(block.code).body:
        where = f"{block.page.name}:{block.line + statement.lineno}"
        ast.increment_lineno(statement, block.line)
        said = re.search(r"# -> (.*?)(?: \(.*\))?$", lines[statement.end_lineno - block.line - 1])
        if said is None:
            exec(compile(ast.Module([statement], []), str(block.page), "exec"), names)
            continue
        assert isinstance(statement, ast.Expr), f"{where}: only an expression gives a value"
        value = eval(compile(ast.Expression(statement.value), str(block.page), "eval"), names)
        assert repr(value) == said[1], f"{where}: the page says {said[1]}, it is {value!r}"
