"""One HTML file from a title, data, and the styles and scripts that draw them."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Iterable, Sequence
from importlib.resources import files
from string import Template
from typing import Any

from .colours import Style, on_dark

Resource = tuple[str, str]
"""A package and the name of a file in it."""

WEB = __package__ or "boltree.web"
STYLES: tuple[Resource, ...] = ((WEB, "base.css"),)
SCRIPTS: tuple[Resource, ...] = ((WEB, "elements.js"), (WEB, "charts.js"))


def page_text(title: str, data: Any, styles: Sequence[Resource] = (), scripts: Sequence[Resource] = ()) -> str:
    """The page: further styles and scripts follow the common ones, and find `data` in the constant `report`."""
    return Template(_read([(WEB, "page.html")])).substitute(
        title=html.escape(title),
        style=_read((*STYLES, *styles)),
        script=_read((*SCRIPTS, *scripts)),
        data=json_text(data),
    )


def json_text(data: Any) -> str:
    """Data as it stands in a page: with no "<" in it, no text can end the script tag."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def number(value: Any, digits: int = 6) -> float | int | None:
    """A number that JSON can hold, without needless digits; None where there is none.

    >>> number(2.0), number(1 / 3), number(float("nan"))
    (2, 0.333333, None)
    """
    if not math.isfinite(value):
        return None
    rounded = float(f"{value:.{digits}g}")
    return int(rounded) if rounded.is_integer() else rounded


def numbers(values: Iterable[Any], digits: int = 6) -> list[float | int | None]:
    """Many numbers that JSON can hold."""
    return [number(value, digits) for value in values]


def look(label: str, style: Style) -> dict[str, Any]:
    """How a curve is drawn on a light and on a dark ground."""
    return {"label": label, "colour": style.colour, "dark": on_dark(style.colour), "dash": list(style.dash)}


def _read(resources: Iterable[Resource]) -> str:
    return "".join(files(package).joinpath(name).read_text(encoding="utf-8") for package, name in resources)
