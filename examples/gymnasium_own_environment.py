"""An environment of your own: say how its state is saved and restored, and check that this is true.

pip install 'boltree[gym]'
"""

import gymnasium
from gymnasium import spaces

import boltree as bt


class Bridge(gymnasium.Env):
    """Walk over five planks in the wind; who is blown over the edge falls."""

    observation_space = spaces.MultiDiscrete([6, 3])
    action_space = spaces.Discrete(3)  # on, left, right

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.plank, self.side = 0, 1
        return (self.plank, self.side), {}

    def step(self, action):
        self.plank += action == 0
        self.side += (action == 2) - (action == 1) + int(self.np_random.choice([-1, 0, 1], p=[0.2, 0.8, 0.0]))
        fell, there = not 0 <= self.side <= 2, self.plank == 5
        return (self.plank, self.side), float(there and not fell), fell or there, False, {}


def save(env):
    return env.plank, env.side


def restore(env, state):
    env.plank, env.side = state


problem = bt.from_gymnasium(Bridge(), get_state=save, set_state=restore, horizon=15)
bt.check(problem)  # the same actions pay the same rewards after restoring
search = bt.Search(problem, bt.BTS(alpha=0.1), seed=0)
search.run(trials=3_000)
print(f"first action: {('on', 'left', 'right')[search.recommend()]}; value {search.root.value:.2f}")
