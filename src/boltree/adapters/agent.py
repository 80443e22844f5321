"""``bt.Agent``: acts in a running environment, or in a world of yours: plans, keeps the subtree, and plans again."""

from __future__ import annotations

from typing import Any, Literal

from ..algorithms.table import Algorithm
from ..errors import ParameterError
from ..messages import did_you_mean
from ..problem.problem import Problem
from ..search.act import SEARCH_OPTIONS, Episode, Simulation, most_steps, run_at_least_once, simulated
from ..search.search import Search
from . import from_gymnasium


class Agent:
    """Acts by planning before each step: in a running environment, in a world of yours, or in a problem's simulator.

    In a world of yours, such as a robot's, `plan` says what to do, and `saw` takes what came of it: the state, or what
    was observed where states are hidden.

    Args:
        environment: an environment of Gymnasium's, its id, or a problem that `bt.from_gymnasium` made of it (which is
            where to say how it is planned in): the agent acts in this environment and plans in another. Or any other
            `bt.Problem`.
        algorithm: how to plan; as `bt.plan` does if None.
        trials, seconds: how long to plan before each step; for one trial at least.
        seed: of the search.
        horizon: ``"absolute"`` looks to the problem's horizon, ``"receding"`` always as far ahead as at first. None
            takes the second where an environment's time limit lies beyond the problem's horizon, or where it has none,
            else the first.
        options: for `Search`: growth, evaluator, belief, ...

    ``agent.search`` is the search as it stands: its tree, its values and what it recommends; None before the first
    plan. ``agent.done`` says whether the episode has ended.

    Example:
        >>> import boltree as bt
        >>> agent = bt.Agent(bt.from_gymnasium("FrozenLake-v1", is_slippery=False), bt.UCT(), trials=500)
        >>> agent.play(seed=0).value
        1.0
        >>> agent = bt.Agent(bt.problems.Tiger(horizon=4), bt.BTS(alpha=10.0), trials=2_000)
        >>> agent.plan()  # listen
        0
        >>> agent.saw(0, 1)  # heard right
        >>> round(agent.search.belief.mean("tiger"), 1)
        0.8
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
        for name in options:
            if name not in SEARCH_OPTIONS:
                known = ("trials", "seconds", "horizon", *SEARCH_OPTIONS)
                raise ParameterError(f"Agent: {name}: must be an option of bt.Search{did_you_mean(name, known)}")
        if trials is None and seconds is None:
            raise ParameterError("Agent: give trials=... or seconds=..., how long to plan before each step")
        if horizon not in ("absolute", "receding", None):
            raise ParameterError(f"horizon={horizon!r}: must be 'absolute', 'receding' or None")
        problem = environment if isinstance(environment, Problem) else from_gymnasium(environment)
        self.problem: Any = problem
        self.search: Search | None = None
        self._algorithm, self._trials, self._seconds, self._seed = algorithm, trials, seconds, seed
        self._running: Any = getattr(problem, "running", None)
        limit = problem.horizon if self._running is None else self._running.limit
        self._horizon = horizon or ("absolute" if limit and problem.horizon >= limit else "receding")
        self._options = options
        self._taken: Any = None
        self._simulation: Simulation | None = None
        self.done = False

    def __repr__(self) -> str:
        longest = [f"{self._trials} trials"] if self._trials is not None else []
        longest += [f"{self._seconds:g} s"] if self._seconds is not None else []
        name = "" if self._algorithm is None else f"{self._algorithm.name}, "
        return f"Agent({self.problem!r}, {name}{' or '.join(longest)} a step)"

    def reset(self, seed: int | None = None) -> None:
        """Begin an episode: reset the environment, or begin another simulation, and forget the last one."""
        self.search, self._taken, self.done = None, None, False
        if self._running is not None:
            self._running.reset(seed)
        else:
            self._simulation = simulated(self._followed(), seed)

    def plan(self) -> Any:
        """The recommended action where the environment is now, or after what was seen."""
        search = self._followed()
        if search.root.depth >= search.horizon:
            raise ParameterError(f"Agent: the horizon of {search.horizon} steps is used up; use horizon='receding'")
        run_at_least_once(search, self._trials, self._seconds)
        return search.recommend()

    def saw(self, action: Any, seen: Any) -> None:
        """Go on from what came of an action in a world of yours: the state, or what was observed of a hidden one.

        The action need not be the one that was recommended; in a game it may be the other player's.
        """
        if self._running is not None:
            raise ParameterError("Agent: saw() is for a problem without an environment; this one looks at its own")
        self._simulation = None  # which did not go along
        self._followed().advance(action, seen, horizon=self._horizon)

    def step(self) -> tuple[Any, float]:
        """Plan, and take the recommended action in the environment, or in the simulator: the action and its reward."""
        if self.done:
            raise ParameterError("Agent: the episode has ended; call reset()")
        if self._running is None and self._simulation is None:
            raise ParameterError("Agent: call agent.reset() first, which begins a simulation; step() goes on in it")
        action = self.plan()
        if self._simulation is None:
            reward, self.done = self._running.step(action)
            self._taken = action
            return action, reward
        reward, self.done = self._simulation.step(action)
        if not self.done:
            seen = self._simulation.seen() if self.problem.hidden else self._simulation.where()
            self._followed().advance(action, seen, horizon=self._horizon)
        return action, reward

    def play(self, *, seed: int | None = None, steps: int | None = None) -> Episode:
        """Play one episode from a reset to its end, or `steps` steps of it; in a simulator, to the horizon at most."""
        self.reset(seed)
        if self._running is None:
            steps = most_steps(self.problem, steps, self._horizon)
        episode = Episode(states=[self._where()], discount=self.problem.discount)
        while not self.done and (steps is None or len(episode.actions) < steps):
            action, reward = self.step()
            episode.actions.append(action)
            episode.rewards.append(reward)
            episode.states.append(self._where())
            if self.problem.hidden and not self.done and self._simulation is not None:
                episode.observations.append(self.problem.present_observation(self._simulation.seen()))
        episode.done = self.done
        return episode

    def _where(self) -> Any:
        """The state of the environment or of the simulation, as an episode shows it."""
        if self._simulation is None:
            return self._running.where()
        return self.problem.present(self._simulation.where())

    def _followed(self) -> Search:
        """The search, where the environment is now."""
        where = None
        if self._running is not None:
            where = self._running.where()
            if where is None:
                raise ParameterError("Agent: call agent.reset() first; where the environment is cannot be known before")
        if self.search is None:
            begin = self._options if where is None else {"state": where, **self._options}
            self.search = Search(self.problem, self._algorithm, seed=self._seed, **begin)
        elif self._taken is not None:
            self.search.advance(self._taken, where, horizon=self._horizon)
            self._taken = None
        return self.search
