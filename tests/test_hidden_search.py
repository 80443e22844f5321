"""Searches over histories, where the state is hidden: against exact values, and against the plain reference."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import boltree as bt
from boltree.search.archive import read_archive, write_archive
from boltree.search.save import checksum
from hidden_problems import PythonTiger, RealTiger, RecordTiger, RejectedTiger, Rooms, ShownTiger, Tiger
from plain.recorder import Double, ProblemRules
from plain.reference import PlainTree
from test_against_plain import ALGORITHMS
from test_fast_paths import same_tree

TIGER = {3: 2.72, 4: 2.42125}
"""What Tiger is worth without a discount, by the horizon: backward induction over what was heard."""

SEEN_THROUGH = 29.0
"""What Tiger would be worth with 4 steps if the first listening told where the tiger is."""


class ObservedRules(ProblemRules):
    """`Rooms` by its observations: the reference's states are those, and only what is closed follows from them."""

    def _state(self, key):
        state, layout = self.problem.new_state(), self.problem.observation_layout()
        state["closed"] = np.frombuffer(key[: layout.itemsize], layout)["closed"]
        return self.problem.present(state)

    def _prior(self, key):
        given = super()._prior(key)
        return {a: p / sum(given.values()) for a, p in given.items()}


class EndsApart(PlainTree):
    """The reference, which tells what ended from what goes on, though nothing is observed there."""

    def replay(self, steps):
        return super().replay([replace(one, state=one.state + bytes([one.terminal])) for one in steps])


class HistoryDouble(Double):
    """A search over histories and its reference; nodes that have no edges yet do not know what is legal."""

    def compare(self, indices):
        known = [i for i in indices if self.search.tree.edges_of(i) is not None or self.ways[i][-1].ended]
        super().compare(known)
        for i in set(indices) - set(known):
            assert self.search.node_at(i).count == self.ways[i][-1].visits


@pytest.mark.parametrize("growth", ["leaf", "trial"])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_number(name, growth):
    """Counts, Q, V and entropies of all algorithms, replayed: histories are told apart, and rewards averaged."""
    HistoryDouble(Rooms(sizes=0), ALGORITHMS[name], growth, rules=ObservedRules, tree=EndsApart).run(60, every=3)


def test_rollouts_and_a_game_without_limits_on_actions():
    HistoryDouble(Rooms(sizes=0), bt.UCT(), "leaf", rules=ObservedRules, tree=EndsApart, evaluator="rollout").run(
        90, every=9
    )
    Double(Tiger(horizon=6), bt.BTS(alpha=20.0, alias=False), "trial").run(150, every=7)


def values(problem, algorithm, seeds, trials=100_000, **options):
    found = []
    for seed in range(seeds):
        search = bt.Search(problem, algorithm, seed=seed, **options)
        search.run(trials=trials)
        found.append(search.root.value)
    return np.array(found)


@pytest.mark.parametrize("horizon", TIGER)
@pytest.mark.parametrize("algorithm", [bt.BTS(alpha=10.0), bt.MENTS(alpha=0.1)], ids=lambda one: one.name)
@pytest.mark.parametrize("kind", [Tiger, RecordTiger])
def test_maxima_are_the_exact_values(kind, algorithm, horizon):
    found = values(kind(horizon=horizon, discount=1.0), algorithm, 16)  # one is 0.04 off
    assert found.mean() == pytest.approx(TIGER[horizon], rel=0.01)


@pytest.mark.parametrize(
    "algorithm", [bt.UCT(c=100.0), bt.ARBTS(), bt.DENTS(alpha=10.0), bt.PowerUCT()], ids=lambda one: one.name
)
def test_no_search_sees_through_the_belief(algorithm):
    """Mean returns count what exploring cost, and are lower; none is near what a seen state would be worth."""
    for growth in ("leaf", "trial"):
        assert values(Tiger(horizon=4, discount=1.0), algorithm, 1, growth=growth).max() < TIGER[4] + 0.5
    assert values(ShownTiger(horizon=4, discount=1.0), bt.BTS(alpha=10.0), 1)[0] == pytest.approx(
        SEEN_THROUGH, rel=0.01
    )


