"""The records of the tree: one 64-byte node, one 32-byte edge, and what some algorithms add.

A *node* is a decision node: a state at a depth. Its tried and untried actions are *edges*, which lie
together in the node's *block*, allocated when the node is selected from for the second time (until
then the node is ``SINGLE``: it holds its only child in place of a block). The outcomes of an
edge are nodes, chained through ``sibling``; or, where nodes are shared, *links* to nodes (links.py).

A block is counted in units of 32 bytes. For n legal actions it holds, in this order:

    [header or schedule]  n edges  [n entropies or quotas]  [n + 1 bounds]  [n priors]  [n table rows]
    [n prior-table rows]  [n references, n probabilities]  [the order of the edges]  [n action vectors]

The bracketed parts exist when the algorithm needs them. ``node.block`` is the unit of the first
edge; a header lies one unit before it. Values and entropies are player 0's, except ``edge.q``,
which is the mover's: ready for the formulas of the search policies on both sides.

Where actions are drawn from boxes (trial/widening.py), n is how many were drawn so far, an action's number is its place
among them, and a block has room for more: its parts lie as if n were the next power of 2.
"""

from __future__ import annotations

import numpy as np

NONE = -1
NOBODY = 65535  # no edge, where edges are numbered by 16 bits
RECYCLED = -2  # node.best of a node whose block and subtree were freed (recycling.py)

# node.marks
TERMINAL = 1
SINGLE = 2
TABLED = 4
CLOSED = 4  # where bounds are kept, which is never with tables: some edge is not to be taken any more
WINDOWED = 8
PROVEN = 8  # where bounds are kept, which is never with a window: they meet, and the value is exact
ORIGIN = 16  # a root that no trial created: its first visit takes an action
UNFINISHED = 32  # it lay at the horizon when it was made, and the horizon has moved: visits without actions
WAITING = 64  # a leaf whose evaluation has been asked for
LOCKED = 128  # a thread is at work here (atomics.py)
PASSED = 128  # where nodes are shared by state, in one thread only: the trial that runs has visited it

NODE = np.dtype(
    [
        ("visits", "i8"),  # N(s)
        ("value", "f8"),  # V(s)
        ("entropy", "f8"),  # H_V(s)
        ("reward", "f8"),  # paid on the first arrival here; V_init of a shared node
        ("block", "i8"),  # unit of the first edge; the child of a SINGLE node; NONE
        ("parent", "i4"),
        ("sibling", "i4"),  # next outcome of the same edge
        ("depth", "i4"),
        ("action", "u2"),  # that led here
        ("actions", "u2"),  # how many are legal; 0 while unknown
        ("best", "i4"),  # the edge with the highest q among the tried; NONE before the first backup; RECYCLED
        ("marks", "u1"),
        ("player", "u1"),
        ("flights", "u2"),  # trials that have visited the node and are not backed up yet
    ],
    align=True,
)

EDGE = np.dtype(
    [
        ("w", "f8"),  # W(s,a): rewards plus discounted N(s') V(s'), or returns
        ("q", "f8"),  # the mover's W/N; the initial preference while untried
        ("visits", "i8"),  # N(s,a)
        ("child", "i4"),  # first outcome; unit of the first link where nodes are shared
        ("action", "u2"),
        ("outcomes", "u2"),  # how many are chained (outcomes.py)
    ],
    align=True,
)

LINK = np.dtype(  # an outcome of an edge where nodes are shared: one unit of the memory for blocks
    [
        ("rewards", "f8"),  # the sum of what was paid on the way; the probability where outcomes are known
        ("reward", "f8"),  # the first of them; the mean where outcomes are known
        ("visits", "i8"),  # n(s,a,s')
        ("child", "i4"),
        ("next", "i4"),  # unit of the next link of the same edge
    ],
    align=True,
)

HEADER = np.dtype(
    [
        ("rebuild", "i8"),  # visits at which the table is built again
        ("shift", "f8"),  # M of the soft maximum
        ("total", "f8"),  # E of the soft maximum
        ("peak", "f8"),  # the largest E since it was last summed
    ],
    align=True,
)

AHEAD = np.dtype(  # what a header is where actions are drawn ahead (formulas/ahead.py)
    [
        ("drawn", "i8"),
        ("shift", "f8"),
        ("total", "f8"),
        ("peak", "f8"),
    ],
    align=True,
)

SCHEDULE = np.dtype(  # what a header is where actions are halved
    [
        ("budget", "i8"),
        ("used", "i8"),
        ("quota", "i8"),  # further visits of each survivor this round; 0 when there are no more rounds
        ("begun", "i8"),  # whether the first round has begun
    ],
    align=True,
)

