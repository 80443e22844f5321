"""Options of the commands that run jobs, and who runs them."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from ..terminal import whole_number
from .executors import Executor, Here, Processes, cores


def add_running(command: argparse.ArgumentParser, out: str) -> None:
    """The options of every command that runs jobs."""
    command.add_argument("--out", type=Path, default=Path(out), metavar="FOLDER", help="where results and figures go")
    command.add_argument("--workers", type=whole_number, metavar="N", help="worker processes; all cores if left out")
    command.add_argument("--cluster", metavar="ADDRESS", help="run on a Ray cluster: its address, or auto")
    command.add_argument("--shard", type=_shard, default=(0, 1), metavar="I/N", help="run only the I-th of N parts")
    command.add_argument("--no-progress", action="store_true", help="show no progress")


def executor_for(workers: int | None, cluster: str | None) -> Executor:
    """Worker processes, one a core unless their number is given, or a Ray cluster at an address."""
    if cluster is not None:
        from .cluster import RayCluster

        return RayCluster(cluster)
    count = workers or cores()
    return Here() if count == 1 else Processes(count)


def _shard(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d+)/(\d+)", text)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        raise argparse.ArgumentTypeError(f"{text!r}: must be i/n with 1 <= i <= n, such as 1/4")
    return int(found[1]) - 1, int(found[2])
