"""The algorithms: each is a point in one small design space.

A tree search of this family is fixed by five choices: the *search distribution*, the *state value*, the
*entropy bonus*, the *temperature* and what it *recommends*. Each class below is a row of that table;
`Custom` lets a user write a row of their own.

References: UCT (Kocsis and Szepesvari 2006), PUCT (Silver et al. 2017), H-MCTS (Karnin et al. 2013; Pepels et
al. 2014), MENTS (Xiao et al. 2019), RENTS and TENTS (Dam et al. 2021), BTS, DENTS and the average-return
variants (Painter et al. 2023), Power-UCT (Dam et al. 2019), Stochastic-Power-UCT (Dam et al. 2024), BRUE (Feldman
and Domshlak 2014), ANTS (Kozakowski et al. 2022).
"""

from __future__ import annotations

import inspect
import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Union

import numpy as np

from ..checks import is_whole
from ..core.formulas import space
from ..errors import ParameterError
from ..messages import did_you_mean
from .anchored import Anchored
from .schedules import Auto, Schedule, Spectrum, Temperature, as_real, check_schedule
from .summary import algorithm_text

Recommend = Literal["value", "visits"]
Alias = Literal["auto", True, False]
FirstPlay = Union[float, Literal["parent"]]
FirstPreference = Union[float, Anchored, None]

MAX_BUDGET = 2**31 - 1

ALIAS_FROM = 16
"""The number of actions from which nodes sample from alias tables, with ``alias="auto"``."""


def _real(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool) and math.isfinite(as_real(value))


def _whole(value: Any) -> bool:
    return is_whole(value) and abs(int(value)) < 2**62


_CHECKS: dict[str, tuple[Any, str]] = {
    "epsilon": (lambda v: _real(v) and v >= 0, "a finite number of at least 0"),
    "epsilon_prior": (lambda v: _real(v) and v >= 0, "a finite number of at least 0"),
    "q_init": (
        lambda v: v is None or isinstance(v, Anchored) or _real(v),
        "a finite number, anchored(slope), or None (by the prior or the returns seen, else 0)",
    ),
    "c": (
        lambda v: v == "auto" or (isinstance(v, Auto) and v.kind == "constant") or (_real(v) and v >= 0),
        "a finite number of at least 0, spread(x), or 'auto'",
    ),
    "p": (lambda v: _real(v) and v >= 1, "a finite number of at least 1"),
    "budget": (
        lambda v: v is None or (_whole(v) and 1 <= v <= MAX_BUDGET),
        f"an integer from 1 to {MAX_BUDGET}, or None (the first run's trials)",
    ),
    "threshold": (lambda v: _whole(v) and v >= 0, "an integer of at least 0"),
    "recommend": (lambda v: v in ("value", "visits"), "'value' or 'visits'"),
    "reduction": (_real, "a finite number"),
    "first_play": (lambda v: v == "parent" or _real(v), "a finite number, or 'parent'"),
    "noise": (lambda v: _real(v) and 0 <= v < 1, "a number in [0, 1)"),
    "noise_concentration": (lambda v: _real(v) and v > 0, "a number greater than 0"),
    "target": (lambda v: _real(v) and 0 < v < 1, "a number between 0 and 1"),
    "every": (lambda v: _whole(v) and v >= 1, "an integer of at least 1"),
    "alias": (lambda v: v == "auto" or isinstance(v, bool), "'auto', True or False"),
    "rebuild_factor": (lambda v: _real(v) and v > 0, "a number greater than 0"),
    "early_rebuilds": (lambda v: isinstance(v, bool), "True or False"),
    "search_distribution": (lambda v: v in space.DISTRIBUTIONS, f"one of {', '.join(space.DISTRIBUTIONS)}"),
    "state_value": (lambda v: v in space.STATE_VALUES, f"one of {', '.join(space.STATE_VALUES)}"),
    "entropy_bonus": (lambda v: v in space.ENTROPIES, f"one of {', '.join(space.ENTROPIES)}"),
}


