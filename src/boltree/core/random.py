"""Random numbers: xoroshiro128+ (Blackman and Vigna), seeded from ``numpy.random.SeedSequence``.

A generator is an array of two 64-bit words, so it can be copied, saved and handed to any function;
the same words give the same numbers compiled and in plain Python.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from .jit import brief, inlined, make_ready

_U11, _U16, _U24, _U27, _U30, _U31, _U37 = (np.uint64(n) for n in (11, 16, 24, 27, 30, 31, 37))
_U64 = np.uint64(64)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_UNIT = 2.0**-53


def new_generator(seed: int | np.random.SeedSequence | None) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """The two words of a generator for this seed (fresh entropy for None)."""
    sequence = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    return sequence.generate_state(2, np.uint64)


@inlined
def uniform_of(rng: Any) -> float:
    """The next number in [0, 1), 53 bits."""
    s0 = rng[0]
    s1 = rng[1]
    total = s0 + s1
    s1 ^= s0
    rng[0] = ((s0 << _U24) | (s0 >> (_U64 - _U24))) ^ s1 ^ (s1 << _U16)
    rng[1] = (s1 << _U37) | (s1 >> (_U64 - _U37))
    return np.int64(total >> _U11) * _UNIT


@inlined
def integer_of(rng: Any, n: int) -> int:
    """The next integer in 0 .. n-1."""
    return np.int64(uniform_of(rng) * n)


@numba.njit(_nrt=False)
def uniform(rng: Any) -> float:
    """A uniform number in [0, 1) from a problem's generator; the same in plain Python and compiled."""
    return uniform_of(rng)  # type: ignore[no-any-return]


@numba.njit(_nrt=False)
def integer(rng: Any, n: int) -> int:
    """A uniform integer in 0 .. n-1 from a problem's generator; the same in plain Python and compiled."""
    return integer_of(rng, n)  # type: ignore[no-any-return]


@brief
def draw_uniform(rng: Any) -> float:
    """`uniform` for Python to call: kept on disk, so that the first call of a process compiles nothing."""
    return uniform_of(rng)  # type: ignore[no-any-return]


@brief
def draw_integer(rng: Any, n: int) -> int:
    """`integer` for Python to call: kept on disk, so that the first call of a process compiles nothing."""
    return integer_of(rng, n)  # type: ignore[no-any-return]


def make_draws_ready() -> None:
    """Compile what Python draws with, or load what was compiled."""
    words = new_generator(0)
    make_ready(draw_uniform, words)
    make_ready(draw_integer, words, 1)


@inlined
def hashed(a: Any, b: Any, c: Any) -> Any:
    """A 64-bit hash of three integers (splitmix64 steps): ties are broken with it, not with the generator."""
    x = np.uint64(a) + _GOLDEN
    x = (x ^ (x >> _U30)) * _MIX1
    x = (x ^ (x >> _U27)) * _MIX2
    x = (x ^ (x >> _U31)) + np.uint64(b) + _GOLDEN
    x = (x ^ (x >> _U30)) * _MIX1
    x = (x ^ (x >> _U27)) * _MIX2
    x = (x ^ (x >> _U31)) + np.uint64(c) + _GOLDEN
    x = (x ^ (x >> _U30)) * _MIX1
    x = (x ^ (x >> _U27)) * _MIX2
    return x ^ (x >> _U31)
