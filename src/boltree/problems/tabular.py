"""Any finite Markov decision process, from dense arrays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..errors import ProblemError
from ..problem.problem import MAX_ACTIONS
from .checks import whole
from .outcome_table import TOLERANCE, OutcomeTable


class Tabular(OutcomeTable):
    """A finite MDP with states 0..S-1 and actions 0..A-1.

    Only what can happen is kept: for every state and action the successors with a positive probability.
    `deterministic` is set when there is one everywhere.

    Args:
        transitions: ``transitions[s, a, s']``, the probability that action a in state s leads to s'. Rows of illegal
            actions and of terminal states are not read.
        rewards: ``rewards[s, a]`` or ``rewards[s, a, s']``.
        horizon: steps until a trial is cut off.
        start: the state at the start, or the probability of each state to be it.
        terminal: states that end the trial when they are reached, after paying the reward of the step.
        legal: ``legal[s, a]``, whether action a may be taken in state s; None for all.
        discount: weight of a reward one step later.
    """

    def __init__(
        self,
        transitions: Any,
        rewards: Any,
        horizon: int,
        start: Any = 0,
        terminal: Iterable[int] = (),
        legal: Any = None,
        discount: float = 1.0,
    ) -> None:
        chances = _numbers("transitions", transitions)
        if chances.ndim != 3 or chances.shape[0] != chances.shape[2] or 0 in chances.shape:
            raise ProblemError(
                f"Tabular: transitions has shape {chances.shape}, must be (states, actions, states) and none 0"
            )
        states, actions = chances.shape[:2]
        if actions > MAX_ACTIONS:
            raise ProblemError(f"Tabular: transitions has {actions} actions, must have at most {MAX_ACTIONS}")
        paid = _numbers("rewards", rewards)
        if paid.shape not in ((states, actions), (states, actions, states)):
            raise ProblemError(
                f"Tabular: rewards has shape {paid.shape}, must be {(states, actions)} or {(states, actions, states)}"
            )
        ends = _terminal(terminal, states)
        allowed = _legal(legal, states, actions, ends)
        s, a, to = _possible(chances, allowed)
        per_step = paid[s, a] if paid.ndim == 2 else paid[s, a, to]
        _check_finite(per_step, s, a, to, paid.ndim)

        self._given = {"rewards": paid.ndim, "legal": legal is not None}
        self._terminal = np.flatnonzero(ends).tolist()
        columns = (s, a, chances[s, a, to], to, per_step, ends[to])
        self._fill(states, actions, columns, horizon, start, discount)

    def recipe(self) -> dict[str, Any]:
        p = self.plain_params
        states, actions = p.legal_count.size, self.actions
        rows = np.repeat(np.arange(states * actions), np.diff(p.offsets))
        transitions = np.zeros((states * actions, states))
        transitions[rows, p.successors] = p.chances
        rewards = np.zeros((states * actions, states))
        rewards[rows, p.successors] = p.rewards
        if self._given["rewards"] == 2:  # one reward for all successors
            first = np.zeros(states * actions)
            first[rows] = p.rewards
            rewards = first.reshape(states, actions)
        legal = np.zeros((states, actions), np.bool_)
        for s in range(states):
            legal[s, p.legal_actions[s, : p.legal_count[s]]] = True
        return {
            "transitions": transitions.reshape(states, actions, states).tolist(),
            "rewards": rewards.reshape((states, actions, states)[: self._given["rewards"]]).tolist(),
            "horizon": self.horizon,
            "start": self._start,
            "terminal": self._terminal,
            "legal": legal.tolist() if self._given["legal"] else None,
            "discount": self.discount,
        }


def _numbers(field: str, given: Any) -> Any:
    try:
        return np.asarray(given, dtype=np.float64)
    except (ValueError, TypeError, OverflowError) as error:
        raise ProblemError(f"Tabular: {field} must be an array of numbers: {error}") from None


def _terminal(given: Any, states: int) -> Any:
    ends = np.zeros(states, np.bool_)
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise ProblemError(f"Tabular: terminal={given!r}, must be a list of states from 0 to {states - 1}")
    for i, s in enumerate(given):
        ends[whole("Tabular", f"terminal[{i}]", s, 0, states - 1)] = True
    return ends


def _legal(given: Any, states: int, actions: int, ends: Any) -> Any:
    """The actions that can be taken: legal, in a state that is not terminal."""
    if given is None:
        return np.repeat(~ends[:, None], actions, axis=1)
    numbers = _numbers("legal", given)
    if numbers.shape != (states, actions):
        raise ProblemError(f"Tabular: legal has shape {numbers.shape}, must be {(states, actions)}")
    wrong = np.argwhere((numbers != 0.0) & (numbers != 1.0))
    if wrong.size:
        s, a = (int(i) for i in wrong[0])
        raise ProblemError(f"Tabular: legal[{s}, {a}]={numbers[s, a]:g}, must be true or false")
    allowed = (numbers != 0.0) & ~ends[:, None]
    stuck = np.flatnonzero(~allowed.any(axis=1) & ~ends)
    if stuck.size:
        s = stuck[0]
        raise ProblemError(f"Tabular: legal[{s}] has no legal action, must have one (or put state {s} in terminal)")
    return allowed


def _possible(chances: Any, allowed: Any) -> Any:
    """The (s, a, s') that can happen, in order; the probabilities are checked."""
    wrong = np.argwhere(allowed[:, :, None] & ~((chances >= 0.0) & (chances <= 1.0 + TOLERANCE)))
    if wrong.size:
        where = tuple(int(i) for i in wrong[0])
        raise ProblemError(f"Tabular: transitions{list(where)}={chances[where]:g}, must be a probability from 0 to 1")
    total = np.where(allowed, chances.sum(axis=2, where=allowed[:, :, None]), 1.0)
    wrong = np.argwhere(np.abs(total - 1.0) > TOLERANCE)
    if wrong.size:
        s, a = (int(i) for i in wrong[0])
        found = f"transitions[{s}, {a}] (state {s}, action {a}) sum to {total[s, a]:.9g}"
        raise ProblemError(f"Tabular: {found}, must sum to 1")
    return np.nonzero(allowed[:, :, None] & (chances > 0.0))


def _check_finite(per_step: Any, s: Any, a: Any, to: Any, dimensions: int) -> None:
    wrong = np.flatnonzero(~np.isfinite(per_step))
    if wrong.size:
        i = wrong[0]
        where = f"{s[i]}, {a[i]}" if dimensions == 2 else f"{s[i]}, {a[i]}, {to[i]}"
        raise ProblemError(f"Tabular: rewards[{where}]={per_step[i]:g}, must be a finite number")
