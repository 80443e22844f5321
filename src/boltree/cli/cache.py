"""``boltree cache``: what machine code is kept, and where."""

from __future__ import annotations

import argparse
import os
import time

from ..core.machine_code import MOST_BYTES, cache_folder, clear, kept_versions, version_folder
from ..errors import ParameterError
from ..terminal import Parser, table


def add_cache(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command."""
    command = commands.add_parser(
        "cache",
        help="show the machine code that is kept on disk, or delete it",
        description="Compiled kernels are kept on disk, a folder for each version of Boltree, so that they are "
        "compiled once on a machine. Where they lie is said by the environment variable BOLTREE_CACHE, else it is the "
        f"user's cache folder. The versions used least lately are deleted when all take more than {_size(MOST_BYTES)}.",
        epilog="examples: boltree cache; boltree cache clear",
    )
    command.add_argument("what", nargs="?", choices=("show", "clear"), default="show", help="show it, or delete it all")
    command.set_defaults(call=_cache)


def _cache(options: argparse.Namespace) -> int:
    try:
        cache_folder()
    except OSError:
        chosen = os.environ.get("BOLTREE_CACHE")
        raise ParameterError(
            f"BOLTREE_CACHE={chosen!r}: must be a folder that can be written; without one nothing is kept"
        ) from None
    if options.what == "clear":
        print(f"deleted {_size(clear())} of machine code in {cache_folder()}")
        return 0
    mine, kept = version_folder(), kept_versions()
    rows = [
        [
            one.path.name,
            "this version" if one.path == mine else "",
            _size(one.nbytes),
            time.strftime("%Y-%m-%d %H:%M", time.localtime(one.used)),
        ]
        for one in kept
    ]
    print(f"{cache_folder()}: {_size(sum(one.nbytes for one in kept))} of at most {_size(MOST_BYTES)}")
    print(table(["version", "", "size", "last used"], rows))
    return 0


def _size(nbytes: int) -> str:
    return f"{nbytes / 2**20:.0f} MB"
