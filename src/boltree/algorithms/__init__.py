"""The algorithms: rows of one small design space, their parameters, and how a row is entered into the kernel."""

from .table import ALGORITHMS, Algorithm, algorithm

__all__ = ["ALGORITHMS", "Algorithm", "algorithm"]
