"""Saved searches: one file of plain arrays and JSON, with a version and a checksum. Loading never runs code.

The file is a NumPy archive. ``meta`` is JSON: the version, the algorithm and the problem where they can be
written down, the limits. The other arrays are the memory of the search, byte for byte.
"""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from .. import problems
from ..algorithms.schedules import Auto, Decay, Spectrum
from ..algorithms.table import ALGORITHMS, MAX_BUDGET, Algorithm
from ..belief.soundness import are_observations
from ..core.memory.layout import EDGE, ENTROPY, HEADER, LINK, NODE, QUOTA, SCHEDULE, TABLE, TREE, UNIT
from ..core.memory.soundness import FAULTS, MOST, SOUND, find_fault, forget_orders
from ..errors import ParameterError, ProblemError
from ..parallel.threaded import Threaded
from ..problem.problem import Problem
from ..problem.python.problem import PythonProblem
from ..tree import Tree
from ..tree.hidden import belief_of, restore_belief
from .archive import read_archive, write_archive

VERSION = 5
SCRATCH = ("rng", "noise", "window")
BELIEF = ("particles", "weights", "generators", "few")
"""The arrays of a file besides, where the state is hidden."""


def save_search(search: Any, path: Path) -> None:
    """Write a search; the file appears whole or not at all."""
    if isinstance(search.problem, PythonProblem):
        raise ParameterError(
            f"{search.problem.display_name()}: its search cannot be saved, because its states are Python objects: a "
            "file that held them would run code when it is loaded; write the problem as a bt.Problem"
        )
    if path.is_dir():
        raise ParameterError(f"{path}: is a folder; give a file's name, such as {path / 'mine.search'}")
    if not path.parent.is_dir():
        raise ParameterError(f"{path}: there is no folder {path.parent}")
    tree = search.tree
    t, storage = tree.fields, tree.storage
    if storage.node(t.root).flights:
        raise ParameterError("save(): a batch of trials is on its way; save when run() has returned")
    if tree.estimates is not None:
        tree.estimates.resume()
    arrays: dict[str, Any] = {
        "tree": tree.record.view(np.uint8),
        **{name: memory.copy() for name, memory in storage.used().items()},
        "states": storage.arenas["states"].array[: int(t.node_count) * int(t.words) * 8],
        **{name: storage.scratch[name].view(np.uint8) for name in SCRATCH},
    }
    if tree.estimates is not None:
        tree.estimates.show()
    hidden = search.problem.hidden
    if hidden:
        arrays.update({name: array.ravel().view(np.uint8) for name, array in belief_of(tree).to_arrays().items()})
    meta = {
        "version": VERSION,
        "layout": layout_stamp(),
        "problem": type(search.problem).__name__,
        "fingerprint": search.problem.fingerprint(),
        "recipe": search.problem.recipe(),
        "algorithm": search.algorithm.name,
        "parameters": {k: schedule_to_json(v) for k, v in search.algorithm.parameters().items()},
        "own_functions": [
            k for k, v in search.algorithm.parameters().items() if callable(v) and schedule_to_json(v) is None
        ],
        "growth": search.growth,
        "threads": search.threads,
        "deterministic": search.deterministic,
        "transpositions": search.transpositions,
        "outcomes": search.outcomes,
        "proofs": search.proofs,
        "action_widening": [t.action_widening, t.action_power] if t.box_words else None,
        "may_turn": search.tree.may_turn,
        "widening": [t.widening, t.widening_power] if t.widening > 0.0 else False,
        "own_start": hidden and tree.belief is None,
        "evaluator": search.evaluator if isinstance(search.evaluator, (str, int, float)) else None,
        "max_nodes": tree.max_nodes,
        "max_bytes": tree.max_bytes if tree.is_limited else None,
        "on_full": search.on_full,
        "noise_state": tree.noise.bit_generator.state,
        "exact": None if tree.exact is None else tree.exact.progress(),
    }
    meta["checksum"] = checksum(meta, arrays)
    text = np.frombuffer(json.dumps(meta).encode(), np.uint8)
    write_archive(path, {"meta": text, **arrays})


