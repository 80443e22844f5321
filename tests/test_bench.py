"""``boltree bench``: what is saved can be compared with, what has become slower is seen, and damage is told."""

from __future__ import annotations

import json
import math
import sys

import pytest

import boltree as bt
from boltree.bench import cases as bench_cases
from boltree.bench import command as bench
from boltree.bench import threads as bench_threads
from boltree.bench.counting import Counter
from boltree.bench.saved_run import Measured, Run, changes
from boltree.cli.commands import main
from boltree.errors import ParameterError

SOFTWARE, TASK_CLOCK = 1, 1


def run_of(machine="a machine", unit=1e-3, **costs):
    """A run with a case for each of the costs: seconds, or seconds and instructions."""
    cases = []
    for name, cost in costs.items():
        seconds, instructions = cost if isinstance(cost, tuple) else (cost, None)
        cases.append(Measured(name, "UCT", seconds, instructions, 1e6, 80.0))
    return Run(machine, "0.0.0", 3, 1.0, unit, cases)


def ratios(now, then):
    return {change.now.name: change for change in changes(now, then)}


def test_ratios_by_time_are_in_units_of_the_fixed_work():
    """A machine that is half as fast for everything has no regression; a case that is slower beyond that is one."""
    then, now = run_of(same=1e-7, slow=1e-7, fast=1e-7), run_of(unit=2e-3, same=2e-7, slow=2.32e-7, fast=1e-7, more=1.0)
    found = ratios(now, then)
    assert [found[name].ratio for name in ("same", "slow", "fast")] == pytest.approx([1.0, 1.16, 0.5])
    assert [found[name].slower for name in ("same", "slow", "fast", "more")] == [False, True, False, False]
    assert [found[name].row[-1] for name in ("same", "slow", "fast", "more")] == ["", "SLOWER", "faster", "new"]
    assert math.isnan(found["more"].ratio)


def test_instructions_count_where_both_runs_have_them():
    then, now = (
        run_of(a=(1e-7, 100.0), b=(1e-7, 100.0), c=1e-7),
        run_of(a=(9e-7, 101.0), b=(1e-7, 130.0), c=(1e-7, 9.0)),
    )
    found = ratios(now, then)
    assert found["a"].ratio == pytest.approx(1.01)
    assert [found[name].slower for name in "abc"] == [False, True, False]
    assert [found[name].by_instructions for name in "abc"] == [True, True, False]
    elsewhere = ratios(run_of("another machine", a=(1e-7, 500.0)), then)["a"]
    assert (elsewhere.by_instructions, elsewhere.ratio) == (False, 1.0)


def test_a_file_gives_back_the_run(tmp_path):
    run = run_of(a=(1e-7, 100.0), b=2e-7)
    run.save(tmp_path / "run.json")
    assert Run.load(tmp_path / "run.json") == run
    assert "best of" in json.loads((tmp_path / "run.json").read_text())["method"]
    with pytest.raises(ParameterError, match="cannot be written"):
        run.save(tmp_path / "nowhere" / "run.json")


def _changed(change):
    def damage(text):
        content = json.loads(text)
        change(content)
        return json.dumps(content)

    return damage


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda text: text[: len(text) // 2], "is no file of boltree bench --json, or damaged"),
        (lambda text: "\x00\x01", "is no file of boltree bench --json, or damaged"),
        (lambda text: '{"machine": "another program\'s"}', "is no file of boltree bench --json$"),
        (lambda text: "[1, 2]", "is no file of boltree bench --json$"),
        (_changed(lambda c: c.update(version=9)), "version=9, this program reads 1"),
        (_changed(lambda c: c.pop("cases")), "is damaged: KeyError"),
        (_changed(lambda c: c.update(cases=[])), "is damaged: it has no case"),
        (_changed(lambda c: c.update(cases=c["cases"] * 2)), "one twice"),
        (_changed(lambda c: c["cases"][0].pop("algorithm")), "is damaged: KeyError"),
        (_changed(lambda c: c["cases"][0].update(seconds=-1.0)), r"seconds=-1.0, must be a positive number"),
        (_changed(lambda c: c["cases"][0].update(seconds="fast")), r"seconds='fast', must be a positive number"),
        (_changed(lambda c: c["cases"][0].update(instructions=math.inf)), r"instructions=inf, must be"),
        (_changed(lambda c: c.update(fixed_work_seconds=None)), r"fixed_work_seconds=None, must be"),
    ],
)
def test_damaged_and_foreign_files(tmp_path, capsys, damage, message):
    path = tmp_path / "run.json"
    run_of(a=(1e-7, 100.0), b=2e-7).save(path)
    path.write_text(damage(path.read_text()))
    with pytest.raises(ParameterError, match=message):
        Run.load(path)
    assert main(["bench", "--compare", str(path)]) == 2
    assert f"boltree: --compare {path}: " in capsys.readouterr().err


@pytest.fixture
def few(monkeypatch):
    """Two cases of some milliseconds."""

    def cases(scale):
        chain, tree = bt.problems.DChain(10), bt.problems.SyntheticTree(8, 20)
        return [
            bench_cases.Case("chain", chain, bt.UCT(), int(60_000 * scale), {"evaluator": 0.0}),
            bench_cases.ManyCase("many", tree, bt.UCT(), int(1024 * 16 * scale), {"evaluator": 0.0}),
        ]

    monkeypatch.setattr(bench, "cases", cases)
    monkeypatch.setattr(bench, "print_open_spiel", lambda scale, repeats: None)


