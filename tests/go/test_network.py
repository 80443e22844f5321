"""Networks: the graph against a plain forward pass, backends against each other, and what the numbers mean."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_networks import made, written, zipped
from networks import network_file, random_inputs
from plain_network import forward

import boltree as bt
from boltree.go.network.file import read_network
from boltree.go.network.graph import Outputs, graph_of
from boltree.go.network.layers import Layers
from boltree.go.network.network import Backend, Network, load_network, masked_softmax
from boltree.go.network.onnx import OnnxBackend
from golden import golden

NO_TORCH = importlib.util.find_spec("torch") is None


def agree(found: Outputs, expected: tuple[Any, ...], within: float) -> None:
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == np.float32
        assert one.shape == other.shape
        assert (np.abs(one - other) / (1 + np.abs(other))).max() < within


def check_against_plain(layers: Layers, backend: Backend, size: int, within: float) -> None:
    spatial, numbers = random_inputs(3, size, seed=size)
    agree(backend.run(spatial, numbers), forward(layers, spatial, numbers), within)


@pytest.mark.parametrize("size", [9, 19])
def test_b6_equals_the_plain_pass(size: int) -> None:
    layers = read_network(network_file("b6"))
    check_against_plain(layers, OnnxBackend(graph_of(layers), threads=1), size, 1e-5)


@pytest.mark.parametrize("version", [8, 11, 14])
@pytest.mark.parametrize("size", [5, 9, 19])
def test_made_networks_equal_the_plain_pass(version: int, size: int, tmp_path: Path) -> None:
    path = tmp_path / "made.bin.gz"
    path.write_bytes(zipped(written(made(version, seed=version))))
    layers = read_network(path)
    check_against_plain(layers, OnnxBackend(graph_of(layers), threads=1), size, 1e-5)


def test_large_numbers_do_not_overflow() -> None:
    layers = made(14)
    spatial, numbers = random_inputs(1, 9)
    found = OnnxBackend(graph_of(layers), threads=1).run(100 * spatial, -100 * numbers)
    agree(found, forward(layers, 100 * spatial, -100 * numbers), 1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["b15", "b18"])
def test_large_networks_equal_the_plain_pass(name: str) -> None:
    layers = read_network(network_file(name))
    check_against_plain(layers, OnnxBackend(graph_of(layers)), 9, 1e-4)


@pytest.mark.skipif(NO_TORCH, reason="PyTorch is not installed: pip install 'boltree[torch]'")
@pytest.mark.parametrize("version", [8, 14])
def test_torch_equals_the_plain_pass(version: int) -> None:
    from boltree.go.network.torch import TorchBackend

    layers = made(version, seed=version)
    for size in (9, 13):
        check_against_plain(layers, TorchBackend(graph_of(layers), device="cpu"), size, 1e-5)


@pytest.mark.skipif(NO_TORCH, reason="PyTorch is not installed: pip install 'boltree[torch]'")
def test_torch_equals_onnxruntime_on_b6() -> None:
    path = network_file("b6")
    spatial, numbers = random_inputs(4, 9)
    one = load_network(path, "torch", device="cpu").run(spatial, numbers)
    agree(one, load_network(path, "onnx", threads=1).run(spatial, numbers), 1e-5)


@pytest.mark.skipif(NO_TORCH, reason="PyTorch is not installed: pip install 'boltree[torch]'")
@pytest.mark.parametrize("half", [False, True])
def test_a_gpu_equals_the_plain_pass(half: bool) -> None:
    import torch

    from boltree.go.network.torch import TorchBackend

    if not torch.cuda.is_available():
        pytest.skip("there is no GPU that PyTorch sees")
    layers = made(14)
    check_against_plain(layers, TorchBackend(graph_of(layers), half=half), 9, 0.03 if half else 1e-4)


@pytest.mark.parametrize("size", [9, 19])
def test_the_empty_board_is_katagos(size: int) -> None:
    """The one position whose inputs need no board: Black to move, Tromp-Taylor rules, komi 7.5."""
    answer = golden(size)[0]
    assert answer.moves == ()
    spatial, numbers = np.zeros((1, 22, size, size), np.float32), np.zeros((1, 19), np.float32)
    spatial[0, 0] = 1
    numbers[0, [5, 6, 7, 8, 18]] = [-answer.komi / 20, 1, 0.5, 1, -0.5]
    found = load_network(network_file("b6"), "onnx", threads=1).judge(spatial, numbers, answer.legal[None])
    assert found.win[0] == pytest.approx(1 - answer.white_win, abs=1e-5)
    assert found.value[0] == pytest.approx(1 - 2 * answer.white_win, abs=2e-5)
    assert found.lead[0] == pytest.approx(-answer.white_lead, abs=1e-3)
    assert np.abs(found.policy[0] - answer.policy).max() < 1e-5
    assert np.abs(found.ownership[0] + answer.white_ownership).max() < 1e-4


def test_a_batch_equals_its_positions() -> None:
    backend = OnnxBackend(graph_of(made(14)), threads=1)
    spatial, numbers = random_inputs(5, 7)
    together = backend.run(spatial, numbers)
    for i in range(5):
        agree(backend.run(spatial[i : i + 1], numbers[i : i + 1]), tuple(part[i : i + 1] for part in together), 1e-6)


class Fixed:
    """A backend that gives the same outputs always."""

    name = "fixed"

    def __init__(self, out: Outputs) -> None:
        self.out = out

    def run(self, spatial: Any, globals_: Any) -> Outputs:
        return self.out


def outputs(**changed: Any) -> Outputs:
    policy, value = np.zeros((1, 5), np.float32), np.array([[1.0, 0.0, 50.0]], np.float32)
    score = np.array([[0.5, 0, 2.0, 0, 0, 0]], np.float32)
    return Outputs(policy, value, score, np.full((1, 2, 2), -0.5, np.float32))._replace(**changed)


def test_what_the_numbers_mean() -> None:
    found = Network(made(14), Fixed(outputs())).judge(*random_inputs(1, 2))
    win = np.e / (np.e + 1)  # no result is dropped, however likely
    assert found.win[0] == pytest.approx(win)
    assert found.value[0] == pytest.approx(win - (1 - win))
    assert (found.lead[0], found.score[0]) == (2 * 24, 0.5 * 22)  # the file's own multipliers
    assert found.ownership.ravel() == pytest.approx(np.tanh(-0.5))
    assert found.policy[0] == pytest.approx(np.full(5, 0.2))
    assert Network(made(8), Fixed(outputs())).judge(*random_inputs(1, 2)).lead[0] == 2 * 20


def test_illegal_moves_get_nothing() -> None:
    legal = np.array([[True, False, True, False], [True, True, True, True]])
    found = masked_softmax(np.array([[0, 1000, np.log(3), 0], [5, 5, 5, 5]], np.float32), legal)
    assert found == pytest.approx(np.array([[0.25, 0, 0.75, 0], [0.25, 0.25, 0.25, 0.25]]))
    assert (found[~legal] == 0).all()
    with pytest.raises(bt.ParameterError, match="legal: a row without a legal move"):
        masked_softmax(np.zeros((1, 2), np.float32), np.zeros((1, 2), np.bool_))
    with pytest.raises(bt.ParameterError, match=r"legal: bool of shape \(1, 3\), must be bool of \(1, 2\)"):
        masked_softmax(np.zeros((1, 2), np.float32), np.ones((1, 3), np.bool_))


def test_wrong_inputs_are_named() -> None:
    network = Network(made(8), Fixed(outputs()))
    spatial, numbers = random_inputs(2, 9)
    for bad in (spatial[:, :21], spatial[..., :8], spatial[0], spatial[:0]):
        with pytest.raises(bt.ParameterError, match=r"spatial: shape .* must be \(K, 22, n, n\)"):
            network.run(bad, numbers)
    with pytest.raises(bt.ParameterError, match=r"globals_: shape \(1, 19\), must be \(2, 19\)"):
        network.run(spatial, numbers[:1])
    broken = Network(made(8), Fixed(outputs(value=np.full((1, 3), np.nan, np.float32))))
    with pytest.raises(bt.ParameterError, match="the outputs are not finite"):
        broken.judge(spatial, numbers)


def test_loading(tmp_path: Path) -> None:
    path = tmp_path / "made.bin.gz"
    path.write_bytes(zipped(written(made(14))))
    network = load_network(str(path), "onnx", threads=2)
    assert (network.name, network.version, network.blocks, network.channels) == ("made", 14, 3, 8)
    assert repr(network) == "Network(made, version 14, b3c8, onnxruntime)"
    for options, says in [
        ({"backend": "tensorflow"}, "backend='tensorflow', must be one of auto, onnx, torch"),
        ({"threads": 0}, "threads=0, must be at least 1"),
        ({"backend": "onnx", "half": True}, "only with backend='torch'"),
    ]:
        with pytest.raises(bt.ParameterError, match=says):
            load_network(path, **options)  # type: ignore[arg-type]
    with pytest.raises(
        bt.ParameterError, match="no such file, and no network of that name; the names are b6, b15, b18"
    ):
        load_network("b7")


def test_auto_is_onnxruntime_where_there_is_no_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "made.bin.gz"
    path.write_bytes(zipped(written(made(8))))
    monkeypatch.setattr("boltree.go.network.network._sees_gpu", lambda: False)
    assert load_network(path).backend == "onnxruntime"
