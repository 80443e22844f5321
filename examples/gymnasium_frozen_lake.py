"""Plan on Gymnasium's slippery Frozen Lake, whose table of probabilities is read: full speed, and exact values.

Almost no way is walked twice on it, so a tree of 50,000 trials knows nothing a few steps on, and recommends no better
than chance. With transpositions every way to a square at a time is one node.

pip install 'boltree[gym]'
"""

import boltree as bt

lake = bt.from_gymnasium("FrozenLake-v1", map_name="8x8", is_slippery=True)
best = bt.solve(lake).root_value
print(f"from the start, the goal can be reached with probability {best:.3f}")

for algorithm in (bt.UCT(), bt.BTS(), bt.DENTS()):
    for shared in (False, True):
        search = bt.Search(lake, algorithm, seed=0, growth="trial", transpositions=shared)
        search.run(trials=50_000)
        kind = "with transpositions" if shared else "as a tree"
        print(f"{algorithm.name} {kind}: {bt.value_of(search):.3f} of {best:.3f}, {search.size:,} nodes")
