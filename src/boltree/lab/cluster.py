"""Running jobs on a Ray cluster: the same jobs, the same results."""
