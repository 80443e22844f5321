"""An agent balances the pole: it plans, acts, keeps the subtree, and plans again.

pip install 'boltree[gym]'
"""

import gymnasium

import boltree as bt

env = gymnasium.make("CartPole-v1")
problem = bt.from_gymnasium(env, discount=0.95)
agent = bt.Agent(problem, bt.UCT(c=3.0), trials=60, seed=0)
episode = agent.play(seed=1)
print(f"balanced for {len(episode.actions)} steps")