@pytest.mark.usefixtures("few", "processor_clock")
def test_a_doctored_number_is_a_regression_and_the_same_is_none(tmp_path, capsys):
    path = tmp_path / "run.json"
    assert main(["bench", "--repeats", "8", "--json", str(path)]) == 0
    saved = Run.load(path)
    assert [case.name for case in saved.cases] == ["chain", "many"]
    capsys.readouterr()
    main(["bench", "--repeats", "8", "--compare", str(path), "--json", str(tmp_path / "again.json")])
    shown = capsys.readouterr().out
    assert "of 2 cases are over 15% slower" in shown
    for change in changes(Run.load(tmp_path / "again.json"), saved):
        assert 0.25 < change.ratio < 4.0  # other work on the machine slows memory
    assert [change.ratio for change in changes(saved, saved)] == [1.0, 1.0]

    content = json.loads(path.read_text())
    content["cases"][0]["seconds"] /= 20.0
    if content["cases"][0]["instructions"]:
        content["cases"][0]["instructions"] /= 20.0
    path.write_text(json.dumps(content))
    assert main(["bench", "--repeats", "2", "--compare", str(path)]) == 1
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("chain") and "SLOWER" in line)
    assert "UCT" in line


@pytest.mark.usefixtures("few")
def test_counted_instructions_are_used(tmp_path, capsys, monkeypatch):
    """Where the machine counts, times do not matter: here the fixed counts of a machine that is made up."""

    class Counts:
        each = 1000

        def of(self, work):
            work()
            return self.each

    monkeypatch.setattr(bench_cases, "Counter", Counts)
    path = tmp_path / "run.json"
    assert main(["bench", "--repeats", "1", "--scale", "0.1", "--json", str(path)]) == 0
    content = json.loads(path.read_text())
    for case in content["cases"]:
        case["seconds"] /= 10.0
    path.write_text(json.dumps(content))
    capsys.readouterr()
    assert main(["bench", "--repeats", "1", "--compare", str(path)]) == 0
    assert "instructions   1.00" in capsys.readouterr().out
    monkeypatch.setattr(Counts, "each", 1200)
    assert main(["bench", "--repeats", "1", "--compare", str(path)]) == 1
    assert "instructions   1.20" in capsys.readouterr().out


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--compare", "FILE", "--scale", "0.5"], "was measured with 1.0; leave it out"),
        (["--compare", "missing.json"], "--compare missing.json: cannot be read: No such file"),
    ],
)
def test_options_are_checked(tmp_path, capsys, arguments, message):
    path = tmp_path / "run.json"
    run_of(chain=1e-7).save(path)
    assert main(["bench", *(str(path) if one == "FILE" else one for one in arguments)]) == 2
    assert message in capsys.readouterr().err


def test_the_counter_counts_or_says_that_it_does_not():
    counter = Counter()
    first, second = (counter.of(lambda n=n: sum(range(n))) for n in (200_000, 400_000))
    if first is None:
        assert second is None
    else:
        assert second == pytest.approx(2 * first, rel=0.1)
    counter.close()
    assert counter.read() is None


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts")
def test_what_the_system_is_asked_is_understood():
    """Time is counted in the same way as instructions, and also by machines without hardware that counts."""
    clock = Counter(SOFTWARE, TASK_CLOCK)
    if clock.read() is None:
        pytest.skip("this system lets nobody count")
    short, long = (min(clock.of(lambda n=n: sum(range(n))) for _ in range(5)) for n in (300_000, 3_000_000))
    assert 4 * short < long < 40 * short
    clock.close()


@pytest.mark.usefixtures("processor_clock")
def test_what_threads_bring_is_measured():
    """Two cases of each kind: a tree of its own for each thread, and searches of their own."""
    four = bench_threads.ThreadCase("four", bt.problems.ConnectFour(), bt.UCT())
    many = bench_threads.ManySearches("many", bt.problems.SyntheticTree(3, 5, seed=0), bt.UCT(), {"evaluator": 0.0})
    said = bench_threads.measure_threads([1, 2], 0.02, 1, deterministic=False, listed=[four, many])
    assert four.trials > 1_000
    assert four.speeds[2].parallelism == "a tree each"
    assert four.speeds[1].rate > 0 < four.speeds[2].rate
    assert [line.split()[:4] for line in said.splitlines()[2:]] == [
        ["four", "UCT", f"{four.speeds[1].rate / 1e3:,.0f}", "k"],
        ["many", "UCT", f"{many.speeds[1].rate / 1e3:,.0f}", "k"],
    ]
    assert "1.00" in said
    bench_threads.measure_threads([2], 0.02, 1, deterministic=True, listed=[four])
    assert four.speeds[2].parallelism == "a tree each"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--threads", "0"], "threads=0: must be an integer from 1 to 256"),
        (["--threads", "2", "--json", "x.json"], "--threads: cannot be saved or compared"),
        (["--deterministic"], "--deterministic: is about threads; give --threads too"),
    ],
)
def test_threads_that_make_no_sense(arguments, said, capsys):
    assert main(["bench", *arguments]) == 2
    assert said in capsys.readouterr().err
