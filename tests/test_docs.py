"""The pages of docs/: their examples run and are right, the site builds without a warning, and links lead somewhere."""

from __future__ import annotations

import ast
import itertools
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from inspect import ismodule
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import boltree as bt
from boltree.cli.commands import main
from boltree.lab.files import read_experiment
from pages import ROOT, blocks_of, run

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.md"))


@pytest.mark.parametrize("page", [page for page in PAGES if blocks_of(page, "python")], ids=lambda page: page.stem)
def test_examples(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    left_out = []
    for block in blocks_of(page, "python"):
        if missing := block.missing():
            left_out.append(f"line {block.line} needs {', '.join(missing)}")
        else:
            run(block, names)
    if left_out:
        pytest.skip("; ".join(left_out))


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: page.stem)
def test_commands_and_their_options_are_there(page, capsys):
    helps: dict[str, str] = {}
    for block in blocks_of(page, "bash"):
        if block.missing():
            continue
        for line in block.code.replace("\\\n", " ").splitlines():
            found = re.search(r"(?:^|/)boltree (\w+(?: (?:get|list|speed)\b)?)(.*)", line)
            if not found:
                continue
            command = found[1]
            if command not in helps:
                with pytest.raises(SystemExit) as ended:
                    main([*command.split(), "--help"])
                assert ended.value.code == 0, f"{page.name}: boltree {command}"
                helps[command] = capsys.readouterr().out
            for option in re.findall(r" (--[a-z-]+)", re.sub(r'"[^"]*"', "", found[2])):
                assert option in helps[command], f"{page.name}: boltree {command} has no {option}"


@pytest.mark.parametrize("page", [page for page in PAGES if blocks_of(page, "toml")], ids=lambda page: page.stem)
def test_experiment_files(page, tmp_path):
    for block in blocks_of(page, "toml"):
        path = tmp_path / "experiment.toml"
        path.write_text(block.code)
        assert read_experiment(path).settings


class _Page(HTMLParser):
    """What a page links to, and the places on it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(path.read_text())

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if given.get("id"):
            self.places.add(given["id"])
        for name in ("href", "src"):
            if given.get(name):
                self.links.append(given[name])


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "-d", folder / "trees"]
    done = subprocess.run([*command, DOCS, folder / "html"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "html"


def test_the_site_builds_and_its_links_lead_somewhere(site):
    pages = {path: _Page(path) for path in site.glob("*.html")}
    assert {page.stem for page in PAGES} <= {path.stem for path in pages}
    lost = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or link == "#":
                continue
            target = path.parent / unquote(parts.path) if parts.path else path
            there = target.is_file()
            if there and parts.fragment and target in pages:
                there = unquote(parts.fragment) in pages[target].places
            if not there:
                lost.append(f"{path.name}: {link}")
    assert not lost


def test_pages_need_nothing_from_elsewhere(site):
    for path in site.glob("*.html"):
        assert not re.findall(r'<(?:script|img|link[^>]*stylesheet)[^>]*="https?:[^"]*"', path.read_text()), path.name


def test_every_export_and_every_command_is_described(site, capsys):
    described = _Page(site / "api.html").places
    exports = [f"boltree.{name}" for name in bt.__all__ if not ismodule(getattr(bt, name))]
    exports += [f"boltree.problems.{name}" for name in bt.problems.__all__]
    exports += [f"boltree.go.{name}" for name in bt.go.__all__]
    assert [name for name in exports if name not in described] == []
    with pytest.raises(SystemExit):
        main(["--help"])
    commands = re.findall(r"^    ([a-z]+) ", capsys.readouterr().out, re.MULTILINE)
    assert [name for name in commands if name not in _Page(site / "cli.html").places] == []


def documented(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The docstrings of properties and of classes' attributes, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            names = {getattr(one, "id", getattr(one, "attr", "")) for one in node.decorator_list}
            if names & {"property", "cached_property"}:
                yield node.lineno, ast.get_docstring(node) or ""
        elif isinstance(node, ast.ClassDef):
            for before, after in itertools.pairwise(node.body):
                if isinstance(before, (ast.AnnAssign, ast.Assign)) and isinstance(after, ast.Expr):
                    if isinstance(after.value, ast.Constant) and isinstance(after.value.value, str):
                        yield after.lineno, after.value.value


def test_no_docstring_is_read_as_a_type():
    """Sphinx takes what stands before a colon in the first line of a property's docstring for its type."""
    wrong, seen = [], 0
    for path in sorted((ROOT / "src").rglob("*.py")):
        for line, text in documented(ast.parse(path.read_text(encoding="utf-8"))):
            seen += 1
            if ":" in re.sub(r"``.+?``", "", text.strip().partition("\n")[0]):
                wrong.append(f"{path.name}:{line}: {text}")
    assert seen > 100
    assert not wrong
