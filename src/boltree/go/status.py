"""Which stones are alive, dead or in seki when a game ends.

What Benson's theorem decides is certain: a pass-alive chain is alive, a chain in pass-alive territory is dead. Of the
others, a chain is dead where an outlook (a network's ownership, or random games) gives its points to the opponent with
better than four chances in five; when in doubt it is alive, and counts as it stands on the board. Chains are in seki
that live, once the dead are taken off, only because neither side may fill the liberties that they share: who does puts
its own chain, or the one it must not, into atari.

Networks know a seki when they see one; random games kill one of its sides more often than not, so that without a
network a seki may be called dead.
"""

from __future__ import annotations

import numpy as np

from ..problem.state import PlainState
from .board.area import AREA, claim
from .board.board import BLACK, EMPTY, WHITE
from .board.regions import Region, area_of, owner_of, regions_of
from .game import Game
from .network.outlook import Outlook

ALIVE, DEAD, SEKI = STATUSES = ("alive", "dead", "seki")

_LOST = -0.6
"""A chain is dead whose points are owned less than this, on a scale from -1 (the opponent's) to 1."""


def statuses(game: Game, outlook: Outlook) -> list[tuple[Region, str]]:
    """Every chain on a game's board, in the order of its first points, and whether it is alive, dead or in seki."""
    colours = game.view.colour[: game.size**2].tolist()
    chains = [one for one in regions_of(colours, game.size) if one.colour != EMPTY]
    sure = _pass_alive(game)
    dead = [one for one in chains if _is_dead(one, sure, outlook)]
    left = without(colours, dead)
    shared = _in_seki(left, game.size, sure)
    return [(one, DEAD if one in dead else SEKI if one.points[0] in shared else ALIVE) for one in chains]


def without(colours: list[int], chains: list[Region]) -> list[int]:
    """The board's colours with chains taken off."""
    left = list(colours)
    for chain in chains:
        for p in chain.points:
            left[p] = EMPTY
    return left


def score_without_dead(game: Game, outlook: Outlook) -> float:
    """Black's area minus White's and komi, with the dead stones taken off."""
    dead = [chain for chain, status in statuses(game, outlook) if status == DEAD]
    colours = without(game.view.colour[: game.size**2].tolist(), dead)
    return float(area_of(colours, game.size).sum()) - game.komi


def _pass_alive(game: Game) -> list[int]:
    """By point, the colour that owns it whatever is played: with pass-alive chains, or in their territory."""
    area = PlainState(np.zeros(1, AREA))
    rules = game.problem.plain_params
    sure = [EMPTY] * rules.points
    for colour in (BLACK, WHITE):
        area.owner[:] = EMPTY
        claim(rules.neighbours, game.view, area, colour, rules.suicide != 0)
        for p in range(rules.points):
            stone = game.view.colour[p] != EMPTY  # an empty point may only look enclosed
            if stone and area.owner[p] == colour:
                sure[p] = colour
    return sure


def _is_dead(chain: Region, sure: list[int], outlook: Outlook) -> bool:
    certain = sure[chain.points[0]]
    if certain != EMPTY:
        return certain != chain.colour
    owned = float(np.mean(outlook.owner[list(chain.points)])) * (1 if chain.colour == BLACK else -1)
    return owned < _LOST


def _in_seki(colours: list[int], size: int, sure: list[int]) -> set[int]:
    """The points of the chains in seki, on a board without dead stones."""
    regions = regions_of(colours, size)
    at = {p: one for one in regions for p in one.points}
    closed = [one for one in regions if one.colour == EMPTY and _neither_may_fill(one, colours, size)]
    found = {at[q] for one in closed for q in one.border if sure[q] != at[q].colour}
    return {p for one in found for p in one.points}


def _neither_may_fill(region: Region, colours: list[int], size: int) -> bool:
    """Whether an empty region borders both colours, and neither may play in it without an atari."""
    if owner_of(region, colours) != EMPTY or not region.border:
        return False
    return not any(_may_fill(p, colour, colours, size) for p in region.points for colour in (BLACK, WHITE))


def _may_fill(point: int, colour: int, colours: list[int], size: int) -> bool:
    """Whether every chain at a point keeps two liberties when a stone is put there."""
    filled = list(colours)
    filled[point] = colour
    chains = (one for one in regions_of(filled, size) if one.colour != EMPTY)
    touched = (one for one in chains if point in one.points or point in one.border)
    return all(sum(filled[q] == EMPTY for q in one.border) > 1 for one in touched)
