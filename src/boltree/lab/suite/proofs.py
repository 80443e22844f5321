"""Which problems were proven in time, and whether every proof is true."""

from __future__ import annotations

from typing import Any

from ..page import Table


def proof_tables(frame: Any) -> tuple[list[Table], list[str]]:
    """A table by family, and what to say below it: which problems are not proven, and which proofs are false."""
    limit = max(frame["time_limit"])
    rows = [row | {"intime": in_time(row)} for row in frame.iter_rows(named=True)]
    families: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        families.setdefault(row["family"], []).append(row)
    lines = [_line(family, members) for family, members in families.items()]
    found = Table(
        f"Proofs by bt.plan within {limit:g} s on one core",
        ["family", "problems", "proven", "false", "slowest proof"],
        [*lines, _line("all", rows)],
    )
    notes = []
    if late := [_late(row) for row in rows if not row["intime"] and not row["false"]]:
        notes.append(f"Not proven within {limit:g} s: {', '.join(late)}.")
    if wrong := [f"{row['problem']} (its value by {row['error']:.3g})" for row in rows if row["false"]]:
        notes.append(f"FALSE: {', '.join(wrong)}.")
    return [found], notes


def proven_decisions(frame: Any) -> list[str]:
    """What to say of the decisions that were called proven, among those that were limited by trials."""
    rows = [row for row in frame.iter_rows(named=True) if row["proven"] > 0]
    if not rows:
        return []
    proven, false = (int(sum(row[name] for row in rows)) for name in ("proven", "false"))
    provers = {row["label"] for row in rows}
    answers = int(sum(row["answers"] for row in frame.iter_rows(named=True) if row["label"] in provers))
    notes = [f"Called proven: {proven:,} of {answers:,} decisions, {false:,} of them falsely."]
    if wrong := sorted({f"{row['problem']} ({row['label']})" for row in rows if row["false"]}):
        notes.append(f"FALSE: {', '.join(wrong)}.")
    return notes


def in_time(row: dict[str, Any]) -> bool:
    """Whether a problem was proven, truly, within the limit of time."""
    return bool(row["proven"]) and not row["false"] and row["seconds"] <= row["time_limit"]


def _line(family: str, rows: list[dict[str, Any]]) -> list[str]:
    proven = [row for row in rows if row["intime"]]
    slowest = f"{max(row['seconds'] for row in proven):.2f} s" if proven else ""
    return [family, str(len(rows)), str(len(proven)), str(sum(bool(row["false"]) for row in rows)), slowest]


def _late(row: dict[str, Any]) -> str:
    return f"{row['problem']} (proven after {row['seconds']:.2f} s)" if row["proven"] else str(row["problem"])
