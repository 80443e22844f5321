"""From an algorithm and a problem to the tree's record: the only place that knows both the table and the kernel."""

from __future__ import annotations

from typing import Any

from ..core.formulas import space
from ..core.memory.layout import ENTROPY, QUOTA
from ..core.memory.storage import fields_of, new_record
from ..errors import ParameterError
from ..problem.problem import Problem
from .anchored import Anchored
from .schedules import Auto, native_schedule, span_of
from .table import ALIAS_FROM, Algorithm

SCAN_TO = 8
"""The number of actions up to which the maximum is found by looking at all of them; beyond, it is remembered."""

TOURNAMENT_FROM = 32
"""The number of actions from which another maximum is found by a tournament, when the best has fallen."""

SUPPORT_FROM = 16
"""The number of actions from which TENTS keeps them in order of value, to find the support."""

SWEEP_LEAST = 1024
"""In a smaller graph all nodes are computed no more often than in one of this size: the call itself costs time."""

NEVER = 1 << 40

MOST_DRAWN = 1024
"""The most actions that are drawn from boxes at one node."""


def configure(problem: Problem, algorithm: Algorithm, *, has_prior: bool, external: bool) -> tuple[Any, list[Any]]:
    """A tree record set up for this pair, and the objects that must live as long as it."""
    record = new_record()
    t = fields_of(record)
    kept = _enter_algorithm(t, algorithm)
    enter_problem(t, problem)

    distribution, value = algorithm.distribution_row, algorithm.state_value_row
    t.has_prior = has_prior and distribution.takes_prior
    _enter_first_preferences(t, algorithm)

    alias = getattr(algorithm, "alias", False)
    t.alias_from = t.ahead_from = NEVER
    if alias == "auto" and external:
        alias = False  # an evaluator's answer costs far more than O(A), and is worth the latest policy
    if t.alpha_kind == space.SPECTRUM:
        alias = False  # a table is of one temperature
    if alias and distribution.sampled:
        t.alias_from = ALIAS_FROM
        if alias is True and t.relative:
            t.alias_from = 2
        elif alias is True:
            t.ahead_from = 2
    if problem.boxes is not None:
        t.alias_from = t.ahead_from = NEVER  # what is drawn from is of a fixed number of actions
    t.scan_to = SCAN_TO
    t.ranked_from = {space.MAX: TOURNAMENT_FROM, space.SPARSE: SUPPORT_FROM}.get(int(t.state_value), NEVER)
    if problem.boxes is not None:
        t.ranked_from = NEVER
    t.sweep_least = SWEEP_LEAST
    tables = min(t.alias_from, t.ahead_from) <= t.actions
    t.has_header = tables or t.distribution == space.HALVING
    if t.entropy_bonus != space.NO_ENTROPY:
        t.extra_words = ENTROPY.itemsize // 8
    elif t.distribution == space.HALVING:
        t.extra_words = QUOTA.itemsize // 8
    t.incremental = (
        t.state_value in (space.SOFT, space.RELATIVE_SOFT) and tables and t.alpha_kind == space.CONSTANT
    ) and not (t.adaptive or t.automatic)
    t.compact = (
        distribution.compact
        and value.compact
        and not (t.relative or t.has_prior or t.adaptive or (t.automatic and t.state_value == space.SOFT))
        and not t.auto_q  # the first preferences of a node's actions are of the time when it got them
        and problem.boxes is None  # what was drawn lies in a block
    )
    return record, kept


def _enter_first_preferences(t: Any, algorithm: Algorithm) -> None:
    """Enter whether untried actions begin at their priors, and how."""
    given = getattr(algorithm, "q_init", None)
    t.q_from_prior = space.NOT_FROM_PRIOR
    if isinstance(given, Anchored):
        if not t.has_prior:
            raise ParameterError(f"{algorithm.name}: q_init={given!r} needs a prior, by the problem or an evaluator")
        t.q_from_prior, t.prior_slope = space.ANCHORED, given.slope
    elif given is None and t.has_prior and algorithm.distribution_row.sampled:
        t.q_from_prior = space.CENTRED


def _enter_algorithm(t: Any, algorithm: Algorithm) -> list[Any]:
    def get(name: str, default: Any) -> Any:
        value = getattr(algorithm, name, default)
        return default if value is None else value

    distribution, value, entropy = algorithm.distribution_row, algorithm.state_value_row, algorithm.entropy_row
    t.distribution, t.state_value, t.entropy_bonus = distribution.number, value.number, entropy.number
    t.sampled, t.has_temperature, t.shifted = distribution.sampled, value.has_temperature, value.shifted
    t.relative = distribution.relative or value.relative or entropy.relative
    t.recommend_visits = get("recommend", "value") == "visits"
    alpha, beta = algorithm.temperatures
    t.alpha_kind, t.alpha_scale, t.alpha_function, kept_alpha = native_schedule(f"{algorithm.name}: alpha", alpha)
    t.beta_kind, t.beta_scale, t.beta_function, kept_beta = native_schedule(f"{algorithm.name}: beta", beta)
    t.alpha_span = span_of(alpha)
    t.auto_alpha, t.auto_beta = (one.x if isinstance(one, Auto) else 0.0 for one in (alpha, beta))
    t.automatic = isinstance(alpha, Auto) or isinstance(beta, Auto)
    t.auto_q = isinstance(alpha, Auto) and getattr(algorithm, "q_init", None) is None
    t.epsilon, t.epsilon_prior = get("epsilon", 0.0), get("epsilon_prior", 0.0)
    q_init = get("q_init", 0.0)
    t.q_init = t.q_init_second = 0.0 if isinstance(q_init, Anchored) else q_init
    c = get("c", 0.0)
    t.auto_c = c.x if isinstance(c, Auto) else 0.0
    t.automatic = t.automatic or isinstance(c, Auto)
    t.c_auto, t.c = isinstance(c, str), t.auto_c or (0.0 if isinstance(c, str) else c)
    t.power = get("p", 1.0)
    first_play = get("first_play", "parent")
    t.first_play_relative = isinstance(first_play, str)
    t.first_play = -get("reduction", 0.0) if t.first_play_relative else first_play
    t.noise_weight = get("noise", 0.0)
    t.budget, t.threshold = get("budget", 0), get("threshold", 0)
    t.adaptive = hasattr(algorithm, "target")
    t.target_entropy, t.every = get("target", 0.0), get("every", 1)
    t.rebuild_factor, t.early_rebuilds = get("rebuild_factor", 1.0), bool(get("early_rebuilds", False))
    return [kept_alpha, kept_beta]


def enter_problem(t: Any, problem: Problem) -> None:
    """Enter a problem's numbers and functions into the tree's record."""
    t.horizon, t.discount = problem.horizon, problem.discount
    if problem.boxes is None:
        t.actions = problem.actions
    else:
        t.actions, t.box_words, t.box_at = MOST_DRAWN, problem.boxes.size, problem.boxes.address
        t.propose = problem.address("propose")
    t.deterministic = bool(problem.deterministic)
    t.words = problem.state_layout().itemsize // 8
    t.params_at = problem.params_at
    if problem.hidden:  # a node has the words of an observation, and a trial carries those of a state
        t.hidden_words, t.words = t.words, problem.observation_layout().itemsize // 8
        t.deterministic = False  # what is observed may differ, and states do
        t.observe, t.start = problem.address("observe"), problem.address("start")
        if problem.has("observation_probability"):
            t.observation_probability = problem.address("observation_probability")
        t.observations = problem.observation if isinstance(problem.observation, int) else 0
    t.step, t.legal, t.player = (problem.address(name) for name in ("step", "legal", "player"))
