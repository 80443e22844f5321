"""The problems whose state is hidden: consistency, rules by hand, numbers that are exact or that others published."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import boltree as bt
from boltree.core.native import plain_call
from boltree.core.random import new_generator
from boltree.errors import ProblemError
from boltree.problem import check as checking
from boltree.problem.state import PlainState
from boltree.problems import LaserTag, LightDark, Pocman, RockSample, SubHunt, Tag, Tiger, VDPTag

MAKERS: dict[str, Any] = {
    "Tiger": Tiger,
    "Tiger, ends": lambda: Tiger(ends=True),
    "RockSample": RockSample,
    "RockSample, preferred": lambda: RockSample(11, 11, rollout="preferred"),
    "Tag": Tag,
    "Tag, preferred": lambda: Tag(rollout="preferred"),
    "LaserTag": LaserTag,
    "LaserTag, preferred": lambda: LaserTag(rollout="preferred"),
    "Pocman": Pocman,
    "Pocman, preferred": lambda: Pocman(rollout="preferred"),
    "LightDark": LightDark,
    "SubHunt": SubHunt,
    "VDPTag": VDPTag,
}


@pytest.mark.parametrize("name", MAKERS)
def test_sound(name: str, checks: Any, monkeypatch: Any) -> None:
    problem = MAKERS[name]()
    monkeypatch.setattr(checking, "SECONDS", 0.25)
    bt.check(problem)
    checks.recipe(problem)
    assert problem.show_state(problem.start_state(0))
    assert "hidden state" in str(problem)


@pytest.mark.parametrize(
    ("name", "state", "action"),
    [("Tag", (5, 8, 5, 0), 1), ("Tag", (5, 15, 5, 0), 4), ("SubHunt", (10, 10, 11, 9, 2, 1), 5), ("Tiger", (0,), 1)],
)
def test_steps_are_drawn_as_outcomes_say(checks: Any, name: str, state: Any, action: int) -> None:
    problem = MAKERS[name]()
    before = np.asarray(problem.as_state(state)).reshape(1)
    checks.distribution(problem, before, action)


@pytest.mark.parametrize("name", ["Tiger", "RockSample", "Tag", "LaserTag", "LightDark", "SubHunt"])
def test_start_states_are_what_start_draws(name: str) -> None:
    problem = MAKERS[name]()
    listed = {problem.as_state(state).tobytes(): chance for chance, state in problem.start_states()}
    assert sum(listed.values()) == pytest.approx(1.0)
    rng = new_generator(0)
    drawn = [problem.plain_start(rng).tobytes() for _ in range(2_000)]
    assert set(drawn) <= set(listed)
    for state, chance in list(listed.items())[:50]:
        assert abs(drawn.count(state) - 2_000 * chance) <= 6.0 * math.sqrt(2_000 * chance) + 1.0


# RockSample


@pytest.mark.parametrize(("size", "rocks", "value"), [(7, 8, 7.350919), (11, 11, 5.987369), (15, 15, 4.876750)])
def test_rock_sample_always_east(play: Any, size: int, rocks: int, value: float) -> None:
    found = play(RockSample(size, rocks), [1] * size)
    assert [done for _, _, done in found] == [False] * (size - 1) + [True]
    assert sum(0.95**i * reward for i, (_, reward, _) in enumerate(found)) == pytest.approx(value, abs=1e-6)


def test_rock_sample_usual_places() -> None:
    assert RockSample(15, 15).recipe()["start"] == [0, 7]
    assert [tuple(rock) for rock in RockSample(15, 15).recipe()["rocks"]] == [
        (1, 13), (10, 12), (10, 8), (12, 1), (1, 9), (7, 2), (4, 5), (1, 8), (6, 0), (1, 7), (8, 11), (9, 12), (5, 2),
        (13, 2), (10, 7),
    ]  # fmt: skip
    assert [tuple(rock) for rock in RockSample(7, 8).recipe()["rocks"]] == [
        (2, 0), (0, 1), (3, 1), (6, 3), (2, 4), (3, 4), (5, 5), (1, 6),
    ]  # fmt: skip
    assert RockSample(7, 8, layout=1).recipe() != RockSample(7, 8, layout=2).recipe()
    assert RockSample(7, 8, layout=1).recipe() == RockSample(7, 8, layout=1).recipe()


def test_rock_sample_checks_are_right_as_often_as_they_say() -> None:
    problem = RockSample(11, [(0, 0)])
    right = problem.plain_params.right[0]
    assert right[0] == 1.0
    assert right[1] == pytest.approx(0.98297, abs=1e-5)
    assert right[3 * 11 + 4] == pytest.approx(0.92045, abs=1e-5)
    assert right[8 * 11 + 6] == pytest.approx(0.85355, abs=1e-5)


class SeenRockSample(RockSample):
    """The same with nothing hidden."""

    observation = None  # type: ignore[assignment]
    observe = observation_probability = perturb = None  # type: ignore[assignment]


def known_value(problem: Any, horizon: int) -> float:
    """The mean over starts of what the problem is worth to one who sees the state.

    Only good rocks that are left count, so one model, in which all are good, has them all.
    """
    rocks, p = problem.actions - 5, problem.plain_params
    none = np.zeros(32, np.int8)

    def state(collected: int) -> Any:
        return problem.as_state((2**rocks - 1, collected, p.start, 0, none, none))

    settle = 4 * p.size * rocks  # after so many steps every set of rocks can be left, with the robot at its start
    solution = bt.solve(problem, state=state(0), horizon=horizon + settle)
    return float(np.mean([solution.value(state(left), settle) for left in range(2**rocks)]))


@pytest.mark.parametrize(
    ("size", "rocks", "value"), [(2, [(1, 0)], 13.549375), (3, [(1, 0), (2, 2)], 16.568292)], ids=str
)
def test_rock_sample_seen(size: int, rocks: Any, value: float) -> None:
    assert known_value(SeenRockSample(size, rocks, start=(0, 1)), 300) == pytest.approx(value, abs=1e-6)


@pytest.mark.slow
def test_rock_sample_7_8_seen() -> None:
    assert known_value(SeenRockSample(7, 8), 300) == pytest.approx(28.504800, abs=1e-6)


def test_rock_sample_preferred_actions() -> None:
    problem = RockSample(7, 8, rollout="preferred")
    none = np.zeros(32, np.int8)

    def drawn(x: int, y: int, tally: dict[int, int], collected: int = 0) -> set[str]:
        counts, checks = none.copy(), none.copy()
        for rock, sign in tally.items():
            counts[rock], checks[rock] = sign, abs(sign)
        state, rng = problem.as_state((0, collected, 7 * y + x, 0, counts, checks)), new_generator(0)
        return {problem.action_names[problem.plain_random_action(PlainState(state), rng)] for _ in range(300)}

    assert drawn(2, 0, {0: 1}) == {"sample"}  # it lies there and looks good
    assert drawn(2, 0, dict.fromkeys(range(8), -1)) == {"east"}  # all look bad
    open_checks = {f"check {i}" for i in (0, *range(2, 8))}
    bad, worse = dict.fromkeys(range(8), -1), dict.fromkeys(range(8), -2)
    assert drawn(2, 0, bad | {1: 2}) == {"north", "west"} | open_checks
    assert drawn(2, 2, worse | {1: 2}) == {"south", "west"}
    assert drawn(0, 1, worse, collected=0b11111111) == {"east"}


def test_rock_sample_counts_checks() -> None:
    problem, rng = RockSample(7, 8, rollout="preferred"), new_generator(0)
    state = np.asarray(problem.as_state(problem.start_states()[0b10][1])).reshape(1)  # rock 1, at (0, 1), is good
    tally = 0
    for checks in range(1, 21):
        before = state.copy()
        assert problem.plain_step(PlainState(state), 6, rng) == (0.0, False)
        seen = int(problem.plain_observe(before[0], 6, state[0], rng)["number"])
        tally += {1: 1, 2: -1}[seen]
        assert (state["tally"][0, 1], state["checks"][0, 1]) == (tally, checks)
        assert problem.plain_observation_probability(problem.as_observation(seen), before[0], 6, state[0]) == 1.0
    assert tally > 10  # right with probability 0.97 from (0, 3)
    state["cell"] = 7
    problem.plain_step(PlainState(state), 6, rng)
    assert (state["tally"][0, 1], state["checks"][0, 1]) == (tally + 1, 26)  # nothing is open any more
    assert not state["tally"][0, [0, 2, 3]].any()
    assert problem.plain_step(PlainState(state), 4, rng) == (10.0, False)
    assert problem.legal_actions(state[0]) == [0, 1, 2, 5, *range(7, 13)]  # collected: neither sampled nor checked


def test_rock_sample_refuses() -> None:
    with pytest.raises(ProblemError, match=r"rocks\[1\]=\(1, 0\), must lie alone, and rocks\[0\] lies there"):
        RockSample(3, [(1, 0), (1, 0)])
    with pytest.raises(ProblemError, match=r"RockSample: rocks\[0\]\[1\]=3, must be an integer from 0 to 2"):
        RockSample(3, [(1, 3)])
    with pytest.raises(ProblemError, match=r"RockSample: rollout='best', must be 'legal' or 'preferred'"):
        RockSample(rollout="best")  # type: ignore[arg-type]
    with pytest.raises(ProblemError, match=r"distance=0.0, must be greater than 0"):
        RockSample(distance=0.0)


# Tag


def listed(problem: Any, states: Any) -> tuple[Any, Any]:
    """(S, A, S) probabilities of going on and (S, A) mean rewards, from what the problem lists."""
    number = {problem.as_state(state).tobytes(): i for i, state in enumerate(states)}
    chances, rewards = (np.zeros((len(states), problem.actions, *rest)) for rest in ((len(states),), ()))
    for i, given in enumerate(states):
        before = np.asarray(problem.as_state(given)).reshape(1)
        for action in problem.legal_actions(before[0]):
            for k in range(problem.plain_count_outcomes(PlainState(before.copy()), action)):
                after = before.copy()
                chance, reward, done = problem.plain_outcome(PlainState(after), action, k)
                rewards[i, action] += chance * reward
                if not done and chance > 0.0:
                    chances[i, action, number[after.tobytes()]] += chance
    return chances, rewards


class PlainTag(Tag):
    """Tag whose state is the two cells, for tables."""

    @staticmethod
    def outcomes(params: Any, state: Any, action: Any, k: Any) -> Any:
        result = Tag.outcomes(params, state, action, k)
        state.last, state.met = 5, 0
        return result


@pytest.fixture(scope="module")
def tag_values() -> tuple[Any, Any]:
    """The value of every pair of cells where all is seen, and of every action, by value iteration."""
    problem = PlainTag()
    chances, rewards = listed(problem, [state for _, state in problem.start_states()])
    value = np.zeros(29 * 29)
    for _ in range(400):
        q = rewards + 0.95 * (chances @ value)
        value = q.max(axis=1)
    return chances, q


def test_tag_seen(tag_values: Any) -> None:
    assert tag_values[1].max(axis=1).mean() == pytest.approx(2.154262, abs=1e-6)


def episodes(problem: Any, policy: Any, runs: int) -> tuple[float, float]:
    """The mean discounted return of a policy and its standard error, by the compiled functions.

    The policy is an object with `begin()`, `action()` and `see(action, observation's record)`.
    """
    address = {name: problem.address(name) for name in ("start", "step", "observe")}
    rng, out, seen = new_generator(1), np.zeros(64), np.zeros(1, problem.observation_layout())
    returns = []
    for _ in range(runs):
        state = problem.new_state()
        plain_call(address["start"], (problem.params_at, state.ctypes.data, rng.ctypes.data))
        policy.begin()
        total, weight = 0.0, 1.0
        for _ in range(problem.horizon):
            action, before = int(policy.action()), state.copy()
            task = (problem.params_at, state.ctypes.data, action, rng.ctypes.data, out.ctypes.data)
            assert plain_call(address["step"], task) == 0
            total += weight * out[0]
            weight *= problem.discount
            if out[1]:
                break
            task = (problem.params_at, before.ctypes.data, action, state.ctypes.data, rng.ctypes.data, seen.ctypes.data)
            assert plain_call(address["observe"], task) == 0
            policy.see(action, seen[0])
        returns.append(total)
    return float(np.mean(returns)), float(np.std(returns, ddof=1) / math.sqrt(runs))


def agree(found: tuple[float, float], value: float, error: float) -> bool:
    """Whether two means agree within four standard errors of their difference."""
    return abs(found[0] - value) <= 4.0 * math.hypot(found[1], error)


class QMDP:
    """The action that is best on average, were all to be seen from the next step on; with the exact belief."""

    def __init__(self, start: Any, chances: Any, q: Any, likelihood: Any) -> None:
        self._start, self._chances, self._q, self._likelihood = start, chances, q, likelihood

    def begin(self) -> None:
        self.belief = self._start

    def action(self) -> int:
        return int(np.argmax(self.belief @ self._q))

    def see(self, action: int, seen: Any) -> None:
        self.belief = (self.belief @ self._chances[:, action]) * self._likelihood(action, seen)
        self.belief /= self.belief.sum()


@pytest.mark.slow
def test_tag_of_qmdp(tag_values: Any) -> None:
    chances, q = tag_values
    robot, opponent = np.divmod(np.arange(29 * 29), 29)
    perceived = np.where(robot == opponent, 29, robot)
    policy = QMDP(np.full(29 * 29, 29.0**-2), chances, q, lambda _, seen: perceived == seen["number"])
    assert agree(episodes(Tag(), policy, 300), -16.53, 0.13)


def cells(problem: Tag) -> dict[tuple[int, int], int]:
    """The number of the cell at (x, y)."""
    p = problem.plain_params
    return {(int(x), int(y)): i for i, (x, y) in enumerate(zip(p.x, p.y, strict=True))}


def test_tag_by_hand(play: Any) -> None:
    problem = Tag()
    cell = cells(problem)

    def followers(robot: Any, opponent: Any, action: int) -> dict[Any, float]:
        found: dict[Any, float] = {}
        for k in range(5):
            state = np.asarray(problem.as_state((cell[robot], cell[opponent], 5, 0))).reshape(1)
            chance, reward, done = problem.plain_outcome(PlainState(state), action, k)
            assert (reward, done) == ((-10.0 if action == 4 else -1.0), False)
            place = next(key for key, i in cell.items() if i == state["opponent"][0])
            found[place] = found.get(place, 0.0) + chance
        return {key: pytest.approx(chance) for key, chance in found.items() if chance > 0.0}

    assert followers((0, 0), (5, 1), 1) == {(6, 1): 0.4, (5, 2): 0.4, (5, 1): 0.2}
    assert followers((5, 0), (5, 1), 1) == {(6, 1): 0.2, (4, 1): 0.2, (5, 2): 0.4, (5, 1): 0.2}  # from where it was
    assert followers((0, 0), (9, 0), 4) == {(9, 0): 0.8, (9, 1): 0.2}
    assert followers((0, 1), (0, 1), 3) == {(0, 1): 0.6, (1, 1): 0.2, (0, 0): 0.2}  # it stays at the west wall
    caught = np.asarray(problem.as_state((3, 3, 5, 0))).reshape(1)
    assert problem.plain_outcome(PlainState(caught), 4, 0) == (1.0, 10.0, True)


# LaserTag


def test_laser_tag_beams() -> None:
    problem = LaserTag([(3, 3)])
    cell = cells(problem)
    state = problem.as_state((cell[1, 3], cell[4, 6], 5, 0))
    # north, north-east, east, south-east, south, south-west, west, north-west
    true = [4, 3 * 2**0.5, 2, 4 * 2**0.5, 4, 2 * 2**0.5, 2, 2 * 2**0.5]

    def phi(z: float) -> float:
        return 0.5 * (1.0 + math.erf(z / 2**0.5))

    def chance(j: int, d: float) -> float:
        return 2.0 * (phi((min(d, j + 1) - d) / 2.5) - (phi((j - d) / 2.5) if j else 0.0)) if j < d else 0.0

    for beams in ([3, 4, 1, 5, 3, 2, 1, 2], [0] * 8, [2, 1, 0, 4, 0, 1, 1, 0], [4, 4, 1, 5, 3, 2, 1, 2]):
        seen = problem.as_observation({"beams": beams})
        expected = math.prod(chance(j, d) for j, d in zip(beams, true, strict=True))
        assert problem.plain_observation_probability(seen, state, 0, state) == pytest.approx(expected, rel=1e-9)
    assert sum(chance(j, 4.0) for j in range(5)) == pytest.approx(1.0)
    same = problem.as_state((5, 5, 5, 0))
    assert problem.plain_observe(same, 0, same, new_generator(0))["beams"].tolist() == [255] * 8


# Pocman


def test_pocman_maze() -> None:
    problem = Pocman()
    p = problem.plain_params
    assert len(p.pills) == 4
    assert p.following.shape == (17 * 19, 4)
    ways = (p.following >= 0).sum(axis=1)
    assert (ways[p.free] >= 2).all()  # no dead ends: a ghost can always go on without turning back
    assert p.following[10 * 17, 3] == 10 * 17 + 16  # the tunnel
    assert p.following[10 * 17 + 16, 1] == 10 * 17
    state = problem.start_state(0)
    assert (state["pocman"], state["ghosts"].tolist()) == (6 * 17 + 8, [178, 179, 195, 196])
    bits = sum(bin(int(word)).count("1") for word in state["food"])
    assert bits == state["left"]
    foods = [int(problem.start_state(seed)["left"]) - 4 for seed in range(200)]
    assert abs(np.mean(foods) - len(p.food) / 2) < 5.0 * math.sqrt(len(p.food) / 4 / 200)


def pocman(problem: Pocman, pocman: tuple[int, int], ghosts: list[tuple[int, int]], **fields: Any) -> Any:
    """A state with Pocman and ghosts at (x, y), the first food left, and fields as given."""
    state = np.asarray(problem.start_state(0)).reshape(1).copy()
    state["pocman"] = pocman[1] * 17 + pocman[0]
    state["ghosts"] = [y * 17 + x for x, y in ghosts]
    for name, value in fields.items():
        state[name] = value
    return state


FAR = [(16, 18), (16, 18), (16, 18)]


def test_pocman_ghosts() -> None:
    """A ghost chases with 3/4 and flees Pocman's power; neither has a direction afterwards."""
    problem, rng = Pocman(), new_generator(0)
    chased = []
    for _ in range(400):
        state = pocman(problem, (2, 6), [(7, 6), *FAR], going=[1, 0, 0, 0])  # east, so it may not turn to the west
        problem.plain_step(PlainState(state), 1, rng)
        if state["going"][0, 0] == -1:
            chased.append(divmod(int(state["ghosts"][0, 0]), 17))
    assert abs(len(chased) / 400 - 0.75) < 0.11
    assert set(chased) == {(5, 7)}  # south, displacement 0; east has 4, north a wall
    fled = []
    for _ in range(50):
        state = pocman(problem, (2, 6), [(7, 6), *FAR], going=[-1, 0, 0, 0], power=9)
        problem.plain_step(PlainState(state), 1, rng)
        fled.append((int(state["ghosts"][0, 0]) - 6 * 17, int(state["going"][0, 0]), int(state["power"][0])))
    assert set(fled) == {(8, -1, 8)}  # east, the greatest displacement


