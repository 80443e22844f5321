"""Four numbers at a time: each operation gives the bits of the same one on single numbers, and of plain Python."""

import numba
import numpy as np

from boltree.core import lanes
from boltree.core.formulas.elementary import exp, log
from boltree.core.lanes import (
    LANES,
    all_lanes,
    count_up_to,
    first_lanes,
    fused,
    greater,
    highest_of,
    root_of,
    running_sums,
    sum_of,
)
from boltree.core.memory.views import put_weight_lanes, visit_lanes, weight_lanes, weights_of
from test_fast_paths import planted

NUMBERS = np.random.default_rng(0).normal(size=(500, LANES)) * 10.0


@numba.njit
def _of_each(handle, found, sums):
    tree = handle[0]
    x = weight_lanes(tree, 0)
    for row, one in enumerate(
        (
            exp(x),
            log(x * x),
            fused(x, x, 0.1),
            fused(2.0, x, x),
            greater(x, 0.3),
            root_of(x * x),
            1.0 / x - x,
            first_lanes(x, 3, 7.0),
            running_sums(x),
            all_lanes(x_of(tree)),
        )
    ):
        put_weight_lanes(tree, LANES, one)
        for lane in range(LANES):
            found[row, lane] = weights_of(tree)[LANES + lane]
    sums[0], sums[1], sums[2] = sum_of(x), highest_of(x), count_up_to(x, 0.5)


@numba.njit
def x_of(tree):
    return weights_of(tree)[0]


@numba.njit
def _of_one(x, found):
    found[0], found[1] = exp(x), log(x * x)
    found[2], found[3] = fused(x, x, 0.1), fused(2.0, x, x)
    found[4] = greater(x, 0.3)


def test_lanes_are_single_numbers_and_plain_python():
    storage = planted(2 * LANES)
    weights, found, sums, one = storage.scratch["weights"], np.zeros((10, LANES)), np.zeros(3), np.zeros(5)
    for x in NUMBERS:
        weights[:LANES] = x
        _of_each(storage.record, found, sums)
        for lane in range(LANES):
            _of_one(x[lane], one)
            assert (found[:5, lane] == one).all()
        assert (found[2] == lanes.plain_fused(x, x, 0.1)).all()
        assert (found[3] == lanes.plain_fused(2.0, x, x)).all()
        assert (found[4] == np.maximum(x, 0.3)).all()
        assert (found[5] == np.sqrt(x * x)).all()
        assert (found[6] == 1.0 / x - x).all()
        assert found[7].tolist() == lanes.plain_first(x, 3, 7.0).tolist() == [*x[:3], 7.0]
        assert (found[8] == lanes.plain_running(x)).all()
        assert np.allclose(found[8], np.cumsum(x), rtol=1e-12, atol=1e-12)
        assert (found[9] == x[0]).all()
        assert sums.tolist() == [lanes.plain_sum(x), x.max(), (x <= 0.5).sum()]


@numba.njit
def _visits(handle, first, n, found):
    tree = handle[0]
    put_weight_lanes(tree, 0, visit_lanes(tree, node_block(tree), first, n))
    for lane in range(LANES):
        found[lane] = weights_of(tree)[lane]


@numba.njit
def node_block(tree):
    return 1


def test_lanes_beyond_the_last_row_repeat_it():
    storage, found = planted(6), np.zeros(LANES)
    storage.edges["visits"][1:7] = [5, 6, 7, 8, 9, 10]
    storage.edges["visits"][7:12] = 99
    _visits(storage.record, 0, 6, found)
    assert found.tolist() == [5, 6, 7, 8]
    _visits(storage.record, 4, 6, found)
    assert found.tolist() == [9, 10, 10, 10]
