"""``bt.Search``: a user's handle on one search: run it, look at it, take its recommendation, go on from there."""

from __future__ import annotations

import contextlib
import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Union

import numpy as np
from numpy.typing import NDArray

from ..algorithms.table import Algorithm
from ..belief.belief import Belief
from ..checks import whole
from ..core.interrupts import rescued
from ..errors import ParameterError
from ..evaluators import Evaluator
from ..messages import shortened, warn
from ..parallel.threaded import check_threads
from ..problem.problem import Problem, not_a_problem
from ..problem.record import Record
from ..tree import Node, Tree
from ..tree.advance import move_along, root_of, take_action
from ..tree.hidden import belief_of
from ..tree.outcomes import Outcomes
from ..tree.runner import Limits, OneThread, Runner
from ..tree.survey import Survey, survey
from ..tree.transpositions import Transpositions
from .defaults import Settings, settings_for
from .line import LONGEST_LINE, PlannedLine, line_of
from .pondering import Pondering
from .progress import ProgressLine
from .show import PrintableTree
from .summary import search_html, search_text
from .viewing import Page, page_of

if TYPE_CHECKING:
    from .report import Report

TELLING_TRIALS = 1_000
"""After this number of trials a tree says something about its problem."""


class Search:
    """A Monte-Carlo tree search for a problem by an algorithm.

    Args:
        problem: the problem to plan in.
        algorithm: how to search, such as ``bt.DENTS(alpha=0.1)``, exactly as it is defined. None searches as `bt.plan`
            does, and chooses all of the following that is not given by what the problem says of itself.
        state: where to start; the problem's own start if None.
        belief: where to start if the state is hidden, a `bt.Belief`; the problem's own start if None.
        seed: of the random numbers. Same seed, same problem: the same tree, bit for bit.
        growth: ``"leaf"`` (with an algorithm, if left out) adds one node a trial and values it by the evaluator;
            ``"trial"`` adds all to the horizon.
        evaluator: ``"rollout"`` (if left out), a number, ``"heuristic"`` (the problem's) or an `Evaluator`; growth
            ``"trial"`` uses none.
        threads: how many run trials side by side: on one tree where steps or rollouts are slow, else on a tree each,
            or where nodes are shared a graph each, which are merged when the run ends; ``search.parallelism`` says
            which.
        deterministic: with several threads, the same tree for the same seed and number of threads.
        transpositions: True makes one node of every state at a depth, however it was reached; ``"state"`` one of
            every state, for problems with a discount below 1, whose horizon then bounds the length of a trial;
            ``"auto"`` is True wherever it can be. Not with RENTS, H-MCTS and BRUE (docs: scale), nor with
            `bt.Together`.
        outcomes: ``"sampled"`` weighs what an action leads to by how often it did; ``"known"`` by the probabilities
            that the problem lists (`outcomes`, or ``deterministic = True``); ``"pooled"`` by how often it did at any
            depth, where states come again. Both need `transpositions`; pooled ones growth ``"trial"``, and an algorithm
            whose values are maxima.
        proofs: keep bounds of all values, never try again what is proven or surely worse, and end a run when the root
            is proven. Needs known outcomes; not with values that count entropy (MENTS, RENTS, TENTS).
        widening: ``(k, a)`` lets an action that was taken N times have k N^a outcomes; further trials go to one of
            them: the least visited or, where the state is hidden, one drawn by `observation_probability`. If None,
            ``(1, 0.4)`` where a state is a record with real numbers, which never comes twice, ``(5, 1/15)`` where an
            observation is one; else False: any number of outcomes.
        action_widening: ``(k, a)`` lets a node that was visited N times have k N^a actions, where these are drawn from
            a `bt.box`; ``(3, 0.4)`` if None. No node has more than 1,024.
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
        algorithm: Algorithm | None = None,
        *,
        state: Any = None,
        belief: Belief | None = None,
        seed: int | None = None,
        growth: Literal["leaf", "trial"] | None = None,
        evaluator: Union[float, str, Evaluator, None] = None,
        threads: int = 1,
        deterministic: bool = False,
        transpositions: Union[Transpositions, Literal["auto"], None] = None,
        outcomes: Outcomes | None = None,
        proofs: bool | None = None,
        widening: Union[tuple[float, float], Literal[False], None] = None,
        action_widening: tuple[float, float] | None = None,
        max_nodes: int | None = None,
        max_bytes: int | None = None,
        on_full: Literal["stop", "recycle"] = "stop",
    ) -> None:
        if not isinstance(problem, Problem):
            raise not_a_problem(problem)
        if not hasattr(problem, "_memory"):
            raise ParameterError(f"problem={type(problem).__name__}: its __init__ must call super().__init__(...)")
        if not (algorithm is None or isinstance(algorithm, Algorithm)):
            of_class = isinstance(algorithm, type) and issubclass(algorithm, Algorithm)
            wanted = f"bt.{algorithm.__name__}() makes one of the class" if of_class else "such as bt.DENTS(), or None"
            raise ParameterError(f"algorithm={algorithm!r}: must be an algorithm, {wanted}")
        if growth not in ("leaf", "trial", None):
            raise ParameterError(f"growth={growth!r}: must be 'leaf' or 'trial'")
        check_threads(threads, deterministic)
        for name, limit in (("max_nodes", max_nodes), ("max_bytes", max_bytes)):
            whole(name, limit, 1, none=True)
        if on_full not in ("stop", "recycle"):
            raise ParameterError(f"on_full={on_full!r}: must be 'stop' or 'recycle'")
        whole("seed", seed, 0, none=True)

        real = isinstance(problem.observation, Record) and problem.observation.real
        if real and not problem.has("observation_probability"):
            warn(
                f"{problem.display_name()}: an observation has real numbers, so that no history comes twice, and "
                "nothing is learnt after one step; write observation_probability"
            )

        self.deterministic = deterministic
        self._pondering: Pondering | None = None
        self._changing: dict[str, object] = {}  # the call that may change this search now
        self._looked_through = False
        sequence = np.random.SeedSequence(seed)
        if algorithm is None:
            settings = settings_for(problem, evaluator, threads=int(threads), graph=on_full == "stop")
        else:
            settings = Settings(algorithm, threads=int(threads))
            if evaluator is not None:
                settings = replace(settings, evaluator=evaluator)
            _warn_of_noise(problem, algorithm, settings.evaluator, growth)
            if transpositions and transpositions != "auto":
                _warn_of_means(algorithm, settings.evaluator, growth)
        if transpositions == "auto":
            together = bool(getattr(settings.evaluator, "serves_many_searches", False))
            shareable = on_full == "stop" and not together and not problem.hidden
            transpositions = shareable and not settings.algorithm.one_parent
        wishes: dict[str, Any] = {
            "growth": growth, "transpositions": transpositions, "outcomes": outcomes, "proofs": proofs
        }  # fmt: skip
        settings = replace(settings, **{name: wish for name, wish in wishes.items() if wish is not None})
        if outcomes is None and settings.outcomes == "pooled" and not settings.may_pool:
            settings = replace(settings, outcomes="sampled")
        self.threads = settings.threads
        self.tree = PrintableTree(
            problem,
            settings.algorithm,
            sequence,
            state=state,
            belief=belief,
            growth=settings.growth,
            evaluator=settings.evaluator,
            transpositions=settings.transpositions,
            outcomes=settings.outcomes,
            proofs=settings.proofs,
            widening=widening,
            action_widening=action_widening,
            max_nodes=max_nodes,
            max_bytes=max_bytes,
            on_full=on_full,
        )
        self.tree.may_turn = algorithm is None and outcomes is None and proofs is None and settings.may_turn(problem)
        self.runner = _runner_for(self.tree, self.threads, deterministic, sequence.spawn(1)[0])
        if isinstance(self.runner, OneThread):
            with problem.exclusive:
                self.tree.make_ready()  # so that the first run of a process, too, takes no longer than it is told

    @property
    def problem(self) -> Problem:
        """The problem that is planned in."""
        return self.tree.problem

    @property
    def algorithm(self) -> Algorithm:
        """The algorithm that searches."""
        return self.tree.algorithm

    @property
    def growth(self) -> Literal["leaf", "trial"]:
        """``"leaf"`` or ``"trial"``, as it was given."""
        return self.tree.growth

    @property
    def evaluator(self) -> Any:
        """What values leaves, as it was given."""
        return self.tree.evaluator

    @property
    def belief(self) -> Belief:
        """What is believed about a hidden state at the root."""
        if not self.problem.hidden:
            raise ParameterError(f"belief: there is none about {self.problem.display_name()}, whose state is seen")
        return belief_of(self.tree)

    @property
    def transpositions(self) -> Transpositions:
        """Whether nodes are shared, and by what, as it was given."""
        return self.tree.transpositions

    @property
    def outcomes(self) -> Outcomes:
        """``"sampled"``, ``"pooled"`` or ``"known"``, as it was given."""
        return self.tree.outcomes

    @property
    def proofs(self) -> bool:
        """Whether bounds are kept and values proven, as it was given."""
        return bool(self.tree.fields.proofs)

    @property
    def proven(self) -> bool:
        """Whether the root's value is proven to be exact."""
        return self.tree.is_proven

    @property
    def on_full(self) -> Literal["stop", "recycle"]:
        """``"stop"`` or ``"recycle"``, as it was given."""
        return self.tree.on_full

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
            trials: the most trials to run.
            seconds: the most seconds to run.
            stop: called about every 50 ms; the run ends when it returns True.
            progress: True for a line on the terminal, or a function called between trials, about every 50 ms.

        Returns:
            Why it stopped: ``"trials"``, ``"seconds"``, ``"stop"``, ``"proven"`` when the root's value is (`proofs`),
            or ``"memory"`` at `max_nodes` or `max_bytes` (if ``on_full="recycle"``, only when nothing can be freed).

        Ctrl-C raises KeyboardInterrupt between two trials; the tree stays valid and the run can go on. Where steps are
        plain Python, `seconds`, `stop` and Ctrl-C end a run between two steps; the trial that was under way does not
        count, so a run may end without any.
        """
        if trials is None and seconds is None and stop is None:
            raise ParameterError("run(): give trials=..., seconds=... or stop=...")
        if trials is not None:
            whole("trials", trials, 0)
        if seconds is not None and (isinstance(seconds, bool) or not 0 <= seconds < math.inf):
            raise ParameterError(f"seconds={seconds!r}: must be a finite number of at least 0")
        if not (progress is None or isinstance(progress, bool) or callable(progress)):
            raise ParameterError(f"progress={progress!r}: must be True or a function of the search")
        self.set_budget(trials)
        line = ProgressLine(self, trials, seconds) if progress is True else None
        watch = line or (progress if callable(progress) else None)
        limits = Limits(
            trials,
            seconds,
            None if stop is None else lambda: bool(stop(self)),
            None if watch is None else lambda: watch(self),
        )
        with self._alone(), rescued():
            try:
                if self.tree.estimates is not None:
                    self.tree.estimates.resume()
                reason = self.runner.run(limits)
            finally:
                if line is not None:
                    line.close()
                if self.tree.estimates is not None:
                    self.tree.estimates.show()
        self._warn_of_what_is_seen()
        return reason

    def _warn_of_what_is_seen(self) -> None:
        """Warn, once, where the tree shows that more trials will not help."""
        if not self._looked_through and self.trials >= TELLING_TRIALS:
            from .noticed import flatness_of, sameness_of

            self._looked_through = True
            for said in (flatness_of(self.tree), sameness_of(self.tree)):
                if said:
                    warn(said)

    def start(self, trials: int | None = None, seconds: float | None = None) -> None:
        """Begin to run in a thread, while the program does something else, until `stop` or a limit.

        Meanwhile the search may be looked at, but not be run or advanced. A problem in plain Python shares Python's one
        lock with the program.

        >>> import boltree as bt
        >>> search = bt.Search(bt.problems.TicTacToe(), bt.UCT(), seed=0)
        >>> search.start(trials=500)  # and now the other player thinks
        >>> reason = search.stop()
        >>> 0 <= search.trials <= 500
        True
        """
        if self._pondering is not None:
            raise RuntimeError("this search was started already; stop it first")
        self._pondering = Pondering(lambda stopping: self.run(trials, seconds, stop=lambda _: stopping()))

    def stop(self) -> str:
        """End what `start` began; why it ended, as `run` says it. Raises what was raised meanwhile."""
        pondering, self._pondering = self._pondering, None
        return "stop" if pondering is None else pondering.stop()

    @contextlib.contextmanager
    def pondering(self, trials: int | None = None, seconds: float | None = None) -> Iterator[Search]:
        """Think while the block runs: `start` before it, `stop` after it."""
        self.start(trials, seconds)
        try:
            yield self
        finally:
            self.stop()

    def set_budget(self, trials: int | None) -> None:
        """Tell an algorithm that plans for a number of trials (H-MCTS) how many all runs will have together.

        Without it, such an algorithm takes its own `budget`, or the trials of the first run. Others ignore it.
        """
        self.tree.set_budget(trials, self.threads)

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Refuse to change a search that is being changed: by another thread, or from inside its own problem."""
        mine = object()
        try:
            if self._changing.setdefault("now", mine) is not mine:
                raise RuntimeError("this search is already running; give every thread a search of its own")
            yield
        finally:  # no calls: an interrupt comes after one, and what is not released here stays locked
            try:
                if self._changing["now"] is mine:
                    del self._changing["now"]
            except KeyError:
                pass

    # Looking

    @property
    def root(self) -> Node:
        """The root node."""
        return root_of(self.tree)

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
            outcomes = here.outcomes(action)
            if not outcomes or (k is not None and not 0 <= k < len(outcomes)):
                raise ParameterError(
                    f"path step {step!r}: not in the tree below {here!r}; tried are {sorted(here.children)}"
                )
            here = outcomes[k if k is not None else int(np.argmax(here.arrivals(action)))]
        return here

    def node_at(self, index: int) -> Node:
        """The node that was made as the `index`-th, the root being 0: a row of `survey`."""
        return Node(self.tree, int(index))

    @property
    def trials(self) -> int:
        """Trials run so far."""
        return self.tree.trials + self.runner.trials

    @property
    def parallelism(self) -> str:
        """How several threads work together, on a ``"shared tree"``, on ``"a tree each"`` or ``"a graph each"``.

        ``"one thread"`` where there is only one; ``"unknown"`` before the first trials have shown what they cost.
        """
        return self.runner.parallelism

    @property
    def sharing(self) -> str:
        """The old name of `parallelism`, for one more release."""
        warnings.warn("search.sharing is called search.parallelism now", DeprecationWarning, stacklevel=2)
        return self.parallelism

    @property
    def recyclings(self) -> int:
        """How often subtrees were freed to go on (``on_full="recycle"``)."""
        return int(self.tree.fields.recyclings)

    @property
    def size(self) -> int:
        """Nodes in the tree."""
        return self.tree.size

    @property
    def nbytes(self) -> int:
        """Bytes that the tree takes."""
        return self.tree.nbytes

    @property
    def horizon(self) -> int:
        """The depth at which trials end."""
        return self.tree.horizon

    def policy(self) -> NDArray[np.float64]:
        """The root's search distribution, over ``search.root.actions``."""
        return self.root.policy

    def recommend(self, state: Any = None, depth: int | None = None) -> Any:
        """The recommended action: at the root, or at a state of the tree (at a depth, if it occurs at several).

        The depth counts for nothing where nodes are shared by the state alone.

        Reading never changes the search. Ties are broken by a hash of the seed, the node and its count.
        """
        node = self.root
        if state is not None:
            index = self.tree.find(state, depth)
            if index is None:
                at = "" if depth is None else f" at depth {depth}"
                raise ParameterError(f"state {shortened(state)}{at}: not in the tree")
            node = Node(self.tree, index)
        action = node.recommended
        if action is None:
            why = "run the search first" if self.trials == 0 else "run it for longer"
            raise ParameterError(f"recommend(): no action was tried at this node; {why}")
        return action

    def line(self, steps: int = LONGEST_LINE) -> PlannedLine:
        """What it expects to happen: its best action at each step, the state's value, and the action's visits.

        >>> import boltree as bt
        >>> search = bt.Search(bt.problems.DChain(4), bt.BTS(alpha=0.5), seed=0, growth="trial")
        >>> _ = search.run(trials=1_000)
        >>> [(step.name, step.value) for step in search.line()]
        [('right', 1.0), ('right', 1.0), ('right', 1.0), ('right', 1.0)]
        """
        whole("steps", steps, 1)
        return line_of(self.tree, self.root, steps)

    def report(self) -> Report:
        """What it thinks of each action, from the side of who moves, as a table: win rates, visits, lines.

        >>> import boltree as bt
        >>> search = bt.Search(bt.problems.ConnectFour("001122"), bt.UCT(), seed=0)
        >>> _ = search.run(trials=1_000)
        >>> best = search.report().moves[0]
        >>> best.action, best.win_rate, best.line
        (3, 1.0, ('column 3',))
        """
        from .report import report_of

        return report_of(self.tree, self.root, self.trials)

    def survey(self) -> Survey:
        """All nodes at once, as NumPy columns."""
        return survey(self.tree)

    def to_networkx(self, depth: int = 3) -> Any:
        """The tree down to a depth as a ``networkx.DiGraph`` with visits, values, Q and policies, for other tools."""
        from .to_networkx import graph_of

        return graph_of(self, depth)

    def watch(self, trials: int | None = None) -> Page:
        """Show the search in a browser: as it is now, or while it runs `trials` more; `bt.watch` for several.

        Returns a page (`bt.Watched`) that a notebook shows, and that ``.save("search.html")`` writes to a file.
        """
        return page_of(self, trials)

    # Going on from here

    def advance(self, action: Any, state: Any = None, *, horizon: Literal["absolute", "receding"] = "absolute") -> None:
        """Make the outcome of an action the new root, and keep the subtree below it.

        Args:
            action: the action that was taken.
            state: the state it led to. May be left out where only one outcome is known or possible. Where the state is
                hidden: what was observed; the belief is updated by it.
            horizon: depths stay absolute; ``"receding"`` moves the horizon one step further, so that the search looks
                as far ahead as before. The trials kept were made without that step: undiscounted, their returns lack
                its reward, which new trials thin out (docs: differences). Where that matters, begin a new search.
        """
        if horizon not in ("absolute", "receding"):
            raise ParameterError(f"horizon={horizon!r}: must be 'absolute' or 'receding'")
        with self._alone():
            take_action(self.tree, action, state, receding=horizon == "receding")

    def advance_along(self, steps: Sequence[tuple[int, Any]]) -> None:
        """`advance` by several actions at once, each with the state that it led to; what is kept is copied only once.

        For games: an agent's own move and the other's answer, ``search.advance_along([(mine, a), (theirs, b)])``.
        """
        with self._alone():
            move_along(self.tree, steps)

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
        from .save import save_search

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
        from .save import load_search

        return load_search(cls, Path(path), problem, algorithm, evaluator)  # type: ignore[no-any-return]


