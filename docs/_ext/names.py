"""The directive ``names``: what the package exports under some names, from their docstrings.

A name that this version does not export is left out; ``tests/test_docs.py`` sees to it that no exported one is.
"""

from __future__ import annotations

import inspect
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

import boltree


class Names(SphinxDirective):
    """``names`` with a list of names as its content."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Their descriptions, by autodoc."""
        lines: list[str] = []
        for name in " ".join(self.content).split():
            if name not in boltree.__all__:
                continue
            found = getattr(boltree, name)
            if inspect.isclass(found):
                lines += [f".. autoclass:: boltree.{name}", "   :members:", ""]
            else:
                lines += [f".. autofunction:: boltree.{name}", ""]
        return self.parse_text_to_nodes("```{eval-rst}\n" + "\n".join(lines) + "\n```")


def setup(app: Any) -> dict[str, bool]:
    """Tell Sphinx."""
    app.add_directive("names", Names)
    return {"parallel_read_safe": True}