ENTROPY = np.dtype([("w", "f8"), ("h", "f8"), ("policy", "f8")], align=True)
# the discounted sum of N(s') H_V(s') over outcomes; H_Q(s,a), the mean; pi(a) as of the last table
BOUND = np.dtype([("lower", "f8"), ("upper", "f8")], align=True)  # of Q(s,a) for each edge, and then of V(s)
QUOTA = np.dtype([("done", "i4"), ("alive", "i4")], align=True)  # visits of this round; whether it survives
TABLE = np.dtype([("threshold", "f4"), ("alias", "u4")], align=True)
WINNER = np.dtype([("slot", "u2")])  # of one match of a tournament among edges (formulas/tournament.py)
RANKED = np.dtype(  # an edge among others in the order of q (formulas/support.py)
    [
        ("highest", "f8"),  # q of those below it and its own
        ("gaps", "f8"),  # the sum of their differences to the highest
        ("squares", "f8"),  # the sum of the squares of these
        ("count", "u2"),  # how many they are
        ("left", "u2"),  # the edge below it with a higher q; of the row after the last edge, the topmost
        ("right", "u2"),
    ],
    align=True,
)

UNIT = EDGE.itemsize

PATH = np.dtype(
    [
        ("reward", "f8"),
        ("policy", "f8"),  # pi(a) of the chosen action
        ("rest", "f8"),  # H_V(s) without the chosen action's part
        ("entropy", "f8"),  # H_V(s) before this visit
        ("node", "i4"),
        ("slot", "i4"),  # which edge of the block; NONE for a SINGLE node
    ],
    align=True,
)

FLIGHT = np.dtype(
    [
        ("value", "f8"),  # of a leaf that needs no evaluation
        ("leaf", "i4"),
        ("length", "i4"),
        ("made", "u1"),  # whether it made the leaf's node
        ("cut", "u1"),  # whether it ended at the leaf without visiting it
        ("waits", "u1"),  # whether the leaf waits for its evaluation
        ("failed", "u1"),  # why its rollout failed
    ],
    align=True,
)

GROUP = np.dtype(
    [
        ("tree", "i8"),  # where the tree's record lies
        ("end", "i8"),  # how many trials the tree has when the run ends
        ("size", "i8"),  # how many trials may be selected and not backed up yet
        ("features", "i8"),  # the problem's function, 0 where it has none
        ("params", "i8"),  # what that function is given
        ("status", "i8"),  # DONE, or the event to be handled before it goes on
        ("trials", "i8"),  # that the tree has
        ("count", "i8"),  # trials that are selected and not backed up yet
        ("waits", "i8"),  # leaves of them that wait for the evaluator
        ("row", "i8"),  # where the answers about them begin
    ]
)
"""One of many searches that share an evaluator, and its trials that are not backed up yet."""

