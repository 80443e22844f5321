"""Compiled RDDL: transitions as pyRDDLGym's, machine code as plain Python, outcomes as listed by another way."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings

import numpy as np
import pytest

import boltree as bt
from boltree.problem.state import PlainState

pytest.importorskip("pyRDDLGym", reason="pip install 'boltree[rddl]'")
rddlrepository = pytest.importorskip("rddlrepository", reason="pip install 'boltree[rddl]'")
pytestmark = [
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
    pytest.mark.filterwarnings("ignore::SyntaxWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]

from rddl_agreement import DisagreementError, agree, same_compiled  # noqa: E402

from boltree.adapters.rddl import _world  # noqa: E402
from boltree.adapters.rddl_outcomes import outcomes  # noqa: E402
from boltree.adapters.rddl_source import Writer  # noqa: E402
from boltree.adapters.rddl_world import Fluents  # noqa: E402

DOMAIN = """
domain everything {
    types { side : {@low, @mid, @high}; place : object; };
    pvariables {
        NEAR(place, place) : { non-fluent, bool, default = false };
        WEIGHT(place) : { non-fluent, real, default = 0.5 };
        NEXT(side) : { non-fluent, side, default = @low };
        FIXED(place) : { non-fluent, bool, default = false };
        lit(place) : { state-fluent, bool, default = false };
        kept(place) : { state-fluent, bool, default = false };
        count(place) : { state-fluent, int, default = 0 };
        height : { state-fluent, real, default = 1.5 };
        mode(place) : { state-fluent, side, default = @mid };
        where : { state-fluent, place };
        near(place) : { interm-fluent, int };
        busiest : { interm-fluent, place };
        noise : { interm-fluent, real };
        push(place) : { action-fluent, bool, default = false };
        turn : { action-fluent, side, default = @low };
    };
    cpfs {
        near(?p) = sum_{?q : place} [NEAR(?p, ?q) ^ lit(?q)];
        busiest = argmax_{?p : place} [count(?p) + 2 * near(?p)];
        noise = Normal(height, 0.25) + Uniform(0.0, 1.0) + Exponential(2.0) + Gamma(1.5, 2.0) + Weibull(2.0, 3.0);
        lit'(?p) = if (push(?p)) then KronDelta(true)
                   else if (exists_{?q : place} [NEAR(?p, ?q) ^ push(?q)]) then ~lit(?p)
                   else Bernoulli(WEIGHT(?p) / (1 + near(?p)));
        count'(?p) = switch (mode(?p)) {
            case @low : div[count(?p), 2] + Poisson(1.5),
            case @mid : mod[count(?p) + 3, 5],
            default : min[max[count(?p), 1] + round[height], 9] };
        height' = if (lit(where)) then sqrt[abs[height]] + 0.125 * noise - ln[exp[0.25]]
                 else [max_{?p : place} [WEIGHT(?p) * count(?p)]] - [avg_{?p : place} [near(?p)]] + pow[height, 2] / 8;
        mode'(?p) = if (push(?p)) then turn
                    else Discrete(side, @low : 0.25, @mid : if (lit(?p)) then 0.5 else 0.125,
                                  @high : if (lit(?p)) then 0.25 else 0.625);
        kept'(?p) = if (lit(?p)) then FIXED(?p) else (kept(?p) ^ push(?p)) | (count(?p) == 3);
        where' = if (turn ~= @low) then busiest else where;
    };
    reward = [sum_{?p : place} (lit(?p) * WEIGHT(?p))] + [prod_{?p : place} [1 + near(?p)]]
             - [if (turn == @high) then 1.5 else 0]
             + floor[height'] - sgn[height] + (forall_{?p : place} [lit(?p) | count(?p) > 2]);
    action-preconditions {
        forall_{?p : place} [push(?p) => (count(?p) < 7)];
        (turn == @high) => lit(where);
    };
    state-invariants { forall_{?p : place} [count(?p) >= 0]; };
    termination { forall_{?p : place} [count(?p) > 4]; height > 60.0; };
}
"""


def instance(places: int) -> str:
    """A ring of places."""
    names = [f"p{k}" for k in range(places)]
    near = " ".join(f"NEAR({a}, {b}); NEAR({b}, {a});" for a, b in zip(names, [*names[1:], names[0]], strict=True))
    weights = " ".join(f"WEIGHT({name}) = {0.3 + 0.4 * k / places};" for k, name in enumerate(names))
    weights += " ".join(f"FIXED({name});" for name in names[1::2])
    return f"""
