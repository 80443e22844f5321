"""The exact model of a finite problem: its reachable states, every outcome of every action, depth by depth.

States are found breadth first and numbered in the order in which they are met, so those that can be reached within d
steps come before all others. The outcomes of state s and its
j-th legal action are the entries ``first[row] .. first[row + 1]`` of `probability`, `reward` and `successor`, where
``row = rows[s] + j``; a successor of -1 is the end. The pairs (state, depth) that can occur are listed layer by layer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..formulas.elementary import exp, log
from ..jit import inlined, kernel
from ..native import FAILED, call
from ..random import hashed

DONE, STATES_FULL, ROWS_FULL, OUTCOMES_FULL, PAUSED = 0, 1, 2, 3, 4
RAISED, NO_ACTION, BAD_SUM, BAD_REWARD, NO_OUTCOME = 10, 11, 12, 13, 14

REWARD, SOFT, UNIFORM = 0, 1, 2


@inlined
def find_state(states: Any, words: int, table: Any, at: int) -> int:
    """The slot of `table` that holds the state in row `at`, or the free slot where it belongs."""
    h = np.uint64(0)
    for w in range(words):
        h = hashed(h, states[at, w], w)
    mask = np.int64(table.size - 1)
    slot = np.int64(h >> np.uint64(1)) & mask
    while table[slot] >= 0:
        same = True
        for w in range(words):
            same = same and states[table[slot], w] == states[at, w]
        if same:
            break
        slot = (slot + 1) & mask
    return slot


@kernel
def enter_states(states: Any, table: Any, count: int) -> None:
    """Enter the first `count` states into an empty table."""
    for s in range(count):
        table[find_state(states, states.shape[1], table, s)] = s


@kernel
def explore(
    counts: Any, functions: Any, states: Any, table: Any, depth: Any, player: Any, rows: Any, action: Any, first: Any,
    probability: Any, reward: Any, successor: Any, mask: Any, out: Any, most: int,
) -> int:  # fmt: skip
    """Expand states until none is left above the horizon; DONE, PAUSED, or the code of a full array or of an error.

    It is PAUSED where there are `most` rows or more.

    `counts` holds: states, states expanded, rows, outcomes, then the state, action and number of an error.
    `functions` holds: params, legal, player, count_outcomes, outcomes, actions, horizon, and where states, mask and
    out lie.
    """
    params, legal, who, count_outcomes, outcomes, actions, horizon, states_at, mask_at, out_at = functions
    words = states.shape[1]
    size = 8 * words
    while counts[1] < counts[0]:
        if counts[2] >= most:
            return PAUSED
        s = np.int64(counts[1])
        row, outcome, known = np.int64(counts[2]), np.int64(counts[3]), np.int64(counts[0])
        rows[s] = row
        player[s] = 0
        if who != 0:
            mover = call(who, (params, states_at + s * size))
            if mover == FAILED:
                counts[4] = s
                return RAISED
            player[s] = mover
        if depth[s] < horizon:
            for a in range(actions):
                mask[a] = 1
            if legal != 0:
                for a in range(actions):
                    mask[a] = 0
                if call(legal, (params, states_at + s * size, mask_at, actions)) == FAILED:
                    counts[4], counts[5] = s, -1
                    return RAISED
            tried = 0
            for a in range(actions):
                if mask[a] == 0:
                    continue
                tried += 1
                counts[4], counts[5] = s, a
                n = call(count_outcomes, (params, states_at + s * size, a))
                if n == FAILED or n < 1:
                    return RAISED if n == FAILED else NO_OUTCOME
                if row + 2 >= action.size:
                    undo(counts, table, states, words, known)
                    return ROWS_FULL
                if outcome + n >= probability.size:
                    undo(counts, table, states, words, known)
                    return OUTCOMES_FULL
                action[row] = a
                first[row] = outcome
                total = 0.0
                for k in range(n):
                    fresh = np.int64(counts[0])
                    if fresh + 1 >= states.shape[0] or 2 * (fresh + 1) >= table.size:
                        undo(counts, table, states, words, known)
                        return STATES_FULL
                    for w in range(words):
                        states[fresh, w] = states[s, w]
                    if call(outcomes, (params, states_at + fresh * size, a, k, out_at)) == FAILED:
                        return RAISED
                    p, r, done = out[0], out[1], out[2] != 0.0
                    total += p
                    if not (r > -np.inf and r < np.inf):
                        out[3] = r
                        return BAD_REWARD
                    if p <= 0.0:
                        if p < 0.0:
                            out[3] = p
                            return BAD_SUM
                        continue
                    probability[outcome] = p
                    reward[outcome] = r
                    successor[outcome] = -1
                    if not done:
                        slot = find_state(states, words, table, fresh)
                        if table[slot] < 0:
                            table[slot] = fresh
                            depth[fresh] = depth[s] + 1
                            counts[0] = fresh + 1
                        successor[outcome] = table[slot]
                    outcome += 1
                if not (abs(total - 1.0) < 1e-6):
                    out[3] = total
                    return BAD_SUM
                row += 1
            if tried == 0:
                counts[4], counts[5] = s, -1
                return NO_ACTION
        counts[2], counts[3] = row, outcome
        rows[s + 1] = row
        first[row] = outcome
        counts[1] = s + 1
    return DONE


@inlined
def undo(counts: Any, table: Any, states: Any, words: int, count: int) -> None:
    """Forget the states found while a state was being expanded, which will be expanded again with more room."""
    for s in range(counts[0] - 1, count - 1, -1):
        table[find_state(states, words, table, s)] = -1
    counts[0] = count


@kernel
def next_layer(layer: Any, rows: Any, first: Any, successor: Any, stamp: Any, number: int, out: Any) -> int:
    """The states that can follow those of a layer, each once; `stamp` marks them with the layer's number."""
    count = 0
    for i in range(layer.size):
        s = layer[i]
        for outcome in range(first[rows[s]], first[rows[s + 1]]):
            follower = successor[outcome]
            if follower >= 0 and stamp[follower] != number:
                stamp[follower] = number
                out[count] = follower
                count += 1
    return count


@kernel
def back_layer(
    layer: Any, values: Any, position: Any, below: Any, rows: Any, first: Any, probability: Any, reward: Any,
    successor: Any, player: Any, objective: int, alpha: float, discount: float,
) -> None:  # fmt: skip
    """Values of a layer from those of the layer below it; ``position[s]`` is the place of state s there."""
    for i in range(layer.size):
        s = layer[i]
        sign = -1.0 if player[s] == 1 else 1.0
        highest, total = -np.inf, 0.0
        n = rows[s + 1] - rows[s]
        for row in range(rows[s], rows[s + 1]):
            q = 0.0
            for outcome in range(first[row], first[row + 1]):
                v = 0.0
                if successor[outcome] >= 0 and below.size > 0:
                    v = below[position[successor[outcome]]]
                q += probability[outcome] * (reward[outcome] + discount * v)
            q *= sign
            if objective == UNIFORM:
                total += q / n
            elif objective == REWARD:
                highest = max(highest, q)
            else:  # a running, shifted log-sum-exp
                if q > highest:
                    total = total * exp((highest - q) / alpha) + 1.0
                    highest = q
                else:
                    total += exp((q - highest) / alpha)
        if objective == UNIFORM:
            values[i] = sign * total
        elif objective == REWARD:
            values[i] = sign * highest
        else:
            values[i] = sign * (highest + alpha * log(total))
