"""Fetching networks: what pip brings is checked before it gets a name; every failure is a sentence."""

from __future__ import annotations

import hashlib
import importlib.util
import io
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from made_networks import made, written, zipped

import boltree as bt
from boltree.go.network import cache as network_cache
from boltree.go.network.cache import KNOWN, fetch_network, find_network, keep_network
from boltree.go.network.command import add_network

DATA = zipped(written(made(8)))


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and a small network in b15's place."""
    monkeypatch.setattr(network_cache, "cache_folder", lambda: tmp_path / "cache" / "machine-code")
    small = replace(KNOWN["b15"], size=len(DATA), sha256=hashlib.sha256(DATA).hexdigest())
    monkeypatch.setitem(KNOWN, "b15", small)
    return tmp_path / "cache" / "networks"


class Pip:
    """Stands for pip: writes a wheel, and counts its calls."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, data: bytes | None, file: str = KNOWN["b15"].file) -> None:
        self.calls: list[list[str]] = []
        self.data, self.file = data, file
        monkeypatch.setattr(subprocess, "run", self.run)

    def run(self, command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
        self.calls.append(command)
        if self.data is None:
            said = "WARNING: Retrying\nERROR: Could not find a version\nERROR: No matching distribution found\n"
            return subprocess.CompletedProcess(command, 1, "", said)
        wheel = Path(command[command.index("--dest") + 1]) / "KaTrain-1.10.1-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr(f"katrain/models/{self.file}", self.data)
        return subprocess.CompletedProcess(command, 0, "", "")


def test_a_network_is_fetched_once(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pip = Pip(monkeypatch, DATA)
    with pytest.raises(bt.ParameterError, match="b15: not fetched yet; run boltree network get b15"):
        find_network("b15")
    path = fetch_network("b15")
    assert path == find_network("b15") == cache / KNOWN["b15"].file
    assert path.read_bytes() == DATA
    assert fetch_network("b15") == path
    assert len(pip.calls) == 1
    assert pip.calls[0][:4] == [sys.executable, "-m", "pip", "download"]
    assert {"--no-deps", "katrain==1.10.1"} < set(pip.calls[0])
    assert [one.name for one in cache.iterdir()] == [path.name]


def test_a_damaged_one_is_fetched_again(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pip = Pip(monkeypatch, DATA)
    fetch_network("b15").write_bytes(DATA[:-1])
    assert fetch_network("b15").read_bytes() == DATA
    assert len(pip.calls) == 2


@pytest.mark.parametrize(
    ("data", "found"), [(DATA[:-1] + b"x", hashlib.sha256(DATA[:-1] + b"x").hexdigest()), (DATA + b"x", "another size"),
                        (DATA[:-1], "another size")], ids=["changed", "longer", "shorter"],
)  # fmt: skip
def test_a_wrong_hash_is_not_kept(data: bytes, found: str, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Pip(monkeypatch, data)
    with pytest.raises(bt.ParameterError, match=rf"KaTrain-1\.10\.1.*expected .* sha256 .*, found {found}"):
        fetch_network("b15")
    assert not list(cache.iterdir())


def test_a_wheel_without_the_network(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Pip(monkeypatch, DATA, file="other.bin.gz")
    with pytest.raises(bt.ParameterError, match=r"whl: expected katrain/models/g170e-b15.* in it, found none"):
        fetch_network("b15")
    assert not list(cache.glob("*"))


def test_an_endless_file_is_not_written_to_its_end(cache: Path) -> None:
    class Endless(io.RawIOBase):
        pieces = 0

        def read(self, size: int = -1) -> bytes:
            self.pieces += 1
            assert self.pieces < 10
            return bytes(size)

    with pytest.raises(bt.ParameterError, match=r"wheel: .* found another size"):
        network_cache._store(Endless(), KNOWN["b15"], "wheel")  # type: ignore[arg-type]
    assert not list(cache.iterdir())


def test_offline_and_without_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    Pip(monkeypatch, None)
    with pytest.raises(bt.ParameterError, match=r"pip could not download it \(ERROR: No matching distribution found\)"):
        fetch_network("b15")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(bt.ParameterError, match=r"katrain==1\.10\.1: pip is missing; run .* -m ensurepip"):
        fetch_network("b15")


def test_an_unwritable_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> Path:
        raise OSError("no writable cache folder")

    monkeypatch.setattr(network_cache, "cache_folder", nowhere)
    with pytest.raises(bt.ParameterError, match="no folder for networks: no writable cache folder; set BOLTREE_CACHE"):
        fetch_network("b15")


def command(*words: str) -> int:
    """The command as the command line calls it."""
    import argparse

    parser = argparse.ArgumentParser()
    add_network(parser.add_subparsers())
    options = parser.parse_args(["network", *words])
    return int(options.call(options))


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    Pip(monkeypatch, DATA)
    assert command("list") == 0
    assert "b15: run boltree network get b15" in capsys.readouterr().out
    assert command("get", "b15") == 0
    out = capsys.readouterr().out
    assert "Fetching katrain==1.10.1 with pip" in out
    assert "made: version 8, 2 blocks, 8 channels, " in out
    assert command("list") == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("b15"))
    assert line.endswith(" yes")
    with pytest.raises(bt.ParameterError, match="b6: no package carries it; if you have g170-b6c96"):
        command("get", "b6")


def test_a_path_is_kept_if_it_has_a_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.bin.gz"
    path.write_bytes(DATA)
    assert command("get", str(path)) == 0
    assert "Kept: " in capsys.readouterr().out
    assert find_network("b15").read_bytes() == DATA
    path.write_bytes(zipped(written(made(8, seed=1))))
    with pytest.raises(bt.ParameterError, match="none of b6, b15, b18, so it is not kept; use it by its path"):
        keep_network(path)
    path.write_bytes(b"text")
    with pytest.raises(bt.ParameterError, match="expected a gzip file"):
        command("get", str(path))
