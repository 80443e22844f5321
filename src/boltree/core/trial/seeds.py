"""What ``numpy.random.SeedSequence`` makes of a seed, for thousands of seeds at once.

It is O'Neill's seed sequence: the seed's two halves are hashed into a pool of four 32-bit words, every word is mixed
into every other, and the pool is hashed again into as many words as are wanted. ``SeedSequence(seed)`` itself takes
longer in Python than a small search.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import inlined, kernel

_LOW, _HALF, _SHIFT = np.uint64(0xFFFFFFFF), np.uint64(32), np.uint64(16)
_POOL, _POOL_STEP = np.uint64(0x43B0D7E5), np.uint64(0x931E8875)
_OUT, _OUT_STEP = np.uint64(0x8B51F9DD), np.uint64(0x58F38DED)
_LEFT, _RIGHT = np.uint64(0xCA01F9DD), np.uint64(0x4973F715)


@inlined
def scrambled(word: Any, constant: Any, step: Any) -> Any:
    """A 32-bit word hashed with the sequence's present constant, which `step` takes to the next one."""
    word = ((word ^ constant) * ((constant * step) & _LOW)) & _LOW
    return word ^ (word >> _SHIFT)


@kernel
def write_words(seeds: Any, pool: Any, out: Any) -> None:
    """Write ``SeedSequence(seed).generate_state(3, uint64)`` of every seed; `pool` is scratch for four words."""
    for n in range(seeds.size):
        constant = _POOL
        for i in range(4):
            word = np.uint64(0)
            if i < 2:
                word = (seeds[n] >> (_HALF * np.uint64(i))) & _LOW
            pool[i] = scrambled(word, constant, _POOL_STEP)
            constant = (constant * _POOL_STEP) & _LOW
        for source in range(4):
            for target in range(4):
                if source != target:
                    word = scrambled(pool[source], constant, _POOL_STEP)
                    constant = (constant * _POOL_STEP) & _LOW
                    word = (_LEFT * pool[target] - _RIGHT * word) & _LOW
                    pool[target] = word ^ (word >> _SHIFT)
        constant = _OUT
        for k in range(6):
            word = scrambled(pool[k % 4], constant, _OUT_STEP)
            constant = (constant * _OUT_STEP) & _LOW
            if k % 2 == 0:
                out[n, k // 2] = word
            else:
                out[n, k // 2] |= word << _HALF
