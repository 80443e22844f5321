"""``python -m boltree``: the command line."""

from .cli import main

raise SystemExit(main())
