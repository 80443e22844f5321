"""GTP's commands for the end of a game: the score, and which stones are dead."""

from __future__ import annotations

from ..board.points import move_name
from ..game import result_of
from ..network.outlook import Outlook, outlook_of
from ..status import STATUSES, score_without_dead, statuses
from .session import Session
from .words import GtpError, first


class ScoreCommands(Session):
    """The end of a game. What is dead, the player's own network says; without one, random games."""

    def do_final_score(self, words: list[str]) -> str:
        """The score once the stones are taken off that ``final_status_list dead`` names.

        So the two agree, and a program that takes dead stones off before it counts comes to the same score. The rules
        that are searched by know no agreement: there, as in ``boltree match``, every stone counts that stands on the
        board. The scores differ where both passed before a dead stone was captured, which between engines that play by
        area scoring hardly happens.
        """
        return result_of(score_without_dead(self.game, self._outlook()))

    def do_final_status_list(self, words: list[str]) -> str:
        """The chains with a status, one to a line."""
        status = first(words, "final_status_list alive | dead | seki").lower()
        if status not in STATUSES:
            raise GtpError(f"status {status[:40]!r}: must be alive, dead or seki")
        chains = [chain for chain, found in statuses(self.game, self._outlook()) if found == status]
        return "\n".join(" ".join(move_name(p, self.game.size) for p in chain.points) for chain in chains)

    def _outlook(self) -> Outlook:
        return outlook_of(self.player.evaluator, self.game.problem, self.game.state)
