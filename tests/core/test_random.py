"""The generator: known values, the same in plain Python and compiled, uniform."""

import numba
import numpy as np

import boltree as bt
from boltree.core.random import hashed, new_generator, uniform_of


def plain_xoroshiro(s0, s1):
    """xoroshiro128+ 1.0 by its published definition, on Python integers."""
    mask = 2**64 - 1
    result = (s0 + s1) & mask
    s1 ^= s0

    def rotate(x, k):
        return ((x << k) | (x >> (64 - k))) & mask

    return result, rotate(s0, 24) ^ s1 ^ ((s1 << 16) & mask), rotate(s1, 37)


def test_against_the_definition():
    rng = new_generator(1)
    s0, s1 = int(rng[0]), int(rng[1])
    for _ in range(1000):
        word, s0, s1 = plain_xoroshiro(s0, s1)
        assert bt.uniform(rng) == (word >> 11) * 2.0**-53


@numba.njit
def _draw(rng, out):
    for i in range(out.size):
        out[i] = uniform_of(rng)


def test_uniform_and_the_same_compiled():
    out = np.zeros(1_000_000)
    _draw(new_generator(7), out)
    rng = new_generator(7)
    assert [bt.uniform(rng) for _ in range(100)] == out[:100].tolist()
    counts = np.bincount((out * 100).astype(int), minlength=100)
    assert ((counts - 10_000) ** 2 / 10_000).sum() < 180  # chi-square, 99 degrees of freedom, p about 1e-6
    assert out.min() >= 0.0
    assert out.max() < 1.0


def test_integers():
    rng = new_generator(3)
    drawn = [bt.integer(rng, 6) for _ in range(6000)]
    assert set(drawn) == set(range(6))


@numba.njit
def _hash(a, b, c):
    return hashed(a, b, c)


def test_hash_depends_on_all_three():
    seen = {int(_hash(a, b, c)) for a in range(10) for b in range(10) for c in range(10)}
    assert len(seen) == 1000


def test_seeds_differ():
    assert new_generator(1).tolist() != new_generator(2).tolist()
    assert new_generator(1).tolist() == new_generator(1).tolist()
