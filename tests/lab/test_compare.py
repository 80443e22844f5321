"""``boltree compare`` and ``boltree figure`` as a user meets them."""

from __future__ import annotations

from pathlib import Path

import pytest

import boltree as bt
from boltree.cli.commands import main
from boltree.jobs.settings import labelled, setting_of
from boltree.lab.compare import comparison
from boltree.lab.figures import FIGURES
from boltree.lab.files import parameters_text, read_experiment

pytest.importorskip("polars", reason="the lab needs polars: pip install 'boltree[lab]'")
pytest.importorskip("matplotlib", reason="the lab's figures need matplotlib: pip install 'boltree[lab]'")

SHORT = ["--trials", "200", "--repeats", "2", "--workers", "1", "--no-progress"]


def test_compare_ends_with_a_table_figures_and_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "d-chain", "--out", str(tmp_path), *SHORT]) == 0
    out = capsys.readouterr().out
    assert "10-chain after 200 trials, 2 repeats; the optimum is 1.0000" in out
    for name in ("MENTS", "BTS", "DENTS", "UCT"):
        assert any(line.startswith(name) and "±" in line for line in out.splitlines())
    for suffix in ("png", "svg", "html", "experiment.toml"):
        assert (tmp_path / f"compare-d-chain.{suffix}").stat().st_size > 300
    assert len(list((tmp_path / "results").glob("*.parquet"))) == 8
    again = read_experiment(tmp_path / "compare-d-chain.experiment.toml")
    assert [one.label for one in again.settings] == ["MENTS", "BTS", "DENTS", "UCT"]


def test_a_closed_loop_ends_with_returns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--closed-loop", "--transpositions", "--evaluator", "0", "--growth", "leaf", "--algorithm", "uct", "bts"]
    assert main(["compare", "d-chain", "--out", str(tmp_path), *SHORT, *options]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "10-chain with 200 trials a step, 2 repeats; the optimum is 1.0000"
    assert lines[1].split() == ["algorithm", "parameters", "return", "regret", "s/step"]
    assert main(["compare", "d-chain", "--out", str(tmp_path), *SHORT, "--seconds", "1"]) == 2
    assert "--seconds and --trials: give one of them" in capsys.readouterr().err
    assert main(["compare", "tic-tac-toe", "--out", str(tmp_path), *SHORT, "--closed-loop"]) != 0
    assert "is a game for two; bt.evaluate plays it against an opponent" in capsys.readouterr().err


def test_the_same_command_again_runs_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["compare", "d-chain", "--out", str(tmp_path), *SHORT]
    main(arguments)
    first = capsys.readouterr().out
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "results").iterdir()}
    main(arguments)
    assert capsys.readouterr().out == first
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "results").iterdir()} == before


def test_more_trials_begin_like_fewer(tmp_path: Path) -> None:
    """Seeds come from the row without its budget: a longer run is the shorter one, continued."""
    from boltree.lab.jobs import jobs_of, run_job

    short, long = (jobs_of(comparison("d-chain", trials=n, repeats=1))[0] for n in (400, 800))
    assert short.search_seed() == long.search_seed()
    assert short.key() != long.key()
    a, b = run_job(short), run_job(long)
    assert a["value"][-1] == b["value"][list(b["trials"]).index(400)]


def test_a_problem_of_the_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    assert main(["compare", "walking:walk", "--algorithm", "bts", "uct", "--out", str(tmp_path), *SHORT]) == 0
    assert (tmp_path / "compare-walking-walk.png").exists()


def test_parameters_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(parameters_text(labelled([setting_of(bt.BTS(alpha=0.25)), setting_of(bt.UCT(c=3.0))])))
    assert main(["compare", "d-chain", "--parameters", str(path), "--out", str(tmp_path / "o"), *SHORT]) == 0
    out = capsys.readouterr().out
    assert "α=0.25" in out
    assert "bias=3" in out
    assert main(["plan", "d-chain", "--parameters", str(path), "--trials", "100"]) == 0
    assert "BTS" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["compare", "d-chain", "--algorithm", "btx"], "algorithm 'btx': must be one of"),
        (["compare", "no-such"], "problem 'no-such': must be one of"),
        (["compare", "d-chain", "--workers", "2", "--cluster", "auto"], "--workers and --cluster: give one of them"),
        (["figure", "9z"], "figure '9z': must be one of 2, 3a, 3b"),
    ],
)
def test_mistakes_on_the_command_line(
    arguments: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*arguments, "--out", str(tmp_path)]) == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize("option", [["--trials", "0"], ["--repeats", "x"], ["--shard", "3/2"], ["--workers", "-1"]])
