"""The matrix: Pythons, the oldest and the newest libraries, and what else must pass. ``nox --list`` names the sessions.

``nox -s tests`` runs a selection of the tests on every Python that is there. Other tests on one:
``nox -s tests-3.12 -- tests/test_many.py``. The whole suite, with every optional library, is ``./test``;
``.ci/run`` is what must pass before a change lands.
"""

from __future__ import annotations

import nox

nox.needs_version = ">=2024.4"
nox.options.default_venv_backend = "virtualenv"
nox.options.error_on_missing_interpreters = False
nox.options.sessions = ["lint", "tests", "oldest", "newest", "package"]

PYTHONS = ["3.10", "3.11", "3.12", "3.13", "3.14"]
OLDEST = ["numba==0.61.0", "numpy==1.26.0"]
"""The lower bounds of pyproject.toml."""

SELECTION = [
    "tests/test_golden_trees.py",
    "tests/test_exact.py",
    "tests/test_search.py",
    "tests/test_python_problem.py",
    "tests/test_import.py",
    "tests/test_summary.py",
    "tests/core",
]
"""What a Python or a library may break: every kernel in every mode bit by bit, callbacks, arenas, threads, printing."""

TOOLS = ["hypothesis>=6.100", "pytest>=8", "pytest-xdist>=3.6", "scipy>=1.11"]


def run_tests(session: nox.Session, *chosen: str) -> None:
    """Run tests against what is installed, with machine code of this session's own."""
    session.env.update({"BOLTREE_CACHE": session.create_tmp(), "BOLTREE_QUIET": "1", "PYTHONPATH": ""})
    session.run("python", "-c", "import sys, numba, numpy; print(sys.version, numba.__version__, numpy.__version__)")
    session.run("python", "-m", "pytest", "-p", "no:cacheprovider", "-n", "2", *(session.posargs or chosen))


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """The selection, on one Python, with what pip chooses."""
    session.install(".", *TOOLS)
    run_tests(session, *SELECTION)


@nox.session(python="3.10")
def oldest(session: nox.Session) -> None:
    """The selection on the oldest Python with the oldest NumPy and Numba that are allowed.

    Without the stored trees: entropies of a few nodes have another last bit than with the compiler of newer ones.
    """
    session.install(".", *OLDEST, *TOOLS)
    run_tests(session, *(path for path in SELECTION if path != "tests/test_golden_trees.py"))


@nox.session(python=PYTHONS[-2:])
def newest(session: nox.Session) -> None:
    """The selection on the newest Pythons with the newest libraries, releases for testing among them."""
    session.install("--upgrade", "--pre", ".", "numba", "numpy", *TOOLS)
    run_tests(session, *SELECTION)


@nox.session
def plain(session: nox.Session) -> None:
    """The selection without anything of the operating system's own: as on one that is not known."""
    session.env["BOLTREE_SYSTEM"] = "plain"
    session.install(".", *TOOLS)
    run_tests(session, "tests/test_golden_trees.py", "tests/test_exact.py", "tests/test_search.py")


@nox.session
def lint(session: nox.Session) -> None:
    """Style and types."""
    session.install(".", "mypy>=1.14", "nox", "ruff>=0.9")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy")


@nox.session
def package(session: nox.Session) -> None:
    """Build the sdist and the wheel, and try the wheel in an empty environment."""
    session.install("build>=1.2")
    session.run("python", ".ci/package.py", *session.posargs)


@nox.session
def docs(session: nox.Session) -> None:
    """The site; a warning is an error."""
    session.install(".[docs]")
    session.run("sphinx-build", "-W", "-q", "-b", "html", "docs", session.posargs[0] if session.posargs else "site")
