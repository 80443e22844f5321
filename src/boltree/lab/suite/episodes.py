"""Decisions measured by the score of whole episodes or games, where a problem has no exact values to compare with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ...algorithms.table import UCT
from ...core.random import new_generator
from ...problem.problem import Problem
from ...problem.state import PlainState
from ...search.search import Search
from .case import Numbers, Watcher
from .planners import Planner

RANDOM_EPISODES = 200
"""Episodes in which actions are drawn at random, to say what a score is worth."""

Choice = Callable[[Any, int], int]
"""From a state and a seed to an action."""

_random: WeakKeyDictionary[Problem, dict[GamesWon, float]] = WeakKeyDictionary()
"""What random moves score in a game by each measure, as long as the problem lives."""


@dataclass
class _Asked:
    """Asks a planner for actions, and counts the answers and their seconds."""

    planner: Planner
    problem: Problem
    trials: int | None
    seconds: float | None
    watch: Watcher
    answers: int = 0
    spent: float = 0.0

    def choose(self, state: Any, seed: int) -> int:
        decision = self.planner(self.problem, state, self.trials, self.seconds, seed)
        self.answers += 1
        self.spent += decision.seconds
        self.watch(self.answers, 0.0)
        return decision.action


@dataclass(frozen=True)
class Episodes:
    """Play episodes in the problem's own simulator and plan at every step, as far ahead as the problem's horizon.

    The score is the mean undiscounted return.

    Args:
        episodes: how many; they begin alike for every planner, and random steps draw the same numbers.
        steps: of an episode, at most.
    """

    episodes: int
    steps: int

    @property
    def answers(self) -> int:
        """One at every step, unless an episode ends sooner."""
        return self.episodes * self.steps

    @property
    def reusable(self) -> bool:
        """Problems in plain Python keep every state they have met."""
        return False

    def run(
        self, problem: Problem, planner: Planner, trials: int | None, seconds: float | None, seed: int, watch: Watcher
    ) -> Numbers:
        """Play the episodes."""
        asked = _Asked(planner, problem, trials, seconds, watch)
        score = self._mean_return(problem, asked.choose, self.episodes, seed)
        chance = self._mean_return(problem, partial(_any_action, problem), RANDOM_EPISODES, 0)
        return _numbers(score, chance, asked)

    def _mean_return(self, problem: Problem, choose: Choice, episodes: int, seed: int) -> float:
        returns = []
        for sequence in np.random.SeedSequence(seed).spawn(episodes):
            world, plans = sequence.spawn(2)
            seeds = plans.generate_state(self.steps, np.uint32).tolist()
            returns.append(self._return(problem, choose, new_generator(world), seeds))
        return float(np.mean(returns))

    def _return(self, problem: Problem, choose: Choice, rng: Any, seeds: list[int]) -> float:
        here, total = problem.plain_start(rng), 0.0
        for seed in seeds:
            action = choose(problem.present(here), seed)
            world = PlainState(np.asarray(here).reshape(1).copy())
            reward, done = problem.plain_step(world, action, rng)
            here, total = world.memory[0], total + reward
            if done:
                break
        return total


@dataclass(frozen=True)
class GamesWon:
    """Play games against UCT with rollouts and a fixed number of trials; a win scores 1, a draw 0.5.

    Args:
        games: how many: each two begin with the same random moves, with sides exchanged.
        opening: the number of these moves.
        opponent_trials: trials of the opponent for a move.
    """

    games: int
    opening: int = 2
    opponent_trials: int = 1000

    @property
    def answers(self) -> int:
        """About twenty in a game."""
        return 20 * self.games

    @property
    def reusable(self) -> bool:
        """Nothing is kept of a game that is compiled."""
        return True

    def run(
        self, problem: Problem, planner: Planner, trials: int | None, seconds: float | None, seed: int, watch: Watcher
    ) -> Numbers:
        """Play the games."""
        asked = _Asked(planner, problem, trials, seconds, watch)
        score = self._mean_score(problem, asked.choose, seed)
        known = _random.setdefault(problem, {})
        if self not in known:
            known[self] = self._mean_score(problem, partial(_any_action, problem), 0)
        return _numbers(score, known[self], asked)

    def _mean_score(self, problem: Problem, choose: Choice, seed: int) -> float:
        pairs = np.random.SeedSequence(seed).spawn(-(-self.games // 2))
        return float(np.mean([self._score(problem, choose, pairs[k // 2], k % 2) for k in range(self.games)]))

    def _score(self, problem: Problem, choose: Choice, pair: np.random.SeedSequence, seat: int) -> float:
        rng = np.random.default_rng(pair)
        board, total, done = PlainState(np.asarray(problem.start_state(0)).reshape(1).copy()), 0.0, False
        for _ in range(self.opening):
            _, done = problem.plain_step(board, int(rng.choice(problem.legal_actions(board))), new_generator(0))
        while not done:
            state, its_seed = problem.present(board.memory[0]), int(rng.integers(2**32))
            ours = problem.plain_player(board.memory) == seat
            action = choose(state, its_seed) if ours else self._answer(problem, state, its_seed)
            reward, done = problem.plain_step(board, action, new_generator(0))
            total += reward
        won = total if seat == 0 else -total
        return (float(np.sign(won)) + 1.0) / 2.0

    def _answer(self, problem: Problem, state: Any, seed: int) -> int:
        search = Search(problem, UCT(), state=state, seed=seed)
        search.run(trials=self.opponent_trials)
        return int(search.recommend())


def _any_action(problem: Problem, state: Any, seed: int) -> int:
    legal = problem.legal_actions(state)
    return legal[seed % len(legal)]


def _numbers(score: float, chance: float, asked: _Asked) -> Numbers:
    return {
        "score": score,
        "random": chance,
        "answers": asked.answers,
        "seconds": asked.spent / max(asked.answers, 1),
    }
