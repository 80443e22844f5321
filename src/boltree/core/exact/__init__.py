"""Exact models of a problem and the value of a recommendation policy in them; all compiled."""
