"""What a network is told of a position, slowly and plainly: stones in dictionaries, ladders by recursion.

The compiled features must equal it. Rules of the ladder search can be left out, to find positions that hinge on them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from plain_board import OTHER, PlainBoard

Point = tuple[int, int]
Stones = dict[Point, str]


def played(grid: PlainBoard, stones: Stones, point: Point, colour: str, ko: Point | None) -> Any:
    """The stones and the ko after a move; None if ko or suicide forbids it."""
    if point in stones or point == ko:
        return None
    stones, taken = {**stones, point: colour}, set()
    for other in grid.around(point):
        if stones.get(other) == OTHER[colour]:
            chain, liberties = grid.chain(stones, other)
            if not liberties:
                taken |= chain
    stones = {p: c for p, c in stones.items() if p not in taken}
    chain, liberties = grid.chain(stones, point)
    if not liberties:
        return None
    return stones, (next(iter(taken)) if len(taken) == len(chain) == len(liberties) == 1 else None)


@dataclass
class Ladders:
    """The search on one board."""

    size: int
    captures: bool = True  # the defender may capture chains in atari
    kos: bool = True  # below the root, a ko point means safe
    double_kos: bool = True
    nodes: int = 0

    def __post_init__(self) -> None:
        self.grid = PlainBoard(self.size, False)

    def around(self, stones: Stones, prey: Point) -> set[Point]:
        """Liberties of the opponent's chains in atari next to a chain."""
        found = set()
        for stone in self.grid.chain(stones, prey)[0]:
            for other in self.grid.around(stone):
                if stones.get(other) == OTHER[stones[prey]]:
                    liberties = self.grid.chain(stones, other)[1]
                    found |= liberties if len(liberties) == 1 else set()
        return found

    def captured(self, stones: Stones, prey: Point, ko: Point | None = None, depth: int = 0) -> bool:
        """Whether a chain is captured; its owner moves at even depths."""
        self.nodes += 1
        assert self.nodes < 20_000, "the search's limit is not part of the plain version"
        defender = stones[prey]
        liberties = self.grid.chain(stones, prey)[1]
        if depth >= self.size**2 * 3 // 2:
            return True
        if depth % 2 == 0:
            if len(liberties) >= 2 or (depth > 0 and ko and self.kos):
                return False
            moves = (self.around(stones, prey) if self.captures else set()) | liberties
            return all(self._after(stones, p, defender, ko, prey, depth) for p in moves)
        if len(liberties) != 2:
            return len(liberties) < 2
        if self.double_kos and self._is_double_ko(stones, prey, liberties):
            return True
        return any(self._after(stones, p, OTHER[defender], ko, prey, depth) for p in liberties)

    def _after(self, stones: Stones, p: Point, colour: str, ko: Any, prey: Point, depth: int) -> bool:
        """Whether the chain is captured after a move; an illegal move helps nobody."""
        after = played(self.grid, stones, p, colour, ko)
        return depth % 2 == 0 if after is None else self.captured(after[0], prey, after[1], depth + 1)

    def _is_double_ko(self, stones: Stones, prey: Point, liberties: set[Point]) -> bool:
        defender = stones[prey]
        for p in liberties:
            if any(stones.get(q) != defender for q in self.grid.around(p)):
                return False
            weak = [q for q in self.grid.around(p) if len(self.grid.chain(stones, q)[1]) == 1]
            if len(weak) != 1 or len(self.grid.chain(stones, weak[0])[0]) != 1:
                return False
            if len(self.grid.chain({**stones, p: defender}, p)[1]) > 2:
                return False
        return not self.around(stones, prey)

    def of_chain(self, stones: Stones, prey: Point, ko: Point | None) -> tuple[bool, set[Point]]:
        """Whether a chain is captured by a ladder, and by which first moves if it has two liberties."""
        liberties = self.grid.chain(stones, prey)[1]
        self.nodes = 0
        if len(liberties) == 1:
            return self.captured(stones, prey), set()
        works = set()
        for p in liberties if len(liberties) == 2 else ():
            after = played(self.grid, stones, p, OTHER[stones[prey]], ko)
            if after and self.captured(after[0], prey):
                works.add(p)
        return bool(works), works

    def everywhere(self, stones: Stones, ko: Point | None, mover: str) -> tuple[set[Point], set[Point]]:
        """Stones that ladders capture, and the mover's moves that begin one."""
        caught: set[Point] = set()
        begins: set[Point] = set()
        for point in stones:
            found, works = self.of_chain(stones, point, ko)
            caught |= {point} if found else set()
            begins |= works if stones[point] != mover else set()
        return caught, begins


