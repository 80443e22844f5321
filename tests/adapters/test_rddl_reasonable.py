"""Actions that a simpler one makes redundant: exact values stay, and effects are those of the simpler one."""

from __future__ import annotations

import numpy as np
import pytest

import boltree as bt
from boltree.core.random import new_generator
from boltree.problem.state import PlainState

pytest.importorskip("pyRDDLGym", reason="pip install 'boltree[rddl]'")
pytest.importorskip("rddlrepository", reason="pip install 'boltree[rddl]'")
pytestmark = [pytest.mark.filterwarnings("ignore::UserWarning"), pytest.mark.filterwarnings("ignore::SyntaxWarning")]

from boltree.adapters.rddl_reasonable import equal, pays_no_more, simpler_actions  # noqa: E402
from boltree.adapters.rddl_terms import FALSE, TRUE, choice, const, draw, product, total  # noqa: E402

FLUENT = ("fluent", "b", "state", "b", 0)
LATER = ("fluent", "b", "next", "b", 0)


@pytest.mark.parametrize(
    ("domain", "instance", "pairs"),
    [
        ("Elevators_MDP_ippc2011", "1", (720, 480)),
        ("CrossingTraffic_MDP_ippc2011", "1", None),
        ("TriangleTireworld_MDP_ippc2014", "1", None),
        ("SkillTeaching_MDP_ippc2011", "1", None),
        ("Navigation_MDP_ippc2011", "3", (105, 81)),
    ],
)
def test_exact_values_stay(domain, instance, pairs):
    every, few = (bt.solve(bt.from_rddl(domain, instance, every_action=flag)) for flag in (True, False))
    assert few.root_value == pytest.approx(every.root_value, rel=1e-12)
    assert few.model.size == every.model.size
    assert few.model.row_count < every.model.row_count
    if pairs is not None:
        assert (every.model.row_count, few.model.row_count) == pairs


@pytest.mark.parametrize("instance", ["TriangleTireworld_MDP_ippc2014/1", "Elevators_MDP_ippc2011/2"])
def test_what_is_left_out_does_what_a_simpler_action_does(instance):
    """Along random walks: all outcomes of an action that is left out are those of one that stays and pays no less."""
    every, few = (bt.from_rddl(*instance.split("/"), every_action=flag) for flag in (True, False))
    rng, choose = new_generator(0), np.random.default_rng(0)
    state, out = np.array(every.plain_start(rng)).reshape(1), 0

    def outcomes(action):
        found = {}
        for k in range(every.plain_count_outcomes(PlainState(state.copy()), action)):
            after = PlainState(state.copy())
            chance, reward, _ = every.plain_outcome(after, action, k)
            if chance > 0.0:
                key = after.memory.tobytes()
                found[key] = found.get(key, 0.0) + chance
                paid = reward
        return found, paid

    for _ in range(20):
        kept = [every.action_names.index(few.action_names[a]) for a in few.legal_actions(state)]
        dropped = [a for a in every.legal_actions(state) if a not in kept]
        out += len(dropped)
        known = [outcomes(a) for a in kept]
        for action in choose.permutation(dropped)[:5]:
            mine, paid = outcomes(int(action))
            assert any(
                mine.keys() == theirs.keys()
                and np.allclose([*mine.values()], [theirs[k] for k in mine])
                and paid <= pays
                for theirs, pays in known
            )
        _, done = every.plain_step(PlainState(state), int(choose.choice(kept)), rng)
        if done:
            break
    assert out > 0


def test_equal_terms():
    often, seldom = draw("Bernoulli", [const(0.9)]), draw("Bernoulli", [const(0.1)])
    assert equal(often, often) == TRUE
    assert equal(often, seldom) == FALSE
    assert equal(choice(FLUENT, often, seldom), seldom) not in (TRUE, FALSE)  # where the fluent is false
    assert equal(LATER, FLUENT) == FALSE  # which cannot be said beforehand
    assert equal(draw("Normal", [const(0.0), const(1.0)]), draw("Normal", [const(0.0), const(2.0)])) == FALSE


def test_rewards_are_compared_without_their_common_parts():
    common = product([const(3.0), LATER])
    assert pays_no_more(total([common, const(-1.0)]), common) == TRUE
    assert pays_no_more(common, total([common, const(-1.0)])) == FALSE
    assert pays_no_more(common, const(0.0)) == FALSE


def test_simpler_actions():
    actions = {"b": np.array([[0, 0], [1, 0], [0, 1], [1, 1]])}
    assert [sorted(one) for one in simpler_actions(actions)] == [[], [0], [0], [1, 2]]
