"""The logger "boltree": what it says goes to standard error, or wherever the program's own logging sends it.

``logging.getLogger("boltree").setLevel("WARNING")`` silences what is only said for information, as does the environment
variable ``BOLTREE_QUIET``.
"""

from __future__ import annotations

import logging
import os
import sys


class _ToTerminal(logging.Handler):
    """Writes to standard error, unless the program has handlers of its own: these get the records then."""

    def emit(self, record: logging.LogRecord) -> None:
        quiet = record.levelno < logging.WARNING and os.environ.get("BOLTREE_QUIET")
        others = any(one is not self for one in logger.handlers) or (logger.propagate and logging.getLogger().handlers)
        if not (quiet or others):
            print(f"boltree: {record.getMessage()}", file=sys.stderr, flush=True)


logger = logging.getLogger("boltree")
if not logger.handlers:
    logger.addHandler(_ToTerminal())
    if logger.level == logging.NOTSET:
        logger.setLevel(logging.INFO)
