"""The memory of one search: its arenas, its scratch, and the one record through which kernels see them."""

from __future__ import annotations

import ctypes
import math
from typing import Any, ClassVar

import numpy as np

from ..interrupts import held_back
from ..lanes import LANES
from ..native import for_kernels
from .arena import Arena, own_pages
from .layout import EDGE, FLIGHT, HEADER, LEAF, LINK, NODE, NONE, ORIGIN, PATH, TREE, UNIT
from .links import rebuild_graph_index
from .outcomes import count_indexed, rebuild_index
from .partition import Partition
from .recycling import BINS, recycle, slide_together

LOGS = np.log(math.e + np.arange(65536.0))

SLACK = 1.0 + 1e-12
"""The factor by which a sum of discounted rewards is widened, because it is rounded."""


def new_record() -> Any:
    """A zeroed tree record, in a one-element array: what kernels are called with."""
    return for_kernels(np.zeros(1, TREE))


class Fields(ctypes.Structure):
    """A record for Python: the same memory, an attribute for every field, ten times as fast as NumPy's."""

    __slots__ = ("memory",)
    _fields_: ClassVar[list[Any]] = []

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def __setitem__(self, name: str, value: Any) -> None:
        setattr(self, name, value)


def _fields_like(layout: Any) -> Any:
    """The class of such records."""
    kinds = [(name, np.ctypeslib.as_ctypes_type(layout[name])) for name in layout.names]
    fields = type("Fields", (Fields,), {"__slots__": (), "_fields_": kinds})
    assert all(getattr(fields, name).offset == layout.fields[name][1] for name in layout.names)
    assert ctypes.sizeof(fields) == layout.itemsize
    return fields


_TreeFields, _NodeFields = _fields_like(TREE), _fields_like(NODE)


def fields_of(record: Any) -> Any:
    """The fields of the one tree record in an array."""
    fields = _TreeFields.from_address(record.ctypes.data)
    fields.memory = record  # which lives as long
    return fields


