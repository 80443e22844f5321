"""``bt.act``: the plan-act loop: plan, take the recommended action in the simulator, keep the subtree, plan again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from ..algorithms.table import Algorithm
from ..core.random import new_generator
from ..errors import ParameterError
from ..problem.problem import Problem
from ..problem.state import PlainState
from .search import Search


@dataclass
class Episode:
    """What happened: the states visited (the last one too), the actions taken, the rewards paid.

    Where states are hidden, `observations` has what was observed after each action that did not end the episode.
    """

    states: list[Any] = field(default_factory=list)
    actions: list[int] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    done: bool = False
    discount: float = 1.0
    observations: list[Any] = field(default_factory=list)

    @property
    def value(self) -> float:
        """The discounted sum of the rewards."""
        return float(sum(reward * self.discount**i for i, reward in enumerate(self.rewards)))


def act(
    problem: Problem,
    algorithm: Algorithm | None = None,
    *,
    trials: int | None = None,
    seconds: float | None = None,
    seed: int | None = 0,
    steps: int | None = None,
    horizon: Literal["absolute", "receding"] = "absolute",
    **options: Any,
) -> Episode:
    """Play one episode: plan before each step, and keep the subtree between steps.

    Args:
        problem: the problem; it is its own simulator.
        algorithm: how to plan; as `bt.plan` does if None.
        trials, seconds: how long to plan before each step.
        seed: of the search and of the episode.
        steps: their largest number; to the horizon if None.
        horizon: ``"absolute"`` plans to the problem's horizon, ``"receding"`` always as far ahead as at first.
        options: for `Search`: growth, evaluator, state, ...

    >>> import boltree as bt
    >>> bt.act(bt.problems.DChain(4), trials=500).actions
    [1, 1, 1, 1]
    """
    if horizon not in ("absolute", "receding"):
        raise ParameterError(f"horizon={horizon!r}: must be 'absolute' or 'receding'")
    if steps is None or horizon == "absolute":
        steps = problem.horizon if steps is None else min(steps, problem.horizon)
    search = Search(problem, algorithm, seed=seed, **options)
    rng = new_generator(np.random.SeedSequence(seed).spawn(2)[1])
    episode = Episode(discount=problem.discount)
    if not problem.hidden:
        here = search.root.state_record
    elif search.tree.belief is None:
        here = problem.plain_start(rng)
    else:
        here = problem.as_state(search.belief.draw())
    episode.states.append(problem.present(here))
    for _ in range(steps):
        search.run(trials=trials, seconds=seconds)
        action = search.recommend()
        before = np.asarray(here).reshape(1).copy()
        world = PlainState(before.copy())
        reward, done = problem.plain_step(world, action, rng)
        episode.actions.append(action)
        episode.rewards.append(reward)
        here = seen = world.memory[0]
        episode.states.append(problem.present(here))
        if done:
            episode.done = True
            break
        if problem.hidden:
            seen = problem.plain_observe(before, action, world.memory, rng)
            episode.observations.append(problem.present_observation(seen))
        if len(episode.actions) < steps:
            search.advance(action, seen, horizon=horizon)
    return episode
