"""VDP-Tag: chase a target on the currents of a van der Pol oscillator (Sunberg and Kochenderfer 2018)."""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np

from ..core.random import uniform
from ..problem.problem import MAX_ACTIONS, Problem
from ..problem.record import record
from .checks import whole
from .normal import beam, density, normal

MU, TIME, STEPS, NOISE = 2.0, 0.1, 5, 0.05
WIDEST, SPEED, TAGGED = 4.0, 0.5, 0.1
BARRIER = (0.2, 3.0)
NEAR_READING, SHARP, BLURRED = 1.0, 0.1, 5.0
EPSILON = 2.0**-52
DX, DY = (1.0, 0.0, -1.0, 0.0), (0.0, 1.0, 0.0, -1.0)


@numba.njit(_nrt=False)  # type: ignore[untyped-decorator]
def drift(x: Any, y: Any) -> Any:
    """Where the current takes the target in a step, before noise: five Runge-Kutta steps of 0.1."""
    for _ in range(STEPS):
        x1, y1 = MU * (x - x * x * x / 3.0 - y), x / MU
        u, v = x + 0.5 * TIME * x1, y + 0.5 * TIME * y1
        x2, y2 = MU * (u - u * u * u / 3.0 - v), u / MU
        u, v = x + 0.5 * TIME * x2, y + 0.5 * TIME * y2
        x3, y3 = MU * (u - u * u * u / 3.0 - v), u / MU
        u, v = x + TIME * x3, y + TIME * y3
        x4, y4 = MU * (u - u * u * u / 3.0 - v), u / MU
        x += TIME / 6.0 * (x1 + 2.0 * x2 + 2.0 * x3 + x4)
        y += TIME / 6.0 * (y1 + 2.0 * y2 + 2.0 * y3 + y4)
    return x, y


@numba.njit(_nrt=False)  # type: ignore[untyped-decorator]
def free_share(x: Any, y: Any, dx: Any, dy: Any) -> Any:
    """Which share of a way can be gone until a barrier is met: to just short of it, so that it stays uncrossed."""
    share = 1.0 + 2.0 * EPSILON
    for i in range(4):
        along = DX[i] * dy - DY[i] * dx  # of the barrier's direction and the way, as a cross product
        if abs(along) * (BARRIER[1] - BARRIER[0]) <= 1e-8:
            continue
        away_x, away_y = x - BARRIER[0] * DX[i], y - BARRIER[0] * DY[i]
        u = (away_x * DY[i] - away_y * DX[i]) / along
        t = (away_x * dy - away_y * dx) / along
        if 0.0 <= u < share and 0.0 <= t <= BARRIER[1] - BARRIER[0]:
            share = u
    return share - 2.0 * EPSILON


class VDPTag(Problem):
    """A robot chases a target that drifts on the currents of a van der Pol oscillator, seen dimly unless it looks.

    Action a goes 0.5 in direction a mod angles (counted from the east counterclockwise), and looks if
    a >= angles; barriers on the four axes, from 0.2 to 3 away from the middle, stop it. A step costs 1, looking 5 more;
    nearer than 0.1 to the target it is tagged: 100, and the end. The robot starts in the middle, the target anywhere in
    [-4, 4] x [-4, 4], unseen.

    An observation is what eight beams of 45 degrees read, counterclockwise from the east, with normal noise: the
    distance in the target's beam, of deviation 5, or 0.1 when it looks; 1 in the others, of deviation 5.

    The state is both places.

    Args:
        angles: into how many directions it can go; the problem's own actions are any angle, of which this is a grid.
        horizon: steps until a trial is cut off.
        discount: weight of a reward one step later.
    """

    state = record(x="f8", y="f8", target_x="f8", target_y="f8")
    params = record(dx="f8[:]", dy="f8[:]")
    observation = record(beams="f8[8]")
    rewards = (-6.0, 100.0)

    def __init__(self, angles: int = 16, *, horizon: int = 100, discount: float = 0.95) -> None:
        angles = whole("VDPTag", "angles", angles, 1, MAX_ACTIONS // 2)
        around = 2.0 * math.pi * np.arange(angles) / angles
        degrees = [f"{360.0 * a / angles:g}°" for a in range(angles)]
        self.action_names = (*degrees, *(f"{angle}, look" for angle in degrees))
        super().__init__(
            dx=SPEED * np.cos(around),
            dy=SPEED * np.sin(around),
            actions=2 * angles,
            horizon=horizon,
            discount=discount,
        )

    @staticmethod
    def start(params, state, rng):  # type: ignore[no-untyped-def]
        state.x = 0.0
        state.y = 0.0
        state.target_x = WIDEST * (2.0 * uniform(rng) - 1.0)
        state.target_y = WIDEST * (2.0 * uniform(rng) - 1.0)

    @staticmethod
    def step(params, state, action, rng):  # type: ignore[no-untyped-def]
        angles = len(params.dx)
        angle = action % angles
        dx, dy = params.dx[angle], params.dy[angle]
        share = free_share(state.x, state.y, dx, dy)
        state.x += share * dx
        state.y += share * dy
        x, y = drift(state.target_x, state.target_y)
        state.target_x = x + NOISE * normal(rng)
        state.target_y = y + NOISE * normal(rng)
        away_x, away_y = state.target_x - state.x, state.target_y - state.y
        look = 5.0 if action >= angles else 0.0
        if away_x * away_x + away_y * away_y < TAGGED * TAGGED:
            return 100.0 - look, True
        return -1.0 - look, False

    @staticmethod
    def observe(params, state, action, next_state, rng, out):  # type: ignore[no-untyped-def]
        dx, dy = next_state.target_x - next_state.x, next_state.target_y - next_state.y
        towards = beam(dx, dy)
        for i in range(8):
            if i == towards:
                deviation = SHARP if action >= len(params.dx) else BLURRED
                out.beams[i] = math.sqrt(dx * dx + dy * dy) + deviation * normal(rng)
            else:
                out.beams[i] = NEAR_READING + BLURRED * normal(rng)

    @staticmethod
    def observation_probability(params, observation, state, action, next_state):  # type: ignore[no-untyped-def]
        dx, dy = next_state.target_x - next_state.x, next_state.target_y - next_state.y
        towards = beam(dx, dy)
        chance = 1.0
        for i in range(8):
            if i == towards:
                deviation = SHARP if action >= len(params.dx) else BLURRED
                chance *= density(observation.beams[i], math.sqrt(dx * dx + dy * dy), deviation)
            else:
                chance *= density(observation.beams[i], NEAR_READING, BLURRED)
        return chance

    @staticmethod
    def perturb(params, state, rng):  # type: ignore[no-untyped-def]
        state.target_x += NOISE * normal(rng)
        state.target_y += NOISE * normal(rng)

    @staticmethod
    def show(params, state):  # type: ignore[no-untyped-def]
        return (
            f"robot at ({state.x:.2f}, {state.y:.2f}), target at ({state.target_x:.2f}, {state.target_y:.2f}), "
            f"{math.hypot(state.target_x - state.x, state.target_y - state.y):.2f} away"
        )

    def recipe(self) -> dict[str, Any]:
        return {"angles": len(self.plain_params.dx), "horizon": self.horizon, "discount": self.discount}
