"""Looking at a node of a search: its actions, values, visits, policy, state and children, as NumPy arrays."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..algorithms.schedules import at_count
from ..core.formulas.recommend import recommend_action
from ..core.memory.layout import BY_STATE, DONE, NONE, PROVEN, SINGLE, TERMINAL
from ..core.trial.read import newest_outcome, write_policy
from ..errors import ParameterError
from ..messages import shortened
from .hidden import carry_any
from .summary import node_html, node_text
from .widening import vectors_of

if TYPE_CHECKING:
    from .tree import Tree


class Node:
    """A decision node: a state at a depth; where states are hidden, a history of actions and observations.

    A view: it shows the search as it is when read.

    Values are player 0's. Arrays are over `actions`.
    """

    def __init__(self, tree: Tree, index: int) -> None:
        searched = getattr(tree, "tree", None)
        if searched is not None:
            warnings.warn("bt.Node(search, i) is called search.node_at(i) now", DeprecationWarning, stacklevel=2)
            tree = searched
        self._tree = tree
        self._version = tree.version
        self._index = int(index)

    def __repr__(self) -> str:
        return f"<Node depth={self.depth} count={self.count} value={self.value:.6g}>"

    def __str__(self) -> str:
        return node_text(self)

    def _repr_html_(self) -> str:
        return node_html(self)

    @property
    def _storage(self) -> Any:
        if self._version != self._tree.version:
            raise RuntimeError(
                "this node belongs to a tree that was left by advance() or recycled; take search.root again"
            )
        return self._tree.storage

    @property
    def _record(self) -> Any:
        return self._storage.node(self._index)

    @property
    def _edges(self) -> Any:
        _ = self._storage  # still of this tree?
        return self._tree.edges_of(self._index)

    @property
    def number(self) -> int:
        """The node's number in the order in which nodes were made; ``search.node_at(number)`` finds it again."""
        return self._index

    @property
    def value(self) -> float:
        """V(s), the node's value estimate; V_init while no action was tried."""
        return float(self._record.value)

    @property
    def count(self) -> int:
        """N(s), how often trials arrived here."""
        return int(self._record.visits)

    def action_name(self, action: Any) -> str:
        """What an action is called here."""
        problem = self._tree.problem
        if problem.boxes is not None:
            return problem.action_name(action)
        return problem.action_name(action) if problem.hidden else problem.action_name_in(self.state, action)

    @property
    def entropy(self) -> float:
        """H_V(s), the entropy value, for algorithms that keep one."""
        return float(self._record.entropy)

    @property
    def temperature(self) -> float:
        """The search temperature alpha of the next visit here; NaN for algorithms without one."""
        algorithm, t = self._tree.algorithm, self._tree.fields
        if not (algorithm.state_value_row.has_temperature or algorithm.distribution_row.sampled):
            return math.nan
        if t.adaptive:
            return float(t.alpha_scale)
        return at_count(algorithm.temperatures[0], self.count + 1, float(t.alpha_scale))

    @property
    def entropy_weight(self) -> float:
        """The weight beta of the entropy bonus at the next visit here; NaN for algorithms without one."""
        algorithm = self._tree.algorithm
        if algorithm.entropy_bonus == "none":
            return math.nan
        return at_count(algorithm.temperatures[1], self.count + 1, float(self._tree.fields.beta_scale))

    @property
    def depth(self) -> int:
        """Steps from where the search began; those of the first path here where nodes are shared by state."""
        if self._tree.fields.transpositions != BY_STATE:
            return int(self._record.depth)
        return len(self._path()) - 1

    @property
    def at_horizon(self) -> bool:
        """Whether trials end here, because it lies at the horizon."""
        return self.depth >= self._tree.horizon

    @property
    def player(self) -> int:
        """Who moves here, 0 or 1."""
        return int(self._record.player)

    @property
    def terminal(self) -> bool:
        """Whether the problem ended here."""
        return bool(self._record.marks & TERMINAL)

    @property
    def reward(self) -> float:
        """The reward paid on the first arrival here; at the root of a search that shares nodes, NaN."""
        record = self._record
        if not self._tree.fields.transpositions:
            return float(record.reward)
        if record.parent == NONE:
            return math.nan
        parent = Node(self._tree, int(record.parent))
        return next(float(link.reward) for link in parent._links(int(record.action)) if link.child == self._index)

    @property
    def state(self) -> Any:
        """The state, a NumPy record, or the object itself for a `PythonProblem`."""
        return self._tree.problem.present(self.state_record)

    @property
    def state_record(self) -> Any:
        """The state as it is stored, a NumPy record, for a `PythonProblem` too."""
        if self._tree.problem.hidden:
            raise ParameterError(
                f"state: is hidden in {self._tree.problem.display_name()}; node.observation says what was observed, "
                "search.belief what is believed"
            )
        return self._storage.state(self._index, self._tree.problem.state_layout())

    @property
    def observation(self) -> Any:
        """What was observed on the way here; None at the start, at an end, and where states are seen."""
        problem = self._tree.problem
        if not problem.hidden or self.terminal or self.depth == 0:
            return None
        return problem.present_observation(self._storage.state(self._index, problem.observation_layout()))

    @property
    def shown(self) -> str:
        """The state as text; where states are hidden, what was observed."""
        if self._tree.problem.hidden:
            return "" if self.observation is None else f"observed {self.observation}"
        return self._tree.problem.show_state(self.state)

    @property
    def index(self) -> int:
        """The node's number in the order in which nodes were made."""
        return self._index

    @property
    def actions(self) -> NDArray[Any]:
        """The legal actions, or those drawn from boxes so far (floats, or an array with rows)."""
        _ = self._storage  # still of this tree?
        if self._tree.problem.boxes is not None:
            drawn: NDArray[Any] = vectors_of(self._tree, self._index)
            return drawn
        return self._tree.actions_of(self._index)

    def action_at(self, place: int) -> Any:
        """One of `actions`, as users have it: a whole number, or what was drawn from boxes."""
        boxes, found = self._tree.problem.boxes, self.actions[place]
        return int(found) if boxes is None else boxes.present(np.reshape(found, -1))

    def place_of(self, action: Any) -> int:
        """The place of an action in `actions`; ParameterError where it is not among them."""
        boxes, actions = self._tree.problem.boxes, self.actions
        if boxes is not None:
            action, actions = boxes.vector(action), actions.reshape(-1, boxes.size)
            same = np.flatnonzero((actions == action).all(axis=1))
        else:
            same = np.flatnonzero(actions == action)
        if not same.size:
            raise ParameterError(f"action={action!r}: must be one of the node's actions: {shortened(actions.tolist())}")
        return int(same[0])

    def _number(self, action: Any) -> int:
        """The number by which the kernel knows an action; -1 where the node has none such."""
        if self._tree.problem.boxes is None:
            return int(action)
        try:
            return self.place_of(action)
        except ParameterError:
            return NONE

    def _by_action(self, field: str, default: float, dtype: Any) -> NDArray[Any]:
        edges = self._edges
        if edges is not None:
            return np.array(edges[field], dtype)
        actions = self._tree.actions_of(self._index)
        values = np.full(actions.size, default, dtype)
        record = self._record
        if record.marks & SINGLE:
            only = self._storage.node(record.block)
            t = self._tree.fields
            average = self._tree.algorithm.state_value == "mean"
            total = record.value if average else only.reward + t.discount * only.value
            sign = -1.0 if record.player == 1 else 1.0
            values[actions == only.action] = {"visits": 1, "q": sign * total}[field]
        return values

    @property
    def visits(self) -> NDArray[np.int64]:
        """N(s,a) of each action."""
        return self._by_action("visits", 0, np.int64)

    @property
    def q(self) -> NDArray[np.float64]:
        """Q(s,a) of each action, in player 0's units; NaN while untried."""
        values = self._by_action("q", np.nan, np.float64)
        values[self.visits == 0] = np.nan
        return -values if self.player == 1 else values

    @property
    def recommended(self) -> Any:
        """The recommended action; None while no action was tried."""
        _ = self._storage  # still of this tree?
        action = int(recommend_action(self._tree.record, self._index))
        if action < 0:
            return None
        return action if self._tree.problem.boxes is None else self.action_at(action)

    @property
    def prior(self) -> NDArray[np.float64] | None:
        """The prior of each action, if there is one."""
        t, record = self._tree.fields, self._record
        if not t.has_prior or self._edges is None:
            return None
        n = int(record.actions)
        first = self._bounds_at + (2 * (n + 1) if t.proofs else 0)
        return np.array(self._storage.words[first : first + n])

    @property
    def _bounds_at(self) -> int:
        """Word of the node's block where its bounds lie; where none are kept, what would follow them."""
        n = int(self._record.actions)
        return 4 * (int(self._record.block) + n) + int(self._tree.fields.extra_words) * n

    def _bounds(self) -> NDArray[np.float64]:
        """The lower and upper bounds of each action, and then of the node; nothing is known where there are none."""
        n, record = len(self.actions), self._record
        if self._tree.fields.proofs and self._edges is not None:
            first = self._bounds_at
            return np.array(self._storage.words[first : first + 2 * (n + 1)]).reshape(n + 1, 2)
        bounds = np.tile([-np.inf, np.inf], (n + 1, 1))
        if self.terminal or record.depth >= self._tree.horizon:
            bounds[n] = 0.0
        elif self.proven:
            bounds[n] = self.value
        return bounds

    @property
    def lower(self) -> float:
        """What the node is worth at least, surely; minus infinity where nothing is known (``proofs=False``)."""
        return float(self._bounds()[-1, 0])

    @property
    def upper(self) -> float:
        """What the node is worth at most, surely; infinity where nothing is known (``proofs=False``)."""
        return float(self._bounds()[-1, 1])

    @property
    def proven(self) -> bool:
        """Whether the node's value is proven to be exact."""
        return bool(self._tree.fields.proofs and self._record.marks & PROVEN)

    @property
    def action_bounds(self) -> NDArray[np.float64]:
        """The lower and upper bound of each action's value, [actions, 2], in player 0's units."""
        return self._bounds()[:-1]

    @property
    def policy(self) -> NDArray[np.float64]:
        """The search policy pi that the next visit would draw from."""
        actions = self._tree.actions_of(self._index)
        if actions.size == 0:
            return np.zeros(0)
        path = self._path()
        out = np.zeros(actions.size)
        if self._tree.problem.hidden and self._edges is None:
            if len(path) > 1:
                return np.full(actions.size, np.nan)  # it follows from what is legal, which only trials know
            carry_any(self._tree)
        t = self._tree.fields
        if self._edges is None:
            self._storage.make_sure(int(t.node_count), int(t.unit_count) + 4 * actions.size + 4)
        if write_policy(self._tree.record, np.array(path[::-1], np.int64), out) != DONE:
            self._tree.problem.reraise()
            raise RuntimeError("the policy of this node cannot be worked out: legal or prior failed")
        return out

    def _path(self) -> list[int]:
        """The nodes from this one up to the root, by the parent that each was met from first."""
        path, root = [self._index], int(self._tree.fields.root)
        parents = self._storage.nodes.view(np.ndarray)["parent"]
        while path[-1] != root:
            path.append(int(parents[path[-1]]))
        return path

    @property
    def children(self) -> dict[Any, list[Node]]:
        """The nodes below, by action, one for each outcome seen; several numbers of an action are a tuple here."""
        record, found = self._record, {}
        if record.marks & SINGLE:
            found[self._storage.node(record.block).action] = [Node(self._tree, record.block)]
        edges = self._edges
        if edges is not None:
            for i in np.flatnonzero(edges["child"] != NONE):
                action = self.action_at(int(i))
                found[tuple(action.tolist()) if isinstance(action, np.ndarray) else action] = self.outcomes(action)
        return found

    def outcomes(self, action: Any) -> list[Node]:
        """The nodes that an action was seen to lead to, in the order in which they were met."""
        if self._tree.fields.transpositions:
            return [Node(self._tree, int(link.child)) for link in self._links(action)]
        return [Node(self._tree, i) for i in self._chain(action, self._storage.nodes["sibling"])]

    def arrivals(self, action: Any) -> NDArray[np.int64]:
        """n(s,a,s'): how often an action led to each of its `outcomes`; a shared node is visited by other paths too."""
        if self._tree.fields.transpositions:
            return np.array([link.visits for link in self._links(action)], np.int64)
        return np.array([child.count for child in self.outcomes(action)], np.int64)

    def chances(self, action: Any) -> NDArray[np.float64]:
        """How probable each of an action's `outcomes` is: by the problem where outcomes are known, else as seen."""
        if self._tree.fields.known:
            return np.array([link.rewards for link in self._links(action)], np.float64)
        counts = self.arrivals(action)
        return counts / max(int(counts.sum()), 1)

    def _links(self, action: Any) -> list[Any]:
        """Where nodes are shared: the links of an action's outcomes."""
        links = self._storage.links
        return [links[i] for i in self._chain(action, links["next"])]

    def _chain(self, action: Any, following: Any) -> list[int]:
        """The outcomes of an action from the oldest to the newest: their chain reversed."""
        found: list[int] = []
        here = int(newest_outcome(self._tree.record, self._index, self._number(action)))
        while here != NONE:
            found.append(here)
            here = int(following[here])
        return found[::-1]