class _Named(type):
    """A metaclass that suggests which parameter was probably meant by an unknown one."""

    @property
    def __signature__(cls) -> inspect.Signature:
        """The parameters, as help and notebooks show them."""
        init = inspect.signature(cls.__init__)  # type: ignore[misc]
        return init.replace(parameters=list(init.parameters.values())[1:], return_annotation=init.empty)

    if not TYPE_CHECKING:  # type checkers read an algorithm's own __init__

        def __call__(cls, *values: Any, **parameters: Any) -> Any:
            allowed = [field.name for field in fields(cls)]
            for key in parameters:
                if key not in allowed:
                    raise ParameterError(
                        f"{cls.__name__}: unknown parameter {key!r}; it has {', '.join(allowed)}"
                        + did_you_mean(key, allowed)
                    )
            return super().__call__(*values, **parameters)


@dataclass(frozen=True)
class Algorithm(metaclass=_Named):
    """What all algorithms share: the five choices, and checks of every parameter."""

    search_distribution: ClassVar[str]
    state_value: ClassVar[str]
    entropy_bonus: ClassVar[str] = "none"
    auto_alpha: ClassVar[Auto] = Auto("constant", 0.06)
    auto_beta: ClassVar[Auto] = Auto("log", 0.1)

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in ("alpha", "beta"):
                check_schedule(f"{self.name}: {field.name}", value, positive=field.name == "alpha")
                self._check_drawn(field.name, value)
                continue
            good, allowed = _CHECKS[field.name]
            if not good(value):
                raise ParameterError(f"{self.name}: {field.name}={value!r}, must be {allowed}")

    def _check_drawn(self, name: str, value: Any) -> None:
        """Refuse a temperature that is drawn for each trial where values or weights would change with it."""
        if not (isinstance(value, Spectrum) or (isinstance(value, Auto) and value.kind == "spectrum")):
            return
        if name == "beta":
            raise ParameterError(
                f"{self.name}: beta={value!r}, must be the same for every trial: the weight of entropies"
            )
        if self.state_value_row.has_temperature:
            raise ParameterError(
                f"{self.name}: alpha={value!r}, must be the same for every trial, because its values depend on it"
            )

    @property
    def name(self) -> str:
        """The name users type, such as ``DENTS``."""
        return type(self).__name__

    def __str__(self) -> str:
        return algorithm_text(self)

    def parameters(self) -> dict[str, Any]:
        """Every parameter with its value."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def distribution_row(self) -> space.Distribution:
        """What the design space says of the search distribution."""
        return space.DISTRIBUTIONS[self.search_distribution]

    @property
    def state_value_row(self) -> space.StateValue:
        """What the design space says of the state value."""
        return space.STATE_VALUES[self.state_value]

    @property
    def entropy_row(self) -> space.EntropyBonus:
        """What the design space says of the entropy bonus."""
        return space.ENTROPIES[self.entropy_bonus]

    @property
    def one_parent(self) -> str:
        """Why nodes must have one parent only; "" if they may have several."""
        relative = self.state_value_row.relative or self.entropy_row.relative
        return self.distribution_row.one_parent or (space.RELATIVE_REASON if relative else "")

    @property
    def temperatures(self) -> tuple[Schedule, Schedule]:
        """The search temperature alpha and the entropy's weight beta."""
        alpha, beta = getattr(self, "alpha", 1.0), getattr(self, "beta", 0.0)
        return (self.auto_alpha if alpha == "auto" else alpha), (self.auto_beta if beta == "auto" else beta)


@dataclass(frozen=True)
class _Confident(Algorithm):
    search_distribution: ClassVar[str] = "ucb"
    state_value: ClassVar[str] = "mean"

    c: Union[float, Auto, Literal["auto"]] = "auto"
    recommend: Recommend = "value"


@dataclass(frozen=True)
class UCT(_Confident):
    """Upper confidence bounds on mean returns.

    Args:
        c: the bias of the bound; ``"auto"`` is ``max(0.001, max |Q|)`` at each node (Keller and Eyerich),
            ``bt.spread(x)`` is x of the spread of the returns seen.
        recommend: the action of highest ``"value"`` or most ``"visits"``.
    """


def _check_first_play(chosen: Any) -> None:
    if chosen.first_play != "parent" and chosen.reduction != 0.0:
        raise ParameterError(
            f"{chosen.name}: reduction={chosen.reduction!r} needs first_play='parent', not {chosen.first_play!r}"
        )


