"""Gymnasium's environments that are simulated: restored, replayed, refused."""

from __future__ import annotations

import functools
import warnings

import numpy as np
import pytest

import boltree as bt
from trees import check_invariants

gymnasium = pytest.importorskip("gymnasium", reason="pip install 'boltree[gym]'")
spaces = gymnasium.spaces


class Count(gymnasium.Env):
    """Counts up by what is thrown, to ten; every third step pays, which the observation does not tell."""

    observation_space = spaces.Discrete(20)
    action_space = spaces.Discrete(2, start=1)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.total, self.steps = 0, 0
        return self.total, {}

    def step(self, action):
        assert action in (1, 2)
        self.steps += 1
        self.total += action + int(self.np_random.integers(3))
        return self.total, float(self.steps % 3 == 0), self.total >= 10, False, {}


def save(env):
    return env.total, env.steps


def restore(env, state):
    env.total, env.steps = state


@functools.cache
def count_value(total=0, steps=0):
    """The best expected reward of Count, by recursion."""
    if total >= 10:
        return 0.0
    paid = float((steps + 1) % 3 == 0)
    return paid + max(sum(count_value(total + a + k, steps + 1) for k in range(3)) / 3 for a in (1, 2))


# Restored and replayed


@pytest.mark.parametrize(
    ("name", "options", "deterministic"),
    [
        ("CartPole-v1", {}, True),
        ("Acrobot-v1", {}, True),
        ("MountainCar-v0", {}, True),
        ("MountainCarContinuous-v0", {"actions": 3}, True),
        ("Pendulum-v1", {"actions": 5}, True),
        ("Blackjack-v1", {}, False),
        ("Blackjack-v1", {"sab": True}, False),
    ],
)
def test_known_environments_are_restored(name, options, deterministic):
    problem = bt.from_gymnasium(name, **options)
    assert problem.deterministic == deterministic
    bt.check(problem, episodes=2)
    replayed = bt.from_gymnasium(name, replay=True, deterministic=deterministic, **options)
    bt.check(replayed, episodes=1)
    if deterministic:  # both simulate the same: the same trees
        trees = [bt.Search(p, bt.UCT(), seed=5, evaluator=0.0) for p in (problem, replayed)]
        for search in trees:
            search.run(trials=60)
            check_invariants(search)
        assert trees[0].root.visits.tolist() == trees[1].root.visits.tolist()
        assert trees[0].root.value == trees[1].root.value


@pytest.mark.parametrize(
    ("name", "actions"),
    [("InvertedPendulum-v5", 3), ("Ant-v5", [np.zeros(8), np.full(8, 0.5)])],
)
def test_mujoco_is_restored(name, actions):
    pytest.importorskip("mujoco", reason="pip install 'boltree[mujoco]'")
    problem = bt.from_gymnasium(name, actions=actions, horizon=20)
    assert problem.deterministic
    bt.check(problem, episodes=1)
    search = bt.Search(problem, bt.UCT(), seed=0, evaluator=0.0)
    search.run(trials=50)
    check_invariants(search)


def test_rewards_are_the_environments():
    """A path through the tree, played in an environment of its own: the same observations and rewards."""
    problem = bt.from_gymnasium("Pendulum-v1", actions=5)
    search = bt.Search(problem, bt.UCT(), seed=1, evaluator=0.0)
    search.run(trials=300)
    env = gymnasium.make("Pendulum-v1").unwrapped
    env.reset(seed=0)
    env.state = np.array(search.root.state.state[0])
    node = search.root
    while node.children:
        action, children = next(iter(node.children.items()))
        observation, reward, *_ = env.step(np.array([-2.0 + action], np.float32))
        node = children[0]
        assert node.reward == pytest.approx(float(reward), abs=1e-12)
        assert node.state.observation.tolist() == observation.tolist()
    assert node.depth > 2


