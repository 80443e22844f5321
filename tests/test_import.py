"""`import boltree` brings what a search needs, and no more."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import boltree as bt
from import_graph import imports_of, knots_in

REST = ("adapters", "bench", "cli", "go", "lab", "problems.go", "search.many", "search.workers", "viewer", "web")
OTHERS = (
    "gymnasium",
    "matplotlib",
    "networkx",
    "onnx",
    "onnxruntime",
    "optuna",
    "pettingzoo",
    "polars",
    "pyspiel",
    "ray",
    "rich",
    "scipy",
    "torch",
)
MOST_MODULES = 143
"""Of this package, of which 66 are the kernel's; it was 162 when Go, the lab and the viewer were among them."""


def reached(code: str) -> set[str]:
    """The modules that a fresh process has imported after this code, those of ``import numba`` left out."""
    lines = [
        "import json, sys, numba",
        "before = set(sys.modules)",
        code,
        "print(json.dumps([*set(sys.modules) - before]))",
    ]
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


@pytest.fixture(scope="module")
def modules() -> set[str]:
    return reached("import boltree")


def test_few_modules_are_reached(modules):
    ours = {name for name in modules if name.partition(".")[0] == "boltree"}
    assert len(ours) <= MOST_MODULES, f"import boltree reaches {len(ours)} modules"
    for part in REST:
        found = {name for name in ours if name == f"boltree.{part}" or name.startswith(f"boltree.{part}.")}
        assert found == set(), part


def test_no_other_library_is_reached(modules):
    assert {name.partition(".")[0] for name in modules} & set(OTHERS) == set()
    assert "numba.np.arrayobj" not in modules, "a third of the time that importing took before"


def test_what_is_used_is_imported():
    assert "boltree.go.board" in reached("import boltree; boltree.problems.Go")
    assert "boltree.viewer.page" in reached("import boltree; boltree.watch")
    assert "boltree.search.many" in reached("from boltree import search_many")


@pytest.mark.parametrize("package", [bt, bt.problems], ids=lambda package: package.__name__)
def test_every_public_name_is_there(package):
    listed = dir(package)
    for name in package.__all__:
        assert name in listed, name
        assert getattr(package, name) is not None


def test_subpackages_by_attribute():
    code = "import boltree as bt; assert bt.lab.__name__ == 'boltree.lab' and bt.go.Game and bt.adapters and bt.viewer"
    assert "boltree.lab" in reached(code)


def test_a_name_that_there_is_not():
    for package in (bt, bt.problems):
        with pytest.raises(AttributeError, match=f"module '{package.__name__}' has no attribute 'Serach'"):
            package.Serach  # noqa: B018
    with pytest.raises(ImportError, match="Serach"):
        from boltree import Serach  # noqa: F401


def test_no_modules_need_each_other():
    """Not even for their types: a module can be read, and tried, with nothing but those that come before it."""
    graph = imports_of(Path(bt.__file__).parent)
    assert "boltree.tree" in graph["boltree.search.show"]
    assert "boltree.parallel.choose" in graph["boltree.search.search"], "imported inside of a function"
    assert "boltree.go.game" in graph["boltree.go.network.network"], "imported for type checkers only"
    assert knots_in(graph) == []


def test_knots_are_found():
    assert knots_in({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a", "e"}, "e": {"d"}}) == [["d", "e"], ["b", "c"]]