def load_search(cls: Any, path: Path, problem: Problem | None, algorithm: Algorithm | None, evaluator: Any) -> Any:
    """Read a search back; every mistake in the file is a ParameterError."""
    meta, arrays = _read(path)
    own = problem is not None
    try:
        if problem is None:
            problem = _problem_from(path, meta)
        elif type(problem).__name__ != meta["problem"]:
            raise ParameterError(f"{path}: the search is of {meta['problem']}, not of {type(problem).__name__}")
        if problem.fingerprint() != meta["fingerprint"]:
            raise ParameterError(f"{path}: the search is of a {meta['problem']} with other parameters")
        if algorithm is None:
            algorithm = _algorithm_from(path, meta)
        elif algorithm.name != meta["algorithm"]:
            raise ParameterError(f"{path}: the search is by {meta['algorithm']}, not by {algorithm.name}")
        if evaluator is None:
            evaluator = meta["evaluator"]
        if evaluator is None:
            raise ParameterError(f"{path}: its evaluator is an object of your own; give evaluator=... again")
        search = cls(
            problem,
            algorithm,
            growth=meta["growth"],
            threads=meta["threads"],
            deterministic=meta["deterministic"],
            transpositions=meta["transpositions"],
            outcomes=meta["outcomes"],
            proofs=meta["proofs"],
            widening=meta["widening"],
            action_widening=meta["action_widening"],
            evaluator=evaluator,
            max_nodes=meta["max_nodes"],
            max_bytes=meta["max_bytes"],
            on_full=meta["on_full"],
        )
        search.tree.may_turn = bool(meta["may_turn"])
        search.tree.noise.bit_generator.state = meta["noise_state"]
        progress, own_start = meta["exact"], bool(meta["own_start"])
    except ParameterError as error:
        raise error if str(path) in str(error) else ParameterError(f"{path}: {error}") from error
    except (AttributeError, KeyError, MemoryError, OverflowError, TypeError, ValueError) as error:
        if own and isinstance(error, ProblemError):
            raise
        raise ParameterError(f"{path}: damaged: what it says of the search cannot be ({error!r})") from error
    _enter_tree(path, search, arrays)
    if problem.hidden:
        try:
            restore_belief(search.tree, arrays, own_start=own_start)
        except ParameterError as error:
            raise ParameterError(f"{path}: damaged: {error}") from None
    if progress is not None and search.tree.may_turn and search.tree.exact is None:
        from ..tree.exact_values import ExactValues

        search.tree.exact = ExactValues(search.tree)
    if search.tree.exact is not None:
        try:
            search.tree.exact.restore(progress)
        except (KeyError, MemoryError, OverflowError, TypeError, ValueError) as error:
            raise ParameterError(f"{path}: damaged: its exact values cannot be ({error!r})") from error
    return search


def _algorithm_from(path: Path, meta: dict[str, Any]) -> Algorithm:
    if meta["own_functions"]:
        raise ParameterError(
            f"{path}: {', '.join(meta['own_functions'])} of {meta['algorithm']} is a function of your own; "
            "give algorithm=... again"
        )
    values = {k: schedule_from_json(v) for k, v in meta["parameters"].items()}
    return ALGORITHMS[meta["algorithm"].lower()](**values)


def _enter_tree(path: Path, search: Any, arrays: dict[str, Any]) -> None:
    """Give a new search the tree of a file, if trials can have made it."""

    def expect(good: bool, what: str) -> None:
        if not good:
            raise ParameterError(f"{path}: damaged: {what} cannot be")

    expect(
        set(arrays) == {"tree", "nodes", "states", "blocks", *SCRATCH, *(BELIEF if search.problem.hidden else ())},
        "what it holds",
    )
    expect(arrays["tree"].size == TREE.itemsize, "its size")
    saved = arrays["tree"].view(TREE)[0]
    tree: Tree = search.tree
    t = tree.fields
    if isinstance(search.runner, Threaded):
        expect(int(saved["compact"]) in (0, 1), "compact")
        search.runner.resume(int(saved["compact"]))
    for field in _SHAPE:
        if saved[field] != t[field]:
            raise ParameterError(f"{path}: {field} is {saved[field]} in the file, but {t[field]} for what was given")
    count, units = int(saved["node_count"]), int(saved["unit_count"])
    sizes = {"nodes": count * NODE.itemsize, "states": count * int(t.words) * 8, "blocks": units * UNIT}
    for name, size in sizes.items():
        expect(arrays[name].size == size, f"the size of its {name}")
    expect(count >= 1 and int(saved["root"]) == 0, "its root")
    root = arrays["nodes"].view(NODE)[0]
    depth, visits = int(root["depth"]), int(root["visits"])
    least, most = tree.problem.horizon, tree.problem.horizon + max(depth, 0)
    expect(depth >= 0 and least <= int(saved["horizon"]) <= most and int(root["parent"]) == -1, "its root's depth")
    expect(0 <= visits <= int(saved["trials"]) < MOST and int(saved["visits_made"]) >= 0, "its count of trials")
    expect(int(saved["recyclings"]) >= 0, "how often it was recycled")
    expect(0 <= int(saved["budget"]) <= MAX_BUDGET and int(saved["index_wanted"]) in (0, 1), "its budget")
    low, high = float(saved["lowest"]), float(saved["highest"])
    expect((low, high) == (math.inf, -math.inf) or -math.inf < low <= high < math.inf, "the range of returns")
    moved = ("alpha_scale", "beta_scale", "c", "q_init", "q_init_second") if t.adaptive or t.automatic else ()
    expect(all(math.isfinite(float(saved[field])) for field in moved), "a temperature")
    for field in (*_PROGRESS, *moved):
        t[field] = saved[field]
    storage = tree.storage = tree.new_storage(tree.record, max(int(t.horizon) - depth, 0))
    for name in SCRATCH:
        expect(arrays[name].size == storage.scratch[name].nbytes, f"the size of its {name}")
        storage.scratch[name].view(np.uint8)[:] = arrays[name]
    expect(bool(storage.scratch["rng"].any()), "its random numbers")
    noise = storage.scratch["noise"]
    expect(bool((np.isfinite(noise) & (noise >= 0.0)).all()), "its noise")
    expect(0 <= int(t.window_count) <= (int(t.window_size) if t.adaptive else 0), "its window")
    if not storage.grow(count + 1, units + 1):
        raise ParameterError(f"{path}: the tree does not fit max_bytes={tree.max_bytes}")
    for name in sizes:
        storage.arenas[name].array[: arrays[name].size] = arrays[name]
    fault = find_fault(tree.record, np.zeros(count, np.uint8), np.zeros(units, np.uint8))
    expect(fault == SOUND, f"the {FAULTS[fault]} of node {int(t.error_node)}")
    forget_orders(tree.record)
    if tree.problem.hidden:
        expect(are_observations(tree.problem, storage.states[:count]), "an observation")
    else:
        expect(tree.problem.are_sound(storage.states[:count].view(tree.problem.state_layout()).ravel()), "a state")
    if tree.estimates is not None:
        tree.estimates.show()