@dataclass(frozen=True)
class PUCT(Algorithm):
    """Upper confidence bounds weighted by a prior, as in AlphaZero; uniform where there is no prior.

    Args:
        c: weight of the prior's term.
        reduction: with ``first_play="parent"``, an untried action counts as the node's value minus this.
        noise: weight of Dirichlet noise in the root's prior, drawn once per root.
        noise_concentration: the noise's parameter per action is this divided by the number of legal actions.
        recommend: the action of most ``"visits"`` or highest ``"value"``.
        first_play: what an untried action counts as, to the player who moves: a number (0 in AlphaGo Zero), or
            ``"parent"``, the value of the node itself.
    """

    search_distribution: ClassVar[str] = "prior-ucb"
    state_value: ClassVar[str] = "mean"

    c: float = 1.1
    reduction: float = 0.0
    noise: float = 0.0
    noise_concentration: float = 10.0
    recommend: Recommend = "visits"
    first_play: FirstPlay = "parent"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not _real(self.c):
            raise ParameterError("PUCT: c='auto', must be a finite number of at least 0")
        _check_first_play(self)


@dataclass(frozen=True)
class HMCTS(_Confident):
    """Sequential halving at the root, UCT below it.

    Args:
        c: the bias of the bound below the root, and where halving is over.
        budget: how many trials the rounds share out; None takes the first run's trials.
        threshold: with no larger budget the root goes by UCT, too.
        recommend: the action of highest ``"value"`` or most ``"visits"``.
    """

    search_distribution: ClassVar[str] = "halving"

    budget: Union[int, None] = None
    threshold: int = 30


@dataclass(frozen=True)
class _Sampled(Algorithm):
    search_distribution: ClassVar[str] = "boltzmann"

    alpha: Temperature = "auto"
    epsilon: float = 1.0
    epsilon_prior: float = 1.0
    q_init: FirstPreference = None
    recommend: Recommend = "value"
    alias: Alias = "auto"
    rebuild_factor: float = 1.0
    early_rebuilds: bool = False


_SAMPLED_ARGS = """

    Args:
        alpha: search temperature, a schedule of the node's visits; ``"auto"`` scales it by the returns seen.
        epsilon: exploration; a uniform action with probability min(1, epsilon / log(e + N)).
        epsilon_prior: the same for drawing from the prior, where there is one.
        q_init: preference of an untried action; None takes log prior (shifted to mean 0) where there is one, else the
            lowest return seen where alpha is ``"auto"``, else 0; ``bt.anchored(slope)`` begins at the node's value.
        recommend: the action of highest ``"value"`` or most ``"visits"``.
        alias: sample from alias tables, which are older than the values; ``"auto"`` does so at nodes with many actions,
            unless an evaluator object values leaves. With True, nodes with few draw their next actions at once.
        rebuild_factor: a table is rebuilt every ``rebuild_factor * |A|`` visits of its node.
        early_rebuilds: also at visits 1, 2, 4, ... up to ``|A|``.
"""


@dataclass(frozen=True)
class MENTS(_Sampled):
    """Boltzmann search on soft values: maximises reward plus alpha times entropy."""

    state_value: ClassVar[str] = "soft"


@dataclass(frozen=True)
class RENTS(_Sampled):
    """MENTS with entropy relative to the parent's search policy."""

    search_distribution: ClassVar[str] = "relative"
    state_value: ClassVar[str] = "relative-soft"


@dataclass(frozen=True)
class TENTS(_Sampled):
    """MENTS with Tsallis entropy: the policy is a sparsemax."""

    search_distribution: ClassVar[str] = "sparsemax"
    state_value: ClassVar[str] = "sparse"


@dataclass(frozen=True)
class BTS(_Sampled):
    """Boltzmann tree search: Boltzmann search on Bellman values; consistent at any temperature."""

    state_value: ClassVar[str] = "max"


@dataclass(frozen=True)
class DENTS(_Sampled):
    """Decaying entropy tree search: BTS with an entropy bonus weighted by beta(N)."""

    state_value: ClassVar[str] = "max"
    entropy_bonus: ClassVar[str] = "shannon"

    beta: Temperature = "auto"


