"""Go's part of the command line: parses arguments and calls the library."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import ParameterError
from ..jobs.arguments import add_running, executor_for
from ..jobs.executors import Threads, cores
from ..terminal import positive_number, real_number, seed_number, whole_number, whole_within
from ..version import __version__
from .match.contender import BATCH, NO_NETWORK, Contender, contender_from, distinct, engine_from, network_named
from .player import Limit

KOMI = {19: 7.5}
"""The paper's komi by board size; 6.5 on others."""

_ENGINE = "gnugo --mode gtp --chinese-rules"
_PLAYER = "an algorithm, such as ar-bts or puct, also with parameters: bts:alpha=0.3,epsilon=0.01,trials=500"


def add_go(commands: Any) -> None:
    """Add Go's commands."""
    _add_gtp(commands)
    _add_match(commands)
    _add_play(commands)


def _add_thinking(command: argparse.ArgumentParser, board: int) -> None:
    command.add_argument(
        "--network", metavar="NAME",
        help="b6, b15 or b18 (boltree network get fetches one), the path of a .bin.gz, or none for random games; if "
        "left out, b15 or b6 where one was fetched",
    )  # fmt: skip
    command.add_argument(
        "--seconds", type=positive_number, help="thinking time of a move; 5 if --trials is not given either"
    )
    command.add_argument("--trials", type=whole_number, help="trials of a move; with --seconds, whichever ends first")
    command.add_argument("--batch", type=whole_number, default=BATCH, help="leaves that the network values at a time")
    command.add_argument("--board", type=whole_within(2, 19), default=board, metavar="N", help="size of the board")
    command.add_argument("--komi", type=real_number, help="White's points for moving second; 7.5 on 19x19, else 6.5")
    command.add_argument("--seed", type=seed_number, default=None, help="seed of the random numbers")


def _add_gtp(commands: Any) -> None:
    command = commands.add_parser(
        "gtp",
        help="play Go over GTP, for Sabaki, Lizzie, GoGui and others",
        description="Speak GTP 2 on stdin and stdout: an engine for programs that show Go and let people play it. In "
        "Sabaki, add an engine (Engines, Manage Engines) whose path is that of boltree, and whose arguments are gtp "
        "and options; Lizzie and GoGui take the whole command. They can show what the search thinks as it thinks "
        "(lz-analyze, kata-analyze), with a network also scores and ownership. Clocks that they set come before "
        "--seconds.",
        epilog="example: boltree gtp --network b15 --algorithm ar-bts --seconds 5",
    )
    command.add_argument("--algorithm", default="ar-bts", metavar="PLAYER", help=_PLAYER)
    command.add_argument(
        "--say-version", metavar="TEXT", default=__version__,
        help="what the command version answers, such as 0.17: Lizzie complains about engines that are not at 0.15",
    )  # fmt: skip
    _add_thinking(command, 19)
    command.set_defaults(call=_gtp)


def _gtp(options: argparse.Namespace) -> int:
    from .gtp.protocol import Gtp, serve
    from .player import SearchPlayer

    contender = _algorithm(options.algorithm, options, _network(options))
    player = contender.player(options.seed)
    assert isinstance(player, SearchPlayer)
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")

    def make(write: Any, interrupted: Any) -> Gtp:
        return Gtp(
            player, contender.limit, size=options.board, komi=_komi(options), version=options.say_version, write=write,
            interrupted=interrupted,
        )  # fmt: skip

    if sys.stdin.isatty():
        print("boltree: this speaks GTP; type list_commands, genmove black, showboard or quit", file=sys.stderr)
    try:
        serve(make, sys.stdin, sys.stdout)
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - the reader is gone; Python would complain at exit
    return 0


def _add_match(commands: Any) -> None:
    command = commands.add_parser(
        "match",
        help="play Go between algorithms and engines: wins, trials for a move, Elo",
        description="Play paired games of Go between two players, or a round robin between all that are named. Every "
        "opening is played twice, with the colours swapped. Every game is kept (JSON and SGF); run again, it goes on "
        "where it was stopped. With --seconds one game is played at a time unless --workers says otherwise.",
        epilog="example: boltree match puct ar-bts --games 50 --board 9 --seconds 2.5",
    )
    command.add_argument("players", nargs="*", metavar="PLAYER", help=_PLAYER)
    command.add_argument(
        "--engine", action="append", default=[], metavar="COMMAND",
        help=f"a program that speaks GTP, as a player, such as '{_ENGINE}'; it is told --seconds, but not --trials",
    )  # fmt: skip
    command.add_argument("--games", type=whole_number, default=50, help="games of every two players, an even number")
    command.add_argument(
        "--opening", type=whole_within(0, 40), default=2, metavar="N", help="random moves that a game begins with"
    )
    command.add_argument("--openings", type=Path, nargs="+", metavar="SGF", help="files or folders of openings instead")
    command.add_argument(
        "--tune", nargs=2, metavar=("PARAMETER", "NUMBERS"),
        help="a round robin of one player over numbers of a parameter, such as alpha 3,1,0.3,0.1",
    )  # fmt: skip
    command.add_argument(
        "--two-by-two",
        action="store_true",
        help="the first player meets only the second, the third only the fourth, ...",
    )
    command.add_argument(
        "--together",
        type=whole_number,
        metavar="N",
        help="games played at the same time in one process, whose positions share the network's batches; for a GPU",
    )
    command.add_argument("--half", action="store_true", help="let the network compute in float16, on a GPU")
    _add_thinking(command, 9)
    add_running(command, "boltree-matches")
    command.set_defaults(call=_match)