def plain_area(size: int, stones: Stones, suicide: bool) -> Stones:
    """Whose each point is: a dictionary of points to colours."""
    grid, owner = PlainBoard(size, suicide), {}
    everything = {(r, c) for r in range(size) for c in range(size)}
    for colour in "BW":
        own = {p for p in everything if stones.get(p) == colour}
        regions = _connected(grid, everything - own)
        chains = _connected(grid, own)
        alive = list(chains)
        while True:
            dead = {p for chain in chains if chain not in alive for p in chain}
            safe = [r for r in regions if not any(q in dead for p in r for q in grid.around(p))]
            kept = [chain for chain in alive if sum(_is_vital(grid, stones, r, chain, suicide) for r in safe) >= 2]
            if len(kept) == len(alive):
                break
            alive = kept
        owner |= {p: colour for chain in alive for p in chain}
        for region in regions if own else ():
            inside = [p for p in region if not any(q in own for q in grid.around(p))]
            foreign = any(p in stones for p in region)
            if region in safe and (len(inside) <= 1 or not foreign):
                owner |= dict.fromkeys(region, colour)
            elif not foreign:
                owner |= {p: colour for p in region if p not in owner}
    return stones | owner


def _is_vital(grid: PlainBoard, stones: Stones, region: set[Point], chain: set[Point], suicide: bool) -> bool:
    return all(any(q in chain for q in grid.around(p)) for p in region if suicide or p not in stones)


def _connected(grid: PlainBoard, points: set[Point]) -> list[set[Point]]:
    """Points in connected parts."""
    left, parts = set(points), []
    while left:
        part, todo = set(), [left.pop()]
        while todo:
            part.add(todo[-1])
            near = [q for q in grid.around(todo.pop()) if q in left]
            left -= set(near)
            todo += near
        parts.append(part)
    return parts


class PlainGame:
    """A game with its past, for features."""

    def __init__(self, size: int, komi: float, suicide: bool) -> None:
        self.board, self.komi = PlainBoard(size, suicide), komi
        self.boards: list[Stones] = [{}]
        self.kos: list[Point | None] = [None]
        self.moves: list[Point | None] = []

    def play(self, point: Point | None) -> None:
        """Play a move of whose turn it is; None is the pass."""
        ko = None
        if point is not None:
            after = played(self.board, self.board.stones, point, self.board.to_move, None)
            ko = after[1] if after else None  # suicide leaves none
        self.board.play(point)
        self.boards.append(self.board.stones)
        self.kos.append(ko)
        self.moves.append(point)

    def banned(self, point: Point) -> bool:
        """Whether superko alone forbids a move."""
        if point in self.board.stones:
            return False
        free = PlainBoard(self.board.size, self.board.suicide)
        free.stones, free.to_move, free.past = self.board.stones, self.board.to_move, set()
        after = free.after(point)
        return after is not None and after != self.board.stones and frozenset(after.items()) in self.board.past

    def features(self) -> tuple[np.ndarray, np.ndarray]:
        """The planes and the numbers."""
        size, stones, me = self.board.size, self.board.stones, self.board.to_move
        planes, numbers = np.zeros((22, size, size), np.float32), np.zeros(19, np.float32)
        planes[0] = 1
        for point, colour in stones.items():
            planes[1 if colour == me else 2][point] = 1
            liberties = len(self.board.chain(stones, point)[1])
            if liberties <= 3:
                planes[2 + liberties][point] = 1
        for r in range(size):
            for c in range(size):
                planes[6, r, c] = self.banned((r, c))
        known = 0 if self.board.passes >= 2 else min(len(self.moves), 5)
        for k in range(known):
            point = self.moves[-1 - k]
            if point is None:
                numbers[k] = 1
            else:
                planes[9 + k][point] = 1
        for k in range(3):
            ago = min(k, known)
            caught, begins = Ladders(size).everywhere(self.boards[-1 - ago], self.kos[-1 - ago], me)
            for point in caught:
                planes[14 + k][point] = 1
            for point in begins if k == 0 else ():
                planes[17][point] = 1
        for point, colour in plain_area(size, stones, self.board.suicide).items():
            planes[18 if colour == me else 19][point] = 1
        komi = self.komi if me == "W" else -self.komi
        komi = max(-size * size - 20, min(size * size + 20, komi))
        drawn = max(d for d in range(math.floor(komi) - 3, math.floor(komi) + 1) if (d - size) % 2 == 0)
        above = komi - drawn
        numbers[[5, 6, 7, 8]] = komi / 20, 1, 0.5, self.board.suicide
        numbers[14] = self.board.passes == 1
        numbers[18] = above if above < 0.5 else 1 - above if above < 1.5 else above - 2
        return planes, numbers
