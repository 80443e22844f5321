"""Trials in batches: a search's own, and the common batches of many searches that share an evaluator."""

from .batch_runner import BatchRunner
from .together import CommonBatches, Together

__all__ = ["BatchRunner", "CommonBatches", "Together"]
