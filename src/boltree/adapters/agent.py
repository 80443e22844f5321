"""``bt.Agent``: acts in a running environment: plans, steps, keeps the subtree, and plans again."""

from __future__ import annotations

from typing import Any, Literal

from ..algorithms.table import Algorithm
from ..errors import ParameterError
from ..problem.problem import Problem
from ..search.act import Episode, run_at_least_once
from ..search.search import Search
from . import from_gymnasium


class Agent:
    """Acts in a running environment by planning before each step.

    Args:
        environment: an environment of Gymnasium's, its id, or a problem that `bt.from_gymnasium` made of it (which is
            where to say how it is planned in). The agent acts in this environment and plans in another.
        algorithm: how to plan; as `bt.plan` does if None.
        trials, seconds: how long to plan before each step; for one trial at least.
        seed: of the search.
        horizon: ``"absolute"`` looks to the problem's horizon, ``"receding"`` always as far ahead as at first. None
            takes the first where the problem goes to the environment's time limit, else the second.
        options: for `Search`: growth, evaluator, ...

    ``agent.search`` is the search as it stands: its tree, its values and what it recommends; None before the first
    step. ``agent.done`` says whether the episode has ended.

    Example:
        >>> import boltree as bt
        >>> agent = bt.Agent(bt.from_gymnasium("FrozenLake-v1", is_slippery=False), bt.UCT(), trials=500)
        >>> agent.play(seed=0).value
        1.0
    """

    def __init__(
        self,
        environment: Any,
        algorithm: Algorithm | None = None,
        *,
        trials: int | None = None,
        seconds: float | None = None,
        seed: int | None = 0,
        horizon: Literal["absolute", "receding"] | None = None,
        **options: Any,
    ) -> None:
        if trials is None and seconds is None:
            raise ParameterError("Agent: give trials=... or seconds=..., how long to plan before each step")
        if horizon not in ("absolute", "receding", None):
            raise ParameterError(f"horizon={horizon!r}: must be 'absolute', 'receding' or None")
        problem = environment if isinstance(environment, Problem) else from_gymnasium(environment)
        if not hasattr(problem, "running"):
            raise ParameterError(
                f"environment={problem!r}: has no running environment; bt.act plays in a problem's own simulator"
            )
        self.problem: Any = problem
        self.search: Search | None = None
        self._algorithm, self._trials, self._seconds, self._seed = algorithm, trials, seconds, seed
        limit = self.problem.running.limit
        self._horizon = horizon or ("absolute" if limit and self.problem.horizon >= limit else "receding")
        self._options = options
        self._taken: int | None = None
        self.done = False

    def __repr__(self) -> str:
        longest = [f"{self._trials} trials"] if self._trials is not None else []
        longest += [f"{self._seconds:g} s"] if self._seconds is not None else []
        name = "" if self._algorithm is None else f"{self._algorithm.name}, "
        return f"Agent({self.problem!r}, {name}{' or '.join(longest)} a step)"

    def reset(self, seed: int | None = None) -> None:
        """Begin an episode: reset the environment, and forget the last one."""
        self.problem.running.reset(seed)
        self.search, self._taken, self.done = None, None, False

    def plan(self) -> int:
        """The recommended action where the environment is now."""
        where = self.problem.running.where()
        if where is None:
            raise ParameterError("Agent: call agent.reset() first; where the environment is cannot be known before")
        if self.search is None:
            self.search = Search(self.problem, self._algorithm, state=where, seed=self._seed, **self._options)
        elif self._taken is not None:
            self.search.advance(self._taken, where, horizon=self._horizon)
            self._taken = None
        if self.search.root.depth >= self.search.horizon:
            raise ParameterError(
                f"Agent: the horizon of {self.search.horizon} steps is used up; use horizon='receding'"
            )
        run_at_least_once(self.search, self._trials, self._seconds)
        return self.search.recommend()

    def step(self) -> tuple[int, float]:
        """Plan, and take the recommended action in the environment: the action and its reward."""
        if self.done:
            raise ParameterError("Agent: the episode has ended; call reset()")
        action = self.plan()
        reward, self.done = self.problem.running.step(action)
        self._taken = action
        return action, reward

    def play(self, *, seed: int | None = None, steps: int | None = None) -> Episode:
        """Play one episode from a reset to its end, or `steps` steps of it."""
        self.reset(seed)
        episode = Episode(states=[self.problem.running.where()], discount=self.problem.discount)
        while not self.done and (steps is None or len(episode.actions) < steps):
            action, reward = self.step()
            episode.actions.append(action)
            episode.rewards.append(reward)
            episode.states.append(self.problem.running.where())
        episode.done = self.done
        return episode