def _match(options: argparse.Namespace) -> int:
    from .match.openings import opening_files, random_opening
    from .match.tournament import Tournament, tuned, verdict

    if sum(bool(one) for one in (options.workers, options.cluster, options.together)) > 1:
        raise ParameterError("--workers, --cluster and --together: give one of them")
    names = options.players or (["ar-bts"] if options.tune else [])
    network = _network(options)
    players = [_algorithm(text, options, network) for text in names]
    players += [engine_from(command, _limit(options)) for command in options.engine]
    numbers: list[float] = []
    if options.tune:
        if len(players) != 1:
            raise ParameterError("--tune: name one player whose parameter is tuned")
        if options.two_by_two:
            raise ParameterError("--tune: is a round robin, which --two-by-two is not; give one of them")
        numbers = _numbers(options.tune[1])
        players = list(tuned(players[0], options.tune[0], numbers))
    players = [replace(one, together=bool(options.together), half=options.half) for one in players]
    if len(players) < 2:
        raise ParameterError("match: name two players or more, such as boltree match puct ar-bts")
    seed = options.seed or 0
    if options.openings:
        openings = opening_files(options.openings, options.board)
    else:
        openings = [random_opening(options.board, options.opening, seed, k) for k in range(max(options.games // 2, 1))]
    timed = any(one.limit.seconds is not None for one in players)
    workers = options.workers or (1 if timed or options.together else cores())
    players = distinct(players, repeated=options.two_by_two)
    tournament = Tournament(
        tuple(players), options.games, options.board, _komi(options), tuple(openings), seed,
        threads=max(cores() // workers, 1), two_by_two=options.two_by_two,
    )  # fmt: skip
    executor = Threads(options.together) if options.together else executor_for(workers, options.cluster)
    for one in players:
        one.prepare(options.board, options.together or 1, tournament.threads)
    standings = tournament.run(options.out, executor, options.shard, show=not options.no_progress)
    print(standings.text())
    whole = len(standings.lines) == len(tournament.pairings())
    if options.tune and whole:
        print(f"\n{verdict(standings, options.tune[0], numbers)}")
    if not whole:
        print(f"\n{len(standings.lines)} of {len(tournament.pairings())} games are finished; the others are not yet.")
    print(f"\nGames: {options.out / 'games'}")
    return 0


def _add_play(commands: Any) -> None:
    command = commands.add_parser(
        "play",
        help="play a game of Go in the terminal",
        description="Play a game of Go in the terminal, by the names of points; with hints, and moves taken back.",
        epilog="example: boltree play --board 9 --colour white --seconds 2",
    )
    command.add_argument("--algorithm", default="ar-bts", metavar="PLAYER", help=_PLAYER)
    command.add_argument(
        "--engine", metavar="COMMAND", help=f"play against a program that speaks GTP instead, such as '{_ENGINE}'"
    )
    command.add_argument("--colour", choices=("black", "white"), default="black", help="yours")
    command.add_argument(
        "--handicap", type=whole_number, metavar="N", help="black stones before White's first move, 2 to 9"
    )
    _add_thinking(command, 9)
    command.set_defaults(call=_play)


def _play(options: argparse.Namespace) -> int:
    from .board.handicap import fixed_handicap
    from .game import Game
    from .play import TerminalGame, shows_unicode

    contender = _opponent(options)
    stones = fixed_handicap(options.board, options.handicap) if options.handicap else []
    game = Game(options.board, _komi(options), "no-suicide", black=stones, to_move="white" if stones else "black")
    player = contender.player(options.seed)
    try:
        TerminalGame(game, player, contender.limit, options.colour, plain=not shows_unicode()).run()
    finally:
        player.close()
    return 0


def _opponent(options: argparse.Namespace) -> Contender:
    if options.engine is not None:
        return engine_from(options.engine, _limit(options))
    return _algorithm(options.algorithm, options, _network(options))


def _algorithm(text: str, options: argparse.Namespace, network: str | None) -> Contender:
    """A player from its text and the options; one that could never move is refused now, not in the game."""
    one = contender_from(text, _limit(options), network, options.batch)
    assert one.setting is not None
    if one.setting.name == "hmcts" and one.limit.trials is None and one.setting.parameters.get("budget") is None:
        raise ParameterError(f"{text}: must know its number of trials; give --trials, or as in hmcts:budget=1000")
    return one


def _limit(options: argparse.Namespace) -> Limit:
    seconds = options.seconds if options.seconds or options.trials else 5.0
    return Limit(options.trials, seconds)


def _network(options: argparse.Namespace) -> str | None:
    found = network_named(options.network)
    if found is None and options.network != NO_NETWORK:
        print(
            "boltree: no network: positions are valued by random games. For strong play: boltree network get b15",
            file=sys.stderr,
        )
    return found


def _komi(options: argparse.Namespace) -> float:
    return float(options.komi) if options.komi is not None else KOMI.get(options.board, 6.5)


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ParameterError(f"--tune {text!r}: must be numbers, such as 3,1,0.3,0.1") from None
