"""What a search's recommendation is worth: exactly where the problem is finite, else by sampled episodes.

The recommendation policy follows the search's recommended action at every node of the tree and acts uniformly at
random outside it, as in the paper's experiments.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from ..checks import whole
from ..core.exact.policy_value import KNOWN, follow_exactly, follow_sampled
from ..core.memory.arena import Arena
from ..core.memory.layout import DONE, NO_ACTION
from ..core.native import for_kernels
from ..core.random import new_generator
from ..errors import ParameterError, ProblemError
from ..messages import shortened
from ..problem.problem import Problem
from ..search.search import Search
from ..tree import Tree
from .solution import Solution
from .solve import solve


class Estimate(NamedTuple):
    """A sampled value with its standard error."""

    value: float
    error: float


class Exact:
    """The exact values from a search's root, and what was found when its recommendations were last followed."""

    def __init__(self, search: Search) -> None:
        root, self.version = search.root, search.tree.version
        self.two_players = search.problem.has("player")
        self.best = solve(search.problem, state=root.state_record, horizon=search.horizon - root.depth)
        model = self.best.model
        random = Solution(model, "uniform", 1.0)
        layer_at = np.cumsum([0, *(layer.size for layer in model.layers)])
        self.model = (
            model.states, model.rows, model.action, model.first, model.probability, model.reward, model.successor,
            np.concatenate(model.layers), layer_at, np.concatenate(random.values),
        )  # fmt: skip
        self.levels = model.horizon
        self.frames, self.sums = np.zeros((self.levels + 2, 4), np.int64), np.zeros(self.levels + 2)
        self._arena = Arena(2**31 * KNOWN.itemsize)  # reserved; pages are filled in as nodes are looked at
        self._view_known()

    def _view_known(self) -> None:
        self.known = for_kernels(self._arena.array.view(KNOWN))

    def value_of(self, search: Search) -> float:
        """The value of the recommendations as they are now."""
        if self.two_players:
            return float(self.best.q()[list(self.best.actions()).index(search.recommend())])
        if search.transpositions:
            return self._value_of_graph(search)
        while not self._arena.reserved and self.known.size < search.size:
            if not self._arena.grow():
                raise MemoryError(f"no memory for what is known of {search.size} nodes")
            self._view_known()
        return float(
            follow_exactly(search.tree.record, 0, self.levels, *self.model, self.frames, self.sums, self.known)
        )

    def _value_of_graph(self, search: Search) -> float:
        """`value_of` where a state at a depth is one node, however it was reached: step by step from the last.

        The walk over a tree would come to the same node by every path that leads there.
        """
        model, seen, by_state = self.best.model, search.survey(), search.transpositions == "state"
        rows, outcomes = int(model.rows[model.size]), int(model.first[model.rows[model.size]])
        state = np.repeat(np.arange(model.size), np.diff(model.rows[: model.size + 1]))  # of a row: a state's action
        row = np.repeat(np.arange(rows), np.diff(model.first[: rows + 1]))  # of an outcome
        evenly = 1.0 / np.maximum(np.bincount(state, minlength=model.size), 1)[state]
        chosen = np.full((1 if by_state else self.levels, model.size), -1)
        inner = np.flatnonzero(seen.recommended >= 0)
        place = [model.ids[words.tobytes()] for words in search.tree.storage.states[inner]]
        chosen[0 if by_state else seen.depth[inner] - search.root.depth, place] = seen.recommended[inner]
        values = np.zeros(model.size + 1)  # the last is the end's
        for step in range(self.levels - 1, -1, -1):
            here = chosen[0 if by_state else step][state]
            share = np.where(here < 0, evenly, here == model.action[:rows])
            below = model.reward[:outcomes] + search.problem.discount * values[model.successor[:outcomes]]
            values[:-1] = np.bincount(state[row], share[row] * model.probability[:outcomes] * below, model.size)
        return float(values[0])

    def regret(self, search: Search, value: float) -> float:
        """The optimum minus a value, for the player who moves at the root."""
        loss = self.best.root_value - value
        return -loss if self.two_players and search.root.player == 1 else loss


_kept: WeakKeyDictionary[Tree, Exact] = WeakKeyDictionary()
"""The exact values from each tree's root, as long as the tree lives."""


def _check_search(given: Any) -> None:
    if not isinstance(given, Search):
        hint = "; bt.solve(problem).root_value is what a problem is worth" if isinstance(given, Problem) else ""
        raise ParameterError(f"search={shortened(given)}: must be a bt.Search that was run{hint}")
    given.problem.refuse_boxes("the value of a recommended policy")
    if given.problem.hidden:
        raise ParameterError(
            f"search={given!r}: is of a problem whose state is hidden; bt.evaluate plays episodes, bt.solve(problem) "
            "has exact values of beliefs"
        )


def exact(search: Search) -> Exact:
    """The exact values from where the search's root is now, kept with the search."""
    _check_search(search)
    found = _kept.get(search.tree)
    if found is None or found.version != search.tree.version:
        found = _kept[search.tree] = Exact(search)
    return found


def value_of(search: Search) -> float:
    """The exact value of the recommended policy: the recommended actions in the tree, uniformly random ones outside it.

    So it is what the tree is worth on its own, which far from the root may be little where outcomes are random;
    `bt.evaluate` plans anew at each step, as one would act. Asked again after more trials, it looks only at what those
    trials touched. With two players it is the game's value
    after the recommended move, both sides playing on perfectly.

    >>> import boltree as bt
    >>> search = bt.Search(bt.problems.DChain(10), bt.MENTS(alpha=1.0), seed=0, growth="trial")
    >>> _ = search.run(trials=20_000)
    >>> bt.value_of(search)
    1.0
    """
    return exact(search).value_of(search)


def simple_regret(search: Search) -> float:
    """The optimal value minus the value of the recommended policy, for the player who moves at the root."""
    found = exact(search)
    return found.regret(search, found.value_of(search))


def sample_value(search: Search, episodes: int = 250, seed: int | None = 0) -> Estimate:
    """The value of the recommended policy by simulating episodes, with its standard error.

    For problems too large to solve, and to check the exact value against.
    """
    _check_search(search)
    whole("episodes", episodes, 2)
    t, problem = search.tree.fields, search.problem
    scratch = np.zeros((1, int(t.words)), np.uint64)
    rng, mask = new_generator(seed), np.zeros(problem.actions, np.uint8)
    out, returns = np.zeros(int(t.words) + 8), np.zeros(episodes)
    code = follow_sampled(
        search.tree.record, episodes, scratch, scratch.ctypes.data, rng, rng.ctypes.data, mask, mask.ctypes.data, out,
        out.ctypes.data, returns,
    )  # fmt: skip
    if code == NO_ACTION:
        raise ProblemError(f"{problem.display_name()}: a state that is not terminal has no legal action")
    if code != DONE:
        problem.reraise()
        raise ProblemError(f"{problem.display_name()}: step or legal raised during an episode; run bt.check(problem)")
    return Estimate(float(returns.mean()), float(returns.std(ddof=1) / math.sqrt(episodes)))
