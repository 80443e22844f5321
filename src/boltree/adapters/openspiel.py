"""``bt.from_openspiel``: a game of OpenSpiel's with perfect information as a problem, for one player or two."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from ..errors import ParameterError
from ..extras import needs
from ..log import logger
from ..messages import did_you_mean
from ..problem.problem import MAX_ACTIONS, Problem
from ..problem.python.problem import PythonProblem


def from_openspiel(game: Any, *, horizon: int | None = None, discount: float = 1.0, **parameters: Any) -> Problem:
    """A game of OpenSpiel's as a problem; its states are OpenSpiel's own.

    Games for one player or two with perfect information, moves in turn, with or without chance (every outcome of chance
    is listed), rewards at the end or on the way; two players' rewards must add up to a constant.

    Args:
        game: its name, such as ``"connect_four"`` or ``"connect_four(rows=5)"``, or a ``pyspiel.Game``.
        horizon: how many moves to look ahead; the longest game if None.
        discount: weight of a reward one move later.
        parameters: of the game, with a name: ``from_openspiel("pig", winscore=20)``.

    >>> import boltree as bt
    >>> problem = bt.from_openspiel("tic_tac_toe")
    >>> problem.actions, problem.horizon
    (9, 9)
    """
    pyspiel = needs("pyspiel", "openspiel")
    found = _game(pyspiel, game, parameters)
    refusal = _refusal(pyspiel, found)
    if refusal:
        raise ParameterError(
            f"game={str(found)!r}: {refusal}; must be a game of one player, or of two with opposite interests, with "
            "perfect information and moves in turn"
        )
    _say_if_compiled(found)
    certain = found.get_type().chance_mode == pyspiel.GameType.ChanceMode.DETERMINISTIC
    kind = OpenSpielGame if certain else OpenSpielGameOfChance
    return kind(found, horizon, discount)


def _game(pyspiel: Any, game: Any, parameters: dict[str, Any]) -> Any:
    if isinstance(game, pyspiel.Game):
        if parameters:
            raise ParameterError(f"{sorted(parameters)[0]}: is for a game's name, not for a game")
        return game
    if not isinstance(game, str):
        raise ParameterError(f"game={game!r}: must be a game's name, such as 'connect_four', or a pyspiel.Game")
    names = pyspiel.registered_names()
    short = game.partition("(")[0]
    if short not in names:
        hint = did_you_mean(short, names, most=3) or "; pyspiel.registered_names() lists them"
        raise ParameterError(f"game={game!r}: OpenSpiel has no such game{hint}")
    try:
        return pyspiel.load_game(game, parameters) if parameters else pyspiel.load_game(game)
    except (pyspiel.SpielError, RuntimeError, TypeError) as error:
        raise ParameterError(f"game={game!r}: {error}") from error


COMPILED: dict[str, tuple[str, dict[str, Any]]] = {
    "tic_tac_toe": ("TicTacToe()", {}),
    "connect_four": ("ConnectFour()", {"rows": 6, "columns": 7, "x_in_row": 4}),
    "hex": ("Hex({num_cols})", {"num_cols": range(2, 9), "swap": False}),
    "breakthrough": ("Breakthrough({rows}, {columns})", {"rows": range(3, 9), "columns": range(2, 9)}),
    "othello": ("Othello()", {}),
    "mancala": ("Kalah()", {}),
}
"""Games that are in `bt.problems` by the same rules: what they are called there, and for which parameters."""


def _say_if_compiled(game: Any) -> None:
    """Tell the user where the same game is compiled, which is many times as fast."""
    name, found = game.get_type().short_name, game.get_parameters()
    call, wanted = COMPILED.get(name, ("", {}))
    fits = all(found.get(key) in (value if isinstance(value, range) else (value,)) for key, value in wanted.items())
    if call and fits and found.get("num_cols") == found.get("num_rows"):
        logger.info("%s is bt.problems.%s too, compiled: many times as fast", name, call.format(**found))


def _refusal(pyspiel: Any, game: Any) -> str:
    """Why a game cannot be a problem; empty if it can."""
    kind, t = game.get_type(), pyspiel.GameType
    if kind.dynamics != t.Dynamics.SEQUENTIAL:
        return "its players move at the same time"
    if kind.information != t.Information.PERFECT_INFORMATION:
        return "its players do not know everything (imperfect information)"
    if game.num_players() > 2:
        return f"it has {game.num_players()} players"
    if game.num_players() == 2 and kind.utility not in (t.Utility.ZERO_SUM, t.Utility.CONSTANT_SUM):
        return "its players' interests are not opposite"
    if kind.chance_mode == t.ChanceMode.SAMPLED_STOCHASTIC:
        return "its outcomes of chance cannot be listed"
    if game.num_distinct_actions() > MAX_ACTIONS:
        return f"it has {game.num_distinct_actions()} actions, more than {MAX_ACTIONS}"
    return ""


class OpenSpielGame(PythonProblem):
    """A game without chance."""

    deterministic = True

    def __init__(self, game: Any, horizon: int | None, discount: float) -> None:
        self.game = game
        longest, self._pays_at_end = game.max_game_length(), _pays_at_end(game)
        super().__init__(
            actions=game.num_distinct_actions(), horizon=longest if horizon is None else horizon, discount=discount
        )
        self._sum = float(game.utility_sum() or 0.0) if game.num_players() == 2 else 0.0
        self._to_the_end = discount == 1.0 and self.horizon >= longest

    def has(self, name: str) -> bool:
        """Whether it defines a function; who moves is asked where there are two players."""
        return super().has(name) and not (name == "player" and self.game.num_players() == 1)

    def start(self, rng: Any) -> Any:
        """The first state in which a player moves."""
        state = self.game.new_initial_state()
        _play_chance(state, rng)
        return state

    def step(self, state: Any, action: int, rng: Any) -> tuple[Any, float, bool]:
        """The state after a move, what it adds to the first player's return, and whether the game is over."""
        return self._after(state, state.child(action))

    def _after(self, before: Any, after: Any) -> tuple[Any, float, bool]:
        """A state, what the first player's return has grown by since the one before, and whether the game is over."""
        over = after.is_terminal()
        if self._pays_at_end:
            return after, after.returns()[0] if over else 0.0, over
        return after, after.returns()[0] - before.returns()[0], over

    def legal(self, state: Any) -> list[int]:
        """The legal moves."""
        return state.legal_actions()  # type: ignore[no-any-return]

    def player(self, state: Any) -> int:
        """Who moves."""
        return state.current_player()  # type: ignore[no-any-return]

    def rollout(self, state: Any, steps: int, rng: Any) -> float:
        """Play random moves; by OpenSpiel itself where nothing cuts the game off."""
        if self._to_the_end and self._pays_at_end:
            return self._random_result(state, rng)
        before = state.returns()[0]
        if self._to_the_end:
            return self._random_return(state, rng) - float(before)
        state = state.clone()
        total, weight = 0.0, 1.0
        for _ in range(steps):
            legal = state.legal_actions()
            state.apply_action(legal[int(rng.random() * len(legal))])
            _play_chance(state, rng)
            after = state.returns()[0]
            total += weight * (after - before)
            weight, before = weight * self.discount, after
            if state.is_terminal():
                break
        return total

    def _random_result(self, state: Any, rng: Any) -> float:
        """The first player's return after random moves to the end, where nothing is paid before: one call."""
        import pyspiel

        # a tree search of one simulation is one rollout; it pays the player who moves
        seed = int(rng.random() * 2**31)
        evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
        paid = pyspiel.MCTSBot(self.game, evaluator, 1.0, 1, 1, False, seed, False).mcts_search(state).total_reward
        return float(paid if state.current_player() == 0 else self._sum - paid)

    def _random_return(self, state: Any, rng: Any) -> float:
        """The first player's return after random moves to the end, by OpenSpiel's own players."""
        import pyspiel

        state, bots = state.clone(), []
        for player in range(self.game.num_players()):
            bots.append(pyspiel.make_uniform_random_bot(player, int(rng.random() * 2**31)))
        pyspiel.evaluate_bots(state, bots, int(rng.random() * 2**31))
        return float(state.returns()[0])

    def key(self, state: Any) -> Hashable:
        """The moves that led here."""
        return state.history_str()  # type: ignore[no-any-return]

    def show(self, state: Any) -> str:
        """OpenSpiel's own picture."""
        return str(state)

    def action_name(self, action: int) -> str:
        """What a move is called where it can be told without a state, else its number."""
        name = self.game.action_to_string(0, action)
        return str(action) if name.startswith("Action(") else str(name)

    def action_name_in(self, state: Any, action: int) -> str:
        """What OpenSpiel calls a move in a state."""
        return str(state.action_to_string(state.current_player(), action))

    def display_name(self) -> str:
        """The game's name, and its parameters where they were given."""
        return str(self.game).removesuffix("()")

    def __repr__(self) -> str:
        return f"from_openspiel({str(self.game)!r})"


