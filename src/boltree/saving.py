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
from .algorithms import ALGORITHMS, Algorithm, schedule_from_json, schedule_to_json
from .core.records import NODE, TREE, UNIT
from .errors import ParameterError
from .problem import Problem

VERSION = 1
SCRATCH = ("rng", "noise", "window")


def save_search(search: Any, path: Path) -> None:
    """Write a search; the file appears whole or not at all."""
    t, storage = search._tree, search._storage
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
        "recipe": search.problem.recipe(),
        "algorithm": search.algorithm.name,
        "parameters": {k: schedule_to_json(v) for k, v in search.algorithm.parameters().items()},
        "own_functions": [
            k for k, v in search.algorithm.parameters().items() if callable(v) and schedule_to_json(v) is None
        ],
        "growth": search.growth,
        "evaluator": search.evaluator if isinstance(search.evaluator, (str, int, float)) else None,
        "max_nodes": search._max_nodes,
        "max_bytes": search._max_bytes,
        "noise_state": repr(search._noise.bit_generator.state),
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
        evaluator=evaluator,
        max_nodes=meta["max_nodes"],
        max_bytes=meta["max_bytes"],
    )
    saved = arrays["tree"].view(TREE)[0]
    t = search._tree
    for field in (
        "actions",
        "words",
        "distribution",
        "state_value",
        "entropy_bonus",
        "has_prior",
        "has_header",
        "extra_words",
    ):
        if saved[field] != t[field]:
            raise ParameterError(
                f"{path}: {field} is {saved[field]} in the file, but {t[field]} for this problem and algorithm"
            )
    addresses = {name: t[name] for name in _ADDRESSES}
    search._handle[0] = saved
    for name, value in addresses.items():
        t[name] = value
    storage = search._storage = search._new_storage(search._handle, int(t.horizon))
    needed = {"nodes": arrays["nodes"], "states": arrays["states"], "blocks": arrays["blocks"]}
    while any(storage.arenas[name].size < array.size for name, array in needed.items()):
        if not storage.grow():
            raise ParameterError(f"{path}: the tree does not fit max_bytes={search._max_bytes}")
    for name, array in needed.items():
        storage.arenas[name].array[: array.size] = array
    for name in SCRATCH:
        storage.scratch[name].view(np.uint8)[:] = arrays[name]
    return search


_ADDRESSES = (
    "step",
    "legal",
    "player",
    "rollout",
    "prior",
    "heuristic",
    "params_at",
    "alpha_function",
    "beta_function",
    "max_bytes",
)


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
    return hashlib.sha256(repr((TREE.descr, NODE.descr)).encode()).hexdigest()[:16]


def checksum(arrays: dict[str, Any]) -> str:
    """A hash of all arrays of a file."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(arrays[name]).tobytes())
    return digest.hexdigest()