def test_pocman_meets_a_ghost() -> None:
    problem, rng = Pocman(), new_generator(0)
    state = pocman(problem, (2, 6), [(3, 6), *FAR])
    reward, done = problem.plain_step(PlainState(state), 1, rng)  # onto the ghost, before it moves
    assert (reward, done) == (-101.0, True)
    state = pocman(problem, (2, 6), [(3, 6), *FAR], power=5, food=np.zeros(6, np.uint64))
    reward, done = problem.plain_step(PlainState(state), 1, rng)
    assert (reward, done) == (24.0, False)
    assert state["ghosts"][0, 0] == 10 * 17 + 8


def test_pocman_eats() -> None:
    problem, rng = Pocman(), new_generator(0)
    food = np.zeros(6, np.uint64)
    pill = 16 * 17
    food[pill // 64] = np.uint64(1) << np.uint64(pill % 64)
    state = pocman(problem, (0, 15), [(16, 0), (16, 0), (16, 0), (16, 0)], food=food, left=2)
    before = state.copy()
    assert problem.plain_step(PlainState(state), 0, rng) == (9.0, False)
    assert (state["power"][0], state["left"][0], state["food"].sum()) == (15, 1, 0)
    seen = int(problem.plain_observe(before[0], 0, state[0], rng)["number"])
    assert seen & 256  # the food of the own cell was perceived before it was eaten
    assert seen >> 4 & 15 == 0b0111  # ways north, east and south
    state = before.copy()
    state["left"] = 1
    assert problem.plain_step(PlainState(state), 0, rng) == (999.0, True)


@pytest.mark.parametrize("name", ["RockSample", "Tag", "LaserTag", "Pocman", "LightDark", "SubHunt", "VDPTag"])
def test_a_perturbed_state_may_explain_what_no_particle_did(name: str) -> None:
    """From one particle in the wrong place, the right observation is found by changing it."""
    problem = MAKERS[name]()
    rng, explained = new_generator(3), 0
    for _ in range(10):
        true, wrong = (np.asarray(problem.plain_start(rng)).reshape(1) for _ in range(2))
        for field in ("robot", "x", "y", "pocman"):  # what is known is the same in both, all else is not
            if field in true.dtype.names and name not in ("LightDark", "LaserTag"):
                wrong[field] = true[field]
        action = problem.legal_actions(true[0])[0]
        after = true.copy()
        if problem.plain_step(PlainState(after), action, rng)[1]:
            continue
        seen = problem.plain_observe(true[0], action, after[0], rng)
        for _ in range(300):
            changed = wrong.copy()
            if problem.plain_step(PlainState(changed), action, rng)[1]:
                break
            problem.plain_perturb(changed, rng)
            if problem.plain_observation_probability(seen, wrong[0], action, changed[0]) > 0.0:
                explained += 1
                break
    assert explained >= 8


@pytest.mark.parametrize("name", ["RockSample", "Tag", "LaserTag", "Pocman", "SubHunt"])
def test_a_belief_lives_through_episodes(name: str) -> None:
    problem, rng = MAKERS[name](), new_generator(5)
    for episode in range(6):
        belief = bt.Belief(problem, particles=1_000, seed=episode)
        state = np.asarray(problem.as_state(belief.draw())).reshape(1)
        for _ in range(40):
            before, action = state.copy(), problem.plain_random_action(PlainState(state), rng)
            if problem.plain_step(PlainState(state), action, rng)[1]:
                break
            seen = problem.plain_observe(before[0], action, state[0], rng)
            belief = belief.update(action, problem.present_observation(seen))


# LightDark


def light_dark_table() -> tuple[Any, Any]:
    return listed(LightDark(), [(x,) for x in range(-60, 61)])


@pytest.mark.slow
@pytest.mark.parametrize(("side", "value", "error"), [(False, -6.37, 1.03), (True, 42.42, 0.43)])
def test_light_dark_of_qmdp(side: bool, value: float, error: float) -> None:
    chances, rewards = light_dark_table()
    best = np.zeros(121)
    for _ in range(200):
        q = rewards + 0.95 * (chances @ best)
        best = q.max(axis=1)
    places = np.arange(-60, 61)
    deviation = np.abs(places - 10) + 1e-4

    class Policy(QMDP):
        def action(self) -> int:
            return 4 if side and self.belief.max() <= 0.9 else super().action()

    start = (np.abs(places) <= 30) / 61.0
    policy = Policy(
        start, chances, q, lambda _, seen: np.exp(-0.5 * ((seen["y"] - places) / deviation) ** 2) / deviation
    )
    assert agree(episodes(LightDark(), policy, 1_000), value, error)


# SubHunt


def sub_hunt_values() -> Any:
    """q[goal, aware, own cell, target cell, action] where all is seen; cells are 20 x + y, from 0.

    For a target that goes north it goes up at least a row a step, so row by row from the last; the others are turned.
    """
    own_x, own_y = (np.repeat(np.arange(20), 20), np.tile(np.arange(20), 20))
    q = np.zeros((2, 400, 400, 6))
    value = np.zeros((2, 400, 400))
    directions = ((0, 1), (1, 0), (0, -1), (-1, 0))
    moves = [np.clip(own_x + 3 * dx, 0, 19) * 20 + np.clip(own_y + 3 * dy, 0, 19) for dx, dy in directions]
    stay = np.arange(400)
    for y in range(18, -1, -1):
        for x in range(20):
            cell = 20 * x + y
            near = np.hypot(own_x - x, own_y - y) <= 2.0
            after = np.zeros((2, 400))
            for chance, to_x, to_y in ((0.5, x, y + 2), (0.25, max(x - 1, 0), y + 1), (0.25, min(x + 1, 19), y + 1)):
                if to_y < 19:
                    after += chance * value[:, :, 20 * to_x + to_y]
            for aware in range(2):
                for action in range(6):
                    going_on = 0.99 * after[1 if action == 4 else aware, moves[action] if action < 4 else stay]
                    strike = near * (0.6 if aware else 1.0) if action == 5 else 0.0
                    q[aware, :, cell, action] = 100.0 * strike + (1.0 - strike) * going_on
                value[aware, :, cell] = q[aware, :, cell].max(axis=1)
    turned = []
    for goal in range(4):  # cells and actions as one sees them who calls this direction north
        x, y = own_x, own_y
        for _ in range(goal):
            x, y = 19 - y, x
        seen, actions = 20 * x + y, [*((a - goal) % 4 for a in range(4)), 4, 5]
        turned.append(q[:, seen][:, :, seen][..., actions])
    return np.array(turned)


class SubHuntPolicy:
    """QMDP, with the exact belief over where the target is and goes; it pings first if told so."""

    def __init__(self, q: Any, ping: bool) -> None:
        self._q, self._ping = q, ping

    def begin(self) -> None:
        self.belief = np.zeros((4, 20, 20))
        self.belief[0, :, 0] = self.belief[2, :, 19] = self.belief[1, 0, :] = self.belief[3, 19, :] = 1.0 / 80.0
        self.own, self.aware = (9, 9), 0

    def action(self) -> int:
        if self._ping and not self.aware:
            return 4
        own = 20 * self.own[0] + self.own[1]
        return int(np.argmax(np.einsum("gt,gta->a", self.belief.reshape(4, 400), self._q[:, self.aware, own])))

    def see(self, action: int, seen: Any) -> None:
        steps = ((0, 1), (1, 0), (0, -1), (-1, 0))
        xs, ys = np.mgrid[:20, :20]
        if action == 5:  # it did not strike
            near = np.hypot(xs - self.own[0], ys - self.own[1]) <= 2.0
            self.belief = self.belief * np.where(near, 0.4 if self.aware else 0.0, 1.0)
        moved = np.zeros_like(self.belief)
        for goal, (dx, dy) in enumerate(steps):
            for chance, side in ((0.5, goal), (0.25, (goal + 1) % 4), (0.25, (goal + 3) % 4)):
                to_x = np.clip(xs + dx + steps[side][0], 0, 19)
                to_y = np.clip(ys + dy + steps[side][1], 0, 19)
                np.add.at(moved[goal], (to_x, to_y), chance * self.belief[goal])
        moved[0, :, 19] = moved[2, :, 0] = moved[1, 19, :] = moved[3, 0, :] = 0.0  # it would have ended
        if action < 4:
            self.own = tuple(min(max(c + 3 * d, 0), 19) for c, d in zip(self.own, steps[action], strict=True))
        self.aware = max(self.aware, int(action == 4))
        away_x, away_y = xs - self.own[0], ys - self.own[1]
        distance = np.hypot(away_x, away_y)
        angle = np.degrees(np.arctan2(away_y, away_x))
        beam = (np.ceil(np.where(angle <= 0.0, angle + 360.0, angle) / 45.0).astype(int) - 1) % 8
        logs = np.zeros((20, 20))
        for i in range(8):
            hit = (beam == i) & ((distance <= 3.0) | (action == 4))
            mean = np.where(hit, distance, 20.0 if action == 4 else 3.0)
            deviation = np.where(hit | (action == 4), 0.5, 5.0)
            logs += -0.5 * ((seen["beams"][i] - mean) / deviation) ** 2 - np.log(deviation)
        moved *= np.exp(logs - logs.max())
        self.belief = moved / moved.sum()


@pytest.mark.slow
@pytest.mark.parametrize(("ping", "value", "error"), [(False, 27.99, 1.34), (True, 79.01, 1.08)])
def test_sub_hunt_of_qmdp(ping: bool, value: float, error: float) -> None:
    found = episodes(SubHunt(), SubHuntPolicy(sub_hunt_values(), ping), 500)
    assert agree(found, value, error)


# VDP-Tag


class ToNext:
    """Straight to where a particle of the belief will be, without looking (and looking where that is unsure)."""

    def __init__(self, problem: VDPTag, look: bool) -> None:
        self._problem, self._look, self._source = problem, look, np.random.default_rng(0)

    def begin(self) -> None:
        self.place = np.zeros(2)
        self.particles = self._source.uniform(-4.0, 4.0, (1_000, 2))

    def action(self) -> int:
        angles = self._problem.actions // 2
        looks = self._look and math.sqrt(np.linalg.det(np.cov(self.particles.T))) > 0.01
        target = self.particles.mean(axis=0) if self._look else self.particles[0]
        to = _drifted(target) - self.place
        return round(math.atan2(to[1], to[0]) / (2.0 * math.pi) * angles) % angles + angles * looks

    def see(self, action: int, seen: Any) -> None:
        from boltree.problems.vdp_tag import free_share

        p, angles = self._problem.plain_params, self._problem.actions // 2
        step = np.array([p.dx[action % angles], p.dy[action % angles]])
        self.place = self.place + free_share(*self.place, *step) * step
        moved = _drifted(self.particles.T).T + self._source.normal(0.0, 0.05, self.particles.shape)
        away = moved - self.place
        distance = np.hypot(*away.T)
        beam = (np.ceil((np.degrees(np.arctan2(away[:, 1], away[:, 0])) % 360.0) / 45.0).astype(int) - 1) % 8
        logs = np.where(distance < 0.1, -np.inf, 0.0)  # it would have ended
        deviation = 0.1 if action >= angles else 5.0
        for i in range(8):
            read = seen["beams"][i]
            hit = -0.5 * ((read - distance) / deviation) ** 2 - math.log(deviation)
            logs += np.where(beam == i, hit, -0.5 * ((read - 1.0) / 5.0) ** 2 - math.log(5.0))
        weights = np.exp(logs - logs.max())
        self.particles = moved[self._source.choice(len(moved), len(moved), p=weights / weights.sum())]


def _drifted(place: Any) -> Any:
    """Five steps of 0.1 of the oscillator, by the classical Runge-Kutta method."""

    def current(z: Any) -> Any:
        return np.array([2.0 * (z[0] - z[0] ** 3 / 3.0 - z[1]), z[0] / 2.0])

    for _ in range(5):
        k1 = current(place)
        k2 = current(place + 0.05 * k1)
        k3 = current(place + 0.05 * k2)
        k4 = current(place + 0.1 * k3)
        place = place + 0.1 / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return place


@pytest.mark.slow
@pytest.mark.parametrize(("look", "value", "error"), [(False, -17.05, 0.38), (True, -2.73, 1.23)])
def test_vdp_tag_of_simple_policies(look: bool, value: float, error: float) -> None:
    problem = VDPTag(angles=720)
    assert agree(episodes(problem, ToNext(problem, look), 150), value, error)


def test_vdp_tag_by_hand() -> None:
    from boltree.problems.vdp_tag import drift, free_share

    assert drift(1.5, -0.5) == pytest.approx(tuple(_drifted(np.array([1.5, -0.5]))), rel=1e-12)
    assert free_share(0.5, 0.3, 0.0, -0.5) == pytest.approx(0.6)  # the barrier on the east axis
    assert free_share(0.1, 0.3, 0.0, -0.5) == pytest.approx(1.0)  # there is none so near the middle
    assert free_share(-3.1, 0.1, 0.0, -0.5) == pytest.approx(1.0)  # nor so far
    x = 0.5
    y = 0.3 - free_share(x, 0.3, 0.0, -0.5) * 0.5
    assert y + free_share(x, y, 0.0, -0.5) * -0.5 > -1e-12  # stopped, it does not get through afterwards either
