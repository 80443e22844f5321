"""Nothing finished is ever lost: interrupts, failures in the middle, copies, threads, foreign processes."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import boltree as bt
from boltree.core.memory.layout import NONE, SINGLE
from child import Interrupt, call
from mdps import random_mdp
from test_fast_paths import Noise, same_tree
from trees import check_invariants


def check_entropies(search: bt.Search) -> None:
    """The discounted sums of N(s') H_V(s') that edges keep agree with their outcomes."""
    t = search.tree.fields
    assert t.extra_words == 3
    for index in range(search.size):
        record = search.tree.storage.nodes[index]
        if record.block == NONE or record.marks & SINGLE:
            continue
        n = int(record.actions)
        first = 4 * (int(record.block) + n)
        for i in range(n):
            child, total = int(search.tree.storage.edges[record.block + i].child), 0.0
            while child != NONE:
                below = search.tree.storage.nodes[child]
                total += search.problem.discount * below.visits * below.entropy
                child = int(below.sibling)
            assert search.tree.storage.words[first + 3 * i] == pytest.approx(total, abs=1e-9)


class Fragile(bt.Problem):
    """A step sometimes raises."""

    state = bt.record(x="i4", depth="i4")
    params = bt.record(chance="f8")
    actions = 3
    horizon = 5

    @staticmethod
    def start(params, state, rng):
        state.x = 0

    @staticmethod
    def step(params, state, action, rng):
        if bt.uniform(rng) < params.chance:
            raise RuntimeError("it broke")
        state.x = 3 * state.x + action
        state.depth += 1
        return float(bt.integer(rng, 2)), False


@pytest.mark.parametrize("growth", ["leaf", "trial"])
@pytest.mark.parametrize("algorithm", [bt.DENTS(alpha=0.3), bt.DENTS(alpha=0.3, alias=True), bt.ARMENTS(alpha=0.3)])
def test_failed_trials_leave_no_trace(algorithm, growth):
    search = bt.Search(Fragile(chance=0.01), algorithm, seed=0, growth=growth, evaluator=0.0)
    failed = 0
    while search.trials < 2_000:
        try:
            search.run(trials=2_000 - search.trials)
        except RuntimeError:
            failed += 1
    assert failed > 5
    check_invariants(search)
    check_entropies(search)


class Slow(bt.PythonProblem):
    """Every state differs from its parent's."""

    actions, horizon, deterministic = 2, 30, True

    def start(self, rng):
        return ()

    def step(self, state, action, rng):
        return (*state, action), float(action), len(state) > 25


def interrupt_a_python_problem():
    search = bt.Search(Slow(), bt.BTS(), seed=0, evaluator=0.0, max_nodes=10**6)
    search.run(trials=10)
    for k in range(30):
        with Interrupt(after=0.0007 * k) as interrupt, pytest.raises(KeyboardInterrupt):
            interrupt.run(search)
    check_invariants(search)
    for index in range(1, search.size):
        record = search.tree.storage.nodes[index]
        parent = search.tree.storage.states[int(record.parent)]
        above, here = (search.problem.object_of(int(s[0])) for s in (parent, search.tree.storage.states[index]))
        assert here == (*above, int(record.action))


def test_interrupts_in_python_problems():
    """An interrupt may arrive at any bytecode of a callback; it must reach the caller, and the tree stay right."""
    call(interrupt_a_python_problem)


class Oracle:
    """Values and, if asked, priors; fails now and then."""

    def __init__(self, gives_prior, fail_every=0):
        self.gives_prior, self.fail_every, self.count = gives_prior, fail_every, 0

    def evaluate(self, batch):
        self.count += 1
        if self.fail_every and self.count % self.fail_every == 0:
            raise OSError("gone")
        return (np.ones((1, 3)) if self.gives_prior else None), [0.5]


@pytest.mark.parametrize("gives_prior", [True, False])
@pytest.mark.parametrize("algorithm", [bt.BTS(alpha=0.3), bt.UCT(c=1.0), bt.DENTS(alpha=0.3)], ids=lambda a: a.name)
def test_evaluators_that_fail(algorithm, gives_prior):
    search = bt.Search(random_mdp(3, horizon=6).problem(), algorithm, seed=0, evaluator=Oracle(gives_prior, 7))
    while search.trials < 500:
        try:
            search.run(trials=500 - search.trials)
        except OSError:
            check_invariants(search)
    if algorithm.name == "DENTS":
        check_entropies(search)


