"""Runs of experiments, as a user starts and stops them: the results are the same, and nothing finished is lost."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

polars = pytest.importorskip("polars", reason="the lab keeps results with polars")

from polars.testing import assert_frame_equal  # noqa: E402
from tiny import BEFORE_THE_GATE, JOBS, Gate, Run, gone, results, run_here, table, write_failing, write_user  # noqa: E402

import boltree  # noqa: E402
from boltree.errors import LabError  # noqa: E402
from boltree.jobs import executors  # noqa: E402
from boltree.jobs.settings import Setting  # noqa: E402
from boltree.lab.experiment import Experiment  # noqa: E402
from boltree.lab.jobs import Job, jobs_of  # noqa: E402
from boltree.lab.running import Laboratory  # noqa: E402
from boltree.lab.store import Store  # noqa: E402

try:
    import resource
except ImportError:  # not on Windows
    resource = None

EXPERIMENT = Experiment("seeds", ("DChain(6)", "DChain(7)"), (Setting("uct"), Setting("bts", {"alpha": 0.5})), 20, 10)


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_user(tmp_path_factory.mktemp("user"))


@pytest.fixture(autouse=True)
def _beside_the_user(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(user)


@pytest.fixture(scope="module")
def undisturbed(user: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of one worker that nobody disturbs."""
    out = tmp_path_factory.mktemp("undisturbed")
    before = Path.cwd()
    os.chdir(user)
    try:
        assert run_here(out, "--no-progress") == 0
    finally:
        os.chdir(before)
    return out


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    gate = Gate(tmp_path / "gate")
    yield gate
    gate.open()


def assert_same(out: Path, undisturbed: Path) -> None:
    """The results in a folder are the undisturbed ones, whole, and nothing else lies there."""
    assert {path.suffix for path in (out / "results").iterdir()} == {".parquet"}
    assert len(results(out)) == JOBS
    assert_frame_equal(table(out), table(undisturbed))


