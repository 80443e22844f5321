"""Remembering an evaluator's answers: a position that was evaluated is not evaluated again."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from threading import Lock
from typing import Any

import numpy as np

from ..checks import whole
from ..errors import ParameterError
from .facts import side_of, wants_of


class Cached:
    """An evaluator that remembers another one's answers, by the bytes of what it is given.

    The positions that were asked for longest ago are forgotten first. It may be shared by several searches of the same
    problem; searches in several threads may ask it at the same time.

    Args:
        evaluator: the one that is asked about new positions; its answer must depend on the position only.
        entries: how many positions are remembered.

    Example:
        >>> class Half:
        ...     gives_prior = False
        ...     def evaluate(self, batch):
        ...         return None, 0.5 * batch[:, 0]
        >>> cached = Cached(Half(), entries=10)
        >>> cached.evaluate(np.array([[2.0], [4.0], [2.0]]))
        (None, array([1., 2., 1.]))
        >>> cached.hits, cached.misses
        (1, 2)
    """

    def __init__(self, evaluator: Any, entries: int = 100_000) -> None:
        whole("entries", entries, 1, of="Cached")
        self.evaluator, self.entries = evaluator, int(entries)
        self.hits = self.misses = 0
        self._answers: OrderedDict[bytes, tuple[Any, float]] = OrderedDict()
        self._lock = Lock()

    @property
    def gives_prior(self) -> bool:
        """Whether the evaluator gives priors."""
        return bool(getattr(self.evaluator, "gives_prior", True))

    @property
    def batch(self) -> int:
        """How many positions the evaluator is given at a time."""
        return int(getattr(self.evaluator, "batch", 1))

    @property
    def values(self) -> str:
        """Whose values the evaluator gives."""
        return side_of(self.evaluator)

    @property
    def wants(self) -> tuple[str, ...]:
        """What the evaluator wants to be told of positions."""
        return wants_of(self.evaluator)

    def evaluate(self, batch: Any, **told: Any) -> tuple[Any, Any]:
        """Priors (or None) and values of K positions; each new one is evaluated once, together with the others."""
        if isinstance(batch, list):
            raise ParameterError("Cached: positions that are Python objects have no bytes to tell them apart by")
        columns = [batch, *told.values()]
        keys = [
            hashlib.blake2b(b"".join(np.asarray(part).tobytes() for part in row), digest_size=16).digest()
            for row in zip(*columns, strict=True)
        ]
        known: dict[bytes, tuple[Any, float]] = {}
        with self._lock:
            for key in keys:
                if key in self._answers:
                    self._answers.move_to_end(key)
                    known[key] = self._answers[key]
        places = {key: i for i, key in reversed(list(enumerate(keys))) if key not in known}  # the first of each
        new = dict(sorted(places.items(), key=lambda item: item[1]))
        if new:
            chosen = list(new.values())
            rest = {name: column[chosen] for name, column in told.items()}
            priors, values = self.evaluator.evaluate(batch[chosen], **rest)
            values = np.asarray(values, np.float64).reshape(-1)
            if values.size != len(new):
                raise ParameterError(f"evaluator: {values.size} values for a batch of {len(new)}")
            rows = [None] * len(new) if priors is None else [np.array(row) for row in priors]
            known |= {key: (rows[i], float(values[i])) for i, key in enumerate(new)}
        with self._lock:
            self.misses += len(new)
            self.hits += len(keys) - len(new)
            for key in new:
                self._answers[key] = known[key]
                self._answers.move_to_end(key)
            while len(self._answers) > self.entries:
                self._answers.popitem(last=False)
        found = [known[key] for key in keys]
        answer = np.array([value for _, value in found])
        return (None if found[0][0] is None else np.stack([prior for prior, _ in found])), answer

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._answers.clear()
            self.hits = self.misses = 0