non-fluents nf_all {{
    domain = everything; objects {{ place : {{ {", ".join(names)} }}; }}; non-fluents {{ {near} {weights} }};
}}
instance inst_all {{
    domain = everything; non-fluents = nf_all; init-state {{ lit(p0); where = p1; count(p2) = 4; }};
    max-nondef-actions = 2; horizon = 20; discount = 0.95;
}}
"""


@pytest.fixture
def everything(tmp_path):
    """Writes the two files."""

    def write(places):
        paths = tmp_path / "domain.rddl", tmp_path / f"instance{places}.rddl"
        paths[0].write_text(DOMAIN)
        paths[1].write_text(instance(places))
        return tuple(map(str, paths))

    return write


@pytest.mark.parametrize("places", [3, 17])
def test_all_constructs_agree(everything, places):
    """With 3 places all is written out, with 17 there are loops."""
    problem = agree(*everything(places), transitions=150)
    assert ("for t" in type(problem).source) == (places == 17)
    assert problem.state_layout().itemsize <= 8 * places + 3 * places + 8 + 8 + 8


def test_a_wrong_sign_is_seen(everything, monkeypatch):
    monkeypatch.setattr(Writer, "_operation", _wrong(Writer._operation))
    with pytest.raises(DisagreementError):
        agree(*everything(3), transitions=150)


def _wrong(operation):
    def other(self, name, parts):
        return operation(self, ">=" if name == ">" else name, parts)

    return other


@pytest.mark.parametrize(
    ("domain", "number"),
    [
        ("AcademicAdvising_MDP_ippc2014", "1"), ("CooperativeRecon_MDP_ippc2011", "2"),
        ("CrossingTraffic_MDP_ippc2011", "3"), ("Elevators_MDP_ippc2011", "4"), ("GameOfLife_MDP_ippc2011", "9"),
        ("SkillTeaching_MDP_ippc2011", "3"), ("SysAdmin_MDP_ippc2011", "10"), ("Tamarisk_MDP_ippc2014", "3"),
        ("Traffic_MDP_ippc2014", "2"), ("TriangleTireworld_MDP_ippc2014", "2"), ("Wildfire_MDP_ippc2014", "5"),
        ("PushYourLuck_ippc2018", "8"), ("RecSim_ippc2023", "0"), ("Tetris_arcade", "0"), ("Blackjack_arcade", "0"),
        ("CartPole_Discrete_gym", "0"), ("EarthObservation_ippc2018", "1"),
    ],
)  # fmt: skip
def test_transitions_agree(domain, number):
    agree(domain, number, transitions=50)


@pytest.mark.slow
def test_every_instance_agrees():
    """All domains of rddlrepository, first, middle and last instance, as far as they are compiled."""
    from rddlrepository.core.manager import RDDLRepoManager

    manager, compiled = RDDLRepoManager(), 0
    for domain in sorted(manager.list_problems()):
        numbers = manager.get_problem(domain).list_instances()
        for number in sorted({numbers[0], numbers[len(numbers) // 2], numbers[-1]}):
            try:
                bt.from_rddl(domain, number, compiled=True)
            except bt.ParameterError:
                continue
            agree(domain, number, transitions=40)
            compiled += 1
    assert compiled >= 90


@pytest.mark.slow
@pytest.mark.parametrize("places", [3, 17])
def test_machine_code_is_as_plain_python(everything, places):
    assert same_compiled(bt.from_rddl(*everything(places), compiled=True)) == 200


def test_outcomes_are_those_of_pyrddlgym():
    """The outcomes of a problem are also listed by pyRDDLGym's simulator, with draws that follow a script."""
    for domain in ("CrossingTraffic_MDP_ippc2011", "Elevators_MDP_ippc2011", "SkillTeaching_MDP_ippc2011"):
        problem = bt.from_rddl(domain, "1", compiled=True)
        world, _ = _world(domain, "1")
        world.begin(0)
        choose, here, names = np.random.default_rng(0), Fluents().save(world.inner), world.sampler.rddl.state_fluents
        for _ in range(4):
            state = np.array(problem.state_of(dict(zip(names, here, strict=True)))).reshape(1)
            action = int(choose.choice(problem.legal_actions(state)))
            number = world.action_names.index(problem.action_name(action))
            Fluents().restore(world.inner, here)
            theirs: dict[bytes, list[float]] = {}
            listed = outcomes(world.sampler, world.actions[number], 10_000)
            for chance, values, reward in listed:
                key = problem.state_of(dict(zip(names, values, strict=True))).tobytes()
                theirs.setdefault(key, [0.0, reward])[0] += chance
            mine: dict[bytes, list[float]] = {}
            for k in range(problem.plain_count_outcomes(PlainState(state.copy()), action)):
                after = PlainState(state.copy())
                chance, reward, _ = problem.plain_outcome(after, action, k)
                if chance > 0.0:
                    mine.setdefault(after.tobytes(), [0.0, reward])[0] += chance
            assert mine.keys() == theirs.keys()
            for key, found in mine.items():
                assert found == pytest.approx(theirs[key], abs=1e-12)
            here = listed[int(choose.integers(len(listed)))][1]