def test_what_ends_is_told_apart():
    """Opening ends half of Tiger's variant: V_4 = 2.465, and the end's node is worth 0.

    The best of noisy values is too high by 0.05 after 100,000 trials, and no more after a million.
    """
    problem = Tiger(ends=True, horizon=4, discount=1.0)
    assert values(problem, bt.BTS(alpha=10.0), 6, 1_000_000).mean() == pytest.approx(2.465, rel=0.01)
    search = bt.Search(problem, bt.BTS(alpha=10.0), seed=0)
    search.run(trials=2000)
    (opened,) = search.children[1]
    assert opened.terminal
    assert opened.observation is None
    assert sorted(child.observation for child in search.children[0]) == [0, 1]


def test_python_searches_the_same():
    found = values(PythonTiger(horizon=3, discount=1.0), bt.BTS(alpha=10.0), 1, trials=20_000)
    assert found[0] == pytest.approx(TIGER[3], abs=0.25)


@pytest.mark.parametrize("deterministic", [False, True])
def test_threads_have_a_tree_each(deterministic):
    problem = Tiger(horizon=3, discount=1.0)
    search = bt.Search(problem, bt.BTS(alpha=10.0), seed=1, threads=2, deterministic=deterministic)
    search.run(trials=100_000)
    assert search.parallelism == "a tree each"
    # which thread runs which trial is the system's choice unless it is deterministic
    assert search.root.value == pytest.approx(TIGER[3], abs=0.08 if deterministic else 0.3)


def test_memory_is_recycled():
    search = bt.Search(Rooms(sizes=0, horizon=20), bt.UCT(), seed=0, max_nodes=2_000, on_full="recycle")
    assert search.run(trials=20_000) == "trials"
    assert search.recyclings > 0
    assert search.size <= 2_000


# Going on


@pytest.mark.parametrize("kind", [Tiger, RejectedTiger])
def test_the_belief_lives_on(kind):
    """Heard left twice, the tiger is there with 0.97; new trials begin with that belief."""
    search = bt.Search(kind(horizon=10), bt.BTS(alpha=10.0), seed=0)
    search.run(trials=5_000)
    count = next(child.count for child in search.children[0] if child.observation == 0)
    search.advance(0, 0)
    assert search.root.count == count
    assert search.root.observation == 0
    assert search.root.depth == 1
    search.advance(0, 0)
    assert search.belief.histogram("right")[1] == pytest.approx(0.15**2 / (0.85**2 + 0.15**2), abs=0.01)
    fresh = bt.Search(kind(horizon=1, discount=1.0), bt.BTS(alpha=10.0), seed=0, belief=search.belief)
    fresh.run(trials=20_000)
    wrong = search.belief.histogram("right")[1]
    assert fresh.root.q[2] == pytest.approx(10.0 * (1 - wrong) - 100.0 * wrong, abs=1.5)
    assert fresh.root.q[1] == pytest.approx(10.0 * wrong - 100.0 * (1 - wrong), abs=1.5)


def test_a_history_that_was_never_tried():
    """Rejection finds no particle, since what is seen there has no simulation; nothing changes."""
    search = bt.Search(RecordTiger(horizon=4), bt.UCT(), seed=0)
    search.run(trials=100)
    before = search.root.count, search.root.visits.tolist(), repr(search.belief)
    with pytest.raises(bt.ParameterError, match="must be a legal action"):
        search.advance(7, {"side": 0, "noise": 0})
    with pytest.raises(bt.ProblemError, match="does not fit the fields"):
        search.advance(0, {"side": 0})
    assert (search.root.count, search.root.visits.tolist(), repr(search.belief)) == before
    search.advance(0, {"side": 1, "noise": 9})  # as likely as any other noise, by what the problem says
    assert search.root.count == 0
    search.run(trials=100)
    assert search.root.count == 100


def test_what_no_particle_explains_is_refused():
    search = bt.Search(ShownTiger(horizon=4), bt.UCT(), seed=0, belief=bt.Belief(ShownTiger(), states=[(0,)]))
    search.run(trials=100)
    with pytest.raises(bt.ParameterError, match=r"observation=1 after action 0: none of the belief's 1 particles"):
        search.advance(0, 1)
    assert search.root.count == 100
    search.advance(0, 0)
    assert search.root.depth == 1


def test_receding_looks_as_far_as_before():
    search = bt.Search(Tiger(horizon=4), bt.UCT(), seed=0)
    search.run(trials=500)
    search.advance(0, 1, horizon="receding")
    assert search.horizon == 5
    search.advance_along([(0, 1), (0, 0)])
    assert search.root.depth == 3
    search.run(trials=500)
    assert search.recommend() in (0, 1, 2)


