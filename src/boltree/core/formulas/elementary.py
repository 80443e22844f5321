"""Exponential and logarithm without branches or library calls, of a number or of four at a time (core/lanes.py).

They give the same bits on every machine, whatever its C library, so a seeded search is the same everywhere.
Accurate to about 2 units in the last place (tests/core/test_elementary.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core.extending import intrinsic

from ..jit import JIT_DISABLED, inlined
from ..lanes import fused, greater, integer_constant, integers_of

_LOG2E = 1.4426950408889634
_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
_ROUND = 6755399441055744.0  # 1.5 * 2**52: adding it rounds to an integer in the low bits
_TWO52 = 4503599627370496.0
_ONE_BITS = 1023 << 52
_TWO52_BITS = 0x4330000000000000
_ROOT_HALF_BITS = 0x3FE6A09E667F3BCD


@intrinsic
def _power_native(typing_context, rounded):  # type: ignore[no-untyped-def]
    def code(context, builder, signature, values):  # type: ignore[no-untyped-def]
        kind = values[0].type
        bits = builder.shl(builder.bitcast(values[0], integers_of(kind)), integer_constant(kind, 52))
        return builder.bitcast(builder.add(bits, integer_constant(kind, _ONE_BITS)), kind)

    return rounded(rounded), code


def _exponent_code(builder: Any, x: Any) -> Any:
    kind = x.type
    shifted = builder.sub(builder.bitcast(x, integers_of(kind)), integer_constant(kind, _ROOT_HALF_BITS - _ONE_BITS))
    return builder.ashr(shifted, integer_constant(kind, 52))


@intrinsic
def _exponent_native(typing_context, x):  # type: ignore[no-untyped-def]
    def code(context, builder, signature, values):  # type: ignore[no-untyped-def]
        exponent = _exponent_code(builder, values[0])
        return builder.bitcast(builder.or_(exponent, integer_constant(values[0].type, _TWO52_BITS)), values[0].type)

    return x(x), code


@intrinsic
def _fraction_native(typing_context, x):  # type: ignore[no-untyped-def]
    def code(context, builder, signature, values):  # type: ignore[no-untyped-def]
        kind = values[0].type
        exponent = builder.sub(_exponent_code(builder, values[0]), integer_constant(kind, 1023))
        bits = builder.bitcast(values[0], integers_of(kind))
        return builder.bitcast(builder.sub(bits, builder.shl(exponent, integer_constant(kind, 52))), kind)

    return x(x), code


def _bits(x: Any) -> Any:
    return np.asarray(x, np.float64).view(np.int64)


def _real(bits: Any) -> Any:
    found = np.asarray(bits, np.int64).view(np.float64)
    return found if found.ndim else found[()]


def _plain_exponent(x: Any) -> Any:
    return (_bits(x) - np.int64(_ROOT_HALF_BITS - _ONE_BITS)) >> np.int64(52)


def _plain_power(rounded: Any) -> Any:
    with np.errstate(over="ignore"):
        return _real((_bits(rounded) << np.int64(52)) + np.int64(_ONE_BITS))


_power: Any = _plain_power if JIT_DISABLED else _power_native
"""2**k, where k is in the low bits of a number to which `_ROUND` was added."""
_exponent: Any = (lambda x: _real(_plain_exponent(x) | np.int64(_TWO52_BITS))) if JIT_DISABLED else _exponent_native
"""The k of x = m 2**k with m from sqrt(1/2) to sqrt(2), as 2**52 + 1023 + k."""
_fraction: Any = (
    (lambda x: _real(_bits(x) - ((_plain_exponent(x) - np.int64(1023)) << np.int64(52))))
    if JIT_DISABLED
    else _fraction_native
)
"""The m of the same."""


@inlined
def exp(x: Any) -> Any:
    """e**x for x <= 709; 0 (about 1e-308) below -708, also for -inf."""
    x = greater(x, -708.0)
    shifted = fused(x, _LOG2E, _ROUND)
    k = shifted - _ROUND
    r = fused(k, -_LN2_LOW, fused(k, -_LN2_HIGH, x))
    r2 = r * r  # the series by Estrin's scheme: short chains of operations
    r4 = r2 * r2
    low = fused(fused(r, 0.16666666666666666, 0.5), r2, r + 1.0)
    middle = fused(
        fused(r, 0.0001984126984126984, 0.001388888888888889),
        r2,
        fused(r, 0.008333333333333333, 0.041666666666666664),
    )
    high = fused(
        fused(r, 2.505210838544172e-08, 2.755731922398589e-07),
        r2,
        fused(r, 2.7557319223985893e-06, 2.48015873015873e-05),
    )
    top = fused(r, 1.6059043836821613e-10, 2.08767569878681e-09)
    p = fused(fused(top, r4, high), r4 * r4, fused(middle, r4, low))
    return p * _power(shifted)


@inlined
def log(x: Any) -> Any:
    """The natural logarithm of a normal positive x; a large negative number for 0."""
    x = greater(x, 1e-300)
    k = _exponent(x) - (_TWO52 + 1023.0)
    f = _fraction(x) - 1.0
    s = f / (f + 2.0)
    z = s * s
    z2 = z * z
    low = fused(z, 3.999999999940941908e-01, 6.666666666666735130e-01)
    middle = fused(z, 2.222219843214978396e-01, 2.857142874366239149e-01)
    high = fused(z2, 1.479819860511658591e-01, fused(z, 1.531383769920937332e-01, 1.818357216161805012e-01))
    p = fused(high, z2 * z2, fused(middle, z2, low))
    half = f * f * 0.5
    return fused(k, _LN2_HIGH, f - (half - fused(s, fused(z, p, half), k * _LN2_LOW)))
