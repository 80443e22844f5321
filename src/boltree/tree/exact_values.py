"""Exact values of a small problem, worked out beside the trials of a search that proves values.

A tree has a node for every state and depth; a problem often has far fewer states. So while trials run, the problem's
states are listed once each, breadth first, in about the time that the trials take. When all states are listed, values
are computed step by step from the horizon back, again in no more time. Then every node of the tree is proven, and so
is every later root. Where states are too many, trials lose a part of their time, until it is seen that they are.

How much is done depends on the numbers of trials and visits alone, so that a seed gives the same tree on every machine.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.exact import model as kernels
from ..core.exact.enter_values import enter_values
from ..problem.python.problem import PythonProblem
from .model import ALL, Model
from .outcomes import SHARE_OF_EXACT_VALUES
from .tree_like import TreeLike

EVERY_TRIALS = 16
"""Trials between two pieces of the work; a problem in plain Python, whose steps may be slow, has it after each."""

LISTED_FIRST = 50_000
"""Outcomes of a compiled problem that are listed after the first trials: it takes about ten milliseconds."""

LISTED_PER_VISIT = 32
"""Outcomes of a compiled problem that are listed for each visit of a node: about as long as the visit takes."""

EVERY_TRIALS_IN_GAMES = 64
"""The same in a game, whose states are listed at a slow pace."""

SHARE_WHERE_STATES_SPREAD = 0.03125
"""The share of the listing that is done while most of the states that are found are not expanded."""

TIMES_WHERE_STATES_SPREAD = 16
"""How many times as many trials there are between two pieces of the work then."""

FIRST_ROWS = 256
"""Pairs of a state and an action that are listed before it is looked at how many outcomes they have."""

PATIENCE = 4_000_000
"""Up to this number of outcomes it is not asked whether states spread: it takes about a second to list them."""

LARGEST = 1_500_000
"""More outcomes than this take too long to list and to weigh: a search by samples is worth more."""

TELLING_STATES = 100
"""From this number of expanded states on it is asked how many outcomes there are."""

PATIENCE_IN_GAMES = 2_000
"""The same of a game, in pairs of a state and an action: another one is begun after each move."""

WEIGHED_PER_VISIT = 1024
"""Outcomes that are weighed for each visit of a node by trials: about as long as the visit takes."""

HOPELESS = 12_000_000
"""Where the states that are found have more outcomes than this, hardly any more are listed."""

QUICK_VISITS = 32
"""How many visits of a search by samples count as one: they are that much quicker."""


class ExactValues:
    """The exact values of a tree's problem, as far as they are known.

    Args:
        tree: a tree that keeps bounds and knows outcomes.

    Attributes:
        complete: whether all values are known.
    """

    def __init__(self, tree: TreeLike) -> None:
        self._tree = tree
        self._is_python = isinstance(tree.problem, PythonProblem)
        self._is_game = tree.problem.has("player")
        self.forget()

    def forget(self) -> None:
        """Begin anew, from the root of now."""
        t = self._tree.fields
        self.complete = False
        self._model: Model | None = None
        self._layers: list[NDArray[np.float64]] = []
        self._flat = np.zeros(0)
        self._offsets = np.zeros(0, np.int64)
        self._until = int(t.horizon)  # depths of the tree count up to here
        self._visits_before, self._listed_before, self._work = int(t.visits_made), int(t.listed), 0
        self._paid = int(t.visits_made)  # visits for which there was work
        self._allowed, self._weighable = float(LISTED_FIRST), 0.0  # outcomes that may be listed, and weighed

    @property
    def every(self) -> int:
        """Trials between two pieces of the work."""
        least = 1 if self._is_python else EVERY_TRIALS_IN_GAMES if self._is_game else EVERY_TRIALS
        return least * TIMES_WHERE_STATES_SPREAD if self._is_slow else least

    @property
    def _is_slow(self) -> bool:
        """Whether hardly any more states are listed, because they are found faster than they are expanded."""
        model = self._model
        if model is None:
            return False
        spreads = 2 * (model.size - model.expanded) > model.size
        if self._is_python or self._is_game:
            return spreads and model.row_count > PATIENCE_IN_GAMES
        return (spreads and model.outcome_count > PATIENCE) or self._has_more_than(HOPELESS)

    @property
    def outgrown(self) -> bool:
        """Whether the states that are found so far have too many outcomes to list and weigh them all."""
        return self._has_more_than(LARGEST)

    def _has_more_than(self, outcomes: int) -> bool:
        """Whether the states that are found so far have more outcomes than that, as those that are expanded have."""
        model = self._model
        if model is None or model.closed or model.expanded < TELLING_STATES:
            return False
        return model.full or model.size * model.outcome_count > outcomes * model.expanded

    @property
    def nbytes(self) -> int:
        """Bytes that it takes."""
        layers = 8 * sum(layer.size for layer in self._layers)
        return layers + self._flat.nbytes + (0 if self._model is None else self._model.nbytes)

    def make_ready(self) -> None:
        """Compile, if need be, what a run calls only now and then."""
        if self._model is None:
            self._model = self._new_model()
            self._model.make_ready()
            one, none = np.zeros(1), np.zeros(0, np.int64)
            model = self._model
            kernels.back_layer(
                none, one, none, one, model.rows, model.first, model.probability, model.reward, model.successor,
                model.player, kernels.REWARD, 1.0, 1.0,
            )  # fmt: skip
            self._enter_into_tree(np.array([self._tree.size, 0]), one, np.zeros(1, np.int64))

    def go_on(self) -> None:
        """Do the piece of work that is due after some trials."""
        t = self._tree.fields
        if self.complete:
            return
        model = self._model = self._model or self._new_model()
        if not model.closed:
            if model.full or self.nbytes > SHARE_OF_EXACT_VALUES * self._tree.max_bytes:
                return
            self._pay()
            while (due := self._rows_due(model)) > model.row_count and not (model.closed or model.full):
                model.extend(min(due, max(2 * model.row_count, FIRST_ROWS)))
                if self._tree.may_turn and t.proofs and self.outgrown:
                    return
        else:
            self._pay()
        if model.closed:
            self._compute(int(self._weighable))

    def _pay(self) -> None:
        """Allow outcomes to be weighed, and those of a compiled problem to be listed, for visits since the last time.

        They are far fewer once many are listed and most of the states that are found are not expanded.
        """
        visits = int(self._tree.fields.visits_made) - self._paid
        self._paid += visits
        worth = visits if self._tree.fields.proofs else visits / QUICK_VISITS
        self._allowed += LISTED_PER_VISIT * worth * (SHARE_WHERE_STATES_SPREAD if self._is_slow else 1.0)
        self._weighable += WEIGHED_PER_VISIT * worth

    def _rows_due(self, model: Model) -> int:
        """How many pairs of a state and an action may be listed by now.

        Python is asked no more often than by the trials, and the states of a game are listed at a slow pace.
        """
        t = self._tree.fields
        if self._is_python or self._is_game:
            most = int(t.listed) - self._listed_before if self._is_python else int(t.visits_made) - self._visits_before
            return int(most * (SHARE_WHERE_STATES_SPREAD if self._is_slow else 1.0))
        width = max(1.0, model.outcome_count / max(1, model.row_count))
        return model.row_count + int((self._allowed - model.outcome_count) / width)

    def enter_root(self) -> None:
        """Prove a new root, if its value is known; begin anew where it is beyond what the model reaches."""
        if int(self._tree.fields.horizon) != self._until or (
            self.complete
            and self._tree.fields.proofs
            and not self._enter(int(self._tree.fields.root))
            and not self._tree.is_proven
        ):
            self.forget()

    def _new_model(self) -> Model:
        tree = self._tree
        root = int(tree.fields.root)
        steps = int(tree.fields.horizon) - int(tree.storage.node(root).depth)
        state = tree.storage.state(root, tree.problem.state_layout())
        return Model(tree.problem, state, steps, tree.problem.solvable_states)

    def _compute(self, work: int) -> None:
        """Compute the values for one more step left, and again, until `work` outcomes were weighed in all."""
        model = self._model
        assert model is not None
        places = np.arange(model.size)
        while not self.complete and self._work < work:
            left = len(self._layers)
            within = int(np.searchsorted(model.depth[: model.size], model.horizon - left, "right"))
            values, below = np.zeros(within), self._layers[-1] if left > 1 else np.zeros(0)
            if left > 0:
                kernels.back_layer(
                    places[:within], values, places, below, model.rows, model.first, model.probability, model.reward,
                    model.successor, model.player, kernels.REWARD, 1.0, model.problem.discount,
                )  # fmt: skip
            self._layers.append(values)
            self._work += model.outcome_count
            steady = left > 1 and bool((below[:within] == values).all())  # the same with every further step left
            if left == model.horizon or steady:
                self._finish()

    def _finish(self) -> None:
        sizes = [layer.size for layer in self._layers]
        self._offsets = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
        self._flat, self._layers = np.concatenate(self._layers), []
        self.complete = True
        if self._tree.fields.proofs:
            self._enter(0)

    def _enter(self, first: int) -> int:
        """Prove the nodes from a number on; returns how many there were."""
        progress = np.array([first, 0])
        self._tree.drive(lambda: self._enter_into_tree(progress, self._flat, self._offsets))
        return int(progress[1])

    def _enter_into_tree(self, progress: Any, values: Any, offsets: Any) -> int:
        model = self._model
        assert model is not None
        return int(
            enter_values(
                self._tree.record, progress, model.states, model.table, model.size, model.depth, model.horizon,
                model.rows, model.first, model.probability, model.reward, model.successor, values, offsets,
            )
        )  # fmt: skip

    # Saving

    def progress(self) -> dict[str, Any] | None:
        """How far it is, so that `restore` can go on from there; None where nothing is begun."""
        model = self._model
        if model is None:
            return None
        return {
            "state": model.states[0].tobytes().hex(), "horizon": model.horizon, "until": self._until,
            "rows": ALL if model.closed else model.row_count, "work": self._work, "complete": self.complete,
            "visits_before": self._visits_before, "listed_before": self._listed_before,
            "paid": self._paid, "allowed": self._allowed, "weighable": self._weighable,
        }  # fmt: skip

    def restore(self, progress: dict[str, Any] | None) -> None:
        """List and compute again what was known when a search was saved."""
        self.forget()
        if progress is None:
            return
        problem = self._tree.problem
        state = np.frombuffer(bytes.fromhex(progress["state"]), np.uint64)
        if not problem.are_sound(state.view(problem.state_layout())):
            raise ValueError("a state")
        model = self._model = Model(problem, state, int(progress["horizon"]), problem.solvable_states)
        self._until = int(progress["until"])
        self._visits_before, self._listed_before = int(progress["visits_before"]), int(progress["listed_before"])
        self._paid, self._allowed = int(progress["paid"]), float(progress["allowed"])
        self._weighable = float(progress["weighable"])
        model.extend(int(progress["rows"]))
        if model.closed:
            self._compute(ALL if progress["complete"] else int(progress["work"]))

    # Looking

    def best(self, state: Any, left: int, action: int | None = None) -> tuple[int, float, Any] | None:
        """The best action in a state with some steps left (or the given one), its value, and the likeliest state after.

        That state is None at the end; the whole answer is None where nothing is known.
        """
        model, tree = self._model, self._tree
        if not self.complete or model is None or left < 1:
            return None
        s = model.ids.get(tree.problem.as_state(state).tobytes(), -1)
        if s < 0 or left > model.horizon - int(model.depth[s]):
            return None
        below = self._flat[int(self._offsets[min(left - 1, self._offsets.size - 1)]) :]
        found: tuple[int, float, Any] | None = None
        sign = -1.0 if model.player[s] == 1 else 1.0
        for row in range(int(model.rows[s]), int(model.rows[s + 1])):
            after = slice(int(model.first[row]), int(model.first[row + 1]))
            follower, chance = model.successor[after], model.probability[after]
            later = np.where((follower >= 0) & (left > 1), below[np.maximum(follower, 0)] if left > 1 else 0.0, 0.0)
            q = float((chance * (model.reward[after] + tree.problem.discount * later)).sum())
            wanted = action is None or action == model.action[row]
            if wanted and (found is None or sign * q > sign * found[1]):
                likeliest = int(follower[int(chance.argmax())])
                following = None if likeliest < 0 else model.states[likeliest].view(tree.problem.state_layout())[0]
                found = (int(model.action[row]), q, following)
        return found
