#!/usr/bin/env python3
"""Builds the sdist and from it the wheel, installs the wheel into an empty environment and runs README's first code.

Nothing of the repository is on the path there: what is missing from the wheel, or works only inside the repository,
fails. With a folder as its argument, the two files are left in it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MORE = """
import boltree as bt
chain = bt.problems.DChain(4)
bt.watch(bt.Search(chain, bt.UCT(), seed=0), trials=100).save("search.html")
assert bt.check(bt.problems.Go(5)) is None
"""
"""What reads files that are not Python: the viewer's page. And what is imported only when it is used."""


def main() -> None:
    """Run all of it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
        environment |= {"BOLTREE_CACHE": str(folder / "cache")}

        def run(*command: object, inside: Path = folder) -> str:
            words = [str(word) for word in command]
            done = subprocess.run(words, cwd=inside, env=environment, capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"{' '.join(words[:4])} ...: failed\n{done.stdout}{done.stderr}")
            if "boltree: compiling" in done.stderr:
                sys.exit(
                    f"{' '.join(words[:4])} ...: compiled a kernel; the wheel should have brought its machine code"
                )
            return done.stdout

        run(sys.executable, "-m", "build", "--outdir", folder / "dist", ROOT)
        (wheel,) = (folder / "dist").glob("*.whl")
        (sdist,) = (folder / "dist").glob("*.tar.gz")
        expect_all_files(wheel)
        venv.create(folder / "empty", with_pip=True)
        programs = folder / "empty" / ("Scripts" if os.name == "nt" else "bin")
        run(programs / "python", "-m", "pip", "install", "--quiet", wheel)

        version = run(programs / "boltree", "--version").split()[-1]
        assert wheel.name.startswith(f"boltree-{version}-"), f"{wheel.name} says that it is version {version}"
        place = run(programs / "python", "-c", "import boltree; print(boltree.__file__)").strip()
        assert folder.resolve() in Path(place).resolve().parents, f"imported from {place}"
        for n, code in enumerate((first_code(ROOT / "README.md"), MORE)):
            program = folder / f"program{n}.py"
            program.write_text(code, encoding="utf-8")
            print(run(programs / "python", program), end="")
        run(programs / "boltree", "plan", "d-chain", "--trials", 100, "--algorithm", "dents")
        if len(sys.argv) > 1:
            out = Path(sys.argv[1])
            out.mkdir(parents=True, exist_ok=True)
            for file in (sdist, wheel):
                shutil.copy(file, out)
        print(f"{sdist.name} and {wheel.name} are whole")


def expect_all_files(wheel: Path) -> None:
    """The wheel must hold every file of the package that the repository tracks."""
    listed = subprocess.run(["git", "ls-files", "src"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:  # not a git checkout
        return
    tracked = {name.removeprefix("src/") for name in listed.stdout.split("\n") if name and (ROOT / name).exists()}
    held = set(zipfile.ZipFile(wheel).namelist())
    if missing := sorted(tracked - held):
        sys.exit(f"{wheel.name}: {', '.join(missing)} missing")


def first_code(page: Path) -> str:
    """The first block of Python of a page."""
    found = re.search(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert found is not None, f"{page}: no Python"
    return found.group(1)


if __name__ == "__main__":
    main()