def interrupt_an_evaluator():
    search = bt.Search(random_mdp(3, horizon=6).problem(), bt.BTS(), seed=0, evaluator=Oracle(True))
    for k in range(15):
        with Interrupt(after=0.0015 * k) as interrupt, pytest.raises(KeyboardInterrupt):
            interrupt.run(search)
        before = search.trials
        search.run(trials=1)
        assert search.trials == before + 1
    check_invariants(search)


def test_interrupts_while_evaluating():
    call(interrupt_an_evaluator)


def test_a_prior_that_fails_once():
    class Prior(Fragile):
        @staticmethod
        def prior(params, state, out):
            out[0] = 1.0
            out[1] = -1.0 if state.x == params.chance else 2.0
            out[2] = 3.0

    search = bt.Search(Prior(chance=0.0), bt.DENTS(alpha=0.3), seed=0, evaluator=0.0)
    with pytest.raises(bt.ProblemError, match="a prior must be finite"):
        search.run(trials=10)
    assert search.tree.storage.nodes[0].block == NONE
    assert search.tree.fields.unit_count == 0


def test_advancing_to_what_fails_keeps_the_search():
    class Players(Fragile):
        @staticmethod
        def player(params, state):
            if state.depth == 1 and params.chance < 0:
                raise RuntimeError("nobody's turn")
            return 0

    search = bt.Search(Players(chance=0.0), bt.BTS(), seed=0, evaluator=0.0)
    search.run(trials=200)
    before = search.root.visits.tolist()
    search.problem.plain_player = lambda state: (_ for _ in ()).throw(RuntimeError("nobody's turn"))
    with pytest.raises(RuntimeError, match="nobody's turn"):
        search.advance(1, {"x": 77, "depth": 1})  # not in the tree: whose turn it is must be asked
    assert search.root.visits.tolist() == before
    search.run(trials=10)


# Saving


def test_an_index_is_made_again_after_loading_and_advancing(tmp_path):
    problem = Noise(outcomes=10**9, fail=-1)
    search = bt.Search(problem, bt.UCT(c=1.0), seed=0, evaluator=0.0)
    search.run(trials=20_000)
    search.save(tmp_path / "s.npz")
    loaded = bt.Search.load(tmp_path / "s.npz", problem=problem)
    for one in (search, loaded):
        one.run(trials=100)
    assert same_tree(search, loaded)


def test_loading_goes_by_what_is_given(tmp_path):
    path = tmp_path / "s.npz"
    problem = random_mdp(1).problem()
    search = bt.Search(problem, bt.BTS(alpha=lambda m: 1.0), seed=0)
    search.run(trials=100)
    search.save(path)
    colder = bt.Search.load(path, algorithm=bt.BTS(alpha=0.01), evaluator=0.0)
    colder.run(trials=100)  # neither the old function's address nor the old evaluator is used
    check_invariants(colder)
    with pytest.raises(bt.ParameterError, match="with other parameters"):
        bt.Search.load(path, problem=random_mdp(2).problem(), algorithm=bt.BTS())
    with pytest.raises(bt.ParameterError, match=r"is 0 in the file, but 1 for what was given"):
        bt.Search.load(path, algorithm=bt.BTS(alias=True))


@pytest.mark.parametrize(
    "algorithm", [bt.ANTS(), bt.PUCT(noise=0.3), bt.DENTS(), bt.HMCTS(budget=500)], ids=lambda a: a.name
)
def test_saving_after_advancing(algorithm, tmp_path):
    search = bt.Search(random_mdp(6, horizon=6).problem(), algorithm, seed=0, max_nodes=np.int64(5000))
    search.run(trials=300)
    for _ in range(2):
        action = max(
            (a for a in search.children), key=lambda a: max(c.count * (not c.terminal) for c in search.children[a])
        )
        child = max(search.children[action], key=lambda c: c.count * (not c.terminal))
        search.advance(action, child.state, horizon="receding")
        search.run(trials=200)
    search.save(tmp_path / "s.npz")
    loaded = bt.Search.load(tmp_path / "s.npz")
    for one in (search, loaded):
        one.run(trials=200)
    assert same_tree(search, loaded)


