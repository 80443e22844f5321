"""Trials in batches: a search's own, and the common batches of many searches that share an evaluator."""