_SHAPE = (
    "actions",
    "words",
    "box_words",
    "distribution",
    "state_value",
    "entropy_bonus",
    "has_prior",
    "has_header",
    "extra_words",
    "alias_from",
    "ahead_from",
    "ranked_from",
    "relative",
    "compact",
    "growth",
    "transpositions",
    "known",
    "proofs",
)
"""What must be the same for the memory of a tree to mean the same."""

_PROGRESS = (
    "seed",
    "root",
    "trials",
    "node_count",
    "unit_count",
    "horizon",
    "lowest",
    "highest",
    "window_count",
    "budget",
    "index_wanted",
    "visits_made",
    "next_sweep",
    "listed",
    "recyclings",
)
"""What a run changes; all else follows from the problem and the algorithm."""


def schedule_to_json(value: Any) -> Any:
    """A parameter as JSON can hold it; None marks a user's function, which cannot be written down."""
    if isinstance(value, Decay):
        return {"decay": value.kind, "x": float(value.x)}
    if isinstance(value, Spectrum):
        return {"low": float(value.low), "high": float(value.high)}
    if isinstance(value, Auto):
        return {"auto": value.kind, "x": value.x, "high": value.high}
    if callable(value):
        return None
    return value.item() if isinstance(value, np.generic) else value


def schedule_from_json(value: Any) -> Any:
    """The inverse of `schedule_to_json`."""
    if isinstance(value, dict) and "low" in value:
        return Spectrum(float(value["low"]), float(value["high"]))
    if isinstance(value, dict) and "auto" in value:
        return Auto(str(value["auto"]), float(value["x"]), float(value["high"]))
    if isinstance(value, dict):
        return Decay(str(value["decay"]), float(value["x"]))
    return value


def _read(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    arrays = read_archive(path)
    try:
        meta = json.loads(arrays.pop("meta").tobytes().decode())
    except (KeyError, ValueError, RecursionError) as error:
        raise ParameterError(f"{path}: not a saved search, or damaged ({error})") from None
    if not isinstance(meta, dict) or meta.get("version") != VERSION:
        found = meta.get("version") if isinstance(meta, dict) else None
        raise ParameterError(f"{path}: file version {found!r}, this Boltree reads version {VERSION}")
    if meta.get("layout") != layout_stamp():
        raise ParameterError(f"{path}: written by a Boltree whose tree is laid out differently")
    if meta.get("checksum") != checksum(meta, arrays):
        raise ParameterError(f"{path}: damaged: its checksum does not match")
    return meta, arrays


def _problem_from(path: Path, meta: dict[str, Any]) -> Problem:
    if meta["problem"] not in problems.__all__ or meta["recipe"] is None:  # nothing else is called, whatever its name
        raise ParameterError(f"{path}: its problem {meta['problem']} is code of your own; give problem=... again")
    return getattr(problems, meta["problem"])(**meta["recipe"])  # type: ignore[no-any-return]


def layout_stamp() -> str:
    """A hash of the records' layout: files are valid only for the same one."""
    return hashlib.sha256(
        repr([d.descr for d in (TREE, NODE, EDGE, LINK, HEADER, SCHEDULE, ENTROPY, QUOTA, TABLE)]).encode()
    ).hexdigest()[:16]


def checksum(meta: dict[str, Any], arrays: dict[str, Any]) -> str:
    """A hash of all that a file holds, except this hash."""
    told = {key: value for key, value in meta.items() if key != "checksum"}
    digest = hashlib.sha256(json.dumps(told, sort_keys=True).encode())
    for name in sorted(arrays):
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(arrays[name]).data)
    return digest.hexdigest()
