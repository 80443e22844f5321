"""The tree of one search: its record, its memory and its limits; and the one place that answers the kernel's events.

A kernel runs trials until they are done or until it needs something that only Python can give: more memory, an index of
outcomes, the value of a leaf. It then returns an *event* (core/memory/layout.py lists them), `Tree.handle` does what it
asks for, and the kernel is called again. Whatever runs trials, in one thread or in several, one by one or in batches,
takes a `Tree` and leaves its events to it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..algorithms.configure import NEVER, configure
from ..algorithms.table import MAX_BUDGET, Algorithm
from ..core.formulas import space
from ..core.memory import layout as records
from ..core.memory.arena import physical_memory
from ..core.memory.room import bytes_of_trial, room_for_batch
from ..core.memory.storage import Storage, fields_of, new_record
from ..core.trial.run import abandon_trial, run_graph_trials, run_hidden_trials, run_trials
from ..errors import ParameterError, ProblemError
from ..evaluators import ask, batch_size
from ..problem.problem import Problem
from .failures import raise_failure
from .hidden import any_state, checked_belief, enter_belief, refuse_for_hidden
from .leaves import enter_evaluator, is_external
from .outcomes import SHARE_OF_EXACT_VALUES, Outcomes, enter_outcomes
from .transpositions import Estimates, Transpositions, transpositions_of
from .widening import enter_dues, enter_widening, refuse_for_boxes

if TYPE_CHECKING:
    from ..belief.belief import Belief
    from .exact_values import ExactValues

MOST_BYTES = 1 << 56
"""More bytes than any machine has; sums of a few such numbers are still 64-bit numbers."""

SPARE_BYTES = 64 << 20
"""The memory of a tree that was left is kept for the next one up to this size."""


class Tree:
    """The tree of one search, from which kernels and everything that looks at it read.

    Args:
        problem, algorithm, state, belief, growth, evaluator, transpositions, outcomes, proofs, widening,
            action_widening, max_nodes, max_bytes, on_full: as of `Search`.
        seed: of the tree's random numbers.

    Attributes:
        record: the tree's record in a one-element array, as kernels take it.
        fields: the same memory, with an attribute for every field.
        storage: the arenas of nodes, states and blocks, and the scratch memory of trials.
        batch: how many leaves the evaluator is given at a time.
        estimates: with transpositions, the trials' own estimates and those that are shown; else None.
        belief: where the state is hidden, the belief that trials begin with; None for the problem's own start.
        prior: that start as particles, once it was asked for, drawn with `belief_seed`.
        begins: the states of that belief, each as likely as the others.
        exact: where values are proven or may be, the problem's exact ones as far as they are known; else None.
        may_turn: whether it may turn to samples where the problem is too large for these, and back (turning.py).
        version: another number whenever nodes get other numbers.
    """

    def __init__(
        self,
        problem: Problem,
        algorithm: Algorithm,
        seed: np.random.SeedSequence,
        *,
        state: Any = None,
        belief: Belief | None = None,
        growth: Literal["leaf", "trial"] = "leaf",
        evaluator: Any = "rollout",
        transpositions: Transpositions = False,
        outcomes: Outcomes = "sampled",
        proofs: bool = False,
        widening: tuple[float, float] | Literal[False] | None = None,
        action_widening: tuple[float, float] | None = None,
        max_nodes: int | None = None,
        max_bytes: int | None = None,
        on_full: Literal["stop", "recycle"] = "stop",
    ) -> None:
        self.problem, self.algorithm = problem, algorithm
        self.growth, self.evaluator, self.on_full = growth, evaluator, on_full
        self.version = 0
        self._spare: Any = None
        external = is_external(evaluator, growth)
        prior_external = external and bool(getattr(evaluator, "gives_prior", True))
        record, self._kept = configure(
            problem, algorithm, has_prior=problem.has("prior") or prior_external, external=external
        )
        self._enter(record)
        t = self.fields
        t.prior_external = prior_external and t.has_prior
        enter_evaluator(t, problem, evaluator, growth)
        self.batch = batch_size(evaluator) if external and not self.counts_trials else 1
        self.in_common_batches = bool(getattr(evaluator, "serves_many_searches", False)) and not self.counts_trials
        t.transpositions = transpositions_of(transpositions, self)
        self.transpositions: Transpositions = transpositions
        t.growth = records.TRIAL if growth == "trial" else records.LEAF
        if problem.hidden:
            refuse_for_hidden(self, state, outcomes, proofs)
        if problem.boxes is not None:
            refuse_for_boxes(self, outcomes, proofs)
        enter_outcomes(self, outcomes, proofs)
        self.outcomes: Outcomes = outcomes
        if t.known:
            t.ahead_from = NEVER  # a trial for which there is no room is run again, with the same draws
        enter_widening(self, widening, action_widening)
        self.belief: Belief | None = None
        self.begins: Any = None
        self.prior: Belief | None = None
        self.belief_seed = seed.spawn(1)[0] if problem.hidden else None
        enter_belief(self, checked_belief(problem, belief))
        if t.proofs:
            t.has_header = t.has_header and t.distribution == space.HALVING
            t.alias_from = t.ahead_from = NEVER  # a table would draw what is proven, too
            t.incremental = 0
            t.ranked_from = NEVER  # bounds are compared for all actions at once
        self.estimates = Estimates(self, pooled=outcomes == "pooled") if t.transpositions else None
        self.exact: ExactValues | None = None
        self.may_turn = False
        if self.batch > 1 or self.in_common_batches or t.transpositions:
            # a leaf that waits must not be taken for a node with one visit; a shared node's only child has more parents
            t.compact = 0
        for_ties, *for_trials = seed.generate_state(3, np.uint64)
        t.seed = for_ties
        if problem.has("prior"):
            t.prior = problem.address("prior")
        self.max_nodes = None if max_nodes is None else int(max_nodes)
        self.is_limited = max_bytes is not None
        self.max_bytes = min(int(max_bytes), MOST_BYTES) if max_bytes is not None else physical_memory() * 4 // 5
        self.storage = self.new_storage(record, problem.horizon)
        self.storage.scratch["rng"][:] = for_trials
        self.noise = np.random.default_rng(seed.spawn(1)[0])
        if problem.hidden:
            self.plant(np.zeros(1, problem.observation_layout())[0])
        elif state is not None:
            self.plant(problem.as_state(state))
        else:
            self.plant(problem.plain_start(self.storage.scratch["rng"]))
        if t.proofs:
            from .exact_values import ExactValues

            self.exact = ExactValues(self)

    # Setting up

    def _enter(self, record: Any) -> None:
        self.record, self.fields = record, fields_of(record)

    def new_storage(self, record: Any, levels: int, scratch: Any = None) -> Storage:
        """Memory for a tree whose trials take at most `levels` steps; with scratch memory that is to be used again."""
        spare, self._spare = self._spare, None
        beside = int(SHARE_OF_EXACT_VALUES * self.max_bytes) if self.fields.proofs or self.exact is not None else 0
        limits = self.max_bytes - beside, self.max_nodes
        storage = Storage(record, levels, *limits, batch=self.batch, arenas=spare, scratch=scratch)
        nodes = 2 if self.growth == "leaf" else levels + 2
        if self.max_nodes is not None and self.max_nodes < nodes:
            raise ParameterError(f"max_nodes={self.max_nodes}: one trial of this problem may need {nodes} nodes")
        if self.is_limited:
            needed = int(bytes_of_trial(record, levels))
            if storage.fields.max_bytes < needed:
                needed += storage.scratch_bytes
                raise ParameterError(f"max_bytes={self.max_bytes}: one trial of this problem may need {needed} bytes")
        enter_dues(storage)
        return storage

    def plant(self, state: Any, depth: int = 0) -> None:
        """Begin with a root that has this state; where states are hidden, with one where this was observed."""
        player = self.problem.plain_player(any_state(self) if self.problem.hidden else state)
        if player not in (0, 1):
            raise ProblemError(
                f"{self.problem.display_name()}.player returned {player} at the start; it must be 0 or 1"
            )
        self.storage.plant(state, depth, player)
        self.enter_root()

    def enter_root(self) -> None:
        """Give a new root what was not in the tree: a first value, Dirichlet noise."""
        t, node = self.fields, self.storage.node(0)
        if t.evaluator == records.CONSTANT and node.visits == 0:
            node.value = t.v_init
        if t.noise_weight:
            draw_noise(self.algorithm, self.actions_of(int(t.root)), self.noise, self.storage.scratch["noise"])
        if self.exact is not None:
            self.exact.enter_root()

    def replace(self, record: Any, storage: Storage) -> None:
        """Go on with another record and memory; what the old ones took is kept for the next tree, up to a size."""
        if self.storage.nbytes <= SPARE_BYTES:
            self._spare = self.storage.cleared(2 * self.batch)
        self._enter(record)
        self.storage = storage
        self.version += 1

    def adopt(self, other: Tree) -> None:
        """Go on with the record and memory of another tree."""
        self._kept = other._kept
        self.replace(other.record, other.storage)

    def twin(self, generator: Any, memory: Callable[[Any, int], Storage]) -> Tree:
        """A new tree from the same root, for another thread; `memory` makes a storage for its record and levels."""
        tree: Tree = object.__new__(Tree)
        tree.__dict__.update(self.__dict__)
        tree.on_full, tree._spare, tree.exact = "stop", None, None
        record = new_record()
        record[0] = self.record[0]
        tree._enter(record)
        t, mine = tree.fields, self.fields
        root = self.storage.node(int(mine.root))
        storage = tree.storage = memory(record, self.storage.scratch["path"].size - 2)
        storage.scratch["rng"][:] = generator
        storage.scratch["noise"][:] = self.storage.scratch["noise"]
        lowest, highest = mine.lowest, mine.highest
        storage.plant(self.storage.states[int(mine.root)], int(root.depth), int(root.player))
        t.lowest, t.highest, t.listed, t.next_sweep = lowest, highest, 0, 0
        storage.nodes["value"][int(t.root)] = root.value if root.visits == 0 else 0.0
        storage.nodes["marks"][int(t.root)] |= root.marks & records.TERMINAL
        if self.estimates is not None:
            tree.estimates = Estimates(tree, pooled=self.outcomes == "pooled")
        return tree

    def set_budget(self, trials: int | None, threads: int = 1) -> None:
        """Tell an algorithm that plans for a number of trials (H-MCTS) how many there are, if it was not told."""
        t = self.fields
        if t.distribution != space.HALVING or t.budget:
            return
        if trials is None:
            raise ParameterError(
                f"{self.algorithm.name}: budget=None takes the first run's trials; give run(trials=...) or budget"
            )
        t.budget = min(-(-trials // threads), MAX_BUDGET)

    @property
    def counts_trials(self) -> bool:
        """Whether the algorithm counts every single trial, so that trials cannot be selected in batches."""
        return self.algorithm.distribution_row.counts_trials

    # Running

    def make_ready(self) -> None:
        """Compile, if need be, what a run calls."""
        self.run(0)
        if self.estimates is not None:
            self.estimates.make_ready()
        if self.exact is not None:
            self.exact.make_ready()

    def run(self, trials: int) -> bool:
        """Run a number of trials, one by one, in this thread; False when there is no memory for another."""
        t, kernel = self.fields, run_graph_trials if self.fields.transpositions else run_trials
        if t.observe:
            kernel = run_hidden_trials
        end = t.trials + trials
        while self.exact is not None and t.trials < end and not self.is_proven:
            due = min(end, (t.trials // self.exact.every + 1) * self.exact.every)
            if not self.drive(lambda: kernel(self.record, due - t.trials)):  # noqa: B023 - called at once
                return False
            if t.trials % self.exact.every == 0:
                self.exact.go_on()
                if self.may_turn:
                    from .turning import turn_if_due

                    turn_if_due(self)
                    t = self.fields
        return self.drive(lambda: kernel(self.record, end - t.trials))

    def keep_up(self, before: int) -> None:
        """After trials that were not run by `run`: do what is due now and then, given how many there were before."""
        t = self.fields
        if self.estimates is not None and t.visits_made >= t.next_sweep:
            self.handle(records.SWEEP)
        if self.exact is not None and t.trials // self.exact.every > before // self.exact.every:
            self.exact.go_on()

    def drive(self, kernel: Callable[[], int], trials: int = 1) -> bool:
        """Call a kernel until it is done, and handle its events; False when there is no memory to go on.

        Args:
            kernel: to be called; it goes on where it stopped.
            trials: how many trials it selects before it backs up the first of them.
        """
        while (event := int(kernel())) not in (records.DONE, records.SOLVED):
            if not self.handle(event, trials):
                return False
        return True

    def handle(self, event: int, trials: int = 1) -> bool:
        """Do what a kernel asks for; False when there is no memory for it. A failure is raised."""
        t = self.fields
        if event == records.EVALUATE:
            self._evaluate_leaf()
        elif event == records.INDEX:
            return self._make_index(trials)
        elif event == records.SWEEP:
            assert self.estimates is not None
            if t.proofs:
                self.estimates.list_frontier()
            self.estimates.compute()
        elif event == records.FULL:
            return self._make_room(int(t.needed_nodes), int(t.needed_units))
        elif event not in (records.DONE, records.SOLVED):
            raise_failure(self, event)
        return True

    def make_room_for(self, trials: int) -> bool:
        """Make room for a number of trials that are selected before any is backed up; False at a limit."""
        return self.drive(lambda: room_for_batch(self.record, trials), trials)

    @contextlib.contextmanager
    def set_aside(self) -> Iterator[None]:
        """Let others look at the tree in the middle of a trial, which works with what looking works with."""
        record, scratch = self.record.copy(), {name: array.copy() for name, array in self.storage.scratch.items()}
        try:
            yield
        finally:
            self.record[:] = record
            for name, array in scratch.items():
                self.storage.scratch[name][:] = array

    def abandon(self) -> None:
        """Take back a trial whose leaf waits for an evaluation that will not come."""
        if self.fields.pending:
            abandon_trial(self.record)

    @property
    def is_proven(self) -> bool:
        """Whether the root's value is proven, so that there is nothing to try any more."""
        t = self.fields
        return bool(t.proofs and self.storage.node(int(t.root)).marks & records.PROVEN)

    @property
    def root_waits(self) -> bool:
        """Whether the root's own prior must be asked for before a batch can be selected."""
        t = self.fields
        return bool(t.prior_external) and self.storage.node(t.root).block == records.NONE

    def _evaluate_leaf(self) -> None:
        """Ask the evaluator about the one leaf that waits, and leave the answer for the kernel."""
        t, problem = self.fields, self.problem
        words = self.storage.states[int(t.leaf)].copy().reshape(1, -1)
        try:
            # the evaluator may wait for other threads, which may need this problem before they can answer
            with problem.others_may_call() if self.in_common_batches else contextlib.nullcontext():
                values, priors = ask(self.evaluator, problem, words, bool(t.prior_external))
        except BaseException:
            self.abandon()
            raise
        if t.prior_external:
            self.storage.scratch["prior_in"][:] = priors[0]
        t.leaf_value = values[0]

    # Memory

    def _make_room(self, nodes: int, units: int) -> bool:
        """Make room for a total of nodes and units; False at a limit, unless enough can be freed."""
        t = self.fields
        if self.storage.grow(nodes, units):
            return True
        return self.recycle(nodes - int(t.node_count), units - int(t.unit_count), by_nodes=nodes > int(t.max_nodes))

    def _make_index(self, trials: int) -> bool:
        """Make an index of outcomes for the next trials; False at a limit, unless enough can be freed."""
        return self.storage.make_index(trials) or (
            self.recycle(0, 0, by_nodes=False) and self.storage.make_index(trials)
        )

    def recycle(self, more_nodes: int, more_units: int, *, by_nodes: bool) -> bool:
        """Free the least visited subtrees, if that is wanted and no trial is in flight there."""
        partitioned = self.storage.partition is not None
        if self.on_full != "recycle" or partitioned or self.storage.node(self.fields.root).flights:
            return False
        before = int(self.fields.recyclings)
        room = self.storage.recycle(more_nodes, more_units, by_nodes=by_nodes)
        if int(self.fields.recyclings) > before:
            self.version += 1
        return room

    # Looking

    @property
    def trials(self) -> int:
        """Trials run so far."""
        return int(self.fields.trials)

    @property
    def size(self) -> int:
        """Nodes in the tree."""
        return int(self.fields.node_count)

    @property
    def nbytes(self) -> int:
        """Bytes that the tree takes, with what is kept beside it."""
        return self.storage.nbytes + (0 if self.exact is None else self.exact.nbytes)

    @property
    def horizon(self) -> int:
        """The depth at which trials end."""
        return int(self.fields.horizon)

    def edges_of(self, index: int) -> Any:
        """The edges of a node, one for each legal action; None while it has no block of them."""
        node = self.storage.node(index)
        if node.block == records.NONE or node.marks & records.SINGLE:
            return None
        return self.storage.edges[node.block : node.block + node.actions]

    def actions_of(self, index: int) -> NDArray[np.int64]:
        """The numbers of a node's legal actions; none where trials end. Of boxes, what was drawn so far is counted."""
        edges, node = self.edges_of(index), self.storage.node(index)
        if edges is not None:
            return np.array(edges["action"], np.int64)
        if self.problem.boxes is not None:
            return np.zeros(0, np.int64)
        if node.marks & records.TERMINAL or node.depth >= self.horizon:
            return np.zeros(0, np.int64)
        if not self.problem.hidden:
            state = self.storage.state(index, self.problem.state_layout())
        elif index == int(self.fields.root) or not self.problem.has("legal"):
            state = any_state(self)
        elif node.marks & records.SINGLE:  # what else is legal is not known before its second visit
            return np.array([self.storage.node(node.block).action], np.int64)
        else:
            return np.zeros(0, np.int64)
        return np.array(self.problem.legal_actions(state), np.int64)

    def find(self, state: Any, depth: int | None) -> int | None:
        """The most visited node with a state, at a depth if one is given; None if there is none."""
        if self.problem.hidden:
            raise ParameterError(
                f"state={state!r}: must be left out, because the state of {self.problem.display_name()} is hidden"
            )
        wanted = np.frombuffer(self.problem.as_state(state).tobytes(), np.uint64)
        states, nodes = self.storage.states[: self.size], self.storage.nodes[: self.size]
        if self.fields.transpositions == records.BY_STATE:
            depth = None
        alive = nodes["marks"] & records.TERMINAL == 0
        same = np.flatnonzero((states == wanted).all(axis=1) & alive & (depth is None or nodes["depth"] == depth))
        return int(same[np.argmax(nodes["visits"][same])]) if same.size else None


def draw_noise(algorithm: Algorithm, legal: Any, generator: np.random.Generator, out: Any) -> None:
    """Write Dirichlet noise over a root's legal actions."""
    concentration = getattr(algorithm, "noise_concentration", 10.0) / max(legal.size, 1)
    out[:] = 0.0
    out[legal] = generator.dirichlet(np.full(legal.size, concentration))
