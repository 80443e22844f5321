"""Many searches at once: each is the search that it would be alone, bit for bit, on any number of threads."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from examples.connect_four.network import ConnectFourNetwork

import boltree as bt
from boltree.batches.together import Arrivals
from boltree.core.memory.layout import TREE
from boltree.core.trial.seeds import write_words
from child import LONG, Interrupt, call
from mdps import random_mdp
from test_batches import Guess
from test_invariants import ALGORITHMS

NAMES = [f"{one.name}-{i}" for i, one in enumerate(ALGORITHMS)]


def check_alone(found, problem_of, states, algorithm, trials, **options):
    """Every search's numbers are those of a `bt.Search` with its seed."""
    for i in range(len(found)):
        problem = problem_of(i)
        state = None if states is None else states[i]
        alone = bt.Search(problem, algorithm, state=state, seed=found.seeds[i], **options)
        alone.run(trials=trials)
        root = alone.root
        visits, q = np.zeros(problem.actions, np.int64), np.full(problem.actions, np.nan)
        policy = np.zeros(problem.actions)
        visits[root.actions], q[root.actions], policy[root.actions] = root.visits, root.q, root.policy
        assert found.actions[i] == (-1 if root.recommended is None else root.recommended)
        assert found.values[i] == root.value
        assert (found.visits[i] == visits).all()
        assert np.array_equal(found.q[i], q, equal_nan=True)
        assert np.array_equal(found.policy[i], policy)


def test_seeds_are_what_numpy_makes_of_them():
    seeds = np.array([0, 1, 2**32 - 1, 2**32, 2**64 - 1, *np.random.default_rng(0).integers(0, 2**63, 200)], np.uint64)
    words = np.zeros((seeds.size, 3), np.uint64)
    write_words(seeds, np.zeros(4, np.uint64), words)
    for seed, row in zip(seeds.tolist(), words, strict=True):
        assert (row == np.random.SeedSequence(seed).generate_state(3, np.uint64)).all()


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=NAMES)
@pytest.mark.parametrize("growth", ["leaf", "trial"])
def test_one_player_with_chance(algorithm, growth):
    """Different problems with legal masks and their own horizons, one memory after another: nothing is left behind."""
    mdps = [random_mdp(seed, actions=4, horizon=3 + seed % 4, discount=0.9) for seed in range(5)]
    problems = [mdp.problem() for mdp in mdps]
    given = [problems[i % 5] for i in range(12)]
    for trials in (1, 2, 90):
        found = bt.search_many(given, algorithm, trials, seed=trials, growth=growth)
        check_alone(found, lambda i: given[i], None, algorithm, trials, growth=growth)


@pytest.mark.parametrize("algorithm", [*ALGORITHMS, bt.PUCT(noise=0.25)], ids=[*NAMES, "noise"])
def test_two_players(algorithm):
    """States of one game, with either player to move and columns that are full."""
    game = bt.problems.ConnectFour()
    moves = ["", "3", "333333", "0000001", "32323", "01234560", "111111"]
    states = np.array([bt.problems.ConnectFour(one).start_state() for one in moves])
    found = bt.search_many(states, algorithm, 64, threads=2, problem=game, seed=5)
    check_alone(found, lambda i: game, states, algorithm, 64)
    assert (found.visits[2, 3], found.policy[2, 3]) == (0, 0.0)
    assert np.isnan(found.q[2, 3])
    assert np.allclose(found.policy.sum(axis=1), 1.0)
    assert np.allclose(found.shares.sum(axis=1), 1.0)


class Drift(bt.Problem):
    """Never in the same state twice, from a start that is drawn."""

    state = bt.record(x="f8")
    actions = 2
    horizon = 4

    @staticmethod
    def start(params, state, rng):
        state.x = bt.uniform(rng)

    @staticmethod
    def step(params, state, action, rng):
        state.x += bt.uniform(rng) * (action + 1)
        return state.x, False

    @staticmethod
    def heuristic(params, state):
        return 2.0 * state.x


def test_many_outcomes_and_drawn_starts():
    """Edges with so many outcomes that they are looked up, in every search anew."""
    problem = Drift()
    for algorithm in (bt.UCT(), bt.BTS(alpha=0.5)):
        found = bt.search_many([problem] * 6, algorithm, 300, seed=1, evaluator="heuristic")
        check_alone(found, lambda i: problem, None, algorithm, 300, evaluator="heuristic")
    assert len(set(found.values)) == 6