@dataclass(frozen=True)
class ARBTS(_Sampled):
    """BTS on average returns, with a decaying temperature."""

    state_value: ClassVar[str] = "mean"
    auto_alpha: ClassVar[Auto] = Auto("log", 0.1)


@dataclass(frozen=True)
class ARDENTS(_Sampled):
    """DENTS on average returns, with a decaying temperature."""

    state_value: ClassVar[str] = "mean"
    entropy_bonus: ClassVar[str] = "shannon"
    auto_alpha: ClassVar[Auto] = Auto("log", 0.1)

    beta: Temperature = "auto"


@dataclass(frozen=True)
class _AverageReturn(_Sampled):
    state_value: ClassVar[str] = "mean"

    @property
    def temperatures(self) -> tuple[Schedule, Schedule]:
        """Here beta is alpha."""
        alpha, _ = super().temperatures
        return alpha, alpha


@dataclass(frozen=True)
class ARMENTS(_AverageReturn):
    """MENTS on average returns: the entropy's weight is the temperature itself."""

    entropy_bonus: ClassVar[str] = "shannon"


@dataclass(frozen=True)
class ARRENTS(_AverageReturn):
    """RENTS on average returns."""

    search_distribution: ClassVar[str] = "relative"
    entropy_bonus: ClassVar[str] = "relative"


@dataclass(frozen=True)
class ARTENTS(_AverageReturn):
    """TENTS on average returns."""

    search_distribution: ClassVar[str] = "sparsemax"
    entropy_bonus: ClassVar[str] = "tsallis"


@dataclass(frozen=True)
class PowerUCT(_Confident):
    """UCT whose state value is a power mean: p = 1 is the mean, p towards infinity the maximum.

    Args:
        c: the bias of the bound, or ``"auto"``.
        p: the power, at least 1.
        recommend: the action of highest ``"value"`` or most ``"visits"``.
    """

    state_value: ClassVar[str] = "power"

    p: float = 2.0


@dataclass(frozen=True)
class StochasticPowerUCT(PowerUCT):
    """Power-UCT with a polynomial bonus, ``c N(s)^(1/4) / sqrt(N(s,a))``: consistent where outcomes are random.

    Args:
        c: the bias of the bound, or ``"auto"``.
        p: the power, at least 1.
        recommend: the action of highest ``"value"`` or most ``"visits"``.
    """

    search_distribution: ClassVar[str] = "polynomial-ucb"


@dataclass(frozen=True)
class BRUE(Algorithm):
    """Best recommendation with uniform exploration: uniform down to a switching depth, then greedy; only the pair at
    the switching depth is updated, so exploring never spoils an estimate.

    Args:
        recommend: the action of highest ``"value"`` or most ``"visits"``.
    """

    search_distribution: ClassVar[str] = "switching"
    state_value: ClassVar[str] = "mean"

    recommend: Recommend = "value"


@dataclass(frozen=True)
class ANTS(_Sampled):
    """MENTS at the temperature that gives the search policies a wished-for mean entropy.

    ``alpha`` is where it starts, ``target`` the mean of ``H(softmax(Q/alpha)) / log |A|`` over the nodes visited,
    ``every`` how many trials pass between two solutions for alpha. The other arguments are those of MENTS.
    """

    state_value: ClassVar[str] = "soft"

    alpha: Temperature = 1.0
    target: float = 0.5
    every: int = 64

    def __post_init__(self) -> None:
        super().__post_init__()
        if not _real(self.alpha):
            raise ParameterError(f"ANTS: alpha={self.alpha!r}, must be a number: it is only where the search starts")


@dataclass(frozen=True)
class Uniform(Algorithm):
    """Every action with equal probability; Bellman values.

    Args:
        recommend: the action of highest ``"value"`` or most ``"visits"``.
    """

    search_distribution: ClassVar[str] = "uniform"
    state_value: ClassVar[str] = "max"

    recommend: Recommend = "value"


