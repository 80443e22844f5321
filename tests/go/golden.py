"""What KataGo itself answers on positions given by their moves: the files of the shared folder ``golden``."""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from networks import SHARED

COLUMNS = "ABCDEFGHJKLMNOPQRST"


@dataclass(frozen=True, eq=False)
class Answer:
    """One position, reached by moves that alternate from Black; a move is an action, n² is the pass."""

    size: int
    komi: float
    moves: tuple[int, ...]
    policy: Any  # [n² + 1], 0 where illegal
    legal: Any  # [n² + 1]
    white_win: float
    white_lead: float
    white_ownership: Any  # [n, n]

    @property
    def white_to_move(self) -> bool:
        return len(self.moves) % 2 == 1


def action_of(move: str, size: int) -> int:
    """An action from a move's text, such as A9, the upper left corner of 9x9."""
    if move.lower() == "pass":
        return size * size
    found = re.fullmatch(r"([A-HJ-T])([0-9]+)", move.upper())
    assert found, move
    row, column = size - int(found[2]), COLUMNS.index(found[1])
    assert 0 <= row < size, move
    assert column < size, move
    return row * size + column


def golden(size: int) -> list[Answer]:
    """All answers of a board size; the test is skipped where the file is missing."""
    path = SHARED / "golden" / f"katago_b6_{size}x{size}.json.gz"
    if not path.is_file():
        pytest.skip(f"KataGo's answers are not there: {path}")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        data = json.load(file)
    assert data["board_size"] == size
    return [_answer(one, size, float(data["komi"])) for one in data["positions"]]


def _answer(one: dict[str, Any], size: int, komi: float) -> Answer:
    policy = np.array([np.nan if p is None else p for p in one["policy"]])
    assert policy.size == size * size + 1
    return Answer(
        size, komi, tuple(action_of(move, size) for move in one["moves"]), np.nan_to_num(policy), ~np.isnan(policy),
        one["white_win"], one["white_lead"], np.array(one["white_ownership"]).reshape(size, size),
    )  # fmt: skip
