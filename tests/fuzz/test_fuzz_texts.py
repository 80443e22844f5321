"""Texts and files of others: experiment files, games in SGF, networks, GTP."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

import boltree as bt
from boltree.go import Game
from boltree.lab.files import read_experiment, read_parameters
from fuzzing import fuzz, in_batches

GOOD = """
name = "lake"
problem = ["frozen-lake", "DChain(6)"]
trials = 100
evaluate_every = 10
repeats = 2
seed = 1
growth = "trial"
root = true
[quick]
repeats = 1
[[algorithms]]
name = "dents"
alpha = [0.1, 1.0]
beta = "log_decay(alpha)"
[[algorithms]]
name = "uct"
label = "plain"
c = 2.0
"""
VALUES = [
    "0", "-1", "1e400", "nan", "inf", "true", '""', '"a"', "[]", "[[]]", "{}", "[1, 'a']", "9" * 400, '"../../x"',
    '"os:system"', '"DChain(10**9)"', '"DChain(__import__(\\"os\\"))"', "1979-05-27", '"log_decay(0)"', "'''\n'''",
    "[0.1, 0.1]", "0x7fffffffffffffffffff", '"dents"', "[" * 2000 + "]" * 2000, '"frozen-lake(map=\\"S\\")"',
]  # fmt: skip


@in_batches(80)
def test_experiment_files(tmp_path, batches):
    """Good files with something changed: an experiment, or a ParameterError that names the file."""
    path = tmp_path / "e.toml"

    def check(data):
        lines = GOOD.splitlines()
        for _ in range(data.draw(st.integers(1, 3))):
            k = data.draw(st.integers(1, len(lines) - 1))
            kind = data.draw(st.sampled_from(["value", "drop", "twice", "text", "letter"]))
            if kind == "value":
                lines[k] = f"{lines[k].split('=')[0]}= {data.draw(st.sampled_from(VALUES))}"
            elif kind == "drop":
                lines[k] = ""
            elif kind == "twice":
                lines.insert(k, lines[data.draw(st.integers(1, len(lines) - 1))])
            elif kind == "text":
                lines[k] = data.draw(st.text(max_size=20))
            else:
                at = data.draw(st.integers(0, len(lines[k])))
                lines[k] = lines[k][:at] + data.draw(st.characters()) + lines[k][at + 1 :]
        path.write_bytes("\n".join(lines).encode("utf-8", "surrogatepass"))
        for read in (read_experiment, read_parameters):
            try:
                read(path)
            except bt.ParameterError as error:
                assert str(path) in str(error)  # noqa: PT017

    fuzz(check, st.data(), batches)


SGF = "(;GM[1]FF[4]SZ[9]KM[5.5]RU[Chinese]HA[2]PL[W]AB[gc][cg]AW[aa];W[ee];B[tt](;W[dd]C[so\\]so];B[dc])(;W[aa]))"
PIECES = [
    "(", ")", ";", "[", "]", "\\", "B[aa]", "W[]", "AB[aa:ii]", "AE[gc]", "SZ[0]", "SZ[19:5]", "KM[nan]", "KM[1e999]",
    "SZ[99999999999]", "PL[X]", "RU[]", "CA[utf-8]", "CA[nonsense]", "CA[utf-7]", "B[zz]", "HA[-1]", "\x00", "é",
]  # fmt: skip


@in_batches(40)
def test_games_in_sgf(batches):
    """A game, or a ParameterError; as text and as bytes."""
    pytest.importorskip("sgfmill")

    def check(data):
        text = SGF
        for _ in range(data.draw(st.integers(1, 4))):
            at = data.draw(st.integers(0, len(text)))
            cut = data.draw(st.integers(0, 6))
            text = text[:at] + data.draw(st.sampled_from(PIECES) | st.text(max_size=4)) + text[at + cut :]
        given: Any = text
        if data.draw(st.booleans()):
            given = text.encode("utf-8", "surrogatepass")
            if data.draw(st.booleans()):
                at = data.draw(st.integers(0, len(given)))
                given = given[:at] + data.draw(st.binary(max_size=5)) + given[at:]
        try:
            game = Game.from_sgf(given)
        except bt.ParameterError:
            return
        again = Game.from_sgf(game.to_sgf())
        assert (again.moves, again.movers, again.setup) == (game.moves, game.movers, game.setup)

    fuzz(check, st.data(), batches)


@pytest.mark.parametrize("deep", [10_000, 200_000])
def test_games_that_are_too_deep(deep):
    """Brackets within brackets are read or refused; a game longer than games can be is refused."""
    pytest.importorskip("sgfmill")
    with contextlib.suppress(bt.ParameterError):
        Game.from_sgf("(;" * deep + ")" * deep)
    for text in ("(;SZ[5]" + ";B[]" * deep + ")", "(;C[" + "\\" * deep):
        with pytest.raises(bt.ParameterError):
            Game.from_sgf(text)


@in_batches(60)
def test_records_that_gtp_loads(tmp_path, batches):
    """``loadsgf`` with any file answers in the form of GTP, and the engine goes on."""
    pytest.importorskip("sgfmill")
    from boltree.go.gtp.protocol import Gtp
    from boltree.go.player import Limit, SearchPlayer
    from boltree.go.settings import go_setting

    said: list[str] = []
    player = SearchPlayer(go_setting("uct").algorithm(), evaluator="rollout", seed=0)
    gtp = Gtp(player, Limit(trials=2), size=5, komi=0.5, write=said.append)
    path: Path = tmp_path / "game.sgf"

    def check(content):
        path.write_bytes(content)
        said.clear()
        gtp.hear(f"5 loadsgf {path}")
        answer = "".join(said)
        assert answer.startswith(("=5", "?5"))
        assert "internal error" not in answer
        assert answer.endswith("\n\n")

    start = st.sampled_from([b"", b"(;", b"(;SZ[9]", SGF.encode(), SGF.encode()[:60]])
    fuzz(check, st.builds(lambda a, b: a + b, start, st.binary(max_size=30)), batches)
