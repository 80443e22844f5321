"""The trial loop, all compiled: down the tree (trial.py) and back up (backup.py), run one by one (run.py), in batches
(batch.py), by threads on one tree (locked.py) or as many small searches (many.py); merging and reading trees."""
