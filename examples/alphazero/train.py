"""Learn Connect Four from nothing by self-play, as AlphaZero does, in ten minutes on two cores.

pip install torch
python -m examples.alphazero.train --minutes 10
"""

from __future__ import annotations

import argparse
import time
from collections import deque
from typing import Any

import numpy as np
import torch
from torch import nn

import boltree as bt

from .self_play import Samples, self_play

GAME = bt.problems.ConnectFour()
KEPT = 12
"""Rounds of self-play that are learnt from."""


class Network(nn.Module):
    """Two convolutions and two dense layers: logits of the columns, and the mover's value."""

    values, gives_prior, batch = "mover", True, 8  # what a search asks of an evaluator

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(4, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 32, 3, padding=1), nn.ReLU(),
            nn.Flatten(), nn.Linear(32 * 42, 128), nn.ReLU(),
        )  # fmt: skip
        self.policy, self.value = nn.Linear(128, 7), nn.Linear(128, 1)
        self.optimiser = torch.optim.Adam(self.parameters(), lr=2e-3, weight_decay=1e-4)

    def forward(self, features: Any) -> Any:
        hidden = self.body(features)
        return self.policy(hidden), torch.tanh(self.value(hidden)).squeeze(1)

    @torch.inference_mode()  # type: ignore[untyped-decorator, unused-ignore]
    def evaluate(self, features: Any) -> tuple[Any, Any]:
        """What a search asks: priors and values of some positions."""
        logits, values = self(torch.from_numpy(np.array(features)))
        return torch.softmax(logits, 1).numpy(), values.numpy()

    def learn(self, samples: Samples, steps: int, size: int = 256) -> float:
        """Take some steps on random batches, half of them seen in a mirror; the mean loss."""
        features, policies, results = (torch.from_numpy(np.asarray(part, np.float32)) for part in samples)
        losses = []
        for _ in range(steps):
            chosen = torch.randint(len(results), (size,))
            seen, wanted = features[chosen], policies[chosen]
            if torch.rand(()) < 0.5:
                seen, wanted = seen.flip(3), wanted.flip(1)
            logits, values = self(seen)
            loss = nn.functional.cross_entropy(logits, wanted) + nn.functional.mse_loss(values, results[chosen])
            self.optimiser.zero_grad()
            loss.backward()
            self.optimiser.step()
            losses.append(loss.item())
        return float(np.mean(losses))


def score(network: Network, games: int, trials: int) -> bt.Evaluation:
    """Games against UCT with rollouts and as many trials."""
    ours = bt.Planner(bt.PUCT(c=1.5), trials=trials, evaluator=network)
    return bt.evaluate(GAME, ours, opponent=bt.UCT(), trials=trials, episodes=games)


def main() -> None:
    """Score, learn, score again."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--minutes", type=float, default=10.0)
    options.add_argument("--games", type=int, default=128, help="of a round of self-play")
    options.add_argument("--trials", type=int, default=48, help="before each move of self-play")
    options.add_argument("--matches", type=int, default=100, help="games that score a network")
    given = options.parse_args()
    torch.manual_seed(0)
    network, rounds = Network(), deque[Samples](maxlen=KEPT)
    print(f"before: {score(network, given.matches, 100)}")
    began, number = time.monotonic(), 0
    while time.monotonic() - began < 60.0 * given.minutes:
        rounds.append(self_play(GAME, network, given.games, given.trials, seed=number))
        samples = Samples(*map(np.concatenate, zip(*rounds, strict=True)))
        loss = network.learn(samples, steps=64)
        number += 1
        print(
            f"{time.monotonic() - began:4.0f} s, round {number}: {len(rounds[-1].results)} positions, loss {loss:.3f}"
        )
    print(f"after: {score(network, given.matches, 100)}")


if __name__ == "__main__":
    main()
