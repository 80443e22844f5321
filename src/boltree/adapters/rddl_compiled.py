"""A planning problem in RDDL as functions that Numba compiles."""

from __future__ import annotations

import hashlib
import math
import types
from collections.abc import Iterable, Sequence
from typing import Any

import numba
import numpy as np

from ..core.jit import JIT_DISABLED
from ..core.native import plain_scratch
from ..core.random import new_generator, uniform
from ..problem import arithmetic, sampling
from ..problem.problem import Problem
from ..problem.record import record
from ..problem.state import PlainState
from .rddl_grounding import Grounder
from .rddl_observations import Observations, observed_levels
from .rddl_reasonable import reasonable, simpler_actions
from .rddl_source import Tables, Writer
from .rddl_terms import (
    DRAWS,
    FALSE,
    TRUE,
    Term,
    UncompiledError,
    conjunction,
    const,
    disjunction,
    interval,
    is_random,
    kids,
    negation,
    number,
    rebuilt,
    truth,
    walk,
)  # fmt: skip
from .rddl_world import told

FEW_OUTCOMES = 64
"""Outcomes are listed where no action can have more than this."""

FEW_SEEN, WALKS, WALK_STEPS = 16, 8, 25
"""They are also listed where no more than this are met on random walks; and how many walks, of how many steps."""

TYPES = {"b": "bool", "i": "int64", "f": "float64"}

LISTED = ("Bernoulli", "Discrete", "UnnormDiscrete")
"""The distributions whose outcomes can be listed."""

HEAD = """\
import numpy as np

from boltree.core.native import scratch
from boltree.problem import arithmetic, sampling
from boltree.problem.random import uniform

BOOLEANS, WHOLES, REALS = np.dtype("u1"), np.dtype("i8"), np.dtype("f8")
MOST = 1_000_000
"""

KINDS = {"b": "u1", "e": "u1", "i": "i8", "f": "f8"}


