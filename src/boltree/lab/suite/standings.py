"""How contenders stand: the normalised regret on every problem, and its mean in which every family counts equally.

Where a problem has no exact values, its decisions have a score, the more the better. Then the regret is

    (best score - score) / (best score - the random policy's score),

with the best mean score that any contender has on the problem at any of the numbers of trials in the same results. So
0 is the best that was seen and 1 is what choosing at random gets, as for exact regrets; but how far the best that was
seen is from the optimum is not known, and other contenders or more trials may move it. A problem on which no contender
is better than the random policy says nothing and is left out, as are scores where there is only one contender.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .grid import PLAN

Numbers = NDArray[np.float64]
"""One number a repeat."""


class Entry(NamedTuple):
    """A contender with a number of trials."""

    label: str
    trials: int


@dataclass(frozen=True)
class Standings:
    """What contenders lose.

    Args:
        families: the family of every problem.
        regrets: by contender and number of trials, then by problem.
        seconds: how long a decision takes, in the same way.
        scored: the problems that have scores instead of exact values.
        left_out: those of them that cannot be compared.
    """

    families: Mapping[str, str]
    regrets: Mapping[Entry, Mapping[str, Numbers]]
    seconds: Mapping[Entry, Mapping[str, Numbers]]
    scored: frozenset[str] = frozenset()
    left_out: frozenset[str] = frozenset()

    @property
    def budgets(self) -> list[int]:
        """The numbers of trials."""
        return sorted({entry.trials for entry in self.regrets})

    @property
    def labels(self) -> list[str]:
        """The contenders, in the order of the results."""
        return list(dict.fromkeys(entry.label for entry in self.regrets))

    @property
    def grid(self) -> list[str]:
        """The contenders that `bt.plan` is compared with."""
        return [label for label in self.labels if label not in {one.label for one in PLAN}]

    def by_family(self, numbers: Mapping[str, Numbers]) -> dict[str, Numbers]:
        """The means of each family's problems."""
        members: dict[str, list[Numbers]] = defaultdict(list)
        for problem, several in numbers.items():
            members[self.families[problem]].append(several)
        return {family: np.mean(several, axis=0) for family, several in members.items()}

    def mean(self, numbers: Mapping[str, Numbers]) -> Numbers:
        """The mean over the families of their means."""
        return np.asarray(np.mean(list(self.by_family(numbers).values()), axis=0))

    def regret(self, label: str, trials: int) -> Numbers:
        """A contender's mean regret."""
        return self.mean(self.regrets[Entry(label, trials)])

    def best_single(self, trials: int) -> str:
        """The setting of the grid with the lowest mean regret; the first of several."""
        return min(self.grid, key=lambda label: float(self.regret(label, trials).mean()))

    def best_for_each(self, trials: int) -> dict[str, Numbers]:
        """For every problem the regret of the grid's setting that is best there, chosen by the same results."""
        problems = self.regrets[Entry(self.grid[0], trials)]
        return {
            problem: min((self.regrets[Entry(label, trials)][problem] for label in self.grid), key=np.mean)
            for problem in problems
        }


def standings_of(frame: Any) -> Standings:
    """The standings in the results of jobs that were given trials."""
    families: dict[str, str] = {}
    regrets: dict[Entry, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    scores: dict[str, dict[Entry, list[float]]] = defaultdict(lambda: defaultdict(list))
    seconds: dict[Entry, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    random: dict[str, list[float]] = defaultdict(list)
    for row in frame.sort("repeat", maintain_order=True).iter_rows(named=True):
        entry, problem = Entry(row["label"], row["budget"]), row["problem"]
        families[problem] = row["family"]
        seconds[entry][problem].append(row["seconds"])
        if math.isnan(row["score"]):
            regrets[entry][problem].append(row["regret"])
        else:
            scores[problem][entry].append(row["score"])
            random[problem].append(row["random"])
    left_out = set()
    for problem, by_entry in scores.items():
        best, chance = max(map(np.mean, by_entry.values())), np.mean(random[problem])
        if best <= chance or len({entry.label for entry in by_entry}) == 1:
            left_out.add(problem)
            continue
        for entry, several in by_entry.items():
            regrets[entry][problem] = [float((best - score) / (best - chance)) for score in several]
    return Standings(families, _arrays(regrets), _arrays(seconds), frozenset(scores), frozenset(left_out))


def _arrays(numbers: Mapping[Entry, Mapping[str, list[float]]]) -> dict[Entry, dict[str, Numbers]]:
    return {entry: {name: np.array(several) for name, several in of.items()} for entry, of in numbers.items()}