TREE = np.dtype(
    [
        # the algorithm: a point in the design space (core/formulas/space.py says what the numbers mean)
        ("distribution", "i8"),
        ("state_value", "i8"),
        ("entropy_bonus", "i8"),
        # what the row of the design space says of it (space.py)
        ("sampled", "i8"),
        ("has_temperature", "i8"),
        ("shifted", "i8"),
        ("recommend_visits", "i8"),
        ("alpha_kind", "i8"),
        ("alpha_scale", "f8"),
        ("alpha_function", "i8"),
        ("alpha_span", "f8"),  # of a temperature drawn for each trial: log(highest / lowest)
        ("trial_alpha", "f8"),  # this trial's
        ("beta_kind", "i8"),
        ("beta_scale", "f8"),
        ("beta_function", "i8"),
        ("epsilon", "f8"),
        ("epsilon_prior", "f8"),
        ("q_init", "f8"),
        ("q_init_second", "f8"),  # the same where player 1 moves
        ("q_from_prior", "i8"),  # NOT_FROM_PRIOR, CENTRED or ANCHORED
        ("prior_slope", "f8"),  # what a unit of log prior is worth where it is anchored
        ("automatic", "i8"),  # what follows is in units of the returns seen
        ("auto_alpha", "f8"),  # 0: alpha is given
        ("auto_beta", "f8"),
        ("auto_c", "f8"),
        ("auto_q", "i8"),  # q_init is the lowest return seen
        ("c", "f8"),
        ("c_auto", "i8"),
        ("power", "f8"),
        ("first_play", "f8"),  # what an untried action counts as where a prior weighs the bounds
        ("first_play_relative", "i8"),  # above the node's own value
        ("noise_weight", "f8"),
        ("budget", "i8"),
        ("threshold", "i8"),
        ("target_entropy", "f8"),
        ("every", "i8"),
        ("rebuild_factor", "f8"),
        ("early_rebuilds", "i8"),
        # fast paths; tests switch them off and compare
        ("compact", "i8"),
        ("alias_from", "i8"),
        ("ahead_from", "i8"),  # the actions from which on a node draws its next ones ahead, where it has no alias table
        ("scan_to", "i8"),
        ("ranked_from", "i8"),  # the actions from which on a node keeps its edges in an order
        ("sweep_least", "i8"),  # a graph is swept as seldom as if it had this number of nodes
        # what the blocks hold
        ("has_header", "i8"),
        ("known", "i8"),  # outcomes are listed by the problem and weighed by their probabilities
        ("proofs", "i8"),  # bounds of values are kept, and trials do not enter what is proven
        ("transpositions", "i8"),  # nodes may have several parents: BY_DEPTH, BY_STATE; 0 in a tree
        ("extra_words", "i8"),  # of an edge: 3 with entropies, 1 with quotas
        ("has_prior", "i8"),
        ("prior_external", "i8"),  # it comes with the evaluation of a leaf
        ("relative", "i8"),  # policies of the path are kept
        ("adaptive", "i8"),  # alpha is solved for (ANTS)
        ("incremental", "i8"),  # the soft maximum is kept as M and E
        # the problem
        ("actions", "i8"),
        ("horizon", "i8"),
        ("discount", "f8"),
        ("deterministic", "i8"),
        ("words", "i8"),  # 64-bit words of a state
        ("step", "i8"),
        ("legal", "i8"),
        ("player", "i8"),
        ("rollout", "i8"),
        ("prior", "i8"),
        ("heuristic", "i8"),
        ("count_outcomes", "i8"),
        ("outcomes", "i8"),
        ("bounds", "i8"),
        ("lowest_reward", "f8"),  # of one step; infinite where it is not known
        ("highest_reward", "f8"),
        ("params_at", "i8"),
        # where actions are drawn from boxes
        ("box_words", "i8"),  # the numbers of an action; 0 where actions are listed
        ("box_at", "i8"),  # the lowest, the highest and the count (0: a continuum) of each of these numbers
        ("propose", "i8"),
        ("near", "f8"),  # the share of actions that are drawn near good ones; 0: each is drawn independently
        ("hold", "f8"),  # this trial's probability that a new node's first action is the one before
        ("follows", "i8"),  # whether this trial's new nodes begin with their guides' best actions
        ("guide", "i8"),  # a known node beside a new one
        ("guide_above", "i8"),  # the node before it on its own path, and the edge between them
        ("guide_slot", "i8"),
        ("action_widening", "f8"),  # a node has at most this times N(s) to a power of actions
        ("action_power", "f8"),
        # where the state is hidden: a node is a history, and each trial carries a state of its own
        ("observe", "i8"),  # 0 where the state is seen
        ("observations", "i8"),  # how many there are; 0 where they are records
        ("start", "i8"),  # draws the state that a trial begins with, where there are no particles
        ("observation_probability", "i8"),
        ("widening", "f8"),  # an edge has at most this times N(s,a) to a power of outcomes; 0: any number
        ("widening_power", "f8"),
        ("hidden_words", "i8"),  # 64-bit words of a state; `words` are those of an observation then
        # where memory lies, and how much of it there is
        ("nodes_at", "i8"),
        ("states_at", "i8"),
        ("blocks_at", "i8"),
        ("max_nodes", "i8"),
        ("max_units", "i8"),
        ("max_bytes", "i8"),  # of all together
        ("max_words", "i8"),  # of the blocks
        ("max_state_words", "i8"),
        ("path_at", "i8"),
        ("path_links_at", "i8"),  # the links of the path, where nodes are shared
        ("levels", "i8"),
        ("weights_at", "i8"),  # actions
        ("mixture_at", "i8"),  # actions: pi by edge, while a node's entropy is entered
        ("policies_at", "i8"),  # (horizon + 2) * actions: pi by action on this trial, for relative entropies
        ("references_at", "i8"),  # the same size: the parent's pi by edge on this trial
        ("policies_size", "i8"),
        ("mask_at", "i8"),  # actions
        ("out_at", "i8"),  # a problem's results
        ("out_size", "i8"),
        ("rng_at", "i8"),
        ("two", "i8"),
        ("prior_in_at", "i8"),  # actions: the prior an external evaluator gave the waiting leaf
        ("noise_at", "i8"),  # actions: the root's Dirichlet noise
        ("stack_at", "i8"),  # actions: scratch of the alias method
        ("window_at", "i8"),  # nodes visited since the temperature was last solved for
        ("window_size", "i8"),
        ("index_at", "i8"),  # outcomes of edges that have many
        ("index_size", "i8"),
        ("index_count", "i8"),
        ("index_wanted", "i8"),
        ("index_stale", "i8"),  # it holds nodes of a trial that was undone
        ("flights_at", "i8"),  # the trials of a batch; their paths, levels + 2 steps each
        ("flown_at", "i8"),
        ("flown_links_at", "i8"),  # the links of these paths, where nodes are shared
        ("flown_links_size", "i8"),
        ("flown_levels", "i8"),
        ("logs_at", "i8"),  # log(e + n) for small n
        ("logs_size", "i8"),
        ("particles_at", "i8"),  # the states that trials begin with, each as likely as the others
        ("particle_count", "i8"),
        ("carried_at", "i8"),  # the state that the trial carries
        ("carried_next_at", "i8"),  # the one that it steps to
        ("dues_at", "i8"),  # actions: N(s) from which on a node may have one more than this number
        ("spans_at", "i8"),  # levels: what a reward of 1 at each of k steps is worth, where bounds are kept
        # the run
        ("growth", "i8"),
        ("evaluator", "i8"),
        ("v_init", "f8"),
        ("seed", "u8"),
        ("root", "i8"),
        ("trials", "i8"),
        ("node_count", "i8"),
        ("nodes_before", "i8"),  # this trial
        ("needed_nodes", "i8"),  # for the next trial, when there is no room for it
        ("needed_units", "i8"),
        ("unit_count", "i8"),
        ("lowest", "f8"),
        ("highest", "f8"),
        ("window_count", "i8"),
        ("switch", "i8"),
        ("length", "i8"),
        ("leaf", "i8"),
        ("cut", "i8"),  # this trial ended at its leaf without visiting it, because its value is known
        ("leaf_value", "f8"),
        ("pending", "i8"),  # 1: the last leaf waits for its evaluation; 2: the root for its own
        ("batching", "i8"),  # a batch is being selected: the way down changes no estimates
        ("visits_made", "i8"),
        ("recyclings", "i8"),  # so far
        # threads that share a tree: each has a record like this one, which names the tree's own
        ("owner", "i8"),  # the address of the tree's own record; 0 for a tree of one thread
        ("node_end", "i8"),  # nodes and units up to here are this thread's to use; 0 without threads
        ("unit_end", "i8"),
        ("reserve_nodes", "i8"),  # what all threads together may take before room is made again
        ("reserve_units", "i8"),
        ("fresh", "i8"),  # this trial made its leaf
        ("trials_left", "i8"),  # trials that no thread has taken yet
        ("stopped", "i8"),  # a thread asks the others to stop
        ("guard", "i8"),  # the lock of the lowest and highest return seen
        ("waits", "i8"),  # how often a thread waited for a lock
        ("waited", "i8"),  # and for how many cycles
        ("worked", "i8"),  # the cycles that threads worked, waiting included
        ("give_way", "i8"),  # the system's function that yields the processor
        ("next_sweep", "i8"),  # visits at which every shared node is computed
        ("listed", "i8"),  # edges whose outcomes were listed, by all trials so far
        ("narrowed", "i8"),  # bounds of an edge have changed, those of its node not yet
        ("contradiction", "i8"),  # bounds that the problem gives and its outcomes say otherwise
        # what went wrong
        ("error_node", "i8"),
        ("error_action", "i8"),
        ("error_value", "f8"),
        ("error_rng0", "u8"),
        ("error_rng1", "u8"),
    ],
    align=True,
)

