"""An external engine as a player: a process that speaks GTP."""

from __future__ import annotations

import contextlib
import queue
import re
import shlex
import subprocess
import threading
import time
from collections import deque
from collections.abc import Sequence

from ...errors import LabError, ParameterError
from ...log import logger
from ..board.points import PASS, action_named
from ..game import Game
from ..player import RESIGN, Choice, Limit

SILENCE_SECONDS = 60.0
"""An engine that says nothing for this time, besides the time to think, is given up."""

STARTING_SECONDS = 900.0
"""The same for an engine that has not answered yet, but has said something on stderr: silence there counts, too.

KataGo tunes itself for minutes on a new machine, and tells of it on stderr. A program that says nothing at all waits
for something else than GTP.
"""

THINKING_SECONDS = 600.0
"""The time that a move may take where the engine was told no time: it thinks as long as its own settings say."""

_QUITTING_SECONDS = 10.0
"""The time that an engine may take to end after it was told to quit."""

_NEWS_SECONDS = 15.0
"""The time between two lines about an engine that is still starting."""

_KEPT_LINES = 200
"""Lines of the engine's stderr that are kept."""


class EngineError(LabError):
    """An engine died, was silent, or answered what is no answer."""


class Engine:
    """A process that speaks GTP.

    Args:
        command: the program and its arguments.
        patience: seconds that a command may take.
    """

    def __init__(self, command: Sequence[str], patience: float = SILENCE_SECONDS) -> None:
        self.command, self.patience = list(command), patience
        self.stderr: deque[str] = deque(maxlen=_KEPT_LINES)
        self._heard, self._starting = 0.0, False
        try:
            self._process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                encoding="utf-8", errors="replace",
            )  # fmt: skip
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise ParameterError(f"engine {shlex.join(self.command)!r}: cannot be started: {reason}") from None
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._readers = [threading.Thread(target=one, daemon=True) for one in (self._read, self._read_errors)]
        for reader in self._readers:
            reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with contextlib.suppress(ValueError):  # closed meanwhile
            for line in self._process.stdout:
                self._lines.put(line)
        self._lines.put(None)

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        with contextlib.suppress(ValueError):
            for line in self._process.stderr:
                self._heard = time.monotonic()
                self.stderr.append(line.rstrip())

    def ask(self, command: str, patience: float | None = None) -> str:
        """The answer to a command; an answer that says no is a ParameterError."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(command + "\n")
            self._process.stdin.flush()
        except (OSError, ValueError):
            raise self._died(command) from None
        answer = self._answer(command, self.patience if patience is None else patience)
        if not answer or answer[0] not in "=?":
            raise self.error(f"{command!r} was answered by {answer[:80]!r}, which is no GTP")
        text = re.sub(r"^[=?]\d* ?", "", answer).rstrip().lstrip("\n")
        if answer[0] == "?":
            raise ParameterError(f"engine {self.command[0]}: {command!r} was refused: {text.strip()}")
        return text

    def start(self, command: str) -> str:
        """The answer to the first command, which may take minutes; while it does, what the engine says is told."""
        over = threading.Event()

        def tell() -> None:
            seconds = 0.0
            while not over.wait(_NEWS_SECONDS):
                seconds += _NEWS_SECONDS
                last = next((f": {line}" for line in reversed(self.stderr) if line), "")
                logger.warning("%s has been starting for %.0f s%s", self.command[0], seconds, last)

        threading.Thread(target=tell, daemon=True).start()
        self._starting = True
        try:
            return self.ask(command)
        finally:
            self._starting = False
            over.set()

    def _answer(self, command: str, patience: float) -> str:
        """Lines up to an empty one."""
        lines: list[str] = []
        began = time.monotonic()
        while True:
            line = self._next_line(command, began, patience)
            if line is None:
                raise self._died(command)
            line = line.rstrip("\r\n")
            if line.strip():
                lines.append(line)
                if len(lines) == 1 and line[0] not in "=?":
                    return line
            elif lines:
                return "\n".join(lines)

    def _next_line(self, command: str, began: float, patience: float) -> str | None:
        """A line of an answer, or None where there will be none."""
        while True:
            left = self._ends(began, patience) - time.monotonic()
            try:
                return self._lines.get(timeout=min(max(left, 0.0), 1.0))
            except queue.Empty:
                if time.monotonic() >= self._ends(began, patience):
                    self._process.kill()  # it would answer the wrong command later
                    raise self.error(f"no answer to {command!r} within {time.monotonic() - began:.1f} s") from None

    def _ends(self, began: float, patience: float) -> float:
        """Until when an answer is waited for."""
        talks = self._starting and self.stderr
        return max(began + patience, self._heard + STARTING_SECONDS if talks else 0.0)

    def _died(self, command: str) -> EngineError:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(5.0)
        for reader in self._readers:
            reader.join(1.0)
        return self.error(f"it ended (exit status {self._process.returncode}) at {command!r}")

    def error(self, what: str) -> EngineError:
        """An error of this engine, with the last lines that it wrote."""
        last = " | ".join(line for line in list(self.stderr)[-3:] if line)
        said = f"; its last words: {last}" if last else ""
        return EngineError(f"engine {shlex.join(self.command)!r}: {what}{said}")

    def close(self) -> None:
        """Tell it to quit, and end it if it does not."""
        if self._process.poll() is None:
            with contextlib.suppress(LabError, ParameterError):
                self.ask("quit", patience=2.0)
            try:
                self._process.wait(_QUITTING_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
        self._process.wait()
        for reader in self._readers:
            reader.join(1.0)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()


class EnginePlayer:
    """Plays by an engine. Trials are not the engine's business: a limit by seconds is told to it, another is not.

    An engine that knows KataGo's commands for rules is told the game's; another must be started with rules that agree:
    area scoring, positional superko, no suicide.

    Args:
        command: the program and its arguments, such as ``["gnugo", "--mode", "gtp"]``.
        name: what tables and records call it.
        patience: seconds that a command may take beyond the time to think.
    """

    def __init__(self, command: Sequence[str], name: str | None = None, patience: float = SILENCE_SECONDS) -> None:
        self.engine = Engine(command, patience)
        self.name = name or command[0]
        self._known: Game | None = None
        self._seconds: float | None = None
        try:
            self._commands = set(self.engine.start("list_commands").split())
        except EngineError as error:
            self.engine.close()
            raise EngineError(f"{error}. Does this command speak GTP? GNU Go, say, needs --mode gtp") from None
        except BaseException:
            self.engine.close()
            raise

    def choose(self, game: Game, limit: Limit) -> Choice:
        """The engine's move; whether it is legal, the game must see."""
        if game.is_over:
            raise ParameterError("the game is over: there is no move to choose")
        self._follow(game)
        self._tell_time(limit.seconds)
        began = time.perf_counter()
        patience = self.engine.patience + (THINKING_SECONDS if limit.seconds is None else 2 * limit.seconds)
        answer = self.engine.ask(f"genmove {game.to_move}", patience)
        spent = time.perf_counter() - began
        move = answer.strip().upper()
        if move == RESIGN.upper():
            return Choice(RESIGN, 0, spent)
        try:
            action_named(move, game.size)
        except ParameterError:
            said = f"'genmove {game.to_move}' was answered by {answer[:80]!r}, which is no move"
            raise self.engine.error(said) from None
        move = PASS if move == PASS.upper() else move
        self._known = game.copy()
        if game.is_legal(move):
            self._known.play(move)
        return Choice(move, 0, spent)

    def _tell_time(self, seconds: float | None) -> None:
        """Tell the engine how long it may think about every move."""
        if seconds is None or seconds == self._seconds:
            return
        if "kata-time_settings" in self._commands:
            self.engine.ask(f"kata-time_settings byoyomi 0 {seconds:g} 1")
        elif "time_settings" in self._commands:
            self.engine.ask(f"time_settings 0 {max(round(seconds), 1)} 1")  # whole seconds: GTP knows no others
        self._seconds = seconds

    def _tell_rules(self, rules: str) -> None:
        if "kata-set-rules" in self._commands:
            self.engine.ask("kata-set-rules tromp-taylor")
            if rules == "no-suicide":
                self.engine.ask("kata-set-rule suicide false")

    def _follow(self, game: Game) -> None:
        """Tell the engine what was played since it was last asked, or the whole game where it is another one."""
        known = self._known
        if known is None or not _continues(game, known):
            self._tell_rules(game.rules)
            for command in (f"boardsize {game.size}", "clear_board", f"komi {game.komi:g}"):
                self.engine.ask(command)
            for colour, stones in zip(("black", "white"), game.setup, strict=True):
                for stone in stones:
                    self.engine.ask(f"play {colour} {stone}")
            told, self._seconds = 0, None
        else:
            told = known.length
        for mover, move in list(zip(game.movers, game.moves, strict=True))[told:]:
            self.engine.ask(f"play {mover} {move}")
        self._known = game.copy()

    def close(self) -> None:
        """End the process."""
        self.engine.close()


def _continues(game: Game, known: Game) -> bool:
    alike = (game.size, game.komi, game.rules, game.setup) == (known.size, known.komi, known.rules, known.setup)
    return alike and game.played[: len(known.played)] == known.played
