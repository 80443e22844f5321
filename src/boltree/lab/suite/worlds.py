"""Random decision processes that tell a story: mazes, shortest paths, inventories, frozen lakes.

Each function takes a NumPy generator, and sizes where the same kind is wanted larger, and returns a problem.
"""

from __future__ import annotations

import numpy as np

from ...problem.problem import Problem
from ...problems import FrozenLake, OutcomeTable
from .drawing import Outcome, Rows, between, some_discount, steps_from

_MOVES = ((0, -1), (1, 0), (0, 1), (-1, 0))


def maze(rng: np.random.Generator, smallest: int = 3, largest: int = 20) -> Problem:
    """A maze to leave: moves slip sideways with some probability, and some cells are pits that end it badly."""
    height, width = between(rng, smallest, largest), between(rng, smallest, largest)
    walls = _walls(rng, height, width, share_removed=float(rng.uniform(0.0, 0.5)))
    distance = _cells_from((0, 0), walls, height, width)
    far = [cell for cell, steps in distance.items() if steps >= 0.7 * max(distance.values())]
    goal = far[int(rng.integers(len(far)))]
    slip = float(rng.choice([0.0, 0.1, 0.2, rng.uniform(0.0, 0.4)]))
    pits = {cell for cell in distance if rng.random() < rng.choice([0.0, 0.05]) and cell not in ((0, 0), goal)}
    by_steps = bool(rng.random() < 0.5)
    fall = -float(rng.uniform(0.5, 3.0)) * (max(distance.values()) if by_steps else 1.0)

    def moved(cell: tuple[int, int], move: int) -> tuple[int, int]:
        dy, dx = _MOVES[move]
        there = (cell[0] + dy, cell[1] + dx)
        return there if there in distance and frozenset((cell, there)) not in walls else cell

    rows: Rows = []
    for y in range(height):
        for x in range(width):
            row: list[list[Outcome]] = []
            for action in range(4 if (y, x) not in pits and (y, x) != goal else 0):
                likely = [(1.0 - slip, action), (slip / 2, (action + 1) % 4), (slip / 2, (action + 3) % 4)]
                outcomes: list[Outcome] = []
                for chance, move in likely if slip else likely[:1]:
                    there = moved((y, x), move)
                    paid = (-1.0 if by_steps else 0.0) + (fall if there in pits else 0.0)
                    paid += 1.0 if there == goal and not by_steps else 0.0
                    outcomes.append((chance, there[0] * width + there[1], paid, there in pits or there == goal))
                row.append(outcomes)
            rows.append(row)
    horizon = int(distance[goal] * rng.uniform(1.3, 3.0)) + 3
    return OutcomeTable(rows, horizon, discount=float(rng.choice([1.0, 0.99, 0.95])))


def _walls(rng: np.random.Generator, height: int, width: int, share_removed: float) -> set[frozenset[tuple[int, int]]]:
    """Walls between neighbouring cells: those of a random spanning tree, of which a share is removed."""
    cells = [(y, x) for y in range(height) for x in range(width)]
    between_cells = {
        frozenset(((y, x), (y + dy, x + dx)))
        for y, x in cells
        for dy, dx in ((0, 1), (1, 0))
        if y + dy < height and x + dx < width
    }
    walls, seen, path = set(between_cells), {(0, 0)}, [(0, 0)]
    while path:
        y, x = path[-1]
        near = [(y + dy, x + dx) for dy, dx in _MOVES]
        fresh = [cell for cell in near if frozenset(((y, x), cell)) in between_cells and cell not in seen]
        if not fresh:
            path.pop()
            continue
        chosen = fresh[int(rng.integers(len(fresh)))]
        walls.discard(frozenset(((y, x), chosen)))
        seen.add(chosen)
        path.append(chosen)
    return {wall for wall in sorted(walls, key=sorted) if rng.random() >= share_removed}


def _cells_from(
    start: tuple[int, int], walls: set[frozenset[tuple[int, int]]], height: int, width: int
) -> dict[tuple[int, int], int]:
    """Steps from a cell to every other one."""
    found, wave = {start: 0}, [start]
    while wave:
        following = []
        for y, x in wave:
            for dy, dx in _MOVES:
                there = (y + dy, x + dx)
                inside = 0 <= there[0] < height and 0 <= there[1] < width
                if inside and there not in found and frozenset(((y, x), there)) not in walls:
                    found[there] = found[(y, x)] + 1
                    following.append(there)
        wave = following
    return found


