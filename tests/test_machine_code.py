"""Where machine code is kept: versions side by side, bounded, shown and deleted."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from boltree.cli import main
from boltree.core import machine_code
from boltree.core.jit import COSTLY
from boltree.log import logger


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty cache folder for this process."""
    monkeypatch.setenv("BOLTREE_CACHE", str(tmp_path))
    for cached in (machine_code.cache_folder, machine_code.version_folder):
        cached.cache_clear()
    yield machine_code.cache_folder()
    monkeypatch.undo()
    for cached in (machine_code.cache_folder, machine_code.version_folder):
        cached.cache_clear()


def keep(folder, name, nbytes, used):
    (folder / name).mkdir()
    (folder / name / "kernel.nbi").write_bytes(bytes(nbytes))
    os.utime(folder / name, (used, used))


def test_what_was_not_used_for_longest_goes_first(folder):
    for k in range(5):
        keep(folder, f"0.{k}-x", 1000, 1_000_000 + k)
    (folder / "flat.nbi").write_bytes(bytes(500))  # as earlier versions kept it
    os.utime(folder / "flat.nbi", (1, 1))
    mine = machine_code.version_folder()
    (mine / "kernel.nbi").write_bytes(bytes(1000))
    machine_code.make_room(6500)
    assert len(machine_code.kept_versions()) == 7
    machine_code.make_room(6499)
    assert not (folder / "flat.nbi").exists()
    machine_code.make_room(3000)
    assert [one.path.name for one in machine_code.kept_versions()] == [mine.name, "0.4-x", "0.3-x"]
    machine_code.make_room(0)
    assert [one.path for one in machine_code.kept_versions()] == [mine]


def test_sources_and_numba_have_folders_of_their_own(folder, monkeypatch):
    mine = machine_code.version_folder()
    for what, value in ((machine_code, "source_stamp"), (machine_code.numba, "__version__")):
        with monkeypatch.context() as changed:
            changed.setattr(what, value, (lambda: "other") if value == "source_stamp" else "9.9")
            machine_code.version_folder.cache_clear()
            assert machine_code.version_folder() != mine
    machine_code.version_folder.cache_clear()
    assert machine_code.version_folder() == mine
    assert len(machine_code.kept_versions()) == 3


def test_the_command(folder, capsys):
    keep(folder, "0.1-other", 3 << 20, 1_000_000)
    assert main(["cache"]) == 0
    shown = capsys.readouterr().out
    assert str(folder) in shown
    assert "3 MB of at most 512 MB" in shown
    assert "this version" in shown
    assert "0.1-other" in shown
    assert main(["cache", "clear"]) == 0
    assert "deleted 3 MB of machine code" in capsys.readouterr().out
    assert list(folder.iterdir()) == []


TWO_COPIES = """
import sys, numba, numpy as np
from boltree.core import jit, machine_code
machine_code.source_stamp = lambda: sys.argv[1]
jit.source_stamp = machine_code.source_stamp
machine_code.version_folder.cache_clear()

def kernel(x):
    return x + 1

compiled = numba.njit(kernel)
jit.keep_on_disk(compiled, "kernel")
compiled(np.int64(1))
print(sum(compiled.stats.cache_hits.values()))
"""


def test_two_copies_do_not_evict_each_other(tmp_path):
    environment = os.environ | {"BOLTREE_CACHE": str(tmp_path), "BOLTREE_QUIET": "1"}
    hits = []
    for copy in ("one", "two", "one", "two"):
        done = subprocess.run(
            [sys.executable, "-c", TWO_COPIES, copy], env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        hits.append(int(done.stdout))
    assert hits == [0, 0, 1, 1]


def test_what_is_announced_is_compiled():
    from boltree.core.trial import batch, common_batches, locked, many, merge, run

    kernels = {name for module in (batch, common_batches, locked, many, merge, run) for name in vars(module)}
    assert set(COSTLY) <= kernels


def test_the_log_goes_where_the_program_sends_it(capsys, caplog, monkeypatch):
    monkeypatch.delenv("BOLTREE_QUIET", raising=False)
    with caplog.at_level("INFO", logger="boltree"):
        logger.info("compiling %s", "all")
    assert [record.getMessage() for record in caplog.records] == ["compiling all"]


LOG = """
import logging, sys
from boltree.log import logger
logger.info("said"); logger.warning("warned")
logging.basicConfig(stream=sys.stdout, format="%(name)s %(message)s")
logger.info("said again")
logger.setLevel("WARNING")
logger.info("never")
"""


@pytest.mark.parametrize("quiet", [False, True])
def test_without_handlers_the_log_is_the_terminal(quiet):
    environment = {k: v for k, v in os.environ.items() if k != "BOLTREE_QUIET"} | (
        {"BOLTREE_QUIET": "1"} if quiet else {}
    )
    done = subprocess.run([sys.executable, "-c", LOG], env=environment, capture_output=True, text=True, check=True)
    assert done.stderr.splitlines() == ([] if quiet else ["boltree: said"]) + ["boltree: warned"]
    assert done.stdout.splitlines() == ["boltree said again"]
