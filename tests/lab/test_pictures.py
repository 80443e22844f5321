"""Figures as files, and the colours of their curves."""

from __future__ import annotations

import struct
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from boltree.errors import ParameterError
from boltree.extras import needs
from boltree.lab import pictures
from boltree.lab.curves import Curve, Figure, Panel
from boltree.web.colours import on_dark, styles

pytest.importorskip("matplotlib", reason="figures need matplotlib: pip install 'boltree[lab]'")

ALGORITHMS = ("UCT", "H-MCTS", "MENTS", "RENTS", "TENTS", "BTS", "DENTS")


def curve(label, top=0.8, points=50):
    trials = np.linspace(1000, 200_000, points)
    mean = top * (1 - np.exp(-trials / 3e4))
    return Curve(label, trials, mean, mean - 0.05, mean + 0.05, repeats=20)


def words(svg):
    return [text.text for text in ElementTree.parse(svg).iter("{http://www.w3.org/2000/svg}text")]


def size(png):
    data = png.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert data[-8:-4] == b"IEND"
    return struct.unpack(">II", data[16:24])


def drawn_axes(figure):
    """The axes matplotlib was given, without drawing them."""
    return [axes for axes in pictures._drawn(figure).get_axes() if axes.get_visible()]


def test_a_figure_becomes_two_files(tmp_path):
    figure = Figure("Frozen Lake", [Panel("", [curve(name) for name in ALGORITHMS], optimum=0.8345)])
    files = pictures.draw(figure, tmp_path / "new" / "alpha-0.1")
    assert files == [tmp_path / "new" / "alpha-0.1.png", tmp_path / "new" / "alpha-0.1.svg"]
    width, height = size(files[0])
    assert width > 1000
    assert height > 600
    shown = words(files[1])
    for text in (*ALGORITHMS, "Frozen Lake", "trials", "value of the recommended policy", "optimum 0.8345", "100k"):
        assert shown.count(text) == 1, text
    assert any("20 repeats" in text for text in shown)


def test_the_line_is_the_mean_and_the_band_the_interval():
    (axes,) = drawn_axes(Figure("", [Panel("", [curve("BTS")], optimum=0.83)]))
    mean, optimum = axes.get_lines()
    np.testing.assert_array_equal(mean.get_ydata(), curve("BTS").mean)
    assert set(optimum.get_ydata()) == {0.83}
    assert optimum.is_dashed()
    (band,) = axes.collections
    height = band.get_paths()[0].vertices[:, 1]
    assert height.min() == curve("BTS").low.min()
    assert height.max() == curve("BTS").high.max()


def test_a_sweep_of_28_panels(tmp_path):
    panels = [Panel(f"panel {i}", [curve(name, points=2000) for name in ALGORITHMS], 0.83) for i in range(28)]
    png, svg = pictures.draw(Figure("sweep", panels, columns=7), tmp_path / "sweep")
    assert size(png)[0] > 2000
    shown = words(svg)
    assert all(f"panel {i}" in shown for i in range(28))
    assert all(shown.count(name) == 1 for name in (*ALGORITHMS, "optimum"))  # one legend
    assert svg.stat().st_size < 5_000_000


def test_panels_share_their_axes_and_the_lowest_of_each_column_is_labelled(tmp_path):
    panels = [Panel(f"panel {i}", [curve("UCT", top)]) for i, top in enumerate((0.2, 0.4, 0.6, 0.8, 1.0))]
    figure = Figure("five", panels, columns=3)
    axes = drawn_axes(figure)
    assert len(axes) == 5
    assert len({one.get_ylim() for one in axes}) == len({one.get_xlim() for one in axes}) == 1
    assert axes[0].get_ylim()[1] > 1.0
    svg = pictures.draw(figure, tmp_path / "five")[1]
    assert words(svg).count("100k") == 3


def test_the_same_figure_gives_the_same_files(tmp_path):
    figure = Figure("same", [Panel("one", [curve("UCT"), curve("BTS")], 0.8), Panel("two", [curve("BTS")])], columns=2)
    first, second = pictures.draw(figure, tmp_path / "a"), pictures.draw(figure, tmp_path / "b")
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    assert b"date" not in first[1].read_bytes()


def test_odd_text_and_missing_values(tmp_path):
    hostile = "a $x^$ b</text><script>"
    broken = curve(hostile)
    broken.mean[3:5], broken.high[7] = np.nan, np.inf
    _, svg = pictures.draw(Figure("50 $ & more", [Panel("$", [broken], optimum=-13.5)]), tmp_path / "odd")
    assert {hostile, "50 $ & more", "$", "optimum \u221213.5"} <= set(words(svg))


def test_a_figure_without_panels_is_refused(tmp_path):
    with pytest.raises(ParameterError, match="figure 'empty': has no panels"):
        pictures.draw(Figure("empty", []), tmp_path / "empty")
    pictures.draw(Figure("no curves", [Panel("", [])]), tmp_path / "bare")


def test_a_users_settings_and_pyplot_are_left_alone(tmp_path):
    code = (
        "import sys, matplotlib\n"
        "from pathlib import Path\n"
        "from boltree.lab.curves import Figure, Panel\n"
        "from boltree.lab.pictures import draw\n"
        "matplotlib.rcParams['font.size'] = 31\n"
        "draw(Figure('t', [Panel('p', [])]), Path(sys.argv[1]))\n"
        "assert matplotlib.rcParams['font.size'] == 31\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "t")], check=True)


def test_without_matplotlib_the_message_names_the_command(tmp_path, monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # as if it were not there
    with pytest.raises(ParameterError, match=r"matplotlib.*; run pip install 'boltree\[lab\]'$"):
        pictures.draw(Figure("f", [Panel("p", [curve("UCT")])]), tmp_path / "f")
    with pytest.raises(ParameterError, match=r"pip install 'boltree\[go\]'$"):
        needs("matplotlib.figure", "go")


def test_an_algorithm_has_one_colour():
    alone = {name: styles([name])[name] for name in ALGORITHMS}
    assert styles(reversed(ALGORITHMS)) == alone
    assert len({look.colour for look in alone.values()}) == len(ALGORITHMS)
    assert styles(["HMCTS"])["HMCTS"] == alone["H-MCTS"]
    assert styles(["mine", "MENTS alpha=0.01"])["MENTS alpha=0.01"] == alone["MENTS"]


def test_curves_of_one_figure_differ():
    labels = [*(f"DENTS alpha={10.0**i}" for i in range(-3, 4)), "AR-DENTS", "AR-BTS", "UCT", *"abcdefghijkl"]
    chosen = styles(labels)
    assert list(chosen) == labels
    assert len(set(chosen.values())) == len(labels)
    assert chosen[labels[0]] == styles(["DENTS"])["DENTS"]


def test_colours_can_be_seen_on_light_and_on_dark():
    def light(colour):
        red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
        return 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2

    labels = [*ALGORITHMS, "PUCT", "Power-UCT", "BRUE", "ANTS", "Uniform", "AR-BTS", "AR-DENTS", "AR-MENTS"]
    for label, look in styles(labels).items():
        assert 1.05 / (light(look.colour) + 0.05) > 2, label  # contrast as WCAG counts it
        assert (light(on_dark(look.colour)) + 0.05) / 0.058 > 4, label
