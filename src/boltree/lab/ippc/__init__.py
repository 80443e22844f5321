"""Rounds of planning competitions: instances in RDDL, played in pyRDDLGym's own simulator at a given time a step."""
