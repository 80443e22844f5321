"""The graph of the package's imports, and the knots in it: modules each of which needs all the others."""

from __future__ import annotations

import ast
from pathlib import Path


def imports_of(package: Path) -> dict[str, set[str]]:
    """For each module those that it imports anywhere: at the top, inside of functions, or for type checkers only.

    ``from package import module`` counts as an import of the module, ``from package import name`` of the package.
    """
    files = {_module_name(package, path): path for path in package.rglob("*.py")}
    graph: dict[str, set[str]] = {}
    for module, path in files.items():
        inside = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
        found: set[str] = set()
        for statement in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(statement, ast.Import):
                found |= {alias.name for alias in statement.names}
            elif isinstance(statement, ast.ImportFrom):
                above = inside[: len(inside) + 1 - statement.level] if statement.level else []
                source = ".".join([*above, *([statement.module] if statement.module else [])])
                for alias in statement.names:
                    name = f"{source}.{alias.name}"
                    found.add(name if name in files else source)
        graph[module] = (found & set(files)) - {module}
    return graph


def _module_name(package: Path, path: Path) -> str:
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def knots_in(graph: dict[str, set[str]]) -> list[list[str]]:
    """The strongly connected components of more than one module (Kosaraju's algorithm).

    >>> knots_in({"a": {"b"}, "b": {"c"}, "c": {"b"}})
    [['b', 'c']]
    """
    order: list[str] = []
    seen: set[str] = set()
    for module in sorted(graph):
        _visit(module, graph, seen, order)
    backward: dict[str, set[str]] = {module: set() for module in graph}
    for module, imported in graph.items():
        for one in imported:
            backward[one].add(module)
    seen.clear()
    knots: list[list[str]] = []
    for module in reversed(order):
        together: list[str] = []
        _visit(module, backward, seen, together)
        if len(together) > 1:
            knots.append(sorted(together))
    return knots


def _visit(module: str, graph: dict[str, set[str]], seen: set[str], ended: list[str]) -> None:
    """Depth-first search: append what can be reached and was not seen yet, each module after all below it."""
    if module in seen:
        return
    seen.add(module)
    for one in sorted(graph[module]):
        _visit(one, graph, seen, ended)
    ended.append(module)