def test_options_are_checked(option: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["compare", "d-chain", *option])
    assert "must be" in capsys.readouterr().err


def test_options_that_belong_in_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "some.toml", "--trials", "5"]) == 2
    assert "--trials: not with an experiment file; write it into some.toml" in capsys.readouterr().err


def test_figures_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["figure"]) == 0
    out = capsys.readouterr().out
    for name in FIGURES:
        assert name in out


@pytest.mark.parametrize("name", list(FIGURES))
def test_every_figure_is_laid_out(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a few trials of one repeat: every figure is drawn from its own experiments."""
    from dataclasses import replace

    from boltree.lab import figures

    def tiny(experiment: str, *, quick: bool) -> object:
        return replace(figures_shipped(experiment), trials=20, evaluate_every=10, repeats=1)

    figures_shipped = figures.shipped
    monkeypatch.setattr(figures, "shipped", tiny)
    drawn: list[str] = []
    monkeypatch.setattr(figures, "draw", lambda figure, path: drawn.append(path.name) or [path])
    assert main(["figure", name, "--quick", "--workers", "1", "--no-progress", "--out", str(tmp_path)]) == 0
    counts = {"2": 1, "3a": 1, "3b": 1, "10-chain": 12, "20-chain": 10, "lake-8x8": 3, "dents-ments": 2}
    assert len(drawn) == counts[name]
    assert (tmp_path / f"figure-{name}.html").stat().st_size < 3_000_000


def test_an_experiment_file_is_never_written_over(tmp_path: Path) -> None:
    text = 'problem = "d-chain"\ntrials = 50\nevaluate_every = 25\nrepeats = 1  # mine\n[[algorithms]]\nname = "uct"\n'
    (tmp_path / "mine.toml").write_text(text)
    arguments = ["compare", str(tmp_path / "mine.toml"), "--out", str(tmp_path), "--workers", "1", "--no-progress"]
    assert main(arguments) == 0
    assert (tmp_path / "mine.toml").read_text() == text
    assert (tmp_path / "mine.experiment.toml").exists()


def test_all_settings_of_an_algorithm_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text('[[algorithms]]\nname = "bts"\nalpha = [0.1, 1.0]\n[[algorithms]]\nname = "uct"\n')
    assert [one.label for one in comparison("d-chain", ["bts"], path).settings] == ["BTS α=0.1", "BTS α=1"]


def test_quick_needs_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "d-chain", "--quick"]) == 2
    assert "--quick: only with an experiment file" in capsys.readouterr().err


def test_rows_can_be_told_apart_and_read_together(tmp_path: Path) -> None:
    """Two budgets, and a job that keeps the root's visits, in one folder."""
    import polars

    for trials in ("100", "200"):
        main(["compare", "d-chain", "--out", str(tmp_path), "--trials", trials, "--repeats", "1", "--no-progress"])
    main(["claims", "C18", "--quick", "--out", str(tmp_path), "--workers", "1", "--no-progress"])
    frame = polars.read_parquet(str(tmp_path / "results" / "*.parquet"))
    assert set(frame["budget"].unique()) >= {100, 200}
    assert frame.select("job", "trials").is_duplicated().sum() == 0


def test_an_edited_problem_is_another_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from boltree.lab import jobs

    monkeypatch.syspath_prepend(str(tmp_path))
    keys = []
    for number in (1, 2):
        (tmp_path / f"edited{number}.py").write_text(
            f"import boltree as bt\n# {number}\nlake = bt.problems.DChain(4)\n"
        )
        keys.append(jobs.jobs_of(comparison(f"edited{number}:lake", repeats=1))[0].row()["source"])
    assert len(set(keys)) == 2