# how a run of the kernel ended
DONE, FULL, EVALUATE, INDEX, COLLISION, SWEEP, SOLVED = 0, 1, 2, 3, 4, 5, 6
STEP_FAILED, LEGAL_FAILED, PLAYER_FAILED, ROLLOUT_FAILED = 10, 11, 12, 13
PRIOR_FAILED, HEURISTIC_FAILED, SCHEDULE_FAILED, FEATURES_FAILED, UNKNOWN_CHOICE = 14, 15, 16, 17, 18
OUTCOMES_FAILED, BOUNDS_FAILED, START_FAILED, OBSERVE_FAILED, PROBABILITY_FAILED = 19, 20, 21, 22, 23
PROPOSE_FAILED = 24
BAD_REWARD, NO_ACTION, BAD_PRIOR, BAD_PLAYER, BAD_VALUE, BAD_CHANCES, NO_OUTCOME, BAD_BOUNDS = range(30, 38)
OUTSIDE_REWARDS, CONTRADICTION, BAD_OBSERVATION, BAD_PROBABILITY, BAD_PROPOSAL = 38, 39, 40, 41, 42

# growth
LEAF, TRIAL = 0, 1

# what nodes are shared by: the state and the depth, or the state alone
BY_DEPTH, BY_STATE = 1, 2

# evaluators
CONSTANT, ROLLOUT, HEURISTIC, EXTERNAL = 0, 1, 2, 3
