"""What `bt.solve` returns: the exact value of every state that can be reached, at every depth."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..core.exact import model as kernels
from ..errors import ParameterError
from ..messages import shortened
from ..tree.model import Model

Objective = Literal["reward", "soft", "uniform"]

OBJECTIVES = {"reward": kernels.REWARD, "soft": kernels.SOFT, "uniform": kernels.UNIFORM}


def backward(model: Model, objective: Objective, alpha: float) -> list[NDArray[np.float64]]:
    """Values by layer, in the order of the layer's states; 0 at the horizon."""
    values: list[NDArray[np.float64]] = [np.zeros(layer.size) for layer in model.layers]
    position = np.zeros(model.size, np.int64)
    for depth in range(len(model.layers) - 1, -1, -1):
        if depth >= model.horizon:
            continue
        below = np.zeros(0)
        if depth + 1 < len(model.layers):
            below = values[depth + 1]
            position[model.layers[depth + 1]] = np.arange(below.size)
        kernels.back_layer(
            model.layers[depth], values[depth], position, below, model.rows, model.first, model.probability,
            model.reward, model.successor, model.player, OBJECTIVES[objective], alpha, model.problem.discount,
        )  # fmt: skip
    return values


class Solution:
    """Exact values of a problem. Depths count from the start state."""

    def __init__(self, model: Model, objective: Objective, alpha: float) -> None:
        self.model, self.objective, self.alpha = model, objective, alpha
        self.values = backward(model, objective, alpha)

    @property
    def root_value(self) -> float:
        """The value of the start state."""
        return float(self.values[0][0])

    def _locate(self, state: Any, depth: int) -> tuple[int, int]:
        model = self.model
        number = 0 if state is None else model.ids.get(model.problem.as_state(state).tobytes(), -1)
        if number >= 0 and 0 <= depth < len(model.layers):
            layer = model.layers[depth]
            i = int(np.searchsorted(layer, number))
            if i < layer.size and layer[i] == number:
                return number, i
        raise ParameterError(f"state {shortened(state)} at depth {depth}: cannot be reached from the start state")

    def value(self, state: Any = None, depth: int = 0) -> float:
        """The value of a state at a depth; of the start if None."""
        _, place = self._locate(state, depth)
        return float(self.values[depth][place])

    def actions(self, state: Any = None, depth: int = 0) -> NDArray[np.int64]:
        """The legal actions of a state."""
        model, (s, _) = self.model, self._locate(state, depth)
        return model.action[model.rows[s] : model.rows[s + 1]].astype(np.int64)

    def q(self, state: Any = None, depth: int = 0) -> NDArray[np.float64]:
        """The value of each legal action of a state at a depth, over ``actions(state, depth)``."""
        model, (s, _) = self.model, self._locate(state, depth)
        if depth >= model.horizon:
            return np.zeros(0)
        result = np.zeros(int(model.rows[s + 1] - model.rows[s]))
        for j, row in enumerate(range(int(model.rows[s]), int(model.rows[s + 1]))):
            for k in range(int(model.first[row]), int(model.first[row + 1])):
                follower, value = int(model.successor[k]), 0.0
                if follower >= 0 and depth + 1 < len(model.layers):
                    i = int(np.searchsorted(model.layers[depth + 1], follower))
                    value = float(self.values[depth + 1][i])
                result[j] += model.probability[k] * (model.reward[k] + model.problem.discount * value)
        return result
