"""Jobs: what is measured at a checkpoint is the search's value there, exact or sampled, and cheap."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import boltree as bt
from boltree.catalogue import problem_named
from boltree.exact import evaluate
from boltree.exact.evaluate import exact
from boltree.jobs.settings import Setting, setting_of
from boltree.lab.experiment import Experiment, Options
from boltree.lab.jobs import Job, jobs_of, run_job

EVERY = [
    bt.UCT(), bt.HMCTS(threshold=20, budget=2_000), bt.MENTS(alpha=0.1), bt.RENTS(alpha=0.1), bt.TENTS(alpha=0.1),
    bt.BTS(alpha=0.1), bt.DENTS(alpha=0.1), bt.ARBTS(), bt.ARDENTS(), bt.PowerUCT(), bt.BRUE(), bt.ANTS(), bt.Uniform(),
]  # fmt: skip


def job(problem: str, setting: Setting, trials: int, every: int, **changes: object) -> Job:
    experiment = Experiment("", (problem,), (setting,), trials, every, repeats=1, **changes)  # type: ignore[arg-type]
    return jobs_of(experiment)[0]


@pytest.mark.parametrize("algorithm", EVERY, ids=lambda one: one.name)
@pytest.mark.parametrize("problem", ["frozen-lake-8x8", "sailing", "boltree.lab.random_mdps:random_mdp(1)"])
@pytest.mark.parametrize("growth", ["trial", "leaf"])
def test_evaluating_along_the_way_gives_what_a_fresh_look_gives(
    problem: str, algorithm: bt.Algorithm, growth: str
) -> None:
    """What is remembered from the last evaluation is still right after more trials."""
    made = problem_named(problem)
    search = bt.Search(made, algorithm, seed=3, growth=growth)  # type: ignore[arg-type]
    search.set_budget(2_000)
    for _ in range(12):
        search.run(trials=150)
        remembered, kept = bt.value_of(search), evaluate._kept.pop(search.tree)
        assert remembered == pytest.approx(bt.value_of(search), rel=1e-12, abs=1e-12)
        evaluate._kept[search.tree] = kept


def test_what_is_remembered_is_used() -> None:
    """A second look without new trials visits nothing below the root's recommended action."""
    search = bt.Search(bt.problems.Sailing(6, "SE"), bt.BTS(alpha=10.0, q_init=-200.0), seed=0, growth="trial")
    search.run(trials=20_000)
    bt.value_of(search)
    found = exact(search)
    known = np.asarray(found.known["visits"][: search.size])
    visits = search.tree.storage.nodes["visits"][: search.size]
    looked_at = np.flatnonzero(known)
    assert looked_at.size > 1000
    assert (known[looked_at] == visits[looked_at]).all()
    found.known["value"][1 : search.size] = 0.0  # what is remembered decides now
    assert bt.value_of(search) > -6.0


def test_a_job_is_the_search_it_says() -> None:
    one = job("frozen-lake-8x8", Setting("bts", {"alpha": 0.1}), 5_000, 500, root=True)
    columns = run_job(one)
    search = bt.Search(bt.problems.FrozenLake("8x8"), bt.BTS(alpha=0.1), seed=one.search_seed(), growth="trial")
    for i, trials in enumerate(columns["trials"]):
        search.run(trials=int(trials) - search.trials)
        assert columns["value"][i] == bt.value_of(search)
        assert columns["regret"][i] == bt.simple_regret(search)
        assert columns["nodes"][i] == search.size
        assert columns["root_visits"][i] == search.root.visits.tolist()
        np.testing.assert_array_equal(columns["root_q"][i], search.root.q)


def test_halving_plans_for_the_whole_budget() -> None:
    """Checkpoints must not change a search that spends a budget: it is one run of all the trials."""
    one = job("d-chain", setting_of(bt.HMCTS(threshold=30)), 3_000, 100)
    search = bt.Search(bt.problems.DChain(10), bt.HMCTS(threshold=30), seed=one.search_seed(), growth="trial")
    search.run(trials=3_000)
    columns = run_job(one)
    assert columns["value"][-1] == bt.value_of(search)
    assert columns["nodes"][-1] == search.size


def test_sampled_values_agree_with_exact_ones() -> None:
    setting = Setting("bts", {"alpha": 10.0, "q_init": -200.0})
    exactly = run_job(job("sailing", setting, 20_000, 5_000))
    sampled = run_job(job("sailing", setting, 20_000, 5_000, evaluation="sampled"))
    assert np.isnan(sampled["regret"]).all()
    assert (np.abs(sampled["value"] - exactly["value"]) < 4 * sampled["error"]).all()
    assert (sampled["error"] > 0).all()