def test_ones_own_functions_and_methods():
    class WithMethods(Count):
        def get_state(self):
            return [self.total, self.steps]

        def set_state(self, state):
            self.total, self.steps = state

    for problem in (
        bt.from_gymnasium(Count(), get_state=save, set_state=restore, horizon=10),
        bt.from_gymnasium(WithMethods(), horizon=10),
        bt.from_gymnasium(Count(), replay=True, horizon=10),
    ):
        bt.check(problem, episodes=3)
        assert not problem.deterministic
        search = bt.Search(problem, bt.BTS(alpha=0.2), seed=0)
        search.run(trials=4_000)
        check_invariants(search)
        assert search.root.value == pytest.approx(count_value(), abs=0.12)
        assert all(len(outcomes) == 3 for outcomes in search.children.values())
    assert problem.action_name(1) == "2"
    assert problem.show_state(search.root.state) == "0"


def test_chance_is_drawn_anew():
    """The generator is saved, but a search must not foresee it."""
    problem = bt.from_gymnasium(Count(), get_state=save, set_state=restore, horizon=10)
    throws = {bt.act(problem, bt.Uniform(), trials=1, seed=seed, steps=1).states[1].observation for seed in range(40)}
    assert throws == {1, 2, 3, 4}


def test_same_seed_same_tree():
    """Whatever the environment's own generator has come to."""
    problem, values = bt.from_gymnasium("Blackjack-v1"), []
    start = bt.Search(problem, bt.UCT(), seed=0).root.state
    for _ in range(2):
        search = bt.Search(problem, bt.DENTS(alpha=1.0), state=start, seed=3)
        search.run(trials=300)
        values.append((search.root.value, search.root.visits.tolist(), search.size))
    assert values[0] == values[1]


def test_the_given_environment_is_left_alone():
    env = gymnasium.make("CartPole-v1")
    before, _ = env.reset(seed=4)
    search = bt.Search(bt.from_gymnasium(env), bt.UCT(), seed=0)
    search.run(trials=50)
    assert env.unwrapped.state.astype(np.float32).tolist() == before.tolist()


def test_wrappers_are_kept():
    env = gymnasium.wrappers.TransformReward(gymnasium.make("CartPole-v1", max_episode_steps=15), double)
    problem = bt.from_gymnasium(env)
    assert problem.horizon == 15
    bt.check(problem, episodes=1)  # the time limit inside counts no simulated steps
    assert bt.act(problem, bt.UCT(), trials=5).rewards[0] == 2.0


def double(reward):
    return 2.0 * reward


def test_any_observation():
    class Told(Count):
        observation_space = spaces.Dict({"total": spaces.Discrete(20), "half": spaces.Box(0, 9, (1,))})

        def step(self, action):
            total, *rest = super().step(action)
            return {"total": total, "half": np.array([total / 2])}, *rest

    problem = bt.from_gymnasium(Told(), replay=True, horizon=10)
    bt.check(problem, episodes=2)
    search = bt.Search(problem, bt.UCT(), seed=0)
    search.run(trials=500)
    assert all(len(outcomes) == 3 for outcomes in search.children.values())


class Switches(gymnasium.Env):
    """Every switch that is on pays."""

    observation_space = spaces.Discrete(2)

    def __init__(self, count):
        self.action_space, self.total, self.steps = spaces.MultiBinary(count), 0, 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return 0, {}

    def step(self, action):
        assert self.action_space.contains(action)
        self.steps += 1
        return 0, float(action.sum()), self.steps == 2, False, {}


def test_actions():
    class Many(Count):
        action_space = spaces.MultiDiscrete([2, 3])

        def step(self, action):
            return super().step(1 + int(action[0]))

    problem = bt.from_gymnasium(Many(), get_state=save, set_state=restore)
    assert problem.actions == 6
    assert problem.action_names == ("[0 0]", "[0 1]", "[0 2]", "[1 0]", "[1 1]", "[1 2]")
    bt.check(problem, episodes=1)
    switches = bt.from_gymnasium(Switches(3), get_state=save, set_state=restore)
    assert switches.actions == 8
    assert switches.action_names[:3] == ("[0 0 0]", "[0 0 1]", "[0 1 0]")
    bt.check(switches, episodes=1)
    search = bt.Search(switches, bt.UCT(), seed=0)
    search.run(trials=2_000)
    assert search.root.action_name(search.recommend()) == "[1 1 1]"
    few = bt.from_gymnasium(Switches(20), get_state=save, set_state=restore, actions=[[0] * 20, [1] * 20])
    assert few.actions == 2
    bt.check(few, episodes=1)
    assert bt.from_gymnasium(Switches(12), get_state=save, set_state=restore).actions == 4096
    box = bt.from_gymnasium("Pendulum-v1", actions=[[-1.0], [0.5]])
    assert box.action_names == ("[-1.]", "[0.5]")


