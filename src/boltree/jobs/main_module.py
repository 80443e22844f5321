"""Whether worker processes can import the program that starts them: each begins by importing its main module."""

from __future__ import annotations

import ast
import inspect
import sys
from pathlib import Path
from typing import Any

from ..errors import ParameterError


def check_main_module(workers: int) -> None:
    """Refuse to start workers from a line of the main module that each worker would run again, and so start workers.

    Args:
        workers: how many, for the message.
    """
    main = sys.modules.get("__main__")
    if getattr(getattr(main, "__spec__", None), "name", "").endswith(".__main__"):
        return  # `python -m package`: workers do not import it
    path = getattr(main, "__file__", None)
    frame = inspect.currentframe()
    while frame is not None and not (frame.f_globals is vars(main) and frame.f_code.co_name == "<module>"):
        frame = frame.f_back
    if path is None or frame is None or not _is_run_at_import(Path(path), frame.f_lineno):
        return
    raise ParameterError(
        f"workers={workers}: each worker process imports {Path(path).name} first, and would come to line "
        f'{frame.f_lineno} again; write that line below\n    if __name__ == "__main__":\nor take workers=1'
    )


def check_can_be_found(workers: int, problem: Any) -> None:
    """Refuse to send a problem to workers that cannot import its class: one of an interactive session."""
    main = sys.modules.get("__main__")
    if type(problem).__module__ == "__main__" and getattr(main, "__file__", None) is None:
        raise ParameterError(
            f"workers={workers}: worker processes cannot import {type(problem).__name__}, which was written in an "
            "interactive session; write it in a file and import it, or take workers=1"
        )


def _is_run_at_import(path: Path, line: int) -> bool:
    """Whether a line of a module is run when the module is imported: not below ``if __name__ == "__main__":``."""
    try:
        statements = ast.parse(path.read_text(encoding="utf-8")).body
    except (OSError, SyntaxError, ValueError):
        return False
    for one in statements:
        if one.lineno <= line <= (one.end_lineno or one.lineno):
            return not (isinstance(one, ast.If) and "__name__" in ast.unparse(one.test))
    return False
