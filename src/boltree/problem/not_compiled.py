"""Says in a sentence why a function does not compile: what Numba reports, its place in the source, what to write."""

from __future__ import annotations

import linecache
import os
import re
from pathlib import Path

PACKAGE = str(Path(__file__).resolve().parents[1])

ADVICE = (
    (r"float\(bool\)", "write (1.0 if ... else 0.0)"),
    (r"Untyped global name '(\w+)': Cannot determine Numba type of <class 'function'>", r"write @numba.njit above \1"),
    (r"attribute '\w+' of type array\(uint64, 1d, C\)", "rng is for bt.uniform(rng) and bt.integer(rng, n)"),
    (r"failed to unpack|Can't unify return type", "it must return as many values in every case, of the same types"),
    (r"No definition for lowering \w+Params\(|setitem\(readonly", "parameters cannot be changed"),
    (r"unicode_type|Literal\[str\]|reflected list|list\(|DictType|dict\(", "fields hold numbers and arrays"),
)
"""Patterns of what Numba reports, and what to say to users."""


def reason_of(report: str) -> str:
    """The first thing that Numba's report complains of, where that stands, and advice where there is some."""
    lines = [line.strip() for line in report.splitlines()]
    lines = [line for line in lines if line and not line.startswith("Failed in nopython mode pipeline")]
    said = lines[0] if lines else report
    if said.startswith("No implementation of function"):
        tried = next((line[4:] for line in lines if line.startswith(">>> ")), said)
        said = f"Numba has no {tried}"
    advice = next(
        (re.sub(f".*?(?:{pattern}).*", words, said) for pattern, words in ADVICE if re.search(pattern, said)), ""
    )
    said = re.split(r" Raised from |: %\"?\.", said)[0].rstrip(".")
    return said + _place_in(report) + (f"; {advice}" if advice else "")


def _place_in(report: str) -> str:
    """The line of the user's that a report names first, with its text; "" if it names none."""
    for one in re.finditer(r"(?:at|from) (\S+) \((\d+)\)|File \"([^\"]+)\", line (\d+)", report):
        path, number = one[1] or one[3], one[2] or one[4]
        if not os.path.abspath(path).startswith(PACKAGE):
            text = linecache.getline(path, int(number)).strip()
            return f", in line {number} of {os.path.basename(path)}" + (f": {text}" if text else "")
    return ""
