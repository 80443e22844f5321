"""Tuning: grids as in the paper, and Optuna for the rest."""

from __future__ import annotations

import argparse
import signal
import sys
from collections import Counter
from dataclasses import replace
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

import boltree as bt
from boltree.catalogue import problem_named, tuned_algorithms
from boltree.errors import ParameterError
from boltree.jobs.executors import Here
from boltree.jobs.settings import Setting, expanded, labelled
from boltree.jobs.statistics import Interval
from boltree.lab import ranking as ranking_module
from boltree.lab.compare import compare, comparison
from boltree.lab.experiment import Experiment
from boltree.lab.files import read_experiment, read_parameters
from boltree.lab.race import OutOfMemory, race
from boltree.lab.ranking import Standing, ending, ranking, sign
from boltree.lab.running import Laboratory
from boltree.lab.tuning import study as study_module
from boltree.lab.tuning import tuning
from boltree.lab.tuning.command import add_tune
from boltree.lab.tuning.report import tune
from boltree.lab.tuning.spaces import explicit, point_of, random_returns, space_of
from boltree.lab.tuning.study import Evaluation, Outcome, study
from boltree.lab.tuning.study_report import starts, tune_by_study
from boltree.lab.tuning.tuning import grid_for, paper_grid, tune_grid
from child import Child

pytest.importorskip("polars", reason="the lab needs polars: pip install 'boltree[lab]'")
optuna = pytest.importorskip("optuna", reason="tuning needs Optuna: pip install 'boltree[lab]'")
pytest.importorskip("rich", reason="the lab needs rich: pip install 'boltree[lab]'")

CHAIN = "DChain(6, 0.5)"  # the far end pays 0.5, the first way out 5/6: a hot MENTS walks to the end


def experiment(settings, problem=CHAIN, **fields):
    options = {"trials": 400, "evaluate_every": 40, "repeats": 3} | fields
    return Experiment("chain", (problem,), tuple(labelled(settings)), **options)


def laboratory(folder):
    return Laboratory(folder, Here(), show=False)


def standing(alpha, mean, half=0.0, along=0.0):
    return Standing(Setting("bts", {"alpha": alpha}), Interval(mean, mean - half, mean + half), along)


# Ranking


def test_the_score_is_the_mean_of_the_last_tenth():
    curves = np.array([[0.0] * 18 + [1.0, 3.0], [0.0] * 18 + [2.0, 2.0]])
    assert ending(curves).tolist() == [2.0, 2.0]
    assert ending(np.array([[0.0, 5.0]])).tolist() == [5.0]


def test_equal_scores_go_to_the_sooner_and_then_to_the_first():
    order = ranking([standing(1.0, 0.5), standing(2.0, 0.9, along=0.3), standing(3.0, 0.9, along=0.4),
                     standing(4.0, 0.9 + 1e-13, along=0.4), standing(5.0, 0.7)])  # fmt: skip
    assert [one.setting.parameters["alpha"] for one in order.standings] == [3.0, 4.0, 2.0, 5.0, 1.0]
    assert [order.place(one) for one in order.standings] == [1, 1, 1, 4, 5]


def test_as_good_are_those_whose_intervals_overlap():
    order = ranking([standing(1.0, 0.90, 0.05), standing(2.0, 0.84, 0.02), standing(3.0, 0.82, 0.02)])
    assert [order.as_good(one) for one in order.standings] == [True, True, False]
    assert order.alike == 2


def test_a_setting_that_stands_there_twice_counts_once():
    assert len(ranking([standing(1, 0.5), standing(1.0, 0.5), standing(2.0, 0.4)]).standings) == 2


def test_who_moves_first_wants_a_high_score(monkeypatch):
    assert sign(CHAIN) == 1.0
    second = SimpleNamespace(root=SimpleNamespace(player=1))
    monkeypatch.setattr(ranking_module, "Search", lambda *_, **__: second)
    assert sign(CHAIN) == 1.0  # no players at all
    assert sign("tic-tac-toe") == -1.0
    monkeypatch.setattr(ranking_module, "SOLVABLE", 10)
    with pytest.raises(ParameterError, match="tic-tac-toe: cannot be tuned on: with two players"):
        sign("tic-tac-toe")


# Grids


