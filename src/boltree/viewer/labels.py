"""Names that tell searches apart."""

from __future__ import annotations

from collections.abc import Sequence

from ..algorithms.table import Algorithm
from ..errors import ParameterError
from ..jobs import settings
from ..search.search import Search


def labels_of(algorithms: Sequence[Algorithm]) -> list[str]:
    """The algorithms' names, with the parameters in which namesakes differ, or numbers where none can be told.

    >>> import boltree as bt
    >>> labels_of([bt.DENTS(alpha=0.1), bt.DENTS(alpha=1.0), bt.UCT()])
    ['DENTS α=0.1', 'DENTS α=1', 'UCT']
    >>> labels_of([bt.BTS(alpha=bt.spectrum()), bt.BTS(alpha=1.0)])
    ['BTS α=spectrum()', 'BTS α=1']
    >>> labels_of([bt.BTS(), bt.BTS()])
    ['BTS (1)', 'BTS (2)']
    """
    titles = [settings.title_of(one.name) for one in algorithms]
    if len(set(titles)) == len(titles):
        return titles
    try:
        return [one.label for one in settings.labelled([settings.setting_of(one) for one in algorithms])]
    except ParameterError:  # the same ones, or a temperature that is a function
        return [
            f"{title} ({titles[: i + 1].count(title)})" if titles.count(title) > 1 else title
            for i, title in enumerate(titles)
        ]


def title_of(labels: Sequence[str], problem: str) -> str:
    """What a page is called.

    >>> title_of(["UCT", "BTS", "DENTS"], "Sailing")
    'Sailing: UCT, BTS and DENTS'
    """
    *others, last = labels
    return f"{problem}: {', '.join(others)} and {last}" if others else f"{problem}: {last}"


def names_of(search: Search, count: int) -> list[str]:
    """What actions are called: at the root, those that are legal there."""
    names = [search.problem.action_name(action) for action in range(count)]
    for action in search.root.actions[search.root.actions < count].tolist():
        names[action] = search.root.action_name(action)
    return names


def parameters_of(algorithm: Algorithm) -> str:
    """The parameters that matter, for a person.

    >>> import boltree as bt
    >>> parameters_of(bt.DENTS(alpha=0.1)), parameters_of(bt.BTS(alpha=lambda m: 1 / m))
    ('α=0.1 ε=1 β=auto', 'α=<lambda> ε=1')
    """
    try:
        shown = settings.setting_of(algorithm).parameters
    except ParameterError:  # a temperature is a function
        given = algorithm.parameters()
        names = [name for name in ("alpha", "epsilon", "beta") if name in given]
        shown = {name: getattr(given[name], "__name__", given[name]) for name in names}
    return settings.parameter_text(shown.items())
