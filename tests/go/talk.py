"""A conversation with an engine over GTP, without pipes; every answer must have the form of one."""

from __future__ import annotations

from typing import Any

from boltree.go.gtp.protocol import Gtp
from boltree.go.player import Limit, SearchPlayer
from boltree.go.settings import go_setting


class Talk:
    """A conversation with an engine on a small board."""

    def __init__(
        self, trials: int = 30, size: int = 5, looks: int = 3, algorithm: str = "uct", evaluator: Any = "rollout"
    ) -> None:
        self.said: list[str] = []
        self.looks = looks  # how often an analysis may look for the next command before there is one
        player = SearchPlayer(go_setting(algorithm).algorithm(), evaluator=evaluator, seed=0)
        self.gtp = Gtp(
            player, Limit(trials=trials), size=size, komi=0.5, write=self.said.append, interrupted=self._interrupted
        )
        self._left = 0

    def _interrupted(self) -> bool:
        self._left -= 1
        return self._left < 0

    def __call__(self, line: str) -> str:
        self.said.clear()
        self._left = self.looks
        self.gtp.hear(line)
        answer = "".join(self.said)
        if answer:
            assert answer[0] in "=?", answer
            assert answer.endswith("\n\n"), answer
            assert "\n\n" not in answer[:-2], answer
        return answer[:-2]

    def all(self, *lines: str) -> list[str]:
        return [self(line) for line in lines]
