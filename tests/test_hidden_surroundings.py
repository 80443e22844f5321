"""What stands around a search over histories works there too, or says in a sentence why not."""

from __future__ import annotations

import pytest

import boltree as bt

TIGER = bt.problems.Tiger()


def searched(trials=200, **options):
    search = bt.Search(TIGER, bt.BTS(alpha=10.0), seed=0, **options)
    search.run(trials=trials)
    return search


def test_looking_leaves_the_state_of_a_trial_alone():
    search = searched()
    carried = search.tree.storage.scratch["carried"]
    carried[:] = 7
    for index in range(search.size):
        _ = search.node_at(index).actions
    str(search), str(search.report()), search.line(), search.to_networkx(depth=2)
    assert (carried == 7).all()


def test_a_belief_is_about_the_same_problem():
    other = bt.Belief(bt.problems.RockSample(11, 11), 10, seed=0)
    with pytest.raises(bt.ParameterError, match=r"is about RockSample.*11.*must be about RockSample.*7"):
        bt.Search(bt.problems.RockSample(7, 8), bt.UCT(), belief=other)
    same = bt.Belief(bt.problems.Tiger(), 10, seed=0)
    assert bt.Search(TIGER, bt.UCT(), belief=same).belief is same


def test_a_belief_never_changes():
    belief = bt.Belief(TIGER, 100, seed=0).update(0, 1)
    belief.draw()
    values = []
    for _ in range(2):
        search = bt.Search(TIGER, bt.UCT(c=50.0), belief=belief, seed=0)
        search.run(trials=100)
        values.append((search.root.value, search.advance(0, 1), search.belief.weights.tolist()))
        belief.draw()
    assert values[0] == values[1]


def test_episodes_start_from_a_belief():
    last_step = bt.problems.Tiger(horizon=1)
    certain = bt.Belief(last_step, states=[{"tiger": 1}])
    found = bt.evaluate(last_step, bt.UCT(c=50.0), episodes=6, belief=certain, trials=50)
    assert found.returns.tolist() == [10.0] * 6  # it opens the other door
    episodes = [bt.act(last_step, bt.UCT(), trials=20, seed=seed, belief=certain) for seed in range(5)]
    assert {episode.states[0].tiger for episode in episodes} == {1}


def test_a_page_and_exact_values(tmp_path):
    bt.watch(searched(), trials=300).save(tmp_path / "page.html")
    solution = bt.solve(bt.problems.Tiger(horizon=3, discount=1.0))
    assert solution.root_value == pytest.approx(2.72)
    assert [round(chance, 3) for chance, _, _ in solution.starts] == [0.5, 0.5]
    assert "2.72" in str(solution)
    assert "2.72" in repr(solution)


def test_what_is_refused():
    search = searched()
    for asked in (bt.value_of, bt.simple_regret, bt.sample_value):
        with pytest.raises(bt.ParameterError, match=r"hidden; bt\.evaluate plays episodes"):
            asked(search)
    for options, message in (
        ({"outcomes": "known"}, "outcomes='known': must be 'sampled' for Tiger"),
        ({"proofs": True}, "proofs=True: must be False for Tiger"),
        ({"transpositions": True}, "transpositions: must be False for Tiger"),
    ):
        with pytest.raises(bt.ParameterError, match=message):
            bt.Search(TIGER, bt.UCT(), **options)
    assert not bt.Search(TIGER, bt.UCT(), transpositions="auto").transpositions
    with pytest.raises(bt.ParameterError, match=r"widening=.* must be left out for DChain"):
        bt.Search(bt.problems.DChain(4), bt.UCT(), widening=(5, 0.1))
    with pytest.raises(bt.ParameterError, match=r"nonsense: must be an option of bt\.Search"):
        bt.evaluate(TIGER, bt.UCT(), trials=1, nonsense=3)


def test_observations_are_followed_all_or_none():
    search = searched()
    with pytest.raises(ValueError, match="observation=7"):
        search.advance_along([(0, 1), (0, 7)])
    assert search.root.depth == 0
    search.advance_along([(0, 1), (0, 1)])
    assert search.root.depth == 2


def test_a_finished_game_has_a_report():
    game = bt.problems.TicTacToe()
    search = bt.Search(game, bt.UCT(), seed=0)
    for action in (0, 3, 1, 4, 2):
        search.run(trials=30)
        state, _, _ = game.step(search.root.state, action)
        search.advance(action, state)
    assert str(search.report()).startswith("nothing left to decide")
