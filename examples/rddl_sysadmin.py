"""A planning problem in RDDL: which computer to restart, so that many keep running.

pip install 'boltree[rddl]'
"""

import boltree as bt

problem = bt.from_rddl("SysAdmin_MDP_ippc2011", "1", horizon=5)
search = bt.Search(problem, bt.DENTS(alpha=1.0), seed=0)
search.run(trials=2_000)
print("first:", problem.action_name(search.recommend()))
print(f"expected reward of {problem.horizon} steps: {search.root.value:.1f}")
