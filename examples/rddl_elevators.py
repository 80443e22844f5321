"""A planning problem in RDDL: an elevator that passengers wait for. Few outcomes follow an action, so they are listed.

pip install 'boltree[rddl]'
"""

import boltree as bt

problem = bt.from_rddl("Elevators_MDP_ippc2011", "1", horizon=6)
best = bt.solve(problem)
for algorithm in (bt.UCT(c="auto"), bt.BTS(alpha=0.5), bt.DENTS(alpha=0.5)):
    search = bt.Search(problem, algorithm, seed=0, growth="trial")
    search.run(trials=50_000)
    action = problem.action_name(search.recommend())
    print(f"{algorithm.name}: first {action}; value {bt.value_of(search):.3f}, the best is {best.root_value:.3f}")
