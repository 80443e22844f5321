"""A game of PettingZoo's, planned for both sides: nobody wins.

pip install 'boltree[pettingzoo]'
"""

import boltree as bt

problem = bt.from_pettingzoo("tictactoe_v3")
episode = bt.act(problem, bt.UCT(c=1.0), trials=400, seed=0)
print("moves:", *episode.actions)
print("result for the first player:", episode.value)
