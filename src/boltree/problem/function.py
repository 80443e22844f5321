"""A problem's functions as attributes: what the user wrote on the class, a method that steps states on an instance."""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import Any

STEPPING = ("step", "legal", "player", "features")
"""The functions that an instance has as methods, whether the user wrote them or not."""


class Function(staticmethod):  # type: ignore[type-arg]
    """A function of a problem: on the class it is what was written, on an instance a method that steps its states.

    Args:
        name: which one.
        function: what the user wrote; None where it was left out: the class then has no such attribute.
    """

    def __init__(self, name: str, function: Callable[..., Any] | None = None) -> None:
        super().__init__(function)  # type: ignore[arg-type]
        self.name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is not None:
            from . import stepping  # a search does without

            return MethodType(stepping.METHODS[self.name], instance)
        if self.__func__ is None:
            raise AttributeError(f"{owner.__name__ if owner else 'Problem'} has no function {self.name!r}")
        return self.__func__

    def __reduce__(self) -> tuple[Any, ...]:
        return Function, (self.name, self.__func__)


def become_methods(cls: type) -> None:
    """Make methods of the static functions that a class defines."""
    for name in STEPPING:
        found = next((one.__dict__[name] for one in cls.__mro__ if name in one.__dict__), None)
        if isinstance(found, staticmethod) and not isinstance(found, Function):
            setattr(cls, name, Function(name, found.__func__))
