"""Runs on a Ray cluster of two nodes: the same results, also when a node dies on the way."""

from __future__ import annotations

import re
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

polars = pytest.importorskip("polars", reason="the lab keeps results with polars")
ray = pytest.importorskip("ray", reason="without Ray there is no cluster: pip install 'boltree[cluster]'")

from polars.testing import assert_frame_equal  # noqa: E402
from tiny import (  # noqa: E402
    BEFORE_THE_GATE,
    JOBS,
    PACKAGE,
    Gate,
    Run,
    results,
    run_here,
    table,
    write_failing,
    write_user,
)

import boltree  # noqa: E402
from boltree.cli.commands import main  # noqa: E402
from boltree.errors import ParameterError  # noqa: E402
from boltree.jobs import cluster as ray_cluster  # noqa: E402
from boltree.jobs.cluster import AHEAD, RayCluster  # noqa: E402
from boltree.jobs.executors import ATTEMPTS, Finished, Progress  # noqa: E402
from boltree.lab.files import read_experiment  # noqa: E402
from boltree.lab.jobs import jobs_of  # noqa: E402

ROOM = 80 * 2**20  # of a node's object store; the least that Ray allows is 75 MB


class TwoNodes:
    """A cluster whose workers know a gate; who starts a run does not."""

    def __init__(self, gate: Gate) -> None:
        from ray.cluster_utils import Cluster

        self.gate = gate
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("GATE", str(gate.folder))
            patch.setenv("PYTHONPATH", PACKAGE)
            self.cluster = Cluster(
                initialize_head=True,
                head_node_args={"num_cpus": 1, "include_dashboard": False, "object_store_memory": ROOM},
            )
            self.second = self.cluster.add_node(num_cpus=1, object_store_memory=ROOM)
        self.address: str = self.cluster.address

    def lose_the_second(self) -> None:
        """Kill a node, with all that runs on it."""
        self.cluster.remove_node(self.second, allow_graceful=False)


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_user(tmp_path_factory.mktemp("user"))


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwoNodes]:
    nodes = TwoNodes(Gate(tmp_path_factory.mktemp("cluster") / "gate"))
    yield nodes
    nodes.cluster.shutdown()