# Blackjack, whose optimum is known


@functools.cache
def dealer(total, usable):
    """Chances of the dealer's final sums (0 for bust) from a hand."""
    if total > 21 and usable:
        total, usable = total - 10, False
    if total > 21:
        return {0: 1.0}
    if total >= 17:
        return {total: 1.0}
    found = {}
    for card in range(1, 11):
        chance = 4 / 13 if card == 10 else 1 / 13
        ace = card == 1 and total + 11 <= 21
        for final, p in dealer(total + (11 if ace else card), usable or ace).items():
            found[final] = found.get(final, 0.0) + chance * p
    return found


def hand_after(total, usable, card):
    ace = card == 1 and total + 11 <= 21
    total, usable = total + (11 if ace else card), usable or ace
    return (total - 10, False) if total > 21 and usable else (total, usable)


def blackjack_values(policy=None):
    """The value of every hand (total, usable ace, card shown) under a policy, or the best one."""

    @functools.cache
    def value(total, usable, shown):
        finals = dealer(11 if shown == 1 else shown, shown == 1)
        stick = sum(p * np.sign(total - final) for final, p in finals.items())
        hit = 0.0
        for card in range(1, 11):
            after = hand_after(total, usable, card)
            hit += (4 / 13 if card == 10 else 1 / 13) * (-1.0 if after[0] > 21 else value(*after, shown))
        chosen = (stick, hit)[policy[total, usable, shown]] if policy and (total, usable, shown) in policy else None
        return max(stick, hit) if chosen is None else chosen

    return value


def deal(value):
    """The expected value over the first hands."""
    cards = [(c, 4 / 13 if c == 10 else 1 / 13) for c in range(1, 11)]
    total = 0.0
    for first, p in cards:
        hand = hand_after(0, False, first)
        for second, q in cards:
            total += sum(p * q * r * value(*hand_after(*hand, second), shown) for shown, r in cards)
    return total


def test_blackjack_is_played_near_its_optimum():
    problem = bt.from_gymnasium("Blackjack-v1")
    env = problem.running.env
    env.reset(seed=0)
    inner, best = env.unwrapped, blackjack_values()
    policy, errors = {}, []
    hands = [(total, False) for total in range(12, 22)] + [(total, True) for total in range(13, 22)]
    for total, usable in hands:
        for shown in range(1, 11):
            inner.player = [1, total - 11] if usable else [10, total - 10] if total < 21 else [10, 6, 5]
            inner.dealer = [shown, 7]
            search = bt.Search(problem, bt.BTS(alpha=0.3), state=problem.running.where(), seed=total)
            search.run(trials=300)
            policy[total, usable, shown] = search.recommend()
            errors.append(np.nanmax(search.root.q) - best(total, usable, shown))
    optimum, planned = deal(best), deal(blackjack_values(policy))
    assert optimum - 0.02 < planned <= optimum
    assert abs(np.mean(errors)) < 0.03  # looking at the hidden card would gain more


def test_the_optimum_is_that_of_the_environment():
    """The recursion above, played in the environment itself."""
    env, best, returns = gymnasium.make("Blackjack-v1").unwrapped, blackjack_values(), []
    for seed in range(10_000):
        (total, shown, usable), _ = env.reset(seed=seed)
        done = False
        while not done:
            finals = dealer(11 if shown == 1 else shown, shown == 1)
            stick = sum(p * np.sign(total - final) for final, p in finals.items())
            action = int(stick < best(total, bool(usable), shown) - 1e-12)
            (total, shown, usable), reward, done, _, _ = env.step(action)
        returns.append(reward)
    assert np.mean(returns) == pytest.approx(deal(best), abs=3 * np.std(returns) / 100)


# What bt.check finds


def forgets(env, state):
    env.total = state[0]


class Own(Count):
    """Draws from a generator that nobody sees."""

    def step(self, action):
        if not hasattr(self, "own"):
            self.own = np.random.default_rng()
        observation, reward, *rest = super().step(action)
        return observation, reward + float(self.own.random()), *rest