@pytest.mark.parametrize(("number", "problem", "trials", "q_init"), [
    (3, "frozen-lake-8x12", 500_000, None), (4, "sailing-n", 300_000, -200.0),
])  # fmt: skip
def test_the_papers_grids(number, problem, trials, q_init):
    grid = paper_grid(number)
    assert (grid.problems, grid.trials, grid.repeats, grid.growth) == ((problem,), trials, 5, "trial")
    counts = Counter(setting.title for setting in grid.settings)
    sampled = dict.fromkeys(("MENTS", "RENTS", "TENTS", "BTS", "DENTS"), 36)
    assert counts == {**sampled, "UCT": 5, "H-MCTS": 45}
    made = {name: {one.algorithm() for one in grid.settings if one.title == name} for name in counts}
    biases = ("auto", 100, 10, 1, 0.1)
    for name in ("MENTS", "RENTS", "TENTS", "BTS", "DENTS"):
        cls = getattr(bt, name)
        expected = set()
        for alpha, epsilon in product((100, 10, 1, 0.1, 0.01, 0.001), (2, 1, 0.3, 0.1, 0.03, 0.01)):
            more = {"beta": bt.log_decay(alpha)} if name == "DENTS" else {}
            expected.add(cls(alpha=alpha, epsilon=epsilon, q_init=q_init, **more))
        assert made[name] == expected
    assert made["UCT"] == {bt.UCT(c=c) for c in biases}
    thresholds = (100_000, 30_000, 10_000, 3_000, 1_000, 300, 100, 30, 10)
    assert made["H-MCTS"] == {bt.HMCTS(c=c, threshold=n) for c, n in product(biases, thresholds)}
    assert tuning.BETAS == (100.0, 10.0, 1.0, 0.1)
    # the paper's own choice is in the grid, but for DENTS' beta, which belongs to the second stage
    for one in tuned_algorithms(problem):
        if one.name != "DENTS":
            assert one in {setting.algorithm() for setting in grid.settings}
    work = grid.trials * grid.repeats
    quick = grid.at_a_tenth()
    assert 0.05 < quick.trials * quick.repeats / work < 0.2


def test_a_grid_finds_the_cold_setting(tmp_path):
    grid = experiment([*expanded("ments", {"alpha": [1.0, 0.5, 0.02], "epsilon": 0.5}), *expanded("uct", {"c": [1.0]})])
    ments, uct = tune_grid(grid, laboratory(tmp_path))
    assert ments.setting.parameters["alpha"] == 0.02
    assert ments.ranking.best.score.mean == pytest.approx(5 / 6)
    assert ments.ranking.alike == 1
    # MENTS' usual setting, alpha=1 and epsilon=0.1, is not in the grid: it was run to compare with
    assert ments.reference.score.mean == pytest.approx(0.5)
    assert ments.ranking.place(ments.reference) == 2
    assert len(ments.ranking.standings) == 3
    assert uct.title == "UCT"


def test_beta_is_tuned_at_the_best_alpha(tmp_path):
    grid = experiment(expanded("dents", {"alpha": [2.0, 0.5], "beta": "log_decay(alpha)", "epsilon": 0.1}))
    (dents,) = tune_grid(grid, laboratory(tmp_path))
    seen = [one.setting.algorithm() for one in dents.ranking.standings]
    firsts = [one for one in seen if one.beta.x == one.alpha]
    others = {(one.alpha, one.beta.x) for one in seen if one.beta.x != one.alpha}
    assert {one.alpha for one in firsts} == {2.0, 0.5}
    (alpha,) = {alpha for alpha, _ in others}
    assert {beta for _, beta in others} == {100.0, 10.0, 1.0, 0.1}
    assert alpha in (2.0, 0.5)
    assert not str(dents.setting.parameters["beta"]).endswith("(alpha)")


def test_the_table_the_parameter_file_and_what_compare_makes_of_it(tmp_path):
    grid = experiment([*expanded("ments", {"alpha": [1.0, 0.02], "epsilon": 0.1}), *expanded("uct", {"c": ["auto"]})])
    lines = tune(grid, laboratory(tmp_path)).splitlines()
    (row,) = [line.split() for line in lines if line.startswith("MENTS")]
    assert row == ["MENTS", "α=0.02", "0.8333", "±", "0.0000", "1/2", "1/2"]
    usual = lines[next(i for i, line in enumerate(lines) if line.startswith("MENTS")) + 1].split()
    assert usual == ["usual", "α=1", "0.5000", "±", "0.0000", "2/2", "-0.3333"]
    parameters = tmp_path / "DChain-6-0.5-parameters.toml"
    assert [one.algorithm() for one in read_parameters(parameters)] == [bt.MENTS(alpha=0.02, epsilon=0.1), bt.UCT()]
    chosen = comparison(CHAIN, parameters=parameters, trials=200, repeats=2)
    shown = compare(chosen, laboratory(tmp_path))
    assert "α=0.02" in shown
    assert (tmp_path / "chain.md").read_text().count("\n| ") == 6
    assert (tmp_path / "chain.csv").read_text().splitlines()[1].startswith("MENTS,1,α=0.02,0.833333,")


