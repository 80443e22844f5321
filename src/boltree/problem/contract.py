"""What the methods of a problem in plain Python take and return: each answer is checked before the kernel sees it.

What a method raises passes through unchanged: only what it returned is checked.
"""

from __future__ import annotations

import inspect
import math
from typing import Any, NoReturn

import numpy as np

from ..errors import ParameterError, ProblemError
from ..messages import shortened
from .python.asked import AskedProblem

METHODS = {
    "start": ("rng",),
    "step": ("state", "action", "rng"),
    "outcomes": ("state", "action"),
    "chances": ("state", "action"),
    "outcome": ("state", "action", "k"),
    "legal": ("state",),
    "player": ("state",),
    "prior": ("state",),
    "heuristic": ("state",),
    "bounds": ("state",),
    "random_action": ("state", "rng"),
    "propose": ("state", "rng"),
    "observe": ("state", "action", "next_state", "rng"),
    "observation_probability": ("observation", "state", "action", "next_state"),
    "perturb": ("state", "rng"),
    "show": ("state",),
    "key": ("state",),
    "rollout": ("state", "steps", "rng"),
}
"""The methods that a user may write, with their arguments after ``self``."""

TOLERANCE = 1e-6
"""How far from 1 the probabilities of an action's outcomes may sum up."""

STEP = "(next_state, reward, done)"
OUTCOMES = "a list of (probability, next_state, reward, done)"

Outcome = tuple[float, Any, float, bool]


def check_arguments(problem: AskedProblem) -> None:
    """Refuse methods that cannot be called as they will be."""
    for name, wanted in METHODS.items():
        method = getattr(problem, name, None)
        if method is None:
            continue
        try:
            signature = inspect.signature(method)
        except ValueError:  # a built-in one, whose signature is not known
            continue
        try:
            signature.bind(*wanted)
        except TypeError:
            given = f"{name}(self{', ' if signature.parameters else ''}{str(signature)[1:]}"
            raise ProblemError(f"{type(problem).__name__}.{given}: must be {name}(self, {', '.join(wanted)})") from None


def refuse(problem: AskedProblem, method: str, answer: Any, where: str, allowed: str) -> NoReturn:
    """Say what a method returned and what it must return."""
    name = problem.display_name()
    raise ProblemError(f"{name}.{method} returned {shortened(answer)} {where}; it must return {allowed}")


def _where(state: Any, action: int | None = None) -> str:
    at = f"in state {shortened(state)}"
    return at if action is None else f"for action {action} {at}"


def _number(given: Any) -> float | None:
    """A real number, whatever kind it is; None for anything else."""
    if isinstance(given, (str, bytes)):
        return None
    try:
        return float(given)
    except OverflowError:  # an integer beyond the largest float
        return math.inf
    except (TypeError, ValueError):
        return None


def _whole(given: Any) -> int | None:
    return int(given) if isinstance(given, (int, np.integer, np.bool_)) else None


def _items(given: Any) -> list[Any] | None:
    """The items of a list, a tuple, an array or a generator; None for what has none."""
    try:
        iterator = iter(given)
    except TypeError:
        return None
    return list(iterator)


# What happens


def transition(problem: AskedProblem, method: str, answer: Any, state: Any, action: int) -> tuple[Any, float, bool]:
    """What `step` or `outcome` returned."""
    try:
        following, given, done = answer
    except (TypeError, ValueError):
        refuse(problem, method, answer, _where(state, action), STEP)
    if type(given) is float and math.isfinite(given) and (done is True or done is False):
        return following, given, done  # as nearly always: nothing more to look at
    reward = _number(given)
    if reward is None:
        refuse(problem, method, answer, _where(state, action), f"{STEP}, the reward a number")
    if not isinstance(done, (int, np.integer, np.bool_)):
        refuse(problem, method, answer, _where(state, action), f"{STEP}, done True or False")
    _check_reward(problem, method, reward, state, action)
    return following, reward, bool(done)


def outcomes_of(problem: AskedProblem, state: Any, action: int) -> list[Outcome]:
    """What `outcomes` returned."""
    answer = problem.outcomes(state, action)  # type: ignore[attr-defined]
    rows = _items(answer)
    found: list[Outcome] = []
    for row in [answer] if rows is None else rows:
        try:
            chance, following, given, done = row
        except (TypeError, ValueError):
            refuse(problem, "outcomes", answer, _where(state, action), OUTCOMES)
        probability, reward = _number(chance), _number(given)
        if probability is None or reward is None or not isinstance(done, (int, np.integer, np.bool_)):
            allowed = f"{OUTCOMES}: a number, a state, a number, True or False"
            refuse(problem, "outcomes", answer, _where(state, action), allowed)
        _check_reward(problem, "outcomes", reward, state, action)
        found.append((probability, following, reward, bool(done)))
    _check_sum(problem, "outcomes", state, action, [one[0] for one in found])
    return found


def chances_of(problem: AskedProblem, state: Any, action: int) -> list[float]:
    """What `chances` returned."""
    answer = problem.chances(state, action)  # type: ignore[attr-defined]
    rows = _items(answer)
    numbers = [None] if rows is None else [_number(one) for one in rows]
    chances = [one for one in numbers if one is not None]
    if len(chances) < len(numbers):
        refuse(problem, "chances", answer, _where(state, action), "a list of probabilities")
    _check_sum(problem, "chances", state, action, chances)
    return chances