def test_python_problems_are_not_saved(tmp_path):
    search = bt.Search(Slow(), bt.BTS(), seed=0, evaluator=0.0)
    with pytest.raises(bt.ParameterError, match="its search cannot be saved"):
        search.save(tmp_path / "s.npz")


# Copies, processes, threads


def test_problems_can_be_copied_and_pickled():
    problem = bt.problems.FrozenLake("8x8")
    expected = bt.Search(problem, bt.UCT(), seed=0)
    expected.run(trials=500)
    text = pickle.dumps(problem)
    copied = copy.deepcopy(problem)
    del problem
    gc.collect()
    for other in (copied, pickle.loads(text)):
        search = bt.Search(other, bt.UCT(), seed=0)
        search.run(trials=500)
        assert search.root.visits.tolist() == expected.root.visits.tolist()
    program = (
        f"import pickle, boltree as bt; s = bt.Search(pickle.loads({text!r}), bt.UCT(), seed=0); s.run(trials=500); "
        "print(s.root.visits.tolist())"
    )
    environment = os.environ | {"BOLTREE_QUIET": "1"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(expected.root.visits.tolist())
    grid = pickle.loads(pickle.dumps(Slow()))
    bt.Search(grid, bt.BTS(), seed=0, evaluator=0.0).run(trials=50)


def test_searches_are_not_pickled():
    search = bt.Search(bt.problems.DChain(4), bt.BTS(), seed=0)
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match=r"use search\.save"):
            attempt(search)


def test_one_search_is_for_one_thread_at_a_time():
    search = bt.Search(bt.problems.FrozenLake("8x8"), bt.BTS(alpha=0.1), seed=0)
    refused = []

    def work():
        try:
            search.run(trials=100)
        except RuntimeError as error:
            refused.append(str(error))

    def others(_):
        """Others try while it runs."""
        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return True

    assert search.run(stop=others) == "stop"
    assert len(refused) == 2
    assert "already running" in refused[0]
    assert search.root.count == search.trials
    work()
    assert len(refused) == 2  # nobody runs it any more


def test_separate_searches_in_threads():
    def work(seed, found):
        search = bt.Search(bt.problems.FrozenLake("8x8"), bt.DENTS(alpha=0.1), seed=seed)
        search.run(trials=20_000)
        found[seed] = search.root.visits.tolist()

    alone: dict[int, list[int]] = {}
    together: dict[int, list[int]] = {}
    for seed in range(4):
        work(seed, alone)
    threads = [threading.Thread(target=work, args=(seed, together)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert alone == together


# What users write


def test_functions_may_make_arrays_of_their_own():
    class Sums(Fragile):
        @staticmethod
        def step(params, state, action, rng):
            values = np.zeros(3)
            values[action] = 1.0
            return values.sum(), True

    search = bt.Search(Sums(chance=0.0), bt.UCT(c=1.0), seed=0)
    search.run(trials=100)
    assert search.root.q.tolist() == [1.0, 1.0, 1.0]


def test_parameters_cannot_be_changed():
    class Writes(bt.Problem):
        state = bt.record(x="i4")
        params = bt.record(w="f8[:]")
        actions, horizon = 2, 3

        @staticmethod
        def start(params, state, rng):
            state.x = 0

        @staticmethod
        def step(params, state, action, rng):
            params.w[0] = 5.0
            return params.w[0], False

    with pytest.raises(ValueError, match="read-only"):
        bt.check(Writes(w=[1.0]))
    with pytest.raises(bt.ProblemError, match="parameters cannot be changed"):
        bt.Search(Writes(w=[1.0]), bt.UCT())


def test_states_are_readable():
    search = bt.Search(bt.problems.DChain(5), bt.BTS(), seed=0)
    state = search.root.state
    assert state.d == state["d"] == 1
    assert repr(state) == "State(d=1)"
    assert repr(search).startswith("<Search DChain by BTS: 0 trials")
    assert repr(search.problem) == "DChain(length=5, final_reward=1.0)"


def test_long_trees_print_shortly(capsys):
    search = bt.Search(Noise(outcomes=10**9, fail=-1), bt.UCT(c=1.0), seed=0, evaluator=0.0)
    search.run(trials=5_000)
    search.tree(2)
    shown = capsys.readouterr().out
    assert "outcomes with few trials each" in shown
    assert shown.count("\n") < 200
