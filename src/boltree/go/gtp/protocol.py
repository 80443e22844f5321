"""GTP, the Go Text Protocol (version 2): lines in, answers out. What the commands do is in ``commands.py``."""

from __future__ import annotations

import queue
import re
import sys
import threading
from collections.abc import Callable, Iterable
from typing import IO, Any

from ...errors import ParameterError, ProblemError
from ..player import Limit, SearchPlayer
from .commands import Commands
from .words import GtpError

_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_NUMBER = re.compile(r"(\d{1,18})(?:\s+|$)")


class Gtp:
    """A player that is spoken to over GTP; `session` is what else a `Session` takes."""

    def __init__(self, player: SearchPlayer, limit: Limit, *, write: Callable[[str], Any], **session: Any) -> None:
        self._write = write
        self.commands = Commands(player, limit, write=write, **session)

    @property
    def ended(self) -> bool:
        """Whether it was told to quit."""
        return self.commands.ended

    def hear(self, line: str) -> None:
        """Answer one line; a line without a command gets no answer."""
        text = _CONTROL.sub("", line.rstrip("\r\n").split("#", 1)[0]).replace("\t", " ").strip()
        number = ""
        found = _NUMBER.match(text)
        if found:
            number, text = found[1], text[found.end() :]
        if not text:
            if number:
                self._write(f"?{number} no command\n\n")
            return
        name, *words = text.split()
        self.commands.answering = False
        try:
            stream = self.commands.streams.get(name)
            if stream is not None:
                stream(words, number)
                return
            answer = self.commands.call(name, words)
        except (GtpError, ParameterError, ProblemError) as error:
            self._refuse(number, _one_line(error))
        except Exception as error:  # an engine that dies loses the game; one that says so may go on
            self._refuse(number, f"internal error: {type(error).__name__}: {_one_line(error)}")
        else:
            self._write(f"={number} {answer}".rstrip() + "\n\n")

    def _refuse(self, number: str, reason: str) -> None:
        """Answer with an error; where part of an answer was written already, only end that."""
        if self.commands.answering:
            print(f"boltree: {reason}", file=sys.stderr)
            self._write("\n")
        else:
            self._write(f"?{number} {reason}\n\n")


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())


def serve(make: Callable[[Callable[[str], Any], Callable[[], bool]], Gtp], lines: Iterable[str], out: IO[str]) -> None:
    """Speak GTP until told to quit or the lines end.

    A thread reads, so that a command that arrives ends an analysis.

    Args:
        make: makes the Gtp of its `write` and `interrupted`.
        lines: what the controller says.
        out: where answers go.
    """
    waiting: queue.Queue[str | None] = queue.Queue()

    def read() -> None:
        try:
            for line in lines:
                waiting.put(line)
        except (OSError, ValueError):
            pass  # closed from the other side
        waiting.put(None)

    def write(text: str) -> None:
        out.write(text)
        out.flush()

    gtp = make(write, lambda: not waiting.empty())
    threading.Thread(target=read, daemon=True).start()
    while not gtp.ended:
        line = waiting.get()
        if line is None:
            return
        gtp.hear(line)