class OpenSpielGameOfChance(OpenSpielGame):
    """A game with chance, whose outcomes are listed and made one by one."""

    deterministic = False
    step = PythonProblem.step  # drawn from the outcomes
    _last: tuple[Any, int, list[tuple[float, tuple[int, ...]]]] | None = None  # asked for again, outcome by outcome

    def chances(self, state: Any, action: int) -> list[float]:
        """The probability of every sequence of chance's moves after a move."""
        return [chance for chance, _ in self._sequences(state, action)]

    def outcome(self, state: Any, action: int, k: int) -> tuple[Any, float, bool]:
        """The state after a move and the k-th of chance's sequences."""
        after = state.child(action)
        for move in self._sequences(state, action)[k][1]:
            after.apply_action(move)
        return self._after(state, after)

    def _sequences(self, state: Any, action: int) -> list[tuple[float, tuple[int, ...]]]:
        if self._last is None or self._last[0] is not state or self._last[1] != action:
            self._last = (state, action, _sequences(state.child(action)))
        return self._last[2]


def _pays_at_end(game: Any) -> bool:
    """Whether nothing is paid before a game ends."""
    import pyspiel

    return bool(game.get_type().reward_model == pyspiel.GameType.RewardModel.TERMINAL)


def _sequences(state: Any) -> list[tuple[float, tuple[int, ...]]]:
    """Chance's moves from here until a player moves or it is over, with their probabilities."""
    if not state.is_chance_node():
        return [(1.0, ())]
    found = []
    for move, chance in state.chance_outcomes():
        found += [(chance * rest, (move, *moves)) for rest, moves in _sequences(state.child(move))]
    return found


def _play_chance(state: Any, rng: Any) -> None:
    """Let chance move until a player moves or it is over."""
    while state.is_chance_node():
        u, listed = rng.random(), state.chance_outcomes()
        drawn = listed[-1][0]
        for move, chance in listed:
            u -= chance
            if u < 0.0:
                drawn = move
                break
        state.apply_action(drawn)