def shortest_path(rng: np.random.Generator, smallest: int = 8, largest: int = 400) -> Problem:
    """Roads between places of a map: each costs its length, may be blocked, and may lead elsewhere."""
    places, roads = between(rng, smallest, largest), between(rng, 2, 6)
    at = rng.random((places, 2))
    lengths = np.hypot(*(at[:, None, :] - at[None, :, :]).transpose(2, 0, 1))
    near = np.argsort(lengths, axis=1, kind="stable")[:, 1 : min(roads + 1, places)]
    steps = steps_from(0, near)
    goal = int(np.argmax(steps))
    blocked, lost = rng.uniform(0.0, 0.5, near.shape), float(rng.choice([0.0, 0.1, 0.2]))
    scale, toll = float(10.0 ** rng.uniform(0, 2)), float(rng.uniform(0.0, 0.1))
    rows: Rows = []
    for s in range(places):
        row: list[list[Outcome]] = []
        for a, t in enumerate(near[s] if s != goal else ()):
            stray = int(near[s, rng.integers(near.shape[1])])
            outcomes = [(1.0 - blocked[s, a] - lost * (1.0 - blocked[s, a]), int(t))]
            outcomes += [(float(blocked[s, a]), s), (lost * (1.0 - float(blocked[s, a])), stray)]
            cost = -scale * (float(lengths[s, t]) + toll)
            row.append([(float(p), to, cost, to == goal) for p, to in outcomes if p > 0.0])
        rows.append(row)
    return OutcomeTable(rows, int(max(int(steps[goal]), 1) * rng.uniform(3.0, 6.0)) + 2)


def inventory(rng: np.random.Generator, smallest: int = 3, largest: int = 50) -> Problem:
    """A shop that orders before it knows the demand: what is on the shelf costs, what is missing is a sale lost.

    The state is the stock and, where deliveries take a day, what is on its way.
    """
    room, late = between(rng, smallest, largest), bool(rng.random() < 0.4)
    most = max(between(rng, 1, min(room, 15)), 2)
    demand = rng.dirichlet(np.full(between(rng, 2, max(min(room, 20), 3)), rng.uniform(0.5, 3.0)))
    price, cost = float(rng.uniform(2.0, 5.0)), float(rng.uniform(0.5, 2.0))
    holding, fixed = float(rng.uniform(0.0, 0.5)), float(rng.choice([0.0, rng.uniform(0.5, 5.0)]))
    ways = most + 1 if late else 1
    rows: Rows = []
    for stock in range(room + 1):
        for coming in range(ways):
            row: list[list[Outcome]] = []
            for order in range(most + 1):
                shelf = min(stock + (coming if late else order), room)
                outcomes: dict[int, list[float]] = {}
                for wanted, chance in enumerate(demand.tolist()):
                    sold = min(wanted, shelf)
                    paid = price * sold - cost * order - (fixed if order else 0.0) - holding * (shelf - sold)
                    entry = outcomes.setdefault((shelf - sold) * ways + (order if late else 0), [0.0, 0.0])
                    entry[0] += chance
                    entry[1] += chance * paid
                row.append([(p, to, paid / p, False) for to, (p, paid) in outcomes.items() if p > 0.0])
            rows.append(row)
    start = int(rng.integers(0, len(rows)))
    return OutcomeTable(rows, between(rng, 4, 40), start=start, discount=some_discount(rng))


def frozen_lake(rng: np.random.Generator, size: int, horizon: int = 100) -> Problem:
    """A square lake with holes in 10 to 20 % of its cells, and a way across."""
    while True:
        letters = np.where(rng.random((size, size)) < rng.uniform(0.1, 0.2), "H", "F")
        letters[0, 0], letters[-1, -1] = "S", "G"
        blocked = {
            frozenset(((y, x), (y + dy, x + dx)))
            for y, x in zip(*np.nonzero(letters == "H"), strict=True)
            for dy, dx in _MOVES
        }
        if _cells_from((0, 0), blocked, size, size).get((size - 1, size - 1), horizon) < horizon:
            return FrozenLake(["".join(row) for row in letters], horizon=horizon)
