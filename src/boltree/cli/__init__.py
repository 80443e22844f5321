"""The command line: parses arguments and calls the library, nothing else."""

from .commands import main

__all__ = ["main"]
