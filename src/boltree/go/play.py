"""``boltree play``: a game in the terminal against a player."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..errors import ParameterError
from .board.picture import stars_of
from .board.points import COLOURS, LETTERS, PASS, move_name
from .game import Game
from .network.outlook import outlook_of
from .player import RESIGN, Choice, Limit, Player, SearchPlayer
from .status import DEAD, score_without_dead, statuses

HELP = """Type a point such as D4, or one of
  pass     let the other move; two passes end the game
  hint     what the opponent would play here
  undo     take back your last move and its answer
  score    the score as the board stands, and without the stones that look dead
  save F   write the game to an SGF file
  resign   give up
  quit     leave"""


def board_text(game: Game, *, plain: bool = False) -> str:
    """The board with letters and numbers on every side; the last move stands in brackets.

    >>> print(board_text(Game(3, 0.5), plain=True))
        A B C
      3 . . . 3
      2 . . . 2
      1 . . . 1
        A B C
    """
    size, stars = game.size, stars_of(game.size)
    stones = ("X", "O", "+", ".") if plain else ("●", "○", "+", "·")
    last = game.moves[-1] if game.moves else ""
    letters = "    " + " ".join(LETTERS[:size])
    lines = [letters]
    for row in range(size):
        text, before = f" {size - row:2}", False
        for column in range(size):
            name = move_name(row * size + column, size)
            colour = game.colour_at(name)
            sign = stones[COLOURS.index(colour)] if colour else stones[2 if row * size + column in stars else 3]
            text += ("(" if name == last else ")" if before else " ") + sign
            before = name == last
        lines.append(f"{text}{')' if before else ' '}{size - row}")
    return "\n".join([*lines, letters])


class TerminalGame:
    """A game between a person and a player.

    Args:
        game: the game, at its first or any other position.
        player: the opponent.
        limit: of the opponent's moves and of hints.
        colour: the person's.
        ask: asks for a line; raises EOFError at the end of the input.
        say: prints.
        plain: draw stones as letters.
    """

    def __init__(
        self,
        game: Game,
        player: Player,
        limit: Limit,
        colour: str,
        *,
        ask: Callable[[str], str] = input,
        say: Callable[[str], Any] = print,
        plain: bool = False,
    ) -> None:
        self.game, self.player, self.limit, self.colour = game, player, limit, colour
        self._ask, self._say, self._plain = ask, say, plain

    def run(self) -> None:
        """Play until the game is over, or the person leaves."""
        self._say(f"You are {self.colour}, {self.player.name} is {self._other}. Type help for what you can do.\n")
        self._show()
        while not self.game.is_over:
            if self.game.to_move != self.colour:
                if not self._answer():
                    return
            elif not self._turn():
                return
        self._say(f"The game is over: {_said(self.game.score())}, as the board stands.{self._without_dead()}")

    @property
    def _other(self) -> str:
        return COLOURS[1 - COLOURS.index(self.colour)]

    def _show(self) -> None:
        self._say(board_text(self.game, plain=self._plain) + "\n")

    def _answer(self) -> bool:
        """The opponent's move; False when it resigns."""
        choice = self.player.choose(self.game, self.limit)
        if choice.move == RESIGN:
            self._say(f"{self.player.name} resigns: you win.")
            return False
        self.game.play(choice.move)
        self._say(f"{self.player.name} plays {choice.move}{_thoughts(choice, self._other)}.\n")
        self._show()
        return True

    def _turn(self) -> bool:
        """One line of the person's; False to leave."""
        try:
            line = self._ask(f"{self.colour.capitalize()}, move {self.game.length + 1}: ").strip()
        except EOFError:
            self._say("")
            return False
        word, _, rest = line.partition(" ")
        word = word.lower()
        if word in ("quit", "exit", "q"):
            return False
        if word == "resign":
            self._say(f"You resign: {self.player.name} wins.")
            return False
        try:
            self._do(word, line, rest.strip())
        except ParameterError as error:
            self._say(f"{error}. Type help for what you can do.\n" if word else "")
        return True

    def _do(self, word: str, line: str, rest: str) -> None:
        if word in ("help", "?"):
            self._say(HELP + "\n")
        elif word == "hint":
            choice = self.player.choose(self.game, self.limit)
            self._say(f"{self.player.name} would play {choice.move}{_thoughts(choice, self.colour)}.\n")
        elif word == "undo":
            self._undo()
        elif word == "score":
            self._say(f"As the board stands: {_said(self.game.score())}.{self._without_dead()}\n")
        elif word == "save":
            self._save(rest)
        else:
            self.game.play(PASS if word == PASS else line)
            self._show()

    def _without_dead(self) -> str:
        """What the score would be without dead stones, if the opponent can tell that there are any."""
        if not isinstance(self.player, SearchPlayer):
            return ""
        outlook = outlook_of(self.player.evaluator, self.game.problem, self.game.state)
        dead = [p for chain, status in statuses(self.game, outlook) if status == DEAD for p in chain.points]
        if not dead:
            return ""
        names, looks = " ".join(move_name(p, self.game.size) for p in dead), "looks" if len(dead) == 1 else "look"
        return f" But {names} {looks} dead; without, {_said(score_without_dead(self.game, outlook))}."

    def _undo(self) -> None:
        """Back to the person's last move; an opening that was given is not taken back beyond it."""
        mine = [i for i, mover in enumerate(self.game.movers) if mover == self.colour]
        if not mine:
            raise ParameterError("undo: you have not moved yet")
        while self.game.length > mine[-1]:
            self.game.undo()
        self._show()

    def _save(self, name: str) -> None:
        if not name:
            raise ParameterError("save: name a file, such as save game.sgf")
        try:
            Path(name).expanduser().write_text(self.game.to_sgf(), encoding="utf-8")
        except OSError as error:
            raise ParameterError(f"save {name}: {error.strerror}") from None
        self._say(f"Written: {name}\n")


def _thoughts(choice: Choice, colour: str) -> str:
    """How sure a player is of winning with a colour."""
    if choice.black_wins is None:
        return ""
    chance = choice.black_wins if colour == "black" else 1 - choice.black_wins
    return f" ({chance:.0%} for {colour}, {choice.trials:,} trials in {choice.seconds:.1f} s)"


def _said(score: float) -> str:
    if score == 0:
        return "a draw"
    return f"{'Black' if score > 0 else 'White'} wins by {abs(score):g}"


def shows_unicode() -> bool:
    """Whether the terminal can print round stones."""
    try:
        "●○·".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
