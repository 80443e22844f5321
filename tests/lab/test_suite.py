"""The suite: regrets worked out by hand, false proofs found, problems that are always the same, and its command."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

polars = pytest.importorskip("polars", reason="the lab keeps results with polars")

import boltree as bt  # noqa: E402
from boltree.cli.commands import main  # noqa: E402
from boltree.jobs.settings import Setting  # noqa: E402
from boltree.lab.suite.case import Case  # noqa: E402
from boltree.lab.suite.choice import chosen_cases  # noqa: E402
from boltree.lab.suite.decisions import Proof, Regret, is_false  # noqa: E402
from boltree.lab.suite.grid import GRID, PLAN  # noqa: E402
from boltree.lab.suite.horizons import LIMIT, triples  # noqa: E402
from boltree.lab.suite.job import SuiteJob, jobs_for, proofs_for  # noqa: E402
from boltree.lab.suite.planners import Decision, Fixed, Planner  # noqa: E402
from boltree.lab.suite.problems import RANDOM, case_named, cases  # noqa: E402
from boltree.lab.suite.proofs import proof_tables  # noqa: E402
from boltree.lab.suite.regret import Examination  # noqa: E402
from boltree.lab.suite.report import regret_tables, report  # noqa: E402
from boltree.lab.suite.standings import Entry, standings_of  # noqa: E402

TINY = ("average-return-trap", "d-chain")


def two_steps() -> bt.Problem:
    """First on (0) or 0.2 and the end (1); then 1 (0) or nothing (1). Acting at random, 0.4 and 0.5 are lost."""
    end = 2
    first = [[(1.0, 1, 0.0, False)], [(1.0, end, 0.2, True)]]
    second = [[(1.0, end, 1.0, True)], [(1.0, end, 0.0, True)]]
    return bt.problems.OutcomeTable([first, second, []], horizon=2)


def watched(*_: object) -> None:
    """A watcher that does not look."""


def by_values(best: bool) -> Planner:
    """A planner that solves what it is given and takes the best action, or the worst."""

    def decide(problem: bt.Problem, state: Any, trials: int | None, seconds: float | None, seed: int) -> Decision:
        solution = bt.solve(problem, state=state)
        record = problem.as_state(state)
        q = solution.q(record, 0) * (-1.0 if int(bt.Search(problem, bt.UCT(), state=state).root.player) else 1.0)
        actions = solution.actions(record, 0)
        return Decision(int(actions[int(np.argmax(q) if best else np.argmin(q))]), solution.root_value, best, 1, 0.0)

    return decide


def test_regret_by_hand() -> None:
    examination = Examination(two_steps(), 2)
    start, later = examination.positions
    assert (start.q, later.q) == ({0: 1.0, 1: 0.2}, {0: 1.0, 1: 0.0})
    assert (start.value, later.value) == (1.0, 1.0)
    assert (start.problem.horizon, later.problem.horizon) == (2, 1)
    assert (start.stake, later.stake) == pytest.approx((0.4, 0.5))
    assert examination.regret([0, 0]) == 0.0
    assert examination.regret([1, 0]) == pytest.approx(0.8 / 0.9)
    assert examination.regret([0, 1]) == pytest.approx(1.0 / 0.9)
    with pytest.raises(bt.ParameterError, match="action=7: must be a legal action: 0, 1"):
        examination.regret([7, 0])


def test_a_regret_where_nothing_is_at_stake_is_0() -> None:
    table = bt.problems.OutcomeTable([[[(1.0, 1, 1.0, True)], [(1.0, 1, 1.0, True)]], []], horizon=1)
    assert Examination(table, 3).regret([1]) == 0.0


def test_the_worst_planner_loses_what_it_does_by_hand() -> None:
    worst = Regret(2).run(two_steps(), by_values(best=False), 1, None, 0, watched)
    assert worst["regret"] == pytest.approx((0.8 + 1.0) / 0.9)
    assert (worst["answers"], worst["proven"], worst["false"]) == (2, 0, 0)
    best = Regret(2).run(two_steps(), by_values(best=True), 1, None, 0, watched)
    assert (best["regret"], best["answers"], best["proven"], best["false"]) == (0.0, 2, 2, 0)


def test_a_player_loses_by_what_is_worse_for_them() -> None:
    """Who takes the last of three matches wins: from 3 all of them are taken, from 2 and 1 too, by either player."""
    game = bt.problems.Nim((3,), misere=False)
    seconds = [one for one in Examination(game, 9).positions if one.problem.horizon == 2]
    assert [one.q for one in seconds] == [{0: -1.0, 1: 1.0}]  # player 1's, who takes one of two matches, or both
    assert [one.value for one in seconds] == [-1.0]  # player 0's
    assert seconds[0].loss(0) == 2.0
    assert Regret(9).run(game, by_values(best=True), 1, None, 0, watched)["regret"] == 0.0
    assert Regret(9).run(game, by_values(best=False), 1, None, 0, watched)["regret"] > 1.0


@pytest.mark.parametrize(
    ("action", "value", "proven", "false"),
    [
        (0, 1.0, True, False),
        (0, 1.0 + 5e-10, True, False),
        (0, 1.0 + 2e-9, True, True),
        (0, 0.9, True, True),
        (1, 1.0, True, True),
        (0, math.nan, True, True),
        (1, 0.0, False, False),
    ],
)
def test_a_false_proof_is_one(action: int, value: float, proven: bool, false: bool) -> None:
    start = Examination(two_steps(), 1).positions[0]
    decision = Decision(action, value, proven, 1, 0.0)
    assert is_false(decision, start) == false
    numbers = Proof().run(two_steps(), lambda *_: decision, None, 1.0, 0, watched)
    assert (numbers["false"], numbers["proven"]) == (int(false), int(proven))


def plans(monkeypatch: pytest.MonkeyPatch, **answers: tuple[int, float, bool]) -> None:
    """Replace `bt.plan` by one that gives these answers on problems of these classes, and solves all others."""
    right = by_values(best=True)

    def plan(problem: bt.Problem, *, trials: Any, seconds: Any, state: Any, seed: Any) -> Any:
        decision = right(problem, state, trials, seconds, seed)
        action, value, proven = answers.get(type(problem).__name__, (decision.action, decision.value, True))
        return SimpleNamespace(action=action, value=value, proven=proven, trials=1)

    monkeypatch.setattr(bt, "plan", plan)


def run(out: Path, *words: str) -> int:
    return main(["suite", "--out", str(out), "--workers", "1", *words])


def test_a_planted_false_proof_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    plans(monkeypatch, DChain=(1, 0.75, True), AdaptedChain=(0, 0.0, False))
    chains = ("d-chain", "adapted-chain", "average-return-trap")
    assert run(tmp_path, "--part", "proofs", "--problems", *chains, "tic-tac-toe") == 0
    shown = capsys.readouterr().out
    assert "FALSE: d-chain (its value by 0.25)." in shown
    assert "Not proven within 2 s: adapted-chain." in shown
    lines = [line.split()[:4] for line in shown.splitlines()]
    for line in (["chains", "3", "1", "1"], ["games", "1", "1", "0"], ["all", "4", "2", "1"]):
        assert line in lines


def test_false_proofs_of_decisions_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    plans(monkeypatch, DChain=(1, 0.75, True))
    assert run(tmp_path, "--part", "regrets", "--settings", "plan", "--trials", "5", "--problems", *TINY) == 0
    shown = capsys.readouterr().out
    answers = [len(Examination(case_named(name).make(), 6).positions) for name in TINY]
    assert f"Called proven: {sum(answers)} of {sum(answers)} decisions, {answers[1]} of them falsely." in shown
    assert "FALSE: d-chain (bt.plan)." in shown


def test_a_proof_that_comes_late_does_not_count() -> None:
    row = {"problem": "slow", "family": "any", "time_limit": 2.0, "proven": 1.0, "false": 0.0, "error": 0.0}
    frame = polars.DataFrame([row | {"seconds": 1.5, "problem": "quick"}, row | {"seconds": 2.1}])
    (table,), notes = proof_tables(frame)
    assert table.rows == [["any", "2", "1", "0", "1.50 s"], ["all", "2", "1", "0", "1.50 s"]]
    assert notes == ["Not proven within 2 s: slow (proven after 2.10 s)."]


def results(of: dict[str, dict[str, Sequence[float]]], *, score: bool = False, trials: int = 100) -> Any:
    """Results of contenders on problems, a number a repeat; the problem's first letter is its family."""
    rows = [
        {
            "problem": problem, "family": problem[0], "label": label, "budget": trials, "repeat": repeat,
            "regret": math.nan if score else number, "score": number if score else math.nan,
            "random": 2.0 if score else math.nan, "seconds": 0.5, "proven": math.nan,
            "time_limit": math.nan, "machine": "here",
        }
        for label, by_problem in of.items() for problem, numbers in by_problem.items()
        for repeat, number in enumerate(numbers)
    ]  # fmt: skip
    return polars.DataFrame(rows)


