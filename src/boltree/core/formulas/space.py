"""The design space: every choice of an algorithm, its number in the kernel, and what it needs, allows and refuses.

An algorithm is a search distribution, a state value and an entropy bonus. Whatever depends on which one it is asks the
row here, in Python directly and in the kernel by the fields of the tree's record that `configure` sets from it.
"""

from __future__ import annotations

from dataclasses import dataclass

# search distributions
UCB, PRIOR_UCB, HALVING, BOLTZMANN, RELATIVE, SPARSEMAX, UNIFORM, SWITCHING, POLYNOMIAL_UCB = range(9)

# state values
MEAN, MAX, SOFT, RELATIVE_SOFT, SPARSE, POWER = range(6)

# entropy bonuses
NO_ENTROPY, SHANNON, RELATIVE_ENTROPY, TSALLIS = range(4)

# where the first preferences of untried actions come from, beside a number
NOT_FROM_PRIOR, CENTRED, ANCHORED = range(3)

# schedules of a count m
CONSTANT, LOG_DECAY, SQRT_DECAY, FUNCTION, SPECTRUM = range(5)


@dataclass(frozen=True)
class Distribution:
    """How the action of a visit is chosen.

    Attributes:
        number: its number in the kernel.
        says: what it does, for explanations.
        sampled: it draws from a probability of every action: it takes a temperature, a prior and alias tables.
        bounded: it takes the highest upper confidence bound, whose bias is ``c``.
        takes_prior: it uses a prior where there is one.
        relative: its policy depends on the policy of the node's parent.
        counts_trials: it counts every single trial, so trials cannot be selected in batches or by threads on one tree.
        one_parent: why its nodes must have one parent only; "" if they may have several.
        compact: a node that was visited once may be kept without its edges.
        only_value: the only state value that it goes with; "" for any.
        listed: why actions must be listed, and cannot be drawn one by one from boxes; "" if they can.
    """

    number: int
    says: str
    sampled: bool = False
    bounded: bool = False
    takes_prior: bool = False
    relative: bool = False
    counts_trials: bool = False
    one_parent: str = ""
    compact: bool = False
    only_value: str = ""
    listed: str = ""


@dataclass(frozen=True)
class StateValue:
    """What a node is worth, from its edges.

    Attributes:
        number: its number in the kernel.
        says: what it is, for explanations.
        has_temperature: it depends on the search temperature.
        relative: it depends on the policy of the node's parent.
        shifted: it is computed relative to the lowest return seen.
        compact: a node that was visited once may be kept without its edges.
        maximal: it follows the best action, so noise in the values of leaves makes it too high.
        listed: why actions must be listed; "" if they can be drawn one by one from boxes.
    """

    number: int
    says: str
    has_temperature: bool = False
    relative: bool = False
    shifted: bool = False
    compact: bool = False
    maximal: bool = False
    listed: str = ""


@dataclass(frozen=True)
class EntropyBonus:
    """The entropy that is added to values, weighted by beta.

    Attributes:
        number: its number in the kernel.
        relative: it depends on the policy of the node's parent.
        listed: why actions must be listed; "" if they can be drawn one by one from boxes.
    """

    number: int
    relative: bool = False
    listed: str = ""


RELATIVE_LISTED = "is relative to the parent's policy, which is over other actions"
"""Why actions must be listed where anything is relative to the parent's policy."""

RELATIVE_REASON = "is relative to the parent's policy, and a shared node has several parents"
"""Why nodes must have one parent where anything is relative to the parent's policy."""

DISTRIBUTIONS = {
    "ucb": Distribution(
        UCB,
        "takes the action with the highest upper confidence bound, a value plus a bonus that fades with visits",
        bounded=True,
        compact=True,
    ),
    "prior-ucb": Distribution(
        PRIOR_UCB,
        "takes the action with the highest upper confidence bound, weighted by a prior",
        bounded=True,
        takes_prior=True,
    ),
    "halving": Distribution(
        HALVING,
        "shares its trials out among the root's actions by sequential halving, and below by upper confidence bounds",
        bounded=True,
        counts_trials=True,
        one_parent="gives the root's actions the same number of trials each, and a shared node counts those of others",
        listed="shares its trials out among the root's actions, whose number must be known",
    ),
    "boltzmann": Distribution(
        BOLTZMANN,
        "draws actions from a Boltzmann policy, which leaves every action a chance",
        sampled=True,
        takes_prior=True,
        compact=True,
    ),
    "relative": Distribution(
        RELATIVE,
        "draws actions from a Boltzmann policy relative to the parent's, which leaves every action a chance",
        sampled=True,
        takes_prior=True,
        relative=True,
        one_parent=RELATIVE_REASON,
        listed=RELATIVE_LISTED,
    ),
    "sparsemax": Distribution(
        SPARSEMAX,
        "draws actions from a sparsemax policy, which may give some no chance at all",
        sampled=True,
        takes_prior=True,
    ),
    "uniform": Distribution(UNIFORM, "draws actions uniformly", compact=True),
    "switching": Distribution(
        SWITCHING,
        "draws actions uniformly down to a depth that changes from trial to trial",
        counts_trials=True,
        one_parent="updates one pair of a trial, and values of shared nodes are computed from all below them",
        only_value="mean",
        listed="tries all actions of a node alike, which are ever more",
    ),
    "polynomial-ucb": Distribution(
        POLYNOMIAL_UCB,
        "takes the action with the highest upper confidence bound, whose bonus is the fourth root of the node's visits "
        "over the square root of the action's",
        bounded=True,
        compact=True,
    ),
}

STATE_VALUES = {
    "mean": StateValue(MEAN, "Values are mean returns, which trials that leave on the way pull down", compact=True),
    "max": StateValue(
        MAX,
        "Values are those of the best action: one arrival is enough to carry a reward all the way back",
        compact=True,
        maximal=True,
    ),
    "soft": StateValue(
        SOFT,
        "Values are soft maxima: they count entropy as well as reward",
        has_temperature=True,
        compact=True,
        maximal=True,
    ),
    "relative-soft": StateValue(
        RELATIVE_SOFT,
        "Values are soft maxima: they count relative entropy as well as reward",
        has_temperature=True,
        relative=True,
        maximal=True,
        listed=RELATIVE_LISTED,
    ),
    "sparse": StateValue(
        SPARSE,
        "Values are sparse maxima: they count entropy as well as reward",
        has_temperature=True,
        maximal=True,
        listed="has values that grow with the number of actions",
    ),
    "power": StateValue(POWER, "Values are power means of the actions' values", shifted=True, compact=True),
}

ENTROPIES = {
    "none": EntropyBonus(NO_ENTROPY),
    "shannon": EntropyBonus(SHANNON),
    "relative": EntropyBonus(RELATIVE_ENTROPY, relative=True, listed=RELATIVE_LISTED),
    "tsallis": EntropyBonus(TSALLIS, listed="has an entropy that grows with the number of actions"),
}
