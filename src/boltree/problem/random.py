"""Random numbers for problems: functions that also compile, and a generator whose methods are named like NumPy's."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from ..core.random import draw_integer, draw_uniform
from ..core.random import integer as _integer
from ..core.random import uniform as _uniform


class Generator:
    """The `rng` of a `bt.PythonProblem`: `random`, `integers` and `choice`; `bt.uniform` and `bt.integer` take it too.

    Args:
        words: the two words of a search's generator, from which numbers are drawn.

    >>> from boltree.core.random import new_generator
    >>> rng = Generator(new_generator(0))
    >>> 0.0 <= rng.random() < 1.0, rng.integers(6) in range(6), rng.choice("abc") in "abc"
    (True, True, True)
    """

    __slots__ = ("words",)

    def __init__(self, words: Any) -> None:
        self.words = words

    def random(self) -> float:
        """A number in [0, 1)."""
        return draw_uniform(self.words)

    def integers(self, low: int, high: int | None = None) -> int:
        """A whole number from 0 to ``low - 1``, or from ``low`` to ``high - 1``."""
        if high is None:
            low, high = 0, low
        if high <= low:
            raise ValueError(f"rng.integers({low}, {high}): there is none")
        return low + draw_integer(self.words, int(high - low))

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


def uniform(rng: Any) -> float:
    """A uniform number in [0, 1) from a problem's generator; the same in plain Python and compiled."""
    return draw_uniform(rng.words if type(rng) is Generator else rng)


def integer(rng: Any, n: int) -> int:
    """A uniform integer in 0 .. n-1 from a problem's generator; the same in plain Python and compiled."""
    return draw_integer(rng.words if type(rng) is Generator else rng, int(n))


for _function, _compiled in ((uniform, _uniform), (integer, _integer)):  # what Numba calls in compiled functions
    _function.__dict__["_numba_type_"] = getattr(_compiled, "_numba_type_", None)
