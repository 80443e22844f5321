"""The command line: words to calls, nothing else."""

from .commands import main

__all__ = ["main"]
