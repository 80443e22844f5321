"""Plan on Gymnasium's slippery Frozen Lake, whose table of probabilities is read: full speed, and exact values.

pip install 'boltree[gym]'
"""

import boltree as bt

lake = bt.from_gymnasium("FrozenLake-v1", map_name="8x8", is_slippery=True)
print(f"from the start, the goal can be reached with probability {bt.solve(lake).root_value:.3f}")

above = 55  # the square above the goal, with ten steps left
lake = bt.from_gymnasium("FrozenLake-v1", map_name="8x8", is_slippery=True, horizon=10)
best = bt.solve(lake, state=(above,)).root_value
for algorithm in (bt.UCT(), bt.BTS(alpha=0.02), bt.DENTS(alpha=0.05)):
    search = bt.Search(lake, algorithm, seed=0, growth="trial", state=(above,))
    search.run(trials=100_000)
    print(f"{algorithm.name}: go {lake.action_name(search.recommend())}, value {bt.value_of(search):.3f} of {best:.3f}")
