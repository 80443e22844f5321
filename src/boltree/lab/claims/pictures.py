"""The pictures that go with claims: the figure in which a claim can be seen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...extras import needs
from ..figures import FIGURES
from ..pictures import draw
from ..running import Laboratory
from ..shipped import shipped
from .claim import Claim

WIDTH = 1000
"""Pixels of a kept picture."""

_SHOWN = {
    "C2": ("2", ["figure-2"]),
    "C9": ("3a", ["figure-3a"]),
    "C10": ("3b", ["figure-3b"]),
    "C12": ("lake-8x8", ["lake-8x8-ments"]),
    "C13": ("dents-ments", ["dents-as-ments-chain"]),
    "C21": ("lake-8x8", ["lake-8x8-rents"]),
}


def claim_pictures(claims: Sequence[Claim], laboratory: Laboratory, quick: bool, folder: Path) -> dict[str, list[str]]:
    """Draw the pictures of these claims into a folder; their paths beside the page, by claim."""
    folder.mkdir(parents=True, exist_ok=True)
    paths: dict[str, list[str]] = {}
    for claim in claims:
        if claim.number not in _SHOWN:
            continue
        name, wanted = _SHOWN[claim.number]
        experiments = [shipped(one, quick=quick) for one in FIGURES[name].experiments]
        frames = laboratory.run(experiments)
        for experiment in experiments:
            for picture, figure in FIGURES[name].lay_out(experiment, frames[experiment.name]).items():
                if picture in wanted:
                    png, svg = draw(figure, folder / picture)
                    svg.unlink()
                    _shrink(png)
                    paths.setdefault(claim.number, []).append(f"{folder.name}/{png.name}")
    return paths


def _shrink(path: Path) -> None:
    """Make a picture small enough to be kept beside a text: fewer pixels, a palette."""
    image = needs("PIL.Image")
    with image.open(path) as whole:
        height = round(WIDTH * whole.height / whole.width)
        small = whole.convert("RGB").resize((WIDTH, height), image.Resampling.LANCZOS)
    small.quantize(96).save(path, optimize=True)