REGRETS = {
    "bt.plan": {"a1": [0.1], "a2": [0.3], "b1": [0.6]},  # families 0.2 and 0.6
    "one": {"a1": [0.0], "a2": [0.2], "b1": [0.9]},  # 0.1 and 0.9
    "other": {"a1": [1.0], "a2": [0.4], "b1": [0.1]},  # 0.7 and 0.1
}


def test_standings_by_hand() -> None:
    found = standings_of(results(REGRETS))
    assert [float(found.regret(label, 100)[0]) for label in found.labels] == pytest.approx([0.4, 0.5, 0.4])
    assert found.grid == ["one", "other"]
    assert found.best_single(100) == "other"
    each = found.best_for_each(100)
    assert {problem: float(numbers[0]) for problem, numbers in each.items()} == {"a1": 0.0, "a2": 0.2, "b1": 0.1}
    assert float(found.mean(each)[0]) == pytest.approx((0.1 + 0.1) / 2)
    short, contenders, families = regret_tables(found)
    assert short.rows == [["100", "other", "0.4000", "0.1000", "0.4000", "1.00", "4.00"]]
    assert [row[:2] for row in contenders.rows][2] == ["one", "0.5000"]
    assert {row[-1] for row in contenders.rows} == {"500"}
    assert families.rows == [
        ["a", "2", "0.2000", "0.7000", "0.1000", "500", "500"],
        ["b", "1", "0.6000", "0.1000", "0.1000", "500", "500"],
    ]