def test_a_grid_goes_on_where_it_was_stopped(tmp_path, monkeypatch):
    grid = experiment(expanded("ments", {"alpha": [1.0, 0.02], "epsilon": 0.1}))
    whole = tune(grid, laboratory(tmp_path))
    kept = sorted((tmp_path / "results").iterdir())
    kept[0].unlink()
    ran = []
    run = Here.run
    monkeypatch.setattr(Here, "run", lambda self, jobs, *rest: ran.extend(jobs) or run(self, jobs, *rest))
    assert tune(grid, laboratory(tmp_path)) == whole
    assert len(ran) == 1


def test_a_shard_says_what_is_left(tmp_path):
    grid = experiment(expanded("ments", {"alpha": [1.0, 0.02], "epsilon": 0.1}))
    part = replace(laboratory(tmp_path), shard=(0, 2))
    assert "Part 1 of 2" in tune(grid, part)


def test_which_grid(tmp_path):
    file = tmp_path / "g.toml"
    file.write_text('[[algorithms]]\nname = "bts"\nalpha = [1.0, 0.1]\n')
    found = grid_for(CHAIN, str(file), trials=500, seed=4)
    assert (found.problems, len(found.settings), found.trials, found.seed) == ((CHAIN,), 2, 500, 4)
    file.write_text('problem = "d-chain"\ntrials = 70\nevaluate_every = 7\n' + file.read_text())
    found = grid_for(None, str(file), repeats=9)
    assert (found.problems, found.trials, found.evaluate_every, found.repeats) == (("d-chain",), 70, 7, 9)
    assert grid_for("sailing", "paper", ["bts"]).settings[0].parameters["q_init"] == -200.0
    assert len(grid_for("frozen-lake", "paper", ["h-mcts", "uct"]).settings) == 50
    with pytest.raises(ParameterError, match="--algorithm puct: not in the grid; there are ments"):
        grid_for("frozen-lake", "paper", ["puct"])
    with pytest.raises(ParameterError, match="name the problem too"):
        grid_for(None, "paper")


# What Optuna searches over


def test_returns_of_random_play():
    found = random_returns(problem_named("DChain(6)"))  # 0 and 1 are the ends, each once in 64 episodes
    assert (found.low, found.high, found.span) == (0.0, 1.0, 1.0)
    low = random_returns(problem_named("sailing-n")).low
    assert -200 < low < -118.8


@pytest.mark.parametrize("name", ["uct", "puct", "hmcts", "ments", "rents", "tents", "bts", "dents", "arbts", "ardents",
                                  "arments", "arrents", "artents", "poweruct", "ants", "custom"])  # fmt: skip
def test_every_algorithm_has_a_space_that_holds_its_start(name, tmp_path):
    problem = problem_named(CHAIN)
    start = bt.algorithms.algorithm(name)
    space = space_of(start, problem, random_returns(problem), 1000)
    assert not {"recommend", "alias", "budget"} & set(space)
    assert Setting(name, explicit(start, space)).algorithm() == start
    assert set(point_of(start, space)) <= {*space, *(f"{key} is auto" for key in space)}
    one = study(experiment([Setting(name)], trials=40, repeats=1), 2, tmp_path / "s.sqlite", 1, None)
    assert one.evaluations[0].setting.algorithm() == start
    assert one.tried == 2


@pytest.mark.parametrize("name", ["brue", "uniform"])
def test_an_algorithm_without_parameters(name, tmp_path):
    with pytest.raises(ParameterError, match="has no parameter to tune"):
        study(experiment([Setting(name)]), 2, tmp_path / "s.sqlite", 1, None)


def test_temperatures_scale_with_returns():
    small, large = (
        space_of(bt.BTS(), problem_named(name), random_returns(problem_named(name)), 100)["alpha"]
        for name in ("d-chain", "sailing-n")
    )
    assert large.high > 50 * small.high
    wide = space_of(bt.BTS(alpha=1e6), problem_named("d-chain"), random_returns(problem_named("d-chain")), 100)
    assert wide["alpha"].high == 1e6


# Studies

