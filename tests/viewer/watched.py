"""What a page holds, and small searches to show."""

from __future__ import annotations

import json
import re

import boltree as bt

LIMIT = 3_000_000


def data_in(html: str) -> dict:
    """The data that a page's scripts draw."""
    return json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', html, re.S).group(1))


def dents(**parameters) -> bt.DENTS:
    return bt.DENTS(**{"alpha": 1.0, "beta": bt.log_decay(1.0), "epsilon": 0.1} | parameters)


def proving(problem, **options) -> bt.Search:
    """A search without an algorithm whose proofs come slowly: by its trials alone, not by exact values beside them."""
    search = bt.Search(problem, seed=0, **options)
    search.tree.exact = None
    return search


def playing(problem) -> bt.Search:
    """A search of a game that proves, by an algorithm that stays what it is."""
    return bt.Search(problem, bt.ARBTS(), seed=0, transpositions=True, outcomes="known", proofs=True)


def both(problem, *algorithms, seed=0, growth="trial") -> list[bt.Search]:
    chosen = algorithms or (bt.UCT(), dents())
    return [bt.Search(problem, one, seed=seed, growth=growth) for one in chosen]
