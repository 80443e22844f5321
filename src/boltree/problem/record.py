"""``bt.record``: the fields of a problem's state or parameters, as a user writes them.

bt.record(x="i4", board="i1[6,7]")       # a state: fixed sizes
bt.record(goal="i4", cost="f8[:,:]")     # parameters: arrays may have a run-time size
"""

from __future__ import annotations

import re
from collections import namedtuple
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ProblemError

_FIELD = re.compile(r"^\s*([a-z]+[0-9]*)\s*(?:\[([0-9:,\s]+)\])?\s*$")
_KINDS = {f"{kind}{size}" for kind in "iu" for size in (1, 2, 4, 8)} | {"f4", "f8"}


@dataclass(frozen=True)
class Field:
    """One field: its scalar type, its fixed shape (empty for a scalar), or its run-time dimensions."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...] = ()
    dimensions: int = 0  # of an array whose size is known only at run time


class Record:
    """A checked list of fields."""

    def __init__(self, fields: list[Field]) -> None:
        self.fields = fields

    def __repr__(self) -> str:
        return f"record({', '.join(f.name for f in self.fields)})"

    @property
    def names(self) -> tuple[str, ...]:
        """The fields' names."""
        return tuple(f.name for f in self.fields)

    @property
    def real(self) -> bool:
        """Whether a field is of real numbers."""
        return any(field.dtype.kind == "f" for field in self.fields)

    def layout(self) -> np.dtype[Any]:
        """The NumPy record that lies in memory: a run-time array is its address and its shape."""
        columns: list[Any] = []
        for field in self.fields:
            if field.dimensions:
                columns.append((field.name, "i8"))
                columns.extend((f"{field.name}__{d}", "i8") for d in range(field.dimensions))
            elif field.shape:
                columns.append((field.name, field.dtype, field.shape))
            else:
                columns.append((field.name, field.dtype))
        return np.dtype(columns or [("none", "i8")], align=True)

    def tuple_type(self, name: str) -> Any:
        """The named tuple through which a problem's functions see their parameters."""
        return namedtuple(name, self.names)


def record(**fields: str) -> Record:
    """The fields of a state or of parameters; each is a type, ``"i4"``, or an array, ``"i1[6,7]"``, ``"f8[:,:]"``.

    Types are ``i`` (signed), ``u`` (unsigned) or ``f`` (real) and a size in bytes.
    """
    checked = []
    for name, text in fields.items():
        match = _FIELD.match(text) if isinstance(text, str) else None
        if match is None or match[1] not in _KINDS:
            raise ProblemError(
                f"record field {name}={text!r}: expected a type such as 'i4', 'u1', 'f8', 'i1[6,7]' or 'f8[:,:]'"
            )
        dtype = np.dtype(match[1])
        if match[2] is None:
            checked.append(Field(name, dtype))
            continue
        sizes = [part.strip() for part in match[2].split(",")]
        if all(size == ":" for size in sizes):
            checked.append(Field(name, dtype, dimensions=len(sizes)))
        elif all(size.isdigit() and int(size) > 0 for size in sizes):
            checked.append(Field(name, dtype, shape=tuple(int(size) for size in sizes)))
        else:
            raise ProblemError(f"record field {name}={text!r}: dimensions must be all ':' or all positive numbers")
    return Record(checked)
