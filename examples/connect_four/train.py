"""Train the network: positions with targets, then Adam; some minutes on one core, seconds with --quick.

python -m examples.connect_four.train --out mine.npz
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from boltree.terminal import HelpFormatter

from .learning import Loss, learn, loss_of
from .network import ConnectFourNetwork
from .positions import Positions, early_positions, late_positions


class Size(NamedTuple):
    """How much there is to learn from."""

    late: int  # positions that are solved
    early: int  # positions that are searched
    trials: int  # of each search
    epochs: int


FULL = Size(late=180_000, early=30_000, trials=1_000, epochs=30)
QUICK = Size(late=4_000, early=500, trials=200, epochs=10)


class Trained(NamedTuple):
    """A network, and its loss on positions that it did not learn from, before and after."""

    network: ConnectFourNetwork
    before: Loss
    after: Loss


def train(size: Size, seed: int = 0, say: Callable[[str], object] = print) -> Trained:
    """Make positions and learn from them; a twentieth as many, of other games, are held out."""
    began = time.perf_counter()

    def tell(what: str) -> None:
        say(f"{time.perf_counter() - began:5.0f} s  {what}")

    learnt, held_out = _positions(size, seed, 1), _positions(size, seed + 1, 20)
    tell(f"{len(learnt):,} positions to learn from, {len(held_out):,} held out")
    network = ConnectFourNetwork.new(seed)
    before = _loss(network, held_out)
    tell(f"before training, on positions held out: {_words(before)}")
    learn(network, learnt, size.epochs, seed)
    after = _loss(network, held_out)
    tell(f"after {size.epochs} epochs: {_words(after)}")
    return Trained(network, before, after)


def _positions(size: Size, seed: int, share: int) -> Positions:
    return late_positions(size.late // share, seed) + early_positions(size.early // share, size.trials, seed)


def _loss(network: ConnectFourNetwork, positions: Positions) -> Loss:
    return loss_of(network.answer(positions.features), positions)


def _words(loss: Loss) -> str:
    return f"policy's cross-entropy {loss.policy:.3f}, value's squared error {loss.value:.3f}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Train as the command line says."""
    parser = argparse.ArgumentParser(description="Train the network.", formatter_class=HelpFormatter)
    parser.add_argument(
        "--out", type=Path, default=Path("connect-four.npz"), metavar="FILE", help="where it is written"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="few positions: to see that it works")
    given = parser.parse_args(arguments)
    if not given.out.parent.is_dir():
        parser.error(f"--out {given.out}: no such folder")
    trained = train(QUICK if given.quick else FULL, given.seed)
    trained.network.save(given.out)
    print(f"{given.out}: {given.out.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
