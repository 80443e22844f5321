"""Random decision processes on graphs of states: dense, with sparse rewards, with traps, with distractors.

Each function takes a NumPy generator and returns a problem; sizes, probabilities and rewards all vary.
"""

from __future__ import annotations

import numpy as np

from ...problem.problem import Problem
from ...problems import OutcomeTable
from .drawing import Outcome, Rows, between, shuffled, some_discount, spread, steps_from


def dense(rng: np.random.Generator) -> Problem:
    """Any state may lead to any other; every step pays or costs something."""
    states, actions, most = between(rng, 4, 250), between(rng, 2, 8), between(rng, 1, 6)
    ends = rng.random(states) < rng.uniform(0.0, 0.15)
    ends[0] = False
    by_outcome, scale = rng.random() < 0.5, 10.0 ** rng.uniform(-1, 2)
    rows: Rows = []
    for s in range(states):
        row: list[list[Outcome]] = []
        for _ in range(0 if ends[s] else actions):
            to = rng.choice(states, size=min(int(rng.integers(1, most + 1)), states), replace=False)
            paid = scale * rng.normal(size=to.size if by_outcome else 1)
            row.append(spread(rng, to.tolist(), np.broadcast_to(paid, to.shape).tolist(), ends[to].tolist()))
        rows.append(row)
    return OutcomeTable(rows, between(rng, 4, 50), discount=some_discount(rng))


def sparse(rng: np.random.Generator) -> Problem:
    """Rewards stand at a few states far from the start; everything else pays nothing."""
    states, actions, slip = between(rng, 15, 600), between(rng, 2, 6), float(rng.choice([0.0, rng.uniform(0.0, 0.4)]))
    reach = between(rng, 2, 6)
    to = (np.arange(states)[:, None] + rng.integers(-reach, reach + 1, (states, actions))) % states
    to[np.arange(states), rng.integers(0, actions, states)] = (np.arange(states) + 1) % states  # so all are connected
    distance = steps_from(0, to)
    far = np.flatnonzero(distance >= 0.6 * distance.max())
    goals = rng.choice(far, size=min(between(rng, 1, 3), far.size), replace=False)
    paid, ending = np.zeros(states), np.zeros(states, bool)
    paid[goals] = rng.uniform(0.3, 1.0, goals.size)
    ending[goals] = rng.random() < 0.7
    rows: Rows = []
    for s in range(states):
        row = []
        for a in range(actions):
            strayed, meant = int(to[s, rng.integers(actions)]), int(to[s, a])
            outcomes = [(1.0 - slip, meant), (slip, strayed)] if slip else [(1.0, meant)]
            row.append([(p, t, float(paid[t]), bool(ending[t])) for p, t in outcomes])
        rows.append([] if ending[s] else row)
    horizon = int(distance[goals].min() * rng.uniform(1.3, 3.0)) + 2
    return OutcomeTable(rows, horizon, discount=some_discount(rng))


def traps(rng: np.random.Generator) -> Problem:
    """A long way to a prize, along which smaller rewards tempt to end at once."""
    length, tempting = between(rng, 4, 80), int(rng.integers(1, 4))
    slip = float(rng.choice([0.0, rng.uniform(0.0, 0.3)]))
    prize = float(rng.choice([1.0, rng.uniform(0.4, 1.5)]))
    bait = rng.uniform(0.3, 1.0) * np.linspace(1.0, rng.uniform(0.0, 1.0), length)
    end, rows = length, []
    for d in range(length):
        last = d == length - 1
        on: list[Outcome] = [(1.0 - slip, end if last else d + 1, prize if last else 0.0, last)]
        if slip:
            on.append((slip, max(d - int(rng.integers(0, 3)), 0), 0.0, False))
        row = [on]
        for _ in range(tempting):
            paid = float(bait[d] * rng.uniform(0.5, 1.0))
            sure = rng.random() < 0.6
            row.append([(1.0, end, paid, True)] if sure else [(0.5, end, 2 * paid, True), (0.5, end, 0.0, True)])
        rows.append(shuffled(rng, row))
    rows.append([])
    return OutcomeTable(rows, int(length * rng.uniform(1.1, 2.5)) + 1, discount=float(rng.choice([1.0, 0.99])))


def distractors(rng: np.random.Generator) -> Problem:
    """A few useful actions among many that lead nowhere, back, or to a little noise."""
    length, actions = between(rng, 3, 25), between(rng, 8, 60)
    noise, slip = float(rng.choice([0.0, 0.02, 0.1])), float(rng.choice([0.0, 0.2]))
    end, rows = length, []
    for d in range(length):
        last = d == length - 1
        useful: list[Outcome] = [(1.0 - slip, end if last else d + 1, 1.0 if last else 0.0, last)]
        row = [[*useful, (slip, d, 0.0, False)] if slip else useful]
        for _ in range(actions - 1):
            back = int(rng.integers(0, d + 1))
            paid = noise * rng.normal()
            either = rng.random() < 0.3
            row.append([(0.5, back, paid, False), (0.5, d, -paid, False)] if either else [(1.0, back, paid, False)])
        rows.append(shuffled(rng, row))
    rows.append([])
    return OutcomeTable(rows, length + between(rng, 1, 2 * length), discount=float(rng.choice([1.0, 0.95])))
