"""One more tree of a search, which grows in a thread of its own until it is merged."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core import records
from ..core.random import new_generator
from ..core.run import run_trials
from ..core.shares import Share
from ..core.storage import Storage, new_tree
from .tickets import Tickets

if TYPE_CHECKING:
    from ..search import Search


class Helper:
    """Another tree of the same search, from the same root, in the same arenas."""

    def __init__(self, search: Search, seed: np.random.SeedSequence) -> None:
        self._search = search
        self._tickets = Tickets()
        self._generator = new_generator(seed)
        self.storage: Storage | None = None
        self._running: Future[int] | None = None
        self._stopped = False
        self.code = records.DONE
        self.error: BaseException | None = None

    @property
    def handle(self) -> Any:
        """The tree's record."""
        assert self.storage is not None
        return self.storage.tree

    @property
    def trials(self) -> int:
        """Trials of this tree."""
        return 0 if self.storage is None else int(self.storage.fields.trials)

    def plant(self, share: Share, tickets: Tickets) -> None:
        """Begin a tree with the search's root, in a part of the search's arenas, for trials of which it has tickets."""
        self._tickets = tickets
        search, t = self._search, self._search._tree
        root = search._storage.nodes[int(t.root)]
        handle = new_tree()
        handle[0] = search._handle[0]
        levels = search._storage.scratch["path"].size - 2
        self.storage = storage = Storage(handle, levels, 0, arenas=search._storage.arenas)
        storage.keep_to(share)
        storage.scratch["rng"][:] = self._generator
        storage.scratch["noise"][:] = search._storage.scratch["noise"]
        own, index = storage.fields, share.first
        lowest, highest = t.lowest, t.highest
        storage.plant(search._storage.states[int(t.root)], int(root.depth), int(root.player))
        own.lowest, own.highest, own.index_wanted, own.unit_count = lowest, highest, 0, share.start
        storage.nodes["value"][index] = root.value if root.visits == 0 else 0.0
        storage.nodes["marks"][index] |= root.marks & records.TERMINAL
        self.code = records.DONE

    def let_run(self, pool: ThreadPoolExecutor) -> None:
        """Run on, in a thread of a pool, while there are tickets."""
        self._stopped = False
        self.look()
        if self._running is None and self.is_well:
            self._running = pool.submit(self._run)

    @property
    def is_well(self) -> bool:
        """Whether it could go on, as far as is known."""
        return self.code == records.DONE and self.error is None

    def look(self, *, wait: bool = False) -> None:
        """See whether it has ended, or wait until it has; `code` and `error` say why it ended."""
        if self._running is not None and (wait or self._running.done()):
            self.error = self._running.exception()
            self.code = self.code if self.error else self._running.result()
            self._running = None

    def stop(self) -> None:
        """Let it end soon, wherever it is."""
        self._stopped = True

    def _run(self) -> int:
        """Run piece by piece; DONE, FULL (at a limit) or an error."""
        code = records.DONE

        def run(trials: int) -> int:
            nonlocal code
            before = self.trials
            code = self._run_piece(trials)
            return self.trials - before

        self._tickets.use(run, lambda: code == records.DONE and not self._stopped)
        return code

    def _run_piece(self, trials: int) -> int:
        assert self.storage is not None
        end, own = self.trials + trials, self.storage.fields
        while True:
            code = int(run_trials(self.handle, end - self.trials))
            if code == records.INDEX:
                if not self.storage.make_index():
                    return records.FULL
            elif code != records.FULL or not self.storage.grow(int(own.needed_nodes), int(own.needed_units)):
                return code

    def leave(self) -> None:
        """Give the tree up, which another has taken over; the random numbers go on."""
        if self.storage is not None:
            self._generator = self.storage.scratch["rng"].copy()
            self.storage = None
