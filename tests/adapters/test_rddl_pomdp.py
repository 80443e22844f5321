"""POMDPs in RDDL: the tiger against its class and exact values, likelihoods by hand, domains beside pyRDDLGym."""

from __future__ import annotations

import numpy as np
import pytest

import boltree as bt

pytest.importorskip("pyRDDLGym", reason="pip install 'boltree[rddl]'")
pytest.importorskip("rddlrepository", reason="pip install 'boltree[rddl]'")
pytestmark = [pytest.mark.filterwarnings("ignore::UserWarning"), pytest.mark.filterwarnings("ignore::SyntaxWarning")]

from rddl_agreement import agree  # noqa: E402

from boltree.adapters.rddl_observations import likelihood  # noqa: E402
from boltree.adapters.rddl_terms import FALSE, TRUE, choice, conjunction, const, disjunction, draw, negation  # noqa: E402
from boltree.lab.ippc.round import Round  # noqa: E402
from boltree.lab.suite.planners import Default  # noqa: E402

TIGER = """
domain tiger {
    pvariables {
        HEARD : { non-fluent, real, default = 0.85 };
        right : { state-fluent, bool, default = false };
        begun : { state-fluent, bool, default = false };
        had-begun : { state-fluent, bool, default = false };
        INTERM
        heard-right : { observ-fluent, bool };
        listen : { action-fluent, bool, default = false };
        open-left : { action-fluent, bool, default = false };
        open-right : { action-fluent, bool, default = false };
    };
    cpfs {
        begun' = true;
        had-begun' = begun;
        right' = if (begun ^ listen) then right else Bernoulli(0.5);
        CPF
        heard-right = if (had-begun' ^ listen) then HEARING else Bernoulli(0.5);
    };
    reward = if (~begun) then 0.0
        else if (listen) then -1.0
        else if (open-left) then (if (right) then 10.0 else -100.0)
        else if (open-right) then (if (right) then -100.0 else 10.0)
        else -200.0;
}
"""
INSTANCE = """
non-fluents nf_tiger { domain = tiger; }
instance inst_tiger {
    domain = tiger; non-fluents = nf_tiger; init-state { right = false; };
    max-nondef-actions = 1; horizon = 5; discount = 1.0;
}
"""
OWN = {"INTERM": "", "CPF": "", "HEARING": "Bernoulli(if (right') then HEARD else 1.0 - HEARD)"}
CARRIED = {
    "INTERM": "well : { interm-fluent, bool };",
    "CPF": "well = Bernoulli(HEARD);",
    "HEARING": "(well <=> right')",
}


@pytest.fixture
def tiger(tmp_path):
    """Writes the two files: what is heard is drawn in its own function, or by an interm-fluent."""

    def write(parts):
        text = TIGER
        for name, part in parts.items():
            text = text.replace(name, part)
        paths = tmp_path / "domain.rddl", tmp_path / "instance.rddl"
        paths[0].write_text(text)
        paths[1].write_text(INSTANCE)
        return tuple(map(str, paths))

    return write


def test_the_tiger(tiger):
    """Whatever is done first, its place is drawn then: four steps of the tiger follow, worth 2.42125."""
    problem = bt.from_rddl(*tiger(OWN))
    bt.check(problem)
    assert problem.hidden
    assert problem.has("observation_probability")
    exact = bt.solve(bt.problems.Tiger(horizon=4, discount=1.0)).root_value
    assert exact == pytest.approx(2.42125, abs=1e-9)
    search = bt.Search(problem, bt.BTS(alpha=10.0), seed=0)
    search.run(trials=100_000)
    assert search.root.value == pytest.approx(exact, abs=0.15)
    search.advance(0, problem.observation_of({"heard-right": True}))  # which says nothing
    listen = problem.action_names.index("listen")
    for _ in range(2):
        search.run(trials=1_000)
        search.advance(listen, problem.observation_of({"heard-right": True}))
    where = next(first for name, _, first, _, _ in problem.fluents if name == "right")
    assert search.belief.mean(lambda state: state.b[where]) == pytest.approx(0.85**2 / (0.85**2 + 0.15**2), abs=0.05)


def test_what_an_interm_fluent_draws_is_carried(tiger):
    """The step draws it then, and it is observed: the same values, though no probability can be said."""
    files = tiger(CARRIED)
    problem = bt.from_rddl(*files)
    bt.check(problem)
    assert not problem.has("observation_probability")
    assert problem.state_layout()["b"].shape == (4,)
    agree(*files, 100)
    search = bt.Search(problem, bt.BTS(alpha=10.0), seed=0)
    search.run(trials=100_000)
    assert search.root.value == pytest.approx(2.42125, abs=0.15)


@pytest.mark.parametrize(
    "instance",
    ["Elevators_POMDP_ippc2011/1", "SysAdmin_POMDP_ippc2011/1", "SkillTeaching_POMDP_ippc2011/1", "PropDBN_rddlsim/0"],
)
def test_beside_pyrddlgym(instance):
    problem = agree(*instance.split("/"), 60)
    assert problem.hidden


A, B = draw("Bernoulli", [const(0.3)]), draw("Bernoulli", [const(0.6)])


@pytest.mark.parametrize(
    ("term", "chance"),
    [
        (A, 0.3),
        (negation(A), 0.7),
        (conjunction([A, B]), 0.18),
        (disjunction([A, B]), 1.0 - 0.7 * 0.4),
        (choice(A, B, negation(B)), 0.3 * 0.6 + 0.7 * 0.4),
        (choice(A, B, TRUE), 0.3 * 0.6 + 0.7),
        (conjunction([A, A]), 0.09),  # two draws
        (TRUE, 1.0),
        (FALSE, 0.0),
    ],
)
def test_likelihoods_by_hand(term, chance):
    for value, wanted in ((TRUE, chance), (FALSE, 1.0 - chance)):
        found = likelihood(term, value)
        assert found[0] == "const"
        assert found[2] == pytest.approx(wanted, abs=1e-12)


def test_likelihoods_of_weights():
    term = draw("UnnormDiscrete", [const(1.0), const(2.0), const(5.0)])
    for k, wanted in enumerate((0.125, 0.25, 0.625)):
        name, _, above, below = likelihood(term, const(k))
        assert name == "/"
        assert above[2] / below[2] == pytest.approx(wanted)


def test_what_has_no_probability():
    assert likelihood(draw("Normal", [const(0.0), const(1.0)]), const(0.5)) is None
    assert likelihood(draw("Bernoulli", [draw("Uniform", [const(0.0), const(1.0)])]), TRUE) is None


def test_a_round_is_played_by_what_is_observed(tiger):
    """One that saw the tiger would have 10 a step."""
    rewards = [Round(*tiger(OWN), Default(), 0.01, k).run()["reward"] for k in range(3)]
    assert np.mean(rewards) < 4 * 10.0
    assert all(reward == round(reward) for reward in rewards)


def test_what_must_be_compiled(tiger):
    with pytest.raises(bt.ParameterError, match=r"a POMDP .* must be compiled"):
        bt.from_rddl(*tiger(OWN), compiled=False)
