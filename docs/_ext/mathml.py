"""Formulas as MathML, which browsers draw themselves: pages need no script and no network."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml


def drawn(formula: str, as_block: bool) -> str:
    """A formula in MathML; what the converter would misread is refused."""
    if re.search(r"\\frac[^{]", formula):
        raise ValueError(f"{formula}: write \\frac{{1}}{{2}}, not \\frac12")
    return str(tex2mathml(formula, as_block=as_block))


def inline(translator: Any, node: Any) -> None:
    """A formula in a line."""
    translator.body.append(drawn(node.astext(), as_block=False))
    raise nodes.SkipNode


def block(translator: Any, node: Any) -> None:
    """A formula of its own."""
    translator.body.append(f'<div class="formula">{drawn(node.astext().strip(), as_block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Tell Sphinx; a formula that cannot be drawn ends the build."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True}
