"""Every node of a search at once, as NumPy columns: for pictures and statistics of trees of millions of nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.formulas.recommend import recommend_everywhere
from ..core.memory.layout import PROVEN, TERMINAL
from ..messages import counted

if TYPE_CHECKING:
    from .tree import Tree


@dataclass(frozen=True, repr=False)
class Survey:
    """What `bt.Node` says, for all nodes, in the order in which they were made; ``search.node_at(i)`` is the i-th.

    `parent` is the index of the node above, -1 for the root; `recommended` is -1 where no action was tried. Of a node
    that several paths lead to, `parent`, `action` and `depth` are those of the first.

    >>> import boltree as bt
    >>> search = bt.Search(bt.problems.DChain(3), bt.BTS(), seed=0, growth="trial")
    >>> _ = search.run(trials=100)
    >>> int(search.survey().visits.max())
    100
    """

    root: int
    parent: NDArray[np.int64]
    action: NDArray[np.int64]
    depth: NDArray[np.int64]
    visits: NDArray[np.int64]
    value: NDArray[np.float64]
    terminal: NDArray[np.bool_]
    proven: NDArray[np.bool_]
    recommended: NDArray[np.int64]

    def __repr__(self) -> str:
        deepest = int(self.depth.max()) if self.depth.size else 0
        return f"<Survey of {counted(self.visits.size, 'node')}, down to depth {deepest}: {', '.join(COLUMNS)}>"


COLUMNS = ("parent", "action", "depth", "visits", "value", "terminal", "proven", "recommended")


def survey(tree: Tree) -> Survey:
    """Look at all nodes of a tree as it is now."""
    nodes = tree.storage.nodes.view(np.ndarray)[: tree.size]
    whole = {name: np.array(nodes[name], np.int64) for name in ("parent", "action", "depth", "visits")}
    if tree.transpositions == "state":  # the nodes' own depths are all 0
        for i in range(1, tree.size):
            whole["depth"][i] = whole["depth"][whole["parent"][i]] + 1
    recommended = np.zeros(tree.size, np.int64)
    recommend_everywhere(tree.record, recommended)
    return Survey(
        root=int(tree.fields.root),
        value=np.array(nodes["value"]),
        terminal=nodes["marks"] & TERMINAL != 0,
        proven=nodes["marks"] & PROVEN != 0,
        recommended=recommended,
        **whole,
    )


def distinct_states(tree: Tree, first: int = 0) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The distinct state records of all nodes from the `first` on, and which of them each node has."""
    words = tree.storage.states[first : tree.size]
    if words.shape[1] == 1:
        found, which = np.unique(words[:, 0], return_inverse=True)
    else:
        found, which = np.unique(words, axis=0, return_inverse=True)
    return np.ascontiguousarray(found).view(tree.problem.state_layout()).reshape(-1), which.reshape(-1)
