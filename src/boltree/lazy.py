"""Names of a package whose modules are imported when a name is first used (PEP 562)."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def lazy_names(package: str, places: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a package some of whose names are imported on first use.

    Args:
        package: the package's name.
        places: for each name the module that defines it, relative to the package (``".many"``), or the module itself
            where the name is a subpackage (``"go": ".go"``).
    """

    def find(name: str) -> Any:
        place = places.get(name)
        if place is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name, obj=sys.modules[package])
        module = importlib.import_module(place, package)
        value = module if place == f".{name}" else getattr(module, name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *places})

    return find, names
