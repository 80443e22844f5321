"""The synthetic tree: the hash against one in Python's own integers, its distribution, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from boltree.errors import ProblemError
from boltree.problems import SyntheticTree

MASK = 2**64 - 1


def mixed(x: int) -> int:
    """The finish of splitmix64, in unbounded integers."""
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def hashed(*parts: int) -> int:
    x = 0
    for part in parts:
        x = mixed((x + part + 0x9E3779B97F4A7C15) & MASK)
    return x


@pytest.mark.parametrize(("branching", "depth", "seed"), [(2, 5, 0), (4096, 3, 7), (65535, 2, MASK)])
def test_rewards_are_the_documented_hash(play: Any, branching: int, depth: int, seed: int) -> None:
    tree = SyntheticTree(branching, depth, seed)
    actions = [(branching - 1) // (i + 1) for i in range(depth)]
    path = hashed(seed, 0, 0)
    assert int(tree.start_state()["path"]) == path
    for i, (state, reward, done) in enumerate(play(tree, actions)):
        path = hashed(path, actions[i], 1)
        assert int(state["path"][0]) == path
        assert reward == (hashed(path, 2, 2) >> 11) * 2.0**-53 / depth
        assert done == (i == depth - 1)


def test_paths_do_not_meet_and_rewards_are_uniform(compiled: Any) -> None:
    tree = SyntheticTree(4096, 2, 3)
    states = [compiled(tree).outcomes(compiled(tree).start(np.zeros(2, np.uint64)), a)[0] for a in range(4096)]
    assert len({state.tobytes() for state, _, _, _ in states}) == 4096
    rewards = 2 * np.array([reward for _, _, reward, _ in states])
    assert rewards.min() >= 0.0
    assert rewards.max() < 1.0
    assert abs(rewards.mean() - 0.5) < 5 * (1 / 12 / 4096) ** 0.5
    assert np.abs(np.histogram(rewards, 8, (0, 1))[0] / 512 - 1).max() < 0.25


def test_another_seed_is_another_tree(checks: Any) -> None:
    values = [checks.solve(SyntheticTree(3, 4, seed)) for seed in (0, 1, 0)]
    assert values[0] == values[2] != values[1]
    assert 0.5 < values[0] < 1.0


@pytest.mark.parametrize("branching", [1, 2, 64, 4096])
def test_plain_python_and_compiled_agree(checks: Any, branching: int) -> None:
    assert checks.episodes(SyntheticTree(branching, 4, 5), 5) == 20
    checks.recipe(SyntheticTree(branching, 4, MASK))


def test_shown() -> None:
    tree = SyntheticTree(3, 4, 0)
    assert tree.show_state(tree.start_state()) == f"path {hashed(0, 0, 0):016x} at depth 0 of 4"
    assert (tree.actions, tree.horizon, tree.action_name(2)) == (3, 4, "2")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 2, 0), "SyntheticTree: branching=0, must be an integer from 1 to 65535"),
        ((65536, 2, 0), "SyntheticTree: branching=65536, must be an integer from 1 to 65535"),
        ((2, 0, 0), "SyntheticTree: depth=0, must be an integer from 1 to 2147483647"),
        ((2, 2, -1), "SyntheticTree: seed=-1, must be an integer from 0 to 18446744073709551615"),
        ((2, 2, 0.5), "SyntheticTree: seed=0.5, must be an integer from 0 to 18446744073709551615"),
    ],
)
def test_errors(arguments: Any, message: str) -> None:
    with pytest.raises(ProblemError) as error:
        SyntheticTree(*arguments)
    assert str(error.value) == message
