"""What ``print`` and a notebook say of a search."""

from __future__ import annotations

from html import escape

from ..algorithms.summary import call_text
from ..messages import counted, shortened
from ..tree.proof_text import after_value, bounds_text_of
from ..tree.summary import DIM, PAGE, table_html
from .facts import SearchFacts


def search_text(search: SearchFacts) -> str:
    """A search in a few lines: what is searched and how, how far it has come, and what it recommends."""
    title = f"Search of {shortened(search.problem)} by {call_text(search.algorithm)}"
    return "\n".join([title, f"  {_progress(search)}", f"  {_recommendation(search)}"])


def search_html(search: SearchFacts) -> str:
    """A search for a notebook: a line of facts and its root as a table."""
    title = f"<b>{escape(call_text(search.algorithm))}</b> on <b>{escape(search.problem.display_name())}</b>"
    facts = escape(f"{_progress(search)}; {_recommendation(search)}")
    return f'<div style="{PAGE}"><div>{title}</div><div style="{DIM}">{facts}</div>{table_html(search.root)}</div>'


def _progress(search: SearchFacts) -> str:
    facts = [counted(search.trials, "trial"), counted(search.size, "node"), bytes_text(search.nbytes)]
    if search.growth != "leaf":
        facts.append(f"growth by {search.growth}")
    if search.threads > 1:
        facts.append(f"{search.threads} threads ({search.parallelism})")
    if search.transpositions:
        facts.append("transpositions")
    if search.proofs:
        facts.append("proofs")
    return ", ".join(facts)


def _recommendation(search: SearchFacts) -> str:
    root = search.root
    best = root.recommended
    if best is None:
        return "recommends nothing yet: no action of the root was tried"
    name = root.action_name(best)
    value = f"root value {root.value:.4g}{after_value(bounds_text_of(root))}"
    shown = name if not isinstance(best, int) or name == str(best) else f"{best} ({name})"
    return f"recommends {shown}, {value}"


def bytes_text(size: int) -> str:
    """A number of bytes for people.

    >>> bytes_text(900), bytes_text(1_500), bytes_text(2_345_678), bytes_text(12_000_000_000)
    ('900 bytes', '1.5 kB', '2.3 MB', '12.0 GB')
    """
    for factor, unit in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if size >= factor:
            return f"{size / factor:.1f} {unit}"
    return f"{size} bytes"
