"""Exponential and logarithm without branches or library calls.

LLVM vectorises them in a loop over actions (1-2 ns an action), and they give the same bits on every
machine, whatever its C library, so a seeded search is the same everywhere.
Accurate to about 2 units in the last place (tests/core/test_elementary.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from ..jit import JIT_DISABLED, inlined

_LOG2E = 1.4426950408889634
_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
_ROUND = 6755399441055744.0  # 1.5 * 2**52: adding it rounds to an integer in the low bits
_TWO52 = 4503599627370496.0
_BIAS = np.int64(1023)
_ONE_BITS = np.int64(1023 << 52)
_TWO52_BITS = np.int64(0x4330000000000000)
_ROOT_HALF_BITS = np.int64(0x3FE6A09E667F3BCD)
_S52 = np.int64(52)


@intrinsic
def _to_bits_native(typing_context, x):  # type: ignore[no-untyped-def]
    return types.int64(types.float64), lambda c, b, s, v: b.bitcast(v[0], ir.IntType(64))


@intrinsic
def _from_bits_native(typing_context, x):  # type: ignore[no-untyped-def]
    return types.float64(types.int64), lambda c, b, s, v: b.bitcast(v[0], ir.DoubleType())


def _to_bits_plain(x: Any) -> Any:
    return np.float64(x).view(np.int64)


def _from_bits_plain(x: Any) -> Any:
    return np.int64(x).view(np.float64)


_to_bits = _to_bits_plain if JIT_DISABLED else _to_bits_native
_from_bits = _from_bits_plain if JIT_DISABLED else _from_bits_native


@inlined
def exp(x: float) -> float:
    """e**x for x <= 709; 0 (about 1e-308) below -708, also for -inf."""
    x = max(x, -708.0)
    shifted = x * _LOG2E + _ROUND
    k = shifted - _ROUND
    r = (x - k * _LN2_HIGH) - k * _LN2_LOW
    r2 = r * r  # the series by Estrin's scheme: short chains of operations
    r4 = r2 * r2
    low = (1.0 + r) + (0.5 + 0.16666666666666666 * r) * r2
    middle = (0.041666666666666664 + 0.008333333333333333 * r) + (0.001388888888888889 + 0.0001984126984126984 * r) * r2
    high = (2.48015873015873e-05 + 2.7557319223985893e-06 * r) + (
        2.755731922398589e-07 + 2.505210838544172e-08 * r
    ) * r2
    top = 2.08767569878681e-09 + 1.6059043836821613e-10 * r
    p = low + middle * r4 + (high + top * r4) * (r4 * r4)
    return p * _from_bits((_to_bits(shifted) << _S52) + _ONE_BITS)


@inlined
def log(x: float) -> float:
    """The natural logarithm of a normal positive x; a large negative number for 0."""
    bits = _to_bits(max(x, 1e-300))
    exponent = (bits - _ROOT_HALF_BITS + _ONE_BITS) >> _S52
    m = _from_bits(bits - ((exponent - _BIAS) << _S52))
    k = _from_bits(exponent | _TWO52_BITS) - (_TWO52 + 1023.0)
    f = m - 1.0
    s = f / (2.0 + f)
    z = s * s
    z2 = z * z
    low = 6.666666666666735130e-01 + 3.999999999940941908e-01 * z
    middle = 2.857142874366239149e-01 + 2.222219843214978396e-01 * z
    high = 1.818357216161805012e-01 + 1.531383769920937332e-01 * z + 1.479819860511658591e-01 * z2
    p = low + middle * z2 + high * (z2 * z2)
    half = 0.5 * f * f
    return k * _LN2_HIGH - ((half - (s * (half + z * p) + k * _LN2_LOW)) - f)
