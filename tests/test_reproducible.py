"""Same seed, same tree, bit for bit: across chunks, across saving and loading, across the scale of rewards."""

from __future__ import annotations

import numpy as np
import pytest

import boltree as bt
from mdps import random_mdp
from test_fast_paths import same_tree
from test_invariants import ALGORITHMS


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda a: a.name)
@pytest.mark.parametrize("growth", ["leaf", "trial"])
def test_seeds_and_chunks(algorithm, growth):
    problem = random_mdp(7, horizon=5).problem()
    whole, parts, other = (bt.Search(problem, algorithm, seed=s, growth=growth) for s in (5, 5, 6))
    for search in (whole, other):
        search.run(trials=900)
    for trials in (1, 99, 300, 500):
        parts.run(trials=trials)
    assert same_tree(whole, parts)
    assert not same_tree(whole, other)


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda a: a.name)
def test_saving_and_loading(algorithm, tmp_path):
    problem = random_mdp(7, horizon=5).problem()
    search = bt.Search(problem, algorithm, seed=5)
    search.run(trials=400)
    search.save(tmp_path / "search.npz")
    loaded = bt.Search.load(tmp_path / "search.npz")
    assert loaded.trials == 400
    assert loaded.recommend() == search.recommend()
    assert same_tree(search, loaded)
    for one in (search, loaded):
        one.run(trials=400)
    assert same_tree(search, loaded)


def test_built_in_problems_are_loaded_by_name(tmp_path):
    made = [
        bt.problems.DChain(7, 0.5),
        bt.problems.AdaptedChain(3, 4),
        bt.problems.AverageReturnTrap(5),
        bt.problems.FrozenLake(["SFF", "FHG"]),
        bt.problems.Sailing(4, "N"),
        bt.problems.Bandit([0.0, 1.0]),
        bt.problems.SyntheticTree(5, 3, seed=9),
        random_mdp(1).problem(),
        bt.problems.TicTacToe(),
        bt.problems.ConnectFour(moves="33"),
    ]
    for problem in made:
        search = bt.Search(problem, bt.UCT(c=1.0), seed=1)
        search.run(trials=50)
        search.save(tmp_path / "s.npz")
        loaded = bt.Search.load(tmp_path / "s.npz")
        for one in (search, loaded):
            one.run(trials=50)
        assert same_tree(search, loaded), type(problem).__name__


def test_damaged_files_are_refused(tmp_path):
    path = tmp_path / "search.npz"
    search = bt.Search(bt.problems.DChain(5), bt.BTS(), seed=0)
    search.run(trials=50)
    search.save(path)
    whole = path.read_bytes()
    flipped = bytes(255 - byte for byte in whole[2000:2040])
    for damaged in (whole[: len(whole) // 2], b"nonsense", b"", whole[:2000] + flipped + whole[2040:]):
        path.write_bytes(damaged)
        with pytest.raises(bt.ParameterError, match=r"damaged|not a saved search"):
            bt.Search.load(path)
    with pytest.raises(bt.ParameterError, match="there is no such file"):
        bt.Search.load(tmp_path / "none.npz")


def test_ones_own_code_is_asked_for_again(tmp_path):
    class Own(bt.problems.DChain):
        def recipe(self):
            return None

    path = tmp_path / "search.npz"
    search = bt.Search(Own(5), bt.BTS(alpha=lambda m: 1.0 / m), seed=0)
    search.run(trials=50)
    search.save(path)
    with pytest.raises(bt.ParameterError, match="its problem Own is code of your own"):
        bt.Search.load(path)
    with pytest.raises(bt.ParameterError, match="alpha of BTS is a function of your own"):
        bt.Search.load(path, problem=Own(5))
    loaded = bt.Search.load(path, problem=Own(5), algorithm=bt.BTS(alpha=lambda m: 1.0 / m))
    for one in (search, loaded):
        one.run(trials=50)
    assert same_tree(search, loaded)
    with pytest.raises(bt.ParameterError, match="the search is by BTS, not by UCT"):
        bt.Search.load(path, problem=Own(5), algorithm=bt.UCT())


def scaled(cls, factor, **options):
    names = {f for f in ("alpha", "beta") if f in cls.__dataclass_fields__}
    values = {"alpha": bt.log_decay(0.3 * factor) if cls in (bt.ARBTS, bt.ARDENTS) else 0.3 * factor}
    if "beta" in names:
        values["beta"] = bt.log_decay(0.2 * factor)
    return cls(**values, q_init=-0.5 * factor, **options)


BOLTZMANN = [bt.MENTS, bt.RENTS, bt.TENTS, bt.BTS, bt.DENTS, bt.ARBTS, bt.ARDENTS, bt.ARMENTS, bt.ARRENTS, bt.ARTENTS]


@pytest.mark.parametrize("cls", BOLTZMANN, ids=lambda c: c.__name__)
@pytest.mark.parametrize("growth", ["leaf", "trial"])
@pytest.mark.parametrize("alias", [False, True])
def test_reward_scale(cls, growth, alias):
    """Rewards, alpha, beta, V_init and Q_init times 1024 or 1/1024: bit-identical visit counts."""
    mdp = random_mdp(9, horizon=5, discount=0.9)
    counts = []
    for factor in (1.0, 1024.0, 1 / 1024):
        search = bt.Search(
            mdp.problem(factor), scaled(cls, factor, alias=alias), seed=3, growth=growth, evaluator=0.25 * factor
        )
        search.run(trials=3_000)
        counts.append(search.tree.storage.nodes["visits"][: search.size].copy())
    assert np.array_equal(counts[0], counts[1])
    assert np.array_equal(counts[0], counts[2])