@dataclass(frozen=True)
class Custom(Algorithm):
    """An algorithm of one's own: any combination of the design space's choices.

    Args:
        search_distribution: ``"ucb"``, ``"prior-ucb"``, ``"halving"``, ``"boltzmann"``, ``"relative"``,
            ``"sparsemax"``, ``"uniform"``, ``"polynomial-ucb"`` or ``"switching"`` (which needs the state value
            ``"mean"``).
        state_value: ``"mean"``, ``"max"``, ``"soft"``, ``"relative-soft"``, ``"sparse"`` or ``"power"``.
        entropy_bonus: ``"none"``, ``"shannon"``, ``"relative"`` or ``"tsallis"``; needs a sampled distribution.
        beta: the bonus' weight, a schedule.
        c: as in UCT; ``"prior-ucb"`` needs a number.

    The other arguments are those of the algorithms that use them.

    >>> Custom(search_distribution="boltzmann", state_value="power", p=4.0, alpha=0.1).name
    'Custom'
    """

    search_distribution: str = "boltzmann"  # type: ignore[misc]
    state_value: str = "max"  # type: ignore[misc]
    entropy_bonus: str = "none"  # type: ignore[misc]
    alpha: Temperature = 1.0
    beta: Temperature = 0.0
    epsilon: float = 1.0
    epsilon_prior: float = 1.0
    q_init: FirstPreference = None
    c: Union[float, Auto, Literal["auto"]] = "auto"
    p: float = 2.0
    budget: Union[int, None] = None
    threshold: int = 30
    reduction: float = 0.0
    recommend: Recommend = "value"
    alias: Alias = "auto"
    rebuild_factor: float = 1.0
    early_rebuilds: bool = False
    first_play: FirstPlay = "parent"

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_first_play(self)
        row, sampled = self.distribution_row, [repr(k) for k, one in space.DISTRIBUTIONS.items() if one.sampled]
        if self.entropy_bonus != "none" and not row.sampled:
            raise ParameterError(
                f"Custom: entropy_bonus={self.entropy_bonus!r} needs search_distribution={', '.join(sampled[:-1])} or "
                f"{sampled[-1]}, not {self.search_distribution!r}"
            )
        if self.state_value_row.relative and not row.sampled:
            raise ParameterError(
                f"Custom: state_value={self.state_value!r} needs a sampled search_distribution, "
                f"not {self.search_distribution!r}"
            )
        if row.only_value and self.state_value != row.only_value:
            raise ParameterError(
                f"Custom: search_distribution={self.search_distribution!r} needs state_value={row.only_value!r}"
            )
        if self.search_distribution == "prior-ucb" and self.c == "auto":
            raise ParameterError("Custom: c='auto' is for 'ucb' and 'halving'; 'prior-ucb' needs a number")


for _class in (MENTS, RENTS, TENTS, BTS, DENTS, ARBTS, ARDENTS, ARMENTS, ARRENTS, ARTENTS):
    _beta = (
        '        beta: weight of the entropy bonus, a schedule of the node\'s visits, or ``"auto"`` likewise.\n'
        if hasattr(_class, "beta")
        else ""
    )
    _class.__doc__ = (_class.__doc__ or "") + _SAMPLED_ARGS.replace("        epsilon:", _beta + "        epsilon:", 1)

ALGORITHMS: dict[str, type[Algorithm]] = {
    cls.__name__.lower(): cls
    for cls in (
        UCT,
        PUCT,
        HMCTS,
        MENTS,
        RENTS,
        TENTS,
        BTS,
        DENTS,
        ARBTS,
        ARDENTS,
        ARMENTS,
        ARRENTS,
        ARTENTS,
        PowerUCT,
        StochasticPowerUCT,
        BRUE,
        ANTS,
        Uniform,
        Custom,
    )
}


def algorithm(name: str, **parameters: Any) -> Algorithm:
    """An algorithm by its name; case, ``-`` and ``_`` do not matter.

    >>> algorithm("ar-bts", alpha=2.0).name
    'ARBTS'
    """
    letters = str(name).lower().replace("-", "").replace("_", "")
    found = ALGORITHMS.get(letters)
    if found is None:
        names = [one.__name__ for one in ALGORITHMS.values()]
        raise ParameterError(f"algorithm {name!r}: must be one of {', '.join(names)}{did_you_mean(letters, names)}")
    return found(**parameters)
