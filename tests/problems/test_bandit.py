"""The bandit: payments, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from boltree.errors import ProblemError
from boltree.problems import Bandit


def test_every_arm_pays_its_reward_and_ends(play: Any, checks: Any) -> None:
    bandit = Bandit([0.5, -2, 3.25])
    assert [play(bandit, [arm])[0][1:] for arm in range(3)] == [(0.5, True), (-2.0, True), (3.25, True)]
    assert [int(play(bandit, [arm])[0][0]["arm"][0]) for arm in range(3)] == [1, 2, 3]
    assert (bandit.actions, bandit.horizon, bandit.deterministic) == (3, 1, True)
    assert checks.solve(bandit) == 3.25
    assert checks.solve(bandit, "uniform") == pytest.approx(1.75 / 3)


def test_plain_python_and_compiled_agree(checks: Any) -> None:
    for bandit in (Bandit(), Bandit(np.array([1.0, 2.0])), Bandit([7]), Bandit(list(range(4096)))):
        checks.episodes(bandit, 20)
        checks.recipe(bandit)
    assert Bandit().recipe() == {"rewards": [0.0, 1.0]}


def test_shown() -> None:
    bandit = Bandit([0, 2.5])
    assert bandit.show_state(bandit.start_state()) == "2 arms, none pulled"
    assert bandit.show_state((2,)) == "arm 1 pulled, paid 2.5"
    assert bandit.action_name(1) == "arm 1"


@pytest.mark.parametrize(
    ("rewards", "message"),
    [
        ([], "Bandit: rewards=[], must have 1 to 65535 numbers, not 0"),
        ("01", "Bandit: rewards='01', must be a list of finite numbers"),
        (3, "Bandit: rewards=3, must be a list of finite numbers"),
        ([0, float("nan")], "Bandit: rewards[1]=nan, must be a finite number"),
        ([float("-inf")], "Bandit: rewards[0]=-inf, must be a finite number"),
        ([1, 2, "3"], "Bandit: rewards[2]='3', must be a finite number"),
        ([True], "Bandit: rewards[0]=True, must be a finite number"),
        ([10**400], f"Bandit: rewards[0]={10**400}, must be a finite number"),
    ],
)
def test_errors(rewards: Any, message: str) -> None:
    with pytest.raises(ProblemError) as error:
        Bandit(rewards)
    assert str(error.value) == message


def test_too_many_arms() -> None:
    with pytest.raises(ProblemError, match=r"must have 1 to 65535 numbers, not 65536$"):
        Bandit([0.0] * 65536)
