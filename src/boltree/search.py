"""``bt.Search``: a user's handle on one search: run it, look at it, take its recommendation, go on from there."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Union

import numpy as np
from numpy.typing import NDArray

from .advancing import move_along, move_root, outcome_of
from .algorithms import MAX_BUDGET, Algorithm
from .configuration import configure
from .core import records, space
from .core.interrupts import rescued
from .core.memory import physical_memory
from .core.run import abandon_trial, bytes_of_trial, room_for_batch, run_shared_trials, run_trials
from .core.storage import Storage, fields_of
from .errors import ParameterError, ProblemError
from .evaluators import Evaluator, Together, evaluate_waiting
from .failures import raise_failure
from .node import Node
from .problem import Problem, not_a_problem
from .running import run_within
from .summary import search_html, search_text
from .survey import Survey, survey
from .threads import Crew, check_threads, hire
from .threads.rounds import round_size
from .transpositions import Estimates, Transpositions, sharing_of
from .wording import shortened

if TYPE_CHECKING:
    from .viewer import Watched

MAX_BATCH = 8192
MOST_BYTES = 1 << 56
"""No machine has as many; sums of a few of them are still 64-bit numbers."""


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
    def _handle(self) -> Any:
        """The tree's record, as kernels are given it; `_tree` are its fields."""
        return self._record

    @_handle.setter
    def _handle(self, record: Any) -> None:
        self._record, self._tree = record, fields_of(record)

    def _new_storage(self, handle: Any, levels: int, scratch: Any = None) -> Storage:
        """Memory for a tree whose trials take at most so many steps; some that is to be used again."""
        spare, self._spare = self._spare, None
        limits = self._max_bytes, self._max_nodes
        storage = Storage(handle, levels, *limits, batch=self._batch_room, arenas=spare, scratch=scratch)
        nodes = 2 if self.growth == "leaf" else levels + 2
        if self._max_nodes is not None and self._max_nodes < nodes:
            raise ParameterError(f"max_nodes={self._max_nodes}: one trial of this problem may need {nodes} nodes")
        if self._limited:
            needed = int(bytes_of_trial(handle, levels))
            if handle["max_bytes"][0] < needed:
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
        t, node = self._tree, self._storage.node(0)
        if t.evaluator == records.CONSTANT and node.visits == 0:
            node.value = t.v_init
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
                return run_within(self, trials, seconds, stop, progress)
            try:
                self._estimates.resume()
                return run_within(self, trials, seconds, stop, progress)
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

    @property
    def _run_trials(self) -> Callable[[Any, int], int]:
        """The kernel that runs trials."""
        return run_shared_trials if self._tree.shared else run_trials

    def _run_chunk(self, trials: int) -> bool:
        """Run a number of trials; False when there is no room for another."""
        t = self._tree
        end = t.trials + trials
        while True:
            code = self._run_trials(self._handle, end - t.trials)
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
        return bool(t.prior_external) and self._storage.node(t.root).block == records.NONE

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
        if self.on_full != "recycle" or self._storage.share is not None or self._storage.node(self._tree.root).flights:
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
            move_root(self, root, outcome_of(self, root, int(action), state), receding=horizon == "receding")

    def advance_along(self, steps: Sequence[tuple[int, Any]]) -> None:
        """`advance` by several actions at once, each with the state that it led to; what is kept is copied only once.

        For games: an agent's own move and the other's answer, ``search.advance_along([(mine, a), (theirs, b)])``.
        """
        with self._alone():
            move_along(self, steps)

    # Keeping

    def __repr__(self) -> str:
        problem = self.problem.display_name()
        return f"<Search {problem} by {self.algorithm.name}: {self.trials:,} trials, {self.size:,} nodes>"

    def __str__(self) -> str:
        return search_text(self)

    def _repr_html_(self) -> str:
        return search_html(self)

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
