"""Acting by planning before each step: ``bt.act`` plays one episode so; `play` is the loop, for one player or two."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, Union, cast

import numpy as np

from ..algorithms.table import Algorithm
from ..core.random import new_generator
from ..errors import ParameterError
from ..messages import counted, did_you_mean, shortened
from ..problem.problem import Problem
from ..problem.python.problem import PythonProblem
from ..problem.state import PlainState
from .search import Search

Horizon = Literal["absolute", "receding"]

SEARCH_OPTIONS = tuple(
    name for name in inspect.signature(Search.__init__).parameters
    if name not in ("self", "problem", "algorithm", "seed", "state")
)  # fmt: skip
"""What a planner may be told of its searches."""

LONGEST_SHOWN = 30
"""Steps of an episode that are printed."""


@dataclass(repr=False)
class Episode:
    """What happened: the states visited (the last one too), the actions taken, the rewards paid.

    Where states are hidden, `observations` has what was observed after each action that did not end the episode.
    """

    states: list[Any] = field(default_factory=list)
    actions: list[Any] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    done: bool = False
    discount: float = 1.0
    observations: list[Any] = field(default_factory=list)

    def __repr__(self) -> str:
        end = "ended" if self.done else "not ended"
        return f"<Episode of {counted(len(self.actions), 'step')}: value {self.value:.6g}, {end}>"

    def __str__(self) -> str:
        lines = [repr(self)[1:-1]]
        for i, (state, action, reward) in enumerate(zip(self.states, self.actions, self.rewards, strict=False)):
            if i < LONGEST_SHOWN:
                seen = f"  observed {self.observations[i]}" if i < len(self.observations) else ""
                lines.append(f"  {i:>4}  {shortened(state)}  action {action}  reward {reward:g}{seen}")
        if len(self.actions) > LONGEST_SHOWN:
            lines.append(f"  ... and {counted(len(self.actions) - LONGEST_SHOWN, 'more step')}")
        if len(self.states) > len(self.actions):
            lines.append(f"  last  {shortened(self.states[-1])}")
        return "\n".join(lines)

    @property
    def value(self) -> float:
        """The discounted sum of the rewards."""
        return float(sum(reward * self.discount**i for i, reward in enumerate(self.rewards)))


class Environment(Protocol):
    """What is acted in. It need not be the problem that is planned in: it may hide its state or be another machine."""

    def where(self) -> Any:
        """The state that it is in, as the problem that is planned in has it."""

    def step(self, action: Any) -> tuple[float, bool]:
        """Take an action: its reward, and whether that was the end."""


class HiddenEnvironment(Environment, Protocol):
    """What is acted in where the state is hidden from who plans: what it does besides."""

    def seen(self) -> Any:
        """What was observed after the last action, as the problem that is planned in has it."""


class Simulation:
    """A problem that is acted in, by its own step."""

    def __init__(self, problem: Problem, state: Any, rng: Any) -> None:
        self._problem, self._rng = problem, rng
        self._state = np.asarray(state).reshape(1).copy()
        self._seen: Any = None

    def where(self) -> Any:
        """The record of the state that it is in."""
        return self._state[0].copy()

    def step(self, action: Any) -> tuple[float, bool]:
        """Take an action, compiled; a problem in plain Python by its method."""
        here, before = PlainState(self._state), self._state.copy()
        if isinstance(self._problem, PythonProblem):
            reward, done = self._problem.plain_step(here, action, self._rng)
        else:
            after, reward, done = self._problem.step(here, action, self._rng)
            self._state = after.memory
        if self._problem.hidden and not done:
            self._seen = self._problem.plain_observe(before, action, self._state, self._rng)
        return reward, done

    def seen(self) -> Any:
        """What was observed after the last action."""
        return self._seen


class Chooser(Protocol):
    """Who decides in an episode."""

    seconds: float
    """How long it has thought."""
    decisions: int
    """How often it was asked."""

    def choose(self, state: Any) -> Any:
        """An action, in the record of a state."""

    def saw(self, action: Any, state: Any) -> None:
        """Learn that an action was taken, by either player, and what it led to, or what was observed."""


class Planning:
    """Plans before each step by a search, and keeps its subtree."""

    def __init__(
        self, problem: Problem, planner: Planner, seed: int | None, horizon: Horizon, search: Search | None = None
    ) -> None:
        self.search, self.seconds, self.decisions = search, 0.0, 0
        self._problem, self._planner, self._seed, self._horizon = problem, planner, seed, horizon
        self._since: list[tuple[Any, Any]] = []

    def choose(self, state: Any) -> Any:
        """Plan from a state on; where states are hidden, from what is believed."""
        began, planner = time.perf_counter(), self._planner
        if self.search is not None:
            self._move(self.search)
        if self.search is None or self.search.root.terminal:  # an environment may go on where the problem ends
            self.search = Search(self._problem, planner.algorithm, state=state, seed=self._seed, **planner.options)
        self._since = []
        run_at_least_once(self.search, planner.trials, planner.seconds)
        action = self.search.recommend()
        self.seconds += time.perf_counter() - began
        self.decisions += 1
        return action

    def _move(self, search: Search) -> None:
        """Go on from what was seen since."""
        if self._horizon == "receding":
            for action, after in self._since:
                search.advance(action, after, horizon="receding")
        else:
            search.advance_along(self._since)

    def saw(self, action: Any, state: Any) -> None:
        """Go on from there when it is next asked."""
        if self.search is not None:
            self._since.append((action, state))


class Deciding:
    """Decides by a function of the state, as users see it."""

    def __init__(self, problem: Problem, function: Callable[[Any], Any]) -> None:
        self.seconds, self.decisions = 0.0, 0
        self._problem, self._function = problem, function

    def choose(self, state: Any) -> Any:
        """What the function says."""
        began = time.perf_counter()
        action = self._function(self._problem.present(state))
        self.seconds += time.perf_counter() - began
        self.decisions += 1
        if self._problem.boxes is not None:
            return self._problem.boxes.present(self._problem.boxes.vector(action, "a function's action"))
        if not isinstance(action, (int, np.integer)) or action not in self._problem.legal_actions(state):
            legal = self._problem.legal_actions(state)
            raise ParameterError(
                f"a function chose action={shortened(action)} in state {self._problem.written(state)}; must be one of "
                f"{legal}"
            )
        return int(action)

    def saw(self, action: Any, state: Any) -> None:
        """A function of the state needs no past."""


@dataclass(frozen=True)
class Planner:
    """How to plan before each step: an algorithm, a budget, and a search's options.

    Args:
        algorithm: how to search; as `bt.plan` does if None.
        trials, seconds: how long to plan before each step.
        options: for `Search`, with their names: growth, evaluator, transpositions, threads, ...

    >>> import boltree as bt
    >>> planner = bt.Planner(bt.UCT(), trials=100, evaluator=0.0)
    >>> planner.algorithm.name, planner.trials, planner.options
    ('UCT', 100, {'evaluator': 0.0})
    """

    algorithm: Algorithm | None
    trials: int | None
    seconds: float | None
    options: Mapping[str, Any]

    def __init__(
        self,
        algorithm: Algorithm | None = None,
        *,
        trials: int | None = None,
        seconds: float | None = None,
        **options: Any,
    ) -> None:
        if not (algorithm is None or isinstance(algorithm, Algorithm)):
            raise ParameterError(f"algorithm={shortened(algorithm)}: must be an algorithm, such as bt.UCT(), or None")
        if trials is None and seconds is None:
            raise ParameterError("give trials=... or seconds=..., how long to plan before each step")
        for name in options:
            if name not in SEARCH_OPTIONS:
                raise ParameterError(f"{name}: must be an option of bt.Search{did_you_mean(name, SEARCH_OPTIONS)}")
        for name, value in (("algorithm", algorithm), ("trials", trials), ("seconds", seconds), ("options", options)):
            object.__setattr__(self, name, value)


Choice = Union[Planner, Callable[[Any], Any]]
"""How actions are chosen: by planning, or by a function of the state."""


def chooser(problem: Problem, choice: Choice, seed: int | None, horizon: Horizon) -> Planning | Deciding:
    """Who decides in one episode."""
    if isinstance(choice, Planner):
        return Planning(problem, choice, seed, horizon)
    if problem.hidden:
        raise ParameterError(
            f"algorithm={shortened(choice)}: must be an algorithm or a bt.Planner for {problem.display_name()}, whose "
            "state is hidden, because a function would be shown states"
        )
    return Deciding(problem, choice)


def play(
    problem: Problem,
    environment: Environment,
    choosers: Sequence[Chooser],
    steps: int | None,
    watch: Callable[[int], object] | None = None,
) -> Episode:
    """Play an episode from where an environment is.

    Args:
        problem: what is planned in.
        environment: what is acted in.
        choosers: who decides, for each player.
        steps: the most steps; to the end if None.
        watch: called with the steps so far after each.
    """
    here = environment.where()
    episode = Episode([problem.present(problem.as_state(here))], discount=problem.discount)
    while not episode.done and (steps is None or len(episode.actions) < steps):
        mover = problem.plain_player(problem.as_state(here)) if len(choosers) > 1 else 0
        action = choosers[mover].choose(None if problem.hidden else problem.as_state(here))
        reward, episode.done = environment.step(action)
        here = seen = environment.where()
        if problem.hidden and not episode.done:
            seen = cast(HiddenEnvironment, environment).seen()
            episode.observations.append(problem.present_observation(problem.as_observation(seen)))
        for one in dict.fromkeys(choosers):
            one.saw(action, seen)
        episode.actions.append(action)
        episode.rewards.append(reward)
        episode.states.append(problem.present(problem.as_state(here)))
        if watch is not None:
            watch(len(episode.actions))
    return episode


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
    horizon: Horizon = "absolute",
    **options: Any,
) -> Episode:
    """Play one episode: plan before each step, and keep the subtree between steps. `bt.evaluate` plays many.

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
    steps = most_steps(problem, steps, horizon)
    planner = Planner(algorithm, trials=trials, seconds=seconds)
    search = Search(problem, algorithm, seed=seed, **options)
    return play(problem, simulated(search, seed), [Planning(problem, planner, seed, horizon, search)], steps)


def simulated(search: Search, seed: int | None) -> Simulation:
    """A search's problem, to act in from where the search begins; a hidden state is drawn from what is believed."""
    problem, rng = search.problem, new_generator(np.random.SeedSequence(seed).spawn(2)[1])
    start = start_of(problem, search.tree.belief, rng) if problem.hidden else search.root.state_record
    return Simulation(problem, start, rng)


def start_of(problem: Problem, belief: Any, rng: Any) -> Any:
    """The record of a state in which an episode starts: drawn from a belief, or by the problem's `start` if None."""
    return problem.plain_start(rng) if belief is None else problem.as_state(belief.draw(rng))


def most_steps(problem: Problem, steps: int | None, horizon: str) -> int:
    """The most steps of an episode."""
    if horizon not in ("absolute", "receding"):
        raise ParameterError(f"horizon={horizon!r}: must be 'absolute' or 'receding'")
    if steps is None:
        return problem.horizon
    return steps if horizon == "receding" else min(steps, problem.horizon)
