"""``bt.act``: the plan-act loop: plan, take the recommended action in the simulator, keep the subtree, plan again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from ..algorithms.table import Algorithm
from ..core.random import new_generator
from ..errors import ParameterError
from ..messages import counted, shortened
from ..problem.problem import Problem
from ..problem.state import PlainState
from .search import Search

LONGEST_SHOWN = 30
"""Steps of an episode that are printed."""


@dataclass(repr=False)
class Episode:
    """What happened: the states visited (the last one too), the actions taken, the rewards paid."""

    states: list[Any] = field(default_factory=list)
    actions: list[int] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    done: bool = False
    discount: float = 1.0

    def __repr__(self) -> str:
        end = "ended" if self.done else "not ended"
        return f"<Episode of {counted(len(self.actions), 'step')}: value {self.value:.6g}, {end}>"

    def __str__(self) -> str:
        lines = [repr(self)[1:-1]]
        for i, (state, action, reward) in enumerate(zip(self.states, self.actions, self.rewards, strict=False)):
            if i < LONGEST_SHOWN:
                lines.append(f"  {i:>4}  {shortened(state)}  action {action}  reward {reward:g}")
        if len(self.actions) > LONGEST_SHOWN:
            lines.append(f"  ... and {counted(len(self.actions) - LONGEST_SHOWN, 'more step')}")
        if len(self.states) > len(self.actions):
            lines.append(f"  last  {shortened(self.states[-1])}")
        return "\n".join(lines)

    @property
    def value(self) -> float:
        """The discounted sum of the rewards."""
        return float(sum(reward * self.discount**i for i, reward in enumerate(self.rewards)))


def run_at_least_once(search: Search, trials: int | None, seconds: float | None) -> None:
    """Run a search until a limit is reached, and beyond it until a trial has taken an action of the root."""
    search.run(trials=trials, seconds=seconds)
    if search.root.recommended is None:
        search.run(trials=1)


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
        trials, seconds: how long to plan before each step; for one trial at least.
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
    here = search.root.state_record
    episode.states.append(problem.present(here))
    for _ in range(steps):
        run_at_least_once(search, trials, seconds)
        action = search.recommend()
        world = PlainState(np.asarray(here).reshape(1).copy())
        reward, done = problem.plain_step(world, action, rng)
        episode.actions.append(action)
        episode.rewards.append(reward)
        here = world.memory[0]
        episode.states.append(problem.present(here))
        if done:
            episode.done = True
            break
        if len(episode.actions) < steps:
            search.advance(action, here, horizon=horizon)
    return episode
