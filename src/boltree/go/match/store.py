"""Games on disk: every finished one is a line of JSON and a record, written completely or not at all.

The record is written first, then the line, both under temporary names that are renamed; a game is finished when its
line is there. All of them at once: ``polars.read_ndjson("FOLDER/games/*.json")``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ...errors import LabError
from ...files import make_writable, put_whole
from ...version import __version__
from .match import Pairing

TIMING = ("black_seconds", "white_seconds", "machine")
"""What may differ between two runs of the same row, with limits by trials."""


class MatchStore:
    """The games in a folder."""

    def __init__(self, folder: Path) -> None:
        self.games = Path(folder) / "games"
        make_writable(self.games, Path(folder))

    def path(self, pairing: Pairing) -> Path:
        """Where a game's line is kept; its record lies beside it."""
        names = re.sub(r"[^A-Za-z0-9.=-]+", "-", f"{pairing.black.label}-vs-{pairing.white.label}")[:80]
        return self.games / f"{pairing.size}x{pairing.size}-{names}-{pairing.pair + 1:03}-{pairing.key()}.json"

    def missing(self, pairings: Iterable[Pairing]) -> list[Pairing]:
        """The games that are not finished."""
        there = self._there()
        return [one for one in pairings if one.key() not in there]

    def _there(self) -> dict[str, Path]:
        """Finished games by their key: labels may differ between two commands."""
        return {path.stem.rpartition("-")[2]: path for path in self.games.glob("*.json")}

    def write(self, pairing: Pairing, columns: dict[str, Any], machine: str) -> None:
        """Keep a game."""
        path = self.path(pairing)
        sgf = str(columns["sgf"])
        self._put(path.with_suffix(".sgf"), sgf)
        values = {name: value for name, value in columns.items() if name != "sgf"}
        names = {"black": pairing.black.label, "white": pairing.white.label, "pair": pairing.pair}
        made = {"version": __version__, "machine": machine, "row": json.dumps(pairing.row(), sort_keys=True)}
        self._put(path, json.dumps({**names, **values, **made}) + "\n")

    def _put(self, path: Path, text: str) -> None:
        try:
            put_whole(path, text.encode())
        except OSError as error:
            raise LabError(
                f"{path}: cannot be written: {error.strerror}. Finished games are kept; make room and give the same "
                "command again to go on"
            ) from error

    def read(self, pairings: Iterable[Pairing]) -> list[dict[str, Any]]:
        """The finished games among these, in their order; a line that cannot be read is an error."""
        there, found = self._there(), []
        for pairing in pairings:
            path = there.get(pairing.key())
            if path is None:
                continue
            try:
                line = json.loads(path.read_text(encoding="utf-8"))
                line["black_score"] = float(line["black_score"])
            except (OSError, ValueError, KeyError, TypeError) as error:
                raise LabError(f"{path}: cannot be read ({error}); delete it and give the same command again") from None
            # labels and pairs belong to the match that asks
            found.append(line | {"black": pairing.black.label, "white": pairing.white.label, "pair": pairing.pair})
        return found
