"""``bt.Search``: a user's handle on one search: run it, look at it, take its recommendation, go on from there."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Union

import numpy as np
from numpy.typing import NDArray

from .algorithms import MAX_BUDGET, Algorithm
from .configuration import configure
from .core import records, space
from .core.interrupts import held_back, raise_dropped, rescued
from .core.memory import physical_memory
from .core.random import new_generator
from .core.run import abandon_trial, bytes_of_trial, room_for_batch, run_shared_trials, run_trials
from .core.storage import Storage, new_tree
from .core.subtree import copy_shared, copy_subtree
from .errors import ParameterError, ProblemError
from .evaluators import Batches, Evaluator, Together, evaluate_waiting
from .failures import raise_failure
from .node import Node
from .problem import Problem, not_a_problem
from .progress import ProgressLine
from .states import PlainState
from .survey import Survey, survey
from .threads import Crew, check_threads, hire
from .threads.rounds import round_size
from .transpositions import Estimates, Transpositions, sharing_of
from .wording import shortened

if TYPE_CHECKING:
    from .viewer import Watched

MAX_BATCH = 8192
CHUNK_SECONDS = 0.05
"""Trials run in chunks of about so long; Ctrl-C, limits, progress and growth are seen to between them."""


MOST_BYTES = 1 << 56
"""No machine has as many; sums of a few of them are still 64-bit numbers."""
SPARE_BYTES = 64 << 20
"""The memory of a tree that was left by `advance` is kept for the next one up to this size."""


class Search:
    """A Monte-Carlo tree search for a problem by an algorithm.

    Args:
        problem: the problem to plan in.
        algorithm: how to search, such as ``bt.DENTS(alpha=0.1)``.
        state: where to start; the problem's own start if None.
        seed: of the random numbers. Same seed, same problem: the same tree, bit for bit.
        growth: ``"leaf"`` adds one node a trial and values it by the evaluator; ``"trial"`` adds all to the horizon.
        evaluator: a number, ``"rollout"``, ``"heuristic"`` (the problem's) or an `Evaluator`; growth ``"trial"`` uses
            none.
        threads: how many run trials side by side: on one tree where steps or rollouts are dear, else on a tree each,
            which are merged when the run ends; ``search.sharing`` says which.
        deterministic: with several threads, the same tree for the same seed and number of threads.
        transpositions: True makes one node of every state at a depth, however it was reached; ``"state"`` one of every
            state, for problems with a discount below 1, whose horizon then bounds the length of a trial. Not with
            algorithms that look at a node's one parent (RENTS, H-MCTS, BRUE), nor with batches of evaluations, nor
            with several threads.
        max_nodes: the tree never has more nodes than this.
        max_bytes: the search never takes more bytes; four fifths of the machine's memory if None.
        on_full: at `max_nodes` or `max_bytes` a run ends (``"stop"``), or the least visited subtrees are freed and it
            goes on (``"recycle"``). Not with transpositions.

    Example:
        >>> import boltree as bt
        >>> search = bt.Search(bt.problems.DChain(10), bt.BTS(alpha=1.0), seed=0, evaluator=0.0)
        >>> search.run(trials=10_000)
        'trials'
        >>> search.recommend(), round(search.root.value, 6)
        (1, 1.0)
    """

    def __init__(
        self,
        problem: Problem,
        algorithm: Algorithm,
        *,
        state: Any = None,
        seed: int | None = None,
        growth: Literal["leaf", "trial"] = "leaf",
        evaluator: Union[float, str, Evaluator] = "rollout",
        threads: int = 1,
        deterministic: bool = False,
        transpositions: Transpositions = False,
        max_nodes: int | None = None,
        max_bytes: int | None = None,
        on_full: Literal["stop", "recycle"] = "stop",
    ) -> None:
        if not isinstance(problem, Problem):
            raise not_a_problem(problem)
        if not hasattr(problem, "_memory"):
            raise ParameterError(f"problem={type(problem).__name__}: its __init__ must call super().__init__(...)")
        if not isinstance(algorithm, Algorithm):
            raise ParameterError(f"algorithm={algorithm!r}: must be an algorithm, such as bt.DENTS()")
        if growth not in ("leaf", "trial"):
            raise ParameterError(f"growth={growth!r}: must be 'leaf' or 'trial'")
        check_threads(threads, deterministic)
        for name, limit in (("max_nodes", max_nodes), ("max_bytes", max_bytes)):
            if limit is not None and (isinstance(limit, bool) or not isinstance(limit, (int, np.integer)) or limit < 1):
                raise ParameterError(f"{name}={limit!r}: must be an integer of at least 1, or None")
        if on_full not in ("stop", "recycle"):
            raise ParameterError(f"on_full={on_full!r}: must be 'stop' or 'recycle'")
        if seed is not None and (isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0):
            raise ParameterError(f"seed={seed!r}: must be an integer of at least 0, or None")

        self.problem = problem
        self.algorithm = algorithm
        self.growth = growth
        self.evaluator = evaluator
        self.threads, self.deterministic = int(threads), deterministic
        self.on_full = on_full
        self._version = 0
        self._turn: dict[str, object] = {}  # whose it is to change this search
        self._spare: Any = None  # the arenas of the tree that was left last, for the next one
        self._exact: Any = None  # exact values from the root, once asked for
        self._crew: Crew | None = None
        external = growth == "leaf" and not isinstance(evaluator, (str, int, float, np.number))
        prior_external = external and bool(getattr(evaluator, "gives_prior", True))
        self._handle, self._kept = configure(
            problem, algorithm, has_prior=problem.has("prior") or prior_external, external=external
        )
        self._tree.prior_external = prior_external and self._tree.has_prior
        self._enter_evaluator(evaluator)
        self._batch = self._batch_of(evaluator) if external else 1
        single = self._tree.distribution in (space.HALVING, space.SWITCHING)
        self._together = evaluator if isinstance(evaluator, Together) and not single else None
        rounds = round_size(int(threads)) if deterministic and threads > 1 else 1
        if self._batch > 1 or self._together is not None or rounds > 1:
            self._tree.compact = 0  # a leaf that waits must not be taken for a node with one visit
        self._batch_room = max(self._batch, rounds)
        self.transpositions: Transpositions = transpositions
        self._tree.shared = sharing_of(transpositions, self)
        self._estimates = Estimates(self) if self._tree.shared else None
        if self._tree.shared:
            self._tree.compact = 0  # a node's only child has other parents
        sequence = np.random.SeedSequence(seed)
        t = self._tree
        t.growth = records.TRIAL if growth == "trial" else records.LEAF
        for_ties, *for_trials = sequence.generate_state(3, np.uint64)
        t.seed = for_ties
        if problem.has("prior"):
            t.prior = problem.address("prior")
        self._max_nodes = None if max_nodes is None else int(max_nodes)
        self._limited = max_bytes is not None
        self._max_bytes = min(int(max_bytes), MOST_BYTES) if max_bytes is not None else physical_memory() * 4 // 5
        self._storage = self._new_storage(self._handle, problem.horizon)
        self._storage.scratch["rng"][:] = for_trials
        self._noise = np.random.default_rng(sequence.spawn(1)[0])
        self._plant(self._root_state(state), depth=0)
        self._crew = hire(self, self.threads, deterministic, sequence.spawn(1)[0])

    # Setting up

    @property
    def _tree(self) -> Any:
        return self._handle[0]

    def _new_storage(self, handle: Any, levels: int) -> Storage:
        """Memory for a tree whose trials take at most so many steps."""
        spare, self._spare = self._spare, None
        storage = Storage(handle, levels, self._max_bytes, self._max_nodes, batch=self._batch_room, arenas=spare)
        nodes = 2 if self.growth == "leaf" else levels + 2
        if self._max_nodes is not None and self._max_nodes < nodes:
            raise ParameterError(f"max_nodes={self._max_nodes}: one trial of this problem may need {nodes} nodes")
        if self._limited:
            needed = int(bytes_of_trial(handle, levels))
            if handle[0].max_bytes < needed:
                needed += storage.scratch_bytes
                raise ParameterError(f"max_bytes={self._max_bytes}: one trial of this problem may need {needed} bytes")
        return storage

    def _enter_evaluator(self, evaluator: Any) -> None:
        t, problem = self._tree, self.problem
        if self.growth == "trial":
            t.evaluator, t.v_init = records.CONSTANT, 0.0
        elif isinstance(evaluator, (int, float, np.number)) and not isinstance(evaluator, bool):
            if not math.isfinite(evaluator):
                raise ParameterError(f"evaluator={evaluator!r}: must be a finite number")
            t.evaluator, t.v_init = records.CONSTANT, float(evaluator)
        elif evaluator == "rollout":
            t.evaluator, t.rollout = records.ROLLOUT, problem.address("rollout")
        elif evaluator == "heuristic":
            if not problem.has("heuristic"):
                raise ParameterError(
                    f"evaluator='heuristic': {problem.display_name()} has no heuristic(params, state); write one, or "
                    "use 'rollout' or a number"
                )
            t.evaluator, t.heuristic = records.HEURISTIC, problem.address("heuristic")
        elif hasattr(evaluator, "evaluate"):
            t.evaluator = records.EXTERNAL
        else:
            raise ParameterError(
                f"evaluator={evaluator!r}: must be a number, 'rollout', 'heuristic', or an object with evaluate(batch)"
            )

    def _batch_of(self, evaluator: Any) -> int:
        """How many leaves the evaluator is given at a time; searches that count every single trial take one."""
        size = getattr(evaluator, "batch", 1)
        if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or not 1 <= size <= MAX_BATCH:
            raise ParameterError(f"evaluator: batch={size!r}, must be an integer from 1 to {MAX_BATCH}")
        return 1 if self._tree.distribution in (space.HALVING, space.SWITCHING) else int(size)

    def _root_state(self, given: Any) -> Any:
        if given is not None:
            return self.problem.as_state(given)
        return self.problem.plain_start(self._storage.scratch["rng"])

    def _plant(self, state: Any, depth: int) -> None:
        player = self.problem.plain_player(state)
        if player not in (0, 1):
            raise ProblemError(
                f"{self.problem.display_name()}.player returned {player} at the start; it must be 0 or 1"
            )
        self._storage.plant(state, depth, player)
        self._enter_root()

    def _enter_root(self) -> None:
        """What a new root needs that was not in the tree: a first value, noise."""
        t, node = self._tree, self._storage.nodes[0]
        if t.evaluator == records.CONSTANT and node.visits == 0:
            self._storage.nodes["value"][0] = t.v_init
        self._draw_noise()

    def _draw_noise(self) -> None:
        """The root's Dirichlet noise, once per root."""
        if not self._tree.noise_weight:
            return
        draw_noise(self.algorithm, self.root.actions, self._noise, self._storage.scratch["noise"])

    # Running

    def run(
        self,
        trials: int | None = None,
        seconds: float | None = None,
        stop: Callable[[Search], bool] | None = None,
        progress: Union[bool, Callable[[Search], object], None] = None,
    ) -> str:
        """Run until a limit is reached; may be called again and goes on.

        Args:
            trials: at most so many trials.
            seconds: at most so long.
            stop: called between chunks; the run ends when it returns True.
            progress: True for a line on the terminal, or a function called between chunks.

        Returns:
            Why it stopped: ``"trials"``, ``"seconds"``, ``"stop"``, or ``"memory"`` at `max_nodes` or `max_bytes`
            (if ``on_full="recycle"``, only when nothing can be freed).

        Ctrl-C raises KeyboardInterrupt between two trials; the tree stays valid and the run can go on.
        """
        if trials is None and seconds is None and stop is None:
            raise ParameterError("run(): give trials=..., seconds=... or stop=...")
        if trials is not None and (isinstance(trials, bool) or not isinstance(trials, (int, np.integer)) or trials < 0):
            raise ParameterError(f"trials={trials!r}: must be an integer of at least 0")
        if seconds is not None and (isinstance(seconds, bool) or not 0 <= seconds < math.inf):
            raise ParameterError(f"seconds={seconds!r}: must be a finite number of at least 0")
        if not (progress is None or isinstance(progress, bool) or callable(progress)):
            raise ParameterError(f"progress={progress!r}: must be True or a function of the search")
        turn = self.problem._turn if self._together is None else contextlib.nullcontext()
        with self._alone(), turn, rescued():
            if self._estimates is None:
                return self._run(trials, seconds, stop, progress)
            try:
                self._estimates.resume()
                return self._run(trials, seconds, stop, progress)
            finally:
                self._estimates.show()

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Refuse to change a search that is being changed: by another thread, or from inside its own problem."""
        mine = object()
        try:
            if self._turn.setdefault("now", mine) is not mine:
                raise RuntimeError("this search is already running; give every thread a search of its own")
            yield
        finally:  # no calls: an interrupt comes after one, and what is not given back here is lost
            try:
                if self._turn["now"] is mine:
                    del self._turn["now"]
            except KeyError:
                pass

    def _run(self, trials: int | None, seconds: float | None, stop: Any, progress: Any) -> str:
        self._set_budget(trials)
        t = self._tree
        if t.pending:
            abandon_trial(self._handle)  # an interrupt came between a leaf and its evaluation
        self._run_trials(self._handle, 0)  # compile, if need be, before the clock starts
        if self._together is not None:
            return self._run_together(self._together, trials, seconds, stop, progress)
        began = time.perf_counter()
        record = self._handle.view(np.ndarray)["trials"]  # read once a chunk: a record's attributes are slow to read

        def done() -> int:
            return int(record.item()) + (0 if self._crew is None else self._crew.trials)

        last = None if trials is None else done() + int(trials)
        report = ProgressLine(self, trials, seconds) if progress is True else progress
        chunk, reason = 16, ""
        batches = Batches(self, self._batch) if self._batch > 1 else None
        whole, crew = False, self._crew
        try:
            while not reason:
                now = time.perf_counter() - began
                before = done()
                if last is not None and before >= last:
                    reason = "trials"
                elif seconds is not None and now >= seconds:
                    reason = "seconds"
                else:
                    chunk_began = time.perf_counter()
                    todo = chunk if last is None else min(chunk, last - before)
                    if batches is not None and not self._root_waits():
                        if not self._run_batches(batches, todo, last):
                            reason = "memory"
                    elif self._crew is not None and self._run_crew(todo, last):
                        if self._crew is not crew:
                            began += self._crew.ready_in
                            crew = self._crew
                    elif not self._run_chunk(1 if batches is not None else todo - max(done() - before, 0)):
                        reason = "memory"
                    raise_dropped()
                    spent = max(time.perf_counter() - chunk_began, 1e-6)
                    aim = CHUNK_SECONDS if seconds is None else min(CHUNK_SECONDS, max(seconds - now - spent, 1e-4))
                    rate = max(done() - before, 1) / spent
                    chunk = max(1, min(int(rate * aim), 8 * chunk))
                    if callable(report):
                        self._look(report)
                    if stop is not None and not reason and self._look(stop):
                        reason = "stop"
            whole = True
        finally:
            if self._crew is not None:
                with held_back():
                    self._crew.finish()
            if batches is not None:
                failed = batches.close(settle=whole)
                if whole and failed != records.DONE:
                    raise_failure(self, failed)
            if progress is True:
                report.close()
        assert not t.pending
        return reason

    def _look(self, looker: Callable[[Search], Any]) -> Any:
        """Let somebody look at the search while it runs."""
        if self._estimates is None:
            return looker(self)
        try:
            self._estimates.show()
            return looker(self)
        finally:
            self._estimates.resume()

    def _run_crew(self, trials: int, last: int | None) -> bool:
        """Let all threads run; what they did is counted and joined before an interrupt is raised."""
        assert self._crew is not None
        with held_back():
            return self._crew.run(trials, last)

    def _run_together(
        self, together: Together, trials: int | None, seconds: float | None, stop: Any, progress: Any
    ) -> str:
        """Run among other searches; another thread does the work."""
        if stop is not None or callable(progress) or progress is True:
            raise ParameterError(
                "run(stop=..., progress=...): not with the evaluator Together, which runs many searches"
            )
        with together.admitted(self):
            if trials != 0 and self._root_waits():
                with self.problem._turn:
                    room = self._run_chunk(1)
                if not room:
                    return "memory"
                trials = None if trials is None else trials - 1
            return together.run(self, trials, seconds)

    @property
    def _run_trials(self) -> Callable[[Any, int], int]:
        """The kernel that runs trials."""
        return run_shared_trials if self._tree.shared else run_trials

    def _run_chunk(self, trials: int) -> bool:
        """Run a number of trials; False when there is no room for another."""
        t = self._tree
        done = self._handle.view(np.ndarray)["trials"]
        end = done.item() + trials
        while True:
            code = self._run_trials(self._handle, end - done.item())
            if code == records.DONE:
                return True
            if code == records.EVALUATE:
                try:
                    evaluate_waiting(self)
                except BaseException:
                    abandon_trial(self._handle)
                    raise
            elif code == records.INDEX:
                if not self._make_index():
                    return False
            elif code == records.SWEEP:
                assert self._estimates is not None
                self._estimates.compute()
            elif code == records.FULL:
                if not self._make_room(int(t.needed_nodes), int(t.needed_units)):
                    return False
            else:
                raise_failure(self, int(code))

    def _root_waits(self) -> bool:
        """Whether the root's own prior must be asked for, before a batch can be selected."""
        t = self._tree
        return bool(t.prior_external) and int(self._storage.nodes[int(t.root)].block) == records.NONE

    def _run_batches(self, batches: Batches, trials: int, last: int | None) -> bool:
        """Back up at least so many trials, in batches; False when there is no room for another."""
        done = self._handle.view(np.ndarray)["trials"]
        end = done.item() + trials
        while done.item() < end:
            code = batches.advance(None if last is None else last - done.item())
            if code == records.FULL:
                return False
            if code != records.DONE:
                raise_failure(self, code)
        return True

    def _room_for(self, trials: int) -> int:
        """DONE when there is room for so many trials of a batch; FULL at a limit."""
        while True:
            code = int(room_for_batch(self._handle, trials))
            if code == records.INDEX:
                if not self._make_index(trials):
                    return records.FULL
            elif code == records.DONE or not self._make_room(
                int(self._tree.needed_nodes), int(self._tree.needed_units)
            ):
                return code

    def _make_room(self, nodes: int, units: int) -> bool:
        """Room for so many nodes and units in all; False at a limit, unless enough can be freed."""
        t = self._tree
        if self._storage.grow(nodes, units):
            return True
        return self._recycle(nodes - int(t.node_count), units - int(t.unit_count), by_nodes=nodes > int(t.max_nodes))

    def _make_index(self, trials: int = 1) -> bool:
        """An index of outcomes for the next trials; False at a limit, unless enough can be freed."""
        return self._storage.make_index(trials) or (
            self._recycle(0, 0, by_nodes=False) and self._storage.make_index(trials)
        )

    def _recycle(self, more_nodes: int, more_units: int, *, by_nodes: bool) -> bool:
        """Free the least visited subtrees, if that is wanted and no trial is on its way through them."""
        if self.on_full != "recycle" or self._storage.lent or self._storage.nodes[int(self._tree.root)].flights:
            return False
        before = self.recyclings
        room = self._storage.recycle(more_nodes, more_units, by_nodes=by_nodes)
        if self.recyclings > before:
            self._version += 1  # nodes have other numbers now
        return room

    def _set_budget(self, trials: int | None) -> None:
        """H-MCTS needs to know how many trials it has."""
        t = self._tree
        if t.distribution != space.HALVING or t.budget:
            return
        if trials is None:
            raise ParameterError(
                f"{self.algorithm.name}: budget=None takes the first run's trials; give run(trials=...) or budget"
            )
        t.budget = min(-(-trials // self.threads), MAX_BUDGET)

    # Looking

    @property
    def root(self) -> Node:
        """The root node."""
        return Node(self, int(self._tree.root))

    @property
    def children(self) -> dict[int, list[Node]]:
        """The root's children, by action, one for each outcome seen."""
        return self.root.children

    def node(self, path: Iterable[Union[int, tuple[int, int]]] = ()) -> Node:
        """The node that a sequence of actions leads to.

        A step is an action (the most visited outcome is taken) or a pair (action, k) for its k-th outcome, in the
        order in which they were met.
        """
        here = self.root
        for step in path:
            action, k = step if isinstance(step, tuple) else (step, None)
            outcomes = here.children.get(int(action))
            if not outcomes or (k is not None and not 0 <= k < len(outcomes)):
                raise ParameterError(
                    f"path step {step!r}: not in the tree below {here!r}; tried are {sorted(here.children)}"
                )
            here = outcomes[k if k is not None else int(np.argmax(here.arrivals(int(action))))]
        return here

    @property
    def trials(self) -> int:
        """Trials run so far."""
        return int(self._tree.trials) + (0 if self._crew is None else self._crew.trials)

    @property
    def sharing(self) -> str:
        """How several threads work together, on a ``"shared tree"``, on ``"a tree each"`` or in ``"rounds"``.

        ``"one thread"`` where there is only one; ``"unknown"`` before the first trials have shown what they cost.
        """
        return "one thread" if self._crew is None else self._crew.way

    @property
    def recyclings(self) -> int:
        """How often subtrees were freed to go on (``on_full="recycle"``)."""
        return int(self._tree.recyclings)

    @property
    def size(self) -> int:
        """Nodes in the tree."""
        return int(self._tree.node_count)

    @property
    def nbytes(self) -> int:
        """Bytes that the tree takes."""
        return self._storage.nbytes

    @property
    def horizon(self) -> int:
        """The depth at which trials end."""
        return int(self._tree.horizon)

    def policy(self) -> NDArray[np.float64]:
        """The root's search distribution, over ``search.root.actions``."""
        return self.root.policy

    def recommend(self, state: Any = None, depth: int | None = None) -> int:
        """The recommended action: at the root, or at a state of the tree (at a depth, if it occurs at several).

        The depth counts for nothing where nodes are shared by the state alone.

        Reading never changes the search. Ties are broken by a hash of the seed, the node and its count.
        """
        node = self.root if state is None else Node(self, self._find(state, depth))
        action = node.recommended
        if action is None:
            raise ParameterError("recommend(): no action was tried at this node; run the search first")
        return action

    def _find(self, state: Any, depth: int | None) -> int:
        wanted = np.frombuffer(self.problem.as_state(state).tobytes(), np.uint64)
        t = self._tree
        states, nodes = self._storage.states[: t.node_count], self._storage.nodes[: t.node_count]
        if t.shared == records.BY_STATE:
            depth = None
        alive = nodes["marks"] & records.TERMINAL == 0
        same = np.flatnonzero((states == wanted).all(axis=1) & alive & (depth is None or nodes["depth"] == depth))
        if same.size == 0:
            at = "" if depth is None else f" at depth {depth}"
            raise ParameterError(f"state {shortened(state)}{at}: not in the tree")
        return int(same[np.argmax(nodes["visits"][same])])

    def tree(self, depth: int = 3) -> None:
        """Print the tree down to a depth, the most visited actions first."""
        if isinstance(depth, bool) or not isinstance(depth, (int, np.integer)) or depth < 1:
            raise ParameterError(f"depth={depth!r}: must be an integer of at least 1")
        from .show import show_tree

        show_tree(self, depth)

    def survey(self) -> Survey:
        """All nodes at once, as NumPy columns."""
        return survey(self)

    def to_networkx(self, depth: int = 3) -> Any:
        """The tree down to a depth as a ``networkx.DiGraph`` with visits, values, Q and policies, for other tools."""
        from .graph import graph_of

        return graph_of(self, depth)

    def watch(self, trials: int | None = None) -> Watched:
        """Show the search in a browser: as it is now, or while it runs so many trials more; `bt.watch` for several.

        Returns a page that a notebook shows, and that ``.save("search.html")`` writes to a file.
        """
        from .viewer import watch

        return watch(self, trials=trials)

    # Going on from here

    def advance(self, action: int, state: Any = None, *, horizon: Literal["absolute", "receding"] = "absolute") -> None:
        """Make the outcome of an action the new root, and keep the subtree below it.

        Args:
            action: the action that was taken.
            state: the state it led to. May be left out where only one outcome is known or possible.
            horizon: depths stay absolute; ``"receding"`` moves the horizon one step further, so that the search looks
                as far ahead as before. The trials kept were made without that step: undiscounted, their returns lack
                its reward, which new trials thin out (docs: differences). Where that matters, begin a new search.
        """
        root = self.root
        if action not in root.actions:
            raise ParameterError(f"action={action!r}: must be a legal action of the root: {root.actions.tolist()}")
        if horizon not in ("absolute", "receding"):
            raise ParameterError(f"horizon={horizon!r}: must be 'absolute' or 'receding'")
        with self._alone():
            self._advance(root, int(action), state, horizon == "receding")

    def _advance(self, root: Node, action: int, state: Any, receding: bool) -> None:
        known = root.outcomes(action)
        kept: Node | None = None
        if state is not None:
            given = self.problem.as_state(state)
            same = [child for child in known if child._state_record.tobytes() == given.tobytes()]
            kept = min(same, key=lambda child: child.terminal, default=None)  # it went on, if it may have
        elif len(known) == 1:
            kept, given = known[0], known[0]._state_record
        elif self.problem.deterministic:
            memory = PlainState(np.asarray(root._state_record).reshape(1).copy())
            self.problem.plain_step(memory, action, new_generator(0))
            given = memory.memory[0]
        else:
            raise ParameterError(
                f"advance({action}): {len(known)} outcomes are known; give state=... to say which one it was"
            )
        by_state = self._tree.shared == records.BY_STATE
        depth = 0 if by_state else root.depth + 1
        player = self.problem.plain_player(given)
        handle = new_tree()
        handle[0] = self._handle[0]
        t = handle[0]
        if receding and not by_state:  # which always looks as far ahead
            t.horizon += 1
        t.window_count = t.next_sweep = 0
        storage = self._new_storage(handle, max(int(t.horizon) - depth, 0))
        storage.scratch["rng"][:] = self._storage.scratch["rng"]
        if self._estimates is not None:
            self._estimates.resume()
        if kept is None:
            kept_counts = {name: t[name] for name in ("trials", "visits_made", "recyclings", "lowest", "highest")}
            storage.plant(given, depth, player)
            for name, value in kept_counts.items():
                t[name] = value
        else:
            storage.make_sure(int(t.node_count) + 1, int(t.unit_count) + 1)
            origins = np.zeros(int(t.node_count), np.int32)
            if t.shared:
                copy_shared(self._handle, handle, kept._index, origins, np.full(origins.size, records.NONE, np.int32))
            else:
                copy_subtree(self._handle, handle, kept._index, origins)
        if self._storage.nbytes <= SPARE_BYTES:
            self._spare = self._storage.cleared(2 * self._batch)
        self._handle, self._storage = handle, storage  # only now, with nothing left that can fail
        self._version += 1
        self._enter_root()
        if self._estimates is not None:
            self._estimates.show()

    # Keeping

    def __repr__(self) -> str:
        problem = self.problem.display_name()
        return f"<Search {problem} by {self.algorithm.name}: {self.trials:,} trials, {self.size:,} nodes>"

    def __getstate__(self) -> Any:
        raise TypeError("a Search cannot be pickled or copied; use search.save(path) and bt.Search.load(path)")

    def save(self, path: Union[str, Path]) -> None:
        """Write the search to a file; `Search.load` goes on with it bit for bit.

        Loading a file never runs code. So a search of a `PythonProblem` cannot be saved, nor one of an environment that
        is simulated: its states are Python objects, which only code can make again.
        """
        from .saving import save_search

        save_search(self, Path(path))

    @classmethod
    def load(
        cls,
        path: Union[str, Path],
        problem: Problem | None = None,
        algorithm: Algorithm | None = None,
        evaluator: Any = None,
    ) -> Search:
        """Read a saved search. Give the problem, algorithm or evaluator again where they are code of your own."""
        from .saving import load_search

        return load_search(cls, Path(path), problem, algorithm, evaluator)  # type: ignore[no-any-return]


def draw_noise(algorithm: Algorithm, legal: NDArray[np.int64], generator: np.random.Generator, out: Any) -> None:
    """Write Dirichlet noise over a root's legal actions."""
    concentration = getattr(algorithm, "noise_concentration", 10.0) / max(legal.size, 1)
    out[:] = 0.0
    out[legal] = generator.dirichlet(np.full(legal.size, concentration))
