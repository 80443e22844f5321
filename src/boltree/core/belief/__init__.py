"""Beliefs in compiled code: states that are drawn, stepped and weighed by what was observed."""