HOT = Setting("ments", {"alpha": 1.0, "epsilon": 0.1})


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A study of MENTS from a bad start, not interrupted, on one thread."""
    return study(experiment([HOT]), 8, tmp_path_factory.mktemp("study") / "s.sqlite", 1, None)


def test_a_study_is_never_worse_than_its_start(whole):
    assert whole.evaluations[0].setting.algorithm() == HOT.algorithm()
    assert whole.evaluations[0].score == pytest.approx(0.5)
    assert whole.tried == 8
    assert whole.best.score == pytest.approx(5 / 6)
    assert whole.best.setting.parameters["alpha"] < 0.5


def test_from_a_good_start_it_keeps_the_start(tmp_path):
    cold = Setting("ments", {"alpha": 0.0212345, "epsilon": 0.1})
    found = study(experiment([cold]), 3, tmp_path / "s.sqlite", 1, None)
    assert found.best is found.evaluations[0]
    assert found.best.setting.algorithm() == cold.algorithm()
    (known,) = optuna.get_all_study_summaries(f"sqlite:///{tmp_path / 's.sqlite'}")
    trials = optuna.load_study(study_name=known.study_name, storage=f"sqlite:///{tmp_path / 's.sqlite'}").trials
    assert trials[0].params == {"alpha": 0.0212345, "epsilon": 0.1}  # what the sampler learns from


def test_same_seed_same_study_on_any_number_of_threads(whole, tmp_path):
    assert study(experiment([HOT]), 8, tmp_path / "s.sqlite", 3, None) == whole
    other = study(experiment([HOT], seed=1), 3, tmp_path / "s.sqlite", 1, None)
    assert [one.setting for one in other.evaluations] != [one.setting for one in whole.evaluations[:3]]


def test_a_hopeless_setting_is_stopped_early(tmp_path):
    good = [Setting("ments", {"alpha": 0.02, "epsilon": epsilon}) for epsilon in (0.1, 0.2, 0.3, 0.4, 0.5)]
    found = study(experiment([*good, HOT]), 6, tmp_path / "s.sqlite", 1, None)
    hopeless = found.evaluations[5]
    assert hopeless.setting.algorithm() == HOT.algorithm()
    assert hopeless.score is None
    assert 10 // study_module.WARM_UP <= len(hopeless.curve) < 6
    assert found.stopped == 1
    assert all(len(one.curve) == 10 for one in found.evaluations[:5])


class Interrupted(Exception):
    pass


class Killer:
    """Ends a study in the middle of its fourth evaluation."""

    def __init__(self):
        self.done = 0

    def running(self, trials):
        if self.done == 3 and trials >= 200:
            raise Interrupted

    def evaluated(self, so_far):
        self.done = so_far.tried


def test_an_interrupted_study_goes_on_as_if_it_had_not_been(whole, tmp_path):
    file = tmp_path / "s.sqlite"
    with pytest.raises(Interrupted):
        study(experiment([HOT]), 8, file, 1, Killer())
    assert study(experiment([HOT]), 8, file, 1, None) == whole
    fewer = study(experiment([HOT]), 5, file, 1, None)
    assert fewer.evaluations == whole.evaluations[:5]


def test_a_killed_process_loses_at_most_one_evaluation(whole, tmp_path):
    file = tmp_path / "s.sqlite"
    program = f"""
import time
from pathlib import Path
from test_tuning import HOT, experiment, study
class Hanging:
    done = 0
    def running(self, trials):
        if self.done == 4 and trials >= 200:
            print("in the fifth", flush=True)
            time.sleep(600)
    def evaluated(self, so_far):
        self.done = so_far.tried
