"""Frozen Lake: moves and payments by hand, optimal values, maps that are wrong."""

from __future__ import annotations

from typing import Any

import pytest

from boltree.core.random import new_generator
from boltree.errors import ProblemError
from boltree.problems import FrozenLake
from boltree.problems.frozen_lake import MAPS

SMALL = ("SFH", "FFG")


def test_moves_walls_and_time(play: Any) -> None:
    lake = FrozenLake(SMALL)
    left, down, right, up = range(4)
    found = play(lake, [left, up, down, down, up, right, left, right, down, right])
    assert [int(state["cell"][0]) for state, _, _ in found] == [0, 0, 3, 3, 0, 1, 0, 1, 4, 5]
    assert [int(state["t"][0]) for state, _, _ in found] == list(range(1, 11))
    assert [(reward, done) for _, reward, done in found] == [(0.0, False)] * 9 + [(0.99**10, True)]


def test_the_right_edge_keeps_you_in_place(play: Any) -> None:
    found = play(FrozenLake(("SF", "GF")), [2, 2, 1, 2, 3, 3, 0])
    assert [int(state["cell"][0]) for state, _, _ in found] == [1, 1, 3, 3, 1, 1, 0]


def test_a_hole_ends_with_nothing(play: Any) -> None:
    assert play(FrozenLake(SMALL), [2, 2])[-1][1:] == (0.0, True)


@pytest.mark.parametrize(("name", "steps"), [("8x8", 14), ("8x12", 18), ("8x12-test", 18)])
def test_optimal_values_of_the_papers_maps(checks: Any, name: str, steps: int) -> None:
    assert checks.solve(FrozenLake(name)) == pytest.approx(0.99**steps, abs=1e-12)


def test_the_papers_maps_have_their_sizes() -> None:
    assert {name: (len(rows), {len(row) for row in rows}) for name, rows in MAPS.items()} == {
        "8x8": (8, {8}),
        "8x12": (8, {12}),
        "8x12-test": (8, {12}),
    }
    # holes per row, counted in the paper's figures
    assert [row.count("H") for row in MAPS["8x8"]] == [1, 0, 2, 2, 1, 3, 1, 0]
    assert [row.count("H") for row in MAPS["8x12"]] == [2, 1, 2, 2, 2, 2, 4, 2]
    assert [row.count("H") for row in MAPS["8x12-test"]] == [2, 0, 2, 2, 0, 2, 2, 0]


def test_time_may_go_beyond_the_horizon(compiled: Any) -> None:
    lake = FrozenLake(SMALL, horizon=5)
    for t, paid in ((4, 0.99**5), (5, 0.99**6), (700, 0.99**701), (65535, 0.99**65535)):
        state = lake.new_state()
        state[0] = lake.as_state((4, t))
        to, reward, done = compiled(lake).step(state, 2, new_generator(0))
        assert reward == pytest.approx(paid, rel=1e-12)
        assert done
        assert compiled(lake).outcomes(state, 2)[0][1:] == (1.0, reward, True)
        assert to["t"][0] == min(t + 1, 65535)


@pytest.mark.parametrize("given", ["8x8", "8x12", "8x12-test", SMALL, "SFH\nFFG"])
def test_plain_python_and_compiled_agree(checks: Any, given: Any) -> None:
    assert checks.episodes(FrozenLake(given), 10) > 10
    checks.recipe(FrozenLake(given, horizon=30))


def test_ways_to_give_a_map() -> None:
    expected = FrozenLake(list(SMALL)).recipe()
    assert expected == {"map": ["SFH", "FFG"], "horizon": 100}
    assert FrozenLake("SFH\nFFG").recipe() == expected
    assert FrozenLake("\n   SFH\n   FFG\n").recipe() == expected
    assert FrozenLake("FSFG").plain_params.start == 1
    assert FrozenLake().recipe() == {"map": "8x12-test", "horizon": 100}
    assert FrozenLake.state.layout().itemsize == 4


def test_shown() -> None:
    assert FrozenLake(SMALL).show_state((3, 7)) == "SFH\n*FG\nt=7"
    assert FrozenLake().action_name(1) == "down"


ALLOWED = "must be '8x8', '8x12', '8x12-test', or rows of the letters S, F, H, G"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("9x9", f"FrozenLake: map='9x9', {ALLOWED}"),
        (7, f"FrozenLake: map=7, {ALLOWED}"),
        (["SG", 3], f"FrozenLake: map=['SG', 3], {ALLOWED}"),
        ([], f"FrozenLake: map=[] is empty, {ALLOWED}"),
        ("", f"FrozenLake: map='' is empty, {ALLOWED}"),
        ([""], f"FrozenLake: map=[''] is empty, {ALLOWED}"),
        (["SFF", "FXG"], "FrozenLake: map row 2, column 2 is 'X', must be S, F, H or G"),
        ("SFF\nFFg", "FrozenLake: map row 2, column 3 is 'g', must be S, F, H or G"),
        (["SFF", "FG"], "FrozenLake: map row 2 is 'FG' with 2 letters, must have 3 like row 1"),
        (["FF", "FG"], "FrozenLake: map must have exactly one S, it has none"),
        (["SF", "SG"], "FrozenLake: map must have exactly one S, it has 2 (row 1, column 1; row 2, column 1)"),
        (["SF", "FF"], "FrozenLake: map must have at least one G, it has none"),
        (["S" + "F" * 65534 + "G"], "FrozenLake: map has 65536 cells, must have at most 65535"),
    ],
)
def test_maps_that_are_wrong(given: Any, message: str) -> None:
    with pytest.raises(ProblemError) as error:
        FrozenLake(given)
    assert str(error.value) == message


def test_horizon_that_is_wrong() -> None:
    with pytest.raises(ProblemError, match="FrozenLake: horizon=70000, must be an integer from 1 to 65535"):
        FrozenLake(horizon=70000)
