"""The README's Python runs and is right."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import boltree as bt
from boltree.cli import main
from boltree.lab.files import read_experiment

README = Path(__file__).parents[1] / "README.md"


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL))
def test_examples(code, capsys, tmp_path, monkeypatch):
    names: dict[str, object] = {}
    monkeypatch.chdir(tmp_path)
    if "from_gymnasium" in code:
        pytest.importorskip("gymnasium", reason="pip install 'boltree[gym]'")
    if "read_parquet" in code:
        pytest.importorskip("polars", reason="reading results needs polars: pip install 'boltree[lab]'")
        short = ["--trials", "100", "--repeats", "1", "--workers", "1", "--no-progress"]
        assert main(["compare", "d-chain", "--out", "results", *short]) == 0
    exec(compile(code, "README.md", "exec"), names)
    if "-> 1 (down)" in code:
        search = names["search"]
        assert search.recommend() == 1  # type: ignore[attr-defined]
        assert round(bt.value_of(search), 2) == 0.76
        assert round(bt.simple_regret(search), 2) == 0.07


@pytest.mark.parametrize("text", re.findall(r"```toml\n(.*?)```", README.read_text(), re.DOTALL))
def test_experiment_files(text, tmp_path):
    path = tmp_path / "experiment.toml"
    path.write_text(text)
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
