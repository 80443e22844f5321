"""The suite: how good decisions are, on many problems, by `bt.plan` and by a grid of settings (`boltree suite`)."""
