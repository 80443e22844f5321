"""What the suite's games against OpenSpiel's search came to: a table for the terminal, as Markdown, and as CSV."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...files import put_whole
from ...jobs.statistics import Interval, mean_result
from ...messages import counted
from ...terminal import table
from ...version import __version__
from ..tables import as_csv, markdown

HEADS = ("game", "player", "games", "score", "95 %", "as first", "as second", "s a move", "theirs", "trials", "theirs")

NOTE = (
    "score: a win is 1, a draw 0.5, with an interval over pairs of games that share a random opening, sides exchanged. "
    "The opponent is OpenSpiel's MCTSBot with random rollouts and uct_c={c:g}; `bt.plan`'s search keeps the subtree "
    "between moves, the opponent makes a new tree. Seconds and trials are means of a move; a search whose root is "
    "proven needs no time."
)


def score_of(scores: Sequence[float]) -> Interval:
    """A match's score from the games' in the order of `match`, with its interval over pairs."""
    return mean_result([float(np.mean(scores[k : k + 2])) for k in range(0, len(scores), 2)])


def match_report(frame: Any, folder: Path) -> str:
    """Write what the games came to, to `matches.md` and `matches.csv`; return it as text."""
    rows = []
    for (game, label), part in frame.sort("repeat").group_by(["problem", "label"], maintain_order=True):
        scores = part["score"].to_list()
        found = score_of(scores)
        rows.append(
            [
                *(game, label, str(len(scores)), f"{found.mean:.3f}", f"{found.low:.2f} to {found.high:.2f}"),
                *(f"{np.mean(scores[k::2]):.2f}" if scores[k::2] else "-" for k in (0, 1)),
                *(f"{part[name].mean():.3f}" for name in ("seconds", "their_seconds")),
                *(f"{part[name].mean():,.0f}" for name in ("trials_run", "their_trials")),
            ]
        )
    rows.sort()
    where = "; ".join(sorted(set(frame["machine"])))
    seconds = ", ".join(f"{limit:g}" for limit in sorted(set(frame["move_seconds"])))
    head = f"`boltree suite --part games`, version {__version__}: {counted(frame.height, 'game')} at {seconds} s a move"
    head += f" ({where})."
    note = NOTE.format(c=frame["opponent_c"][0])
    page, every = folder / "matches.md", folder / "matches.csv"
    put_whole(page, "\n\n".join([head, markdown(HEADS, rows), note, ""]).encode())
    put_whole(every, as_csv([frame.columns, *frame.rows()]).encode())
    return "\n\n".join([head, table(HEADS, rows), note, f"Written: {page}, {every}"])
