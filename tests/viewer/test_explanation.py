"""What is said of a chain is what the numbers say."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from node_by_node import nodes_of
from watched import both, data_in, dents

import boltree as bt
from boltree.viewer.explanation import explained, facts_of
from boltree.viewer.recording import record


def told(problem, *algorithms, trials=10_000, growth="trial"):
    recordings = record(both(problem, *algorithms, growth=growth), trials)
    found = explained(recordings)
    return {one["label"]: (one["verdict"], " ".join(one["sentences"])) for one in found["searches"]}


def test_uct_stalls_and_dents_does_not():
    said = told(bt.problems.DChain(10), bt.UCT(), dents())
    verdict, text = said["UCT"]
    assert verdict == "UCT stalls"
    assert "In 10,000 trials it never reached the far end, which pays 1" in text
    assert "So only the bonus sends trials on" in text
    assert "It recommends leaving at state 1, which pays 0.9; the best, going on to the far end, pays 1." in text
    verdict, text = said["DENTS"]
    assert verdict == "DENTS finds the far end"
    assert "never" not in text
    assert re.search(r"in trial \d+,", text)
    assert "It recommends going on to the far end, which pays 1: nothing pays more." in text


def test_the_other_way_round():
    said = told(bt.problems.DChain(6), bt.UCT(c=1000.0), dents(alpha=0.001, beta=0.0, epsilon=0.0))
    assert said["DENTS"][0] == "DENTS stalls"
    assert "never reached the far end" in said["DENTS"][1]
    assert said["UCT"][0] == "UCT has reached the far end, but does not recommend it"
    assert "It first reached the far end, which pays 1, in trial" in said["UCT"][1]
    greedy = told(bt.problems.DChain(3, 5.0), bt.UCT(), bt.BTS(alpha=0.01, epsilon=0.0), trials=2_000)
    assert greedy["UCT"][0] == "UCT finds the far end"
    assert greedy["BTS"][0] == "BTS stalls"


def test_where_the_far_end_is_not_worth_it():
    said = told(bt.problems.DChain(10, 0.5), bt.UCT(), dents(), bt.MENTS(alpha=1.0, epsilon=0.1))
    assert said["UCT"][0] == "UCT recommends what is best"
    assert said["DENTS"][0] == "DENTS recommends what is best"
    assert said["MENTS"][0] == "MENTS recommends to go on too far"
    assert "although no way pays more than 0.9" in said["MENTS"][1]


def test_a_few_trials_are_no_stall():
    said = told(bt.problems.DChain(10), dents(), trials=60)
    assert said["DENTS"][0] == "DENTS has not reached the far end yet"


def test_the_numbers_are_counted():
    search = bt.Search(bt.problems.DChain(8), dents(), seed=2, growth="trial")
    [recording] = record([search], 2_000)
    facts = facts_of(recording, recording.painter)
    other = bt.Search(bt.problems.DChain(8), dents(), seed=2, growth="trial")
    first, at_once, beyond, arrived, went_on = None, 0, 0, 0, [0] * 9
    counts = [0] * 10
    for trial in range(1, 2_001):
        other.run(trials=1)
        now = [0] * 10
        for node, _, _ in nodes_of(other):
            now[node.state.d] += node.count
        came = [after - before for after, before in zip(now, counts, strict=True)]
        counts = now
        if came[9] and first is None:
            first = trial
        if trial > 1_000:
            at_once += not came[2]
            beyond += came[5]
            arrived += came[9]
            went_on = [total + one for total, one in zip(went_on, came[1:], strict=True)]
    assert (facts.first, facts.half, facts.arrivals) == (first, 1_000, counts[9])
    assert facts.left[0] == at_once
    assert facts.beyond(4) == beyond / 1_000
    assert facts.beyond(8) == arrived / 1_000
    assert facts.visits.tolist() == went_on
    text = " ".join(explained([recording])["searches"][0]["sentences"])
    assert f"in trial {first:,}, and by the end {counts[9]:,} times" in text
    shares = [f"{100 * count / 1_000:.3g} %" for count in (at_once, beyond, arrived)]
    assert f"{shares[0]} left at state 1, {shares[1]} got beyond state 4, {shares[2]} reached the far end" in text
    least = min(after / before for before, after in pairwise(went_on))
    assert f"At every state at least {100 * least:.3g} % of the trials" in text


@pytest.mark.parametrize("name", ["HMCTS", "PUCT", "ARBTS", "TENTS", "RENTS", "BRUE", "PowerUCT", "Uniform", "Custom"])
def test_every_algorithm_can_be_told_of(name):
    [(verdict, text)] = told(bt.problems.AverageReturnTrap(5), bt.algorithm(name), trials=300).values()
    assert verdict
    assert "nan" not in text
    told(bt.problems.DChain(4), bt.algorithm(name), trials=3, growth="leaf")


def test_a_chain_after_advance_and_before_watching():
    search = bt.Search(bt.problems.DChain(6), dents(), seed=0, growth="trial")
    search.run(trials=1_000)
    search.advance(1)
    [recording] = record([search], 500)
    [said] = explained([recording])["searches"]
    assert said["verdict"] == "DENTS finds the far end"
    assert "before trial 1,001, from which on it was watched" in said["sentences"][0]
    assert "left at state 2" in said["sentences"][0]
    shown = data_in(search.watch().html)
    assert shown["said"]["searches"][0]["verdict"] == "DENTS finds the far end"


def test_other_problems_are_not_explained():
    page = bt.watch(bt.Search(bt.problems.Bandit(), bt.UCT(), seed=0), trials=10)
    assert data_in(page.html)["said"] is None


def test_a_long_chain_is_told_of_but_not_drawn():
    page = bt.watch(both(bt.problems.DChain(5_000, horizon=6_000)), trials=2_000)
    shown = data_in(page.html)
    assert shown["scene"] is None
    assert shown["said"]["searches"][0]["verdict"] == "UCT stalls"
    assert len(page.html) < 500_000
