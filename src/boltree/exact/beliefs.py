"""Exact values where the state is hidden: backward induction over the beliefs that can be reached.

A belief is the probability of every state after a history of actions and observations. With b(s) before, action a and
observation o,

r(b,a)   = sum over s of b(s) r(s,a)
P(o|b,a) = sum over s, s' of b(s) p(s'|s,a) P(o|s,a,s'), without what ends
b'(s')   = sum over s of b(s) p(s'|s,a) P(o|s,a,s') / P(o|b,a)
Q(b,a)   = r(b,a) + discount sum over o of P(o|b,a) V(b')

and V is the highest Q (or its soft maximum, or mean). From one belief only finitely many are reached in finitely many
steps, so this is exact, with no linear program to solve, and quick where histories come to equal beliefs, as in Tiger
and RockSample. Beliefs whose probabilities agree to 1e-12 are taken as one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import ParameterError, ProblemError
from ..messages import counted, shortened
from ..problem.problem import Problem
from ..problem.state import PlainState
from .solution import Objective, Solution

MOST_BELIEFS, MOST_STATES = 500_000, 20_000
"""The most beliefs, and the most states that they are of, unless told otherwise."""

MOST_NUMBERS = 2**27
"""The most probabilities that beliefs of one depth may have in all: a gigabyte."""

TOLERANCE = 1e-6
"""How far from 1 probabilities may sum up."""

Belief = Sequence[tuple[float, Any]]
"""Probabilities and the states they are of."""


class _Flow(NamedTuple):
    """What an action and an observation do to beliefs: weights from states to states, in the order of the latter."""

    action: int
    observation: int
    source: NDArray[np.int64]
    weight: NDArray[np.float64]
    target: NDArray[np.int64]  # each once
    begins: NDArray[np.int64]  # where the weights to each of them begin


class BeliefModel:
    """The states that can be reached from a belief in some steps, and what happens to beliefs over them."""

    def __init__(self, problem: Problem, begin: Belief, horizon: int) -> None:
        self.problem, self._horizon = problem, horizon
        self.states: list[Any] = []
        self._ids: dict[bytes, int] = {}
        self._depth: list[int] = []
        self._rewards: list[tuple[int, int, float]] = []
        self._weights: dict[tuple[int, int], dict[tuple[int, int], float]] = {}
        pairs = [(chance, problem.as_state(state)) for chance, state in listed(problem.display_name(), begin)]
        places = [(chance, self._number(state, 0)) for chance, state in pairs if chance > 0.0]
        legal: list[list[int]] = []
        while len(legal) < len(self.states):
            legal.append(self._expand(len(legal)) if self._depth[len(legal)] < horizon else [])
        size = len(self.states)
        self.begin = np.zeros((1, size))
        for chance, place in places:
            self.begin[0, place] += chance
        self.begin /= self.begin.sum()
        self.illegal = np.ones((size, problem.actions))
        self.reward = np.zeros((size, problem.actions))
        for s, actions in enumerate(legal):
            self.illegal[s, actions] = 0.0
        for s, a, paid in self._rewards:
            self.reward[s, a] = paid
        self.flows = [self._flow(a, o, weights) for (a, o), weights in sorted(self._weights.items())]
        source = np.random.default_rng(0)
        self._mixing = source.integers(2**63, size=(size, 2), dtype=np.uint64) * np.uint64(2) + np.uint64(1)

    def _number(self, state: Any, depth: int) -> int:
        key = state.tobytes()
        if key not in self._ids:
            if len(self.states) == MOST_STATES:
                raise ProblemError(
                    f"{self.problem.display_name()}: more than {MOST_STATES:,} states can be reached in "
                    f"{self._horizon} steps; too many to solve exactly where they are hidden"
                )
            self._ids[key] = len(self.states)
            self.states.append(np.asarray(state).reshape(1).copy())
            self._depth.append(depth)
        return self._ids[key]

    def _expand(self, number: int) -> list[int]:
        """List what may follow a state; its legal actions."""
        problem, before = self.problem, self.states[number]
        legal = problem.legal_actions(before[0])
        for action in legal:
            expected = total = 0.0
            for k in range(problem.plain_count_outcomes(PlainState(before.copy()), action)):
                after = before.copy()
                chance, reward, done = problem.plain_outcome(PlainState(after), action, k)
                if not (chance >= 0.0 and math.isfinite(reward)):
                    raise ProblemError(
                        f"{problem.display_name()}.outcomes gives {(chance, reward, done)} for action {action} in "
                        f"state {problem.written(before)}; probabilities must be at least 0, rewards finite"
                    )
                total += chance
                expected += chance * reward
                if chance > 0.0 and not done and self._depth[number] + 1 < self._horizon:
                    self._observe(number, before, action, after, chance)
            self._check_sum(total, "outcomes", before, action)
            self._rewards.append((number, action, expected))
        return legal

    def _observe(self, number: int, before: Any, action: int, after: Any, chance: float) -> None:
        problem, to, total = self.problem, self._number(after[0], self._depth[number] + 1), 0.0
        for o in range(int(problem.observation)):  # type: ignore[arg-type]
            seen = problem.as_observation(o)
            p = problem.plain_observation_probability(seen, before[0], action, after[0])
            total += p
            if not p >= 0.0:
                raise ProblemError(
                    f"{problem.display_name()}.observation_probability gives {p} for observation {o} after action "
                    f"{action} in state {problem.written(before)}; it must be at least 0"
                )
            if p > 0.0:
                weights = self._weights.setdefault((action, o), {})
                weights[to, number] = weights.get((to, number), 0.0) + chance * p
        self._check_sum(total, "observation_probability", before, action)

    def _check_sum(self, total: float, function: str, before: Any, action: int) -> None:
        if not abs(total - 1.0) <= TOLERANCE:
            problem = self.problem
            raise ProblemError(
                f"{problem.display_name()}.{function}: the probabilities of action {action} in state "
                f"{problem.written(before)} sum to {total:.9g}, must be 1"
            )

    @staticmethod
    def _flow(action: int, observation: int, weights: dict[tuple[int, int], float]) -> _Flow:
        pairs = sorted(weights)
        target = np.array([to for to, _ in pairs])
        begins = np.flatnonzero(np.diff(target, prepend=-1))
        source = np.array([number for _, number in pairs])
        return _Flow(
            action, observation, source, np.array([weights[pair] for pair in pairs]), target[begins], begins
        )  # fmt: skip

    def after(self, beliefs: NDArray[np.float64], flow: _Flow) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The probability of an observation after each belief, and the beliefs then (as they were where it is 0)."""
        moved = np.zeros_like(beliefs)
        moved[:, flow.target] = np.add.reduceat(beliefs[:, flow.source] * flow.weight, flow.begins, axis=1)
        chance = moved.sum(axis=1)
        return chance, moved / np.where(chance > 0.0, chance, 1.0)[:, None]

    def keys(self, beliefs: NDArray[np.float64]) -> list[bytes]:
        """What is equal for beliefs that agree to 1e-12, and else differs: 128 bits."""
        rounded = np.rint(beliefs * 1e12).astype(np.uint64)
        mixed = np.empty((len(beliefs), 2), np.uint64)
        for i in range(2):
            mixed[:, i] = (rounded * self._mixing[:, i]).sum(axis=1, dtype=np.uint64)
        return [row.tobytes() for row in mixed]


