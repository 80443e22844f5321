"""The README's Python runs and is right."""

from __future__ import annotations

import re

import pytest

import boltree as bt
from boltree.cli.commands import main
from boltree.lab.files import read_experiment
from pages import ROOT, blocks_of, run

README = ROOT / "README.md"


@pytest.mark.parametrize("block", blocks_of(README, "python"), ids=lambda block: f"line {block.line}")
def test_examples(block, capsys, tmp_path, monkeypatch):
    names: dict[str, object] = {}
    monkeypatch.chdir(tmp_path)
    if missing := block.missing():
        pytest.skip(f"needs {', '.join(missing)}")
    if "from_gymnasium" in block.code:
        pytest.importorskip("gymnasium", reason="pip install 'boltree[gym]'")
    if "read_parquet" in block.code:
        pytest.importorskip("polars", reason="reading results needs polars: pip install 'boltree[lab]'")
        short = ["--trials", "100", "--repeats", "1", "--workers", "1", "--no-progress"]
        assert main(["compare", "d-chain", "--out", "results", *short]) == 0
    run(block, names)
    if "value_of(search)" in block.code:
        search = names["search"]
        assert round(bt.value_of(search), 2) == 0.74
        assert round(bt.simple_regret(search), 2) == 0.09


@pytest.mark.parametrize("block", blocks_of(README, "toml"), ids=lambda block: f"line {block.line}")
def test_experiment_files(block, tmp_path):
    path = tmp_path / "experiment.toml"
    path.write_text(block.code)
    found = read_experiment(path)
    assert [one.label for one in found.settings] == ["DENTS α=0.1", "DENTS α=1", "UCT"]


def test_every_command_is_in_the_readme(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    for command in re.findall(r"^    ([a-z]+) ", capsys.readouterr().out, re.MULTILINE):
        assert f"boltree {command}" in README.read_text(), command


def test_commands_are_the_ones_ci_runs():
    text = README.read_text()
    assert "\n./test\n" in text
    assert "\n./test\n" in (README.parent / ".ci" / "run").read_text()