class Counting(bt.PythonProblem):
    """In plain Python, from any whole number."""

    actions, horizon, deterministic = 3, 6, True

    def start(self, rng):
        return 0

    def step(self, state, action, rng):
        if state > 40:
            raise ValueError(f"{state} is too much")
        return state + action, float(action == state % 3), False


def test_problems_in_python():
    problem = Counting()
    found = bt.search_many([0, 3, 7], bt.BTS(alpha=0.2), 50, problem=problem, seed=0)
    check_alone(found, lambda i: problem, [0, 3, 7], bt.BTS(alpha=0.2), 50)
    with pytest.raises(bt.ProblemError, match=r"search 1 of 3, from 39: ValueError: \d+ is too much") as raised:
        bt.search_many([0, 39, 50], bt.UCT(), 200, problem=problem, seed=0)
    assert isinstance(raised.value.__cause__, ValueError)
    with pytest.raises(bt.ParameterError, match="threads=4: Counting runs Python code, which one thread at a time can"):
        bt.search_many([0, 3], bt.UCT(), 50, threads=4, problem=problem)


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_threads_change_nothing(threads):
    problem = bt.problems.SyntheticTree(8, 12, seed=1)
    states = np.zeros(200, problem.state_layout())
    states["path"] = np.arange(200)
    one = bt.search_many(states, bt.DENTS(alpha=0.1), 40, problem=problem, seed=3, evaluator=0.0)
    many = bt.search_many(states, bt.DENTS(alpha=0.1), 40, threads, problem=problem, seed=3, evaluator=0.0)
    for name in ("actions", "visits", "q", "values", "policy", "seeds"):
        assert getattr(one, name).tobytes() == getattr(many, name).tobytes()
    assert len(set(one.seeds.tolist())) == len(one) == 200
    other = bt.search_many(states, bt.DENTS(alpha=0.1), 40, problem=problem, seed=4, evaluator=0.0)
    assert other.visits.tobytes() != one.visits.tobytes()


def test_what_says_where_memory_lies_stays_a_workers_own():
    """Everything outside of one part of the record is taken from a fresh one: no address may lie there."""
    places = {name: TREE.fields[name][1] for name in TREE.names}
    for name, place in places.items():
        if name.endswith("_at") and name not in ("params_at", "box_at"):  # these are the problem's own
            assert places["nodes_at"] <= place < places["growth"], name


# Evaluators


@pytest.mark.parametrize("algorithm", [bt.PUCT(), bt.PUCT(noise=0.25), bt.BTS(alpha=0.2), bt.HMCTS()], ids=repr)
def test_many_searches_with_an_evaluator_do_what_each_does_alone(algorithm):
    game = bt.problems.TicTacToe()
    found = bt.search_many([game] * 150, algorithm, 24, threads=2, seed=0, evaluator=Guess(2))
    with bt.Together(Guess(2)) as together:
        check_alone(found, lambda i: game, None, algorithm, 24, evaluator=together)
        again = bt.search_many([game] * 150, algorithm, 24, seed=0, evaluator=together)
        assert again.visits.tobytes() == found.visits.tobytes()
        assert bt.Search(game, algorithm, evaluator=together).run(trials=4) == "trials"  # it is still open


@pytest.mark.parametrize("algorithm", [bt.PUCT(), bt.BTS(alpha=0.2), bt.HMCTS()], ids=lambda one: one.name)
def test_leaves_share_batches(algorithm, monkeypatch):
    """No answer comes before 40 searches have asked; so what they ask stands in few batches."""
    asked, enough, add = [], threading.Event(), Arrivals.add

    def noted(self, one):
        add(self, one)
        asked.append(one)
        if len(asked) == 40:
            enough.set()

    class Waiting(Guess):
        def evaluate(self, batch):
            assert enough.wait(LONG)
            return super().evaluate(batch)

    monkeypatch.setattr(Arrivals, "add", noted)
    guess = Waiting(2, prior=False)  # else the searches' roots would be asked about before their leaves
    bt.search_many([bt.problems.TicTacToe()] * 150, algorithm, 24, threads=2, seed=0, evaluator=guess)
    assert max(guess.sizes) >= 40 / (bt.Together.at_once + 1)


class Scaled(bt.Problem):
    """What an evaluator sees of a state depends on the problem."""

    state = bt.record(x="i4")
    params = bt.record(scale="f8")
    actions = 9
    horizon = 6
    features_shape = (2,)

    @staticmethod
    def start(params, state, rng):
        state.x = 1

    @staticmethod
    def step(params, state, action, rng):
        state.x = 9 * state.x + action
        return params.scale * action, False

    @staticmethod
    def features(params, state, out):
        out[0] = params.scale * state.x


