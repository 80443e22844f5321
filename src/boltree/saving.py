"""Saved searches: one file of plain arrays and JSON, with a version and a checksum. Loading never runs code.

The file is a NumPy archive. ``meta`` is JSON: the version, the algorithm and the problem where they can be
written down, the limits. The other arrays are the memory of the search, byte for byte.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from . import problems
from .algorithms import ALGORITHMS, Algorithm
from .core.records import EDGE, ENTROPY, HEADER, NODE, QUOTA, SCHEDULE, TABLE, TREE, UNIT
from .errors import ParameterError
from .problem import Problem
from .python_problem import PythonProblem
from .schedules import Decay
from .threads import resume

VERSION = 2
SCRATCH = ("rng", "noise", "window")


def save_search(search: Any, path: Path) -> None:
    """Write a search; the file appears whole or not at all."""
    if isinstance(search.problem, PythonProblem):
        raise ParameterError(
            f"{type(search.problem).__name__}: its search cannot be saved, because its states are Python objects"
        )
    t, storage = search._tree, search._storage
    if storage.nodes[int(t.root)].flights:
        raise ParameterError("save(): a batch of trials is on its way; save when run() has returned")
    arrays: dict[str, Any] = {
        "tree": search._handle.view(np.ndarray).view(np.uint8),
        "nodes": storage.arenas["nodes"].array[: int(t.node_count) * NODE.itemsize],
        "states": storage.arenas["states"].array[: int(t.node_count) * int(t.words) * 8],
        "blocks": storage.arenas["blocks"].array[: int(t.unit_count) * UNIT],
        **{name: storage.scratch[name].view(np.uint8) for name in SCRATCH},
    }
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
        "evaluator": search.evaluator if isinstance(search.evaluator, (str, int, float)) else None,
        "max_nodes": search._max_nodes,
        "max_bytes": search._max_bytes if search._limited else None,
        "on_full": search.on_full,
        "noise_state": search._noise.bit_generator.state,
        "checksum": checksum(arrays),
    }
    text = np.frombuffer(json.dumps(meta).encode(), np.uint8)
    temporary = path.with_name(path.name + ".part")
    try:
        with open(temporary, "wb") as file:
            np.savez(file, meta=text, **arrays)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def load_search(cls: Any, path: Path, problem: Problem | None, algorithm: Algorithm | None, evaluator: Any) -> Any:
    """Read a search back; every mistake in the file is a ParameterError."""
    meta, arrays = _read(path)
    if problem is None:
        problem = _problem_from(path, meta)
    elif type(problem).__name__ != meta["problem"]:
        raise ParameterError(f"{path}: the search is of {meta['problem']}, not of {type(problem).__name__}")
    if problem.fingerprint() != meta["fingerprint"]:
        raise ParameterError(f"{path}: the search is of a {meta['problem']} with other parameters")
    if algorithm is None:
        if meta["own_functions"]:
            raise ParameterError(
                f"{path}: {', '.join(meta['own_functions'])} of {meta['algorithm']} is a function of your own; "
                "give algorithm=... again"
            )
        values = {k: schedule_from_json(v) for k, v in meta["parameters"].items()}
        algorithm = ALGORITHMS[meta["algorithm"].lower()](**values)
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
        evaluator=evaluator,
        max_nodes=meta["max_nodes"],
        max_bytes=meta["max_bytes"],
        on_full=meta["on_full"],
    )
    saved = arrays["tree"].view(TREE)[0]
    t = search._tree
    if search.threads > 1:
        resume(search, int(saved["compact"]))
    for field in _SHAPE:
        if saved[field] != t[field]:
            raise ParameterError(f"{path}: {field} is {saved[field]} in the file, but {t[field]} for what was given")
    moved = ("alpha_scale", "beta_scale", "q_init", "q_init_second") if t.adaptive or t.automatic else ()
    for field in (*_PROGRESS, *moved):
        t[field] = saved[field]
    depth = int(arrays["nodes"].view(NODE)["depth"][int(t.root)])
    storage = search._storage = search._new_storage(search._handle, max(int(t.horizon) - depth, 0))
    if not storage.grow(int(t.node_count) + 1, int(t.unit_count) + 1):
        raise ParameterError(f"{path}: the tree does not fit max_bytes={search._max_bytes}")
    for name in ("nodes", "states", "blocks"):
        storage.arenas[name].array[: arrays[name].size] = arrays[name]
    for name in SCRATCH:
        storage.scratch[name].view(np.uint8)[:] = arrays[name]
    search._noise.bit_generator.state = meta["noise_state"]
    return search


_SHAPE = (
    "actions",
    "words",
    "distribution",
    "state_value",
    "entropy_bonus",
    "has_prior",
    "has_header",
    "extra_words",
    "alias_from",
    "relative",
    "compact",
    "growth",
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
    "recyclings",
)
"""What a run changes; all else follows from the problem and the algorithm."""


def schedule_to_json(value: Any) -> Any:
    """A parameter as JSON can hold it; None marks a user's function, which cannot be written down."""
    if isinstance(value, Decay):
        return {"decay": value.kind, "x": float(value.x)}
    if callable(value):
        return None
    return value.item() if isinstance(value, np.generic) else value


def schedule_from_json(value: Any) -> Any:
    """The inverse of `schedule_to_json`."""
    if isinstance(value, dict):
        return Decay(str(value["decay"]), float(value["x"]))
    return value


def _read(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: np.array(archive[name]) for name in archive.files}
        meta = json.loads(arrays.pop("meta").tobytes().decode())
    except FileNotFoundError:
        raise ParameterError(f"{path}: there is no such file") from None
    except (OSError, ValueError, KeyError, zipfile.BadZipFile, EOFError) as error:
        raise ParameterError(f"{path}: not a saved search, or damaged ({error})") from None
    if not isinstance(meta, dict) or meta.get("version") != VERSION:
        found = meta.get("version") if isinstance(meta, dict) else None
        raise ParameterError(f"{path}: file version {found!r}, this Boltree reads version {VERSION}")
    if meta.get("layout") != layout_stamp():
        raise ParameterError(f"{path}: written by a Boltree whose tree is laid out differently")
    if set(arrays) != {"tree", "nodes", "states", "blocks", *SCRATCH} or meta.get("checksum") != checksum(arrays):
        raise ParameterError(f"{path}: damaged: its checksum does not match")
    return meta, arrays


def _problem_from(path: Path, meta: dict[str, Any]) -> Problem:
    kind = getattr(problems, meta["problem"], None)
    if kind is None or meta["recipe"] is None:
        raise ParameterError(f"{path}: its problem {meta['problem']} is code of your own; give problem=... again")
    return kind(**meta["recipe"])  # type: ignore[no-any-return]


def layout_stamp() -> str:
    """A hash of the records' layout: files are valid only for the same one."""
    return hashlib.sha256(
        repr([d.descr for d in (TREE, NODE, EDGE, HEADER, SCHEDULE, ENTROPY, QUOTA, TABLE)]).encode()
    ).hexdigest()[:16]


def checksum(arrays: dict[str, Any]) -> str:
    """A hash of all arrays of a file."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(arrays[name]).data)
    return digest.hexdigest()
