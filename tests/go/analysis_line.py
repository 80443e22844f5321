"""A reader of analysis lines, from the documented format: top-level fields, then keys with one value or with many."""

from __future__ import annotations

from typing import Any

TOP = ("info", "rootInfo", "ownership")
MANY = ("pv", "pvVisits")


def read(line: str) -> dict[str, Any]:
    """``{"info": [{...}, ...], "rootInfo": {...}, "ownership": [...]}``; values are text, as they stand."""
    found: dict[str, Any] = {"info": []}
    words = line.split(" ")
    assert "" not in words, "single spaces"
    assert words[0] == "info"
    here: dict[str, Any] = {}
    many: list[str] | None = None
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word == "info":
            here, many = {}, None
            found["info"].append(here)
        elif word == "rootInfo":
            assert "rootInfo" not in found
            here, many = {}, None
            found["rootInfo"] = here
        elif word == "ownership":
            assert "ownership" not in found
            many = found["ownership"] = []
        elif word in MANY:
            many = here[word] = []
        elif many is not None:
            many.append(word)
        else:
            assert word not in here, "every key once"
            here[word] = words[at]
            at += 1
    return found


def last(answer: str) -> dict[str, Any]:
    """The last report of an analysis's whole answer."""
    lines = [line for line in answer.split("\n") if line.startswith("info ")]
    return read(lines[-1])