class Grounded:
    """All terms of an instance, and its actions as numbers.

    Args:
        world: pyRDDLGym's simulator and the list of actions.
        every_action: whether actions stay legal where a simpler one does the same.
    """

    def __init__(self, world: Any, every_action: bool = False) -> None:
        sampler = world.sampler
        model = sampler.rddl
        self.grounder = grounder = Grounder(model, sampler.init_values)
        self.sizes = grounder.sizes
        levels, observed = observed_levels(sampler)
        self.levels = [[cell for name in names for cell in grounder.cells(name)] for names in levels]
        self.observations = Observations([cell for name in observed for cell in grounder.cells(name)], self.sizes)
        self.levels.append(self.observations.carried)
        self.reward = number(grounder.closed(model.reward, "reward"))
        self.ends = disjunction(
            [truth(grounder.closed(one, "termination")) for one in model.terminations]
            + [negation(truth(grounder.closed(one, "invariant"))) for one in model.invariants]
        )
        self.needs = conjunction([truth(grounder.closed(one, "precondition")) for one in model.preconditions])
        for term, where in ((self.needs, "preconditions"), (self.ends, "terminations and invariants")):
            for leaf in walk(term):
                if leaf[0] in ("fluent", "at") and leaf[2] in (
                    ("next", "interm") if where == "preconditions" else ("next", "action")
                ):
                    raise UncompiledError(f"a {leaf[2]} fluent in {where}")
            if is_random(term):
                raise UncompiledError(f"a draw in {where}")
        self.actions = self._actions(world.actions)
        self.legal = self._legal()
        if not every_action:
            self.legal = self._reasonable()
        keep = [action for action, legal in enumerate(self.legal) if legal != FALSE]
        world.keep_actions(keep)
        self.legal = [self.legal[action] for action in keep]
        self.actions = {store: table[keep] for store, table in self.actions.items()}
        self.start = {store: self._start(sampler, store) for store in "beif" if self.sizes.get(("state", store))}
        for level in self.levels:
            _refuse_observed(level)
        _refuse_observed([(self.reward, self.reward), (self.needs, self.ends)])

    def _start(self, sampler: Any, store: str) -> Any:
        """The values of the fluents in the first state; of observations that it carries, zeros."""
        names = [name for name in sampler.rddl.state_fluents if self.grounder.places[name].store == store]
        values = [np.ravel(sampler.init_values[name]) for name in names]
        there = sum(one.size for one in values)
        kind = values[0].dtype if values else {"b": bool, "f": float}.get(store, int)
        return np.concatenate([*values, np.zeros(self.sizes["state", store] - there, kind)])

    def _actions(self, listed: list[dict[str, Any]]) -> dict[str, Any]:
        """The values of action-fluents in each action, by store: [action, slot]."""
        places = [(name, place) for name, place in self.grounder.places.items() if place.place == "action"]
        return {
            store: np.array([
                np.concatenate([np.ravel(action[name]) for name, place in places if place.store == store])
                for action in listed
            ])
            for store in {place.store for _, place in places}
        }  # fmt: skip

    def with_action(self, term: Term, action: int) -> Term:
        """A term in which the action is known."""
        return rebuilt(
            term, lambda leaf: const(self.actions[leaf[3]][action, leaf[4]].item()) if _is_action(leaf) else leaf
        )

    def by_action(self, terms: Sequence[Term]) -> tuple[list[Term], list[dict[int, Term]]]:
        """Terms where the action is the first one; and of every action those that are other then, by number."""
        first = [self.with_action(term, 0) for term in terms]
        mentioning: dict[tuple[str, int], set[int]] = {}
        for place, term in enumerate(terms):
            for leaf in walk(term):
                if _is_action(leaf):
                    mentioning.setdefault(leaf[3:5], set()).add(place)
        found = []
        for action in range(len(next(iter(self.actions.values())))):
            numbers: set[int] = set()
            for store, table in self.actions.items():
                for slot in np.flatnonzero(table[action] != table[0]).tolist():
                    numbers |= mentioning.get((store, slot), set())
            found.append({place: self.with_action(terms[place], action) for place in sorted(numbers)})
        return first, found

    def _legal(self) -> list[Term]:
        """When each action is legal."""
        first, changed = self.by_action(kids(self.needs) if self.needs[0] == "and" else (self.needs,))
        same = conjunction(first)
        return [
            conjunction([other.get(k, term) for k, term in enumerate(first)]) if other else same for other in changed
        ]

    def _reasonable(self) -> list[Term]:
        """When each action is legal, and no simpler one does the same."""
        cells = [*(cell for level in self.levels for cell in level), *self.observations.cells]
        first, changed = self.by_action([term for _, term in cells])
        rewards = [self.with_action(self.reward, action) for action in range(len(changed))]
        return reasonable(self.legal, simpler_actions(self.actions), first, changed, rewards)

    def is_random(self) -> bool:
        """Whether anything is drawn."""
        return any(is_random(term) for level in self.levels for _, term in level) or is_random(self.reward)

    def rewards(self) -> tuple[float, float] | None:
        """The least and the most that a step can pay, a little wider for rounding; None if they are not known."""
        first, changed = self.by_action(kids(self.reward) if self.reward[0] == "sum" else (self.reward,))
        bounds = [interval(term) for term in first]
        base = [sum(pair) for pair in zip(*bounds, strict=True)]
        low, high = base
        for other in changed:
            least, most = base
            for place, term in other.items():
                new, old = interval(term), bounds[place]
                least, most = least + new[0] - old[0], most + new[1] - old[1]
            low, high = min(low, least), max(high, most)
        slack = 1e-9 * max(1.0, abs(low), abs(high))
        return (low - slack, high + slack) if math.isfinite(slack) else None

    def most_outcomes(self) -> float:
        """How many outcomes an action can have; infinite where they cannot be listed."""
        terms = [term for level in self.levels for _, term in level if is_random(term)]
        terms += [self.reward] if is_random(self.reward) else []
        first, changed = self.by_action(terms)
        counts = [_outcomes(term) for term in first]
        base = math.prod(counts)
        found = base
        for other in changed:
            factor = math.prod(_outcomes(term) / counts[place] for place, term in other.items())
            found = max(found, base * factor)
        return math.inf if math.isnan(found) else found


def _refuse_observed(cells: Sequence[tuple[Term, Term]]) -> None:
    for pair in cells:
        for leaf in (leaf for term in pair for leaf in walk(term)):
            if leaf[0] in ("fluent", "at") and leaf[2] == "observ":
                raise UncompiledError("an observ-fluent that decides what happens")


def _is_action(leaf: Term) -> bool:
    return bool(leaf[0] == "fluent" and leaf[2] == "action")


