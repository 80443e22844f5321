"""Minutes of mixed work in one process: memory stays where it is."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import boltree as bt
from mdps import random_mdp
from test_interrupts import Dice, Listed

ROUNDS = int(os.environ.get("BOLTREE_SOAK", "2400"))
"""Of about a quarter of a second each."""
WARM = min(240, ROUNDS // 4)
GROWTH = 0.0125
"""Megabytes that memory may grow by in a round, once warm."""


class Guess:
    """Values and priors of no worth, in batches."""

    def __init__(self, batch: int) -> None:
        self.batch = batch

    def evaluate(self, batch):
        return np.ones((len(batch), 9)), np.zeros(len(batch))


def resident() -> float:
    """Megabytes of this process in memory."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def work(seed: int, folder: Path) -> Iterator[str]:
    """One round of everything; each piece has a name."""
    lake, mdp, game = bt.problems.FrozenLake("8x8"), random_mdp(seed % 7, horizon=6).problem(), bt.problems.TicTacToe()
    for algorithm in (bt.UCT(c=1.0), bt.BTS(alpha=0.3, alias=True), bt.DENTS(), bt.ANTS(), bt.HMCTS(budget=2000)):
        for problem in (lake, mdp):
            search = bt.Search(problem, algorithm, seed=seed)
            search.run(trials=2000)
            search.recommend()
            yield algorithm.name
    search = bt.Search(mdp, bt.UCT(c=1.0), seed=seed, growth="trial", max_nodes=500)
    assert search.run(trials=50_000) in ("memory", "trials")
    yield "full"
    search = bt.Search(lake, bt.DENTS(), seed=seed, growth="trial", max_bytes=1_000_000, on_full="recycle")
    assert search.run(trials=5_000) == "trials"
    yield "recycle"
    for deterministic in (False, True):
        threaded = bt.Search(
            bt.problems.ConnectFour(), bt.UCT(c=1.0), seed=seed, threads=2, deterministic=deterministic
        )
        threaded.run(trials=1500)
        yield "threads"
    search = bt.Search(game, bt.PUCT(noise=0.3), seed=seed)
    for _ in range(4):
        search.run(trials=500)
        search.advance(search.recommend())
    yield "advance"
    search.save(folder / "s")
    loaded = bt.Search.load(folder / "s")
    loaded.run(trials=500)
    (folder / "s").write_bytes((folder / "s").read_bytes()[:-100])
    with pytest.raises(bt.ParameterError):
        bt.Search.load(folder / "s")
    yield "save"
    for python in (Dice(), Listed()):
        bt.Search(python, bt.BTS(), seed=seed, evaluator=0.0).run(trials=1000)
        yield "python"
    bt.solve(Listed())
    bt.solve(mdp)
    yield "solve"
    bt.Search(game, bt.PUCT(), seed=seed, evaluator=Guess(16)).run(trials=1000)
    bt.Search(game, bt.DENTS(), seed=seed, evaluator=Guess(1)).run(trials=200)
    yield "batches"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_stays_where_it_is(tmp_path, capsys):
    pieces, warm = 0, range(WARM, ROUNDS)
    sizes: list[float] = []
    for seed in range(ROUNDS):
        pieces += sum(1 for _ in work(seed, tmp_path))
        if seed in warm:
            sizes.append(resident())
    growth = float(np.polyfit(warm, sizes, 1)[0])
    with capsys.disabled():
        print(
            f"\n{ROUNDS} rounds, {pieces} pieces of work; {sizes[0]:.1f} MB when warm, {sizes[-1]:.1f} MB at the end,"
        )
        print(f"{sizes[-1]:.1f} MB at the end, at most {max(sizes):.1f} MB; {1000 * growth:+.2f} kB a round")
    assert growth < GROWTH