def test_repeats_give_an_interval() -> None:
    found = standings_of(results({"bt.plan": {"a1": [0.1, 0.3], "b1": [0.5, 0.7]}}))
    assert found.regret("bt.plan", 100) == pytest.approx([0.3, 0.5])
    (short, *_) = regret_tables(found)
    assert short.rows == [["100", "0.4000 ± 1.2706"]]  # 12.706, Student's t, times 0.1


def test_scores_become_regrets_by_the_best_that_was_seen_and_the_random_policy() -> None:
    few = results({"bt.plan": {"a1": [7.0]}, "one": {"a1": [4.0]}}, score=True)
    many = results({"bt.plan": {"a1": [10.0]}, "one": {"a1": [11.0, 13.0]}}, score=True, trials=1000)
    found = standings_of(polars.concat([few, many]))  # the best mean is 12, the random policy's 2
    assert {entry: of["a1"].tolist() for entry, of in found.regrets.items()} == {
        Entry("bt.plan", 100): [0.5],
        Entry("one", 100): [0.8],
        Entry("bt.plan", 1000): [0.2],
        Entry("one", 1000): pytest.approx([0.1, -0.1]),
    }
    assert found.scored == {"a1"}
    assert not found.left_out


def test_scores_that_say_nothing_are_left_out(tmp_path: Path) -> None:
    hopeless = results({"bt.plan": {"h1": [2.0]}, "one": {"h1": [1.0]}}, score=True)
    frame = polars.concat([results({label: REGRETS[label] for label in ("bt.plan", "one")}), hopeless])
    found = standings_of(frame)
    assert found.left_out == {"h1"}
    assert float(found.regret("one", 100)[0]) == pytest.approx(0.5)
    assert "Left out: h1: scores on which" in report(frame, tmp_path)
    alone = report(results({"bt.plan": {"a1": [7.0]}}, score=True), tmp_path)
    assert "Left out: a1" in alone
    assert "Mean regret" not in alone


