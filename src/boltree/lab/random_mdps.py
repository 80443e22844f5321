"""Small random MDPs for the claims about convergence: made from a seed, so that an experiment can name them."""

from __future__ import annotations

import numpy as np

from ..exact.solve import solve
from ..problem.problem import Problem
from ..problems import Tabular

STATES, ACTIONS, HORIZON, SUCCESSORS = 6, 3, 3, 3


def random_mdp(seed: int) -> Problem:
    """Six states, three actions with up to three outcomes each, three steps, rewards between -1 and 1."""
    rng = np.random.default_rng(seed)
    transitions = np.zeros((STATES, ACTIONS, STATES))
    for state in range(STATES):
        for action in range(ACTIONS):
            outcomes = rng.choice(STATES, size=int(rng.integers(1, SUCCESSORS + 1)), replace=False)
            transitions[state, action, outcomes] = rng.dirichlet(np.ones(outcomes.size))
    rewards = rng.uniform(-1.0, 1.0, (STATES, ACTIONS))
    return Tabular(transitions, rewards, horizon=HORIZON)


def name_of(seed: int) -> str:
    """How an experiment names one of them."""
    return f"boltree.lab.random_mdps:random_mdp({seed})"


def smallest_gap(problem: Problem) -> float:
    """The least difference between two values of actions that differ, over all states and depths (Theorem 3.2)."""
    solution = solve(problem)
    gaps = [1.0]
    for depth, layer in enumerate(solution.model.layers[: problem.horizon]):
        for state in layer:
            record = solution.model.states[state].view(problem.state_layout())[0]
            q = np.sort(solution.q(record, depth))
            gaps += [float(gap) for gap in np.diff(q) if gap > 1e-12]
    return min(gaps)