def test_every_problem_has_its_own_features():
    problems = [Scaled(scale=float(i), horizon=3 + i) for i in range(4)]
    given = [problems[i % 4] for i in range(80)]
    found = bt.search_many(given, bt.PUCT(), 20, seed=0, evaluator=Guess(2))
    with bt.Together(Guess(2)) as together:
        check_alone(found, lambda i: given[i], None, bt.PUCT(), 20, evaluator=together)


def test_a_network():
    game, network = bt.problems.ConnectFour(), ConnectFourNetwork.load()
    states = [bt.problems.ConnectFour(moves).start_state() for moves in ("001122", "6001122", "323236", "32323")]
    found = bt.search_many(states * 20, bt.PUCT(), 64, problem=game, seed=0, evaluator=network)
    assert (found.actions == 3).all()


# What goes wrong


class Trap(bt.Problem):
    """Some states raise, pay what is no number, or belong to nobody."""

    state = bt.record(x="i4")
    actions = 2
    horizon = 5

    @staticmethod
    def start(params, state, rng):
        state.x = 0

    @staticmethod
    def step(params, state, action, rng):
        if state.x == 7:
            raise ValueError("seven")
        state.x += 100
        return (np.nan if state.x == 103 else 1.0), False

    @staticmethod
    def player(params, state):
        if state.x == 8:
            raise KeyError("eight")
        return 2 if state.x == 9 else 0

    @staticmethod
    def legal(params, state, mask):
        mask[:] = state.x != 5


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (7, r"search 20 of 60, from State\(x=7\): ValueError: seven"),
        (3, r"search 20 of 60, from State\(x=3\): Trap.step: reward=nan for action \d in state State\(x=3\)"),
        (8, r"search 20 of 60, from State\(x=8\): KeyError: 'eight'"),
        (9, r"search 20 of 60, from State\(x=9\): Trap.player returned 2"),
        (5, r"search 20 of 60, from State\(x=5\): Trap: no legal action"),
    ],
)
@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("evaluator", [0.0, Guess(2, actions=2)], ids=["number", "evaluator"])
def test_the_first_search_that_fails_is_named(bad, message, threads, evaluator, monkeypatch):
    if evaluator == 0.0:
        states = [(0,)] * 20 + [(bad,)] + [(0,)] * 30 + [(bad,)] + [(0,)] * 8
    else:
        states = [(0,)] * 20 + [(bad,)] + [(0,)] * 39
        monkeypatch.setattr("boltree.search.many.IN_FLIGHT", 3)  # whose memory has had others in it
    problem = Trap()
    with pytest.raises(bt.ProblemError, match=message):
        bt.search_many(states, bt.UCT(), 30, threads, problem=problem, seed=0, evaluator=evaluator)
    assert len(bt.search_many(states[:20], bt.UCT(), 30, threads, problem=problem, seed=0, evaluator=evaluator)) == 20


@pytest.mark.parametrize("algorithm", [bt.UCT(), bt.PUCT(noise=0.2)], ids=["UCT", "noise"])
@pytest.mark.parametrize(
    ("bad", "message"), [(8, "KeyError: 'eight'"), (9, "Trap.player returned 2"), (7, "ValueError")]
)
def test_the_very_first_is_named_too(algorithm, bad, message):
    with pytest.raises(bt.ProblemError, match=rf"search 0 of 2, from State\(x={bad}\): {message}"):
        bt.search_many([(bad,), (0,)], algorithm, 30, problem=Trap(), evaluator=0.0)


def test_a_start_that_fails_is_named():
    class Late(Counting):
        late = False

        def start(self, rng):
            if self.late:
                raise RuntimeError("no start")
            return 0

    problems = [Late(), Late(), Late()]
    problems[1].late = True
    with pytest.raises(bt.ProblemError, match="search 1 of 3: RuntimeError: no start"):
        bt.search_many(problems, bt.UCT(), 5)


def test_a_failing_evaluator_is_not_a_searchs_error():
    class Gone(Guess):
        def evaluate(self, batch):
            if len(self.sizes) > 3:
                raise OSError("the network is gone")
            return super().evaluate(batch)

    with pytest.raises(OSError, match=r"^the network is gone$"):
        bt.search_many([bt.problems.TicTacToe()] * 9, bt.PUCT(), 64, evaluator=Gone(2))
    with pytest.raises(bt.ParameterError, match=r"^evaluator: 9 priors|^evaluator: a prior of 9 entries"):
        bt.search_many([bt.problems.ConnectFour()] * 9, bt.PUCT(), 64, evaluator=Guess(2))


