"""Temperatures that nobody chose: in units of the returns seen, and exactly scale-free."""

from __future__ import annotations

import math
import runpy
from pathlib import Path

import numpy as np
import pytest

import boltree as bt

SAMPLED = [
    bt.BTS, bt.DENTS, bt.MENTS, bt.RENTS, bt.TENTS, bt.ARBTS, bt.ARDENTS, bt.ARMENTS, bt.ARRENTS, bt.ARTENTS,
]  # fmt: skip


def mdp(scale, shift=0.0, seed=3):
    rng = np.random.default_rng(seed)
    transitions = rng.dirichlet(np.full(7, 0.4), size=(7, 3))
    rewards = rng.integers(-8, 9, (7, 3)) / 8.0
    return bt.problems.Tabular(transitions, (rewards + shift) * scale, horizon=5)


def visits_of(search, *, values=1.0):
    nodes = search.tree.storage.nodes[: search.size]
    return nodes["visits"].tolist(), (nodes["value"] / values).tolist()


@pytest.mark.parametrize("algorithm", SAMPLED, ids=lambda one: one.__name__)
@pytest.mark.parametrize("growth", ["leaf", "trial"])
def test_rewards_times_a_power_of_two_give_the_same_search(algorithm, growth):
    trees = []
    for scale in (1.0, 1024.0, 1 / 4096):
        search = bt.Search(mdp(scale), algorithm(), seed=5, growth=growth)
        search.run(trials=1500)
        trees.append(visits_of(search, values=scale))
    assert trees[0] == trees[1] == trees[2]


@pytest.mark.parametrize("algorithm", [bt.BTS, bt.DENTS, bt.ARBTS], ids=lambda one: one.__name__)
def test_two_players_too(algorithm):
    """A game's results on two scales."""
    trees = []
    for scale in (1.0, 64.0):
        search = bt.Search(bt.problems.Go(3, scale=scale), algorithm(), seed=1)
        search.run(trials=2000)
        trees.append(visits_of(search, values=scale))
    assert trees[0] == trees[1]


class Noted(bt.PythonProblem):
    """Two steps with rewards of its own, which it notes."""

    horizon = 2
    actions = 3

    def __init__(self):
        super().__init__()

    def start(self, rng):
        return ()

    def step(self, state, action, rng):
        path = (*state, action)
        return path, float([3.0, -5.0, 0.5][action] * (len(path))), len(path) == 2


def test_the_unit_is_the_spread_of_the_returns_seen():
    search = bt.Search(Noted(), bt.DENTS(), seed=0, growth="trial")
    search.run(trials=300)
    returns = [a + 2 * b for a in (3.0, -5.0, 0.5) for b in (3.0, -5.0, 0.5)]
    t, spread = search.tree.fields, max(returns) - min(returns)
    assert (t.lowest, t.highest) == (min(returns), max(returns))
    assert t.alpha_scale == bt.DENTS.auto_alpha.x * spread
    assert t.beta_scale == bt.DENTS.auto_beta.x * spread
    assert t.q_init == min(returns)
    assert t.q_init_second == -max(returns)


def test_what_is_given_stays():
    search = bt.Search(Noted(), bt.DENTS(alpha=0.7, beta="auto"), seed=0, growth="trial")
    search.run(trials=100)
    assert search.tree.fields.alpha_scale == 0.7
    assert search.tree.fields.beta_scale > 1.0
    assert search.tree.fields.q_init == 0.0
    search = bt.Search(Noted(), bt.BTS(q_init=-3.0), seed=0, growth="trial")
    search.run(trials=100)
    assert search.tree.fields.q_init == -3.0
    assert search.tree.fields.alpha_scale > 0.5
    fixed = bt.Search(Noted(), bt.BTS(alpha=0.7), seed=0, growth="trial")
    fixed.run(trials=100)
    assert fixed.tree.fields.automatic == 0


def test_no_reward_is_no_trouble():
    search = bt.Search(mdp(0.0), bt.DENTS(), seed=0)
    search.run(trials=500)
    assert search.tree.fields.alpha_scale == bt.DENTS.auto_alpha.x
    assert np.isfinite(search.root.policy).all()
    constant = bt.Search(bt.problems.Bandit([0.25, 0.25]), bt.BTS(), seed=0)
    constant.run(trials=100)
    assert constant.tree.fields.alpha_scale == 0.25 * bt.BTS.auto_alpha.x


def test_a_saved_search_goes_on_with_its_units(tmp_path):
    whole = bt.Search(mdp(8.0), bt.DENTS(), seed=2)
    whole.run(trials=900)
    half = bt.Search(mdp(8.0), bt.DENTS(), seed=2)
    half.run(trials=400)
    half.save(tmp_path / "half")
    again = bt.Search.load(tmp_path / "half", problem=mdp(8.0))
    again.run(trials=500)
    assert visits_of(again) == visits_of(whole)


def test_moving_on_keeps_the_units():
    search = bt.Search(mdp(8.0), bt.DENTS(), seed=2)
    search.run(trials=300)
    before = float(search.tree.fields.alpha_scale), float(search.tree.fields.lowest)
    action = search.recommend()
    search.advance(action, search.children[action][0].state)
    assert (search.tree.fields.alpha_scale, search.tree.fields.lowest) == before
    search.run(trials=100)
    assert search.tree.fields.alpha_scale >= before[0]


@pytest.mark.parametrize("bad", ["automatic", "", None, True])
def test_other_words_are_refused(bad):
    with pytest.raises(bt.ParameterError, match="'auto'"):
        bt.BTS(alpha=bad)


def test_it_is_a_fair_choice_on_problems_nobody_tuned():
    """Against temperatures that are ten times too high or too low: never the worst, on no scale."""
    regrets = {"auto": [], "cold": [], "hot": []}
    for seed in range(12):
        problem = mdp(10.0 ** (seed % 5 - 2), shift=math.sin(seed), seed=seed)
        solution = bt.solve(problem)
        worst = -bt.solve(mdp(-(10.0 ** (seed % 5 - 2)), shift=math.sin(seed), seed=seed)).root_value
        width = solution.root_value - worst
        for name, algorithm in (
            ("auto", bt.BTS()), ("cold", bt.BTS(alpha=0.0006 * width)), ("hot", bt.BTS(alpha=6.0 * width)),
        ):  # fmt: skip
            search = bt.Search(problem, algorithm, seed=seed)
            search.run(trials=3000)
            regrets[name].append(bt.simple_regret(search) / width)
    means = {name: float(np.mean(values)) for name, values in regrets.items()}
    assert means["auto"] < means["hot"]
    assert means["auto"] < means["cold"] + 0.02


def test_the_example(capsys):
    """What it prints is what the pages quote, at full length."""
    example = runpy.run_path(str(Path(__file__).parents[1] / "examples" / "automatic_temperatures.py"))
    example["main"](True)
    said = capsys.readouterr().out
    assert "10 random MDPs" in said
    for line in said.splitlines():
        if line.startswith("DENTS "):
            auto, best, one = (float(word) for word in line.split() if word.replace(".", "").isdigit())
            assert best <= auto < one
