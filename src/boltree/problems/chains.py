"""Chains: the D-chain of section 3, the adapted chain of Appendix E.6, the average-return trap of Appendix B."""

from __future__ import annotations

from typing import Any

from ..problem.problem import Problem
from ..problem.record import record
from ..problem.scene import Chain, Grid
from .checks import finite, whole


class DChain(Problem):
    """States 1..D in a row. Left (0) from d ends with (D-d)/D; right (1) goes on, from D it ends with the final reward.

    Args:
        length: D, the number of states.
        final_reward: what the far end pays: 1 makes going right optimal, 0.5 (the modified chain) going left.
    """

    state = record(d="i4")
    params = record(length="i4", final_reward="f8")
    actions = 2
    horizon = 100
    deterministic = True
    action_names = ("left", "right")

    def __init__(self, length: int = 10, final_reward: float = 1.0, *, horizon: int = 100) -> None:
        length = whole("DChain", "length", length, 1)
        final_reward = finite("DChain", "final_reward", final_reward)
        super().__init__(length=length, final_reward=final_reward, horizon=horizon)
        self.rewards = min(0.0, final_reward), max(1.0, final_reward)

    @staticmethod
    def start(params, state, rng):  # type: ignore[no-untyped-def]
        state.d = 1

    @staticmethod
    def step(params, state, action, rng):  # type: ignore[no-untyped-def]
        d = state.d
        if action == 0:
            state.d = 0
            return (params.length - d) / params.length, True
        if d < params.length:
            state.d = d + 1
            return 0.0, False
        state.d = params.length + 1
        return params.final_reward, True

    @staticmethod
    def show(params, state):  # type: ignore[no-untyped-def]
        return "".join("*" if d == state.d else "." for d in range(params.length + 2))

    def scene(self) -> Chain:
        length, final_reward = self.plain_params
        rewards = [(length - d) / length for d in range(1, length + 1)]
        return Chain(rewards=rewards, final_reward=final_reward, position=lambda state: state.d)

    def recipe(self) -> dict[str, Any]:
        p = self.plain_params
        return {"length": p.length, "final_reward": p.final_reward, "horizon": self.horizon}


class AdaptedChain(Problem):
    """A D-chain whose right end is a choice between E, the mouth of an entropy trap, and F, which pays 1 and ends.

    Left (0) from d ends with (D-d)/D; right (1) goes on, and from D to the choice, where 0 enters E and 1 enters F.
    From E on there are K steps with two actions each, both worth nothing: each leads to one of the two states of the
    next step (2K states in all), and the last step ends. So the optimal value is 1, while the soft value of E at
    temperature alpha is alpha * K * log 2, more than F's 1 when alpha > 1 / (K log 2).

    The state's d is 1..D in the chain, D+1 at the choice, D+2 at E (row 0) or F (row 1), D+2+i after i steps of the
    trap (row: the action that led there); it is 0 after a left action in the chain.

    Args:
        length: D, the number of states before the choice.
        trap: K, the number of steps in the entropy trap.
        horizon: steps until a trial is cut off; length + trap + 2, more than any trial takes, unless given.
    """

    state = record(d="i4", row="i4")
    params = record(length="i4", trap="i4")
    rewards = (0.0, 1.0)
    actions = 2
    deterministic = True
    action_names = ("left", "right")

    def __init__(self, length: int = 10, trap: int = 10, *, horizon: int | None = None) -> None:
        length = whole("AdaptedChain", "length", length, 1, 10**6)
        trap = whole("AdaptedChain", "trap", trap, 1, 10**6)
        super().__init__(length=length, trap=trap, horizon=length + trap + 2 if horizon is None else horizon)

    @staticmethod
    def start(params, state, rng):  # type: ignore[no-untyped-def]
        state.d = 1
        state.row = 0

    @staticmethod
    def step(params, state, action, rng):  # type: ignore[no-untyped-def]
        d = state.d
        length = params.length
        if d <= length:
            if action == 0:
                state.d = 0
                return (length - d) / length, True
            state.d = d + 1
            return 0.0, False
        state.d = d + 1
        state.row = action
        if d == length + 1:  # the choice: E goes on, F pays
            return (1.0 if action == 1 else 0.0), action == 1
        return 0.0, d + 1 == length + 2 + params.trap

    @staticmethod
    def show(params, state):  # type: ignore[no-untyped-def]
        into = state.d - params.length - 2
        if into < -1:
            chain = "".join("*" if d == state.d else "." for d in range(params.length + 1))
            return f"{chain} choice of E or F"
        if into < 0:
            return "choice of E or F"
        if into == 0:
            return "F" if state.row == 1 else f"E, the mouth of a trap of {params.trap} steps"
        return f"trap, {'lower' if state.row == 1 else 'upper'} state after step {into} of {params.trap}"

    def scene(self) -> Grid:
        length, trap = self.plain_params
        return Grid(
            rows=2,
            columns=length + 2 + trap,
            cell=lambda state: (state.row, state.d - 1) if state.d else None,
            letters=["S" + "." * (length - 1) + ".E" + "." * trap, " " * (length + 1) + "F" + "." * trap],
            moves={0: (0, -1), 1: (0, 1)},
        )

    def recipe(self) -> dict[str, Any]:
        p = self.plain_params
        return {"length": p.length, "trap": p.trap, "horizon": self.horizon}


class AverageReturnTrap(Problem):
    """The counter-example of Appendix B: at a fixed temperature, average returns prefer the worse action.

    Stop (0) at state 1 pays 1 and ends. Go on (1) leads through the states 2..D, in each of which stopping ends with
    0, and going on from D ends with 2. A search that keeps sampling "stop" along the way sees averages that shrink
    with D, below 1 once D is large.

    Args:
        length: D, the number of states.
        horizon: steps until a trial is cut off; length unless given.
    """

    state = record(d="i4")
    params = record(length="i4")
    actions = 2
    deterministic = True
    action_names = ("stop", "go on")

    def __init__(self, length: int = 10, *, horizon: int | None = None) -> None:
        length = whole("AverageReturnTrap", "length", length, 2, 10**6)
        super().__init__(length=length, horizon=length if horizon is None else horizon)

    @staticmethod
    def start(params, state, rng):  # type: ignore[no-untyped-def]
        state.d = 1

    @staticmethod
    def step(params, state, action, rng):  # type: ignore[no-untyped-def]
        d = state.d
        if action == 0:
            state.d = 0
            return (1.0 if d == 1 else 0.0), True
        state.d = d + 1
        return (2.0 if d == params.length else 0.0), d == params.length

    @staticmethod
    def show(params, state):  # type: ignore[no-untyped-def]
        return "".join("*" if d == state.d else "." for d in range(params.length + 2))

    def scene(self) -> Chain:
        rewards = [1.0] + [0.0] * (self.plain_params.length - 1)
        return Chain(rewards=rewards, final_reward=2.0, position=lambda state: state.d)

    def recipe(self) -> dict[str, Any]:
        return {"length": self.plain_params.length, "horizon": self.horizon}
