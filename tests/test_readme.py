"""The README's Python runs and is right."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import boltree as bt

README = Path(__file__).parents[1] / "README.md"


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL))
def test_examples(code, capsys):
    names: dict[str, object] = {}
    exec(compile(code, "README.md", "exec"), names)
    if "-> 1 (down)" in code:
        search = names["search"]
        assert search.recommend() == 1  # type: ignore[attr-defined]
        assert round(bt.value_of(search), 2) == 0.76
        assert round(bt.simple_regret(search), 2) == 0.07


def test_commands_are_the_ones_ci_runs():
    text = README.read_text()
    assert "\n./test\n" in text
    assert "\n./test\n" in (README.parent / ".ci" / "run").read_text()
