"""Saved searches: damaged ones are refused, doctored ones are refused or can be run; nothing in a file is ever run."""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

import boltree as bt
from boltree.core.memory.layout import EDGE, ENTROPY, HEADER, LINK, NODE, QUOTA, SCHEDULE, TABLE, TREE
from boltree.search.archive import read_archive, write_archive
from boltree.search.save import BELIEF, checksum
from fuzzing import fuzz, in_batches
from mdps import random_mdp
from test_fast_paths import same_tree

HOSTILE = [-(2**63), -(2**31), -2, -1, 0, 1, 2, 3, 16, 17, 255, 65534, 65535, 2**31 - 1, 2**40, 2**62, 2**63 - 1]
REALS = [0.0, -1.0, 0.5, 2.0, 1e308, -1e308, 5e-324, float("inf"), float("-inf"), float("nan")]
LAYOUTS = {"tree": [TREE], "nodes": [NODE], "blocks": [EDGE, HEADER, SCHEDULE, ENTROPY, QUOTA, TABLE, LINK]}


def bank() -> dict[str, bt.Search]:
    """Searches whose trees hold every kind of record."""
    chance, game = random_mdp(3, horizon=5).problem(), bt.problems.TicTacToe()
    round_trip = random_mdp(3, horizon=9, discount=0.9).problem()
    made = {
        "tables": bt.Search(bt.problems.SyntheticTree(9, 3, seed=1), bt.DENTS(alpha=0.3, alias=True), seed=0),
        "chance": bt.Search(chance, bt.UCT(c=1.0), seed=0, growth="trial"),
        "game": bt.Search(game, bt.PUCT(noise=0.3), seed=0),
        "halving": bt.Search(chance, bt.HMCTS(budget=400), seed=0),
        "windows": bt.Search(chance, bt.ANTS(), seed=0),
        "relative": bt.Search(game, bt.RENTS(), seed=0),
        "go": bt.Search(bt.problems.Go(3, 0.5), bt.UCT(c=1.0), seed=0),
        "threads": bt.Search(chance, bt.BTS(), seed=0, threads=2),
        "shared": bt.Search(chance, bt.DENTS(alpha=0.3), seed=0, transpositions=True),
        "circles": bt.Search(round_trip, bt.BTS(), seed=0, transpositions="state"),
        "recycled": bt.Search(chance, bt.DENTS(), seed=0, max_nodes=60, on_full="recycle"),
        "long": bt.Search(bt.problems.Sailing(5), bt.BTS(), seed=0, max_bytes=10**9),
        "hidden": bt.Search(bt.problems.Tiger(), bt.BTS(), seed=0, belief=bt.Belief(bt.problems.Tiger(), 50, seed=0)),
    }
    for search in made.values():
        search.run(trials=150)
    made["recycled"].run(trials=1_000)
    assert made["recycled"].recyclings > 0
    made["hidden"].advance(0, 1)
    made["hidden"].run(trials=50)
    child = max(made["windows"].children[0], key=lambda one: one.count * (not one.terminal))
    made["windows"].advance(0, child.state, horizon="receding")
    made["windows"].run(trials=50)
    return made


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[bt.Search, Path]]:
    folder = tmp_path_factory.mktemp("saved")
    found = {name: (search, folder / name) for name, search in bank().items()}
    for search, path in found.values():
        search.save(path)
    return found


