"""How many nodes trees will have made when a run ends, so that each can be given as many numbers beforehand."""

from __future__ import annotations

import time

from ..tree import Tree

EXTRA_FRACTION, EXTRA_TRIALS = 4, 256
"""Where faster threads run more trials, a tree may have a quarter more than the others, and this number more."""
MEASURED_SECONDS = 0.0005
"""How long trials must take to show how many there will be."""
FEW_TRIALS, UNKNOWN_TRIALS = 2048, 65536
"""Trials that are too few to measure by; and those of a tree about which nothing is known."""


class Forecast:
    """What is known of a search's trials, and what follows for those to come.

    Args:
        tree: the search's own.
        threads: how many trees there are.
        dynamic: whether faster threads run more trials.
    """

    def __init__(self, tree: Tree, threads: int, *, dynamic: bool) -> None:
        self._tree, self._threads, self._dynamic = tree, threads, dynamic
        self._seconds_a_trial: float | None = None
        self._began, self._trials = 0.0, 0

    @property
    def knows_speed(self) -> bool:
        """Whether it is known how long trials take."""
        return self._seconds_a_trial is not None

    def run_alone(self, trials: int) -> bool:
        """Run trials on the search's own tree, to learn how long they take; False when there is no memory."""
        began = time.perf_counter()
        enough = self._tree.run(trials)
        spent = time.perf_counter() - began
        if spent > MEASURED_SECONDS:
            self._seconds_a_trial = spent / trials
        return enough

    def begin(self) -> None:
        """Note that all trees begin to grow."""
        self._began, self._trials = time.perf_counter(), self._tree.trials

    def end(self) -> None:
        """Note that they have grown, and how long the search's own took."""
        trials = self._tree.trials - self._trials
        if trials > FEW_TRIALS:
            self._seconds_a_trial = (time.perf_counter() - self._began) / trials

    def nodes(self, trials: int | None, left: float | None) -> int:
        """Nodes of each tree, if all run `trials` together, or for the seconds that are `left`.

        Where the trials are known and every tree has its own, exactly; else rather too many than too few.
        """
        tree = self._tree
        if trials is not None:
            each = trials // self._threads + 1
            each += each // EXTRA_FRACTION + EXTRA_TRIALS if self._dynamic else 0
        elif left is not None and self._seconds_a_trial is not None:
            each = int(max(left, 0.0) / self._seconds_a_trial) + FEW_TRIALS
        else:
            each = max(tree.trials, UNKNOWN_TRIALS)
        if tree.growth == "leaf":
            return each + 3
        levels = int(tree.storage.scratch["path"].size)
        made = min(levels, 2 * tree.size / tree.trials if tree.trials else levels)
        return int(each * made) + 2 * levels
