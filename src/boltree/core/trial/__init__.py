"""The trial loop: one trial, batches, threads, shared nodes, merging, and reading a tree; all compiled."""
