"""Any finite Markov decision process, from a table of what may happen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.random import integer, uniform
from ..errors import ProblemError
from ..messages import shortened
from ..problem.problem import MAX_ACTIONS, Problem
from ..problem.record import record
from .checks import whole

TOLERANCE = 1e-6
"""How far from 1 the probabilities of a state and action may sum up (they are used as given)."""


class OutcomeTable(Problem):
    """A finite MDP with states 0..S-1 and actions 0..A-1, from a list of outcomes for each of them.

    Args:
        outcomes: ``outcomes[s][a]`` lists ``(probability, next state, reward, done)``; lists or dictionaries, as in the
            tables ``P`` of Gymnasium. An action without outcomes is illegal.
        horizon: steps until a trial is cut off.
        start: the state at the start, or the probability of each state to be it.
        discount: weight of a reward one step later.

    `deterministic` is set when no action has more than one outcome.

    >>> import boltree as bt
    >>> coin = [[[(0.5, 0, 1.0, False), (0.5, 0, 0.0, True)], [(1.0, 0, 0.6, True)]]]
    >>> bt.solve(bt.problems.OutcomeTable(coin, horizon=3)).root_value
    0.9
    """

    state = record(s="i4")
    params = record(
        offsets="i8[:]",  # [s * A + a]: where the outcomes of (s, a) begin in the next five
        successors="i4[:]",
        chances="f8[:]",
        sums="f8[:]",  # the chances summed up within (s, a)
        rewards="f8[:]",
        ends="u1[:]",
        legal_count="i4[:]",
        legal_actions="u2[:,:]",  # [s, k]: the legal actions in order
        width="i4",  # A
        begins="i4[:]",  # where it may start
        begin_sums="f8[:]",
    )

    def __init__(self, outcomes: Any, horizon: int, start: Any = 0, discount: float = 1.0) -> None:
        name = self.display_name()
        table = _listed(f"{name}: outcomes", outcomes)
        rows = [_listed(f"{name}: outcomes[{s}]", row) for s, row in enumerate(table)]
        width = max((len(row) for row in rows), default=0)
        if not 1 <= width <= MAX_ACTIONS:
            raise ProblemError(f"{name}: outcomes has {width} actions, must have from 1 to {MAX_ACTIONS}")
        found: list[tuple[int, int, float, int, float, bool]] = []
        for s, row in enumerate(rows):
            for a, listed in enumerate(row):
                where = f"{name}: outcomes[{s}][{a}]"
                made = [_outcome(where, item, len(rows)) for item in _listed(where, listed)]
                found += [(s, a, *outcome) for outcome in made if outcome[0] > 0.0]
        if not found:
            raise ProblemError(f"{name}: outcomes is empty, must have at least one outcome")
        columns = [np.array(column) for column in zip(*found, strict=True)]
        self._fill(len(rows), width, columns, horizon, start, discount)
        self._check_ends()

    def _fill(self, states: int, width: int, columns: Sequence[Any], horizon: int, start: Any, discount: float) -> None:
        """Set up from columns of outcomes (s, a, probability, s', reward, done), in the order of states and actions."""
        s, a, chances, to, rewards, ends = columns
        if not s.size:
            raise ProblemError(f"{self.display_name()}: every state is terminal, at least one must not be")
        counts = np.bincount(s * width + a, minlength=states * width)
        offsets = np.concatenate([[0], np.cumsum(counts)])
        sums = np.array(chances, np.float64)
        for k in range(1, int(counts.max(initial=0))):  # summed up in order, as a plain loop over (s, a) would
            at = offsets[:-1][counts > k] + k
            sums[at] += sums[at - 1]
        wrong = np.flatnonzero((counts > 0) & (np.abs(sums[offsets[1:] - 1] - 1.0) > TOLERANCE))
        if wrong.size:
            row = int(wrong[0])
            raise ProblemError(
                f"{self.display_name()}: the probabilities of state {row // width}, action {row % width} sum to "
                f"{sums[offsets[row + 1] - 1]:.9g}, must sum to 1"
            )
        legal = counts.reshape(states, width) > 0
        begins, begin_sums = self._begins(start, states, legal)
        self.deterministic = bool((counts <= 1).all())
        self.rewards = float(np.min(rewards)), float(np.max(rewards))
        super().__init__(
            offsets=offsets,
            successors=to,
            chances=chances,
            sums=sums,
            rewards=rewards,
            ends=ends,
            legal_count=legal.sum(axis=1),
            legal_actions=np.argsort(~legal, axis=1, kind="stable"),
            width=width,
            begins=begins,
            begin_sums=begin_sums,
            actions=width,
            horizon=horizon,
            discount=discount,
            **self._further(),
        )

    def _further(self) -> dict[str, Any]:
        """Parameters that a subclass has beside these."""
        return {}

    def _begins(self, start: Any, states: int, legal: Any) -> tuple[Any, Any]:
        """Where it may start, and the probabilities summed up."""
        name = self.display_name()
        if not isinstance(start, Sequence) and np.ndim(start) == 0:
            self._start: Any = whole(name, "start", start, 0, states - 1)
            begins, chances = np.array([self._start]), np.ones(1)
        else:
            try:
                given = np.asarray(start, float)
            except (TypeError, ValueError, OverflowError):
                given = np.zeros(0)
            if given.shape != (states,) or not ((given >= 0.0).all() and abs(given.sum() - 1.0) <= TOLERANCE):
                raise ProblemError(f"{name}: start must be a state or {states} probabilities that sum to 1")
            self._start, begins = given.tolist(), np.flatnonzero(given)
            chances = given[begins]
        ended = begins[~legal[begins].any(axis=1)]
        if ended.size:
            raise ProblemError(f"{name}: start={ended[0]} is a terminal state, must be one of the others")
        return begins, np.cumsum(chances)

    def _check_ends(self) -> None:
        """A state that is entered without an end must have an action."""
        p = self.plain_params
        stuck = np.flatnonzero((p.ends == 0) & (p.legal_count[p.successors] == 0))
        if stuck.size:
            row = int(np.searchsorted(p.offsets, stuck[0], "right")) - 1
            raise ProblemError(
                f"{self.display_name()}: state {row // self.actions}, action {row % self.actions} leads to state "
                f"{p.successors[stuck[0]]}, which has no action; that outcome must be done=True"
            )

    @staticmethod
    def start(params, state, rng):  # type: ignore[no-untyped-def]
        k, last = 0, params.begins.size - 1
        if last > 0:
            u = uniform(rng)
            while k < last and u >= params.begin_sums[k]:
                k += 1
        state.s = params.begins[k]

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
        state.s = params.successors[k]
        return params.rewards[k], params.ends[k] != 0

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
        state.s = params.successors[i]
        return params.chances[i], params.rewards[i], params.ends[i] != 0

    @staticmethod
    def show(params, state):  # type: ignore[no-untyped-def]
        ended = "" if params.legal_count[state.s] else ", terminal"
        return f"state {state.s} of 0..{params.legal_count.size - 1}{ended}"

    def recipe(self) -> dict[str, Any]:
        p = self.plain_params
        columns = (p.chances.tolist(), p.successors.tolist(), p.rewards.tolist(), (p.ends != 0).tolist())
        listed = [list(outcome) for outcome in zip(*columns, strict=True)]
        rows = [listed[p.offsets[i] : p.offsets[i + 1]] for i in range(p.offsets.size - 1)]
        return {
            "outcomes": [rows[i : i + self.actions] for i in range(0, len(rows), self.actions)],
            "horizon": self.horizon,
            "start": self._start,
            "discount": self.discount,
        }


def _listed(field: str, given: Any) -> list[Any]:
    """The entries 0, 1, ... of a list or a dictionary; None where a dictionary has none."""
    if isinstance(given, Mapping):
        if not all(isinstance(i, (int, np.integer)) and 0 <= i < 2 * len(given) + MAX_ACTIONS for i in given):
            raise ProblemError(f"{field} must have keys 0, 1, ...")
        return [given.get(i) for i in range(max(given, default=-1) + 1)]
    if given is None:
        return []
    if (
        isinstance(given, (str, bytes))
        or not isinstance(given, Iterable)
        or (isinstance(given, np.ndarray) and not given.ndim)
    ):
        raise ProblemError(f"{field}={given!r}, must be a list or a dictionary")
    return list(given)


def _outcome(field: str, given: Any, states: int) -> tuple[float, int, float, bool]:
    """One outcome, checked."""
    try:
        chance, to, reward, done = given
        chance, to, reward = float(chance), whole("OutcomeTable", "state", to, 0, states - 1), float(reward)
        done = bool(done)
        if not (0.0 <= chance <= 1.0 + TOLERANCE and np.isfinite(reward)):
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise ProblemError(
            f"{field} has {shortened(given)}; an outcome is (probability from 0 to 1, state from 0 to {states - 1}, "
            "finite reward, done)"
        ) from None
    return chance, to, reward, done
