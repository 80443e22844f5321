"""``bt.go.Game``: a game that is played move by move, by name, and can be taken back, scored, written down."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from ..core.native import FAILED, plain_call
from ..errors import ParameterError, ProblemError
from ..problem.state import PlainState
from ..problems import go as problems
from .board import rules as rulebook
from .board.board import BLACK, EMPTY, WHITE, count_liberties, set_stones
from .board.picture import picture
from .board.points import COLOURS, action_named, move_name
from .board.scoring import area_balance


class Game:
    """A game of Go with area scoring and positional superko; two passes end it.

    Every move leaves its state behind, so taking back and copying cost nothing. A game also ends after 3 * size * size
    moves (but not before 50).

    Args:
        size: of the board, 2 to 19.
        komi: White's points for moving second.
        rules: "tromp-taylor", which allows suicide of two stones or more, or "no-suicide".
        black: points with Black's stones before the first move, as in handicap games.
        white: points with White's.
        to_move: who begins, "black" or "white".

    Example:
        >>> import boltree as bt
        >>> game = Game(size=5, komi=0.5)
        >>> for move in ("C3", "C4", "pass", "pass"):
        ...     game.play(move)
        >>> game.is_over, game.score(), game.result
        (True, -0.5, 'W+0.5')
        >>> search = bt.Search(game.problem, bt.UCT(), state=Game(size=5).state, seed=0)
    """

    def __init__(
        self,
        size: int = 9,
        komi: float = 7.5,
        rules: str = "tromp-taylor",
        *,
        black: Iterable[str] = (),
        white: Iterable[str] = (),
        to_move: str = "black",
    ) -> None:
        try:
            self.problem = problems.Go(size, komi, rules)
        except ProblemError as error:
            raise ParameterError(str(error)) from None
        self.size, self.komi, self.rules = int(size), float(komi), rules
        self._rules = self.problem.plain_params
        state = self.problem.new_state()
        view = PlainState(state)
        rulebook.begin(self._rules, view)
        colours = self._colours_of(black, white)
        if colours.any():
            state[:] = 0
            if not set_stones(self._rules, view, colours):
                raise ParameterError("black, white: the stones include a chain without liberties")
            view.width, view.seen = self.size, 1
            view.history[0] = view.hash
        view.player = _player(to_move)
        self.states = [state]
        self.played: list[tuple[int, int]] = []

    def _colours_of(self, black: Iterable[str], white: Iterable[str]) -> Any:
        colours = np.zeros(self.size**2 + 1, np.uint8)
        for colour, stones in ((BLACK, black), (WHITE, white)):
            for stone in stones:
                point = self._action(stone)
                if point == self.size**2 or colours[point]:
                    raise ParameterError(f"{COLOURS[colour - 1]}: {stone!r} must be a point, and named once")
                colours[point] = colour
        return colours

    # Playing

    def play(self, move: str, colour: str | None = None, *, play_on: bool = False) -> None:
        """Play a move, such as "D4" or "pass", for whose turn it is, or for another colour out of turn.

        With `play_on` also after two passes, as players do who do not agree on what is dead.
        """
        action = self._action(move)
        player = self._player if colour is None else _player(colour)
        reason = self._objection(action, player, play_on)
        if reason:
            who = COLOURS[player].capitalize()
            raise ParameterError(f"move {move!r}: illegal as {who}'s move {len(self.played) + 1}: {reason}")
        state = self.states[-1].copy()
        view = PlainState(state)
        if player != self._player:
            view.player = player
            view.recent[:] = 0  # networks see the last moves only as far as they alternate
        view.passes = min(view.passes, 1)  # more than two are as good as two
        self._step(state, action)
        self.states.append(state)
        self.played.append((player, action))

    def _step(self, state: Any, action: int) -> None:
        """Take a turn by the problem's compiled step."""
        rng, out = np.zeros(2, np.uint64), np.zeros(2)
        memory = (self.problem.params_at, state.ctypes.data, action, rng.ctypes.data, out.ctypes.data)
        if plain_call(self.problem.address("step"), memory) == FAILED:
            rulebook.take_turn(self._rules, PlainState(state), action)  # which says why

    def undo(self) -> None:
        """Take the last move back."""
        if not self.played:
            raise ParameterError("undo(): no move was played yet")
        self.played.pop()
        self.states.pop()

    def copy(self) -> Game:
        """An independent game with the same moves."""
        other = object.__new__(Game)
        other.__dict__.update(self.__dict__)
        other.states, other.played = list(self.states), list(self.played)
        return other

    def _action(self, move: str) -> int:
        return action_named(move, self.size)

    def _objection(self, action: int, player: int, play_on: bool = False) -> str:
        """Why a move is illegal; nothing if it is legal."""
        if self.is_over and not (play_on and self.view.moves < self._rules.limit):
            return "the game is over"
        if action == self.size**2 or (player == self._player and self._legal()[action]):
            return ""
        view, colour = self.view, player + 1
        if view.colour[action] != EMPTY:
            return "the point is occupied"
        if rulebook.is_banned(self._rules, view, action, colour):
            return "it repeats an earlier position (superko)"
        if rulebook.is_legal(self._rules, view, action, colour):
            return ""
        return f"it is suicide{' of one stone' if self._rules.suicide else ''}, which {self.rules!r} rules forbid"

    # Looking

    @property
    def view(self) -> PlainState:
        """The position, with an attribute for every field of its state."""
        return PlainState(self.states[-1])

    @property
    def _player(self) -> int:
        return int(self.view.player)

    @property
    def state(self) -> Any:
        """The state, for ``bt.Search(game.problem, ..., state=game.state)``."""
        return self.states[-1].copy()[0]

    @property
    def to_move(self) -> str:
        """Whose turn it is, "black" or "white"."""
        return COLOURS[self._player]

    @property
    def moves(self) -> list[str]:
        """The moves so far."""
        return [move_name(action, self.size) for _, action in self.played]

    @property
    def length(self) -> int:
        """How many moves there are so far."""
        return len(self.played)

    @property
    def movers(self) -> list[str]:
        """Who played each of the moves so far."""
        return [COLOURS[player] for player, _ in self.played]

    @property
    def setup(self) -> tuple[list[str], list[str]]:
        """The points with Black's and White's stones before the first move."""
        colours = PlainState(self.states[0]).colour[: self.size**2]
        black, white = ([move_name(int(p), self.size) for p in np.flatnonzero(colours == c)] for c in (BLACK, WHITE))
        return black, white

    @property
    def first_to_move(self) -> str:
        """Whose turn it was before the first move."""
        return COLOURS[int(PlainState(self.states[0]).player)]

    @property
    def is_over(self) -> bool:
        """Whether two passes, or the longest game's last move, have ended the game."""
        return bool(rulebook.is_over(self._rules, self.view))

    def is_legal(self, move: str) -> bool:
        """Whether a move may be played now; a name that is no point of the board is an error."""
        return not self._objection(self._action(move), self._player)

    def legal_moves(self) -> list[str]:
        """The moves that may be played now, the pass last."""
        return [move_name(action, self.size) for action in self.legal_actions()]

    def legal_actions(self) -> list[int]:
        """The same as the problem's actions: points, row by row from the top, and the pass."""
        if self.is_over:
            return []
        return np.flatnonzero(self._legal()).tolist()

    def _legal(self) -> NDArray[np.bool_]:
        """Which actions are legal for whose turn it is, by the problem's compiled function."""
        state, legal = self.states[-1], np.zeros(self.problem.actions, np.bool_)
        arguments = (self.problem.params_at, state.ctypes.data, legal.ctypes.data, legal.size)
        plain_call(self.problem.address("legal"), arguments)
        return legal

    def banned_moves(self) -> list[str]:
        """The empty points where only superko forbids to play now."""
        view, colour = self.view, self._player + 1
        banned = (p for p in range(self.size**2) if rulebook.is_banned(self._rules, view, p, colour))
        return [move_name(p, self.size) for p in banned]

    def colour_at(self, point: str) -> str | None:
        """The colour of the stone on a point, or None."""
        colour = int(self.view.colour[self._action(point)])
        return COLOURS[colour - 1] if colour in (BLACK, WHITE) else None

    def liberties(self, point: str) -> int:
        """How many liberties the chain on a point has; 0 where there is no stone."""
        if self.colour_at(point) is None:
            return 0
        return int(count_liberties(self._rules, self.view, self._action(point), self.size**2))

    def score(self) -> float:
        """Black's area minus White's and komi, with the stones as they stand: dead ones are not taken off."""
        return float(area_balance(self._rules, PlainState(self.states[-1].copy()))) - self.komi

    @property
    def result(self) -> str:
        """The score as records write it, such as "B+3.5", "W+0.5", or "0" for a draw."""
        return result_of(self.score())

    def __str__(self) -> str:
        return picture(self.view)

    def __repr__(self) -> str:
        turn = "over" if self.is_over else f"{self.to_move} to move"
        return f"<Game {self.size}x{self.size}, komi {self.komi:g}, {self.rules}: {len(self.played)} moves, {turn}>"

    # Writing down

    def to_sgf(self) -> str:
        """The game as SGF text."""
        from .sgf import SgfGame, sgf_text

        black, white = self.setup
        return sgf_text(
            SgfGame(
                self.size,
                self.komi,
                self.rules,
                setup=(tuple(black), tuple(white)),
                first_to_move=self.first_to_move[0],
                moves=tuple((mover[0], move) for mover, move in zip(self.movers, self.moves, strict=True)),
                result=self.result if self.is_over else "",
            )
        )

    @classmethod
    def from_sgf(cls, text: Union[str, bytes], *, rules: str | None = None) -> Game:
        """The main line of an SGF text as a game, with its handicap stones; `rules` overrides what the text names.

        Rules that the text does not name, or that score territory, are taken as "tromp-taylor".
        """
        from .sgf import read_sgf

        read = read_sgf(text)
        black, white = read.setup
        game = cls(read.size, read.komi, rules or read.rules, black=black, white=white, to_move=read.first_to_move)
        for colour, move in read.moves:
            try:
                game.play(move, colour, play_on=True)
            except ParameterError as error:
                raise ParameterError(f"SGF: {error}") from None
        return game


def result_of(score: float) -> str:
    """A score for Black as records write it.

    >>> result_of(3.5), result_of(-0.5), result_of(0.0)
    ('B+3.5', 'W+0.5', '0')
    """
    return f"{'B' if score > 0 else 'W'}+{abs(score):g}" if score else "0"


def _player(colour: str) -> int:
    name = colour.lower() if isinstance(colour, str) else ""
    if name not in ("black", "white", "b", "w"):
        raise ParameterError(f"colour {colour!r}: must be 'black' or 'white'")
    return "bw".index(name[0])
