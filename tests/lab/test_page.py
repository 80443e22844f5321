"""The report page, as a browser shows it."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from boltree.lab.curves import Curve, Figure, Panel
from boltree.lab.page import Table, caption, thin, write_page

ALGORITHMS = ("UCT", "H-MCTS", "MENTS", "RENTS", "TENTS", "BTS", "DENTS")
HOSTILE = "</script><img src=x onerror=window.broken=1><b>&amp;$data"


def curve(label, top=0.8, points=60, seed=0):
    trials = np.linspace(500, 100_000, points).round()
    mean = top * (1 - np.exp(-trials / 2e4)) + np.random.default_rng(seed).normal(size=points) / 100
    return Curve(label, trials, mean, mean - 0.05, mean + 0.07, repeats=20)


def exact(label, trials, mean, room=0.0):
    trials, mean = np.array(trials), np.array(mean, float)
    return Curve(label, trials, mean, mean - room, mean + room, repeats=3)


@pytest.fixture
def opened(visit, tmp_path):
    """Writes a report and opens it."""

    def look(figures, tables=(), notes=(), title="A report", **options):
        path = tmp_path / "report.html"
        write_page(path, title, figures, tables, notes)
        page = visit(path, **options)
        if any(figure.panels for figure in figures):
            page.wait_for_selector(".panel svg > *", state="attached")
        return page

    return look


def points(page, label, panel=0, kind="mean"):
    """The points of a drawn path in pixels."""
    path = page.locator(".panel").nth(panel).locator(f"path.{kind}[data-label='{label}']").get_attribute("d")
    return np.array([[float(number) for number in point.split()] for point in re.split("[ML]", path.rstrip("Z"))[1:]])


def point_at(page, trials, panel=0):
    """Move the mouse to where a trial count lies on a linear axis from 0 to 100,000."""
    node = page.locator(".panel svg").nth(panel)
    node.scroll_into_view_if_needed()
    frame = node.bounding_box()
    edge = node.locator("path.edge").last.get_attribute("d")  # the x axis itself
    left, right = float(re.search(r"M([\d.]+)", edge).group(1)), float(re.search(r"H([\d.]+)", edge).group(1))
    page.mouse.move(frame["x"] + left + (right - left) * trials / 100_000, frame["y"] + 60)


def tip_rows(page):
    return {
        row.get_attribute("data-label"): row.locator("td").all_inner_texts() for row in page.locator(".tip tr").all()
    }


TWO = [
    Figure("One", [Panel("", [curve(name, seed=i) for i, name in enumerate(ALGORITHMS)], optimum=0.83)]),
    Figure("Many", [Panel(f"panel {i}", [curve("UCT"), curve("BTS", 0.7)], 0.83) for i in range(5)], columns=3),
]


def test_everything_is_shown(opened):
    page = opened(TWO, [Table("Results", ["who", "value"], [["BTS", "0.8"]])], ["A note.", "Another."], "Frozen Lake")
    assert page.title() == page.locator("h1").inner_text() == "Frozen Lake"
    assert page.locator("h2").all_inner_texts() == ["One", "Many", "Results"]
    assert page.locator("h3").all_inner_texts() == [f"panel {i}" for i in range(5)]
    assert page.locator("main > p").all_inner_texts() == ["A note.", "Another."]
    assert page.locator("path.mean").count() == page.locator("path.band").count() == 7 + 5 * 2
    for name in ALGORITHMS:
        assert len(points(page, name)) == 60
        assert len(points(page, name, kind="band")) == 120
    assert page.locator("path.optimum").count() == 6 + 2  # one in each panel, one in each legend
    assert page.locator("text=optimum 0.8300").count() == 1
    assert page.locator(".caption").first.inner_text() == "mean and 95 % interval of 20 repeats"


def test_curves_lie_where_the_data_say(opened):
    page = opened([Figure("f", [Panel("p", [exact("BTS", [0, 50, 75, 100], [0, 1, 0.5, 1], 0.25)])])])
    x, y = points(page, "BTS").T
    np.testing.assert_allclose((x - x[0]) / (x[-1] - x[0]), [0, 0.5, 0.75, 1], atol=1e-3)
    np.testing.assert_allclose((y - y[0]) / (y[1] - y[0]), [0, 1, 0.5, 1], atol=1e-3)
    band = points(page, "BTS", kind="band")[:, 1]
    np.testing.assert_allclose(
        (band - y[0]) / (y[1] - y[0]), [-0.25, 0.75, 0.25, 0.75, 1.25, 0.75, 1.25, 0.25], atol=2e-3
    )


def test_hiding_an_algorithm_hides_it_in_every_panel(opened):
    page = opened(TWO)
    uct, bts = page.locator("path[data-label='UCT']"), page.locator("path.mean[data-label='BTS']")
    buttons = page.locator("button[data-label='UCT']")
    before = points(page, "UCT", panel=3)
    assert uct.count() == 12
    for act in (buttons.first.click, lambda: buttons.last.press("Enter"), lambda: buttons.first.press("Space")):
        act()
        assert uct.count() == 0
        assert bts.count() == 6
        assert [button.get_attribute("aria-pressed") for button in buttons.all()] == ["false", "false"]
        act()
        assert uct.count() == 12
        assert [button.get_attribute("aria-pressed") for button in buttons.all()] == ["true", "true"]
    np.testing.assert_array_equal(points(page, "UCT", panel=3), before)


def test_hidden_algorithms_leave_the_room_to_the_others(opened):
    page = opened([Figure("f", [Panel("p", [exact("UCT", [0, 9], [-100, 0]), exact("BTS", [0, 9], [0, 1])])])])
    assert np.ptp(points(page, "BTS")[:, 1]) < 10
    page.locator("button[data-label='UCT']").click()
    assert np.ptp(points(page, "BTS")[:, 1]) > 100
    page.locator("button[data-label='BTS']").click()  # none left: still a page
    assert page.locator("path.mean").count() == 0


def test_log_axis(opened):
    page = opened([Figure("f", [Panel("p", [exact("BTS", [0, 10, 100, 1000], [0, 1, 2, 3])])])])
    straight = points(page, "BTS")
    page.get_by_label("log axis for trials").check()
    x, y = points(page, "BTS").T  # without the point at 0, which has no logarithm
    assert x[1] - x[0] == pytest.approx(x[2] - x[1], abs=0.2)
    np.testing.assert_array_equal(y, straight[1:, 1])
    assert {"10", "100", "1k"} <= set(page.locator(".panel text").all_text_contents())
    page.get_by_label("log axis for trials").uncheck()
    np.testing.assert_array_equal(points(page, "BTS"), straight)


def test_simple_regret(opened):
    panels = [Panel("known", [exact("BTS", [1, 2, 3, 4], [0.4, 0.49, 0.499, 0.5], 0.0001)], optimum=0.5)]
    page = opened([Figure("f", [*panels, Panel("unknown", [exact("BTS", [1, 4], [0, 0.1])])], columns=2)])
    page.get_by_label("simple regret").check()
    y = points(page, "BTS")[:, 1]
    assert y[0] < y[1] < y[2] < y[3]
    assert y[1] - y[0] == pytest.approx(y[2] - y[1], abs=0.2)  # a tenth of the regret, a step on the log axis
    assert points(page, "BTS", kind="band")[:, 1].max() == y[3]  # no regret lies on the lower edge
    assert {"0.1", "0.01", "0.001"} <= set(page.locator(".panel text").all_text_contents())
    assert page.locator(".axis").first.inner_text() == "simple regret (optimum \u2212 value)"
    assert page.locator(".panel").nth(1).locator("text=optimum unknown").count() == 1
    page.locator(".panel svg").first.focus()
    page.keyboard.press("Home")
    assert tip_rows(page) == {"BTS": ["0.1000", "0.09990 … 0.1001"]}


def test_no_regret_without_an_optimum(opened):
    page = opened([Figure("f", [Panel("p", [curve("BTS")])])])
    assert page.locator("input[data-axis]").count() == 1
    assert page.locator(".optimum").count() == 0


def test_hovering_reads_the_numbers(opened):
    page = opened(TWO)
    assert page.locator(".tip").is_hidden()
    data = curve("UCT")
    for panel, labels in ((0, ALGORITHMS), (4, ("UCT", "BTS"))):
        for i in (7, 40):
            point_at(page, data.trials[i], panel)
            assert page.locator(".tip strong").inner_text() == f"{data.trials[i]:,.0f} trials"
            rows = tip_rows(page)
            assert set(rows) == set(labels)
            curves = TWO[0].panels[0].curves if panel == 0 else TWO[1].panels[panel - 1].curves
            for one in curves:
                mean, interval = rows[one.label]
                numbers = [float(mean), *(float(part) for part in interval.split("…"))]
                np.testing.assert_allclose(numbers, [one.mean[i], one.low[i], one.high[i]], rtol=6e-4)
            order = [float(mean) for mean, _ in rows.values()]
            assert order == sorted(order, reverse=True)
            assert page.locator("path.cross").count() == 1
            assert page.locator("circle.dot").count() == len(labels)
    page.locator("button[data-label='UCT']").first.click()
    assert page.locator(".tip").is_hidden()
    point_at(page, 50_000)
    assert set(tip_rows(page)) == set(ALGORITHMS) - {"UCT"}


def test_curves_with_other_trial_counts_are_read_between_their_points(opened):
    page = opened([Figure("f", [Panel("p", [exact("UCT", [0, 50, 100], [0, 1, 1]), exact("BTS", [0, 100], [0, 4])])])])
    page.locator(".panel svg").focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert page.locator(".tip strong").inner_text() == "50 trials"
    assert {label: mean for label, (mean, _) in tip_rows(page).items()} == {"UCT": "1.000", "BTS": "2.000"}
    page.keyboard.press("Escape")
    assert page.locator(".tip").is_hidden()


def test_hostile_text_is_text(opened):
    figure = Figure(HOSTILE, [Panel(HOSTILE, [curve(HOSTILE), curve("__proto__")], 0.8)], 1, HOSTILE, HOSTILE)
    page = opened([figure], [Table(HOSTILE, [HOSTILE], [[HOSTILE]])], [HOSTILE], HOSTILE)
    assert page.title() == HOSTILE
    for place in ("h1", "main > p >> nth=0", "h2 >> nth=0", "h2 >> nth=1", "h3", ".axis.x", "thead th", "tbody th"):
        assert page.locator(place).inner_text() == HOSTILE, place
    assert page.locator("button.key").all_inner_texts() == [HOSTILE, "__proto__"]
    page.locator(".panel svg").focus()
    page.keyboard.press("End")
    assert set(page.locator(".tip th").all_inner_texts()) == {HOSTILE, "__proto__"}
    assert page.locator("img, main b").count() == 0
    assert page.evaluate("window.broken") is None
    page.locator("button.key").first.click()
    assert page.locator("path.mean").count() == 1


def test_missing_values_leave_gaps(opened):
    nan, inf = float("nan"), float("inf")
    holes = Curve("BTS", *np.array([[1, 2, 3, 4, 5], [1, 2, nan, 2, 3], [0, 1, nan, -inf, 2], [2, 3, nan, inf, 4]]), 1)
    page = opened([Figure("f", [Panel("p", [holes], optimum=nan), Panel("empty", [])]), Figure("none", [])])
    path = page.locator("path.mean").get_attribute("d")
    assert path.count("M") == 2
    assert "NaN" not in path
    page.locator(".panel svg").first.focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    assert tip_rows(page) == {"BTS": ["2.000", ""]}


def test_tables_align_numbers_to_the_right(opened):
    rows = [["UCT", "0.25", "0.20 ± 0.03", "holds"], ["3", "\u22121,000", "\u2013", "7"]]
    page = opened([], [Table("t", ["who", "mean", "interval", "claim"], rows)])
    aligned = "nodes => nodes.map(node => getComputedStyle(node).textAlign)"
    for row in ("thead tr", "tbody tr:first-child"):
        assert page.locator(f"{row} > *").evaluate_all(aligned) == ["left", "right", "right", "left"]


def test_narrow_windows_and_dark_ones(opened):
    inside = "document.documentElement.scrollWidth <= innerWidth"
    background = "getComputedStyle(document.body).backgroundColor"
    stroke = "getComputedStyle(document.querySelector('path.mean')).stroke"
    page = opened(TWO)
    wide, light, ink = points(page, "UCT"), page.evaluate(background), page.evaluate(stroke)
    before = page.locator(".panel svg").first.get_attribute("viewBox")
    page.set_viewport_size({"width": 480, "height": 800})
    page.wait_for_selector(f"section:first-of-type .panel svg:not([viewBox='{before}'])", state="attached")
    assert page.evaluate(inside)
    assert points(page, "UCT")[-1, 0] < 480 < wide[-1, 0]
    point_at(page, 90_000)
    frame = page.locator(".tip").bounding_box()
    assert frame["x"] >= 0
    assert frame["x"] + frame["width"] <= 480
    dark = opened(TWO, color_scheme="dark")
    assert dark.evaluate(background) != light
    assert dark.evaluate(stroke) != ink


def test_the_page_is_one_small_file(tmp_path):
    path = tmp_path / "new" / "report.html"
    seven = [curve(name, points=2000) for name in ALGORITHMS]
    write_page(path, "t", [Figure("f", [Panel("p", seven, 0.83)])], [], [])
    assert path.stat().st_size < 200_000
    many = [Panel(f"panel {i}", seven, 0.83) for i in range(28)]
    write_page(path, "t", [Figure("f", many, 7)], [], [])
    assert path.stat().st_size < 3_000_000
    write_page(path, "t", [Figure("f", many, 7)] * 6, [], [])
    assert path.stat().st_size < 3_000_000
    text = path.read_text(encoding="utf-8")
    assert set(re.findall(r"https?://[^\"' ]+", text)) == {"http://www.w3.org/2000/svg"}
    data = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.S).group(1))
    assert len(data["figures"]) == 6


def test_thinning_keeps_both_axes_full():
    trials = np.arange(0, 100_001, 10)
    full = Curve("BTS", trials, trials / 7, trials / 8, trials / 6, repeats=5)
    few = thin(full, 300)
    assert 200 < len(few.trials) <= 300
    assert (few.trials[0], few.trials[-1], few.repeats) == (0, 100_000, 5)
    np.testing.assert_array_equal(few.mean, few.trials / 7)
    np.testing.assert_array_equal(few.high, few.trials / 6)
    assert np.diff(few.trials).max() < 1000
    assert np.diff(np.log(few.trials[few.trials >= 200])).max() < 0.1
    assert thin(few, 300) is few
    assert len(thin(Curve("x", np.zeros(9), *np.zeros((3, 9)), repeats=1), 4).trials) <= 4


def test_captions_say_how_many_repeats():
    def panel(*repeats):
        return Panel("", [Curve("x", *np.zeros((4, 1)), repeats=count) for count in repeats])

    assert caption(Figure("", [panel(1)])).endswith("of 1 repeat")
    assert caption(Figure("", [panel(20, 25), panel(10)])).endswith("of 10 to 25 repeats")
    assert caption(Figure("", [])) == ""
