"""The directive ``commands``: a section for every command of the command line, with what its ``--help`` prints."""

from __future__ import annotations

import contextlib
import io
import os
import re
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from boltree.cli.commands import main


def help_of(*words: str) -> str:
    """What ``boltree WORDS --help`` prints on a terminal of 88 columns."""
    printed, columns = io.StringIO(), os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = "88"
    try:
        with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
            main([*words, "--help"])
    finally:
        if columns is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = columns
    return printed.getvalue()


def commands_in(text: str) -> list[str]:
    """The commands that a help text lists."""
    return re.findall(r"^    ([a-z]+) ", text, re.MULTILINE)


class Commands(SphinxDirective):
    """A section a command; commands of a command follow in the same section."""

    def run(self) -> list[nodes.Node]:
        """The sections."""
        sections: list[nodes.Node] = []
        for command in commands_in(help_of()):
            text = help_of(command)
            section = nodes.section(ids=[command], names=[command])
            section += nodes.title("", "", nodes.literal("", f"boltree {command}"))
            for shown in (text, *(help_of(command, below) for below in commands_in(text))):
                section += nodes.literal_block(shown, shown, language="none")
            sections.append(section)
        return sections


def setup(app: Any) -> dict[str, bool]:
    """Tell Sphinx."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True}