def test_problems_too_large_to_solve_are_sampled() -> None:
    columns = run_job(job("connect-four", Setting("uct"), 200, 100))
    assert np.isnan(columns["regret"]).all()
    assert np.isfinite(columns["value"]).all()


def test_exact_evaluation_refuses_what_it_cannot_solve(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    with pytest.raises(bt.ParameterError, match="use evaluation='sampled'"):
        run_job(job("walking:walk", Setting("uct"), 10, 10, evaluation="exact"))
    assert np.isfinite(run_job(job("walking:walk", Setting("uct"), 100, 10))["value"]).all()


@pytest.mark.usefixtures("processor_clock")
@pytest.mark.parametrize(
    ("problem", "algorithm"),
    [("frozen-lake", bt.BTS(alpha=0.1, epsilon=2.0)), ("frozen-lake", bt.UCT()),
     ("sailing", bt.BTS(alpha=10.0, q_init=-200.0)), ("sailing", bt.UCT())],
    ids=lambda x: getattr(x, "name", x),
)  # fmt: skip
def test_evaluating_costs_less_than_a_third_of_searching(problem: str, algorithm: bt.Algorithm) -> None:
    """At the paper's rate, every 250 trials; the best of three, since other work on the machine slows memory."""
    one = job(problem, setting_of(algorithm), 50_000, 250)
    shares = []
    for _ in range(3):
        columns = run_job(one)
        shares.append(columns["evaluation_seconds"][-1] / columns["search_seconds"][-1])
    assert min(shares) < 1 / 3


def test_every_repeat_of_a_sampled_evaluation_has_noise_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    experiment = Experiment("", ("walking:walk",), (Setting("uct"),), 200, 200, repeats=4)
    values = [run_job(one)["value"][-1] for one in jobs_of(experiment)]
    assert len(set(values)) > 1


def test_a_closed_loop_is_an_episode_for_each_budget() -> None:
    one = job("d-chain", setting_of(bt.BTS(alpha=1.0)), 400, 200, closed_loop=True, options=Options(evaluator=0.0))
    columns = run_job(one)
    assert columns["trials"].tolist() == [200, 400]
    for i, trials in enumerate((200, 400)):
        mind = np.random.SeedSequence([one.search_seed(), i]).spawn(3)[1]
        seed = int(mind.generate_state(1, np.uint32)[0])
        episode = bt.act(
            bt.problems.DChain(10), bt.BTS(alpha=1.0), trials=trials, seed=seed, growth="trial", evaluator=0.0
        )
        assert (columns["value"][i], columns["steps"][i]) == (episode.value, len(episode.actions))
    assert columns["optimum"].tolist() == [1.0, 1.0]
    np.testing.assert_array_equal(columns["regret"], 1.0 - columns["value"])


def test_options_are_the_searchs_own() -> None:
    one = job("frozen-lake-8x8", Setting("uct"), 300, 300, growth="leaf", options=Options(0.25, True))
    search = bt.Search(
        bt.problems.FrozenLake("8x8"), bt.UCT(), seed=one.search_seed(), evaluator=0.25, transpositions=True
    )
    search.run(trials=300)
    columns = run_job(one)
    assert (columns["nodes"][-1], columns["value"][-1]) == (search.size, bt.value_of(search))


def test_a_row_without_options_is_what_it_always_was() -> None:
    """So results that were kept are found again."""
    usual, other = (
        job("d-chain", Setting("uct"), 10, 10),
        job("d-chain", Setting("uct"), 10, 10, options=Options(threads=2)),
    )
    assert set(usual.row()) == {
        "problem", "setting", "repeat", "trials", "evaluate_every", "seed", "growth", "evaluation", "root"
    }  # fmt: skip
    assert other.row() == usual.row() | {"threads": 2}
    assert other.key() != usual.key()


@pytest.mark.usefixtures("clock")
def test_seconds_in_place_of_trials() -> None:
    columns = run_job(job("d-chain", Setting("uct"), 0, 0, seconds=5.0))
    np.testing.assert_allclose(columns["seconds"], np.arange(1, 11) / 2)
    assert (np.diff(columns["trials"]) > 0).all()
    assert np.isfinite(columns["value"]).all()
