"""``bt.from_pomdp``: a problem with a hidden state from a .pomdp file, the format of Cassandra's archive.

    discount: 0.95
    values: reward
    states: left right
    actions: listen open-left open-right
    observations: heard-left heard-right
    start: uniform
    T: listen identity
    T: open-left uniform
    O: listen
    0.85 0.15
    0.15 0.85
    R: open-left : left : * : * -100

A ``#`` begins a comment; states, actions and observations are called by name or number, ``*`` is all of them; what
comes later counts. ``T`` takes one probability, a row or a matrix, also ``uniform``, ``identity`` and ``reset`` (back
to the start); ``O`` and ``R`` alike.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..errors import ParameterError, ProblemError
from ..messages import did_you_mean, shortened
from ..problems.hidden_tabular import HiddenTabular

ROUNDED = 1e-4
"""How far from 1 probabilities in a file may sum up, which are then divided by their sum."""

MOST_NUMBERS = 2**27
"""The most transition probabilities, zeros included: a gigabyte."""

ALL = slice(None)
PARTS: dict[str, tuple[str, ...]] = {"T": ("actions", "states", "states"), "O": ("actions", "states", "observations")}
PARTS["R"] = ("actions", "states", "states", "observations")
BEGINNINGS = ("discount", "values", "states", "actions", "observations", "start", *PARTS)


class PomdpFile(HiddenTabular):
    """A problem from a .pomdp file."""

    def __init__(self, name: str, names: dict[str, list[str]], *arguments: Any) -> None:
        self.name = name
        super().__init__(*arguments)
        self.action_names = tuple(names["actions"])
        self.state_names, self.observation_names = tuple(names["states"]), tuple(names["observations"])

    def show_state(self, state: Any) -> str:
        """The state's name."""
        return self.state_names[int(self.as_state(state)["s"])]

    def recipe(self) -> None:  # type: ignore[override]
        """None: it is made again from its file."""

    def __repr__(self) -> str:
        return f"from_pomdp({self.name})"


def from_pomdp(source: str | os.PathLike[str], *, horizon: int = 100, discount: float | None = None) -> PomdpFile:
    """A problem with a hidden state from a .pomdp file (Cassandra's format).

    Rewards that depend on the observation are taken as their mean over observations, which is all the same to a plan.

    Args:
        source: the path of a file, or its text.
        horizon: how many steps to look ahead.
        discount: weight of a reward one step later; the file's if None.

    >>> import boltree as bt
    >>> coin = bt.from_pomdp('''
    ... discount: 1.0
    ... values: reward
    ... states: heads tails
    ... actions: toss say-heads say-tails
    ... observations: silence
    ... T: * identity
    ... T: toss uniform
    ... O: * uniform
    ... R: say-heads : heads : * : * 1
    ... R: say-tails : tails : * : * 1
    ... ''', horizon=3)
    >>> bt.solve(coin).root_value
    1.5
    """
    text, name = os.fspath(source), "text"
    if not isinstance(text, str):
        raise ParameterError(f"source={shortened(source)}: must be the path of a .pomdp file, or its text")
    if "\n" not in text:
        path = Path(text)
        name = path.name
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise ParameterError(f"source={shortened(source)}: {error.strerror}; must be a file, or its text") from None
    reader = _Reader(name, text)
    reader.read()
    given = reader.discount if discount is None else discount
    if given is None:
        raise ProblemError(f"{name}: discount: is missing; give discount=...")
    chances, rewards = reader.transitions(), reader.rewards()
    start = reader.start.tolist()
    return PomdpFile(name, reader.names, chances.transpose(1, 0, 2), rewards, reader.O, horizon, start, (), given)


class _Rule(NamedTuple):
    """What one R says: numbers of an action, a state, a next state and an observation, or `ALL`, and the reward."""

    where: tuple[Any, ...]
    paid: Any  # a number, one for each observation, or (next state, observation)


