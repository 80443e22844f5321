"""Players as data, as a match names and stores them; every worker process makes its own player from that.

A player is written ``NAME`` or ``NAME:key=value,key=value``, such as ``bts:alpha=0.3,trials=500``: parameters of the
algorithm, and of this player alone ``network``, ``trials``, ``seconds``, ``batch``, ``reuse`` (false: every move is
searched anew), ``symmetries`` and ``score`` (both as in `GoEvaluator`).
"""

from __future__ import annotations

import json
import math
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

from ...batches.together import Together
from ...checks import whole
from ...core.memory.arena import physical_memory
from ...errors import ParameterError
from ...jobs.settings import Setting
from ..player import Limit, Player, SearchPlayer
from ..settings import go_setting

BATCH = 8
"""Leaves that a network is given at a time."""

NO_NETWORK = "none"


@dataclass(frozen=True)
class Contender:
    """A player of a match: an algorithm with a network or rollouts, or an engine by its command."""

    label: str
    limit: Limit
    setting: Setting | None = None
    network: str | None = None
    batch: int = BATCH
    engine: str | None = None
    together: bool = False  # its leaves are valued together with those of other games
    half: bool = False  # the network computes in float16
    reuse: bool = True  # the tree is kept from move to move
    symmetries: str = "identity"  # how positions are turned for the network
    score: float = 0.0  # how much the score counts beside winning

    def row(self) -> dict[str, Any]:
        """What decides how it plays; not its label."""
        row: dict[str, Any] = {"trials": self.limit.trials, "seconds": self.limit.seconds}
        if self.setting is None:
            return row | {"engine": self.engine}
        network = Path(self.network).name if self.network else None  # wherever it lies
        batch = self.batch if self.network else None
        row |= {"algorithm": json.loads(self.setting.canonical()), "network": network, "batch": batch}
        if network:  # only where it is so: games of before keep their names
            row |= {name: True for name in ("together", "half") if getattr(self, name)}
        unusual = {field.name: getattr(self, field.name) for field in fields(self) if field.name in _OWN_CHOICES}
        return row | {name: value for name, value in unusual.items() if value != getattr(Contender, name)}

    def player(self, seed: int | None, threads: int | None = None) -> Player:
        """A player that is ready to be asked."""
        if self.setting is None:
            from .engine import EnginePlayer

            return EnginePlayer(shlex.split(self.engine or ""), name=self.label)
        evaluator = self.evaluator(threads)
        most = physical_memory() // 1024 if self.together else None
        return SearchPlayer(
            self.setting.algorithm(), evaluator=evaluator, seed=seed, name=self.label, max_bytes=most, reuse=self.reuse
        )

    def evaluator(self, threads: int | None = None) -> Any:
        """What values leaves: a network's evaluator, or rollouts."""
        if self.network is None:
            return "rollout"
        with _loading:
            return _evaluator(
                self.network, self.batch, threads, self.together, self.half, self.symmetries, float(self.score)
            )

    def prepare(self, size: int, games: int, threads: int | None = None) -> None:
        """Get ready for several games at a time, so that no player's time goes into it: a GPU's graphs are recorded."""
        if self.together and self.network is not None:
            together = self.evaluator(threads)
            together.evaluator.network.prepare(size, self.batch * -(-games // together.at_once))


_OWN_CHOICES = ("reuse", "symmetries", "score")
_loading = Lock()


@cache
def _evaluator(
    network: str, batch: int, threads: int | None, together: bool, half: bool, symmetries: str, score: float
) -> Any:
    from ..network.evaluation import GoEvaluator

    one = GoEvaluator(_network(network, threads, half), batch=batch, symmetries=symmetries, score=score)
    return Together(one) if together else one


@cache
def _network(name: str, threads: int | None, half: bool) -> Any:
    from ..network.network import load_network

    return load_network(name, threads=threads, half=half)


def network_named(name: str | None) -> str | None:
    """The network to use: the one named (checked), none for "none", or where no name is given one that is there."""
    from ..network.cache import cached_network, find_network

    if name == NO_NETWORK:
        return None
    if name is None:
        return next((one for one in ("b15", "b6") if cached_network(one) is not None), None)
    path = find_network(name)
    return name if path != Path(name).expanduser() else str(path.resolve())


def contender_from(text: str, limit: Limit, network: str | None = None, batch: int = BATCH) -> Contender:
    """A player from its text; what the text does not say is as given.

    >>> one = contender_from("bts:alpha=0.3,trials=50", Limit(seconds=1.0))
    >>> one.label, one.limit, one.setting.parameters["alpha"]
    ('BTS alpha=0.3 trials=50', Limit(trials=50, seconds=None), 0.3)
    """
    name, _, rest = text.partition(":")
    values: dict[str, Any] = {}
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        if not equals or not key.strip() or not value.strip():
            raise ParameterError(f"player {text!r}: {part!r} must be key=value, as in bts:alpha=0.3,trials=500")
        values[key.strip()] = _number(value.strip())
    said = " ".join(f"{key}={value}" for key, value in values.items())
    own = {key: values.pop(key) for key in ("network", "trials", "seconds", "batch", *_OWN_CHOICES) if key in values}
    setting = go_setting(name, values)
    if "network" in own:
        network = network_named(str(own["network"]))
    if "trials" in own or "seconds" in own:
        limit = Limit(own.get("trials"), own.get("seconds"))
    label = f"{setting.title} {said}".strip()
    one = Contender(label, limit, setting, network, _whole("batch", own.get("batch", batch)))
    return replace(one, **_checked({name: own[name] for name in _OWN_CHOICES if name in own}, text, network))


def _checked(given: dict[str, Any], text: str, network: str | None) -> dict[str, Any]:
    """What a player's text says of its tree and its network, refused where it cannot be."""
    from ..network.evaluation import SYMMETRIES

    allowed: dict[str, tuple[Any, str]] = {
        "reuse": (lambda value: isinstance(value, bool), "true or false"),
        "symmetries": (lambda value: value in SYMMETRIES, f"one of {', '.join(SYMMETRIES)}"),
        "score": (
            lambda value: isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < math.inf,
            "a finite number of at least 0",
        ),
    }
    for name, value in given.items():
        good, must = allowed[name]
        if not good(value):
            raise ParameterError(f"player {text!r}: {name}={value!r}, must be {must}")
        if name != "reuse" and network is None:
            raise ParameterError(f"player {text!r}: {name} is for a network, and there is none")
    return given


def engine_from(command: str, limit: Limit) -> Contender:
    """An engine as a player; its label is the program's name."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ParameterError(f"--engine {command!r}: {error}") from None
    if not words:
        raise ParameterError("--engine: must be a command, such as 'gnugo --mode gtp'")
    return Contender(Path(words[0]).stem, limit, engine=command)


def distinct(contenders: Sequence[Contender], *, repeated: bool = False) -> list[Contender]:
    """The players, with labels that differ: namesakes are numbered; the same player twice is refused unless allowed."""
    rows = [json.dumps(one.row(), sort_keys=True) for one in contenders]
    namesakes: dict[str, list[str]] = {}
    for one, row in zip(contenders, rows, strict=True):
        if row not in namesakes.setdefault(one.label, []):
            namesakes[one.label].append(row)
        elif not repeated:
            raise ParameterError(f"players: {one.label} stands there twice; change a parameter, as in bts:alpha=0.3")
    result = []
    for one, row in zip(contenders, rows, strict=True):
        others = namesakes[one.label]
        result.append(one if len(others) == 1 else replace(one, label=f"{one.label} {others.index(row) + 1}"))
    return result


def _number(text: str) -> Any:
    if re.fullmatch(r"[+-]?\d+", text):
        return int(text)
    try:
        return float(text)
    except ValueError:
        return {"true": True, "false": False}.get(text.lower(), text)


def _whole(name: str, value: Any) -> int:
    return int(whole(name, value, 1))