study(experiment([HOT]), 8, Path({str(file)!r}), 1, Hanging())
"""
    with Child([sys.executable, "-c", program]) as process:
        assert process.line() == "in the fifth"
        process.signal(signal.SIGKILL)
        assert process.end() == -signal.SIGKILL
    seen = []

    class Counting:
        def running(self, trials):
            pass

        def evaluated(self, so_far):
            seen.append(so_far.tried)

    assert study(experiment([HOT]), 8, file, 1, Counting()) == whole
    assert seen == [5, 6, 7, 8]


def test_a_repeated_proposal_is_not_run_again(tmp_path, monkeypatch):
    ran = []

    def counted(plan, *rest):
        ran.append(plan.settings[0].algorithm())
        return race(plan, *rest)

    monkeypatch.setattr(study_module, "race", counted)
    found = study(experiment([Setting("uct")]), 3, tmp_path / "s.sqlite", 1, None)
    assert len(ran) == len(set(ran)) == 3
    assert len(found.evaluations) > 3


def test_a_setting_that_does_not_fit_into_memory_counts_as_stopped(tmp_path, monkeypatch):
    def full(plan, *rest):
        if plan.settings[0].parameters["alpha"] != 1.0:
            raise OutOfMemory
        yield from race(plan, *rest)

    monkeypatch.setattr(study_module, "race", full)
    found = study(experiment([HOT]), 3, tmp_path / "s.sqlite", 1, None)
    assert found.stopped == 2
    assert found.best is found.evaluations[0]


@pytest.mark.parametrize(("problem", "setting"), [("d-chain", HOT), ("sailing-n", Setting("hmcts"))])
def test_a_race_is_what_the_jobs_give(problem, setting, tmp_path):
    one = experiment([setting], problem=problem, repeats=2)
    frame = laboratory(tmp_path).run([one])["chain"]
    raced = np.array([values for _, values in race(one, True, 2)]).T
    assert np.array_equal(raced, frame.sort("repeat", "trials")["value"].to_numpy().reshape(2, -1))


def test_the_best_is_the_first_of_equals():
    evaluations = [Evaluation(HOT, score, ()) for score in (None, 0.3, 0.4, 0.4)]
    assert Outcome(tuple(evaluations)).best is evaluations[2]


def test_tuning_from_end_to_end(tmp_path):
    text = tune_by_study(CHAIN, starts(CHAIN, ["MENTS", "power-uct"], None), laboratory(tmp_path), 1, 6, 400, 2)
    rows = [line.split() for line in text.splitlines()]
    (ments,) = [row for row in rows if row[:1] == ["MENTS"]]
    assert ments[-5:-2] == ["0.8333", "±", "0.0000"]
    assert rows[rows.index(ments) + 1] == ["start", "α=1", "ε=0.1", "0.5000", "±", "0.0000"]
    parameters = tmp_path / "DChain-6-0.5-parameters.toml"
    assert [one.name for one in read_parameters(parameters)] == ["ments", "poweruct"]
    assert read_parameters(parameters)[0].parameters["alpha"] < 0.5
    assert read_experiment(tmp_path / "tune-DChain-6-0.5.experiment.toml").seed == 1  # the study's was 0
    again = starts(CHAIN, None, parameters)
    assert [one.algorithm() for one in again] == [one.algorithm() for one in read_parameters(parameters)]
    shown = compare(comparison(CHAIN, parameters=parameters, trials=200, repeats=2), laboratory(tmp_path))
    assert "Power-UCT" in shown
    assert tune_by_study(CHAIN, starts(CHAIN, ["MENTS", "power-uct"], None), laboratory(tmp_path), 1, 6, 400, 2) == text


# The command line


def call(*words):
    parser = argparse.ArgumentParser()
    add_tune(parser.add_subparsers())
    options = parser.parse_args(["tune", *map(str, words)])
    return options.call(options)


def test_the_command(tmp_path, capsys):
    common = ("--trials", 100, "--repeats", 2, "--workers", 1, "--no-progress", "--out", tmp_path)
    assert call(CHAIN, "--algorithm", "bts", "--evaluations", 2, *common) == 0
    assert "\nBTS " in capsys.readouterr().out
    file = tmp_path / "g.toml"
    file.write_text('[[algorithms]]\nname = "bts"\nalpha = [1.0, 0.1]\n')
    assert call(CHAIN, "--grid", file, *common) == 0
    assert "2/2" in capsys.readouterr().out


@pytest.mark.parametrize(("words", "message"), [
    (["--evaluations", 3], "PROBLEM is missing"),
    ([CHAIN, "--grid", "paper", "--evaluations", 3], "--evaluations: only without --grid"),
    ([CHAIN, "--quick"], "--quick: only with --grid"),
    ([CHAIN, "--shard", "1/2"], "--shard: only with --grid"),
    ([CHAIN, "--algorithm", "minimax"], "algorithm 'minimax': must be one of"),
    (["chess"], "problem 'chess': must be one of"),
    ([CHAIN, "--grid", "nowhere.toml"], "nowhere.toml: cannot be read"),
    ([CHAIN, "--algorithm", "brue"], "BRUE: has no parameter to tune"),
])  # fmt: skip
def test_mistakes(words, message, tmp_path):
    with pytest.raises(ParameterError, match=message):
        call(*words, "--no-progress", "--out", tmp_path)