@pytest.fixture(autouse=True)
def _beside_the_user(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(user)


def run_jobs(nodes: TwoNodes, user: Path, *problems: str, repeats: int = 1) -> list[Finished]:
    """What a cluster makes of an experiment on these problems."""
    write_failing(user, *problems, repeats=repeats)
    jobs = jobs_of(read_experiment(user / "failing.toml"))
    return list(RayCluster(nodes.address).run(jobs, Progress(len(jobs)), lambda: None))


def test_control_c_leaves_the_cluster_and_keeps_what_is_finished(nodes, user, tmp_path):
    with Run(user, tmp_path / "out", "tiny.toml", "--cluster", nodes.address, "--no-progress") as run:
        run.until_held(nodes.gate)
        run.signal(signal.SIGINT)
        status, output, errors = run.result()
    words = re.sub(r"^\[[^]]*\] \w+\.cc:.*\n", "", errors, flags=re.MULTILINE)  # of Ray itself
    assert (status, output, words) == (130, "", "boltree: interrupted\n")
    assert len(results(tmp_path / "out")) == BEFORE_THE_GATE
    for path in nodes.gate.folder.iterdir():
        path.unlink()


def test_a_cluster_that_loses_a_node_gives_what_one_worker_gives(nodes, user, tmp_path):
    one, out = tmp_path / "one", tmp_path / "out"
    assert run_here(one, "--no-progress") == 0
    with Run(user, out, "tiny.toml", "--cluster", nodes.address, "--no-progress") as run:
        run.until_held(nodes.gate)  # both nodes have a job
        nodes.lose_the_second()
        nodes.gate.open()
        status, output, errors = run.result()
    assert (status, errors) == (0, "")  # nothing of Ray's on the terminal
    assert "ray" not in output.lower()
    assert len(results(out)) == JOBS
    assert_frame_equal(table(out), table(one))
    assert all("Numba" in text for text in polars.read_parquet(out / "results" / "*.parquet")["machine"])


def test_what_fails_on_a_node_fails_alone(nodes, user):
    deaths = len(list(nodes.gate.folder.glob("*.died")))
    ended = run_jobs(nodes, user, "users_problems:deadly", "users_problems:Faulty", "DChain(6)")
    by_problem = {finished.job.problem: finished for finished in ended}
    assert len(ended) == len(by_problem) == 3
    assert by_problem["DChain(6)"].columns is not None
    assert "LookupError: there is no room 7 (users_problems.py:" in by_problem["users_problems:Faulty"].failure
    assert "its worker process died 3 times" in by_problem["users_problems:deadly"].failure
    assert len(list(nodes.gate.folder.glob("*.died"))) - deaths == ATTEMPTS
    assert not ray.is_initialized()


def test_another_version_on_a_node_is_refused_and_jobs_do_not_flood(nodes, user, monkeypatch):
    monkeypatch.setattr(ray_cluster, "__version__", "99.9")  # here, not on the nodes
    wait, crowds = ray.wait, []

    def watched(references: list[Any], **options: Any) -> Any:
        crowds.append(len(references))
        return wait(references, **options)

    monkeypatch.setattr(ray, "wait", watched)
    ended = run_jobs(nodes, user, "DChain(6)", repeats=5 * AHEAD)
    assert len(ended) == 5 * AHEAD
    assert all(finished.columns is None for finished in ended)
    assert {finished.failure for finished in ended} == {
        f"boltree {boltree.__version__} is installed on {socket.gethostname()}, but this run needs 99.9"
    }
    assert AHEAD <= max(crowds) <= 2 * AHEAD  # one CPU, or two while the lost one is not yet noticed


def test_a_cluster_that_somebody_connected_to_is_left_connected(nodes, user):
    ray.init(nodes.address, log_to_driver=False, logging_level="ERROR")
    try:
        assert [finished.failure for finished in run_jobs(nodes, user, "DChain(6)")] == [""]
        assert ray.is_initialized()
    finally:
        ray.shutdown()


def test_modules_beside_the_user_travel(user, tmp_path, monkeypatch):
    (tmp_path / "maze_of_mine.py").write_text(
        "import boltree\nfrom rooms import one\nmaze = boltree.problems.DChain(4)\n"
    )
    (tmp_path / "rooms").mkdir()
    (tmp_path / "rooms" / "one.py").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    write_failing(tmp_path, "maze_of_mine:maze")
    jobs = jobs_of(read_experiment(tmp_path / "failing.toml"))
    found = ray_cluster._modules_below(tmp_path, jobs)
    assert found == [str(tmp_path / "maze_of_mine.py"), str(tmp_path / "rooms")]
    write_failing(tmp_path, "DChain(4)")
    assert ray_cluster._modules_below(tmp_path, jobs_of(read_experiment(tmp_path / "failing.toml"))) == []


@pytest.mark.parametrize("scheme", ["", "ray://"])
def test_nobody_at_the_address(scheme, tmp_path, capsys):
    with socket.socket() as taken:  # bound, but nobody listens
        taken.bind(("127.0.0.1", 0))
        address = f"{scheme}127.0.0.1:{taken.getsockname()[1]}"
        assert main(["compare", "tiny.toml", "--out", str(tmp_path), "--no-progress", "--cluster", address]) == 2
    errors = capsys.readouterr().err
    assert errors.startswith(f"boltree: --cluster {address}: cannot connect to a Ray cluster: ")
    assert "refused" in errors
    assert len(errors.splitlines()) == 1


def test_somebody_else_at_the_address(tmp_path, capsys):
    def answer(server: socket.socket) -> None:
        line, _ = server.accept()
        with line:
            line.recv(100)
            line.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=answer, args=(server,), daemon=True).start()
        address = f"127.0.0.1:{server.getsockname()[1]}"
        assert main(["compare", "tiny.toml", "--out", str(tmp_path), "--no-progress", "--cluster", address]) == 2
    assert "cannot connect to a Ray cluster: what answers is not Ray" in capsys.readouterr().err


@pytest.mark.parametrize("address", ["nonsense", "http://host:80", "host", "ray://host", ""])
def test_addresses(address):
    with pytest.raises(ParameterError, match=r"must be auto, HOST:PORT or ray://HOST:PORT"):
        RayCluster(address)


def test_workers_and_cluster_exclude_each_other(capsys):
    assert main(["compare", "tiny.toml", "--workers", "2", "--cluster", "auto"]) == 2
    assert "--workers and --cluster: give one of them" in capsys.readouterr().err


def test_a_match_on_a_cluster_is_the_same_match(nodes, tmp_path):
    words = ["match", "uct", "bts", "--games", "2", "--board", "5", "--trials", "20", "--network", "none"]
    words += ["--no-progress", "--out"]
    assert main([*words, str(tmp_path / "here"), "--workers", "1"]) == 0
    assert main([*words, str(tmp_path / "there"), "--cluster", nodes.address]) == 0
    here, there = (sorted((tmp_path / place / "games").glob("*.sgf")) for place in ("here", "there"))
    assert len(here) == 2
    assert [path.name for path in there] == [path.name for path in here]
    assert [path.read_text() for path in there] == [path.read_text() for path in here]
