"""``python -m boltree``: the command line."""

from .cli.commands import main

raise SystemExit(main())