def test_the_compiled_problem_is_solved_as_the_table():
    """Navigation 1: another program (PROST) says -9.566935."""
    problem = bt.from_rddl("Navigation_MDP_ippc2011", "1")
    assert problem.has("outcomes")
    assert problem.action_names[0] == "nothing"
    found = bt.solve(problem).root_value
    assert found == pytest.approx(
        bt.solve(bt.from_rddl("Navigation_MDP_ippc2011", "1", table=True)).root_value, abs=1e-9
    )
    assert found == pytest.approx(-9.566935, abs=1e-5)
    assert problem.show_state(problem.start_state(0)).startswith("robot-at=[[")
    assert bt.plan(problem, seconds=2.0, seed=0).value >= -9.8


def test_what_is_not_compiled_is_named():
    with pytest.warns(
        UserWarning, match=r"Option_or, 0 is simulated by pyRDDLGym, about .* because of cholesky in cov-factor"
    ):
        problem = bt.from_rddl("Option_or", "0", horizon=3)
    assert type(problem).__name__ == "RDDLProblem"
    with pytest.raises(bt.ParameterError, match="compiled=True: Option_or, 0 is not compiled, because of cholesky"):
        bt.from_rddl("Option_or", "0", compiled=True)


def test_random_outcomes_are_listed_where_they_are_few():
    assert bt.from_rddl("SkillTeaching_MDP_ippc2011", "1").has("outcomes")
    assert not bt.from_rddl("SysAdmin_MDP_ippc2011", "1").has("outcomes")
    assert bt.from_rddl("CartPole_Discrete_gym", "0").deterministic


KEEP = """
import sys, warnings
warnings.filterwarnings("ignore")
import boltree as bt
for number in sys.argv[1:]:
    bt.from_rddl("GameOfLife_MDP_ippc2011", number).address("step")
if len(sys.argv) > 2:
    sys.path.insert(0, "tests/adapters")
    from rddl_agreement import same_compiled
    for number in sys.argv[1:]:
        same_compiled(bt.from_rddl("GameOfLife_MDP_ippc2011", number), 50)
"""


@pytest.mark.slow
def test_kept_machine_code_of_several_processes_goes_together(tmp_path):
    """Two processes each compile an instance whose functions have the same types; a third one loads both."""
    environment = {**os.environ, "BOLTREE_CACHE": str(tmp_path)}
    for numbers in (["1"], ["2"], ["1", "2"]):
        subprocess.run([sys.executable, "-c", KEEP, *numbers], env=environment, check=True, timeout=600)


def test_warnings_are_not_for_what_is_compiled():
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*simulated by pyRDDLGym")
        bt.from_rddl("SysAdmin_MDP_ippc2011", "1")
