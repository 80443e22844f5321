"""Draws from distributions, by a problem's generator: the same numbers compiled and in plain Python.

All are exact up to rounding: by inversion, from other draws, or by rejection. Devroye, Non-Uniform Random Variate
Generation, 1986, has them all; gamma draws are those of Marsaglia and Tsang, 2000.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.jit import for_problems
from ..core.random import uniform

CHUNK = 25.0
"""Poisson draws are sums of draws with at most this mean, binomial draws of at most that number of trials times ten."""


@for_problems
def normal(rng: Any, mean: float, variance: float) -> float:
    """From a normal distribution (Box and Muller)."""
    radius = np.sqrt(-2.0 * np.log(1.0 - uniform(rng)))
    return mean + np.sqrt(variance) * radius * np.cos(2.0 * np.pi * uniform(rng))  # type: ignore[no-any-return]


@for_problems
def uniform_between(rng: Any, low: float, high: float) -> float:
    """From a uniform distribution."""
    return low + (high - low) * uniform(rng)  # type: ignore[no-any-return]


@for_problems
def exponential(rng: Any, scale: float) -> float:
    """From an exponential distribution with this mean."""
    return -scale * np.log(1.0 - uniform(rng))  # type: ignore[no-any-return]


@for_problems
def weibull(rng: Any, shape: float, scale: float) -> float:
    """From a Weibull distribution."""
    return scale * np.power(-np.log(1.0 - uniform(rng)), 1.0 / shape)  # type: ignore[no-any-return]


@for_problems
def gamma(rng: Any, shape: float, scale: float) -> float:
    """From a gamma distribution."""
    d = (shape if shape >= 1.0 else shape + 1.0) - 1.0 / 3.0
    c = 1.0 / np.sqrt(9.0 * d)
    v = 0.0
    while v <= 0.0:
        x = normal(rng, 0.0, 1.0)
        v = (1.0 + c * x) ** 3
        if v > 0.0 and np.log(1.0 - uniform(rng)) >= 0.5 * x * x + d - d * v + d * np.log(v):
            v = 0.0
    drawn = d * v * scale
    if shape < 1.0:
        drawn *= np.power(1.0 - uniform(rng), 1.0 / shape)
    return drawn


@for_problems
def beta(rng: Any, shape: float, rate: float) -> float:
    """From a beta distribution."""
    x = gamma(rng, shape, 1.0)
    return x / (x + gamma(rng, rate, 1.0))


@for_problems
def chi_square(rng: Any, freedom: float) -> float:
    """From a chi-square distribution."""
    return gamma(rng, 0.5 * freedom, 2.0)


@for_problems
def student(rng: Any, freedom: float) -> float:
    """From Student's t distribution."""
    return normal(rng, 0.0, 1.0) / np.sqrt(chi_square(rng, freedom) / freedom)  # type: ignore[no-any-return]


@for_problems
def pareto(rng: Any, shape: float, scale: float) -> float:
    """From a Pareto distribution of the second kind (Lomax)."""
    return scale * (np.power(1.0 - uniform(rng), -1.0 / shape) - 1.0)  # type: ignore[no-any-return]


@for_problems
def gumbel(rng: Any, mean: float, scale: float) -> float:
    """From a Gumbel distribution."""
    return mean - scale * np.log(-np.log(1.0 - uniform(rng)))  # type: ignore[no-any-return]


@for_problems
def laplace(rng: Any, mean: float, scale: float) -> float:
    """From a Laplace distribution."""
    u = uniform(rng)
    return mean + scale * (np.log(2.0 * u + 2.0**-54) if u < 0.5 else -np.log(2.0 * (1.0 - u)))  # type: ignore[no-any-return]


@for_problems
def cauchy(rng: Any, mean: float, scale: float) -> float:
    """From a Cauchy distribution."""
    return mean + scale * np.tan(np.pi * (uniform(rng) - 0.5))  # type: ignore[no-any-return]


@for_problems
def gompertz(rng: Any, shape: float, scale: float) -> float:
    """From a Gompertz distribution."""
    return np.log(1.0 - np.log(1.0 - uniform(rng)) / shape) / scale  # type: ignore[no-any-return]


@for_problems
def kumaraswamy(rng: Any, a: float, b: float) -> float:
    """From a Kumaraswamy distribution."""
    return np.power(1.0 - np.power(uniform(rng), 1.0 / b), 1.0 / a)  # type: ignore[no-any-return]


@for_problems
def poisson(rng: Any, rate: float) -> int:
    """From a Poisson distribution."""
    drawn = 0
    while rate > 0.0:
        part = min(rate, CHUNK)
        rate -= part
        u, chance, k = uniform(rng), np.exp(-part), 0
        while u >= chance and k < 1000:
            u -= chance
            k += 1
            chance *= part / k
        drawn += k
    return drawn


@for_problems
def binomial(rng: Any, count: int, chance: float) -> int:
    """From a binomial distribution."""
    drawn, p = 0, min(chance, 1.0 - chance)
    left = count
    while left > 0 and p > 0.0:
        part = min(left, 250)
        left -= part
        u, mass, k = uniform(rng), np.power(1.0 - p, np.float64(part)), 0
        while u >= mass and k < part:
            u -= mass
            mass *= (part - k) / (k + 1.0) * (p / (1.0 - p))
            k += 1
        drawn += k
    return drawn if chance <= 0.5 else count - drawn


@for_problems
def negative_binomial(rng: Any, count: float, chance: float) -> int:
    """From a negative binomial distribution: failures until there are `count` successes."""
    return poisson(rng, gamma(rng, count, (1.0 - chance) / chance))


@for_problems
def geometric(rng: Any, chance: float) -> int:
    """From a geometric distribution: trials until the first success."""
    if chance >= 1.0:
        return 1
    return int(max(1.0, np.ceil(np.log(1.0 - uniform(rng)) / np.log(1.0 - chance))))


@for_problems
def categorical(rng: Any, weights: Any) -> int:
    """One of several, by weights that need not sum to 1."""
    whole = 0.0
    for weight in weights:
        whole += weight
    u = uniform(rng) * whole
    for k in range(weights.size):
        u -= weights[k]
        if u < 0.0:
            return k
    return 0


# In place of a draw, where all outcomes are listed


@for_problems
def list_bernoulli(script: Any, weight: Any, chance: float) -> bool:
    """What the script says, where both may happen; its probability goes into the weight.

    ``script[0]`` is the number of the outcome among those to come, ``script[1]`` how many there are so far,
    ``weight[0]`` the probability so far.
    """
    if chance <= 0.0:
        return False
    if chance >= 1.0:
        return True
    drawn = bool(script[0] % 2 == 1)
    script[0] //= 2
    script[1] *= 2 if script[1] < 2**40 else 1
    weight[0] *= chance if drawn else 1.0 - chance
    return drawn


@for_problems
def list_categorical(script: Any, weight: Any, weights: Any) -> int:
    """What the script says, of several by weights that need not sum to 1."""
    whole, possible = 0.0, 0
    for k in range(weights.size):
        whole += weights[k]
        possible += 1 if weights[k] > 0.0 else 0
    place = script[0] % max(possible, 1)
    script[0] //= max(possible, 1)
    script[1] *= max(possible, 1) if script[1] < 2**40 else 1
    for k in range(weights.size):
        if weights[k] > 0.0:
            if place == 0:
                weight[0] *= weights[k] / whole
                return k
            place -= 1
    return 0
