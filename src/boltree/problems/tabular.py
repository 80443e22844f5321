"""Any finite Markov decision process, from arrays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..core.random import integer, uniform
from ..errors import ProblemError
from ..problem import MAX_ACTIONS, Problem
from ..records import record
from .checks import whole

TOLERANCE = 1e-6
"""How far from 1 the probabilities of a state and action may sum up (they are used as given)."""


class Tabular(Problem):
    """A finite MDP with states 0..S-1 and actions 0..A-1.

    Only what can happen is kept: for every state and action the successors with a positive probability.
    `deterministic` is set when there is one everywhere.

    Args:
        transitions: ``transitions[s, a, s']``, the probability that action a in state s leads to s'. Rows of illegal
            actions and of terminal states are not read.
        rewards: ``rewards[s, a]`` or ``rewards[s, a, s']``.
        horizon: steps until a trial is cut off.
        start: the state at the start.
        terminal: states that end the trial when they are reached, after paying the reward of the step.
        legal: ``legal[s, a]``, whether action a may be taken in state s; None for all.
        discount: weight of a reward one step later.
    """

    state = record(s="i4")
    params = record(
        offsets="i8[:]",  # [s * A + a]: where the successors of (s, a) begin in the next four
        successors="i4[:]",
        chances="f8[:]",
        sums="f8[:]",  # the chances summed up within (s, a)
        rewards="f8[:]",
        terminal="u1[:]",
        legal_count="i4[:]",
        legal_actions="u2[:,:]",  # [s, k]: the legal actions in order
        width="i4",  # A
        begin="i4",
    )

    def __init__(
        self,
        transitions: Any,
        rewards: Any,
        horizon: int,
        start: int = 0,
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
        start = whole("Tabular", "start", start, 0, states - 1)
        ends = _terminal(terminal, states)
        if ends[start]:
            raise ProblemError(f"Tabular: start={start} is a terminal state, must be one of the others")
        allowed = _legal(legal, states, actions, ends)
        s, a, to = _possible(chances, allowed)
        per_step = paid[s, a] if paid.ndim == 2 else paid[s, a, to]
        _check_finite(per_step, s, a, to, paid.ndim)

        counts = np.bincount(s * actions + a, minlength=states * actions)
        self._given = {"rewards": paid.ndim, "legal": legal is not None}
        self.deterministic = bool((counts <= 1).all())  # none where an action cannot be taken
        super().__init__(
            offsets=np.concatenate([[0], np.cumsum(counts)]),
            successors=to,
            chances=chances[s, a, to],
            sums=np.cumsum(chances, axis=2)[s, a, to],
            rewards=per_step,
            terminal=ends,
            legal_count=allowed.sum(axis=1),
            legal_actions=np.argsort(~allowed, axis=1, kind="stable"),
            width=actions,
            begin=start,
            actions=actions,
            horizon=horizon,
            discount=discount,
        )

    @staticmethod
    def start(params, state, rng):  # type: ignore[no-untyped-def]
        state.s = params.begin

    @staticmethod
    def legal(params, state, mask):  # type: ignore[no-untyped-def]
        mask[:] = False
        for k in range(params.legal_count[state.s]):
            mask[params.legal_actions[state.s, k]] = True

    @staticmethod
    def random_action(params, state, rng):  # type: ignore[no-untyped-def]
        return np.int64(params.legal_actions[state.s, integer(rng, params.legal_count[state.s])])

    @staticmethod
    def step(params, state, action, rng):  # type: ignore[no-untyped-def]
        row = state.s * params.width + action
        k, last = params.offsets[row], params.offsets[row + 1] - 1
        if k > last:
            raise ValueError("this action is illegal here")
        if k < last:  # where there is no choice no number is drawn
            u = uniform(rng)
            while k < last and u >= params.sums[k]:
                k += 1
        to = params.successors[k]
        state.s = to
        return params.rewards[k], params.terminal[to] != 0

    @staticmethod
    def count_outcomes(params, state, action):  # type: ignore[no-untyped-def]
        row = state.s * params.width + action
        return params.offsets[row + 1] - params.offsets[row]

    @staticmethod
    def outcomes(params, state, action, k):  # type: ignore[no-untyped-def]
        row = state.s * params.width + action
        i = params.offsets[row] + k
        if i >= params.offsets[row + 1]:
            raise ValueError("this action is illegal here, or has fewer outcomes")
        to = params.successors[i]
        state.s = to
        return params.chances[i], params.rewards[i], params.terminal[to] != 0

    @staticmethod
    def show(params, state):  # type: ignore[no-untyped-def]
        ended = ", terminal" if params.terminal[state.s] else ""
        return f"state {state.s} of 0..{params.terminal.size - 1}{ended}"

    def recipe(self) -> dict[str, Any]:
        p = self.plain_params
        states, actions = p.terminal.size, self.actions
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
            "start": p.begin,
            "terminal": np.flatnonzero(p.terminal).tolist(),
            "legal": legal.tolist() if self._given["legal"] else None,
            "discount": self.discount,
        }


def _numbers(field: str, given: Any) -> Any:
    try:
        return np.asarray(given, dtype=np.float64)
    except (ValueError, TypeError) as error:
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
