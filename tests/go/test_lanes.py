"""Several threads ask a GPU at the same time, and each gets its own answers."""

from __future__ import annotations

import importlib.util
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from made_networks import made
from networks import random_inputs
from plain_network import forward

from boltree.go.network.answers import BANNED, OPPONENT, OWN
from boltree.go.network.graph import graph_of
from boltree.go.network.network import masked_softmax


def gpu_backend() -> Any:
    if importlib.util.find_spec("torch") is None:
        pytest.skip("PyTorch is not installed: pip install 'boltree[torch]'")
    import torch

    from boltree.go.network.torch import TorchBackend

    if not torch.cuda.is_available():
        pytest.skip("there is no GPU that PyTorch sees")
    return TorchBackend(graph_of(made(14)))


def worst_answer(backend: Any, layers: Any, spatial: Any, numbers: Any) -> float:
    """How far the priors and values of K positions are from those of the plain network."""
    count, points = len(spatial), spatial.shape[-1] ** 2
    worth = np.where(np.arange(count) % 2, 1.0, -1.0).astype(np.float32)
    rows = np.concatenate((spatial.reshape(count, -1), numbers, worth[:, None]), 1)
    policy, value = forward(layers, spatial, numbers)[:2]
    legal = np.ones((count, points + 1), np.bool_)
    legal[:, :points] = spatial[:, (OWN, OPPONENT, BANNED)].sum(1).reshape(count, points) == 0
    expected = masked_softmax(policy, legal), np.tanh((value[:, 0] - value[:, 1]) / 2) * worth
    found = np.empty((count, points + 1)), np.empty(count)
    assert backend.judge_rows(rows, spatial.shape[-1], *found)
    return max(float(np.abs(one - other).max()) for one, other in zip(found, expected, strict=True))


@pytest.mark.parametrize("prepared", [False, True])
def test_each_thread_gets_its_own_answers(prepared: bool) -> None:
    backend, layers = gpu_backend(), made(14)
    if prepared:
        backend.prepare(9, 40)

    def check(number: int) -> float:
        spatial, numbers = random_inputs(1 + number % 40, 9, seed=number)
        return max(worst_answer(backend, layers, spatial, numbers) for _ in range(10))

    with ThreadPoolExecutor(12) as threads:
        assert max(threads.map(check, range(120))) < 1e-3


def test_planes_that_are_not_bytes_go_another_way() -> None:
    backend, layers = gpu_backend(), made(14)
    spatial, numbers = random_inputs(3, 9)
    spatial[1, 2] = 0.5
    found, expected = backend.run(spatial, numbers), forward(layers, spatial, numbers)
    for one, other in zip(found, expected, strict=True):
        assert np.abs(one - other).max() < 1e-3


def test_one_network_answers_while_others_get_ready() -> None:
    backends, layers = [gpu_backend() for _ in range(3)], made(14)
    spatial, numbers = random_inputs(20, 9, seed=1)
    with ThreadPoolExecutor(2) as threads:
        ready = [threads.submit(backend.prepare, 9, 128) for backend in backends[1:]]
        while not all(one.done() for one in ready):
            assert worst_answer(backends[0], layers, spatial, numbers) < 1e-3
        for one in ready:
            one.result()