def following(term: Term) -> Term:
    """A term about the state that follows."""
    if term[0] == "fluent":
        return (*term[:2], "next", *term[3:]) if term[2] == "state" else term
    parts = tuple(map(following, kids(term)))
    if term[0] == "at":
        return (*term[:2], "next" if term[2] == "state" else term[2], *term[3:5], *parts)
    return (*term[: len(term) - len(parts)], *parts)


def _outcomes(term: Term) -> float:
    """An upper bound of the ways in which the draws of a term may come out."""
    name = term[0]
    if name == "if":
        return _outcomes(term[2]) * max(_outcomes(term[3]), _outcomes(term[4]))
    found = 1.0
    for kid in kids(term):
        found *= _outcomes(kid)
    if name in LISTED:
        return found * (2.0 if name == "Bernoulli" else len(kids(term)))
    return float("inf") if name in DRAWS else found


class Source:
    """The source of a problem's functions, and the tables that they look things up in."""

    def __init__(self, grounded: Grounded, listing: bool) -> None:
        self.grounded, self.tables = grounded, Tables()
        self.single, self.action_tables = self._actions()
        parts = [HEAD, self._start(), self._step(False)]
        self.has_legal = any(term != TRUE for term in grounded.legal)
        if self.has_legal:
            parts.append(self._legal())
        if listing:
            parts += [self._step(True), COUNT, LIST]
        if grounded.observations.stores:
            parts += self._observe()
        self.text = "\n\n".join(parts)

    def _actions(self) -> tuple[list[int] | None, dict[str, tuple[str, int, int]]]:
        found = {}
        single = None
        for store, values in self.grounded.actions.items():
            if store == "b":
                setting = [np.flatnonzero(column != values[0, k]) for k, column in enumerate(values.T)]
                if not values[0].any() and all(one.size == 1 for one in setting):
                    single = [int(one[0]) for one in setting]
                    continue
            name = {"b": "places", "i": "wholes", "f": "reals"}[store]
            found[store] = (name, values.shape[1], self.tables.put(name, values.ravel().tolist()))
        return single, found

    def _writer(self, listing: bool = False) -> Writer:
        return Writer(self.tables, self.single, self.action_tables, listing=listing)

    def _function(self, heading: str, writer: Writer, **records: str) -> str:
        """A function: what its body uses is named first. The `records` are those it is given besides the state."""
        first = []
        for name in ("places", "wholes", "reals"):
            if name in writer.used:
                first.append(f"{name} = params.{name}")
        for (place, store), size in sorted(self.grounded.sizes.items()):
            for one in (place, "next") if place == "state" else (place,):
                name = f"{one}_{store}"
                if name in writer.used:
                    given = {"state": "state", **records}.get(one)
                    first.append(f"{name} = {given}.{store}" if given else f"{name} = scratch({size}, {_stack(store)})")
        first += [f"{name} = scratch({size}, {kind})" for name, (size, kind) in writer.scratches.items()]
        return "\n".join([heading, *("    " + line for line in first), *writer.lines])

    def _start(self) -> str:
        writer = self._writer()
        for store, values in self.grounded.start.items():
            table = {"b": "places", "e": "places", "i": "wholes", "f": "reals"}[store]
            writer.used |= {table, f"state_{store}"}
            first = self.tables.put(table, (values.astype(float) if store == "f" else values.astype(int)).tolist())
            writer.line(f"for k in range({values.size}):")
            writer.line(f"    state_{store}[k] = {table}[{first} + k]")
        return self._function("def start(params, state, rng):", writer)

    def _step(self, listing: bool) -> str:
        writer = self._writer(listing)
        grounded = self.grounded
        for level in grounded.levels:
            writer.cells(level)
        writer.line(f"reward = {writer.term(grounded.reward)}")
        writer.line(f"done = {writer.term(following(grounded.ends))}")
        if listing:
            writer.line("if script[2] != 0:")
            writer.depth += 1
        for (place, store), size in sorted(grounded.sizes.items()):
            if place == "state":
                writer.used |= {f"state_{store}", f"next_{store}"}
                writer.line(f"for k in range({size}):")
                writer.line(f"    state_{store}[k] = next_{store}[k]")
        writer.depth = 1
        writer.line("return float(reward), done")
        name = "listed(params, state, action, script, weight)" if listing else "step(params, state, action, rng)"
        return self._function(f"def {name}:", writer)

    def _observe(self) -> list[str]:
        """What is observed, and how probable that was, if it can be said."""
        writer, observations = self._writer(), self.grounded.observations
        writer.cells(observations.cells)
        heading = "def observe(params, state, action, next_state, rng, out):"
        found = [self._function(heading, writer, next="next_state", observ="out")]
        chance = observations.probability()
        if chance is not None:
            writer = self._writer()
            writer.line(f"return float({writer.term(chance)})")
            heading = "def observation_probability(params, observation, state, action, next_state):"
            found.append(self._function(heading, writer, next="next_state", observ="observation"))
        return found

    def _legal(self) -> str:
        writer = self._writer()
        writer.cells([(("fluent", "b", "mask", "", action), term) for action, term in enumerate(self.grounded.legal)])
        return self._function("def legal(params, state, mask):", writer)