def listed(name: str, given: Any) -> list[tuple[float, Any]]:
    """A belief as users write it, checked: (probability, state) pairs that sum to 1."""
    wanted = "must be a list of (probability, state), the probabilities at least 0 and with the sum 1"
    try:
        pairs = [(float(chance), state) for chance, state in given]
    except (TypeError, ValueError):
        raise ParameterError(f"{name}: belief={shortened(given)}: {wanted}") from None
    total = math.fsum(chance for chance, _ in pairs)
    if not pairs or not all(chance >= 0.0 for chance, _ in pairs) or not abs(total - 1.0) <= TOLERANCE:
        raise ParameterError(f"{name}: belief={shortened(given)}: the sum is {total:.9g}; {wanted}")
    return pairs


class _Layer(NamedTuple):
    """The beliefs of one depth: what actions pay, and with what weights they lead to which beliefs."""

    q: NDArray[np.float64]  # [belief, action]
    followers: list[tuple[int, NDArray[np.float64], NDArray[np.int64]]]  # an action; weight and number by belief


class Induction:
    """Beliefs reached from one, and their values.

    Attributes:
        beliefs: how many there are before the last step.
        values: by depth, of each belief.
        q: of the first belief, -inf for an illegal action.
    """

    def __init__(
        self,
        model: BeliefModel,
        begin: NDArray[np.float64],
        horizon: int,
        objective: Objective,
        alpha: float,
        most: int,
    ) -> None:
        self._model, self._objective, self._alpha = model, objective, alpha
        self.beliefs, current = 0, begin
        layers: list[_Layer] = []
        while len(layers) < horizon and len(current):
            self.beliefs += len(current)
            if self.beliefs > most or current.size > MOST_NUMBERS:
                raise ProblemError(
                    f"{model.problem.display_name()}: {self.beliefs:,} beliefs over {len(model.states):,} states, at "
                    f"depth {len(layers)} of {horizon} so far; too many to solve exactly (raise max_states above "
                    f"{most:,}, or lower the horizon)"
                )
            layer, current = self._forward(current, horizon - len(layers))
            layers.append(layer)
        below = np.zeros(0)
        self.values: list[NDArray[np.float64]] = []
        self.q = np.full(model.problem.actions, -np.inf)
        for layer in reversed(layers):
            q = layer.q
            for action, chance, follower in layer.followers:
                q[:, action] += chance * below[follower]
            below, self.q = self._value(q), q[0]
            self.values.insert(0, below)

    def _now(self, beliefs: NDArray[np.float64]) -> NDArray[np.float64]:
        """What each action is expected to pay at once; -inf where it is not legal."""
        model = self._model
        allowed = (beliefs > 0.0).astype(np.float64) @ model.illegal == 0.0
        if not allowed.any(axis=1).all():
            raise ProblemError(
                f"{model.problem.display_name()}: no action is legal in all states that have the same history"
            )
        return np.where(allowed, beliefs @ model.reward, -np.inf)

    def _forward(self, beliefs: NDArray[np.float64], left: int) -> tuple[_Layer, NDArray[np.float64]]:
        """What beliefs pay and lead to, and the beliefs that they lead to, by the steps that are left."""
        model, discount = self._model, self._model.problem.discount
        q = self._now(beliefs)
        followers: list[tuple[int, NDArray[np.float64], NDArray[np.int64]]] = []
        numbers: dict[bytes, int] = {}
        rows: list[NDArray[np.float64]] = []
        for flow in model.flows if left > 1 else ():
            can = np.flatnonzero(np.isfinite(q[:, flow.action]))
            chance, after = model.after(beliefs[can], flow)
            there = np.flatnonzero(chance > 0.0)
            can, chance, after = can[there], discount * chance[there], after[there]
            if left == 2 and len(can):  # the last beliefs, which are most of all, need not be kept
                q[can, flow.action] += chance * self._value(self._now(after))
                continue
            place = []
            for i, key in enumerate(model.keys(after)):
                if key not in numbers:
                    numbers[key] = len(rows)
                    rows.append(after[i])
                place.append(numbers[key])
            weight, follower = np.zeros(len(beliefs)), np.zeros(len(beliefs), np.int64)
            weight[can], follower[can] = chance, place
            if place:
                followers.append((flow.action, weight, follower))
        return _Layer(q, followers), np.array(rows) if rows else beliefs[:0]

    def _value(self, q: NDArray[np.float64]) -> NDArray[np.float64]:
        highest: NDArray[np.float64] = q.max(axis=1)
        if self._objective == "reward":
            return highest
        legal = np.isfinite(q)
        if self._objective == "uniform":
            return np.asarray(np.where(legal, q, 0.0).sum(axis=1) / legal.sum(axis=1))
        total = np.exp((q - highest[:, None]) / self._alpha).sum(axis=1)
        return np.asarray(highest + self._alpha * np.log(total))


