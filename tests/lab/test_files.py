"""Experiment files: what is right is read, what is wrong is said with the file, the key and what is allowed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import boltree as bt
from boltree.cli.commands import main
from boltree.jobs.settings import Setting, labelled, setting_of
from boltree.lab.files import experiment_text, parameters_text, read_experiment, read_parameters
from boltree.lab.jobs import jobs_of
from boltree.lab.shipped import names, shipped

GOOD = """
problem = "d-chain"
trials = 100
evaluate_every = 10
repeats = 2

[[algorithms]]
name = "bts"
alpha = [0.1, 1.0]
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "experiment.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_becomes_an_experiment(tmp_path: Path) -> None:
    found = read_experiment(written(tmp_path, GOOD))
    assert found.name == "experiment"
    assert [one.label for one in found.settings] == ["BTS α=0.1", "BTS α=1"]
    assert found.checkpoints.tolist() == list(range(10, 101, 10))
    assert len(jobs_of(found)) == 4


def test_grids_are_every_combination_and_beta_follows_alpha(tmp_path: Path) -> None:
    text = GOOD.replace('name = "bts"', 'name = "dents"\nbeta = "log_decay(alpha)"\nepsilon = [0.1, 1.0, 2.0]')
    found = [one.algorithm() for one in read_experiment(written(tmp_path, text)).settings]
    assert len(found) == 6
    assert {(one.alpha, one.beta.x) for one in found} == {(0.1, 0.1), (1.0, 1.0)}  # type: ignore[attr-defined]


def test_options_of_searches_are_read_and_written(tmp_path: Path) -> None:
    text = GOOD.replace("trials = 100\nevaluate_every = 10", "closed_loop = true\nseconds = 0.5")
    text = text.replace("repeats = 2", 'repeats = 2\nevaluator = 0\ntranspositions = "auto"\nthreads = 2')
    found = read_experiment(written(tmp_path, text))
    assert found.options.arguments() == {
        "evaluator": 0.0, "transpositions": "auto", "threads": 2, "deterministic": True
    }  # fmt: skip
    assert (found.seconds, found.times.tolist(), found.budget_text) == (0.5, [0.5], "0.5 s a step")
    again = read_experiment(written(tmp_path, experiment_text(found)))
    assert jobs_of(again)[0].row() == jobs_of(found)[0].row()
    only_trials = read_experiment(written(tmp_path, GOOD.replace("evaluate_every = 10", "closed_loop = true")))
    assert only_trials.checkpoints.tolist() == [100]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("trials = 100", "trails = 100"), "unknown key trails; allowed are name, title, problem, trials"),
        (("trials = 100\n", ""), "trials is missing"),
        (("trials = 100", "trials = 0"), "trials = 0: must be a whole number of at least 1"),
        (("trials = 100", "trials = 1.5"), "trials = 1.5: must be a whole number"),
        (("trials = 100", "trials = true"), "trials = true: must be a whole number"),
        (("trials = 100", 'trials = "many"'), 'trials = "many": must be a whole number'),
        (("repeats = 2", "repeats = -1"), "repeats = -1: must be a whole number of at least 1"),
        (("repeats = 2", 'growth = "wild"'), 'growth = "wild": must be one of trial, leaf'),
        (("repeats = 2", 'evaluation = "good"'), 'evaluation = "good": must be one of auto, exact, sampled'),
        (("repeats = 2", "root = 1"), "root = 1: must be true or false"),
        (("repeats = 2", "closed_loop = 1"), "closed_loop = 1: must be true or false"),
        (("repeats = 2", "seconds = 1.0"), "seconds and trials: give one of them"),
        (("trials = 100\nevaluate_every = 10", "seconds = 0"), "seconds = 0: must be a number above 0"),
        (("repeats = 2", 'evaluator = "net"'), 'evaluator = "net": must be "rollout", "heuristic" or a number'),
        (("repeats = 2", 'transpositions = "all"'), 'transpositions = "all": must be true, false, "state" or "auto"'),
        (("repeats = 2", "threads = 0"), "threads = 0: must be a whole number of at least 1"),
        (("repeats = 2", "name = 3"), "name = 3: must be a text"),
        (("repeats = 2", "quick = 3"), "quick = 3: must be a table [quick]"),
        (("repeats = 2", "[quick]\nseed = 1"), "quick: unknown key seed; allowed are trials, evaluate_every, repeats"),
        (('"d-chain"', '"d-chian"'), "problem 'd-chian': must be one of frozen-lake"),
        (('"d-chain"', "[]"), "problem = []: must name at least one problem"),
        (('"d-chain"', "7"), "problem = 7: must be a text"),
        (('"d-chain"', '"DChain(0)"'), "length=0"),
        (('"d-chain"', '"nosuchmodule:problem"'), "No module named 'nosuchmodule'"),
        (("alpha = [0.1, 1.0]", "alhpa = 1"), "algorithms[1] (bts): unknown key alhpa; allowed are alpha"),
        (("alpha = [0.1, 1.0]", "threads = 2"), "; threads is written above the algorithms, for all of them"),
        (("alpha = [0.1, 1.0]", "alpha = []"), "algorithms[1]: alpha = []: an empty grid"),
        (("alpha = [0.1, 1.0]", "alpha = -1"), "algorithms[1]: BTS: alpha=-1"),
        (("alpha = [0.1, 1.0]", 'alpha = "hot"'), "algorithms[1]: BTS: alpha='hot'"),
        (("alpha = [0.1, 1.0]", 'alpha = "log_decay(x)"'), "must be a number, log_decay(x), sqrt_decay(x)"),
        (("alpha = [0.1, 1.0]", "alpha = [1, 1.0]"), "stands there twice"),
        (("alpha = [0.1, 1.0]", 'alpha = [1, 2]\nlabel = "one"'), "2 settings cannot share a label"),
        (('name = "bts"', 'name = "btx"'), 'algorithms[1]: name = "btx": must be one of uct'),
        (('name = "bts"', "name = 1"), "algorithms[1]: name is missing"),
        (("[[algorithms]]", "[algorithms]"), "must be one or more [[algorithms]] tables"),
        (("trials = 100", "trials = = 100"), "is not TOML: Invalid value (at line 3, column 10)"),
    ],
)  # fmt: skip
def test_a_mistake_is_said_in_one_sentence(
    tmp_path: Path, change: tuple[str, str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = GOOD.replace(*change)
    assert text != GOOD
    path = written(tmp_path, text)
    assert main(["compare", str(path), "--out", str(tmp_path / "out")]) == 2
    message = capsys.readouterr().err
    assert message.startswith(f"boltree: {path}: "), message
    assert says in message
    assert "Traceback" not in message
    assert message.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_files_that_are_not_there_or_not_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(tmp_path / "no.toml")]) == 2
    assert "no.toml: cannot be read: No such file" in capsys.readouterr().err
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe\x00")
    assert main(["compare", str(tmp_path / "bytes.toml")]) == 2
    assert "is not a text file in UTF-8" in capsys.readouterr().err


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_an_experiment_or_a_parameter_error(text: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder), GOOD + text)
        try:
            read_experiment(path)
        except bt.ParameterError as error:
            assert str(path) in str(error)  # noqa: PT017 - most texts are wrong, some are not


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    for name in names():
        one = shipped(name)
        path = written(tmp_path, experiment_text(one))
        assert [job.key() for job in jobs_of(read_experiment(path))] == [job.key() for job in jobs_of(one)]