class _Reader:
    """Reads a file from its first word to its last."""

    def __init__(self, name: str, text: str) -> None:
        self._name, self._at = name, 0
        self._words: list[tuple[str, int]] = []
        for number, line in enumerate(text.splitlines(), 1):
            written = line.partition("#")[0].replace(":", " : ")
            self._words += [(word, number) for word in written.split()]
        self._line = 0
        self.discount: float | None = None
        self._sign = 1.0
        self.names: dict[str, list[str]] = {}
        self._numbers: dict[str, dict[str, int]] = {}
        self.start: Any = None
        self._rules: list[_Rule] = []

    # Words

    def _fail(self, what: str) -> NoReturn:
        raise ProblemError(f"{self._name}, line {self._line}: {what}")

    def _peek(self, ahead: int = 0) -> str:
        i = self._at + ahead
        return self._words[i][0] if i < len(self._words) else ""

    def _take(self, wanted: str) -> str:
        if self._at == len(self._words):
            self._fail(f"ends where {wanted} is wanted")
        word, self._line = self._words[self._at]
        self._at += 1
        return word

    def _colon(self) -> None:
        word = self._take("':'")
        if word != ":":
            self._fail(f"{word!r}, must be ':'")

    def _number(self, wanted: str) -> float:
        word = self._take(wanted)
        try:
            number = float(word)
        except ValueError:
            number = np.nan
        if not np.isfinite(number):
            self._fail(f"{word!r}, must be {wanted}, a number")
        return number

    def _ended(self) -> bool:
        """Whether the next word begins another part."""
        there = self._peek()
        following = (":", "include", "exclude") if there == "start" else (":",)
        return not there or (there in BEGINNINGS and self._peek(1) in following)

    def _list(self) -> list[str]:
        found = []
        while not self._ended():
            found.append(self._take("a name"))
            if found[-1] == ":":
                self._fail("':' after what is none of " + ", ".join(BEGINNINGS))
        return found

    # Parts

    def read(self) -> None:
        """Read the whole file."""
        while self._at < len(self._words):
            word = self._take("a part")
            if word not in BEGINNINGS:
                self._fail(f"{word!r}, must be one of {', '.join(BEGINNINGS)}{did_you_mean(word, BEGINNINGS)}")
            if word in PARTS:
                self._colon()
                self._table(word)
            elif word == "start":
                self._start()
            else:
                self._colon()
                self._preamble(word)
        self._need_all("the end")

    def _preamble(self, word: str) -> None:
        if word == "discount":
            self.discount = self._number("the discount")
        elif word == "values":
            kind = self._take("reward or cost")
            if kind not in ("reward", "cost"):
                self._fail(f"values: {kind!r}, must be reward or cost")
            self._sign = 1.0 if kind == "reward" else -1.0
        else:
            if word in self.names:
                self._fail(f"{word}: comes twice")
            given = self._list()
            if len(given) == 1 and given[0].isdigit():
                given = [str(i) for i in range(int(given[0]))]
            if not given:
                self._fail(f"{word}: must be how many there are, or their names")
            if len(set(given)) < len(given) or "*" in given:
                self._fail(f"{word}: every name must be there once, and none be *")
            self.names[word] = given
            self._numbers[word] = {str(i): i for i in range(len(given))} | {n: i for i, n in enumerate(given)}

    def _need_all(self, before: str) -> None:
        for kind in ("states", "actions", "observations"):
            if kind not in self.names:
                self._fail(f"{kind}: must come before {before}")
        if hasattr(self, "T"):
            return
        states, actions, seen = (len(self.names[kind]) for kind in ("states", "actions", "observations"))
        if actions * states * max(states, seen) > MOST_NUMBERS:
            self._fail(f"{actions} actions and {states} states are too many for a table")
        self.T, self.O = np.zeros((actions, states, states)), np.zeros((actions, states, seen))
        self._set_at = {"T": np.zeros((actions, states), np.int64), "O": np.zeros((actions, states), np.int64)}
        if self.start is None:
            self.start = np.full(states, 1.0 / states)

    def _start(self) -> None:
        if "states" not in self.names:
            self._fail("start: must come after states")
        states = len(self.names["states"])
        how = "" if self._peek() == ":" else self._take("':'")
        if how not in ("", "include", "exclude"):
            self._fail(f"start {how!r}, must be 'start:', 'start include:' or 'start exclude:'")
        self._colon()
        given = self._list()
        if not how and given == ["uniform"]:
            self.start = np.full(states, 1.0 / states)
        elif not how and len(given) == states and (states > 1 or given[0] not in self._numbers["states"]):
            self._at -= states
            self.start = self._checked(self._row(states, "a probability"))
            if abs(self.start.sum() - 1.0) > ROUNDED:
                self._fail(f"start: the probabilities sum to {self.start.sum():.9g}, must sum to 1")
            self.start = self.start / self.start.sum()
        else:
            if not given or (not how and len(given) != 1):
                self._fail(f"start: has {len(given)} words, must be uniform, a state, or {states} probabilities")
            some = np.isin(np.arange(states), [self._called("states", name) for name in given])
            if how == "exclude":
                some = ~some
            if not some.any():
                self._fail("start: no state is left")
            self.start = some / some.sum()

    def _called(self, kind: str, word: str) -> int:
        if word not in self._numbers[kind]:
            self._fail(
                f"{word!r} is none of the {kind}, which are {shortened(self.names[kind])}"
                + did_you_mean(word, self.names[kind])
            )
        return self._numbers[kind][word]

    def _table(self, table: str) -> None:
        self._need_all(f"{table}:")
        where: list[Any] = []
        kinds = PARTS[table]
        while True:
            word = self._take(f"one of the {kinds[len(where)]}")
            where.append(ALL if word == "*" else self._called(kinds[len(where)], word))
            if self._peek() != ":":
                break
            if len(where) == len(kinds):
                self._fail(f"{table}: has more than {len(kinds)} names")
            self._colon()
        shape = tuple(len(self.names[kind]) for kind in kinds[len(where) :])
        if len(shape) > 2:
            self._fail(f"{table}: must name an action and a state, at least")
        values = self._values(table, shape)
        if table == "R":
            self._rules.append(_Rule((*where, *[ALL] * len(shape)), values))
            return
        self._set_at[table][tuple(where[:2])] = self._line
        self._array(table)[tuple(where)] = self._checked(values)

    def _array(self, table: str) -> NDArray[np.float64]:
        return self.T if table == "T" else self.O

    def _values(self, table: str, shape: tuple[int, ...]) -> Any:
        """A number, a row or a matrix, or the word for one."""
        word = self._peek()
        if word in ("uniform", "identity", "reset") and (table == "R" or not shape):
            self._take(word)
            self._fail(f"{table}: {word}, must be " + ("numbers" if shape else "a number"))
        if word == "uniform":
            self._take(word)
            return np.full(shape, 1.0 / shape[-1])
        if word == "identity" and table == "T" and len(shape) == 2:
            self._take(word)
            return np.eye(shape[0])
        if word == "reset" and table == "T":
            self._take(word)
            return np.broadcast_to(self.start, shape)
        count = int(np.prod(shape, dtype=np.int64))
        return self._row(count, "a reward" if table == "R" else "a probability").reshape(shape)

    def _row(self, count: int, wanted: str) -> NDArray[np.float64]:
        return np.array([self._number(f"{wanted} ({i + 1} of {count})") for i in range(count)])

    def _checked(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        wrong = values[~((values >= 0.0) & (values <= 1.0 + ROUNDED))]
        if wrong.size:
            self._fail(f"{wrong[0]:g}, must be a probability from 0 to 1")
        return values

    # What was read

    def _normalised(self, table: str) -> NDArray[np.float64]:
        array = self._array(table)
        total = array.sum(axis=2)
        wrong = np.argwhere(np.abs(total - 1.0) > ROUNDED)
        if wrong.size:
            a, s = (int(i) for i in wrong[0])
            row = f"{table}: {self.names['actions'][a]} : {self.names['states'][s]}"
            if not self._set_at[table][a, s]:
                self._fail(f"{row} is missing")
            self._line = int(self._set_at[table][a, s])
            self._fail(f"{row}: the probabilities sum to {total[a, s]:.9g}, must sum to 1")
        array /= total[:, :, None]
        return array

    def transitions(self) -> NDArray[np.float64]:
        """(action, state, next state)."""
        self._normalised("O")
        return self._normalised("T")

    def rewards(self) -> NDArray[np.float64]:
        """(state, action, next state), the mean over observations; 0 where it cannot go."""
        actions, states, _ = self.T.shape
        found = np.zeros((states, actions, states))
        for a in range(actions):
            s, to = np.nonzero(self.T[a])
            paid = np.zeros((len(s), self.O.shape[2]))
            for (action, before, after, seen), value in self._rules:
                if action not in (ALL, a):
                    continue
                here = np.ones(len(s), np.bool_)
                for given, column in ((before, s), (after, to)):
                    if given != ALL:
                        here &= column == given
                paid[np.flatnonzero(here), seen] = value[to[here]] if np.ndim(value) == 2 else value
            found[s, a, to] = self._sign * (paid * self.O[a, to]).sum(axis=1)
        return found