@pytest.mark.parametrize("problem", [Tiger(horizon=8), PythonTiger(horizon=4)], ids=repr)
def test_episodes_are_played_by_what_is_observed(problem):
    episode = bt.act(problem, bt.BTS(alpha=10.0), trials=300, seed=2)
    assert len(episode.observations) == len(episode.actions) == problem.horizon
    assert episode.actions[0] == 0


def test_a_plan_says_what_it_expects_to_observe(capsys):
    plan = bt.plan(Tiger(horizon=3, discount=1.0), trials=30_000, seed=0)
    assert plan.action == 0
    assert plan.line[0].state is None
    assert {step.state for step in plan.line[1:]} <= {0, 1}
    plan.search.tree(depth=1)
    assert "observed 1" in capsys.readouterr().out


# Saved searches


@pytest.mark.parametrize("kind", ["own start", "own start, asked for", "weights that differ", "equal weights"])
def test_a_saved_search_goes_on_bit_for_bit(kind, tmp_path):
    """Trees, beliefs and what both become later; the belief with its weights and its random numbers."""
    tiger = bt.problems.Tiger()
    given = bt.Belief(tiger, 100, seed=1) if kind == "equal weights" else None
    search = bt.Search(tiger, bt.BTS(alpha=10.0), seed=3, belief=given)
    search.run(trials=300)
    if kind == "weights that differ":
        search.advance(0, 1)
        search.run(trials=300)
        assert np.ptp(search.belief.weights) > 0.0
    if kind != "own start":
        search.belief.draw()
    search.save(tmp_path / "s")
    loaded = bt.Search.load(tmp_path / "s")
    for observation in (0, 1):
        for one in (search, loaded):
            one.run(trials=300)
        assert same_tree(search, loaded)
        assert same_belief(search.belief, loaded.belief)
        assert search.belief.draw() == loaded.belief.draw()
        for one in (search, loaded):
            one.advance(0, observation)
    assert same_belief(search.belief, loaded.belief)


def same_belief(one, other):
    pairs = zip(one.to_arrays().values(), other.to_arrays().values(), strict=True)
    return all(mine.tobytes() == yours.tobytes() for mine, yours in pairs)


def test_a_saved_search_keeps_its_widening(tmp_path):
    problem = RealTiger()
    search = bt.Search(problem, bt.UCT(), seed=0, widening=(2.0, 0.1))
    search.run(trials=200)
    search.save(tmp_path / "s")
    loaded = bt.Search.load(tmp_path / "s", problem)
    for one in (search, loaded):
        one.run(trials=500)
    assert same_tree(search, loaded)


@pytest.mark.parametrize(
    ("problem", "field", "value"),
    [(bt.problems.Tag(), "robot", 29), (bt.problems.RockSample(), "cell", 49), (bt.problems.Pocman(), "ghosts", 400),
     (bt.problems.LaserTag(), "opponent", 200)],
    ids=lambda one: type(one).__name__,
)  # fmt: skip
def test_particles_that_cannot_be(problem, field, value, tmp_path):
    """Their fields are looked up by helpers without bounds, so a file that claims them is refused."""
    search = bt.Search(problem, bt.UCT(), seed=0, belief=bt.Belief(problem, 20, seed=0))
    search.save(tmp_path / "good")
    bt.Search.load(tmp_path / "good")
    arrays = read_archive(tmp_path / "good")
    meta = json.loads(arrays.pop("meta").tobytes())
    arrays = {name: array.copy() for name, array in arrays.items()}
    arrays["particles"].view(problem.state_layout())[field][7] = value
    meta["checksum"] = checksum(meta, arrays)
    write_archive(tmp_path / "bad", {"meta": np.frombuffer(json.dumps(meta).encode(), np.uint8), **arrays})
    with pytest.raises(bt.ParameterError, match="damaged: a particle cannot be"):
        bt.Search.load(tmp_path / "bad")


# Observations that never come twice


