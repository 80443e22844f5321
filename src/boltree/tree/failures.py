"""From a kernel's error code to the exception that a user understands.

When a problem's own function raised, the call is made again in plain Python with the saved state and
generator, so that the user's own exception arrives, with its traceback.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.memory import layout as records
from ..errors import ParameterError, ProblemError, note
from ..problem.boxes import HeldActions
from ..problem.state import PlainState
from .hidden import carried_state
from .tree_like import TreeLike
from .widening import vectors_of

FUNCTIONS = {
    records.STEP_FAILED: "step",
    records.ROLLOUT_FAILED: "a rollout",
    records.LEGAL_FAILED: "legal",
    records.PRIOR_FAILED: "prior",
    records.HEURISTIC_FAILED: "heuristic",
    records.FEATURES_FAILED: "features",
    records.OUTCOMES_FAILED: "outcomes",
    records.BOUNDS_FAILED: "bounds",
    records.PLAYER_FAILED: "player",
    records.START_FAILED: "start",
    records.OBSERVE_FAILED: "observe",
    records.PROBABILITY_FAILED: "observation_probability",
    records.PROPOSE_FAILED: "propose",
}
"""The functions of a problem that may raise, by the code of that."""

WITH_ACTION = (
    records.STEP_FAILED, records.OUTCOMES_FAILED, records.PLAYER_FAILED, records.OBSERVE_FAILED,
    records.PROBABILITY_FAILED,
)  # fmt: skip
"""Those of them that are about an action."""


def raise_failure(tree: TreeLike, code: int) -> None:
    """Raise what went wrong in the last trial. The tree is as it was before that trial."""
    t, problem = tree.fields, tree.problem
    _raise_own(tree, code)
    name = problem.display_name()
    memory = _asked_state(tree)
    where = f"in state {problem.written(memory)}"
    action = failed_action(tree)
    rng = np.array([t.error_rng0, t.error_rng1], np.uint64)
    state = PlainState(memory.copy())
    again: dict[int, Any] = {
        records.STEP_FAILED: lambda: problem.plain_step(state, action, rng),
        records.ROLLOUT_FAILED: lambda: _rollout(problem, state, rng),
        records.LEGAL_FAILED: lambda: problem.legal_actions(memory[0]),
        records.PRIOR_FAILED: lambda: problem.plain_prior(memory),
        records.HEURISTIC_FAILED: lambda: problem.plain_heuristic(memory),
        records.FEATURES_FAILED: lambda: problem.plain_features(memory),
        records.OUTCOMES_FAILED: lambda: plain_outcome(problem, state, action),
        records.BOUNDS_FAILED: lambda: problem.plain_bounds(memory),
        records.PLAYER_FAILED: lambda: _player_after(problem, state, action, rng),
        records.START_FAILED: lambda: problem.plain_start(rng),
        records.PROPOSE_FAILED: lambda: problem.plain_propose(state, rng),
        records.OBSERVE_FAILED: lambda: _observe_after(problem, state, action, rng),
        records.PROBABILITY_FAILED: lambda: None,  # which observation it was is not kept
    }
    if t.observe and code == records.PLAYER_FAILED:  # the state is the one after the step
        again[code] = lambda: problem.plain_player(memory)
    if code in again:
        function = FUNCTIONS[code]
        try:
            again[code]()
        except ProblemError:
            raise
        except Exception as error:
            if code != records.ROLLOUT_FAILED:  # which notes the very step
                at = f"action {action} " if code in WITH_ACTION else ""
                note(error, f"in {name}.{function}, {at}{where}")
            raise
        raise ProblemError(
            f"{name}: {function} raised when compiled {where}, but not in plain Python; run bt.check(problem)"
        )
    value = float(t.error_value)
    if code == records.BAD_REWARD:
        raise ProblemError(f"{name}.step: reward={value} for action {action} {where}; rewards must be finite")
    if code == records.BAD_PROPOSAL:
        problem.plain_propose(state, rng)  # which says what it drew
        raise ProblemError(f"{name}.propose drew other numbers when compiled {where}; run bt.check(problem)")
    if code == records.NO_ACTION:
        raise ProblemError(
            f"{name}: no legal action {where}; a state without legal actions must be terminal (done=True)"
        )
    if code == records.BAD_PRIOR:
        raise ProblemError(f"{name}: prior={value} for action {action} {where}; a prior must be finite and at least 0")
    if code == records.BAD_PLAYER:
        raise ProblemError(f"{name}.player returned {value:g} after action {action} {where}; it must be 0 or 1")
    if code == records.BAD_PROBABILITY:
        raise ProblemError(
            f"{name}.observation_probability gives {value} after action {action} {where}; it must be finite and at "
            "least 0"
        )
    if code == records.BAD_OBSERVATION:
        raise ProblemError(
            f"{name}.observe returned {value:g} after action {action} {where}; must be from 0 to {t.observations - 1}"
        )
    if code == records.BAD_VALUE and t.evaluator == records.ROLLOUT:
        raise ProblemError(f"{name}: a rollout {where} returned {value}; rewards must be finite")
    if code == records.BAD_VALUE:
        raise ProblemError(f"{name}: the evaluator's value is {value} {where}; it must be finite")
    if code == records.NO_OUTCOME:
        raise ProblemError(f"{name}.count_outcomes: below 1 for action {action} {where}")
    if code == records.BAD_CHANCES:
        raise ProblemError(
            f"{name}.outcomes: probabilities of action {action} {where} sum to {value}, must be 1 (each at least 0)"
        )
    if code == records.BAD_BOUNDS:
        raise ProblemError(f"{name}.bounds {where}: the lower one must be at most the upper one, neither NaN")
    if code == records.OUTSIDE_REWARDS:
        raise ProblemError(
            f"{name}.outcomes: reward={value} for action {action} {where}; must be within rewards={problem.rewards}"
        )
    if code == records.CONTRADICTION:
        raise ProblemError(
            f"{name}: action {action} is worth {value:g} by its outcomes, which its bounds rule out: what "
            "bounds(params, state) or rewards say is not true"
        )
    if code == records.SCHEDULE_FAILED:
        raise ParameterError(
            f"{tree.algorithm.name}: a temperature is {value} at count {action}; alpha must stay greater than 0 and "
            "beta at least 0, both finite"
        )
    if code == records.UNKNOWN_CHOICE:
        raise RuntimeError(
            f"the kernel has no formula for search distribution {int(t.distribution)} with state value "
            f"{int(t.state_value)} (core/formulas/space.py)"
        )
    raise RuntimeError(f"the kernel stopped with code {code}")


def failed_action(tree: TreeLike) -> Any:
    """The action that was asked about: its number, or what was drawn from boxes."""
    t, boxes = tree.fields, tree.problem.boxes
    number = int(t.error_action)
    if boxes is None:
        return number
    drawn = vectors_of(tree, int(t.error_node))
    return boxes.present(np.reshape(drawn[number], -1)) if 0 <= number < len(drawn) else number


def _asked_state(tree: TreeLike) -> Any:
    """A copy of the state that the problem was asked about: the node's; where states are hidden, the trial's."""
    t = tree.fields
    words = carried_state(tree) if t.observe else tree.storage.states[int(t.error_node)].copy()
    return words.view(tree.problem.state_layout())


def _raise_own(tree: TreeLike, code: int) -> None:
    """Raise what a method in plain Python raised, as it was raised, with a note that says where."""
    if code not in FUNCTIONS:
        return
    try:
        tree.problem.reraise()
    except ProblemError:
        raise
    except Exception as error:
        problem = tree.problem
        state = problem.written(_asked_state(tree))
        at = f"action {failed_action(tree)} " if code in WITH_ACTION else ""
        note(error, f"in {problem.display_name()}.{FUNCTIONS[code]}, {at}in state {state}")
        raise


def plain_outcome(problem: Any, state: PlainState, action: Any) -> None:
    """Call, in plain Python, whatever exact solving calls on a state, so that what raised raises again."""
    problem.legal_actions(state)
    problem.plain_player(state.memory)
    if action >= 0:
        before = state.memory.copy()
        for k in range(problem.plain_count_outcomes(state, action)):
            state.memory[:] = before
            problem.plain_outcome(state, action, k)


def _player_after(problem: Any, state: PlainState, action: Any, rng: Any) -> None:
    problem.plain_step(state, action, rng)
    problem.plain_player(state.memory)


def _observe_after(problem: Any, state: PlainState, action: Any, rng: Any) -> None:
    before = state.memory.copy()
    problem.plain_step(state, action, rng)
    problem.plain_observe(before, action, state.memory, rng)


def _rollout(problem: Any, state: PlainState, rng: Any) -> None:
    held = None if problem.boxes is None or problem.has("random_action") else HeldActions(problem.boxes, rng)
    for _ in range(problem.horizon):
        before, function, action = PlainState(state.memory.copy()), "random_action", ""
        try:
            chosen = problem.plain_random_action(state, rng) if held is None else held.next()
            function, action = "step", f"action {chosen} "
            if problem.plain_step(state, chosen, rng)[1]:
                break
        except ProblemError:
            raise
        except Exception as error:
            note(error, f"in {problem.display_name()}.{function}, {action}in state {problem.written(before)}")
            raise
