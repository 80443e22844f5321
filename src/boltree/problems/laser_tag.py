"""LaserTag: Tag by a robot that does not know where it is, but measures distances (Somani et al. 2013)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numba.extending import register_jitable

from ..core.random import integer, uniform
from ..errors import ProblemError
from ..problem.record import record
from .checks import rollout_code, whole
from .normal import normal
from .tag import TAG, Tag, moves_between

WIDTH, HEIGHT = 11, 7
BEAM_X, BEAM_Y = (0, 1, 1, 1, 0, -1, -1, -1), (1, 1, 0, -1, -1, -1, 0, 1)
DEVIATION = 2.5
SAME_CELL = 255


@register_jitable  # type: ignore[untyped-decorator]
def _distance(params: Any, robot: Any, opponent: Any, beam: Any) -> Any:
    """How far a beam reaches: to the opponent if that is in its way, else to the first cell that is not free."""
    steps = np.int64(params.reach[robot, beam])
    dx = np.int64(params.x[opponent]) - np.int64(params.x[robot])
    dy = np.int64(params.y[opponent]) - np.int64(params.y[robot])
    length = max(abs(dx), abs(dy))
    if length > 0 and dx == length * BEAM_X[beam] and dy == length * BEAM_Y[beam]:
        steps = min(steps, length)
    return steps * (math.sqrt(2.0) if beam % 2 == 1 else 1.0)


class LaserTag(Tag):
    """Tag on 11 x 7 cells with obstacles, by a robot that does not know its cell and measures eight distances.

    Actions, rewards and the opponent are those of `Tag`; both start in any free cell, unseen. An observation is what
    eight beams read, clockwise from the north: the whole part of d - 2.5 abs(z), or 0, where z is a standard normal
    number and d the distance to the first wall, obstacle or opponent, that cell counted (times the root of 2 on
    diagonals). In the opponent's cell every beam reads 255.

    The state is as in `Tag`.

    Args:
        obstacles: the (x, y) of each, or how many to draw.
        layout: the seed to draw them with.
        rollout: "legal", or "preferred": tag where they have met, else move anywhere.
        horizon: steps until a trial is cut off.
        discount: weight of a reward one step later.
    """

    params = record(x="u1[:]", y="u1[:]", moves="u1[:,:]", reach="u1[:,:]", preferred="u1")
    observation = record(beams="u1[8]")  # type: ignore[assignment]

    def __init__(
        self,
        obstacles: int | Sequence[tuple[int, int]] = 8,
        layout: int = 0,
        *,
        rollout: Literal["legal", "preferred"] = "legal",
        horizon: int = 90,
        discount: float = 0.95,
    ) -> None:
        blocked = _blocked(obstacles, layout)
        cells = [(x, y) for y in range(HEIGHT) for x in range(WIDTH) if (x, y) not in blocked]
        free = set(cells)
        reach = np.ones((len(cells), 8))
        for i, (x, y) in enumerate(cells):
            for beam in range(8):
                steps = 1
                while (x + steps * BEAM_X[beam], y + steps * BEAM_Y[beam]) in free:
                    steps += 1
                reach[i, beam] = steps
        self._obstacles = [list(cell) for cell in blocked]
        super(Tag, self).__init__(
            x=[x for x, _ in cells],
            y=[y for _, y in cells],
            moves=moves_between(cells),
            reach=reach,
            preferred=rollout_code("LaserTag", rollout),
            horizon=horizon,
            discount=discount,
        )

    @staticmethod
    def random_action(params, state, rng):  # type: ignore[no-untyped-def]
        if params.preferred == 0:
            return integer(rng, 5)
        return TAG if state.met != 0 else integer(rng, 4)

    @staticmethod
    def observe(params, state, action, next_state, rng, out):  # type: ignore[no-untyped-def]
        robot, opponent = np.int64(next_state.robot), np.int64(next_state.opponent)
        for beam in range(8):
            if robot == opponent:
                out.beams[beam] = SAME_CELL
            else:
                read = _distance(params, robot, opponent, beam) - DEVIATION * abs(normal(rng))
                out.beams[beam] = int(max(read, 0.0))

    @staticmethod
    def observation_probability(params, observation, state, action, next_state):  # type: ignore[no-untyped-def]
        robot, opponent = np.int64(next_state.robot), np.int64(next_state.opponent)
        chance = 1.0
        for beam in range(8):
            read = np.int64(observation.beams[beam])
            if robot == opponent:
                chance *= 1.0 if read == SAME_CELL else 0.0
            else:
                true = _distance(params, robot, opponent, beam)
                if read >= true:
                    return 0.0
                scale = DEVIATION * math.sqrt(2.0)  # 2 Phi(z) - 1 = erf(z / sqrt 2)
                chance *= math.erf((min(true, read + 1.0) - true) / scale) - (
                    math.erf((read - true) / scale) if read > 0 else -1.0
                )
        return chance

    @staticmethod
    def perturb(params, state, rng):  # type: ignore[no-untyped-def]
        state.opponent = integer(rng, len(params.x))
        if uniform(rng) < 0.5:
            state.robot = integer(rng, len(params.x))
        state.met = state.robot == state.opponent

    def recipe(self) -> dict[str, Any]:
        return {"obstacles": self._obstacles} | super().recipe()


def _blocked(obstacles: Any, layout: Any) -> list[tuple[int, int]]:
    most = WIDTH * HEIGHT - 2
    if isinstance(obstacles, (Sequence, np.ndarray)) and not isinstance(obstacles, str):
        found = []
        for i, given in enumerate(obstacles):
            try:
                x, y = given
            except (TypeError, ValueError):
                raise ProblemError(f"LaserTag: obstacles[{i}]={given!r}, must be (x, y)") from None
            where = f"obstacles[{i}]"
            found.append((whole("LaserTag", where, x, 0, WIDTH - 1), whole("LaserTag", where, y, 0, HEIGHT - 1)))
        if len(set(found)) > most:
            raise ProblemError(f"LaserTag: obstacles has {len(found)}, must have at most {most}")
        return sorted(set(found))
    count = whole("LaserTag", "obstacles", obstacles, 0, most)
    source = np.random.default_rng(whole("LaserTag", "layout", layout, 0))
    return sorted((int(c) % WIDTH, int(c) // WIDTH) for c in source.choice(WIDTH * HEIGHT, count, replace=False))
