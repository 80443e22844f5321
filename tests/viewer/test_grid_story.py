"""What is said of a grid is what the numbers say."""

from __future__ import annotations

import numpy as np
import pytest
from watched import both, data_in

import boltree as bt
from boltree.viewer.recording import record
from boltree.viewer.story import story

LAKE = ("SFFF", "FHFH", "FFFH", "HFFG")


def test_the_numbers_are_those_of_the_searches():
    searches = both(bt.problems.FrozenLake(LAKE, horizon=20), bt.BTS(alpha=0.1), bt.Uniform())
    recordings = record(searches, 3_000)
    said = story(recordings)
    best = 0.99**6
    assert said["intro"] == f"A grid of 4 x 4 cells. The best policy is worth {best:.4g}, exactly, from where the " \
        "searches begin."  # fmt: skip
    for search, recording, one in zip(searches, recordings, said["searches"], strict=True):
        assert recording.optimum == pytest.approx(best)
        worth, text = bt.value_of(search), " ".join(one["sentences"])
        wanted = "recommends what is best" if worth == pytest.approx(best) else f"is {best - worth:.4g} below the best"
        assert one["verdict"] == f"{one['label']} {wanted}"
        assert f"What it recommends is worth {worth:.4g}, exactly, and the best {best:.4g}; " in text
        assert f"its own estimate of the root is {search.root.value:.4g}." in text
        seen = search.survey()
        cells = np.bincount([search.problem.as_state(search.node_at(i).state)["cell"] for i in range(search.size)],
                            seen.visits)  # fmt: skip
        assert f"It came to {(cells > 0).sum()} of the 16 cells;" in text
        most = np.cumsum(np.sort(cells)[::-1])
        half = int((most < most[-1] / 2).sum()) + 1
        assert f"lie in {half} of them" in text


def test_when_the_estimate_came_near():
    [search] = both(bt.problems.FrozenLake(LAKE, horizon=20), bt.BTS(alpha=0.1))
    [recording] = record([search], 3_000)
    near = [abs(moment.value - 0.99**6) <= 0.1 * 0.99**6 for moment in recording.moments]
    first = next(t for i, t in enumerate(recording.trials) if all(near[i:]))
    assert near[-1]
    assert (
        f"within a tenth of the optimum from trial {first:,} on." in story([recording])["searches"][0]["sentences"][1]
    )
    [early] = record(both(bt.problems.FrozenLake(), bt.BTS(alpha=0.1)), 20)
    assert "off by more than a tenth of the optimum." in story([early])["searches"][0]["sentences"][1]


class Field(bt.PythonProblem):
    """Too many states to be solved for a page."""

    actions, horizon, deterministic = 2, 5_000, True

    def start(self, rng):
        return 0, 0

    def step(self, state, action, rng):
        return (state[0] + action, state[1] + 1), 0.0, False

    def scene(self):
        return bt.Grid(rows=1, columns=3, cell=lambda state: (0, min(state[0], 2)), letters=[". ."])


def test_without_exact_values():
    [search] = both(Field(), bt.UCT(), growth="leaf")
    data = data_in(bt.watch(search, 50).html)
    [said] = data["said"]["searches"]
    assert data["searches"][0]["optimum"] is None
    assert data["said"]["intro"] == "A grid of 1 x 3 cells."
    assert said["verdict"] == f"UCT recommends {search.recommend()}"
    assert "of the 2 cells" in said["sentences"][-1]
