"""A tree as its own parts see it: the parts are imported by `Tree`, so that they cannot import it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from ..algorithms.table import Algorithm
from ..core.memory.storage import Storage
from ..problem.problem import Problem


class TreeLike(Protocol):
    """What failures, checks, estimates and exact values use of the tree that they belong to.

    `Tree` is one, and says what each member means.
    """

    problem: Problem
    algorithm: Algorithm
    record: Any
    fields: Any
    storage: Storage
    batch: int
    transpositions: Any
    in_common_batches: bool
    max_bytes: int
    begins: Any
    may_turn: bool

    @property
    def on_full(self) -> str:
        """What happens where there is no more memory."""

    @property
    def size(self) -> int:
        """Nodes in the tree."""

    @property
    def is_proven(self) -> bool:
        """Whether the root's value is proven."""

    def drive(self, kernel: Callable[[], int], trials: int = 1) -> bool:
        """Call a kernel until it is done, and handle its events."""

    def abandon(self) -> None:
        """Take back a trial whose leaf waits for an evaluation."""


class TurningTree(TreeLike, Protocol):
    """What turning to samples, and back, uses of a tree besides: all it takes to make another one."""

    exact: Any
    estimates: Any
    growth: Any
    evaluator: Any
    transpositions: Any
    outcomes: Any
    max_nodes: int | None
    is_limited: bool

    def adopt(self, other: Any) -> None:
        """Go on with the record and memory of another tree."""
