"""The ledger for people and for programs: a table on the terminal, a Markdown page, JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ...terminal import table
from ...version import __version__
from .claim import Part, counted
from .ledger import Judged

_MARKS = {"holds": "✓", "differs": "≈", "undecided": "?", "does not hold": "✗"}


def as_text(judged: Sequence[Judged]) -> str:
    """For the terminal: every claim, its verdict, and each part with what was seen."""
    lines = []
    for one in judged:
        lines.append(f"{one.claim.number}  {one.verdict.upper()}  {one.claim.says}")
        for part in one.parts:
            lines.append(f"    {_mark(part)} {part.criterion}")
            lines.append(f"      seen: {part.seen}")
            if part.replaced:
                lines.append(f"      replaced: {part.replaced}")
        lines.append("")
    rows = [[one.claim.number, one.verdict, "/".join(map(str, _held(one.parts)))] for one in judged]
    return "\n".join(lines) + table(["claim", "verdict", "parts that hold"], rows)


def as_json(judged: Sequence[Judged], quick: bool) -> str:
    """For programs: claim, verdict, numbers."""
    claims = [
        {
            "claim": one.claim.number,
            "says": one.claim.says,
            "verdict": one.verdict,
            "parts": [
                {"criterion": p.criterion, "holds": p.holds, "seen": p.seen, "numbers": _plain(p.numbers)}
                | ({"replaced": p.replaced} if p.replaced else {})
                for p in one.parts
            ],
        }
        for one in judged
    ]
    whole = {"version": __version__, "scale": "quick" if quick else "full", "claims": claims}
    return json.dumps(whole, indent=1, ensure_ascii=False)


def as_markdown(judged: Sequence[Judged], quick: bool, pictures: Mapping[str, Sequence[str]]) -> str:
    """A page with a table of verdicts, then every claim with its parts and its pictures (paths, by claim)."""
    command = "boltree claims" + (" --quick" if quick else "")
    lines = [
        "# The paper's claims, run",
        "",
        f"Made by `{command} --out FOLDER --write FILE`, version {__version__}. Every claim is an experiment with a "
        "criterion that stands in the code and was fixed before the run. A claim *holds* when all its parts do, "
        "*differs* when some do, is *undecided* (?) where no part fails and a run cannot tell, and *does not "
        "hold* when no part does. A mark in parentheses is a criterion that misread the paper: the reason stands "
        "beside it, it does not count, and the table says what the verdict was by it. The claims about Go (C19, C20, "
        "C22) are matches: [go.md](go.md).",
        "",
        "| claim | | verdict | parts that hold |",
        "|---|---|---|---|",
    ]
    for one in judged:
        held = "{} of {}".format(*_held(one.parts))
        before = f" (before: {one.claim.before})" if one.claim.before else ""
        lines.append(
            f"| [{one.claim.number}](#{one.claim.number.lower()}) | {one.claim.says} | "
            f"{_MARKS[one.verdict]} {one.verdict}{before} | {held} |"
        )
    for one in judged:
        lines += ["", f"## {one.claim.number}", "", f"{one.claim.says} ({one.claim.source})", ""]
        lines.append(f"**{one.verdict.capitalize()}.**")
        lines.append("")
        lines += ["| | criterion | seen |", "|---|---|---|"]
        for part in one.parts:
            why = f" *Replaced: {part.replaced}.*" if part.replaced else ""
            lines.append(f"| {_mark(part)} | {part.criterion}{why} | {part.seen} |")
        if one.claim.note:
            lines += ["", one.claim.note]
        for path in pictures.get(one.claim.number, ()):
            lines += ["", f"![{one.claim.number}]({path})"]
    return "\n".join(lines) + "\n"


def _held(parts: Sequence[Part]) -> tuple[int, int]:
    """How many of the parts that decide hold, and how many there are."""
    deciding = counted(parts)
    return sum(part.holds is True for part in deciding), len(deciding)


def _mark(part: Part) -> str:
    mark = {True: "✓", False: "✗", None: "?"}[part.holds]
    return f"({mark})" if part.replaced else mark


def _plain(value: Any) -> Any:
    """Numbers as JSON has them; an interval as its mean, low and high."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return _plain(value._asdict())
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value.item() if hasattr(value, "item") else value