class BeliefSolution(Solution):
    """Exact values of a problem whose state is hidden.

    Where a `Solution` takes a state, this takes a belief, a list of (probability, state): any one, not only those that
    histories lead to. Values of another belief than that at the start are worked out when they are asked for.

    >>> import boltree as bt
    >>> solution = bt.solve(bt.problems.Tiger(horizon=3, discount=1.0))
    >>> [round(solution.value([(p, (0,)), (1 - p, (1,))]), 4) for p in (0.5, 0.9, 1.0)]
    [2.72, 10.6, 30.0]
    """

    def __init__(
        self, problem: Problem, begin: Belief, horizon: int, objective: Objective, alpha: float, most: int
    ) -> None:
        self._problem, self._horizon, self._most = problem, horizon, most
        self.objective, self.alpha = objective, alpha
        self._start = BeliefModel(problem, begin, horizon)
        self._root = self._values_of(self._start, horizon)
        self.values = self._root.values

    def _values_of(self, model: BeliefModel, left: int) -> Induction:
        return Induction(model, model.begin, left, self.objective, self.alpha, self._most)

    def _at(self, belief: Any, depth: int) -> Induction:
        if not 0 <= depth <= self._horizon:
            raise ParameterError(f"depth={depth}: must be from 0 to {self._horizon}")
        if belief is None:
            return self._root if depth == 0 else self._values_of(self._start, self._horizon - depth)
        return self._values_of(BeliefModel(self._problem, belief, self._horizon - depth), self._horizon - depth)

    @property
    def beliefs(self) -> int:
        """How many beliefs can be reached before the last step."""
        return self._root.beliefs

    @property
    def states(self) -> int:
        """How many states can be reached before the last step."""
        return len(self._start.states)

    @property
    def root_value(self) -> float:
        """The value of the belief at the start."""
        return self.value()

    @property
    def starts(self) -> list[tuple[float, Any, float]]:
        """The probability of each state of the belief at the start, the state, and what it would be worth if known."""
        present, begin = self._problem.present, self._start.begin[0]
        known = [(float(begin[s]), present(self._start.states[s])) for s in np.flatnonzero(begin)]
        return [(chance, state, self.value([(1.0, state)])) for chance, state in known]

    def value(self, state: Any = None, depth: int = 0) -> float:
        """The value of a belief at a depth; of the belief at the start if None."""
        found = self._at(state, depth).values
        return float(found[0][0]) if found else 0.0

    def actions(self, state: Any = None, depth: int = 0) -> NDArray[np.int64]:
        """The actions that are legal in all states of a belief."""
        return np.flatnonzero(np.isfinite(self._at(state, depth).q))

    def q(self, state: Any = None, depth: int = 0) -> NDArray[np.float64]:
        """The value of each of ``actions(belief, depth)``."""
        found: NDArray[np.float64] = self._at(state, depth).q
        return np.asarray(found[np.isfinite(found)])

    def action(self, belief: Any = None, depth: int = 0) -> int:
        """The best action after a belief; the first of equal ones."""
        return int(np.argmax(self._at(belief, depth).q))

    def after(self, belief: Any, action: int, observation: int) -> list[tuple[float, Any]]:
        """The belief after an action and an observation, by Bayes' rule; from the belief at the start if None."""
        model = self._start if belief is None else BeliefModel(self._problem, belief, 2)
        for flow in model.flows:
            if (flow.action, flow.observation) == (action, observation):
                chance, found = model.after(model.begin, flow)
                if chance[0] > 0.0:
                    there = np.flatnonzero(found[0])
                    return [(float(found[0, s]), self._problem.present(model.states[s])) for s in there]
        raise ParameterError(f"observation={observation!r}: cannot follow action {action!r} after this belief")

    def __repr__(self) -> str:
        return f"<Solution of {self._problem.display_name()}: value {self.root_value:.6g}>"

    def __str__(self) -> str:
        problem = self._problem
        best = self.action()
        lines = [
            f"{problem.display_name()}: value {self.root_value:.6g} over {counted(self._horizon, 'step')}, best "
            f"{problem.action_name(best)} ({best})",
            f"  {counted(self.beliefs, 'belief')} over {counted(self.states, 'state')}",
        ]
        pairs = sorted(zip(self.q(), self.actions(), strict=True), key=lambda pair: -pair[0])
        width = max(len(problem.action_name(int(a))) for _, a in pairs)
        lines += [f"  {problem.action_name(int(a)):{width}}  {q:.6g}" for q, a in pairs]
        return "\n".join(lines)


def solve_beliefs(
    problem: Problem, objective: Objective, alpha: float, belief: Any, horizon: int, most: int | None
) -> BeliefSolution:
    """Solve a problem whose state is hidden, from a belief (where it starts, if None)."""
    name = problem.display_name()
    if not isinstance(problem.observation, (int, np.integer)):
        raise ProblemError(
            f"{name}: exact solving needs observation = a number, so that all observations can be listed"
        )
    if not problem.has("observation_probability"):
        raise ProblemError(f"{name}: exact solving needs observation_probability({', '.join(_ARGUMENTS)})")
    begin = problem.start_states() if belief is None else belief
    if begin is None:
        raise ProblemError(
            f"{name}: exact solving needs start_states(self), the list of (probability, state) that start draws from; "
            "or give state=[(probability, state), ...], a belief"
        )
    return BeliefSolution(problem, begin, horizon, objective, alpha, MOST_BELIEFS if most is None else most)


_ARGUMENTS = ("params", "observation", "state", "action", "next_state")
