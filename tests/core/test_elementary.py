"""The exponential and the logarithm against NumPy's."""

import numba
import numpy as np
import pytest

from boltree.core.formulas.elementary import exp, log


@numba.njit
def _all(x, e, logs, f):
    for i in range(x.size):
        e[i] = exp(x[i])
        logs[i] = log(f[i])


def test_accuracy():
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.uniform(-700, 700, 200_000), rng.uniform(-1, 1, 200_000)])
    f = np.concatenate([np.exp(rng.uniform(-600, 600, 200_000)), rng.uniform(0.4, 2.5, 200_000)])
    e, logs = np.zeros(x.size), np.zeros(x.size)
    _all(x, e, logs, f)
    epsilon = np.finfo(float).eps
    assert np.abs(e / np.exp(x) - 1).max() < 3 * epsilon
    assert (np.abs(logs - np.log(f)) <= 2 * epsilon * np.abs(np.log(f))).all()


def test_edges():
    x = np.array([0.0, -800.0, -np.inf, 1.0])
    f = np.array([1.0, 0.0, 2.0, np.e])
    e, logs = np.zeros(4), np.zeros(4)
    _all(x, e, logs, f)
    assert e[0] == 1.0
    assert 0.0 <= e[1] < 1e-300
    assert 0.0 <= e[2] < 1e-300
    assert logs[0] == 0.0
    assert np.isfinite(logs[1])
    assert logs[3] == pytest.approx(1.0, abs=1e-15)