def test_memory_is_bounded():
    problem = bt.problems.SyntheticTree(8, 12)
    message = r"search 0 of 3, from State\(.*\): max_bytes=30000: there is room for \d+ of 900 trials"
    for evaluator in (0.0, Guess(2, actions=8)):
        with pytest.raises(bt.ProblemError, match=message.replace("0 of", r"\d of")):
            bt.search_many([problem] * 3, bt.UCT(), 900, seed=0, evaluator=evaluator, max_bytes=30_000)
    with pytest.raises(bt.ParameterError, match="max_bytes=100: one trial of this problem may need"):
        bt.search_many([problem] * 3, bt.UCT(), 900, evaluator=0.0, max_bytes=100)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"trials": 0}, "trials=0: must be an integer of at least 1"),
        ({"threads": True}, "threads=True: must be"),
        ({"seed": -1}, "seed=-1: must be"),
        ({"problem": 3}, "problem=3: must be a bt.Problem"),
        ({"problems_or_states": []}, "problems_or_states: is empty"),
        ({"problems_or_states": bt.problems.TicTacToe()}, "for one search use bt.Search"),
        ({"problems_or_states": [1, 2]}, r"problems_or_states\[0\]=1: must be problems of one kind, or states with"),
        (
            {"problems_or_states": [bt.problems.DChain(3), bt.problems.TicTacToe()]},
            r"problems_or_states\[1\]=TicTacToe with 9 actions: must be like the first, DChain with 2 actions",
        ),
        (
            {"problem": Trap(), "problems_or_states": [(1,), (1, 2)]},
            r"search 1 of 2: Trap: state \(1, 2\) does not fit",
        ),
        ({"problem": Trap(), "problems_or_states": "abc"}, "must be many states"),
        ({"problem": Trap(), "problems_or_states": np.zeros(3, [("y", "i4")])}, "Trap: states without the field x"),
        ({"algorithm": "uct"}, "algorithm='uct': must be an algorithm"),
        ({"growth": "tree"}, "growth='tree': must be"),
        ({"evaluator": "guess"}, "evaluator='guess': must be"),
    ],
)
def test_arguments_are_checked(arguments, message):
    usual = {"problems_or_states": [bt.problems.DChain(3)], "algorithm": bt.UCT(), "trials": 5}
    with pytest.raises(ValueError, match=message):
        bt.search_many(**{**usual, **arguments})


def interrupt_many(threads, asks):
    game = bt.problems.TicTacToe()
    with Interrupt(after=0.1) as interrupt:

        class Asked(Guess):
            def evaluate(self, batch):
                interrupt.ready()
                return super().evaluate(batch)

        def reading(now=time.perf_counter):
            """Somebody who runs searches looks at the clock."""
            interrupt.ready()
            return now()

        evaluator = Asked(2, delay=0.001) if asks else "rollout"
        bt.search_many([game] * 2, bt.PUCT(), 5, threads, evaluator=Guess(2) if asks else "rollout")
        with pytest.MonkeyPatch.context() as patch:
            if not asks:
                patch.setattr(time, "perf_counter", reading)
            with pytest.raises(KeyboardInterrupt):
                bt.search_many([game] * 3000, bt.PUCT(), 20_000, threads, evaluator=evaluator)
        assert time.process_time() - interrupt.processor_seconds < 5.0  # all of them would take minutes
    assert len(bt.search_many([game] * 2, bt.PUCT(), 5, threads, evaluator=evaluator)) == 2


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("asks", [False, True], ids=["rollout", "evaluator"])
def test_ctrl_c(threads, asks):
    """It ends at once, and the next one runs."""
    call(interrupt_many, threads, asks)


def test_without_compiling():
    """The kernels can be stepped through in plain Python, with the same result."""
    program = (
        "import numpy as np, boltree as bt\n"
        "game = bt.problems.TicTacToe()\n"
        "found = bt.search_many([game] * 3, bt.DENTS(alpha=0.2), 12, seed=0, evaluator=0.0)\n"
        "print(found.visits.tolist(), found.q.tobytes().hex(), found.policy.round(12).tolist())\n"
    )
    game = bt.problems.TicTacToe()
    found = bt.search_many([game] * 3, bt.DENTS(alpha=0.2), 12, seed=0, evaluator=0.0)
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    plain = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=True)
    expected = f"{found.visits.tolist()} {found.q.tobytes().hex()} {found.policy.round(12).tolist()}"
    assert plain.stdout.strip() == expected
