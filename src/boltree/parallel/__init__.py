"""``threads=n``: several threads for one search, on one tree or on a tree each."""

from .choose import runner_for
from .threaded import Threaded, check_threads

__all__ = ["Threaded", "check_threads", "runner_for"]
