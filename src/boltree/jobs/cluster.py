"""Running jobs on a Ray cluster: the same jobs, the same results.

Every node needs the same version of boltree as the machine that starts the run; a job on a node with another fails and
says so. Results are sent back to that machine, which alone writes them, so no folder need be shared. Modules of the
user's own problems (``module:object``) that lie below the current folder are sent to the nodes; packages that they
import from elsewhere must be installed there.
"""

from __future__ import annotations

import logging
import os
import pickle
import re
import socket
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ..catalogue import problem_named
from ..errors import LabError, ParameterError
from ..extras import needs
from ..version import __version__
from .executors import ATTEMPTS, Ended, Finished, Progress, attempt

AHEAD = 4
"""Jobs handed to the cluster for each of its CPUs: no CPU waits for its next one, and they are not all handed over."""

_RAY_SETTINGS = {
    "RAY_task_oom_retries": str(ATTEMPTS - 1),  # or a job that takes too much memory is tried for ever
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".*",  # or a node that dies prints its log among our tables
}
_SILENCE_SECONDS = 10.0  # until an address is given up that does not answer
_HTTP2_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])  # gRPC begins with it


class RayCluster:
    """The nodes of a Ray cluster; a job whose worker or node dies is tried again elsewhere.

    Args:
        address: ``auto`` (a cluster that this machine belongs to), ``HOST:PORT`` (of its head node), or
            ``ray://HOST:PORT`` (from outside it, by Ray's client).
    """

    def __init__(self, address: str) -> None:
        self.address = address
        if address != "auto" and not re.fullmatch(r"(ray://)?[^/\s]+:\d+", address):
            raise ParameterError(f"--cluster {address}: must be auto, HOST:PORT or ray://HOST:PORT")

    def run(self, jobs: Sequence[Any], progress: Progress, tick: Callable[[], None]) -> Ended:
        """Run all jobs; the progress shows only those that ended, for nodes share no memory."""
        for name, value in _RAY_SETTINGS.items():
            os.environ.setdefault(name, value)  # Ray reads them when it is imported
        ray = needs("ray", "cluster")
        connected = not ray.is_initialized() and self._connect(ray, jobs)
        try:
            remote = ray.remote(num_cpus=1, max_retries=ATTEMPTS - 1)(_attempt)
            waiting, running = list(reversed(jobs)), dict[Any, Any]()
            while waiting or running:
                room = AHEAD * max(1, int(ray.cluster_resources().get("CPU", 0)))
                while waiting and len(running) < room:
                    job = waiting.pop()
                    running[remote.remote(__version__, pickle.dumps(job))] = job
                ended: list[Any] = []
                while not ended:
                    ended, _ = ray.wait(list(running), num_returns=len(running), timeout=0.1)
                    tick()
                for one in ended:
                    yield _finished(ray, one, running.pop(one))
        except (ray.exceptions.RayError, ConnectionError) as error:
            raise LabError(
                f"--cluster {self.address}: the connection was lost ({_last_line(error)}). Finished jobs are kept; "
                "give the same command again to go on"
            ) from error
        finally:
            if connected:
                ray.shutdown()

    def _connect(self, ray: Any, jobs: Sequence[Any]) -> bool:
        modules = _modules_below(Path.cwd(), jobs)
        try:
            self._greet()
            ray.init(
                self.address,
                runtime_env={"py_modules": modules} if modules else None,
                log_to_driver=False,
                logging_level=logging.ERROR,
            )
        except Exception as error:
            reason = re.split(r"[.:]?\s*\n|\.\s", str(error).strip())[0] or type(error).__name__
            raise ParameterError(f"--cluster {self.address}: cannot connect to a Ray cluster: {reason}") from error
        return True

    def _greet(self) -> None:
        """Raise an OSError where nothing answers as a cluster does; Ray itself would go on trying for minutes."""
        if self.address == "auto" or os.environ.get("RAY_USE_TLS", "0") == "1":
            return
        host, _, port = self.address.removeprefix("ray://").rpartition(":")
        with socket.create_connection((host.strip("[]"), int(port)), _SILENCE_SECONDS) as line:
            line.sendall(_HTTP2_PREFACE)
            if line.recv(4)[3:] != b"\4":
                raise ConnectionError("what answers is not Ray")


def _attempt(version: str, pickled: bytes) -> Finished | str:
    """Run a job on a node, or say why it cannot; pickled, as another version may not know this one's jobs."""
    if version != __version__:
        return f"boltree {__version__} is installed on {socket.gethostname()}, but this run needs {version}"
    job: Any = pickle.loads(pickled)
    return attempt(job)


def _finished(ray: Any, reference: Any, job: Any) -> Finished:
    """What became of a task."""
    try:
        result: Finished | str = ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        return Finished(job, None, f"a node could not run it, is boltree {__version__} there? {_last_line(error)}")
    except (ray.exceptions.WorkerCrashedError, ray.exceptions.OutOfMemoryError):
        return Finished(job, None, f"its worker process died {ATTEMPTS} times (out of memory?)")
    except ray.exceptions.RayError as error:
        return Finished(job, None, f"Ray gave it up: {_last_line(error)}")
    return Finished(job, None, result) if isinstance(result, str) else result


def _last_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[-1].strip()


def _modules_below(folder: Path, jobs: Sequence[Any]) -> list[str]:
    """The files and packages below a folder that the jobs' problems have imported, except what is installed there."""
    named = {job.problem for job in jobs if ":" in job.problem}
    for name in named:
        problem_named(name)
    found = set()
    for name, module in list(sys.modules.items()) if named else []:
        places = list(getattr(module, "__path__", [])) or [getattr(module, "__file__", None) or ""]
        place = Path(places[0])
        if "." in name or name in ("__main__", "boltree") or not place.is_relative_to(folder):
            continue
        if not {"site-packages", "dist-packages"} & set(place.parts):
            found.add(str(place))
    return sorted(found)
