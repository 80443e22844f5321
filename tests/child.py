"""Processes of their own, for tests that send signals, kill, or wait.

Nothing here depends on when the operating system lets a process run: a signal is sent when the process that is to get
it has said that it is ready, and every limit of time is there only to end what hangs.
"""

from __future__ import annotations

import inspect
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

LONG = 900.0
"""Seconds until a test gives up: far more than anything takes that does not hang, on however busy a machine."""

_CALL = """
import faulthandler, importlib, signal, sys
faulthandler.dump_traceback_later({limit!r}, exit=True)
signal.signal(signal.SIGINT, signal.default_int_handler)
getattr(importlib.import_module({module!r}), {name!r})(*{arguments!r})
"""


class Child:
    """A process in a group of its own, which is killed at the end of the block.

    Args:
        command: the program and its arguments.
        environment: variables besides this process's own; where modules are found is the same as here.
    """

    def __init__(self, command: Sequence[str], *, folder: Path | None = None, **environment: str) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the block
        self.process = subprocess.Popen(
            list(command), cwd=folder, env={**os.environ, **_own_environment(), **environment}, encoding="utf-8",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, start_new_session=True,
        )  # fmt: skip
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.signal(signal.SIGKILL)
        self.process.wait()
        self._reader.join(LONG)
        for file in (self.process.stdin, self.process.stdout, self._errors):
            with suppress(BrokenPipeError):
                file.close()  # type: ignore[union-attr]

    def signal(self, number: int) -> None:
        """Send a signal to the process and those that it has started, as Ctrl-C does."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, number)

    def line(self) -> str:
        """The next line that the process writes; it must write one."""
        with suppress(queue.Empty):
            line = self._lines.get(timeout=LONG)
            if line is not None:
                return line
        raise AssertionError(f"the process said no more; on stderr:\n{self.errors()}")

    def until(self, condition: Callable[[], Any]) -> None:
        """Wait until something is so; the process must not end before."""

        def comes() -> Any:
            ended = self.process.poll() is not None
            so = condition()
            assert so or not ended, f"the process has ended; on stderr:\n{self.errors()}"
            return so

        wait_until(comes)

    def end(self) -> int:
        """Wait for the end; the exit status."""
        try:
            return self.process.wait(LONG)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"the process hangs; on stderr:\n{self.errors()}") from None

    def output(self) -> str:
        """What the process wrote and nobody has read yet, when it has ended."""
        self._reader.join(LONG)
        assert not self._reader.is_alive(), "a process that it has started still runs"
        return "".join(f"{line}\n" for line in iter(self._lines.get, None))

    def errors(self) -> str:
        """What the process wrote on stderr so far."""
        file = self._errors.fileno()
        return os.pread(file, os.fstat(file).st_size, 0).decode(errors="replace")  # where it writes stays as it is


def wait_until(condition: Callable[[], Any]) -> None:
    """Wait until something is so."""
    ends = time.monotonic() + LONG
    while not condition():
        assert time.monotonic() < ends, "what is waited for does not come"
        time.sleep(0.02)


def _own_environment() -> dict[str, str]:
    return {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "BOLTREE_QUIET": "1"}


def run_python(program: str, *arguments: str, **environment: str) -> str:
    """What a program in Python writes, run in a process of its own; it must end well."""
    with Child([sys.executable, "-c", program, *arguments], **environment) as child:
        status = child.end()
        assert status == 0, f"exit status {status}; on stderr:\n{child.errors()}"
        return child.output()


def call(function: Callable[..., object], *arguments: object) -> str:
    """Call a function of a module in a process of its own, and what it writes; it must raise nothing.

    The arguments are passed on as their `repr`. Ctrl-C is heard there, and what hangs tells where.
    """
    module = inspect.getmodule(function)
    assert module is not None
    assert arguments == eval(repr(arguments))
    return run_python(
        _CALL.format(module=module.__name__, name=function.__name__, arguments=arguments, limit=0.9 * LONG)
    )


class Interrupt:
    """An interrupt of this process that is sent when it is told that what is to be interrupted runs.

    For a process that was started by `call`. What runs must go on until the interrupt comes, so that it does not
    matter how late it comes.

    Args:
        after: seconds after it was told, so that several come at several moments.
    """

    def __init__(self, after: float = 0.0) -> None:
        self._after, self._ready = after, threading.Event()
        self._thread = threading.Thread(target=self._send, daemon=True)
        self.processor_seconds = 0.0
        """What the process had taken when it was sent."""

    def ready(self, *_: object) -> None:
        """Let it be sent: what is to be interrupted runs."""
        self._ready.set()

    def run(self, search: Any) -> None:
        """Run a search, which says that it runs, until the interrupt comes; over and over where its memory is full."""
        while True:
            search.run(trials=10**12, progress=self.ready)

    def _send(self) -> None:
        self._ready.wait()
        time.sleep(self._after)
        self.processor_seconds = time.process_time()
        os.kill(os.getpid(), signal.SIGINT)

    def __enter__(self) -> Interrupt:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.join()
