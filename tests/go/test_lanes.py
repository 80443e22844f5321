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

from boltree.go.network_graph import graph_of


def gpu_backend() -> Any:
    if importlib.util.find_spec("torch") is None:
        pytest.skip("PyTorch is not installed: pip install 'boltree[torch]'")
    import torch

    from boltree.go.network_torch import TorchBackend

    if not torch.cuda.is_available():
        pytest.skip("there is no GPU that PyTorch sees")
    return TorchBackend(graph_of(made(14)))


@pytest.mark.parametrize("prepared", [False, True])
def test_each_thread_gets_its_own_answers(prepared: bool) -> None:
    backend, layers = gpu_backend(), made(14)
    if prepared:
        backend.prepare(9, 40)

    def check(number: int) -> float:
        spatial, numbers = random_inputs(1 + number % 40, 9, seed=number)
        rows = np.concatenate((spatial.reshape(len(spatial), -1), numbers), 1)
        expected, worst = forward(layers, spatial, numbers), 0.0
        for _ in range(10):
            policy, value = backend.run_rows(rows, 9)
            worst = max(
                worst, *(np.abs(one - other).max() for one, other in zip((policy, value), expected[:2], strict=True))
            )
        return float(worst)

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
    rows, expected = np.concatenate((spatial.reshape(20, -1), numbers), 1), forward(layers, spatial, numbers)
    with ThreadPoolExecutor(2) as threads:
        ready = [threads.submit(backend.prepare, 9, 128) for backend in backends[1:]]
        while not all(one.done() for one in ready):
            for one, other in zip(backends[0].run_rows(rows, 9), expected[:2], strict=True):
                assert np.abs(one - other).max() < 1e-3
        for one in ready:
            one.result()