COUNT = """\
def count_outcomes(params, state, action):
    script, weight = scratch(3, WHOLES), scratch(1, REALS)
    most, k = 1, 0
    while k < most:
        script[0], script[1], script[2], weight[0] = k, 1, 0, 1.0
        listed(params, state, action, script, weight)
        most = max(most, script[1])
        if most > MOST:
            raise ValueError("an action has more than a million outcomes")
        k += 1
    return most
"""

LIST = """\
def outcomes(params, state, action, k):
    script, weight = scratch(3, WHOLES), scratch(1, REALS)
    script[0], script[1], script[2], weight[0] = k, 1, 1, 1.0
    reward, done = listed(params, state, action, script, weight)
    return (weight[0] if script[0] == 0 else 0.0), reward, done
"""


def _stack(store: str) -> str:
    return {"b": "BOOLEANS", "e": "BOOLEANS", "i": "WHOLES", "f": "REALS"}[store]


FUNCTIONS = ("start", "step", "legal", "count_outcomes", "outcomes", "observe", "observation_probability")

Fluents = list[tuple[str, str, int, tuple[int, ...], str]]
"""Fluents, each with its store, its first slot, extents and type."""

_made: dict[str, Any] = {}


class RDDLInstance(Problem):
    """A planning problem in RDDL that is compiled; a state holds the fluents' values."""

    params = record(places="i4[:]", wholes="i8[:]", reals="f8[:]")
    name: str
    fluents: Fluents
    observed: Fluents
    remake: Any

    def show_state(self, state: Any) -> str:
        """The fluents' values."""
        return told(self.fluent_values(state))

    def fluent_values(self, state: Any) -> dict[str, Any]:
        """The fluents' values, by name."""
        return _values_in(self.as_state(state), self.fluents)

    def state_of(self, values: dict[str, Any]) -> Any:
        """The state in which fluents have these values."""
        state = self.new_state()
        _enter(state, self.fluents, values)
        return state[0]

    def observation_values(self, observation: Any) -> dict[str, Any]:
        """The observ-fluents' values, by name."""
        return _values_in(self.as_observation(observation), self.observed)

    def observation_of(self, values: dict[str, Any]) -> Any:
        """The observation in which observ-fluents have these values."""
        observation = np.zeros(1, self.observation_layout())
        _enter(observation, self.observed, values)
        return observation[0]

    def fingerprint(self) -> str:
        """A hash of the functions and tables."""
        return hashlib.sha256((super().fingerprint() + type(self).__module__).encode()).hexdigest()

    def __reduce__(self) -> Any:
        return self.remake

    def __repr__(self) -> str:
        return f"from_rddl({self.name})"


def _values_in(record: Any, fluents: Fluents) -> dict[str, Any]:
    found = {}
    for name, store, first, extents, kind in fluents:
        count = int(np.prod(extents, dtype=int))
        found[name] = np.asarray(record[store])[first : first + count].reshape(extents).astype(kind)
    return found


def _enter(record: Any, fluents: Fluents, values: dict[str, Any]) -> None:
    for name, store, first, extents, _ in fluents:
        count = int(np.prod(extents, dtype=int))
        record[store][0, first : first + count] = np.ravel(values[name])


