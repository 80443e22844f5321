"""Puts machine code into a wheel: kernels compiled for a common processor (src/boltree/precompile.py).

With it a fresh machine's first search begins at once. `BOLTREE_MACHINE_CODE` says how much: `most` of what searches
need (the default), `all`, or `none` for a wheel that is compiled where it is used. An editable installation has none.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

AMOUNTS = ("most", "all", "none")


class MachineCode(BuildHookInterface):
    """Compiles the kernels while a wheel is built."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the folder of machine code to a wheel, which is then one for this Python and this system."""
        amount = os.environ.get("BOLTREE_MACHINE_CODE", "most")
        if amount not in AMOUNTS:
            raise ValueError(f"BOLTREE_MACHINE_CODE={amount!r}, must be one of {', '.join(AMOUNTS)}")
        if version == "editable" or amount == "none":
            return
        self._folder = tempfile.TemporaryDirectory()
        made = Path(self._folder.name) / "machine_code"
        environment = os.environ | {"PYTHONPATH": str(Path(self.root) / "src")}
        command = [sys.executable, "-m", "boltree.precompile", str(made), amount]
        if subprocess.run(command, env=environment).returncode:
            self.app.display_warning("kernels could not be compiled here: the wheel is without machine code")
            return
        build_data["force_include"][str(made)] = "boltree/machine_code"
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was compiled: it lies in the wheel."""
        if hasattr(self, "_folder"):
            self._folder.cleanup()
