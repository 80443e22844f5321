"""Plan in a game of OpenSpiel's, and play it against a random player.

pip install 'boltree[openspiel]'
"""

import random

import boltree as bt

problem = bt.from_openspiel("connect_four")
search = bt.Search(problem, bt.UCT(c=1.4), seed=0)
state = search.root.state
random.seed(1)
while not state.is_terminal():
    if state.current_player() == 0:
        search.run(trials=500)
        action = search.recommend()
    else:
        action = random.choice(state.legal_actions())
    state = state.child(action)
    if not state.is_terminal():
        search.advance(action, state)
print(state)
print("won" if state.returns()[0] > 0 else "not won")