def assert_completes(out: Path, undisturbed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Given again, the command runs what is missing and only that."""
    kept, ran = results(out), []
    run = Job.run
    with monkeypatch.context() as patch:
        patch.setattr(Job, "run", lambda job, watch=None: ran.append(job.key()) or run(job, watch))
        assert run_here(out, "--no-progress") == 0
    now = results(out)
    assert {name: now[name] for name in kept} == kept
    assert sorted(f"{key}.parquet" for key in ran) == sorted(now.keys() - kept.keys())
    assert_same(out, undisturbed)


def test_two_workers_give_what_one_gives(user, undisturbed, tmp_path):
    with Run(user, tmp_path / "out", "tiny.toml", "--workers", "2") as run:
        assert run.end() == 0
    assert_same(tmp_path / "out", undisturbed)


def test_shards_give_what_one_run_gives(undisturbed, tmp_path, capsys, monkeypatch):
    out = tmp_path / "out"
    for part, kept in ((1, 9), (2, 18), (3, 27)):
        assert run_here(out, "--shard", f"{part}/3") == 0
        assert len(results(out)) == kept
        assert ("Part" in capsys.readouterr().out) == (part < 3)  # the last has everything and reports
    assert_completes(out, undisturbed, monkeypatch)
    assert "DENTS" in capsys.readouterr().out


def test_after_kill_9_a_run_goes_on_where_it_was(user, undisturbed, gate, tmp_path, monkeypatch, capsys):
    out = tmp_path / "out"
    with Run(user, out, "tiny.toml", "--workers", "2", gate=gate) as run:
        run.until_held(gate)
        run.signal(signal.SIGKILL)
        assert run.end() == -signal.SIGKILL
    assert len(results(out)) == BEFORE_THE_GATE
    assert_completes(out, undisturbed, monkeypatch)
    assert run_here(out) == 0  # and a third time there is nothing to do
    assert "jobs" not in capsys.readouterr().err


def test_two_runs_at_once_in_one_folder(user, undisturbed, gate, tmp_path):
    out = tmp_path / "out"
    options = ("tiny.toml", "--workers", "2")
    with Run(user, out, *options, gate=gate) as one, Run(user, out, *options, gate=gate) as other:
        one.until_held(gate, workers=4)
        gate.open()
        assert one.end() == 0
        assert other.end() == 0
    assert_same(out, undisturbed)


def test_a_killed_worker_costs_nothing(user, undisturbed, gate, tmp_path):
    with Run(user, tmp_path / "out", "tiny.toml", "--workers", "2", gate=gate) as run:
        run.until_held(gate)
        os.kill(gate.waiting()[0], signal.SIGKILL)
        gate.open()
        assert run.end() == 0
    assert_same(tmp_path / "out", undisturbed)


def test_a_job_that_kills_its_workers_fails_alone(user, gate, tmp_path):
    write_failing(user, "DChain(4)", "users_problems:deadly", "DChain(5)", "DChain(6)", "DChain(7)")
    with Run(user, tmp_path / "out", "failing.toml", "--workers", "2", "--no-progress", gate=gate) as run:
        status, _, errors = run.result()
    assert status == 1
    assert "1 of 5 jobs failed" in errors
    assert "UCT on users_problems:deadly, repeat 0: its worker process died 3 times" in errors
    assert len(errors.splitlines()) == 1
    assert len(list(gate.folder.glob("*.died"))) == executors.ATTEMPTS
    kept = polars.read_parquet(tmp_path / "out" / "results" / "*.parquet")
    assert sorted(kept["problem"]) == ["DChain(4)", "DChain(5)", "DChain(6)", "DChain(7)"]


def test_a_problem_that_raises_fails_alone(user, tmp_path, capsys):
    write_failing(user, "users_problems:Faulty", "DChain(6)", repeats=2)
    assert run_here(tmp_path, "--no-progress", experiment="failing.toml") == 1
    errors = capsys.readouterr().err
    assert "2 of 4 jobs failed" in errors
    assert "UCT on users_problems:Faulty, repeat 0: LookupError: there is no room 7 (users_problems.py:" in errors
    assert len(errors.splitlines()) == 1
    assert sorted(table(tmp_path)["repeat"]) == [0, 1]


def test_a_folder_that_cannot_be_written_to(tmp_path, capsys):
    (tmp_path / "file").touch()
    out = tmp_path / "file" / "out"
    assert run_here(out) == 2
    assert f"--out {out}: cannot be written to: Not a directory" in capsys.readouterr().err


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="only Linux can take a running process its room")
def test_a_full_disk_costs_nothing_that_was_finished(user, undisturbed, gate, tmp_path, monkeypatch):
    out = tmp_path / "out"
    with Run(user, out, "tiny.toml", "--workers", "2", "--no-progress", gate=gate) as run:
        run.until_held(gate)
        kept = results(out)
        resource.prlimit(run.process.pid, resource.RLIMIT_FSIZE, (512, resource.RLIM_INFINITY))
        gate.open()
        status, _, errors = run.result()
    assert status == 1
    assert f"cannot be written: File too large. The {BEFORE_THE_GATE} finished jobs in {out / 'results'} are" in errors
    assert "give the same command again" in errors
    assert len(errors.splitlines()) == 1
    assert {path.name for path in (out / "results").iterdir()} == kept.keys()  # no half of a file
    assert results(out) == kept
    assert_completes(out, undisturbed, monkeypatch)


def test_control_c_ends_the_run_and_keeps_what_is_finished(user, undisturbed, gate, tmp_path, monkeypatch):
    out = tmp_path / "out"
    with Run(user, out, "tiny.toml", "--workers", "2", "--no-progress", gate=gate) as run:
        run.until_held(gate)
        run.signal(signal.SIGINT)
        assert run.result() == (130, "", "boltree: interrupted\n")
        assert all(gone(process) for process in gate.waiting())
    assert len(results(out)) == BEFORE_THE_GATE
    assert_completes(out, undisturbed, monkeypatch)


def test_control_c_while_workers_start(user, gate, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(
        "import os, pathlib, signal, sys, time\n"
        "if any('spawn_main' in word for word in sys.orig_argv):\n"
        "    deaf = signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])\n"
        f"    note = pathlib.Path({str(gate.folder)!r}, f'{{os.getpid()}}.waits')\n"
        "    note.with_suffix('.note').write_text(str(deaf))\n"
        "    note.with_suffix('.note').rename(note)\n"
        "    time.sleep(600)\n"
    )
    with Run(user, tmp_path / "out", "tiny.toml", "--workers", "2", "--no-progress", path=str(tmp_path)) as run:
        run.until(lambda: len(gate.waiting()) == 2)
        run.signal(signal.SIGINT)
        assert run.result() == (130, "", "boltree: interrupted\n")
        assert all(gone(process) for process in gate.waiting())
    # one that hears it may be ended before its traceback is printed, so that alone would not always fail
    assert {path.read_text() for path in gate.folder.glob("*.waits")} == {"True"}


def test_a_file_appears_as_a_whole(tmp_path, monkeypatch):
    store, path, seen = Store(tmp_path), tmp_path / "results" / "one.parquet", []
    synchronize = os.fsync
    monkeypatch.setattr(os, "fsync", lambda file: seen.append(path.exists()) or synchronize(file))
    store.put(path, b"all of it")
    assert seen == [False]
    assert path.read_bytes() == b"all of it"


class Elsewhere:
    """Runs jobs on some other machine, until somebody closes it."""

    closed = False

    def run(self, jobs, board, tick):
        try:
            for job in jobs:
                yield replace(executors.attempt(job), machine="a machine far away")
        finally:
            self.closed = True


def test_a_result_names_the_machine_that_computed_it(tmp_path):
    Laboratory(tmp_path, Elsewhere(), show=False).run([EXPERIMENT])
    assert set(polars.read_parquet(tmp_path / "results" / "*.parquet")["machine"]) == {"a machine far away"}


def test_a_run_that_fails_lets_go_of_its_workers(tmp_path, monkeypatch):
    def full(*_: object) -> None:
        raise LabError("no room")

    monkeypatch.setattr(Store, "write", full)
    executor = Elsewhere()
    with pytest.raises(LabError) as kept:  # and so its traceback, as a notebook does
        Laboratory(tmp_path, executor, show=False).run([EXPERIMENT])
    assert executor.closed
    assert kept.tb is not None


def test_results_are_read_in_one_line(undisturbed):
    frame = polars.read_parquet(f"{undisturbed}/results/*.parquet")
    assert frame.height == 2 * JOBS
    assert set(frame["version"]) == {boltree.__version__}
    assert all("Python" in text and "Numba" in text for text in frame["machine"])
    assert frame["seed"].n_unique() == JOBS
    dents = frame.filter(polars.col("algorithm") == "DENTS")
    assert {json.loads(text)["beta"] for text in dents["parameters"]} == {"log_decay(0.5)"}
    assert sorted(set(frame["trials"])) == [100, 200]
    assert frame.drop("root_q", "root_visits").null_count().sum_horizontal().item() == 0  # those were not asked for


def test_a_file_says_how_to_make_it_again(undisturbed):
    for path in (undisturbed / "results").iterdir():
        kept = json.loads(polars.read_parquet_metadata(path)["boltree"])
        assert kept["version"] == boltree.__version__
        assert kept["job"]["trials"] == 200
        assert kept["job"]["problem"] == polars.read_parquet(path)["problem"][0]


def test_results_are_read_by_duckdb(undisturbed):
    duckdb = pytest.importorskip("duckdb", reason="duckdb is one of several ways to read results")
    rows = duckdb.sql(
        f"SELECT version, count(DISTINCT seed), count(machine) FROM '{undisturbed}/results/*.parquet' GROUP BY version"
    )
    assert rows.fetchall() == [(boltree.__version__, JOBS, 2 * JOBS)]


def test_every_job_has_its_own_seed():
    seeds = sorted(job.search_seed() for job in jobs_of(EXPERIMENT))
    assert len(seeds) == 2 * 2 * 5
    assert all(one != other for one, other in pairwise(seeds))
    assert not set(seeds) & {job.search_seed() for job in jobs_of(replace(EXPERIMENT, seed=1))}


@pytest.mark.parametrize(
    "change",
    [
        {"trials": 40, "evaluate_every": 5},
        {"repeats": 7},
        {"problems": EXPERIMENT.problems[::-1], "settings": EXPERIMENT.settings[::-1]},
        {"settings": tuple(replace(setting, label="mine") for setting in EXPERIMENT.settings)},
        {"name": "other", "title": "other", "root": True},
    ],
)
def test_a_seed_depends_on_nothing_else(change):
    def seeds(experiment: Experiment) -> dict[tuple[str, str, int], int]:
        return {(job.problem, job.setting.name, job.repeat): job.search_seed() for job in jobs_of(experiment)}

    before, after = seeds(EXPERIMENT), seeds(replace(EXPERIMENT, **change))
    assert {key: after[key] for key in before} == before


def test_a_label_is_not_part_of_a_job():
    named = replace(EXPERIMENT, settings=tuple(replace(setting, label="mine") for setting in EXPERIMENT.settings))
    assert [job.key() for job in jobs_of(named)] == [job.key() for job in jobs_of(EXPERIMENT)]


def test_one_worker_speaks_for_all(monkeypatch):
    """Each compiles when it is new on a machine, and one line about it is enough."""
    monkeypatch.setattr(executors.signal, "signal", lambda *_: None)
    monkeypatch.setattr(executors, "_cells", None)
    voice, quiet = multiprocessing.Semaphore(1), []
    for _ in range(3):
        monkeypatch.delenv("BOLTREE_QUIET", raising=False)
        executors._begin(None, voice)
        quiet.append(os.environ.get("BOLTREE_QUIET"))
    assert quiet == [None, "1", "1"]