def _warn_of_noise(problem: Problem, algorithm: Algorithm, evaluator: Any, growth: str | None) -> None:
    """Warn where the best of noisy values is backed up in a game."""
    if algorithm.state_value_row.maximal and evaluator == "rollout" and growth != "trial" and problem.has("player"):
        warn(
            f"{algorithm.name} backs up the value of the best action, and values of random rollouts are noisy, so the "
            "best of them is too high and games are played badly; take an algorithm that averages returns (ARBTS, "
            "ARDENTS, UCT), another evaluator, or none: bt.Search(problem) chooses by itself"
        )


def _warn_of_means(algorithm: Algorithm, evaluator: Any, growth: str | None) -> None:
    """Warn where what an evaluator says is soon outweighed by means of exploring trials."""
    explores = algorithm.state_value in ("mean", "power") and algorithm.search_distribution != "prior-ucb"
    if explores and evaluator != "rollout" and growth != "trial":
        warn(
            f"transpositions=True with {algorithm.name} and evaluator={shortened(evaluator)}: it averages returns, "
            "and trials that come to states known already go on to the horizon, exploring all the way, so "
            "values may fall far before they rise. Explore less (c=0.5), leave transpositions out, or take BTS, DENTS "
            "or bt.Search(problem), which back up the best value"
        )


def _runner_for(tree: Tree, threads: int, deterministic: bool, seed: np.random.SeedSequence) -> Runner:
    """The runner that suits a tree."""
    if threads > 1:
        from ..parallel.choose import runner_for

        return runner_for(tree, threads, deterministic, seed)
    if tree.in_common_batches:
        from ..batches.together import CommonBatches

        return CommonBatches(tree, tree.evaluator)
    if tree.batch > 1:
        from ..batches.batch_runner import BatchRunner

        return BatchRunner(tree)
    return OneThread(tree)
