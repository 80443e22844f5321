"""Rounds of planning competitions: baselines and scores worked out by hand, the table of results, and the command."""

from __future__ import annotations

import numpy as np
import pytest

polars = pytest.importorskip("polars", reason="the lab keeps results with polars")
pytest.importorskip("pyRDDLGym", reason="pip install 'boltree[rddl]'")
pytestmark = [pytest.mark.filterwarnings("ignore::UserWarning"), pytest.mark.filterwarnings("ignore::SyntaxWarning")]

import boltree as bt  # noqa: E402
from boltree.cli.commands import main  # noqa: E402
from boltree.lab.ippc.report import SHIPPED, ippc_report, read_reference, score  # noqa: E402
from boltree.lab.ippc.round import Baseline, Round, instance_named  # noqa: E402
from boltree.lab.suite.planners import Default  # noqa: E402

DOMAIN = """
domain coins {
    pvariables {
        coins : { state-fluent, int, default = 0 };
        take : { action-fluent, bool, default = false };
        wait : { action-fluent, bool, default = false };
    };
    cpfs { coins' = if (take) then 0 else coins + 1; };
    reward = if (take) then coins * coins else 0.0;
    action-preconditions { ~(take ^ wait); };
}
"""
INSTANCE = """
non-fluents nf_coins { domain = coins; }
instance inst_coins {
    domain = coins; non-fluents = nf_coins; init-state { coins = 0; };
    max-nondef-actions = 1; horizon = 6; discount = 1.0;
}
"""


@pytest.fixture
def coins(tmp_path):
    """A domain and an instance in files: who waits five steps and then takes all has 25."""
    paths = tmp_path / "domain.rddl", tmp_path / "instance.rddl"
    paths[0].write_text(DOMAIN)
    paths[1].write_text(INSTANCE)
    return tuple(map(str, paths))


def test_baselines(coins):
    noop = Round(*coins, Baseline("noop"), 0.0, 0).run()
    assert noop == {"reward": 0.0, "steps": 6.0, "seconds": 0.0, "trials_run": 0.0}
    first, again = (Round(*coins, Baseline("random"), 0.0, 1).run() for _ in range(2))
    assert first == again
    assert 0.0 <= first["reward"] < 25.0


def test_scores():
    assert score(5.0, [1.0, 3.0], 7.0) == 0.5
    assert score(3.0, [1.0, 3.0], 7.0) == 0.0
    assert np.isnan(score(3.0, [7.0, 3.0], 7.0))


def test_the_shipped_reference():
    found = read_reference(SHIPPED)
    assert (found.planner, found.seconds, len(found.results)) == ("PROST", 0.2, 5)
    assert found.results["SysAdmin_MDP_ippc2011/1"] == (334.8, 5.2)


@pytest.mark.parametrize("text", ["planner = 'x'", "planner = 'x'\nseconds = 1\n[results]\n'A/1' = 3"])
def test_a_reference_that_says_too_little(tmp_path, text):
    path = tmp_path / "reference.toml"
    path.write_text(text)
    with pytest.raises(bt.ParameterError, match=r"must have planner, seconds and \[results\]"):
        read_reference(path)


def test_names_of_instances():
    assert instance_named("SysAdmin_MDP_ippc2011/1") == ("SysAdmin_MDP_ippc2011", "1")
    assert instance_named("a/b.rddl, c/d.rddl") == ("a/b.rddl", "c/d.rddl")
    with pytest.raises(bt.ParameterError, match="must be DOMAIN/INSTANCE"):
        instance_named("SysAdmin")


def test_the_report(coins, tmp_path):
    rows = [("noop", 0.0, 1.0), ("random", 0.0, 3.0), ("bt.plan", 0.2, 4.0), ("bt.plan", 0.2, 6.0)]
    frame = polars.DataFrame(
        {
            "problem": ["SysAdmin_MDP_ippc2011/1"] * 4,
            "label": [row[0] for row in rows],
            "step_seconds": [row[1] for row in rows],
            "reward": [row[2] for row in rows],
            "repeat": [0, 0, 0, 1],
            "seconds": [0.0, 0.0, 0.1, 0.3],
            "trials_run": [0.0, 0.0, 10.0, 30.0],
            "machine": ["m"] * 4,
        }
    )
    path = tmp_path / "reference.toml"
    path.write_text('planner = "other"\nseconds = 1\n[results]\n"SysAdmin_MDP_ippc2011/1" = [7.0, 0.5]')
    text = ippc_report(frame, read_reference(path), tmp_path)
    line = next(line for line in text.splitlines() if " bt.plan " in line and "mean" not in line)
    assert line.split()[1:] == ["bt.plan", "2", "5.00", "1.00", "0.50", "0.200", "20"]
    assert "0.50" in next(line for line in text.splitlines() if "mean of 1" in line)
    assert (tmp_path / "ippc.md").is_file()


@pytest.mark.slow
def test_the_command(coins, tmp_path, capsys):
    """bt.plan takes all at the end, in every round; run again, nothing is played."""
    out = tmp_path / "out"
    arguments = ["ippc", "--instances", ",".join(coins), "--rounds", "2", "--seconds", "0.05", "--workers", "1"]
    assert main([*arguments, "--out", str(out), "--no-progress"]) == 0
    first = capsys.readouterr().out
    line = next(line for line in first.splitlines() if " bt.plan " in line)
    assert " 25.00 " in line
    times = {path: path.stat().st_mtime_ns for path in (out / "results").iterdir()}
    assert len(times) == 6
    assert main([*arguments, "--out", str(out), "--no-progress"]) == 0
    assert capsys.readouterr().out == first
    assert {path: path.stat().st_mtime_ns for path in (out / "results").iterdir()} == times
    played = Round(*coins, Default(), 0.05, 0).run()
    assert played["reward"] == 25.0