def test_parameter_files_are_read_back(tmp_path: Path) -> None:
    chosen = labelled([setting_of(bt.DENTS(alpha=0.3)), setting_of(bt.UCT(c=2.0)), setting_of(bt.HMCTS(threshold=7))])
    path = written(tmp_path, parameters_text(chosen, "found by tuning"))
    assert [one.algorithm() for one in read_parameters(path)] == [one.algorithm() for one in chosen]


def test_the_shipped_experiments_are_the_papers() -> None:
    """Sizes of section 2 of the experiments' specification, counted."""
    sizes: dict[str, Any] = {
        "figure-2": (4, 10_000, 10, 100), "figure-3a": (7, 500_000, 250, 25), "figure-3b": (7, 300_000, 250, 25),
        "10-chain": (6 + 28 + 24 + 28 + 28 + 28, 10_000, 10, 10), "20-chain": (28 * 4 + 1, 25_000, 10, 10),
        "lake-8x8": (30, 300_000, 250, 15),
    }  # fmt: skip
    for name, (count, trials, every, repeats) in sizes.items():
        one = shipped(name)
        assert (len(one.settings), one.trials, one.evaluate_every, one.repeats) == (count, trials, every, repeats)
        quick = one.at_a_tenth()
        work = quick.trials * quick.repeats / (one.trials * one.repeats)
        assert work <= 0.35, name


def test_tables_3_and_4_stand_in_one_form_each() -> None:
    """The figures' files and the catalogue's tuned algorithms are the same settings."""
    from boltree.catalogue import tuned_algorithms

    for figure, problem in (("figure-3a", "frozen-lake"), ("figure-3b", "sailing")):
        assert [one.algorithm() for one in shipped(figure).settings] == tuned_algorithms(problem)


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("log_decay(0.5)", bt.log_decay(0.5)),
        ("sqrt_decay( 2 )", bt.sqrt_decay(2.0)),
        ("spectrum()", bt.spectrum()),
        ("spectrum(0.01, 10.0)", bt.spectrum(0.01, 10.0)),
        ("spread(0.1234567)", bt.spread(0.1234567)),
        ("auto", "auto"),
    ],
)
def test_temperatures_are_written_and_read(text: str, means: object) -> None:
    found = Setting("bts", {"alpha": text}).algorithm()
    assert found == bt.BTS(alpha=means)  # type: ignore[arg-type]
    again = setting_of(found)
    assert again.algorithm() == found
    assert again.canonical() == Setting("bts", {"alpha": text}).canonical()


@pytest.mark.parametrize("text", ["spectrum(1)", "spectrum(1, 2, 3)", "spread()", "spread(x)", "log_decay(,)"])
def test_a_temperature_with_wrong_numbers_is_refused(text: str) -> None:
    with pytest.raises(bt.ParameterError, match=r"alpha|spectrum\(low"):
        Setting("bts", {"alpha": text}).algorithm()


def test_labels_tell_settings_apart() -> None:
    several = [Setting("dents", {"alpha": a, "beta": b}) for a in (1.0, 2.0) for b in ("alpha", "log_decay(alpha)")]
    assert len({one.label for one in labelled(several)}) == 4
    assert labelled([Setting("ar-bts")])[0].label == "AR-BTS"
    assert labelled([Setting("hmcts")])[0].label == "H-MCTS"
