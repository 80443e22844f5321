"""What searches do is pinned bit by bit: the trees of every algorithm in every mode are those that are stored."""

from __future__ import annotations

import json

import pytest

from golden_trees import DIGESTS, MODES, READABLE, digests_of, readable_trees

STORED = json.loads(DIGESTS.read_text())


@pytest.mark.parametrize("mode", MODES)
def test_trees_are_those_that_are_stored(mode):
    found = digests_of(mode)
    other = sorted(case for case in STORED[mode] if found.get(case) != STORED[mode][case])
    assert not other, f"{len(other)} of {len(found)} searches have other trees"
    assert found.keys() == STORED[mode].keys()


def test_readable_trees():
    assert readable_trees() == json.loads(READABLE.read_text())


def test_every_mode_is_stored():
    assert STORED.keys() == MODES.keys()