class Drifts(Count):
    """Pays by how often it was reset, which a reset does not set."""

    resets = 0

    def reset(self, **options):
        self.resets += 1
        return super().reset(**options)

    def step(self, action):
        observation, _, *rest = super().step(action)
        return observation, float(self.resets), *rest


@pytest.mark.parametrize(
    ("environment", "options", "message"),
    [
        (Count(), {"get_state": save, "set_state": forgets}, "restoring does not restore: .*must keep everything"),
        (Own(), {"get_state": save, "set_state": restore}, "restoring does not restore"),
        (Own(), {"replay": True}, "all chance must come from np_random"),
        (Drifts(), {"replay": True}, "the same actions must repeat what happened"),
        (Count(), {"get_state": save, "set_state": restore, "deterministic": True}, "deterministic = True, but action"),
    ],
)
def test_an_environment_that_cannot_be_restored_is_caught(environment, options, message):
    with pytest.raises(bt.ProblemError, match=message):
        bt.check(bt.from_gymnasium(environment, **options))


class Keys(gymnasium.Env):
    """A walk on which a key lies at one place and a door at another; whether the key was found is not in the state."""

    observation_space, action_space = spaces.Discrete(11), spaces.Discrete(2)

    def __init__(self, key, door):
        self.key, self.door = key, door

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.found = 5, False
        return self.x, {}

    def step(self, action):
        if self.np_random.random() < 0.1:
            action = 1 - action
        self.x += 2 * action - 1
        self.found |= self.x == self.key
        opened = self.x == self.door and self.found
        return self.x, float(self.x == 10) + 5.0 * opened, self.x in (0, 10), False, {}

    def get_state(self):
        return self.x

    def set_state(self, state):
        self.x = state


class AllKeys(Keys):
    """The same, with the whole state."""

    def get_state(self):
        return self.x, self.found

    def set_state(self, state):
        self.x, self.found = state


@pytest.mark.parametrize("places", [(8, 2), (7, 3), (7, 4), (6, 4), (6, 5)], ids=str)
def test_what_a_state_leaves_out_is_caught(places):
    """It is set on the way, and would still be set when the episode is played again."""
    bt.from_gymnasium(AllKeys(*places), horizon=20).check_more(0)
    for seed in range(3):
        with pytest.raises(bt.ProblemError, match=r"Keys: restoring does not restore: \d+ steps? after"):
            bt.from_gymnasium(Keys(*places), horizon=20).check_more(seed)


def test_only_a_reset_in_between_shows_it():
    """The door ends the episode: whatever is found on the way to it stays found when that is played again."""

    class Once(Keys):
        def step(self, action):
            self.x = min(max(self.x + 2 * action - 1, 0), 9)
            self.found |= self.x == self.key
            return self.x, 5.0 * (self.x == self.door and self.found), self.x == self.door, False, {}

    for seed in range(3):
        with pytest.raises(bt.ProblemError, match="restoring does not restore"):
            bt.from_gymnasium(Once(3, 7), horizon=20).check_more(seed)


def test_half_a_way_to_restore():
    class Gets(Count):
        def get_state(self):
            return self.total, self.steps

    class Sets(Count):
        def set_state(self, state):
            self.total, self.steps = state

    with pytest.warns(UserWarning, match="Gets: has get_state but no set_state, so its states are reached by replay"):
        bt.from_gymnasium(Gets())
    with pytest.warns(UserWarning, match="Sets: has set_state but no get_state"):
        bt.from_gymnasium(Sets())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bt.from_gymnasium(Gets(), replay=True)
        bt.from_gymnasium(AllKeys(6, 5))


def test_errors_arrive_as_they_were_raised():
    class Breaks(Count):
        def step(self, action):
            if self.total == 3:
                raise LookupError("three is broken")
            return super().step(action)

    search = bt.Search(bt.from_gymnasium(Breaks(), get_state=save, set_state=restore), bt.UCT(), seed=0)
    with pytest.raises(LookupError, match="three is broken"):
        search.run(trials=1_000)
    check_invariants(search)


# What is refused


