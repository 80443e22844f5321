"""Network files: what is right is read; what is damaged, foreign or absurd gets a sentence and no harm."""

from __future__ import annotations

import gzip
import re
import struct
import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_networks import made, written, zipped
from networks import network_file

import boltree as bt
from boltree.go.network.file import read_network
from boltree.go.network.layers import Layers, NestedBlock, arrays

PLAIN = {version: written(made(version)) for version in (8, 14)}


def read(folder: Path, data: bytes) -> Layers:
    path = folder / "network.bin.gz"
    path.write_bytes(data)
    return read_network(path)


def refuses(folder: Path, data: bytes, says: str) -> None:
    with pytest.raises(bt.ParameterError, match=says) as caught:
        read(folder, data)
    assert "network.bin.gz" in str(caught.value)


@pytest.mark.parametrize("version", [8, 9, 11, 12, 13, 14])
def test_what_is_written_is_read(version: int, tmp_path: Path) -> None:
    network = made(version, seed=version)
    found = read(tmp_path, zipped(written(network)))
    assert (found.name, found.version, found.multipliers) == (network.name, version, network.multipliers)
    assert (found.blocks, found.channels) == (len(network.trunk.blocks), 8)
    mine, theirs = list(arrays(found)), list(arrays(network))
    assert len(mine) == len(theirs) > 40
    assert all(np.array_equal(one, other) for one, other in zip(mine, theirs, strict=True))
    assert found.parameters == sum(one.size for one in theirs)
    assert found.policy.last.activation == ("relu" if version < 11 else "identity")
    if version >= 11:
        assert isinstance(found.trunk.blocks[2], NestedBlock)
        assert found.trunk.blocks[2].last.activation == "silu"


@pytest.mark.parametrize(
    ("name", "version", "shape", "parameters"),
    [("b6", 8, (6, 96), 1_030_599), ("b15", 8, (15, 192), 9_943_047), ("b18", 14, (18, 384), 26_376_425)],
)
def test_the_networks_that_have_a_name(name: str, version: int, shape: tuple[int, int], parameters: int) -> None:
    network = read_network(network_file(name))
    assert (network.version, network.blocks, network.channels, network.parameters) == (version, *shape, parameters)


def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(bt.ParameterError, match=r"none\.bin\.gz: no such file"):
        read_network(tmp_path / "none.bin.gz")
    with pytest.raises(bt.ParameterError, match="expected a file, found a folder"):
        read_network(tmp_path)


def test_foreign_files(tmp_path: Path) -> None:
    refuses(tmp_path, b"", "expected a gzip file.* found one that begins with b''")
    refuses(tmp_path, b"PK\x03\x04 a wheel", "expected a gzip file")
    refuses(tmp_path, PLAIN[8], "expected a gzip file")
    refuses(tmp_path, zipped(b""), "expected a network's name, found the end of the file")
    refuses(tmp_path, zipped(b"\x00\x01\x02" * 1000), "header: expected a network's name, found b'")
    refuses(tmp_path, zipped(b"a" * 100_000), "expected a network's name, found b'aaaa")
    refuses(tmp_path, zipped(b" " * 100_000), "expected data, found 1000 blanks")
    refuses(tmp_path, zipped(b"some text that is no network"), "expected version = 8 to 14, found 'text'")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (b"made\n8\n", b"made\n15\n", "header: expected version = 8 to 14, found '15'"),
        (b"made\n8\n", b"made\n7\n", "expected version = 8 to 14, found '7'"),
        (b"\n22\n19\n", b"\n22\n18\n", "expected input numbers = 19, found '18'"),
        (b"trunk\n2\n", b"trunk\n0\n", "trunk trunk: expected blocks = 1 to 200, found '0'"),
        (b"trunk\n2\n", b"trunk\n3\n", "expected a kind of block, one of ordinary_block, .* found 'norm'"),
        (b"trunk\n2\n8\n", b"trunk\n2\n9\n", "first convolution conv1: expected output channels = 9, found '8'"),
        (b"conv1\n5\n5\n", b"conv1\n4\n5\n", "conv1: expected a kernel of odd size, found 4x5"),
        (b"conv1\n5\n5\n22\n8\n1\n", b"conv1\n5\n5\n22\n8\n2\n", "conv1: expected dilation = 1, found '2'"),
        (b"ginput\n19\n8\n", b"ginput\n19\n999999999999\n", "expected outputs = 8, found '999999999999'"),
        (b"p1\n1\n1\n8\n5\n", b"p1\n1\n1\n8\n2048\n", "p1: expected 65,536 bytes, found the end of the file"),
        (b"p1\n1\n1\n8\n5\n", b"p1\n9\n9\n8\n-5\n", "p1: expected output channels = 1 to 2048, found '-5'"),
        (b"v2\n18\n9\n@BIN@", b"v2\n18\n9\n0.1 0.2 0.3", "v2: expected @BIN@ and an array, found b'0.1 0'"),
        (b"v2\n18\n9\n", b"v2\n18\n8\n", "value matrix v2: expected an array of 144 numbers, found a longer one"),
        (b"gpool_block", b"dilated_block", "expected a kind of block, .* found 'dilated_block'"),
        (b"0.001", b"nan", "expected epsilon, a number of at least 0, found 'nan'"),
    ],
)
def test_wrong_words_are_named_with_their_place(old: bytes, new: bytes, says: str, tmp_path: Path) -> None:
    assert old in PLAIN[8]
    refuses(tmp_path, zipped(PLAIN[8].replace(old, new, 1)), says)


