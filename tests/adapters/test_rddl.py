"""Planning problems in RDDL: outcomes against formulas and pyRDDLGym's own samples, values against recursions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import boltree as bt
from trees import check_invariants

pyrddlgym = pytest.importorskip("pyRDDLGym", reason="pip install 'boltree[rddl]'")
pytest.importorskip("rddlrepository", reason="pip install 'boltree[rddl]'")
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

from boltree.adapters.rddl import _world  # noqa: E402
from boltree.adapters.rddl_outcomes import NotFiniteError, outcomes  # noqa: E402
from boltree.adapters.rddl_world import Fluents  # noqa: E402

DOMAIN = """
domain bets {
    types { side : {@lose, @draw, @win}; };
    pvariables {
        LUCK : { non-fluent, real, default = 0.3 };
        money : { state-fluent, int, default = 2 };
        left : { state-fluent, bool, default = false };
        lucky : { interm-fluent, bool };
        thrown : { interm-fluent, side };
        bet : { action-fluent, bool, default = false };
        leave : { action-fluent, bool, default = false };
    };
    cpfs {
        lucky = Bernoulli(LUCK);
        thrown = if (lucky) then @win else Discrete(side, @lose : 0.5, @draw : 0.3, @win : 0.2);
        money' = if (bet ^ (thrown == @win)) then money + 1 else if (bet ^ (thrown == @lose)) then money - 1 else money;
        left' = left | leave;
    };
    reward = if (leave) then money else NOISE;
    action-preconditions { bet => (money < 4); };
    termination { left; money == 0; };
}
"""
INSTANCE = """
non-fluents nf_bets { domain = bets; non-fluents { LUCK = 0.25; }; }
instance inst_bets {
    domain = bets; non-fluents = nf_bets; init-state { money = 2; };
    max-nondef-actions = 1; horizon = 4; discount = 0.9;
}
"""


@pytest.fixture
def bets(tmp_path):
    """Writes the two files, with some noise in the reward if wanted."""

    def write(noise="0.0"):
        paths = tmp_path / "domain.rddl", tmp_path / "instance.rddl"
        paths[0].write_text(DOMAIN.replace("NOISE", noise))
        paths[1].write_text(INSTANCE)
        return tuple(map(str, paths))

    return write


def bets_value(money, left):
    """The best expected reward, by recursion."""
    if left == 0 or money == 0:
        return 0.0
    win = 0.25 + 0.75 * 0.2
    lose, draw = 0.75 * 0.5, 0.75 * 0.3

    def after(m):
        return 0.9 * bets_value(m, left - 1)

    values = [float(money), after(money)]
    if money < 4:
        values.append(win * after(money + 1) + lose * after(money - 1) + draw * after(money))
    return max(values)


def test_a_small_problem_is_a_table_with_its_value(bets):
    problem = bt.from_rddl(*bets(), table=True)
    assert problem.action_names == ("nothing", "bet", "leave")
    assert (problem.horizon, problem.discount) == (4, 0.9)
    for horizon in (1, 2, 4, 9):
        exact = bt.solve(problem, horizon=horizon).root_value
        assert exact == pytest.approx(bets_value(2, horizon), abs=1e-12)
    bt.check(problem)
    assert problem.show_state((0,)) == "money=2, left=0"
    search = bt.Search(problem, bt.BTS(alpha=0.1), seed=0, growth="trial")
    search.run(trials=20_000)
    assert search.root.value == pytest.approx(bets_value(2, 4), abs=0.1)


def test_the_same_problem_simulated(bets):
    problem = bt.from_rddl(*bets(), table=False, compiled=False)
    bt.check(problem, episodes=3)
    search = bt.Search(problem, bt.BTS(alpha=0.1), seed=0)
    search.run(trials=1_500)
    check_invariants(search)
    assert search.root.value == pytest.approx(bets_value(2, 4), abs=0.2)
    assert problem.show_state(search.root.state) == "money=2, left=0"
    rich = problem.simulator.save(problem.simulator.world, {}, False)
    rich.state = (np.int64(4), np.bool_(False))
    problem.simulator.restore(rich)
    assert problem.simulator.world.legal() == [0, 2]  # who has four may not bet


def sysadmin(running, reboot, connected):
    """P(running') of each computer, by the domain's formula."""
    chances = []
    for c, up in enumerate(running):
        before = [d for d in range(len(running)) if connected[d][c]]
        if c == reboot:
            chances.append(1.0)
        elif up:
            chances.append(0.45 + 0.5 * (1 + sum(running[d] for d in before)) / (1 + len(before)))
        else:
            chances.append(0.05)
    return chances


def test_outcomes_are_those_of_the_formula():
    world, _ = _world("SysAdmin_MDP_ippc2011", "1")
    sampler = world.sampler
    world.begin(0)
    connected = sampler.subs["CONNECTED"]
    for running, action in (([1] * 10, 0), ([1, 0, 1, 0, 1, 1, 0, 0, 1, 1], 3)):
        Fluents().restore(world.inner, (np.array(running, bool),))
        listed = outcomes(sampler, world.actions[action], 2000)
        found = {tuple(values[0].tolist()): (p, reward) for p, values, reward in listed}
        chances = sysadmin(running, action - 1, connected)
        total = 0.0
        for state in itertools.product([False, True], repeat=10):
            expected = float(np.prod([p if up else 1.0 - p for up, p in zip(state, chances, strict=True)]))
            assert found.get(state, (0.0, 0.0))[0] == pytest.approx(expected, abs=1e-12)
            total += expected
        assert total == pytest.approx(1.0)
        assert {reward for _, reward in found.values()} == {sum(running) - 0.75 * (action > 0)}
        assert sampler.subs["running"].tolist() == [bool(up) for up in running]  # as it was


@pytest.mark.parametrize(
    "name", ["Elevators_MDP_ippc2011", "CrossingTraffic_MDP_ippc2011", "SkillTeaching_MDP_ippc2011"]
)
def test_outcomes_are_distributed_as_pyrddlgym_samples(name):
    world, _ = _world(name, "1")
    sampler, fluents = world.sampler, Fluents()
    world.begin(0)
    choose, here = np.random.default_rng(0), fluents.save(world.inner)
    for _ in range(4):
        legal = world.legal()
        action = int(choose.choice(len(world.actions) if legal is None else legal))
        fluents.restore(world.inner, here)
        listed = outcomes(sampler, world.actions[action], 10**4)
        keys = [b"".join(np.asarray(v).tobytes() for v in values) for _, values, _ in listed]
        counts = dict.fromkeys(keys, 0)
        for _ in range(400):
            fluents.restore(world.inner, here)
            _, reward, _ = world.take(action)
            after = fluents.save(world.inner)
            key = b"".join(np.asarray(v).tobytes() for v in after)
            assert reward == pytest.approx(listed[keys.index(key)][2])
            counts[key] += 1
        merged = dict.fromkeys(keys, 0.0)
        for key, (p, _, _) in zip(keys, listed, strict=True):
            merged[key] += p
        assert sum(merged.values()) == pytest.approx(1.0)
        for key, p in merged.items():
            assert counts[key] / 400 == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / 400) + 1e-9)
        here = after


def test_a_real_instance_is_solved_and_searched():
    """Navigation: the table's exact value is near what its own policy earns in pyRDDLGym."""
    problem = bt.from_rddl("Navigation_MDP_ippc2011", "1", table=True)
    exact = bt.solve(problem)
    env = pyrddlgym.make("Navigation_MDP_ippc2011", "1", vectorized=True)
    world, _ = _world("Navigation_MDP_ippc2011", "1")
    numbers = {text: i for i, text in enumerate(problem._told)}
    returns = []
    for seed in range(60):
        env.reset(seed=seed)
        total = 0.0
        for depth in range(problem.horizon):
            s = numbers["robot-at=" + str((env.sampler.subs["robot-at"] * 1).tolist())]
            action = int(exact.actions((s,), depth)[np.argmax(exact.q((s,), depth))])
            _, reward, terminated, truncated, _ = env.step(world.actions[action])
            total += reward
            if terminated or truncated:
                break
        returns.append(total)
    spread = np.std(returns) / np.sqrt(len(returns))
    assert np.mean(returns) == pytest.approx(exact.root_value, abs=4 * spread + 1e-9)
    search = bt.Search(problem, bt.DENTS(alpha=1.0), seed=0, growth="trial")
    search.run(trials=20_000)
    assert problem.action_name(search.recommend()) in problem.action_names


def test_what_is_not_compiled_and_too_large_is_simulated(bets):
    problem = bt.from_rddl("SysAdmin_MDP_ippc2011", "1", horizon=5, compiled=False)
    assert type(problem).__name__ == "RDDLProblem"
    assert problem.action_names[3] == "reboot(c3)"
    bt.check(problem, episodes=1)
    noisy = bt.from_rddl(*bets("Normal(0, 1)"), compiled=False)
    assert type(noisy).__name__ == "RDDLProblem"
    with pytest.raises(bt.ParameterError, match=r"table=True: the outcomes of .* cannot be listed"):
        bt.from_rddl(*bets("Bernoulli(0.5)"), table=True)


def test_not_everything_can_be_listed():
    world, _ = _world("SysAdmin_MDP_ippc2011", "1")
    world.begin(0)
    with pytest.raises(NotFiniteError, match="too many outcomes"):
        outcomes(world.sampler, world.actions[0], 100)


@pytest.mark.parametrize(
    ("domain", "instance", "message"),
    [
        ("NoSuch", "1", "domain='NoSuch', instance='1': RDDLRepoDomainNotExistError: Domain <NoSuch> does not exist"),
        ("CartPole_Continuous_gym", "0", "action-fluent force is real without small bounds; must be finite"),
    ],
)
def test_refusals(domain, instance, message):
    with pytest.raises(bt.ParameterError, match=message) as caught:
        bt.from_rddl(domain, instance)
    assert "\n" not in str(caught.value)
