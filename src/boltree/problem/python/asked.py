"""What the kernel's side calls of a problem in plain Python: a protocol, since `PythonProblem` imports that side."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, NoReturn, Protocol

from ..boxes import Boxes


class AskedProblem(Protocol):
    """What is asked of a problem in plain Python. `PythonProblem` is one, and says what each member means.

    The methods that a user may leave out (`contract.METHODS` lists them) are not among the members.
    """

    actions: Any
    boxes: Boxes | None
    deterministic: bool

    @property
    def has_outcomes(self) -> bool:
        """Whether it lists the outcomes of an action."""

    def display_name(self) -> str:
        """Its name."""

    def has(self, name: str) -> bool:
        """Whether it defines a method."""

    @classmethod
    def functions(cls) -> Mapping[str, Any]:
        """The methods that the user wrote, by name."""

    def number_of(self, state: Any) -> int:
        """The number that stands for a state in the kernel."""

    def object_of(self, number: Any) -> Any:
        """The state that a number stands for."""

    def number_of_observation(self, observation: Any) -> int:
        """The number that stands for an observation in the kernel."""

    def observation_of(self, number: Any) -> Any:
        """The observation that a number stands for."""

    def key(self, state: Any) -> Hashable:
        """What makes two states the same one."""

    def start(self, rng: Any) -> Any:
        """The first state."""

    def step(self, state: Any, action: int, rng: Any) -> tuple[Any, float, bool]:
        """The next state, the reward and whether it ends."""

    def certain_step(self, state: Any, action: int) -> tuple[Any, float, bool]:
        """A deterministic problem's step."""

    def legal_of(self, state: Any) -> Iterable[int]:
        """The legal actions of a state, checked."""

    def rollout(self, state: Any, steps: int, rng: Any) -> float:
        """The discounted return of at most `steps` random actions."""

    def play_on(self, state: Any, steps: int, rng: Any, total: float, weight: float) -> float:
        """A rollout's return so far, and the rest of it."""

    def refuse_changed(self, method: str, before: Any) -> NoReturn:
        """Say that states are never changed."""