def test_an_unknown_activation(tmp_path: Path) -> None:
    data = PLAIN[14].replace(b"ACTIVATION_MISH", b"ACTIVATION_GELU", 1)
    refuses(tmp_path, zipped(data), "expected a kind, one of ACTIVATION_IDENTITY, .* found 'ACTIVATION_GELU'")


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_weights_that_are_no_numbers(bad: float, tmp_path: Path) -> None:
    place = PLAIN[8].index(b"ginput\n19\n8\n@BIN@") + len(b"ginput\n19\n8\n@BIN@")
    data = PLAIN[8][:place] + struct.pack("<f", bad) + PLAIN[8][place + 4 :]
    refuses(tmp_path, zipped(data), "first matrix ginput: expected finite weights, found NaN or infinity")


def test_variances_must_be_above_zero(tmp_path: Path) -> None:
    network = made(8)
    norm = replace(network.trunk.norm, variance=np.full(8, -1, np.float32))
    data = written(replace(network, trunk=replace(network.trunk, norm=norm)))
    refuses(tmp_path, zipped(data), r"trunk's batch norm norm: expected variances above 0, found -1\.0")
    norm = replace(norm, epsilon=1e-300, variance=np.zeros(8, np.float32))
    data = written(replace(network, trunk=replace(network.trunk, norm=norm)))
    refuses(tmp_path, zipped(data), "expected a batch norm within the range of float32, found an overflow")


def test_more_data_than_a_network(tmp_path: Path) -> None:
    assert read(tmp_path, zipped(PLAIN[8] + b" \n")).version == 8
    refuses(tmp_path, zipped(PLAIN[8] + b"x"), "after the last layer: expected the end of the file, found more data")
    refuses(tmp_path, zipped(PLAIN[8]) + b"garbage", "after the last layer: expected sound gzip data, found damage")


def test_truncated_everywhere(tmp_path: Path) -> None:
    whole = zipped(PLAIN[14])
    for size in [*range(2, 60), *range(60, len(whole) - 1, 997), len(whole) - 1]:
        refuses(tmp_path, whole[:size], "truncated file|the end of the file")
    for size in range(0, len(PLAIN[14]) - 5, 491):
        refuses(tmp_path, zipped(PLAIN[14][:size]), "expected .* found")


def test_an_absurd_size_takes_no_memory(tmp_path: Path) -> None:
    huge = re.sub(rb"p1\n1\n1\n8\n5\n", b"p1\n9\n9\n8\n2048\n", PLAIN[8])
    word = b"a" * 3_000_000
    for data, says in [(huge, "p1: expected 5,308,416 bytes, found the end of the file after"), (word, "found b'aaa")]:
        packed = zipped(data)
        tracemalloc.start()
        refuses(tmp_path, packed, says)
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
        tracemalloc.stop()
    wide = b"n 8 22 19 trunk 1 2048 1 1 1 1 conv1 9 9 22 2048 1 1 @BIN@" + bytes(4 * 9 * 9 * 22 * 2048)
    matrix = b"\nm 19 2048 @BIN@" + bytes(4 * 19 * 2048)
    norm = b"\nb 2048 0.1 0 0 @BIN@" + bytes(4 * 2048) + b"\n@BIN@" + bytes(4 * 2048) + b"\nact\n"
    absurd = wide + matrix + b"\nordinary_block o" + norm + b"c 3 3 2048 2048 1 1 @BIN@"
    refuses(
        tmp_path, zipped(absurd), "c: expected at most 16,777,216 weights here, 268,435,456 in all, found 37,748,736"
    )


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_damage_is_refused_or_harmless(data: st.DataObject, tmp_path: Path) -> None:
    """Any damage of the words and arrays, and of the gzip file around them: an error of ours, or a sound network."""
    plain = PLAIN[data.draw(st.sampled_from([8, 14]))]
    inside = data.draw(st.booleans(), label="inside")
    damaged = bytearray(plain if inside else zipped(plain))
    for _ in range(data.draw(st.integers(1, 4))):
        place, kind = data.draw(st.integers(0, len(damaged) - 1)), data.draw(st.sampled_from(["put", "cut", "insert"]))
        if kind == "put":
            new = data.draw(st.binary(min_size=1, max_size=6))
            damaged[place : place + len(new)] = new
        elif kind == "cut":
            del damaged[place : place + data.draw(st.integers(1, 50))]
        else:
            damaged[place:place] = data.draw(st.sampled_from([b"@BIN@", b"9", b"\n", b" 99999 ", b"\x00" * 9, b"-"]))
        if not damaged:
            break
    words = zipped(bytes(damaged)) if inside else bytes(damaged)
    network, said = None, ""
    try:
        network = read(tmp_path, words)
    except bt.ParameterError as error:
        said = str(error)
    if network is None:
        assert "network.bin.gz: " in said
        assert len(said) < 600
    else:
        assert all(np.isfinite(array).all() for array in arrays(network))
        assert inside or gzip.decompress(words).rstrip() == plain.rstrip()  # gzip's own sum lets no damage through