def meta_of(arrays: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(arrays["meta"].tobytes())
    return found


def sealed(path: Path, meta: Any, arrays: dict[str, Any]) -> None:
    """Write a file with a right checksum."""
    others = {name: array for name, array in arrays.items() if name != "meta"}
    if isinstance(meta, dict):
        meta = meta | {"checksum": checksum(meta, others)}
    write_archive(path, {"meta": np.frombuffer(json.dumps(meta).encode(), np.uint8), **others})


def try_out(path: Path, original: bt.Search | None = None) -> bool:
    """Load a file: it is refused in our words, or it is the original search, or it can at least be run."""
    try:
        search = bt.Search.load(path)
    except bt.ParameterError as error:
        assert str(path) in str(error)  # noqa: PT017
        return False
    if original is not None:
        assert same_tree(search, original)
        return True
    try:
        search.run(trials=40)
        search.recommend()
        search.save(path)
    except (bt.ProblemError, bt.ParameterError, IndexError, ValueError, ZeroDivisionError, KeyError, OverflowError):
        pass  # the problem itself does not know such a state
    return True


@in_batches(50)
def test_damaged_bytes(saved, tmp_path, batches):
    """Bytes changed, lost or put in anywhere: refused, or what was saved (some bytes of the format mean nothing)."""
    path = tmp_path / "damaged"

    def check(data):
        search, good = saved[data.draw(st.sampled_from(sorted(saved)))]
        content = bytearray(good.read_bytes())
        for _ in range(data.draw(st.integers(1, 3))):
            place = data.draw(st.integers(0, len(content) - 1))
            place = place if data.draw(st.booleans()) else max(0, len(content) - 1 - place % 1000)  # the zip's own list
            kind = data.draw(st.sampled_from(["flip", "cut", "end", "insert"]))
            if kind == "flip":
                content[place] ^= 1 << data.draw(st.integers(0, 7))
            elif kind == "cut":
                del content[place : place + data.draw(st.integers(1, 100))]
            elif kind == "end":
                del content[place:]
            else:
                content[place:place] = data.draw(st.binary(min_size=1, max_size=20))
            if not content:
                break
        path.write_bytes(bytes(content))
        try_out(path, search)

    fuzz(check, st.data(), batches)


@in_batches(40)
def test_doctored_arrays(saved, tmp_path, batches):
    """Numbers changed under a right checksum: refused, or a tree that trials run on."""
    path, seen = tmp_path / "doctored", {True: 0, False: 0}

    def check(data):
        _, good = saved[data.draw(st.sampled_from(sorted(saved)))]
        arrays = {name: array.copy() for name, array in read_archive(good).items()}
        for _ in range(data.draw(st.integers(1, 2))):
            names = ["nodes", "nodes", "blocks", "blocks", "tree", "states", "rng", "window", *BELIEF]
            name = data.draw(st.sampled_from([name for name in names if name in arrays]))
            array = arrays[name]
            if name in LAYOUTS and array.size:
                layout = data.draw(st.sampled_from(LAYOUTS[name]))
                whole = array[: array.size - array.size % layout.itemsize].view(layout)
                field = data.draw(st.sampled_from(layout.names))
                row = data.draw(st.integers(0, whole.size - 1))
                put(whole, row, field, data)
            elif array.size:
                words = array[: array.size - array.size % 8].view(np.int64)
                if words.size:
                    words[data.draw(st.integers(0, words.size - 1))] = data.draw(st.sampled_from(HOSTILE))
        sealed(path, meta_of(arrays), arrays)
        seen[try_out(path)] += 1

    fuzz(check, st.data(), batches)
    assert min(seen.values()) > 10  # some changes are harmless, most are not


def put(records: Any, row: int, field: str, data: Any) -> None:
    """Write a hostile number into a field."""
    if records.dtype[field].kind == "f":
        records[field][row] = data.draw(st.sampled_from(REALS))
        return
    small = data.draw(st.one_of(st.sampled_from(HOSTILE), st.integers(-3, 400)))
    size = 8 * records.dtype[field].itemsize
    number = small & (2**size - 1)
    if records.dtype[field].kind == "i" and number >= 2 ** (size - 1):
        number -= 2**size
    records[field][row] = number


@pytest.mark.parametrize("name", ["shared", "circles"])
@pytest.mark.parametrize(
    ("field", "value"),
    [("child", 10**6), ("child", -3), ("next", 10**6), ("next", -2), ("visits", -1), ("visits", 10**6),
     ("rewards", np.nan), ("reward", np.inf)],
)  # fmt: skip
def test_a_link_that_cannot_be(saved, name, field, value, tmp_path):
    arrays = {key: array.copy() for key, array in read_archive(saved[name][1]).items()}
    root = arrays["nodes"].view(NODE)[0]
    edges = arrays["blocks"].view(EDGE)[root["block"] : root["block"] + root["actions"]]
    link = int(edges["child"][edges["visits"] > 0][0])
    arrays["blocks"].view(LINK)[field][link] = value
    sealed(tmp_path / "s", meta_of(arrays), arrays)
    with pytest.raises(bt.ParameterError, match=r"damaged: the (outcome|count) of node \d+ cannot be"):
        bt.Search.load(tmp_path / "s")


@pytest.mark.parametrize("name", ["tables", "chance", "go"])
@pytest.mark.parametrize(
    ("field", "value"),
    [("parent", 3), ("sibling", 1), ("block", 2**40), ("block", -7), ("depth", 99), ("visits", 10**6), ("actions", 200),
     ("value", np.nan), ("best", 60), ("marks", 128), ("player", 2), ("flights", 1)],
)  # fmt: skip
def test_a_node_that_cannot_be(saved, name, field, value, tmp_path):
    arrays = {key: array.copy() for key, array in read_archive(saved[name][1]).items()}
    nodes = arrays["nodes"].view(NODE)
    where = int(np.flatnonzero(nodes["block"] != -1)[1])
    nodes[field][where] = value
    sealed(tmp_path / "s", meta_of(arrays), arrays)
    with pytest.raises(bt.ParameterError, match=r"damaged: the (\w+) of node \d+ cannot be"):
        bt.Search.load(tmp_path / "s")


def test_a_way_in_a_circle(saved, tmp_path):
    """Siblings that lead back to the first would be followed for ever."""
    arrays = {key: array.copy() for key, array in read_archive(saved["chance"][1]).items()}
    nodes = arrays["nodes"].view(NODE)
    where = int(np.flatnonzero(nodes["sibling"] != -1)[0])
    last = int(nodes["sibling"][where])
    while nodes["sibling"][last] != -1:
        last = int(nodes["sibling"][last])
    nodes["sibling"][last] = where
    sealed(tmp_path / "s", meta_of(arrays), arrays)
    with pytest.raises(bt.ParameterError, match="damaged: the outcome of node"):
        bt.Search.load(tmp_path / "s")


@in_batches(25)
def test_doctored_words(saved, tmp_path, batches):
    """What a file says of its problem, algorithm and limits, changed under a right checksum."""
    path = tmp_path / "doctored"
    values = st.recursive(
        st.none() | st.booleans() | st.sampled_from([*HOSTILE[:-3], *REALS]) | st.text(max_size=8) | st.just("rollout"),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
        max_leaves=5,
    )

    def check(data):
        _, good = saved[data.draw(st.sampled_from(sorted(saved)))]
        arrays = read_archive(good)
        meta: Any = meta_of(arrays)
        at = meta
        key = data.draw(st.sampled_from([key for key in sorted(meta) if key not in ("layout", "checksum")]))
        while isinstance(at.get(key), dict) and at[key] and data.draw(st.booleans()):
            at, key = at[key], data.draw(st.sampled_from(sorted(at[key])))
        if data.draw(st.booleans()):
            at.pop(key, None)
        else:
            at[key] = data.draw(values)
        sealed(path, meta, arrays)
        try_out(path)

    fuzz(check, st.data(), batches)


def test_nothing_but_a_built_in_problem_is_called(saved, tmp_path, capsys):
    """The name of a problem in a file is not looked up anywhere but among the problems."""
    arrays = read_archive(saved["tables"][1])
    for name in ("checks", "__builtins__", "__loader__", "annotations", "exec", "os", "Problem", 7, ["DChain"]):
        sealed(tmp_path / "s", meta_of(arrays) | {"problem": name, "recipe": {}}, arrays)
        with pytest.raises(bt.ParameterError):
            bt.Search.load(tmp_path / "s")


class Bomb:
    """Unpickling it leaves a mark."""

    def __reduce__(self) -> Any:
        return explode, ("boom",)


exploded: list[str] = []


def explode(sound: str) -> str:
    exploded.append(sound)
    return sound


@pytest.mark.parametrize("member", ["meta", "nodes", "tree", "extra"])
def test_loading_never_runs_code(saved, member, tmp_path):
    """An archive with pickled objects, as NumPy would read it with allow_pickle, and a plain pickle."""
    path = tmp_path / "s"
    arrays: dict[str, Any] = dict(read_archive(saved["tables"][1]))
    arrays[member] = np.array([Bomb()], dtype=object)
    np.savez(path.open("wb"), **arrays)
    np.load(path, allow_pickle=True)[member]
    assert exploded.pop() == "boom"  # the bomb works
    with pytest.raises(bt.ParameterError, match="damaged"):
        bt.Search.load(path)
    path.write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(bt.ParameterError, match="not a saved search"):
        bt.Search.load(path)
    assert exploded == []


def test_hostile_archives(saved, tmp_path):
    """Archives that would unpack to gigabytes, or claim arrays of them, are refused at once."""
    import tracemalloc

    path = tmp_path / "s"
    arrays = read_archive(saved["tables"][1])

    def member(shape: tuple[int, ...], content: bytes) -> bytes:
        file = io.BytesIO()
        np.lib.format.write_array_header_1_0(file, {"descr": "|u1", "fortran_order": False, "shape": shape})
        return file.getvalue() + content

    for name, content, method in [
        ("nodes.npy", member((2**40,), b"abc"), zipfile.ZIP_STORED),
        ("nodes.npy", member((2**31 - 1, 2**31), b"abc"), zipfile.ZIP_STORED),
        ("nodes.npy", member((3 * 10**8,), bytes(3 * 10**8)), zipfile.ZIP_DEFLATED),
        ("meta.npy", member((10**6,), b"[" * 10**6), zipfile.ZIP_STORED),
        ("../../nodes.npy", member((3,), b"abc"), zipfile.ZIP_STORED),
    ]:
        with zipfile.ZipFile(path, "w") as archive:
            for key, array in arrays.items():
                if f"{key}.npy" != name:
                    archive.writestr(f"{key}.npy", member((array.size,), array.tobytes()))
            archive.writestr(name, content, compress_type=method)
        del content
        tracemalloc.start()
        with pytest.raises(bt.ParameterError):
            bt.Search.load(path)
        assert tracemalloc.get_traced_memory()[1] < 2**24
        tracemalloc.stop()
