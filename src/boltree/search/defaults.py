"""What a search does where no algorithm is given: chosen by what the problem says of itself, the same on every machine.

* A problem that lists its outcomes (or is deterministic) is searched with known probabilities, shared nodes and proofs.
  Where one player's turns out to be too large for exact values, outcomes are sampled, which is many times as fast.
* One player: BTS at a temperature drawn for each trial, on all states of a trial. Bellman backups do not depend on who
  chose the actions, so hot trials explore and cold ones look closely, in one tree; no temperature has to be right.
* Where outcomes are hidden, what was seen of a state and action at one depth counts at every other: samples are few.
* Two players, or a `heuristic`: leaves are valued by rollouts or by the heuristic. A maximum over noisy values
  overestimates, so returns are averaged, by UCT, where a rollout values leaves.
* An evaluator of the user's own: PUCT, with its priors if it gives any.
* A hidden state: AR-BTS, with rollouts. Few trials come to any one history, so that maxima are too high: returns are
  averaged.
* Actions that are drawn from boxes: BTS as for one player, in a tree, at lower temperatures: actions near the best
  differ by little.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from ..algorithms.schedules import Auto, spectrum, spread
from ..algorithms.table import ARBTS, BTS, PUCT, UCT, Algorithm
from ..problem.problem import Problem
from ..problem.python.problem import PythonProblem
from ..tree.leaves import is_external
from ..tree.outcomes import Outcomes, lists_outcomes
from ..tree.transpositions import Transpositions

BIAS = 0.35
"""UCT's bias, in units of the returns' spread: 0.7 where they are from -1 to 1."""

COLD = Auto("spectrum", 1e-6, 0.1)
"""The temperatures where actions are drawn from boxes, in units of the returns' spread, large by bad actions."""


@dataclass(frozen=True)
class Settings:
    """An algorithm, and how its tree grows."""

    algorithm: Algorithm
    growth: Literal["leaf", "trial"] = "leaf"
    evaluator: Any = "rollout"
    transpositions: Transpositions = False
    outcomes: Outcomes = "sampled"
    proofs: bool = False
    threads: int = 1

    def may_turn(self, problem: Problem) -> bool:
        """Whether known outcomes may give way to samples: where they are random, one player's, and quick to draw."""
        quick = not (problem.deterministic or problem.has("player") or isinstance(problem, PythonProblem))
        return quick and self.outcomes == "known" and self.proofs and self.growth == "trial" and self.threads == 1

    @property
    def may_pool(self) -> bool:
        """Whether outcomes can be pooled over depths."""
        return self.growth == "trial" and self.transpositions is True


def settings_for(problem: Problem, evaluator: Any = None, *, threads: int = 1, graph: bool = True) -> Settings:
    """What to search a problem with.

    Args:
        problem: what is searched.
        evaluator: what the user wants leaves valued by; None for no wish.
        threads: how many may run trials side by side.
        graph: whether nodes may be shared, which recycling does not allow.
    """
    if evaluator is not None and is_external(evaluator, "leaf"):
        return Settings(PUCT(), evaluator=evaluator, threads=threads)
    if problem.boxes is not None and not problem.hidden:
        return Settings(BTS(alpha=COLD), "trial")
    if problem.hidden:
        value = evaluator if evaluator is not None else "rollout"
        return Settings(ARBTS(), evaluator=value, threads=threads)
    known = graph and lists_outcomes(problem)
    sharing = {
        "transpositions": graph,
        "outcomes": "known" if known else "sampled",
        "proofs": known,
        "threads": threads,
    }
    by_heuristic = problem.has("heuristic") and evaluator in (None, "heuristic")
    if by_heuristic or evaluator is not None or problem.has("player"):
        value = evaluator if evaluator is not None else "heuristic" if by_heuristic else "rollout"
        algorithm: Algorithm = UCT(c=spread(BIAS)) if value == "rollout" else BTS(alpha=spectrum())
        return Settings(algorithm, "leaf", value, **sharing)  # type: ignore[arg-type]
    if graph and not known:
        sharing["outcomes"] = "pooled"
    return Settings(BTS(alpha=spectrum()), "trial", **sharing)  # type: ignore[arg-type]