def compiled_instance(
    name: str, world: Any, horizon: int, discount: float, remake: Any, every_action: bool = False
) -> RDDLInstance:
    """The instance as functions that are compiled; UncompiledError where something is not."""
    grounded = Grounded(world, every_action)
    random = grounded.is_random()
    most = grounded.most_outcomes() if random else 1.0
    listing = random and math.isfinite(most)
    problem = _instance(name, world, grounded, listing, (horizon, discount, remake))
    problem.deterministic = not random
    if listing and most > FEW_OUTCOMES and _outcomes_seen(problem) > FEW_SEEN:
        return _instance(name, world, grounded, False, (horizon, discount, remake))
    return problem


def _instance(name: str, world: Any, grounded: Grounded, listing: bool, rest: tuple[int, float, Any]) -> RDDLInstance:
    source = Source(grounded, listing)
    state = {store: f"{KINDS[store]}[{grounded.sizes['state', store]}]" for store in grounded.start}
    seen = {store: f"{KINDS[store]}[{size}]" for store, size in grounded.observations.stores.items()}
    digest = hashlib.sha256(repr((source.text, state, seen)).encode()).hexdigest()[:24]
    if digest not in _made:
        _made[digest] = _class(digest, source, state, seen)
    made = _made[digest]
    problem: RDDLInstance = made.__new__(made)
    model = world.sampler.rddl
    problem.name = name
    problem.fluents = _fluents(grounded, model.state_fluents)
    problem.observed = _fluents(grounded, model.observ_fluents)
    problem.action_names, problem.rewards = world.action_names, grounded.rewards()
    tables = source.tables
    horizon, discount, problem.remake = rest
    Problem.__init__(
        problem, places=np.array(tables.places or [0]), wholes=np.array(tables.wholes or [0]),
        reals=np.array(tables.reals or [0.0]), actions=len(grounded.legal), horizon=horizon, discount=discount,
    )  # fmt: skip
    return problem


def _fluents(grounded: Grounded, names: Iterable[str]) -> Fluents:
    places = [(name, grounded.grounder.places[name]) for name in names]
    return [(name, place.store, place.first, place.extents, TYPES[place.type]) for name, place in places]


def _outcomes_seen(problem: RDDLInstance) -> int:
    """The most outcomes of an action that were met on some random walks."""
    listed, rng, most = vars(type(problem))["outcomes"].__func__.__globals__["listed"], new_generator(0), 1
    for _ in range(WALKS):
        state = PlainState(np.array(problem.plain_start(rng)).reshape(1))
        for _ in range(min(problem.horizon, WALK_STEPS)):
            legal = problem.legal_actions(state)
            if not legal:
                break
            script, weight = np.array([0, 1, 0]), np.ones(1)
            action = legal[int(uniform(rng) * len(legal))]
            listed(problem.plain_params, state, action, script, weight)
            most = max(most, int(script[1]))
            if most > FEW_SEEN or problem.plain_step(state, action, rng)[1]:
                break
    return most


def _class(digest: str, source: Source, state: dict[str, str], seen: dict[str, str]) -> type:
    """A class with the functions of a source; Numba gets a copy of each, which calls copies."""
    plain = types.ModuleType(f"boltree.rddl_{digest}")
    fast = types.ModuleType(sampling.__name__)  # what is kept on disk belongs to a module that can be imported
    code = compile(source.text, f"<rddl {digest}>", "exec")
    exec(code, plain.__dict__)
    exec(code, fast.__dict__)
    plain.__dict__.update(scratch=plain_scratch, arithmetic=_in_python(arithmetic), sampling=_in_python(sampling))
    members: dict[str, Any] = {"state": record(**state), "__module__": plain.__name__, "source": source.text}
    if seen:
        members["observation"] = record(**seen)
    for name in (*FUNCTIONS, "listed"):
        function = plain.__dict__.get(name)
        if function is None:
            continue
        if not JIT_DISABLED:
            fast.__dict__[name].__qualname__ = f"rddl_{digest}.{name}"  # unique among what is kept
            made = numba.njit(
                _nrt=False, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True
            )(fast.__dict__[name])  # fmt: skip
            fast.__dict__[name] = function.compiled = made
        if name in FUNCTIONS:
            members[name] = staticmethod(function)
    return type("RDDL", (RDDLInstance,), members)


def _in_python(module: types.ModuleType) -> Any:
    """A module's functions without Numba."""
    return types.SimpleNamespace(**{name: getattr(one, "py_func", one) for name, one in vars(module).items()})
