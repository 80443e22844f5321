"""What the texts, tables and graphs of a search are made of."""

from __future__ import annotations

from typing import Protocol

from ..algorithms.table import Algorithm
from ..problem.problem import Problem
from ..tree import Node
from ..tree.transpositions import Transpositions


class SearchFacts(Protocol):
    """What can be read of a search; `Search` says what each means."""

    threads: int

    @property
    def problem(self) -> Problem:
        """The problem that is planned in."""

    @property
    def algorithm(self) -> Algorithm:
        """The algorithm that searches."""

    @property
    def growth(self) -> str:
        """How the tree grows."""

    @property
    def transpositions(self) -> Transpositions:
        """Whether nodes are shared, and by what."""

    @property
    def proofs(self) -> bool:
        """Whether bounds are kept and values proven."""

    @property
    def parallelism(self) -> str:
        """How several threads work together."""

    @property
    def trials(self) -> int:
        """Trials run so far."""

    @property
    def size(self) -> int:
        """Nodes in the tree."""

    @property
    def nbytes(self) -> int:
        """Bytes that the tree takes."""

    @property
    def root(self) -> Node:
        """The root node."""
