"""Tests run quietly: no line about compiling."""

import os

os.environ.setdefault("BOLTREE_QUIET", "1")