def test_jobs_are_pure_functions_of_their_rows() -> None:
    contenders = (*PLAN, GRID[0], GRID[-1])
    jobs = jobs_for([case_named(name) for name in TINY], contenders, [30, 10], repeats=2)
    assert [job.trials for job in jobs] == [10] * 12 + [30] * 12
    assert len({job.key() for job in jobs}) == len(jobs)

    def numbers(job: SuiteJob) -> dict[str, Any]:
        return {name: number for name, number in job.run().items() if name != "seconds"}

    first = [numbers(job) for job in jobs]
    again = [numbers(job) for job in reversed(jobs)][::-1]
    np.testing.assert_equal(first, again)
    assert len({job.seed() for job in jobs}) == 4  # by problem and repeat, the same for every contender
    assert all(set(one) == set(first[0]) for one in first)


def table_in(out: Path) -> list[dict[str, str]]:
    with (out / "suite.csv").open(encoding="utf-8") as file:
        return [
            {name: text for name, text in row.items() if name not in ("seconds", "machine")}
            for row in csv.DictReader(file)
        ]


def test_shards_give_what_one_run_gives(tmp_path: Path, capsys: Any) -> None:
    words = ("--problems", *TINY, "--settings", "grid", "--trials", "10", "20", "--no-progress")
    assert run(tmp_path / "whole", *words) == 0
    whole = capsys.readouterr().out
    assert run(tmp_path / "parts", *words, "--shard", "2/2") == 0
    assert "Part 2 of 2 is finished" in capsys.readouterr().out
    assert not (tmp_path / "parts" / "suite.md").exists()
    assert len(list((tmp_path / "parts" / "results").iterdir())) == len(TINY) * len(GRID)
    assert run(tmp_path / "parts", *words, "--shard", "1/2") == 0
    assert "best single setting" in capsys.readouterr().out
    assert table_in(tmp_path / "parts") == table_in(tmp_path / "whole")
    assert len(table_in(tmp_path / "whole")) == 2 * len(TINY) * len(GRID)
    assert "bt.plan" not in whole.replace("boltree", "")


def test_the_command(tmp_path: Path, capsys: Any) -> None:
    assert run(tmp_path, "--problems", "d-chain", "tic-tac-*", "--quick") == 0
    shown = capsys.readouterr().out
    assert "2 problems of 2 families" in shown
    assert "Proofs by bt.plan within 2 s on one core" in shown
    assert ["all", "2", "2", "0"] in [line.split()[:4] for line in shown.splitlines()]
    page = (tmp_path / "suite.md").read_text(encoding="utf-8")
    for setting in (*PLAN, *GRID):
        assert f"\n{setting.label}  " in shown
        assert f"| {setting.label} |" in page
    assert "| trials | best single setting | its regret | best per problem | bt.plan |" in page
    assert "Regret by family at 1,000 trials" in page
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "results").iterdir()}
    assert len(kept) == 2 + 2 * 41
    assert run(tmp_path, "--problems", "d-chain", "tic-tac-*", "--quick") == 0  # all is there already
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "results").iterdir()} == kept
    assert capsys.readouterr().out == shown
    assert polars.read_parquet(tmp_path / "results" / "*.parquet").height == len(kept)


def test_the_list(capsys: Any) -> None:
    assert main(["suite", "--list", "--group", "large"]) == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()[2:]]
    assert names == [case.name for case in cases() if case.group == "large"]