def test_real_observations_share_nodes():
    """Tiger heard as a real number is worth the same; without sharing, nothing is learnt after the first step."""
    problem = RealTiger(horizon=4, discount=1.0)
    found = values(problem, bt.BTS(alpha=10.0), 3)
    assert 1.0 < found.mean() < TIGER[4] + 0.1
    with pytest.warns(UserWarning, match=r"observations after the first actions were new ones.*widening="):
        unshared = values(problem, bt.BTS(alpha=10.0), 1, trials=3_000, growth="trial", widening=False)
    assert unshared[0] < -20.0
    search = bt.Search(problem, bt.BTS(alpha=10.0), seed=0, widening=(2.0, 0.0))
    search.run(trials=2_000)
    assert [len(outcomes) for outcomes in search.children.values()] == [2, 2, 2]
    search.advance(0, {"sound": 0.5})
    assert search.belief.mean("right") == pytest.approx(0.15, abs=0.02)


def test_real_observations_without_probabilities_are_warned_of():
    class Unsaid(RealTiger):
        observation_probability = None

    with pytest.warns(UserWarning, match="write observation_probability"):
        bt.Search(Unsaid(), bt.UCT())


@pytest.mark.parametrize("widening", [(0.0, 0.5), (1.0, 1.0), (1.0,), True, "wide", (float("nan"), 0.1)])
def test_widenings_that_cannot_be(widening):
    with pytest.raises(bt.ParameterError, match=r"widening=.*: must be \(k, a\) with k above 0"):
        bt.Search(Tiger(), bt.UCT(), widening=widening)


def test_widening_needs_probabilities():
    with pytest.raises(bt.ParameterError, match="RejectedTiger must have observation_probability"):
        bt.Search(RejectedTiger(), bt.UCT(), widening=(4.0, 0.1))


class NoProbability(RealTiger):
    @staticmethod
    def observation_probability(params, observation, state, action, next_state):
        return -0.5 if action == 0 else 0.5


def test_a_probability_that_cannot_be_ends_the_run():
    search = bt.Search(NoProbability(), bt.UCT(), seed=0)
    with pytest.raises(bt.ProblemError, match=r"observation_probability gives -0.5 after action 0 in state"):
        search.run(trials=10_000)
    assert search.root.count == search.trials


# What is refused, and what fails


class Evaluating:
    def evaluate(self, batch):
        return np.zeros(len(batch))


def ran():
    search = bt.Search(Tiger(), bt.UCT(), seed=0)
    search.run(trials=10)
    return search


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: bt.Search(Tiger(), bt.BTS(), transpositions=True), "transpositions: must be False for Tiger"),
        (lambda: bt.Search(Tiger(), state={"right": 1, "x": 0}), "state=.* must be left out"),
        (lambda: bt.Search(Tiger(), bt.UCT(), evaluator=Evaluating()), "evaluator: must be a number"),
        (lambda: bt.Search(Tiger(), belief=3), "belief=3: must be a bt.Belief"),
        (
            lambda: bt.Search(Tiger(), belief=bt.Belief(RecordTiger(), 10)),
            r"is about RecordTiger\(.*must be about Tiger",
        ),
        (lambda: bt.Search(bt.problems.DChain(3), belief=bt.Belief(Tiger(), 10)), "the state of DChain is seen"),
        (lambda: bt.Search(bt.problems.DChain(3)).belief, "there is none about DChain"),
        (lambda: bt.search_many([Tiger()], bt.UCT(), 10), "its state is hidden"),
        (lambda: ran().root.state, "is hidden in Tiger; node.observation says"),
        (lambda: ran().recommend({"right": 1}), "the state of Tiger is hidden"),
        (lambda: bt.sample_value(ran()), "bt.evaluate plays episodes"),
    ],
)
def test_what_needs_states_is_refused(make, says):
    with pytest.raises(bt.ParameterError, match=says):
        make()


class Fails(Tiger):
    @staticmethod
    def observe(params, state, action, next_state, rng, out):
        if action == 1:
            raise ValueError("no ears")
        return 5 if action == 2 else 0


def test_failures_are_the_users_own():
    search = bt.Search(Fails(), bt.UCT(), seed=0)
    for _ in range(2):  # the search stays as it was before the trial that failed
        with pytest.raises((ValueError, bt.ProblemError), match=r"no ears|observe returned 5 after action 2 in state"):
            search.run(trials=1_000)
    assert search.root.count == search.trials


class NoStart(Tiger):
    @staticmethod
    def start(params, state, rng):
        if bt.uniform(rng) < 0.01:
            raise ValueError("no tiger")


def test_a_start_that_fails():
    with pytest.raises(ValueError, match="no tiger"):
        bt.Search(NoStart(), bt.UCT(), seed=0).run(trials=10_000)
