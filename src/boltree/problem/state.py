"""A state in plain Python: what users get from a search, and what functions see that are not compiled."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..core.native import plain_array_at

PADDING = "_padding"
"""Fields whose names begin with this only fill a state's record up to whole words."""


def in_whole_words(layout: np.dtype[Any]) -> np.dtype[Any]:
    """A record's layout, padded to whole 64-bit words.

    The padding is made of fields of its own, because NumPy does not copy what no field covers, and the identity of a
    state, or of an observation, is its bytes.
    """
    assert layout.fields is not None
    columns: list[Any] = []
    end = 0
    for name in layout.names or ():
        dtype, offset = layout.fields[name][:2]
        if offset > end:
            columns.append((f"{PADDING}{end}", "u1", (offset - end,)))
        columns.append((name, dtype))
        end = offset + dtype.itemsize
    size = -(-end // 8) * 8
    if size > end:
        columns.append((f"{PADDING}{end}", "u1", (size - end,)))
    return np.dtype(columns)


class PlainState:
    """A state in plain Python: fields are attributes, whole numbers are Python's."""

    __slots__ = ("memory",)
    _called = "state"

    def __init__(self, memory: Any) -> None:
        if isinstance(memory, PlainState):
            memory = memory.memory
        object.__setattr__(self, "memory", memory if isinstance(memory, np.ndarray) else np.asarray(memory).reshape(1))

    @classmethod
    def at(cls, address: int, layout: np.dtype[Any]) -> PlainState:
        """The state that lies at an address."""
        return cls(plain_array_at(address, 1, layout).view(np.ndarray))

    def __getattr__(self, name: str) -> Any:
        try:
            value = self.memory[name]
        except (ValueError, KeyError, IndexError):
            known = ", ".join(self._names())
            raise AttributeError(f"the {self._called} has no field {name!r}; it has {known}") from None
        return value[0].item() if value.ndim == 1 else value[0]

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.memory.dtype.names:
            raise AttributeError(f"the {self._called} has no field {name!r}; it has {', '.join(self._names())}")
        self.memory[name] = value

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.tobytes() == other.tobytes()

    def __hash__(self) -> int:
        return hash(self.tobytes())

    def tobytes(self) -> bytes:
        """The bytes that are the state's identity."""
        return bytes(self.memory.tobytes())

    def __iter__(self) -> Iterator[Any]:
        return (getattr(self, name) for name in self._names())

    def _names(self) -> list[str]:
        return [name for name in self.memory.dtype.names if not name.startswith(PADDING)]

    def __repr__(self) -> str:
        return f"{self._called.capitalize()}({', '.join(f'{n}={getattr(self, n)}' for n in self._names())})"
