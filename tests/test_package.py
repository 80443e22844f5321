"""What stands around the code says the same: versions, names, files."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import boltree as bt
from boltree.cli.commands import main

ROOT = Path(__file__).resolve().parents[1]


def test_one_version_everywhere(capsys):
    assert f"\nversion: {bt.__version__}\n" in (ROOT / "CITATION.cff").read_text()
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest is not None
    assert newest.group(1) == bt.__version__
    with pytest.raises(SystemExit) as done:
        main(["--version"])
    assert done.value.code == 0
    assert capsys.readouterr().out == f"boltree {bt.__version__}\n"
    said = subprocess.run([sys.executable, "-m", "boltree", "--version"], capture_output=True, text=True, check=True)
    assert said.stdout == f"boltree {bt.__version__}\n"
    minor = bt.__version__.rpartition(".")[0]
    assert f"The newest minor release, {minor} at present" in (ROOT / "SECURITY.md").read_text()


def test_the_paper_is_cited():
    cited = (ROOT / "CITATION.cff").read_text().partition("preferred-citation:")[2]
    assert "title: Monte Carlo Tree Search With Boltzmann Exploration" in cited
    assert re.findall(r"family-names: (\w+)", cited) == ["Painter", "Baioumy", "Hawes", "Lacerda"]


def test_loading_a_search_unpickles_nothing():
    """As SECURITY.md says."""
    for name in ("save", "archive"):
        code = (ROOT / "src" / "boltree" / "search" / f"{name}.py").read_text()
        assert not re.search(r"pickle|np\.load|eval\(|exec\(|import_module", code), name


def test_one_list_of_pythons():
    """Classifiers, the matrix and the hosted machines name the same ones; the oldest libraries are the lower bounds."""
    project, nox = (ROOT / "pyproject.toml").read_text(), (ROOT / "noxfile.py").read_text()
    hosted = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    classified = re.findall(r"Python :: (3\.\d+)\"", project)
    assert re.findall(r"\"(3\.\d+)\"", re.search(r"^PYTHONS = (.*)$", nox, re.MULTILINE).group(1)) == classified
    assert re.findall(r"\"(3\.\d+)\"", re.search(r"python: (\[.*\])$", hosted, re.MULTILINE).group(1)) == classified
    assert f'requires-python = ">={classified[0]}"' in project
    oldest = re.search(r"^OLDEST = (.*)$", nox, re.MULTILINE).group(1)
    for name, bound in re.findall(r"\"(numpy|numba)>=([\d.]+)\"", project):
        assert re.search(rf"\"{name}=={re.escape(bound)}(\.0)*\"", oldest), name


def test_hosted_machines_run_sessions_that_there_are():
    nox, hosted = (ROOT / "noxfile.py").read_text(), (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    sessions = re.findall(r"^def (\w+)\(session: nox.Session\)", nox, re.MULTILINE)
    for name in re.findall(r"session: ([\w.-]+)", hosted):
        assert name.partition("-")[0] in sessions, name
