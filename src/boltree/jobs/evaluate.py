"""``bt.evaluate``: what planning is worth when every step is planned anew: the mean return of many episodes."""

from __future__ import annotations

import pickle
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Union

import numpy as np

from ..algorithms.table import Algorithm
from ..checks import whole
from ..core.random import new_generator
from ..errors import ParameterError, ProblemError
from ..messages import counted, shortened
from ..problem.problem import Problem, not_a_problem
from ..problem.python.problem import PythonProblem
from ..search.act import Choice, Horizon, Planner, Simulation, chooser, most_steps, play, start_of
from ..search.plan import plan
from ..search.progress import bar
from ..search.search import Search
from .evaluation import Evaluation
from .executors import Executor, Here, Processes, Progress, Threads
from .main_module import check_can_be_found
from .statistics import interval


def evaluate(
    problem: Problem,
    algorithm: Union[Algorithm, Planner, Callable[[Any], int], None] = None,
    *,
    episodes: int = 100,
    trials: int | None = None,
    seconds: float | None = None,
    opponent: Union[Algorithm, Planner, Callable[[Any], int], None] = None,
    workers: int = 1,
    seed: int = 0,
    steps: int | None = None,
    horizon: Horizon | None = None,
    environment: Any = None,
    progress: bool | None = None,
    **options: Any,
) -> Evaluation:
    """Play episodes, planning anew before each step and keeping the tree, and say what they came to.

    Args:
        problem: what is planned in, and acted in unless there is an `environment`.
        algorithm: how to plan: an algorithm; None (or ``bt.plan``) as `bt.plan` does; a `bt.Planner`, which has a
            budget and options of its own; or a function from a state to an action.
        episodes: how many; in a game every second one is played from the other side.
        trials, seconds: how long to plan before each step.
        opponent: who moves for the other player in a game for two, as `algorithm`; an algorithm has the same budget and
            rollouts.
        workers: how many episodes are played at the same time; what they come to does not depend on it where `trials`
            are given. A problem in plain Python is played in processes of its own, so that a script needs
            ``if __name__ == "__main__":``; others in threads.
        seed: of all; the same seed begins the same episodes for every algorithm.
        steps: the most steps of an episode; to the horizon if None.
        horizon: as of `bt.act`; None is ``"absolute"``, or ``"receding"`` in an environment that goes on longer.
        environment: what is acted in, if it is another thing than the problem: an object with ``reset(seed)``,
            ``where()``, the state it is in as the problem has it, and ``step(action)``, its reward and whether that
            was the end; where states are hidden, ``seen()`` too, what was observed. A problem that `bt.from_gymnasium`
            made brings its own.
        progress: whether to show a line on the terminal; None shows it in a terminal.
        options: for `Search`: growth, evaluator, transpositions, threads, ...

    Example:
        >>> import boltree as bt
        >>> found = bt.evaluate(bt.problems.DChain(6), bt.BTS(alpha=1.0), trials=500, episodes=3)
        >>> print(found.value)
        1.0000 ± 0.0000
    """
    if not isinstance(problem, Problem):
        raise not_a_problem(problem)
    for name, given, least in (("episodes", episodes, 1), ("workers", workers, 1), ("seed", seed, 0)):
        whole(name, given, least)
    whole("steps", steps, 1, none=True)
    choices = [_choice("algorithm", algorithm, trials, seconds, options, opponent is not None and _searches(opponent))]
    if problem.has("player"):
        if opponent is None:
            raise ParameterError(
                f"opponent=None: {problem.display_name()} is a game for two; give one, such as bt.UCT(), a bt.Planner "
                "or a function of the state"
            )
        choices.append(_choice("opponent", opponent, trials, seconds, {}, True))
    elif opponent is not None:
        raise ParameterError(f"opponent={shortened(opponent)}: {problem.display_name()} has one player")
    environment, most, horizon = acted_in(problem, environment, steps, horizon)
    for choice in choices:
        chooser(problem, choice, 0, horizon)  # which refuses what cannot be played
    jobs = [
        PlayedEpisode(problem, tuple(choices), number, seed, most, horizon, environment) for number in range(episodes)
    ]
    shown = sys.stderr.isatty() if progress is None else progress
    executor = _executor(problem, environment, min(workers, episodes), jobs[0])
    rows = _run(executor, jobs, problem, shown)
    returns, totals, taken, ended, planned = (np.array(column) for column in zip(*rows, strict=True))
    return Evaluation(
        returns.astype(float), totals.astype(float), taken, ended, planned / np.maximum(taken, 1), problem.discount,
        len(choices) > 1,
    )  # fmt: skip


def acted_in(
    problem: Problem, environment: Any, steps: int | None, horizon: Horizon | None
) -> tuple[Any, int, Horizon]:
    """What is acted in (None for the problem itself), the most steps, and how far ahead is planned."""
    if environment is None:
        environment = getattr(problem, "running", None)
    wanted = ("reset", "where", "step", *(("seen",) if problem.hidden else ()))
    missing = [name for name in wanted if not hasattr(environment, name)]
    if environment is not None and missing:
        raise ParameterError(
            f"environment={shortened(environment)}: has no {missing[0]}(); it needs reset(seed), "
            f"{'seen(), ' if problem.hidden else ''}where() and step(action)"
        )
    if horizon is None:
        limit = getattr(environment, "limit", None) or problem.horizon
        horizon = "receding" if limit > problem.horizon else "absolute"
        steps = limit if steps is None and horizon == "receding" else steps
    return environment, most_steps(problem, steps, horizon), horizon