def test_quick_takes_one_problem_of_each_family() -> None:
    quick = chosen_cases(None, None, quick=True)
    assert sorted(case.family for case in quick) == sorted({case.family for case in cases()})
    assert quick[0].name == "d-chain"
    assert [case.name for case in chosen_cases(None, ["mazes-1?"], quick=True)] == [f"mazes-{n}" for n in range(10, 20)]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--problems", "tic-tak-toe"], "--problems tic-tak-toe: must match a problem of the suite"),
        (["--problems", "tic-tak-toe"], "; did you mean tic-tac-toe?"),
        (["--problems", "d-chain", "--group", "large"], "--group large: has none of these problems"),
        (["--part", "proofs", "--settings", "grid"], "--part proofs: needs a provable problem, and --settings plan"),
    ],
)
def test_mistakes(words: list[str], message: str, tmp_path: Path, capsys: Any) -> None:
    assert run(tmp_path / "none", *words) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--settings", "plans"], "'plans': must be one of plan, grid, all; did you mean plan?"),
        (["--group", "provabel"], "'provabel': must be one of provable, large, games; did you mean provable?"),
        (["--trials", "0"], "'0': must be a whole number of at least 1"),
        (["--seconds", "0"], "'0': must be a number greater than 0"),
    ],
)
def test_mistaken_words(words: list[str], message: str, capsys: Any) -> None:
    with pytest.raises(SystemExit):
        main(["suite", *words])
    assert message in capsys.readouterr().err


def test_an_unknown_problem_is_guessed() -> None:
    with pytest.raises(bt.ParameterError, match=r"problem 'maze-1': must be a problem of the suite; did you mean maz"):
        case_named("maze-1")


def test_without_plan_the_grid_remains(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bt, "plan", None)
    with pytest.raises(bt.ParameterError, match="give --settings grid"):
        PLAN[0].planner()
    assert proofs_for([case_named("d-chain")], GRID, 2.0) == []


def test_the_grid_has_40_settings_that_differ() -> None:
    assert len(GRID) == 40
    assert len({one.label for one in GRID}) == len({one.canonical() for one in GRID}) == 40
    assert Fixed(Setting("uct", {"c": 1.0})).canonical() == Fixed(Setting("uct", {"c": 1})).canonical()


def tables(problem: bt.Problem) -> list[Any]:
    """Everything that a problem is."""
    model = bt.solve(problem).model
    return [problem.horizon, problem.discount, *(np.asarray(one).tolist() for one in (
        model.states, model.rows, model.first, model.successor, model.probability, model.reward,
    ))]  # fmt: skip


@pytest.mark.parametrize("kind", RANDOM)
def test_random_problems_are_always_the_same_and_differ_by_their_number(kind: str) -> None:
    names = [f"{kind}-{number}" for number in range(3)]
    once, again = ([tables(case_named(name).make()) for name in names] for _ in range(2))
    assert once == again
    assert once[0] != once[1] != once[2] != once[0]


def provable() -> list[Case]:
    return [case for case in cases() if case.group == "provable"]


def assert_provable(case: Case) -> None:
    problem = case.make()
    assert 1 < triples(problem) <= LIMIT, case.name
    assert Examination(problem, 1).positions[0].value == bt.solve(problem).root_value


@pytest.mark.parametrize("case", provable()[::12], ids=lambda case: case.name)
def test_provable_problems_are_small(case: Case) -> None:
    assert_provable(case)


@pytest.mark.slow
@pytest.mark.parametrize("case", provable(), ids=lambda case: case.name)
def test_every_provable_problem_is_small(case: Case) -> None:
    assert_provable(case)


def test_there_are_200_random_problems_and_large_ones() -> None:
    known = cases()
    assert len({case.name for case in known}) == len(known)
    assert sum(case.family in RANDOM for case in known) == sum(count for _, count in RANDOM.values()) == 200
    assert {"provable", "large"} <= {case.group for case in known}


def test_a_simulator_hides_its_outcomes_and_is_judged_exactly() -> None:
    seen: list[Any] = []

    def look(problem: Any, state: Any, trials: Any, seconds: Any, seed: int) -> Decision:
        seen.append(problem)
        search = bt.Search(problem, state=state, seed=seed)
        search.run(trials=3_000)
        return Decision(search.recommend(), search.root.value, search.proven, search.trials, 0.0)

    problem = bt.problems.DChain(6)
    numbers = Regret(2, hidden=True).run(problem, look, 3_000, None, 0, watched)
    assert numbers["regret"] == 0.0
    assert numbers["proven"] == 0
    assert not any(one.has("outcomes") or one.deterministic for one in seen)
    assert problem.has("outcomes")
    assert Regret(2).run(problem, look, 300, None, 0, watched)["proven"] == 2
