"""Going on from an outcome: it becomes the root of a tree in other memory, with what lay below it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..belief.belief import Belief
from ..core.formulas.bounds import forget_bounds
from ..core.memory import layout as records
from ..core.memory.storage import fields_of
from ..core.memory.subtree import copy_graph, copy_subtree
from ..core.random import new_generator
from ..errors import ParameterError
from ..problem.state import PlainState
from .hidden import belief_of, enter_belief
from .node import Node
from .tree import Tree

Outcome = tuple[Node | None, Any]
"""The node that an action led to, if it is in the tree, and its state (what was observed, where states are hidden)."""


def move_along(tree: Tree, steps: Sequence[tuple[Any, Any]]) -> None:
    """Move the root by several actions, each with the state that it led to: as one after the other, but copied once."""
    if tree.problem.hidden:  # what is legal follows from the belief
        belief, beliefs = belief_of(tree), []
        for action, seen in steps:
            belief = belief.update(action, seen)
            beliefs.append(belief)
        for (action, seen), after in zip(steps, beliefs, strict=True):
            take_action(tree, action, seen, receding=False, belief=after)
        return
    node: Node | None = root_of(tree)
    path: list[tuple[Node | None, Outcome]] = []  # for each step the node where it is taken, if known, and its outcome
    for k, (action, state) in enumerate(steps):
        outcome: Outcome | None = None
        if tree.problem.boxes is not None:
            action = checked_action(tree, action)
        if (
            node is not None
            and state is not None
            and (tree.problem.boxes is not None or isinstance(action, (int, np.integer)))
        ):
            outcome = outcome_of(tree, node, action, state)
        if tree.problem.boxes is None and (outcome is None or outcome[0] is None):  # what is in the tree is legal
            legal = tree.problem.legal_actions(steps[k - 1][1]) if node is None else node.actions.tolist()
            if action not in legal:
                raise ParameterError(f"step {k + 1}: action={action!r}: must be a legal action there: {legal}")
        if outcome is None:
            outcome = (None, state) if node is None else outcome_of(tree, node, action, state)
        path.append((node, outcome))
        node = outcome[0]
    for k, ((action, state), (above, outcome)) in enumerate(zip(steps, path, strict=True), 1):
        if above is None:  # the root by now
            root = root_of(tree)
            move_root(tree, root, outcome_of(tree, root, action, state), receding=False)
        elif outcome[0] is None or k == len(steps):
            move_root(tree, above, outcome, receding=False)


def take_action(tree: Tree, action: Any, state: Any, *, receding: bool, belief: Belief | None = None) -> None:
    """Make an outcome of one of the root's actions the new root; `Search.advance` says how.

    Where states are hidden, `belief` is what is believed after it; None to work it out.
    """
    root = root_of(tree)
    if tree.problem.boxes is not None:
        action = checked_action(tree, action)
    elif action not in root.actions:
        raise ParameterError(f"action={action!r}: must be a legal action of the root: {root.actions.tolist()}")
    else:
        action = int(action)
    if tree.problem.hidden and belief is None:
        belief = belief_of(tree).update(action, state)
    move_root(tree, root, outcome_of(tree, root, action, state), receding=receding, belief=belief)


def checked_action(tree: Tree, action: Any) -> Any:
    """An action that lies in the problem's boxes; it need not be one that was drawn."""
    boxes = tree.problem.boxes
    assert boxes is not None
    return boxes.present(boxes.vector(action))


def root_of(tree: Tree) -> Node:
    """The root as a node."""
    return Node(tree, int(tree.fields.root))


def outcome_of(tree: Tree, node: Node, action: Any, state: Any) -> Outcome:
    """The node that an action led to, if it is in the tree, and its state."""
    known = node.outcomes(action)
    if tree.problem.hidden:
        seen = tree.problem.as_observation(state)
        layout = tree.problem.observation_layout()
        same = [
            child
            for child in known
            if not child.terminal and tree.storage.state(child.index, layout).tobytes() == seen.tobytes()
        ]
        return (same[0] if same else None), seen
    if state is not None:
        given = tree.problem.as_state(state)
        same = [child for child in known if child.state_record.tobytes() == given.tobytes()]
        # of two with this state, the one where the problem went on
        return min(same, key=lambda child: child.terminal, default=None), given
    if len(known) == 1:
        return known[0], known[0].state_record
    if tree.problem.deterministic:
        memory = PlainState(np.asarray(node.state_record).reshape(1).copy())
        tree.problem.plain_step(memory, action, new_generator(0))
        return None, memory.memory[0]
    raise ParameterError(f"advance({action}): {len(known)} outcomes are known; give state=... to say which one it was")


def move_root(tree: Tree, above: Node, outcome: Outcome, *, receding: bool, belief: Belief | None = None) -> None:
    """Make an outcome of a node's action the root; where states are hidden, with the belief after it."""
    kept, given = outcome
    by_state = tree.fields.transpositions == records.BY_STATE
    depth = 0 if by_state else above.depth + 1
    if kept is not None:
        player = kept.player
    else:
        player = tree.problem.plain_player(given if belief is None else belief.first)
    record = tree.record.copy()
    t = fields_of(record)
    if receding and not by_state:  # which always looks as far ahead
        t.horizon += 1
    t.window_count = t.next_sweep = 0
    # the scratch memory goes on, and with it the random numbers
    storage = tree.new_storage(record, max(int(t.horizon) - depth, 0), tree.storage.scratch)
    if tree.estimates is not None:
        tree.estimates.resume()
    if kept is None:
        kept_counts = {name: t[name] for name in ("trials", "visits_made", "listed", "recyclings", "lowest", "highest")}
        storage.plant(given, depth, player)
        for name, value in kept_counts.items():
            t[name] = value
    else:
        storage.make_sure(int(t.node_count) + 1, int(t.unit_count) + 1)
        origins = np.zeros(int(t.node_count), np.int32)
        if t.transpositions:
            copy_graph(tree.record, record, kept.index, origins, np.full(origins.size, records.NONE, np.int32))
        else:
            copy_subtree(tree.record, record, kept.index, origins)
    tree.replace(record, storage)  # only now, with nothing left that can fail
    if belief is not None:
        enter_belief(tree, belief)
    if receding and t.proofs:
        forget_bounds(tree.record)
    tree.enter_root()
    if tree.estimates is not None:
        tree.estimates.show()
