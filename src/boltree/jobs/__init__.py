"""What the lab and matches have in common: jobs run in processes, settings of algorithms and statistics."""
