"""``threads=n``: several threads for one search, on one tree or on a tree each."""

from .crew import Crew, check_threads, hire, resume

__all__ = ["Crew", "check_threads", "hire", "resume"]
