"""``threads=n``: several threads for one search, on one tree or on a tree each."""
