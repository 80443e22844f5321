"""What happened on a chain, in words made from the recorded numbers: who stalls, who does not, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..problem.scene import Chain
from .chains import ChainPainter
from .places import NOWHERE
from .recording import EXACTLY, Recording

STALLED = 10.0
"""A search that has not reached the far end stalls if that would take its trials times this, at the present rate."""

FEW = 20
"""What fewer trials than this did at a state says little."""


@dataclass(frozen=True)
class Facts:
    """What a recording says of a search on a chain. States are counted from 1, the root's is `start`."""

    label: str
    trials: int
    half: int
    """Trials in the second half of the recording; shares and counts below are of these."""
    visits: NDArray[np.int64]
    left: NDArray[np.int64]
    arrivals: int
    """At the far end, in the whole recording."""
    first: int | None
    watched_from: int
    furthest: int
    start: int
    route: int | None
    """The state at which the recommended line leaves, D+1 if it goes all the way, None if the tree ends before."""
    q_on: float
    q_leave: float
    chain: Chain
    discount: float

    def worth(self, state: int) -> float:
        """What leaving at a state pays, or arriving at the far end, as seen from the root."""
        length = self.chain.length
        reward = self.chain.final_reward if state > length else self.chain.rewards[state - 1]
        return float(reward) * self.discount ** (min(state, length) - self.start)

    @property
    def best(self) -> int:
        """The state at which it is best to leave, D+1 for the far end."""
        return max(range(self.start, self.chain.length + 2), key=self.worth)

    @property
    def middle(self) -> int:
        """The last state of the chain's first half."""
        return max(self.chain.length // 2, self.start)

    def went_on(self, state: int) -> float:
        """The share of the trials that came to a state and went on; NaN if none came."""
        came = self.visits[state - 1]
        return float(self.visits[state] / came) if came else float("nan")

    @property
    def trials_to_arrive(self) -> float:
        """How many trials an arrival at the far end takes, if trials go on as they did of late.

        States that few trials came to are taken to be like the others; a share that was never seen, as half a trial.
        """
        states = range(self.start, self.chain.length + 1)
        known = [s for s in states if self.visits[s - 1] >= FEW] or [self.start]
        shares = [(self.visits[s] + 0.5) / (self.visits[s - 1] + 1) for s in known]
        return float(np.exp(min(-np.log(shares).mean() * len(states), 700.0)))

    def beyond(self, state: int) -> float:
        """The share of trials that went on from a state."""
        return float(self.visits[state] / self.half)


def facts_of(recording: Recording, painter: ChainPainter) -> Facts:
    """The numbers behind the explanation."""
    chain, search, end = painter.chain, recording.search, painter.passages[-1]
    middle = (painter.passages[0].trials + end.trials) // 2 if len(painter.passages) > 1 else 0
    before = [passage for passage in painter.passages if passage.trials <= middle]
    visits, left, trials = (
        (before[-1].visits, before[-1].left, before[-1].trials) if before else (0 * end.visits, 0 * end.left, 0)
    )
    moment = recording.moments[-1]
    actions = np.array(recording.actions)
    on = actions == chain.forward
    others = moment.q[~on]
    return Facts(
        label=recording.label,
        trials=end.trials,
        half=end.trials - trials,
        visits=end.visits - visits,
        left=end.left - left,
        arrivals=int(end.visits[-1]),
        first=painter.first,
        watched_from=painter.began,
        furthest=int(np.flatnonzero(end.visits).max(initial=0)) + 1,
        start=painter.start,
        route=_route(moment.line, painter.start, chain),
        q_on=float(moment.q[on][0]) if on.any() else float("nan"),
        q_leave=float(np.nanmax(others)) if np.isfinite(others).any() else float("nan"),
        chain=chain,
        discount=float(search.problem.discount),
    )


def _route(line: Sequence[int], start: int, chain: Chain) -> int | None:
    for step, action in enumerate(line):
        if action != chain.forward:
            return start + step
    return chain.length + 1 if start + len(line) > chain.length else None


def explained(recordings: Sequence[Recording]) -> dict[str, Any] | None:
    """What the chain is, and a verdict and some sentences for each search; None for other problems."""
    painters = [recording.painter for recording in recordings]
    chains = [painter for painter in painters if isinstance(painter, ChainPainter)]
    if not chains or any(painter.start == NOWHERE for painter in chains):
        return None
    said = [_said(recording, painter) for recording, painter in zip(recordings, chains, strict=True)]
    return {"intro": chain_words(chains[0].chain), "searches": said}


def _said(recording: Recording, painter: ChainPainter) -> dict[str, Any]:
    facts, algorithm = facts_of(recording, painter), recording.search.algorithm
    draws = f"{facts.label} {algorithm.distribution_row.says}."
    values = _values(facts, algorithm.state_value_row.says)
    if algorithm.distribution_row.bounded:  # values decide where trials go
        bonus = "So only the bonus sends trials on: " if facts.q_on < facts.q_leave else ""
        why = f"{draws} {values} {bonus}{_going_on(facts)}"
    else:
        why = f"{draws} {_going_on(facts)} {values}"
    return {
        "label": facts.label,
        "verdict": _verdict(facts),
        "sentences": [f"{_reach(facts)} {_last_half(facts)}", why, _recommendation(facts)],
    }


def chain_words(chain: Chain) -> str:
    """What the chain is, for a reader who does not know it."""
    rewards = [_number(reward) for reward in chain.rewards]
    shown = rewards if len(rewards) <= 5 else [*rewards[:3], "…", rewards[-1]]
    return (
        f"A chain of {chain.length} states. Leaving it at state 1, 2, … pays {', '.join(shown)}; going on all the way "
        f"to the far end pays {_number(chain.final_reward)}."
    )


def _verdict(facts: Facts) -> str:
    end = facts.chain.length + 1
    if facts.best == end:
        if facts.first is None:
            stalls = facts.trials_to_arrive > STALLED * facts.trials
            return f"{facts.label} {'stalls' if stalls else 'has not reached the far end yet'}"
        if facts.route == end:
            return f"{facts.label} finds the far end"
        return f"{facts.label} has reached the far end, but does not recommend it"
    if facts.route is None:
        return f"{facts.label} has not settled yet"
    if facts.worth(facts.route) == facts.worth(facts.best):
        return f"{facts.label} recommends what is best"
    return (
        f"{facts.label} recommends to go on too far" if facts.route > facts.best else f"{facts.label} leaves too early"
    )


def _reach(facts: Facts) -> str:
    pays = f"the far end, which pays {_number(facts.chain.final_reward)}"
    if facts.first is None:
        furthest = f"the furthest it came is state {facts.furthest} of {facts.chain.length}"
        return f"In {facts.trials:,} trials it never reached {pays}; {furthest}."
    if facts.first == facts.watched_from:
        when = f"before trial {facts.first + 1:,}, from which on it was watched"
    else:
        when = f"in trial {facts.first:,}" if facts.first <= EXACTLY else f"at about trial {facts.first:,}"
    return f"It first reached {pays}, {when}, and by the end {_times(facts.arrivals)}."


def _last_half(facts: Facts) -> str:
    at_once = _percent(facts.left[facts.start - 1] / facts.half)
    reached = facts.beyond(facts.chain.length)
    far = f", {_percent(reached)} reached the far end" if reached else ""
    return (
        f"Of the last {facts.half:,} trials, {at_once} left at state {facts.start}, "
        f"{_percent(facts.beyond(facts.middle))} got beyond state {facts.middle}{far}."
    )


def _going_on(facts: Facts) -> str:
    """How many of the last trials went on, from state to state."""
    shares = [facts.went_on(state) for state in range(facts.start, facts.chain.length + 1)]
    came = [share for share in shares if not np.isnan(share)]
    if len(came) == len(shares) and min(came) > 0:
        return f"At every state at least {_percent(min(came))} of the trials that came there went on."
    second = f", and of these {_percent(came[1])} went on from state {facts.start + 1}" if len(came) > 1 else ""
    first = _percent(came[0]) if came else "none"
    rate = _rate(facts.trials_to_arrive)
    needs = f"the far end needs {len(shares)} such steps in a row, at this rate {rate}"
    return f"{first} of them went on from state {facts.start}{second}; {needs}."


def _values(facts: Facts, says: str) -> str:
    if np.isnan(facts.q_on) or np.isnan(facts.q_leave):
        return f"{says}."
    order = "more" if facts.q_on > facts.q_leave else "less" if facts.q_on < facts.q_leave else "no more"
    found = (
        f"{says}. So at state {facts.start} going on is worth Q = {_number(facts.q_on)} to it, {order} than the "
        f"{_number(facts.q_leave)} of leaving"
    )
    best = facts.worth(facts.best)
    return f"{found}, although no way pays more than {_number(best)}." if facts.q_on > best + 1e-9 else f"{found}."


def _recommendation(facts: Facts) -> str:
    best = f"the best, {_way(facts, facts.best)}, pays {_number(facts.worth(facts.best))}"
    if facts.route is None:
        return f"Where its recommendations lead is not decided yet; {best}."
    worth = _number(facts.worth(facts.route))
    if facts.worth(facts.route) == facts.worth(facts.best):
        return f"It recommends {_way(facts, facts.route)}, which pays {worth}: nothing pays more."
    return f"It recommends {_way(facts, facts.route)}, which pays {worth}; {best}."


def _way(facts: Facts, state: int) -> str:
    return "going on to the far end" if state > facts.chain.length else f"leaving at state {state}"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def _percent(share: float) -> str:
    """A share of trials.

    >>> _percent(0.9676), _percent(0.0002), _percent(0.0)
    ('96.8 %', '0.02 %', 'none')
    """
    return f"{100 * share:.3g} %" if share else "none"


def _rate(trials: float) -> str:
    """How often something happens, from the trials that it takes.

    >>> _rate(123456.0), _rate(7e12)
    ('about once in 100,000 trials', 'less than once in a billion trials')
    """
    if trials > 1e9:
        return "less than once in a billion trials"
    return f"about once in {float(f'{trials:.1g}'):,.0f} trials"


def _number(value: float) -> str:
    return f"{value:.4g}"