def outcome_of(problem: AskedProblem, state: Any, action: int, k: int) -> tuple[Any, float, bool]:
    """What `outcome` returned."""
    return transition(problem, "outcome", problem.outcome(state, action, k), state, action)  # type: ignore[attr-defined]


def _check_reward(problem: AskedProblem, method: str, reward: float, state: Any, action: int) -> None:
    if not math.isfinite(reward):
        where = _where(state, action)
        raise ProblemError(f"{problem.display_name()}.{method}: reward={reward} {where}; rewards must be finite")


def _check_sum(problem: AskedProblem, method: str, state: Any, action: int, chances: list[float]) -> None:
    total = math.fsum(chances) if all(map(math.isfinite, chances)) else math.nan
    if not chances or not abs(total - 1.0) <= TOLERANCE or min(chances) < 0.0:
        raise ProblemError(
            f"{problem.display_name()}.{method}: the probabilities are {shortened(chances)} {_where(state, action)}; "
            "they must be at least 0 and sum to 1"
        )


# What a state is like


def legal_of(problem: AskedProblem, state: Any) -> list[int]:
    """What `legal` returned."""
    answer = problem.legal(state)  # type: ignore[attr-defined]
    if type(answer) is list and _are_actions(answer, problem.actions):
        return answer
    given = _items(answer)
    allowed = f"the numbers of the legal actions, each once, from 0 to {problem.actions - 1}"
    if given is None or any(isinstance(a, (bool, np.bool_)) or _whole(a) is None for a in given):
        refuse(problem, "legal", answer, _where(state), allowed)
    legal = [int(a) for a in given]
    if len(set(legal)) < len(legal) or not all(0 <= a < problem.actions for a in legal):
        refuse(problem, "legal", legal, _where(state), allowed)
    return legal


def _are_actions(given: list[Any], actions: int) -> bool:
    """Whether a list holds plain numbers of actions, each once; looked at without a step of Python for each."""
    kinds = set(map(type, given))
    return not kinds or (kinds == {int} and min(given) >= 0 and max(given) < actions and len(set(given)) == len(given))


def player_of(problem: AskedProblem, state: Any) -> int:
    """What `player` returned; in a terminal state that may be any number."""
    answer = problem.player(state)  # type: ignore[attr-defined]
    mover = _whole(answer)
    if mover is None:
        refuse(problem, "player", answer, _where(state), "0 or 1")
    return mover


def mover_of(problem: AskedProblem, state: Any) -> int:
    """The player to move, who must be 0 or 1."""
    mover = player_of(problem, state)
    if mover not in (0, 1):
        refuse(problem, "player", mover, _where(state), "0 or 1")
    return mover


def prior_of(problem: AskedProblem, state: Any) -> Any:
    """What `prior` returned."""
    answer = problem.prior(state)  # type: ignore[attr-defined]
    try:
        weights = np.asarray(answer, float)
    except (TypeError, ValueError, OverflowError):
        weights = np.zeros(0)
    if weights.shape != (problem.actions,):
        refuse(problem, "prior", answer, _where(state), f"{problem.actions} weights, one for each action")
    return weights


def heuristic_of(problem: AskedProblem, state: Any) -> float:
    """What `heuristic` returned."""
    answer = problem.heuristic(state)  # type: ignore[attr-defined]
    value = _number(answer)
    if value is None:
        refuse(problem, "heuristic", answer, _where(state), "a number")
    return value


def bounds_of(problem: AskedProblem, state: Any) -> tuple[float, float]:
    """What `bounds` returned."""
    answer = problem.bounds(state)  # type: ignore[attr-defined]
    pair = _items(answer) or []
    lower, upper = (_number(one) for one in pair) if len(pair) == 2 else (None, None)
    if lower is None or upper is None:
        refuse(problem, "bounds", answer, _where(state), "(lower, upper), two numbers")
    return lower, upper


def drawn_of(problem: AskedProblem, method: str, state: Any, rng: Any) -> Any:
    """What `random_action` or `propose` returned, where actions are drawn from boxes."""
    assert problem.boxes is not None
    answer = getattr(problem, method)(state, rng)
    try:
        return problem.boxes.present(problem.boxes.vector(answer))
    except ParameterError:
        refuse(problem, method, answer, _where(state), problem.boxes.wanted)


def random_action_of(problem: AskedProblem, state: Any, rng: Any) -> Any:
    """What `random_action` returned."""
    if problem.boxes is not None:
        return drawn_of(problem, "random_action", state, rng)
    answer = problem.random_action(state, rng)  # type: ignore[attr-defined]
    action = _whole(answer)
    if action is None or not 0 <= action < problem.actions:
        refuse(problem, "random_action", answer, _where(state), f"an action, from 0 to {problem.actions - 1}")
    return action


def observation_probability_of(
    problem: AskedProblem, observation: Any, state: Any, action: int, following: Any
) -> float:
    """What `observation_probability` returned."""
    asked = problem.observation_probability  # type: ignore[attr-defined]
    answer = asked(observation, state, action, following)
    value = _number(answer)
    if value is None:
        refuse(problem, "observation_probability", answer, _where(state, action), "a number")
    return value


def rollout_of(problem: AskedProblem, state: Any, steps: int, rng: Any) -> float:
    """What `rollout` returned."""
    answer = problem.rollout(state, steps, rng)
    value = _number(answer)
    if value is None:
        refuse(problem, "rollout", answer, _where(state), "a number, the discounted return")
    return value