Row = tuple[float, float, int, bool, float]
"""An episode's return, total, steps, whether it ended, and the mean seconds of planning."""


@dataclass(frozen=True, eq=False)
class PlayedEpisode:
    """One episode; its seeds derive from its number."""

    problem: Problem
    choices: tuple[Choice, ...]
    number: int
    seed: int
    steps: int
    horizon: Horizon
    environment: Any = None

    def run(self, watch: Callable[[int, float], None] | None = None) -> Row:
        """Play it."""
        problem, seat = self.problem, self.number % 2 if len(self.choices) > 1 else 0
        start = self.number // 2 if len(self.choices) > 1 else self.number
        world, *minds = np.random.SeedSequence([self.seed, start]).spawn(3)
        rng = new_generator(world)
        choosers = [
            chooser(problem, choice, int(mind.generate_state(1, np.uint32)[0]), self.horizon)
            for choice, mind in zip(self.choices, minds, strict=False)
        ]
        if self.environment is None:
            belief = choice.options.get("belief") if isinstance(choice := self.choices[0], Planner) else None
            environment = Simulation(problem, start_of(problem, belief, rng), rng)
        else:
            environment = self.environment
            environment.reset(int(world.generate_state(1, np.uint32)[0] >> 1))
        here = None if problem.hidden else problem.as_state(environment.where())
        for choice in self.choices:
            if isinstance(choice, Planner):  # compile, or load what is compiled, before the clock starts
                Search(problem, choice.algorithm, state=here, seed=0, **choice.options).run(trials=1)
        told = None if watch is None else lambda taken: watch(taken, 0.0)
        episode = play(problem, environment, choosers[::-1] if seat else choosers, self.steps, told)
        sign = -1.0 if seat else 1.0
        mean = choosers[0].seconds / max(choosers[0].decisions, 1)
        return sign * episode.value, sign * sum(episode.rewards), len(episode.actions), episode.done, mean


def _searches(given: Any) -> bool:
    """Whether what a user gave is to search with the budget of the call."""
    return given is plan or not (isinstance(given, Planner) or (callable(given) and not isinstance(given, type)))


def _choice(
    name: str, given: Any, trials: int | None, seconds: float | None, options: dict[str, Any], budget_used: bool
) -> Choice:
    """How actions are chosen, from what a user gave; whether the other player's search uses the budget."""
    if not _searches(given):
        left = [*options, *([] if budget_used else [n for n, v in (("trials", trials), ("seconds", seconds)) if v])]
        if left and isinstance(given, Planner):
            raise ParameterError(f"{left[0]}: give it to the bt.Planner")
        if left:
            raise ParameterError(f"{left[0]}: a function of the state does not search; leave it out")
        chosen: Choice = given
        return chosen
    if given is plan:
        given = None
    if not (given is None or isinstance(given, Algorithm)):
        raise ParameterError(
            f"{name}={shortened(given)}: must be an algorithm, such as bt.UCT(), a bt.Planner, a function of the "
            "state, or None"
        )
    return Planner(given, trials=trials, seconds=seconds, **options)


def _executor(problem: Problem, environment: Any, workers: int, job: PlayedEpisode) -> Executor:
    """Who plays episodes: compiled searches run without the GIL, so that threads do."""
    if workers == 1:
        return Here()
    if environment is None and not isinstance(problem, PythonProblem):
        return Threads(workers)
    check_can_be_found(workers, problem)
    try:
        pickle.dumps(job)
    except Exception as error:  # whatever an object of the user's raises
        raise ParameterError(
            f"workers={workers}: what is played cannot be sent to another process ({error}); use workers=1"
        ) from error
    return Processes(workers)


def _run(executor: Executor, jobs: Sequence[PlayedEpisode], problem: Problem, shown: bool) -> list[Row]:
    """Play all episodes; their rows in order."""
    rows: dict[int, Row] = {}
    line = _Line(len(jobs)) if shown else None
    try:
        with closing(executor.run(jobs, Progress(len(jobs)), lambda: None)) as ending:
            for finished in ending:
                if finished.columns is None:
                    raise ProblemError(f"{problem.display_name()}, episode {finished.job.number}: {finished.failure}")
                rows[finished.job.number] = finished.columns
                if line is not None:
                    line.show([row[0] for row in rows.values()])
    finally:
        if line is not None:
            line.close()
    return [rows[number] for number in range(len(jobs))]


class _Line:
    """Writes ``[#####.....]  51%  51 episodes  value 0.83 ± 0.02  about 12 s left`` to standard error."""

    def __init__(self, episodes: int) -> None:
        self._episodes, self._began = episodes, time.monotonic()

    def show(self, returns: list[float]) -> None:
        """Show how far it is."""
        done = len(returns)
        left = (time.monotonic() - self._began) / done * (self._episodes - done)
        text = f"{bar(done / self._episodes)}  {counted(done, 'episode')}  value {interval(returns)}"
        sys.stderr.write(f"\r{text}  about {left:.0f} s left   ")
        sys.stderr.flush()

    def close(self) -> None:
        """End the line."""
        sys.stderr.write("\n")
