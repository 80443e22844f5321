"""A slow, plain Go board: stones in a dictionary, chains by flood fill, past boards as sets.

The fast one must equal it. A point is (row, column) from the top; colours are "B" and "W".
"""

from __future__ import annotations

OTHER = {"B": "W", "W": "B"}


class PlainBoard:
    def __init__(self, size: int, suicide: bool) -> None:
        self.size, self.suicide = size, suicide
        self.stones: dict[tuple[int, int], str] = {}
        self.past = {frozenset()}
        self.to_move = "B"
        self.passes = 0

    def around(self, point: tuple[int, int]) -> list[tuple[int, int]]:
        row, column = point
        near = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
        return [(r, c) for r, c in near if 0 <= r < self.size and 0 <= c < self.size]

    def chain(self, stones: dict, point: tuple[int, int]) -> tuple[set, set]:
        """The stones connected to one, and their liberties."""
        colour, found, todo, liberties = stones[point], {point}, [point], set()
        while todo:
            for other in self.around(todo.pop()):
                if other not in stones:
                    liberties.add(other)
                elif stones[other] == colour and other not in found:
                    found.add(other)
                    todo.append(other)
        return found, liberties

    def after(self, point: tuple[int, int]) -> dict | None:
        """The stones after a move; None if it is illegal."""
        if point in self.stones:
            return None
        stones = {**self.stones, point: self.to_move}
        for other in self.around(point):
            if stones.get(other) == OTHER[self.to_move]:
                chain, liberties = self.chain(stones, other)
                if not liberties:
                    stones = {p: c for p, c in stones.items() if p not in chain}
        chain, liberties = self.chain(stones, point)
        if not liberties:
            if not self.suicide:
                return None
            stones = {p: c for p, c in stones.items() if p not in chain}
        return None if frozenset(stones.items()) in self.past else stones

    def is_legal(self, point: tuple[int, int]) -> bool:
        return self.after(point) is not None

    def play(self, point: tuple[int, int] | None) -> None:
        """Play a move; None is the pass."""
        if point is None:
            self.passes += 1
        else:
            stones = self.after(point)
            assert stones is not None
            self.stones, self.passes = stones, 0
            self.past.add(frozenset(stones.items()))
        self.to_move = OTHER[self.to_move]

    def balance(self) -> int:
        """Black's area minus White's."""
        total = sum(1 if colour == "B" else -1 for colour in self.stones.values())
        left = {(r, c) for r in range(self.size) for c in range(self.size)} - set(self.stones)
        while left:
            region, todo, seen = set(), [left.pop()], set()
            while todo:
                point = todo.pop()
                region.add(point)
                for other in self.around(point):
                    if other in self.stones:
                        seen.add(self.stones[other])
                    elif other in left:
                        left.discard(other)
                        todo.append(other)
            if len(seen) == 1:
                total += len(region) if seen == {"B"} else -len(region)
        return total
