"""Finds fields that a problem's functions name and its records do not have: why a function does not compile."""

from __future__ import annotations

import dis
from collections.abc import Iterable, Mapping
from typing import Any

from ..messages import did_you_mean

BETWEEN = ("COPY", "DUP_TOP", "CACHE")
"""What may stand between loading a record and its field, where the field is changed."""


def unknown_field(function: Any, fields: Mapping[str, Iterable[str]]) -> str:
    """What to say of the first field that a function names and that is not there; "" if all are.

    Args:
        function: written in Python, compiled or not.
        fields: the fields of each argument that is a record, by the argument's name.
    """
    before = None
    for one in dis.get_instructions(getattr(function, "py_func", function)):
        if before is not None and one.opname in ("LOAD_ATTR", "STORE_ATTR", "LOAD_METHOD"):
            loaded = before.argval[-1] if isinstance(before.argval, tuple) else before.argval
            known = fields.get(loaded) if before.opname.startswith("LOAD_FAST") else None
            if known is not None and one.argval not in known:
                names = list(known)
                has = f"it has {', '.join(names)}" if names else "it has none"
                return f"{loaded} has no field {one.argval!r}; {has}{did_you_mean(one.argval, names)}"
        if one.opname not in BETWEEN:
            before = one
    return ""
