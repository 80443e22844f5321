"""What problems draw from: a search's own numbers, by functions that also compile, or as NumPy's generators do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from .core import random


class Generator:
    """The `rng` of a `bt.PythonProblem`: `random`, `integers` and `choice`; `bt.uniform` and `bt.integer` take it too.

    Args:
        words: the two words of a search's generator; what is drawn is drawn from the search.

    >>> rng = Generator(random.new_generator(0))
    >>> 0.0 <= rng.random() < 1.0, rng.integers(6) in range(6), rng.choice("abc") in "abc"
    (True, True, True)
    """

    __slots__ = ("words",)

    def __init__(self, words: Any) -> None:
        self.words = words

    def random(self) -> float:
        """A number in [0, 1)."""
        return random.uniform(self.words)  # type: ignore[no-any-return]

    def integers(self, low: int, high: int | None = None) -> int:
        """A whole number from 0 to ``low - 1``, or from ``low`` to ``high - 1``."""
        first, end = (0, low) if high is None else (low, high)
        if end <= first:
            raise ValueError(f"rng.integers({low if high is None else f'{low}, {high}'}): is empty")
        return first + random.integer(self.words, end - first)  # type: ignore[no-any-return]

    def choice(self, options: Any) -> Any:
        """One of a sequence, each as likely as the others; of a number ``n``, one of 0 to ``n - 1``."""
        if isinstance(options, (int, np.integer)):
            return self.integers(int(options))
        return options[self.integers(len(options))]

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(
            f"rng.{name}: it has random(), integers(n) and choice(sequence); for other distributions make a generator "
            "of NumPy's, np.random.default_rng(rng.integers(2**32))"
        )


class Draw:
    """A function that draws: compiled inside compiled functions, and for both kinds of `rng` in plain Python."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.__doc__, self.__name__ = function.__doc__, function.__name__
        self.__wrapped__ = getattr(function, "py_func", function)

    @property
    def _numba_type_(self) -> Any:  # by which Numba knows what is called
        return self._function._numba_type_  # type: ignore[attr-defined]

    def __call__(self, rng: Any, n: int | None = None) -> Any:
        """Draw from a generator."""
        words = rng.words if type(rng) is Generator else rng
        return self._function(words) if n is None else self._function(words, n)


uniform, integer = Draw(random.uniform), Draw(random.integer)
