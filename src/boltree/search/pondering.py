"""Thinking in a thread of its own while the program does something else, such as waiting for a player's move."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable


class Pondering:
    """A run in a thread, until it is told to stop.

    Args:
        run: runs until the function that it is given returns True; why it ended.
    """

    def __init__(self, run: Callable[[Callable[[], bool]], str]) -> None:
        self._stopping = threading.Event()
        self._reason, self._error = "", None  # type: tuple[str, BaseException | None]
        self._run = run
        self._thread = threading.Thread(target=self._work, name="boltree-pondering", daemon=True)
        self._thread.start()
        atexit.register(self.stop)  # a program may end without

    def _work(self) -> None:
        try:
            self._reason = self._run(self._stopping.is_set)
        except BaseException as error:  # raised where it is stopped
            self._error = error

    def stop(self) -> str:
        """End the run, and wait until it has ended; why it ended. Raises what it raised."""
        self._stopping.set()
        self._thread.join()
        atexit.unregister(self.stop)
        if self._error is not None:
            raise self._error
        return self._reason