class OldReset(Count):
    def reset(self, *, seed=None, options=None):
        return super().reset(seed=seed)[0]


class Seedless(Count):
    def reset(self):
        return super().reset()


class OldStep(Count):
    def step(self, action):
        observation, reward, terminated, _, info = super().step(action)
        return observation, reward, terminated, info


class Inside(Count):
    def reset(self, *, seed=None, options=None):
        raise TypeError("from inside")


@pytest.mark.parametrize(
    "ways", [{"get_state": lambda env: env.total, "set_state": lambda env, s: None}, {"replay": True}]
)
@pytest.mark.parametrize(
    ("environment", "error", "message"),
    [
        (OldReset, bt.ProblemError, r"OldReset.reset returned 0; must be \(observation, info\), as Gymnasium's"),
        (
            Seedless,
            bt.ProblemError,
            r"reset takes no seed; must be reset\(self, \*, seed=None, options=None\)",
        ),
        (
            OldStep,
            bt.ProblemError,
            r"OldStep.step returned \(.*\{\}\); must be \(observation, reward, terminated, truncated, info\), as",
        ),
        (Inside, TypeError, "from inside"),
    ],
)
def test_old_environments(environment, error, message, ways):
    problem = bt.from_gymnasium(environment(), horizon=5, **ways)
    for way in (lambda: bt.check(problem), lambda: bt.Search(problem, bt.UCT(), seed=0).run(trials=5)):
        with pytest.raises(error, match=message) as caught:
            way()
        assert "\n" not in str(caught.value)


class Uncopied(Count):
    def __deepcopy__(self, memo):
        raise TypeError("no copies")


class Odd(Count):
    action_space = spaces.Dict({"x": spaces.Discrete(2)})


class Unbounded(Count):
    action_space = spaces.Box(-np.inf, np.inf, (1,))


class Huge(Count):
    action_space = spaces.MultiDiscrete([10] * 6)


@pytest.mark.parametrize(
    ("environment", "options", "message"),
    [
        ("NoSuch-v0", {}, r"environment='NoSuch-v0': Environment `NoSuch` doesn't exist"),
        ("FrozenLake-v1", {"no_such": 1}, "environment='FrozenLake-v1': .*no_such"),
        (3, {}, "environment=3: must be one gymnasium.Env, or its id, such as 'CartPole-v1'"),
        (Count(), {"map_name": "8x8"}, "map_name: is for an environment's id"),
        ("Pendulum-v1", {"actions": 1}, "actions=1: must be at least 2 values in each dimension"),
        ("Pendulum-v1", {"actions": [[3.0]]}, r"actions: .* is not in Pendulum-v1's action space"),
        ("CartPole-v1", {"actions": 3}, "actions=3: CartPole-v1's action space .* is finite"),
        (Odd(), {}, r"is not Discrete, MultiDiscrete, MultiBinary or Box; give actions=\[...\]"),
        (Unbounded(), {"actions": 3}, "is unbounded"),
        (Huge(), {}, r"has 1000000 combinations, more than 4096; give actions=\[...\], a list of actions"),
        (Switches(13), {}, r"MultiBinary\(13\) has 8192 combinations, more than 4096; give actions=\[...\]"),
        (Switches(3), {"actions": [[0, 1, 2]]}, r"actions: .* is not in Switches's action space MultiBinary\(3\)"),
        (Switches(3), {"actions": [[0, 1]]}, r"actions: .* is not in Switches's action space MultiBinary\(3\)"),
        (Uncopied(), {}, "a second environment to plan in cannot be made .*no copies"),
        (Count(), {"get_state": save}, "give both or neither"),
        (Count(), {"get_state": save, "set_state": restore, "replay": True}, "needs no get_state and set_state"),
        ("CartPole-v1", {"discount": 2.0}, r"discount=2.0, must be in \(0, 1\]"),
        ("CartPole-v1", {"horizon": 0}, "horizon=0, must be an integer of at least 1"),
        ("CartPole-v1", {"horizon": -1}, "horizon=-1, must be an integer of at least 1"),
    ],
)
def test_refusals(environment, options, message):
    with pytest.raises((bt.ParameterError, bt.ProblemError), match=message):
        bt.from_gymnasium(environment, **options)