def new_scratch(tree: Any, levels: int, batch: int = 1) -> dict[str, Any]:
    """Memory for what a trial works out on its way, which no other thread may touch; and the random numbers."""
    actions = int(tree.actions)
    in_lanes = -(-actions // LANES) * LANES
    paths = levels * actions if tree.relative else 1
    wanted: dict[str, tuple[int, Any]] = {
        "path": (levels, PATH),
        "path_links": (levels, np.int32),
        "weights": (in_lanes, np.float64),
        "mixture": (in_lanes, np.float64),
        "policies": (paths, np.float64),
        "references": (paths, np.float64),
        "mask": (actions, np.uint8),
        "out": (max(actions, 4) + max(int(tree.words), int(tree.hidden_words)) + 2, np.float64),
        "rng": (2, np.uint64),
        "carried": (2 * int(tree.hidden_words), np.uint64),
        "prior_in": (actions, np.float64),
        "stack": (actions, np.int32),
        "dues": (actions if tree.box_words else 1, np.int64),
        "window": (min(int(tree.every) * levels, 1 << 16) if tree.adaptive else 1, np.int32),
        "flights": (2 * batch, FLIGHT),  # one batch is evaluated while the next is selected
        "flown": (2 * batch * levels, PATH),
        "flown_links": (2 * batch * levels if tree.transpositions else 1, np.int32),
    }
    return {name: np.zeros(size, dtype) for name, (size, dtype) in wanted.items()}


def spans(count: int, discount: float) -> Any:
    """What a reward of 1 at each of k steps is worth today, for k below `count`; a little more, since it is rounded."""
    return SLACK * np.concatenate([[0.0], np.cumsum(discount ** np.arange(count - 1, dtype=float))])


class Storage:
    """Arenas for nodes, states and blocks, sized by a limit that is only reserved, not used."""

    def __init__(
        self,
        record: Any,
        levels: int,
        max_bytes: int,
        max_nodes: int | None = None,
        *,
        batch: int = 1,
        reserve: bool = True,
        arenas: dict[str, Arena] | None = None,
        scratch: dict[str, Any] | None = None,
    ) -> None:
        """Memory for the tree of a record, whose trials are at most `levels` steps long and come in batches of `batch`.

        Cleared arenas of a tree that is gone may be used again: a page that was never touched costs more than all the
        work on it. So may its scratch memory, if the tree's record is a copy of that one's.
        """
        self.record, limit = record, max_bytes
        t = self.fields = fields_of(record)
        words, levels = int(t.words), levels + 2
        self.arenas = arenas or {
            "nodes": Arena(min(limit, (2**31 - 1) * NODE.itemsize), reserve=reserve),
            "states": Arena(min(limit, 2**31 * words * 8), reserve=reserve),
            "blocks": Arena(2 * limit, reserve=reserve),  # where several trees grow in it, there are gaps
        }
        if scratch is None or scratch["path"].size < levels:
            scratch = self._lay_out_scratch(levels, batch)
        scratch["flights"]["length"] = -1  # free
        scratch["noise"][:] = 0.0
        self.scratch = scratch
        self.index: Any = np.zeros(0, np.int32)
        self.partition: Partition | None = None
        self._views: dict[tuple[str, Any], tuple[Any, Any]] = {}
        t.index_size = t.index_count = t.index_stale = 0
        self.limit(max_bytes, max_nodes)

    def _lay_out_scratch(self, levels: int, batch: int) -> dict[str, Any]:
        """New scratch memory, whose addresses and sizes are entered into the record."""
        t = self.fields
        scratch = new_scratch(t, levels, batch) | {"noise": np.zeros(int(t.actions)), "logs": LOGS}
        scratch["spans"] = spans(levels if t.proofs else 1, float(t.discount))
        for name, array in scratch.items():
            t[f"{name}_at"] = array.ctypes.data
        t.policies_size, t.out_size, t.two = scratch["policies"].size, scratch["out"].size, 2
        t.carried_next_at = t.carried_at + 8 * t.hidden_words
        t.levels = t.flown_levels = levels
        t.flown_links_size = scratch["flown_links"].size
        t.window_size, t.logs_size = scratch["window"].size, LOGS.size
        return scratch

    def limit(self, max_bytes: int, max_nodes: int | None) -> None:
        """Set limits; scratch memory counts as part of the bytes."""
        self.max_nodes, self.partition = max_nodes, None
        self.fields.max_bytes = max_bytes - self.scratch_bytes
        self.place()

    def keep_to(self, partition: Partition) -> None:
        """Take no more of the arenas than a part of them, while other trees take theirs."""
        self.partition = partition
        self.place()

    @property
    def scratch_bytes(self) -> int:
        """Bytes that trials work with."""
        return sum(int(array.nbytes) for array in self.scratch.values() if array is not LOGS)

    def place(self) -> None:
        """Enter the arenas' addresses into the record: this tree, or another in them, may have made them move."""
        t = self.fields
        for name, arena in self.arenas.items():
            t[f"{name}_at"] = arena.array.ctypes.data
        self._views = {key: kept for key, kept in self._views.items() if kept[0] is self.arenas[key[0]].array}
        room = min(self.arenas["nodes"].size // NODE.itemsize, self.arenas["states"].size // (int(t.words) * 8))
        t.max_nodes = room if self.max_nodes is None else min(room, self.max_nodes + 1)  # one beyond is scratch
        t.max_units = self.arenas["blocks"].size // UNIT
        if t.transpositions:
            t.max_units = min(int(t.max_units), 2**31 - 1)  # links are numbered by 32 bits
        t.max_words = t.max_units * (UNIT // 8)
        if self.partition is not None:
            self.partition.bound(t)
        t.max_state_words = self.arenas["states"].size // 8

    def reserve(self, more: int, units: int) -> tuple[int, int]:
        """Make room for `more` nodes, and `units` units in all; returns for how many there is room."""
        size = int(self.fields.node_count)
        with held_back():
            for name, wanted in self._sizes(size + more, units).items():
                self.arenas[name].make_room(min(wanted, self.arenas[name].limit))
            self.place()
        return min(more, int(self.fields.max_nodes) - size), self.arenas["blocks"].size // UNIT

    def make_sure(self, nodes: int, units: int) -> None:
        """Make room for a total of nodes and units, whatever the limits; MemoryError when there is none."""
        self.grow(nodes, units)
        short = [name for name, size in self._sizes(nodes, units).items() if self.arenas[name].size < size]
        if short:
            raise MemoryError(f"no memory for the {short[0]} of a tree of {nodes} nodes")

    def grow(self, nodes: int, units: int) -> bool:
        """Make room for a total of nodes and units; False when a limit is in the way."""
        t = self.fields
        if self.partition is not None:
            return self.partition.grow(t, nodes, units, self.arenas["blocks"].size // UNIT)
        with held_back():
            enough = all(self.arenas[name].make_room(size) for name, size in self._sizes(nodes, units).items())
            self.place()  # also after a failure: some arenas may have moved
        within = self._bytes_of(nodes, units) + 4 * int(t.index_size) <= t.max_bytes
        return bool(enough and nodes <= t.max_nodes and within)

    def _sizes(self, nodes: int, units: int) -> dict[str, int]:
        """The bytes that nodes and units take in each arena."""
        return {"nodes": nodes * NODE.itemsize, "states": nodes * int(self.fields.words) * 8, "blocks": units * UNIT}

    def _bytes_of(self, nodes: int, units: int) -> int:
        return sum(self._sizes(nodes, units).values())

    def recycle(self, more_nodes: int, more_units: int, *, by_nodes: bool) -> bool:
        """Free the least visited half of the nodes (or bytes), or more, so that there is room for more.

        Pages that are not used any more go back to the system. False when too little can be freed.
        """
        t = self.fields
        nodes, units = int(t.node_count), int(t.unit_count)
        most_nodes = int(t.max_nodes) - more_nodes
        most_bytes = int(t.max_bytes) - self._bytes_of(more_nodes, more_units)
        if by_nodes:
            most_nodes = min(most_nodes, nodes // 2)
        else:
            most_bytes = min(most_bytes, self._bytes_of(nodes, units) // 2)
        scratch = np.zeros(nodes, np.int32), np.zeros(units // 8 + 1, np.uint8), np.zeros(2 * BINS, np.int64)
        with held_back():
            if not recycle(self.record, *scratch, most_nodes, most_bytes):
                return False
            self.drop_index()
            for name, size in self._sizes(int(t.node_count), int(t.unit_count)).items():
                self.arenas[name].release(size)
        return self.grow(int(t.node_count) + more_nodes, int(t.unit_count) + more_units)

    def slide_together(self) -> None:
        """Leave no units between the blocks; what was used there goes back to the system."""
        t = self.fields
        scratch = np.zeros(int(t.node_count), np.int32), np.zeros(int(t.unit_count) // 8 + 1, np.uint8)
        with held_back():
            slide_together(self.record, *scratch)
            self.drop_index()
            self.arenas["blocks"].release(int(t.unit_count) * UNIT)

    def cleared(self, trials: int) -> dict[str, Arena]:
        """The arenas, as they were before the tree; the next `trials` trials may have left something too."""
        t = self.fields
        more = trials * (1 if t.growth == LEAF else self.scratch["path"].size) + 2
        nodes, units = int(t.node_count) + more, int(t.unit_count) + 2 * more * (3 * int(t.actions) + 2)
        for name, size in self._sizes(nodes, units).items():
            self.arenas[name].clear(size)
        return self.arenas

    def make_index(self, trials: int = 1, *, anyhow: bool = False) -> bool:
        """An index of outcomes large enough for the next `trials` trials at once.

        False when there is no room for it, unless it must be made `anyhow`.
        """
        t = self.fields
        new_nodes = max(trials * (1 if t.growth == LEAF else self.scratch["path"].size), int(t.reserve_nodes))
        nodes = int(t.node_count)
        spans = self.spans
        most = max(nodes + new_nodes if t.transpositions else int(count_indexed(self.record, spans, new_nodes)), 1024)
        size = 1 << (4 * most - 1).bit_length()
        self.drop_index()
        room = int(t.max_bytes) - self._bytes_of(nodes + new_nodes, int(t.unit_count))
        if 4 * size > room:
            size //= 2
        if (4 * size > room or 2 * size < 5 * most) and not anyhow:  # it would have to be made anew too soon
            return False
        index = own_pages(4 * size).view(np.int32)
        index[:] = NONE
        self.index = index
        t.index_wanted = t.index_stale = 1  # until it is filled: an interrupt may come before
        t.index_at, t.index_size = self.index.ctypes.data, self.index.size
        if t.transpositions:
            rebuild_graph_index(self.record)
        else:
            rebuild_index(self.record, spans)
        t.index_stale = 0
        return True

    def drop_index(self) -> None:
        """Free the index; it is made anew before the next trial, if one is wanted."""
        t = self.fields
        t.index_size = t.index_count = t.index_stale = 0
        self.index = np.zeros(0, np.int32)

    @property
    def own_nodes(self) -> int:
        """Nodes that the tree has made; not those that came from other trees."""
        first, end = self.spans[0]
        return int(end - first)

    @property
    def own_units(self) -> int:
        """Units that the tree has taken, with what lies between its blocks; not those that other trees have."""
        return int(self.fields.unit_count) if self.partition is None else self.partition.units(self.fields)

    def grow_anyhow(self) -> None:
        """Make room for one more block, over the limit of the part if need be."""
        assert self.partition is not None
        t, room = self.fields, self.arenas["blocks"].size // UNIT
        if not self.partition.grow(t, int(t.node_count), int(t.unit_count + t.needed_units), room, anyhow=True):
            raise MemoryError("no memory for the blocks of trees that are merged")

    def take_in(self, spans: Any) -> None:
        """Note where nodes lie that another tree had and this one has now."""
        assert self.partition is not None
        self.partition.grafted += [(int(first), int(end)) for first, end in spans]

    @property
    def spans(self) -> Any:
        """The spans of numbers that the tree's nodes have."""
        if self.partition is not None:
            return self.partition.spans(self.fields)
        return np.array([(0, int(self.fields.node_count))], np.int64)

    def used(self) -> dict[str, Any]:
        """The memory of nodes and blocks that is in use, as bytes."""
        t = self.fields
        sizes = self._sizes(int(t.node_count), int(t.unit_count))
        return {name: self.arenas[name].array[: sizes[name]] for name in ("nodes", "blocks")}

    @property
    def nbytes(self) -> int:
        """Bytes that the tree occupies."""
        t = self.fields
        return self._bytes_of(int(t.node_count), int(t.unit_count)) + 4 * int(t.index_size)

    def _view(self, arena: str, dtype: Any) -> Any:
        """An arena as records or numbers; kept, for NumPy takes longer to make one than to read it."""
        memory = self.arenas[arena].array
        known, view = self._views.get((arena, dtype), (None, None))
        if known is not memory:  # it has moved, or was never looked at
            size = np.dtype(dtype).itemsize
            view = memory[: memory.nbytes - memory.nbytes % size].view(dtype)
            if np.dtype(dtype).names:
                view = view.view(np.recarray)
            self._views[arena, dtype] = memory, view
        return view

    @property
    def nodes(self) -> Any:
        """All node records there is room for."""
        return self._view("nodes", NODE)

    def node(self, index: int) -> Any:
        """The fields of one node; not to be kept, for arenas may move."""
        memory, at = self.arenas["nodes"].array, int(index) * NODE.itemsize
        if not 0 <= at < memory.nbytes:
            raise IndexError(f"node {index}: there is none; must be from 0 to {int(self.fields.node_count) - 1}")
        fields = _NodeFields.from_address(self.fields.nodes_at + at)
        fields.memory = memory
        return fields

    @property
    def states(self) -> Any:
        """States as 64-bit words, one row a node."""
        words = int(self.fields.words)
        whole = self._view("states", np.uint64)
        return whole[: whole.size - whole.size % words].reshape(-1, words)

    def state(self, index: int, layout: Any) -> Any:
        """A copy of a node's state, as a record of a layout."""
        return self.states[index].copy().view(layout)[0]

    @property
    def edges(self) -> Any:
        """The blocks as edges."""
        return self._view("blocks", EDGE)

    @property
    def links(self) -> Any:
        """The blocks as links."""
        return self._view("blocks", LINK)

    @property
    def headers(self) -> Any:
        """The blocks as headers."""
        return self._view("blocks", HEADER)

    @property
    def words(self) -> Any:
        """The blocks as real numbers."""
        return self._view("blocks", np.float64)

    def plant(self, state: Any, depth: int, player: int) -> None:
        """Begin a new tree whose root has this state."""
        t, index = self.fields, 0 if self.partition is None else self.partition.first
        self.states[index] = np.frombuffer(state.tobytes(), np.uint64)
        root = np.zeros(1, NODE)
        for name in ("block", "parent", "sibling", "best"):
            root[name] = NONE
        root["depth"], root["player"], root["marks"] = depth, player, ORIGIN
        self.nodes[index] = root[0]
        t.root, t.node_count, t.unit_count = index, index + 1, 0
        t.trials = t.visits_made = t.pending = t.window_count = t.recyclings = 0
        t.index_size = t.index_count = t.index_wanted = t.index_stale = 0
        t.lowest, t.highest = np.inf, -np.inf
