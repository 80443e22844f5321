"""``boltree watch``, as a person types it."""

from __future__ import annotations

import re

import pytest
from watched import data_in

import boltree as bt
from boltree.catalogue import problem_named
from boltree.cli.commands import main


def test_watch(tmp_path, capsys):
    path = tmp_path / "new" / "search.html"
    words = ["watch", "frozen-lake-8x8", "--algorithm", "dents", "uct", "ar-bts", "--trials", "200", "--out", str(path)]
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert "DENTS: 200 trials, " in shown
    assert f"Written: {path} (" in shown
    data = data_in(path.read_text())
    assert data["title"] == "Frozen Lake 8x8: DENTS, UCT and AR-BTS"
    assert data["searches"][0]["parameters"] == "α=0.1 ε=1 β=log_decay(1.0)"  # the paper's, for this lake


def test_watch_tells_of_a_chain(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["watch", "d-chain"]) == 0
    shown = capsys.readouterr().out
    assert "DENTS finds the far end. It first reached" in shown
    assert "UCT stalls. In 10,000 trials" in shown
    assert (tmp_path / "search.html").exists()


def test_the_search_without_an_algorithm_is_called_plan(tmp_path, capsys):
    path = tmp_path / "search.html"
    words = ["watch", "frozen-lake", "--algorithm", "plan", "uct", "--trials", "2000", "--out", str(path)]
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert re.search(r"^plan: [\d,]+ trials, [\d,]+ nodes, recommends \w+, value 0.8345, proven$", shown, re.M)
    assert re.search(r"^UCT: 2,000 trials, [\d,]+ nodes, recommends \w+$", shown, re.M)
    data = data_in(path.read_text())
    assert data["title"].endswith(": plan and UCT")
    assert [one["label"] for one in data["searches"]] == ["plan", "UCT"]
    assert data["searches"][0]["parameters"] == "BTS α=spectrum() ε=1 proofs"
    alone = bt.Search(problem_named("frozen-lake"), seed=0)
    alone.run(trials=2_000)
    assert data["searches"][0]["trials"][-1] == alone.trials
    assert main(["watch", "d-chain", "--algorithm", "plan", "--trials", "5", "--out", str(path)]) == 0
    shown = capsys.readouterr().out
    assert re.search(
        r"^plan: 5 trials, \d+ nodes, recommends left, value 0.9 \(surely within 0.9 to \d+\)$", shown, re.M
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["chess"], "problem 'chess': must be one of frozen-lake"),
        (["d-chain", "--algorithm", "minimax"], "algorithm 'minimax': must be one of"),
        (["d-chain", "--parameters", "none.toml"], "none.toml: cannot be read"),
        (["d-chain", "--out", "."], "--out .: is a folder; name a file in it"),
        (
            ["d-chain", "--out", "search.png"],
            "--out search.png: the page is HTML; its name must end in .html, such as search.html",
        ),
        (["d-chain", "--out", "results"], "its name must end in .html, such as results/search.html"),
        (["d-chain", "--algorithm", "plan", "Plan"], "--algorithm plan Plan: plan stands there twice"),
        (["frozen_lake"], "or module:object; did you mean frozen-lake?"),
        (["d-chain", "--algorithm", "dnets"], "; did you mean DENTS?"),
        (["d-chain", "--out", "/proc/none/search.html"], "--out /proc/none/search.html: cannot be written to"),
    ],
)
def test_mistakes(words, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["watch", *words]) == 2
    assert message in capsys.readouterr().err


def test_pages_are_saved_as_html(tmp_path):
    search = bt.Search(bt.problems.DChain(3), bt.UCT(), seed=0, growth="trial")
    page = search.watch(trials=10)
    with pytest.raises(bt.ParameterError, match=r"x.png: the page is HTML; its name must end in .html"):
        page.save(tmp_path / "x.png")
    assert list(tmp_path.iterdir()) == []
    assert page.save(tmp_path / "new" / "x.HTML").exists()


def test_help_has_an_example(capsys):
    with pytest.raises(SystemExit):
        main(["watch", "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    assert "examples: boltree watch frozen-lake --algorithm dents uct --out search.html; boltree watch " in shown
    assert "--algorithm plan uct" in shown
