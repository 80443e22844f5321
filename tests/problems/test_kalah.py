"""Kalah: against a slow ring of pits with names and OpenSpiel, exact values, moves by hand, pictures, errors."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import boltree as bt
from boltree.core.random import new_generator
from boltree.errors import ProblemError
from boltree.problem.state import PlainState
from boltree.problems import Kalah


class Ring:
    """The rules with pits by (player, house), whose last house is the store."""

    def __init__(self, houses: int, seeds: int) -> None:
        self.houses, self.mover = houses, 0
        self.seeds = {(p, h): seeds if h < houses else 0 for p in (0, 1) for h in range(houses + 1)}

    def on_board(self, player: int) -> int:
        return sum(self.seeds[player, h] for h in range(self.houses))

    def open(self) -> list[int]:
        return [h for h in range(self.houses) if self.seeds[self.mover, h]]

    def play(self, house: int) -> tuple[float, bool]:
        me, other, store = self.mover, 1 - self.mover, self.houses
        path = [(me, h) for h in range(store + 1)] + [(other, h) for h in range(store)]  # not the other one's store
        at, hand = path.index((me, house)), self.seeds[me, house]
        self.seeds[me, house] = 0
        for _ in range(hand):
            at = (at + 1) % len(path)
            self.seeds[path[at]] += 1
        player, last = path[at]
        opposite = (other, store - 1 - last)
        if player == me and last < store and self.seeds[me, last] == 1 and self.seeds[opposite]:
            self.seeds[me, store] += 1 + self.seeds[opposite]
            self.seeds[me, last] = self.seeds[opposite] = 0
        if (player, last) != (me, store):
            self.mover = other
        if self.on_board(0) and self.on_board(1):
            return 0.0, False
        lead = sum((1 - 2 * p) * n for (p, _), n in self.seeds.items())
        return float(np.sign(lead)), True

    def pits(self) -> list[int]:
        return [self.seeds[p, h] for p in (0, 1) for h in range(self.houses + 1)]


@pytest.mark.parametrize(("houses", "seeds"), [(6, 4), (6, 20), (3, 1), (2, 7), (1, 3), (4, 6)])
def test_random_games_against_the_slow_ring(compiled: Any, houses: int, seeds: int) -> None:
    game, rng, source = compiled(Kalah(houses, seeds)), new_generator(0), np.random.default_rng(1)
    again = 0
    for _ in range(40):
        ring, state, done = Ring(houses, seeds), game.start(rng), False
        while not done:
            assert state["pits"][0][: 2 * houses + 2].tolist() == ring.pits()
            assert game.player(state) == ring.mover
            assert np.flatnonzero(game.legal(state)).tolist() == ring.open()
            house, mover = int(source.choice(ring.open())), ring.mover
            state, reward, done = game.step(state, house, rng)
            assert (reward, done) == ring.play(house)
            again += mover == ring.mover
    assert again > 0 or houses == 1


def test_random_games_are_those_of_openspiel(checks: Any) -> None:
    """OpenSpiel numbers houses 1 to 6 for one player and 8 to 13 for the other."""
    found = checks.openspiel(Kalah(), "mancala", lambda move: f"house {(int(move) - 1) % 7 + 1}", 200)
    assert set(found) == {1.0, 0.0, -1.0}


@pytest.mark.parametrize(("houses", "seeds"), [(1, 2), (2, 1), (2, 3), (3, 1), (3, 2)])
def test_values_of_small_boards(houses: int, seeds: int) -> None:
    """By bt.solve and by a recursion over the slow ring."""
    known: dict[tuple[int, tuple[int, ...]], float] = {}

    def value(ring: Ring) -> float:
        key = (ring.mover, tuple(ring.pits()))
        if key not in known:
            found = []
            for house in ring.open():
                after = Ring(houses, seeds)
                after.mover, after.seeds = ring.mover, dict(ring.seeds)
                reward, done = after.play(house)
                found.append(reward if done else value(after))
            known[key] = max(found) if ring.mover == 0 else min(found)
        return known[key]

    assert bt.solve(Kalah(houses, seeds, horizon=60)).root_value == value(Ring(houses, seeds))


def test_moves_by_hand(play: Any) -> None:
    """A seed into the own store and another move; a capture; a sowing around the other player's store."""
    first, _, _ = play(Kalah(), [2])[-1]
    assert first["pits"][0].tolist() == [4, 4, 0, 5, 5, 5, 1, 4, 4, 4, 4, 4, 4, 0]
    assert int(first["player"][0]) == 0
    captured, _, _ = play(Kalah(3, 1), [2, 1])[-1]
    assert captured["pits"][0][:8].tolist() == [1, 0, 0, 3, 0, 1, 1, 0]  # the seed that moved, and the one opposite
    around, _, _ = play(Kalah(1, 3), [0])[-1]
    assert around["pits"][0][:4].tolist() == [0, 6, 0, 0]  # own store, opposite, home, where the last one captures


def test_empty_houses_raise(compiled: Any, play: Any) -> None:
    state = play(Kalah(), [2])[-1][0]  # the same player moves again
    for house in (2, 6, 7, 8):
        with pytest.raises(ValueError, match="compiled step raised"):
            compiled(Kalah()).step(state, house, new_generator(0))


def test_plain_python_and_compiled_agree(checks: Any, play: Any) -> None:
    assert checks.episodes(Kalah(), 8) > 150
    assert checks.episodes(Kalah(4, 20), 2) > 20
    checks.recipe(Kalah(3, 5, horizon=30))
    assert checks.solve(Kalah(2, 2, horizon=20)) == bt.solve(Kalah(2, 2, horizon=20)).root_value
    bt.check(Kalah(3, 2))


def test_shown(play: Any) -> None:
    game = Kalah(3, 2)
    found = play(game, [2, 0])
    text = game.show_state(found[1][0][0])
    assert [line.split() for line in text.splitlines()] == [
        ["3", "3", "0"], ["1", "1"], ["2", "2", "0"], ["player", "1", "to", "move"],
    ]  # fmt: skip
    assert game.action_names == ("house 1", "house 2", "house 3")
    scene, state = game.scene(), PlainState(found[0][0])
    assert scene.stones(state) == [".223.", "....1", ".22.."]
    assert scene.place(state, 1) == (0, 2)  # player 1's second house, from the right
    assert scene.place(PlainState(play(Kalah(), [2])[0][0]), 0) == (2, 1)
    over = play(Kalah(1, 2), [0])[-1]
    assert over[2]
    assert Kalah(1, 2).show_state(over[0][0]).endswith("player 1 has won" if over[1] < 0 else "draw")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"houses": 0}, "Kalah: houses=0, must be an integer from 1 to 6"),
        ({"houses": 7}, "Kalah: houses=7, must be an integer from 1 to 6"),
        ({"seeds": 21}, "Kalah: seeds=21, must be an integer from 1 to 20"),
        ({"seeds": 1.5}, "Kalah: seeds=1.5, must be an integer from 1 to 20"),
    ],
)
def test_errors(arguments: Any, message: str) -> None:
    with pytest.raises(ProblemError, match=re.escape(message)):
        Kalah(**arguments)
