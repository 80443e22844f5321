"""Showing a search in a browser: ``bt.watch``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Union

import numpy as np

from ..errors import ParameterError
from ..search import Search
from .labels import labels_of, title_of
from .page import Watched
from .recording import Recording, painter_for

__all__ = ["Watched", "watch"]


def watch(
    searches: Union[Search, Iterable[Search]],
    trials: int | None = None,
    progress: Callable[[Search], object] | None = None,
) -> Watched:
    """Show one search or several side by side: as they are now, or while each runs so many trials.

    Args:
        searches: a search, or searches of the same problem.
        trials: run so many trials and note about 60 moments on the way; None looks at the trees as they are.
        progress: a function of the search, called at each of these moments.

    Returns:
        A page that a notebook shows, and that ``.save("search.html")`` writes to a file.

    Example:
        >>> import boltree as bt
        >>> chain = bt.problems.DChain(10)
        >>> searches = [bt.Search(chain, a, seed=0, growth="trial") for a in (bt.UCT(), bt.DENTS())]
        >>> page = bt.watch(searches, trials=1000)
        >>> page.save("search.html")  # doctest: +SKIP
    """
    chosen = [searches] if isinstance(searches, Search) else list(searches)
    if not chosen or not all(isinstance(one, Search) for one in chosen):
        raise ParameterError(f"searches={searches!r}: must be a bt.Search or a list of them")
    if len({id(one) for one in chosen}) < len(chosen):
        raise ParameterError("searches: the same search stands there twice; make one for each")
    if trials is not None and (isinstance(trials, bool) or not isinstance(trials, (int, np.integer)) or trials < 1):
        raise ParameterError(f"trials={trials!r}: must be an integer of at least 1, or None")
    if trials is None and any(one.trials == 0 for one in chosen):
        raise ParameterError("watch(): a search has no trials yet; run it first, or give trials=...")
    first = chosen[0].problem
    for one in chosen[1:]:
        if type(one.problem) is not type(first) or one.problem.fingerprint() != first.fingerprint():
            raise ParameterError(f"searches: {one.problem!r} and {first!r} differ; they must be of the same problem")
    labels = labels_of([one.algorithm for one in chosen])
    recordings = [Recording(one, label, painter_for(one)) for one, label in zip(chosen, labels, strict=True)]
    for recording in recordings:
        recording.run(int(trials or 0), progress)
    return Watched(recordings, title_of(labels, type(first).__name__))
