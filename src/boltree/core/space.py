"""The design space, as the kernel reads it: each choice of an algorithm is one of these numbers."""

from __future__ import annotations

# search distributions
UCB, PRIOR_UCB, HALVING, BOLTZMANN, RELATIVE, SPARSEMAX, UNIFORM, SWITCHING = range(8)

# state values
MEAN, MAX, SOFT, RELATIVE_SOFT, SPARSE, POWER = range(6)

# entropy bonuses
NO_ENTROPY, SHANNON, RELATIVE_ENTROPY, TSALLIS = range(4)

# schedules of a count m
CONSTANT, LOG_DECAY, SQRT_DECAY, FUNCTION = range(4)

DISTRIBUTIONS = {
    "ucb": UCB,
    "prior-ucb": PRIOR_UCB,
    "halving": HALVING,
    "boltzmann": BOLTZMANN,
    "relative": RELATIVE,
    "sparsemax": SPARSEMAX,
    "uniform": UNIFORM,
    "switching": SWITCHING,
}
STATE_VALUES = {
    "mean": MEAN,
    "max": MAX,
    "soft": SOFT,
    "relative-soft": RELATIVE_SOFT,
    "sparse": SPARSE,
    "power": POWER,
}
ENTROPIES = {"none": NO_ENTROPY, "shannon": SHANNON, "relative": RELATIVE_ENTROPY, "tsallis": TSALLIS}
