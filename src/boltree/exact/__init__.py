"""Exact solutions of a problem, and the exact value of what a search recommends."""
