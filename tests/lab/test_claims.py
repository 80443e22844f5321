"""The criteria of the ledger can fail: a deliberately broken algorithm makes its claim fail, a sound one does not."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import boltree as bt
from boltree.algorithms.schedules import uniform_until
from boltree.algorithms.table import Algorithm
from boltree.cli.commands import main
from boltree.jobs.settings import Setting
from boltree.jobs.statistics import Interval
from boltree.lab.claims import limits
from boltree.lab.claims.claim import Part, verdict
from boltree.lab.claims.costs import MAXIMA, NAMES
from boltree.lab.claims.criteria import hits_by_chance, near
from boltree.lab.claims.document import as_markdown
from boltree.lab.claims.ledger import LEDGER, Judged, experiments_of, judge
from boltree.lab.claims.results import Result, Results, difference
from boltree.lab.experiment import Experiment
from boltree.lab.jobs import jobs_of, run_job

pl = pytest.importorskip("polars", reason="the lab's claims need polars: pip install 'boltree[lab]'")

SMALL: dict[str, dict[str, Any]] = {
    "figure-2": {"repeats": 3, "evaluate_every": 10_000},
    "10-chain": {"repeats": 2, "evaluate_every": 500},
    "20-chain": {"repeats": 4, "evaluate_every": 25_000},
    "soft-values": {"repeats": 2, "evaluate_every": 100_000},
    "figure-3a": {"repeats": 4, "trials": 60_000, "evaluate_every": 500},
    "figure-3b": {"repeats": 3, "trials": 60_000, "evaluate_every": 2_000},
    "lake-8x8": {"repeats": 2, "trials": 40_000, "evaluate_every": 40_000},
    "dents-as-ments-chain": {"repeats": 6, "evaluate_every": 40},
    "dents-as-ments-lake": {"repeats": 2, "trials": 20_000, "evaluate_every": 1_000},
    "convergence": {"repeats": 40},
    "adapted-chain": {"repeats": 2, "evaluate_every": 100_000},
    "average-returns": {"repeats": 2, "trials": 300_000, "evaluate_every": 30_000},
    "average-returns-2": {"repeats": 2},
    "average-returns-1": {"repeats": 2},
    "average-returns-0.7": {"repeats": 2},
    "average-returns-0.5": {"repeats": 2},
    "concentration": {"repeats": 60},
    "slow-chain-6": {"repeats": 5},
    "slow-chain-8": {"repeats": 5},
    "slow-chain-10": {"repeats": 5},
    "slow-chain-12": {"repeats": 5},
    "slow-chain-14": {"repeats": 3},
    "initial-values": {"repeats": 3, "trials": 20_000},
    "bandit": {"repeats": 3},
    "decaying-chain": {"repeats": 2, "evaluate_every": 10_000},
    "decaying-lake": {"repeats": 2, "trials": 20_000, "evaluate_every": 20_000},
    "decaying-sailing": {"repeats": 2, "trials": 10_000, "evaluate_every": 10_000},
}

Break = Callable[[Setting], Algorithm]


class Broken(Setting):
    """A setting that says it is one algorithm and runs another."""

    other: Algorithm

    def algorithm(self) -> Algorithm:
        return self.other

    def __eq__(self, it: object) -> bool:
        return isinstance(it, Broken) and (it.other, it.label) == (self.other, self.label)

    def __hash__(self) -> int:
        return hash((self.other, self.label))


def broken(setting: Setting, other: Algorithm) -> Setting:
    made = Broken(setting.name, setting.parameters, setting.label)
    object.__setattr__(made, "other", other)
    return made


@cache
def rows(problem: str, job: Any) -> Any:
    columns = run_job(job)
    return pl.DataFrame(columns).with_columns(
        problem=pl.lit(problem), label=pl.lit(job.setting.label), repeat=pl.lit(job.repeat)
    )


def small(number: str) -> list[Experiment]:
    experiments = experiments_of(LEDGER[number], quick=True)
    return [replace(one, **SMALL.get(one.name, {"repeats": 2, "evaluate_every": one.trials})) for one in experiments]


def judged(number: str, name: str | None = None, breaks: Break | None = None) -> list[Part]:
    """The parts of a claim, with the settings of an algorithm replaced by broken ones."""
    results = {}
    for experiment in small(number):
        settings = tuple(
            broken(one, breaks(one)) if breaks and one.name.replace("-", "") == name else one
            for one in experiment.settings
        )
        changed = replace(experiment, settings=settings)
        frame = pl.concat([rows(job.problem, job) for job in jobs_of(changed)])
        results[experiment.name] = Result(changed, frame)
    return judge(LEDGER[number], Results(results)).parts


def ments(setting: Setting) -> Algorithm:
    return bt.MENTS(alpha=1.0, epsilon=0.1)


def bts(setting: Setting) -> Algorithm:
    return bt.BTS(alpha=1.0, epsilon=0.1)


def uct(setting: Setting) -> Algorithm:
    return bt.UCT()


def nothing(setting: Setting) -> Algorithm:
    """Searches as well as any and recommends what it tried least: a sign error."""
    return bt.Custom(search_distribution="uniform", state_value="mean", recommend="visits")


# claim, the part that must fail, the algorithm that is broken, and how
CASES: list[tuple[str, int, str, Break]] = [
    ("C1", 0, "uct", ments),
    ("C1", 1, "uct", ments),
    ("C2", 0, "ments", uct),
    ("C2", 1, "ments", bts),
    ("C3", 0, "ments", uct),
    ("C3", 1, "ments", bts),
    ("C3", 2, "ments", ments),
    ("C4", 0, "bts", ments),
    ("C4", 1, "dents", ments),
    ("C5", 0, "bts", uct),
    ("C6", 0, "tents", uct),
    ("C6", 1, "tents", bts),
    ("C6", 2, "tents", ments),
    ("C7", 0, "ments", uct),
    ("C7", 2, "bts", ments),
    ("C7", 4, "dents", uct),
    ("C7", 5, "dents", ments),
    ("C8", 1, "ments", bts),
    ("C9", 0, "dents", nothing),
    ("C12", 0, "ments", lambda s: bt.BTS(alpha=1.0, epsilon=1.0)),
    ("C12", 2, "bts", lambda s: bt.MENTS(alpha=1.0, epsilon=1.0)),
    ("C12", 3, "dents", lambda s: bt.MENTS(alpha=1.0, epsilon=1.0)),
    ("C13", 0, "dents", uct),
    ("C13", 1, "dents", uct),
    ("C14", 2, "bts", lambda s: bt.MENTS(alpha=10.0)),
    ("C15", 0, "ments", lambda s: bt.MENTS(alpha=10.0)),
    ("C15", 3, "dents", ments),
    ("C16", 0, "arbts", lambda s: bt.BTS(alpha=1.0)),
    ("C18", 0, "uct", lambda s: bt.UCT(c=10.0)),
    ("C18", 1, "uct", lambda s: bt.UCT(c=10.0)),
    ("C18", 2, "bts", lambda s: bt.BTS(alpha=0.5, epsilon=0.0)),
    ("C21", 0, "bts", ments),
    ("C21", 1, "dents", ments),
    ("C21", 3, "rents", lambda s: bt.MENTS(alpha=1.0, epsilon=1.0)),
    ("C23", 0, "bts", ments),
    ("C24", 0, "ments", uct),
    ("C24", 1, "ments", ments),
    ("C24", 2, "ments", ments),
    ("C25", 1, "dents", ments),
    ("C26", 0, "ments", bts),
    ("C26", 1, "dents", ments),
    ("C33", 0, "bts", nothing),
    ("C33", 3, "bts", nothing),
    ("C33", 4, "bts", uct),
    ("C34", 3, "ments", lambda s: bt.DENTS(alpha=0.5, beta=bt.log_decay(10.0), epsilon=0.01)),
    ("C35", 0, "arbts", lambda s: bt.BTS(alpha=1.0, epsilon=0.0)),
    ("C35", 2, "arbts", lambda s: bt.BTS(alpha=1.0, epsilon=0.0)),
]


@pytest.mark.parametrize(("number", "part", "name", "breaks"), CASES, ids=lambda x: getattr(x, "__name__", str(x)))
def test_a_broken_algorithm_makes_its_claim_fail(number: str, part: int, name: str, breaks: Break) -> None:
    sound = judged(number)[part]
    assert sound.holds, f"{sound.criterion}: {sound.seen}"
    spoilt = judged(number, name, breaks)[part]
    assert not spoilt.holds, f"{spoilt.criterion}: {spoilt.seen}"


LAKE = {"ments": 0.82, "rents": 0.82, "tents": 0.82, "bts": 0.80, "dents": 0.82, "uct": 0.70, "hmcts": 0.70}
SAILING = {"ments": 17.0, "rents": 25.0, "tents": 17.0, "bts": 15.3, "dents": 15.3, "uct": 15.3, "hmcts": 16.5}
BEST = {"figure-3a": 0.8345, "figure-3b": -15.0074}


def as_if(ends: dict[str, dict[str, float]]) -> Results:
    """Results in which the algorithms end where the paper's figures say, with a little noise, or elsewhere."""
    results, rng = {}, np.random.default_rng(0)
    for experiment in (one for number in ("C9", "C10") for one in small(number)):
        frames = []
        for setting in experiment.settings:
            end = ends[experiment.name][setting.name] * (-1 if experiment.name == "figure-3b" else 1)
            for repeat in range(5):
                trials = experiment.checkpoints
                value = np.linspace(end - abs(BEST[experiment.name]) / 2, end, trials.size) + rng.normal(0, 1e-3)
                value[-trials.size // 10 :] = end + rng.normal(0, 1e-3)
                best = BEST[experiment.name]
                columns = {
                    "trials": trials,
                    "value": value,
                    "regret": best - value,
                    "optimum": np.full(trials.size, best),
                }
                texts = {"problem": experiment.problems[0], "label": setting.label, "repeat": repeat}
                frames.append(pl.DataFrame(columns).with_columns(**{k: pl.lit(v) for k, v in texts.items()}))
        results[experiment.name] = Result(experiment, pl.concat(frames))
    return Results(results)


@pytest.mark.parametrize(
    ("number", "part", "figure", "name", "end"),
    [
        ("C9", 0, "figure-3a", "dents", 0.70),
        ("C10", 0, "figure-3b", "uct", 18.0),
        ("C10", 1, "figure-3b", "bts", 18.0),
        ("C10", 3, "figure-3b", "ments", 15.2),
        ("C10", 5, "figure-3b", "rents", 17.5),
        ("C11", 0, "figure-3a", "bts", 0.70),
        ("C11", 1, "figure-3b", "dents", 18.0),
        ("C11", 2, "figure-3b", "ments", 15.4),
    ],
)
def test_gridworld_criteria_hold_for_what_the_paper_shows_and_fail_for_less(
    number: str, part: int, figure: str, name: str, end: float
) -> None:
    paper = {"figure-3a": LAKE, "figure-3b": SAILING}
    for one in LEDGER[number].parts(as_if(paper)):
        assert one.holds or "gains more" in one.criterion, one
    spoilt = paper | {figure: paper[figure] | {name: end}}
    assert not LEDGER[number].parts(as_if(spoilt))[part].holds


def test_a_bts_that_gains_no_more_than_uct_makes_c9_fail() -> None:
    results = as_if({"figure-3a": LAKE, "figure-3b": SAILING})
    frame = results["figure-3a"].frame
    late = frame.with_columns(value=pl.when(label="BTS", trials=500).then(-0.5).otherwise("value"))
    held = LEDGER["C9"].parts(Results({"figure-3a": Result(results["figure-3a"].experiment, late)}))
    assert held[1].holds
    early = frame.with_columns(value=pl.when(label="BTS", trials=500).then(0.79).otherwise("value"))
    assert not LEDGER["C9"].parts(Results({"figure-3a": Result(results["figure-3a"].experiment, early)}))[1].holds


def test_a_dents_that_is_no_sooner_than_bts_makes_c5_fail() -> None:
    (experiment,) = small("C5")
    frames = []
    for dents_first in (1000, 2000):
        rows = [
            {"trials": t, "value": 1.0 if t >= when + 500 * r else 0.9, "regret": 0.0, "problem": "d-chain",
             "label": s.label, "repeat": r}
            for s in experiment.settings
            for when in [dents_first if s.name == "dents" else 2000]
            for r in range(2)
            for t in experiment.checkpoints.tolist()
        ]  # fmt: skip
        frames.append(pl.DataFrame(rows))
    assert LEDGER["C5"].parts(Results({"10-chain": Result(experiment, frames[0])}))[1].holds
    assert not LEDGER["C5"].parts(Results({"10-chain": Result(experiment, frames[1])}))[1].holds


def test_alias_tables_that_save_nothing_make_c17_fail() -> None:
    sound = {
        f"{name} {way} {n}": n if way == "direct" else 50
        for name in (*NAMES, *MAXIMA)
        for way in ("alias", "direct", "slippery")
        for n in (64, 4096)
    }
    assert all(part.holds for part in LEDGER["C17"].parts(Results({}, sound)))
    spoilt = {key: float(key.split()[2]) for key in sound}
    assert not any(part.holds for part in LEDGER["C17"].parts(Results({}, spoilt)))


def test_the_verdict_follows_from_the_parts() -> None:
    yes, no, open_ = (Part("", holds, "", {}) for holds in (True, False, None))
    assert verdict([yes, yes]) == "holds"
    assert verdict([yes, no]) == "differs"
    assert verdict([no, no]) == "does not hold"
    assert verdict([yes, open_]) == verdict([open_]) == "undecided"
    assert verdict([yes, no, open_]) == "differs"
    assert verdict([no, open_]) == "does not hold"
    assert verdict([yes, no.replaced_because("it misread the paper")]) == "holds"


def test_what_is_replaced_stays_visible() -> None:
    part = Part("the criterion before", False, "seen", {}).replaced_because("it misread the paper")
    page = as_markdown([Judged(LEDGER["C1"], "holds", [Part("now", True, "seen", {}), part])], False, {})
    assert "| ✓ holds | 1 of 1 |" in page
    assert "| ≈ differs (before: holds) | 0 of 0 |" in as_markdown(
        [Judged(LEDGER["C15"], "differs", [part])], False, {}
    )
    assert "| (✗) | the criterion before *Replaced: it misread the paper.* | seen |" in page


def test_chance_is_binomial() -> None:
    stats = pytest.importorskip("scipy.stats")
    for repeats, chance, ways in ((10, 0.0236, 1), (10, 0.0236, 28), (280, 0.0236, 1), (4, 0.5, 2)):
        most = hits_by_chance(repeats, chance, ways)
        assert stats.binom.sf(most, repeats, chance) < 0.001 / ways
        assert most == 0 or stats.binom.sf(most - 1, repeats, chance) >= 0.001 / ways


def test_a_loss_is_near_with_its_whole_interval() -> None:
    assert near(Interval(1.0, 0.8, 1.2), 1.2) is True
    assert near(Interval(1.0, 0.8, 1.2), 0.7) is False
    assert near(Interval(1.0, 0.8, 1.2), 1.1) is None


def test_the_search_is_uniform_as_long_as_the_formula_says() -> None:
    for epsilon in (2.0, 10.0):
        n = uniform_until(epsilon)
        assert epsilon / np.log(np.e + n - 1) > 1.0 > epsilon / np.log(np.e + n + 1)


def as_if_chain(ends: dict[float, list[float]], dents: float = 1.0) -> Results:
    """Results of the adapted chain in which MENTS at these temperatures ends so; nothing else of C15 goes wrong."""
    (chain,) = (one for one in small("C15") if one.name == "adapted-chain")
    rows = [
        {"trials": chain.trials, "value": value, "regret": 1.0 - value, "problem": chain.problems[0],
         "label": s.label, "repeat": r}
        for s in chain.settings
        for r, value in enumerate(ends[s.parameters["alpha"]] if s.name == "ments" else [dents] * 10)
    ]  # fmt: skip
    results = {one.name: Result(one, pl.DataFrame([])) for one in small("C15")}
    low = [
        {
            "trials": 1,
            "value": 0.0,
            "regret": 0.0,
            "problem": one.problems[0],
            "label": one.settings[0].label,
            "repeat": r,
        }
        for one in small("C15")
        if one.name != "adapted-chain"
        for r in range(2)
    ]
    for one in small("C15"):
        frame = pl.DataFrame(rows) if one.name == "adapted-chain" else pl.DataFrame(low).filter(problem=one.problems[0])
        results[one.name] = Result(replace(one, evaluate_every=one.trials), frame)
    return Results(results)


def test_wrong_is_told_apart_from_slow() -> None:
    (chain,) = (one for one in small("C15") if one.name == "adapted-chain")
    alphas = [s.parameters["alpha"] for s in chain.settings if s.name == "ments"]
    wrong = {alpha: [0.0] * 10 if alpha > 0.0722 else [0.95] * 10 for alpha in alphas}
    parts = LEDGER["C15"].parts(as_if_chain(wrong))
    assert [part.holds for part in parts[:4]] == [True, True, True, True]
    slow = wrong | {0.1: [0.0] * 5 + [0.95] * 5}
    parts = LEDGER["C15"].parts(as_if_chain(slow))
    assert parts[1].holds is None
    assert "slow: MENTS α=0.1" in parts[1].seen
    assert LEDGER["C15"].parts(as_if_chain(wrong | {0.2: [1.0] * 10}))[1].holds is False
    assert LEDGER["C15"].parts(as_if_chain(wrong | {0.05: [1.0] * 10}))[2].holds is False


def test_c15_asks_how_fast_regret_falls() -> None:
    rng = np.random.default_rng(0)

    def holds(share_of_errors: Callable[[Any], Any]) -> bool | None:
        results = as_if_chain(
            {alpha: [0.0] * 10 for alpha in (10, 1, 0.5, 0.2, 0.15, 0.1, 0.075, 0.07, 0.05, 0.01, 0.001)}
        )
        for name, result in results.by_name.items():
            if "rate" not in name:
                continue
            one = replace(result.experiment, repeats=100, evaluate_every=60)
            frames = [
                pl.DataFrame({"trials": one.checkpoints}).with_columns(
                    regret=pl.Series(0.1 * (last > one.checkpoints)), value=0.0, repeat=r,
                    problem=pl.lit(one.problems[0]), label=pl.lit(one.settings[0].label),
                )
                for r, last in enumerate(share_of_errors(rng.uniform(size=one.repeats)))
            ]  # fmt: skip
            results.by_name[name] = Result(one, pl.concat(frames))  # type: ignore[index]
        return LEDGER["C15"].parts(results)[4].holds

    assert holds(lambda u: -1500 * np.log(u)) is True  # an exponential law of the last error
    assert holds(lambda u: 150 * u**-1.0) is False  # a power law
    assert holds(lambda u: 0 * u) is None


def test_threads_that_wait_as_much_make_c36_fail() -> None:
    def holds(threads: int, bts: float) -> set[bool | None]:
        waits = {
            name: [share + 0.01 * r for r in range(5)] for name, share in (("uct", 0.3), ("bts", bts), ("dents", bts))
        }
        return {part.holds for part in LEDGER["C36"].parts(Results({}, {"threads": threads, **waits}))}

    assert holds(16, 0.05) == {True}
    assert holds(16, 0.5) == {False}
    assert holds(16, 0.3) == holds(2, 0.05) == {None}


def test_c16_asks_for_a_trend() -> None:
    (experiment,) = small("C16")

    def parts(ends: float, before: float, after: float) -> list[Part]:
        rows = [
            {"trials": trials, "value": ends, "regret": 2.0 - ends, "problem": problem, "label": s.label, "repeat": r,
             "root_q": [1.0, value + 0.01 * r]}
            for problem in experiment.problems
            for s in experiment.settings
            for r in range(3)
            for trials, value in ((experiment.trials // 10, before), (experiment.trials, after))
        ]  # fmt: skip
        short = replace(experiment, evaluate_every=experiment.trials // 10)
        frame = pl.DataFrame(rows)
        between = [frame.with_columns(trials=pl.lit(int(t), pl.Int64)) for t in short.checkpoints[1:-1]]
        whole = pl.concat([*between, frame])
        return LEDGER["C16"].parts(
            Results({"average-returns": Result(short, whole.unique(["trials", "problem", "label", "repeat"]))})
        )

    assert {part.holds for part in parts(2.0, 1.5, 1.9)[2:]} == {True}
    assert {part.holds for part in parts(1.0, 0.5, 0.8)[2:] if not part.replaced} == {None}
    assert {part.holds for part in parts(1.0, 0.8, 0.5)[2:]} == {False}
    assert len(parts(1.0, 0.5, 0.8)) == 2 + 12 + 12


def test_the_long_way_to_the_goal_is_told_apart_from_the_short_one_and_from_none() -> None:
    (lake,) = small("C27")

    def parts(**ends: float) -> list[Part]:
        rows = [
            {"trials": int(trials), "value": ends.get(s.name, 0.86) - 1e-3 * r, "regret": 0.0, "optimum": 0.8687,
             "problem": lake.problems[0], "label": s.label, "repeat": r}
            for s in lake.settings
            for r in range(4)
            for trials in lake.checkpoints
        ]  # fmt: skip
        return LEDGER["C27"].parts(Results({"lake-8x8": Result(lake, pl.DataFrame(rows))}))

    assert [part.holds for part in parts(ments=0.6, tents=0.7)] == [True, True, True]
    assert [part.holds for part in parts(ments=0.0, tents=0.86)] == [False, False, True]
    assert [part.holds for part in parts(ments=0.6, tents=0.7, bts=0.6)] == [True, True, False]


def test_noise_that_hurts_averages_as_much_makes_c30_fail() -> None:
    def measured(bellman: float, average: float) -> Results:
        rng = np.random.default_rng(0)
        found = {
            f"{name} {noise}": {
                c: (rng.normal(0, 0.01, 20) + size * (noise == "0.3")).tolist() for c in ("above", "regret")
            }
            for name, size in (("bts", bellman), ("dents", bellman), ("ar-bts", average), ("ar-dents", average))
            for noise in ("0", "0.3")
        }
        return Results({}, found)

    assert {part.holds for part in LEDGER["C30"].parts(measured(0.3, 0.1))} == {True}
    assert {part.holds for part in LEDGER["C30"].parts(measured(0.1, 0.3))} == {False}


def test_c31_asks_for_more_than_exponential() -> None:
    def holds(*trials: int | None) -> bool | None:
        return LEDGER["C31"].parts(Results({}, {str(d): n for d, n in enumerate(trials, 2)}))[0].holds

    assert holds(3, 10, 100, 10_000, None) is True
    assert holds(3, 30, 300, 3_000, 30_000) is False
    assert holds(3, 30, 3_000, None, None) is None


def test_a_temperature_above_the_bound_makes_c32_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ORDER_SEEDS", range(12))
    assert LEDGER["C32"].parts(Results({}))[0].holds
    gap = limits.smallest_gap
    monkeypatch.setattr(limits, "smallest_gap", lambda problem: 100 * gap(problem))
    assert not LEDGER["C32"].parts(Results({}))[0].holds


def test_the_difference_of_means_is_welchs() -> None:
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(0)
    a, b = rng.normal(1.0, 2.0, 30), rng.normal(0.0, 0.5, 12)
    expected = stats.ttest_ind(a, b, equal_var=False).confidence_interval(0.95)
    found = difference(a, b)
    assert found.low == pytest.approx(expected.low, abs=2e-3)
    assert found.high == pytest.approx(expected.high, abs=2e-3)


def test_every_claim_of_the_ledger_is_there() -> None:
    assert list(LEDGER) == [f"C{n}" for n in (*range(1, 19), 21, *range(23, 37))]


def test_claims_through_the_command_line(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    out, report, page = tmp_path / "out", tmp_path / "claims.json", tmp_path / "claims.md"
    arguments = ["claims", "C18", "--quick", "--out", str(out), "--json", str(report), "--write", str(page)]
    assert main([*arguments, "--workers", "1", "--no-progress"]) == 0
    assert "C18  HOLDS" in capsys.readouterr().out
    (only,) = json.loads(report.read_text())["claims"]
    assert only["claim"] == "C18"
    assert only["verdict"] == "holds"
    assert only["parts"][0]["numbers"]["pulls"] == 21.0
    assert "| ✓ | UCB with bias 2" in page.read_text()
    assert main(["claims", "C99"]) == 2
    assert "must be one of C1" in capsys.readouterr().err
