"""The page, as a browser shows it."""

from __future__ import annotations

import re
import time
from dataclasses import replace

import pytest
from watched import LIMIT, both, data_in, dents, playing, proving

import boltree as bt

HOSTILE = "</script><img src=x onerror=window.broken=1>"


@pytest.fixture
def opened(visit, tmp_path):
    """Watches searches and opens the page."""

    def look(searches, trials=None, **options):
        return visit(bt.watch(searches, trials).save(tmp_path / "search.html"), **options)

    return look


def cells(page, kind="number", card=0):
    return page.locator("#pictures .card").nth(card).locator(f".{kind}").all_text_contents()


def to(page, place):
    """Move the slider."""
    page.locator("input[type=range]").fill(str(place))


def test_the_slider_moves_everything(opened):
    searches = both(bt.problems.DChain(10))
    page = opened(searches, 10_000)
    data = data_in(page.content())
    assert page.title() == page.locator("h1").inner_text() == "DChain: UCT and DENTS"
    assert page.locator(".count").inner_text() == "10,000 trials"
    uct, dents_picture = (one["picture"] for one in data["searches"])
    assert cells(page, "leaves")[:3] == ["9.7k", str(uct["left"][-1][1]), str(uct["left"][-1][2])]
    assert cells(page)[-1] == "0"
    assert cells(page, card=1)[-1] == str(dents_picture["visits"][-1][-1])
    assert page.locator(".way.best").count() == 7 + 10
    marks = "nodes => nodes.map(node => node.getAttribute('d'))"
    now = page.locator("path.now").evaluate_all(marks)
    to(page, 5)
    trials = data["searches"][0]["trials"][5]
    assert page.locator(".count").inner_text() == f"{trials} trials"
    assert cells(page) == [str(count) for count in uct["visits"][5]]
    assert cells(page, card=1) == [str(count) for count in dents_picture["visits"][5]]
    assert page.locator("path.now").evaluate_all(marks) != now
    page.locator("input[type=range]").press("ArrowLeft")
    assert cells(page) == [str(count) for count in uct["visits"][4]]
    page.locator("input[type=range]").press("End")
    assert page.locator(".count").inner_text() == "10,000 trials"


def test_play_runs_through_and_stops(opened):
    page = opened(both(bt.problems.DChain(5), dents()), 12)
    page.clock.install()
    page.clock.pause_at(time.time() + 1_000_000)  # from now on time passes in the page when it is told to
    play = page.locator("button.play")
    play.click()
    assert "pause" in play.inner_text()
    page.clock.run_for(60_000)
    assert page.locator(".count").inner_text() == "12 trials"
    assert "play" in play.inner_text()
    play.click()  # from the beginning, as it was at the end
    page.clock.run_for(250)
    play.press("Enter")
    assert "play" in play.inner_text()
    paused = page.locator(".count").inner_text()
    assert paused != "12 trials"
    page.clock.run_for(60_000)
    assert page.locator(".count").inner_text() == paused


def test_a_click_in_a_figure_goes_there(opened):
    page = opened(both(bt.problems.DChain(5)), 1_000)
    panel = page.locator(".panel svg").first
    panel.scroll_into_view_if_needed()
    frame = panel.bounding_box()
    page.mouse.click(frame["x"] + 0.6 * frame["width"], frame["y"] + 60)
    tip = page.locator(".tip strong").inner_text()
    assert page.locator(".count").inner_text() == tip
    assert tip != "1,000 trials"


def test_why_uct_stalls_is_on_the_page(opened):
    page = opened(both(bt.problems.DChain(10)), 10_000)
    assert page.locator("#said h3").all_inner_texts() == ["UCT stalls", "DENTS finds the far end"]
    assert "it never reached the far end" in page.locator(".said").first.inner_text()
    assert page.locator("#said > p").inner_text().startswith("A chain of 10 states.")


def test_cells_of_a_grid(opened):
    searches = both(bt.problems.FrozenLake("8x8"), dents(alpha=0.1), bt.UCT())
    page = opened(searches, 2_000)
    data = data_in(page.content())
    shown = data["searches"][0]["picture"]
    picture = page.locator("#pictures .picture").first
    assert picture.locator(".place").count() == 64
    assert set(picture.locator(".letter").all_text_contents()) == {"S", "H", "G"}
    assert picture.locator(".arrow").count() == sum(action >= 0 for action in shown["action"][-1])
    picture.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    [place] = [i for i, cell in enumerate(data["scene"]["cells"]) if cell == [1, 0]]
    rows = page.locator(".tip tr").all_inner_texts()
    assert page.locator(".tip strong").inner_text() == "row 2, column 1"
    assert rows[0] == f"visits\t{shown['visits'][-1][place]:,}"
    assert rows[2] == f"recommended\t{data['names'][shown['action'][-1][place]]}"
    page.keyboard.press("Escape")
    assert page.locator(".tip").is_hidden()
    page.locator("button[data-mode=values]").click()
    value = shown["value"][-1][place]
    assert cells(page)[8] == f"{value:.2f}"
    assert page.locator("button[data-mode=values]").get_attribute("aria-pressed") == "true"
    goal = data["scene"]["cells"].index([7, 7]) if [7, 7] in data["scene"]["cells"] else None
    assert goal is None or shown["value"][-1][goal] is None


def test_boards(opened):
    game = bt.go.Game(size=5)
    game.play("C3")
    search = bt.Search(game.problem, bt.UCT(), state=game.state, seed=0)
    page = opened([search], 300)
    assert page.locator(".stone.black").count() == 1
    assert page.locator(".place").count() == 24
    best = page.locator(".place.best")
    assert best.get_attribute("data-action") == str(search.recommend())
    best.hover()
    visits = search.root.visits[list(search.root.actions).index(search.recommend())]
    assert page.locator(".tip strong").inner_text() == game.problem.action_name(search.recommend())
    assert page.locator(".tip tr").first.inner_text() == f"visits\t{visits:,}"
    assert page.locator(".frame .caption").inner_text().startswith("pass: ")
    four = opened([bt.Search(bt.problems.ConnectFour("33"), bt.UCT(), seed=0)], 100)
    assert four.locator(".sign").all_text_contents() == ["O", "X"]


def test_the_tree_unfolds_by_clicking(opened):
    search = bt.Search(bt.problems.DChain(6), dents(), seed=0, growth="trial")
    page = opened([search], 2_000)
    rows = page.locator(".tree .row")
    assert [row.split("\n")[0] for row in rows.all_inner_texts()] == ["root", "right ★", "left"]
    first = rows.nth(1).locator(".value").all_inner_texts()
    assert first[0] == f"{search.root.visits[1]:,}"
    assert float(first[1]) == pytest.approx(search.root.q[1], rel=1e-3)
    assert float(first[2]) == pytest.approx(search.root.policy[1], abs=6e-4)
    rows.nth(1).click()
    assert rows.count() == 5
    child = search.node([1])
    assert rows.nth(2).locator(".value").first.inner_text() == f"{child.visits.max():,}"
    assert page.locator(".state-text").inner_text() == search.problem.show_state(child.state)
    rows.nth(1).click()
    assert rows.count() == 3
    page.get_by_text("unfold the recommended line").click()
    assert page.locator(".tree .row.best").count() == 6
    assert rows.last.locator(".value").last.inner_text() == "ends"
    page.get_by_text("fold", exact=True).click()
    assert rows.count() == 3


def test_the_tree_unfolds_by_keys(opened):
    search = bt.Search(bt.problems.Sailing(4), bt.UCT(), seed=0)
    page = opened([search], 2_000)
    tree = page.locator("[role=tree]")
    chosen = tree.locator("[aria-selected=true]")

    def head():
        return chosen.locator(".who").first.inner_text().strip()

    tree.locator("[tabindex='0']").focus()
    assert head() == "root"
    page.keyboard.press("ArrowDown")
    action = int(search.root.actions[search.root.visits.argmax()])
    assert head().startswith(search.problem.action_name(action))
    page.keyboard.press("ArrowRight")
    assert chosen.get_attribute("aria-expanded") == "true"
    page.keyboard.press("ArrowRight")  # into the outcomes
    assert chosen.get_attribute("aria-level") == "3"
    assert chosen.locator(".value").first.inner_text() == f"{max(c.count for c in search.children[action]):,}"
    page.keyboard.press("Enter")
    assert chosen.get_attribute("aria-expanded") == "true"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert chosen.get_attribute("aria-level") == "2"
    page.keyboard.press("End")
    assert chosen.get_attribute("aria-level") == "2"
    page.keyboard.press("Home")
    assert head() == "root"
    page.keyboard.press("ArrowLeft")
    assert tree.locator(".row").count() == 1
    assert page.evaluate("document.activeElement.getAttribute('role')") == "treeitem"


def seconds_to_open(page) -> float:
    """What the page's own thread computes until it is there: other work on the machine does not count."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.reload()
    metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    session.detach()
    assert metrics["TaskDuration"] > 0.0
    return metrics["TaskDuration"]


def test_a_million_nodes_open_at_once(visit, tmp_path):
    search = bt.Search(bt.problems.FrozenLake(), dents(alpha=0.1, epsilon=1.0), seed=0, growth="trial")
    search.run(trials=1_000)
    while search.size < 1_000_000:
        search.run(trials=10_000)
    other = bt.Search(bt.problems.FrozenLake(), bt.UCT(), seed=0, growth="trial")
    other.run(trials=20_000)
    path = bt.watch([search, other], trials=100).save(tmp_path / "search.html")
    assert path.stat().st_size < LIMIT
    page = visit(path, offline=True)
    assert min(seconds_to_open(page) for _ in range(3)) < 0.5
    page.get_by_text("unfold the recommended line").first.click()
    assert page.locator(".tree").first.locator(".row").count() > 40
    assert re.search(r"of 1,\d\d\d,\d\d\d nodes", page.locator("#trees .caption").nth(1).inner_text())


class Named(bt.PythonProblem):
    actions, horizon, deterministic = 2, 3, True
    action_names = (HOSTILE, "__proto__")

    def start(self, rng):
        return HOSTILE

    def step(self, state, action, rng):
        return state + str(action), float(action), False


def test_hostile_names_are_text_and_no_scene_is_no_picture(opened):
    page = opened([bt.Search(Named(), bt.UCT(), seed=0)], 50)
    assert page.locator(".picture").count() == 0
    assert page.locator(".frame pre").inner_text() == repr(HOSTILE)
    assert set(page.locator("button.key[data-label]").first.all_inner_texts()) == {HOSTILE}
    page.get_by_text("unfold the recommended line").click()
    assert page.locator(".tree .row").count() == 7
    assert page.evaluate("window.broken") is None
    assert page.locator("img").count() == 0
    to(page, 3)


def test_the_tree_as_it_is_now_has_no_slider(opened):
    search = bt.Search(bt.problems.FrozenLake("8x8"), bt.UCT(), seed=0)
    search.run(trials=200)
    page = opened([search])
    assert page.locator("input[type=range], .panel").count() == 0
    assert page.locator(".place").count() == 64
    page.locator("button[data-mode=values]").click()


def test_narrow_and_dark(opened):
    searches = both(bt.problems.FrozenLake("8x8"))
    background = "getComputedStyle(document.body).backgroundColor"
    page = opened(searches, 300)
    light = page.evaluate(background)
    page.set_viewport_size({"width": 400, "height": 800})
    page.wait_for_function("innerWidth === 400")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    chain = opened(both(bt.problems.DChain(20)), 100, viewport={"width": 400, "height": 800}, color_scheme="dark")
    assert chain.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert chain.evaluate(background) != light


def test_a_notebook_shows_the_page_in_a_frame(visit, tmp_path):
    page = bt.watch(both(bt.problems.DChain(4)), trials=100)
    path = tmp_path / "notebook.html"
    path.write_text(f"<!doctype html><meta charset=utf-8><link rel=icon href='data:,'>{page._repr_html_()}")
    frame = visit(path).frame_locator("iframe")
    assert frame.locator("h1").inner_text() == "DChain: UCT and DENTS"
    frame.locator("button.play").click()
    assert set(re.findall(r"https?://[^\"' ]+", page.html)) == {"http://www.w3.org/2000/svg"}


def test_letters_are_explained_and_the_optimum_stands_beside_the_value(opened):
    page = opened(both(bt.problems.FrozenLake(("SF", "HG"))), 50)
    assert page.locator(".legend span").all_inner_texts() == [
        "S\nstart",
        "G\ngoal",
        "H\nhole, which ends a trial with 0 (hatched)",
    ]
    assert page.locator(".legend .letter").all_text_contents() == ["S", "G", "H"]
    assert page.locator(".legend .solid").count() == 1
    assert "exact optimum" in page.locator(".readings").first.inner_text()
    assert "0.9801" in page.locator(".readings").first.inner_text()
    assert page.locator("#said > p").inner_text().startswith("A grid of 2 x 2 cells.")


def test_what_is_proven_is_marked_with_a_word(opened):
    search = playing(bt.problems.ConnectFour("3344"))
    page = opened([search], 1_000)
    assert page.locator(".place.proven").get_attribute("data-action") == "5"
    assert page.locator(".place.proven .proof").text_content() == "✓"
    assert "1.000 ✓ proven" in page.locator(".readings").inner_text()
    page.locator(".place.proven").hover()
    assert page.locator(".tip tr").last.inner_text() == "surely within\t✓ proven"
    bounds = page.locator(".tree .bounds").all_inner_texts()
    assert bounds[0] == "✓ proven"
    assert set(bounds) == {"✓ proven", "−1 to 1"}
    assert "is proven, after 49 trials." in page.locator("#said").inner_text()
    to(page, 0)
    assert page.locator(".place.proven").count() == 0
    assert "surely within\n−1 to 1" in page.locator(".readings").inner_text()


def test_a_band_from_the_lower_to_the_upper_bound(opened):
    problem = bt.problems.Sailing(5)
    page = opened([proving(problem), *both(problem, bt.UCT(), growth="leaf")], 4_000)
    figure = page.locator("section.figure, section.narrow").filter(has_text="Value of the root, and its bounds")
    assert "where the band closes, the value is proven" in figure.inner_text()
    proofs, uct = figure.locator("path.band").evaluate_all("bands => bands.map(band => band.getAttribute('d'))")
    assert proofs.startswith("M")
    assert uct == ""
    points = [tuple(map(float, point.split())) for point in proofs.strip("MZ").split("L")]
    (_, last), (_, again) = points[len(points) // 2 - 1], points[len(points) // 2]
    assert last == again  # it closes
    assert points[0][1] > points[-1][1]  # and was open: further down lies less
    figure.locator(".panel svg").focus()
    page.keyboard.press("Home")
    assert "…" in page.locator(".tip tr[data-label=BTS]").inner_text()
    cells = page.locator("#pictures .card").nth(0).locator(".place.proven")
    assert cells.count() > 0
    assert page.locator("#pictures .card").nth(1).locator(".place.proven").count() == 0
    page.set_viewport_size({"width": 400, "height": 800})
    page.wait_for_function("innerWidth === 400")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator(".tree .bounds").first.is_visible()


def test_bounds_that_lie_far_away_end_at_the_edge(opened):
    page = opened([proving(bt.problems.FrozenLake("8x8"))], 5)
    figure = page.locator("section").filter(has_text="Value of the root, and its bounds").first
    numbers = [float(text) for text in figure.locator("svg text").all_text_contents() if text[0].isdigit()]
    assert max(numbers) < 10  # the upper bound is the number of steps left
    figure.locator(".panel svg").focus()
    page.keyboard.press("Home")
    assert re.search(r"0 … \d\d", page.locator(".tip tr[data-label=BTS]").inner_text())
    page.locator("label", has_text="simple regret").locator("input").first.check()
    assert figure.locator("path.band").get_attribute("d").startswith("M")


def test_states_of_a_chain_are_marked(opened):
    page = opened([proving(bt.problems.DChain(4))], 1_000)
    assert page.locator(".place.proven").count() == 4
    to(page, 0)
    assert page.locator(".place.proven").count() == 0


def test_a_belief_is_drawn_over_its_grid(opened):
    """In percent, where Tag's opponent is; without visits and values of cells, which histories do not have."""
    problem = bt.problems.Tag()
    states = [{"robot": 3, "opponent": cell, "last": 5, "met": 0} for cell in (0, 1, 12)]
    belief = bt.Belief(problem, states=states, weights=[2.0, 1.0, 1.0])
    search = bt.Search(problem, bt.UCT(), belief=belief, seed=0)
    page = opened([search, bt.Search(problem, bt.BTS(), seed=0)], 100)
    scene, shown = data_in(page.content())["scene"], data_in(page.content())["searches"][0]["picture"]
    assert scene["kind"] == "belief"
    assert len(scene["cells"]) == 29
    probable = {tuple(cell): p for cell, p in zip(scene["cells"], shown["probability"], strict=True) if p}
    assert probable == {(4, 0): 0.5, (4, 1): 0.25, (3, 2): 0.25}
    assert sorted(text for text in cells(page) if text) == ["25%", "25%", "50%"]
    assert {text for text in cells(page, card=1) if text} <= {f"{k / 10:g}%" for k in range(28, 42)}
    assert page.locator("button[data-mode]").count() == 0
    page.locator("#pictures .card").first.locator(".place", has_text="50%").hover()
    assert page.locator(".tip").inner_text().replace("\n", " ").startswith("row 5, column 1 probability")
    to(page, 0)
    assert page.locator(".count").inner_text() == "1 trial"


def test_a_state_may_lie_in_several_cells(opened):
    """Rocks: each is good or not by itself, so that shares are not of one whole; a state without any lies nowhere."""
    problem = bt.problems.RockSample(4, [(0, 0), (3, 3)])
    drawn = problem.start_state(0)
    states = []
    for good in (0, 1, 3, 3):
        drawn["good"] = good
        states.append(drawn.copy())
    search = bt.Search(problem, bt.UCT(), belief=bt.Belief(problem, states=states), seed=0)
    data = data_in(opened([search], 20).content())
    assert data["scene"]["cells"] == [[0, 3], [3, 0]]
    assert data["searches"][0]["picture"] == {"probability": [0.5, 0.75], "nowhere": 0.0}


def test_states_in_no_cell_are_counted(opened):
    class Gone(bt.problems.Tag):
        def scene(self):
            return replace(super().scene(), hidden=None, cell=lambda state: None if state.robot else (4, 0))

    problem = Gone()
    belief = bt.Belief(problem, states=[(0, 3, 5, 0), (1, 3, 5, 0), (2, 3, 5, 0), (0, 3, 5, 0)])
    page = opened([bt.Search(problem, bt.UCT(), belief=belief, seed=0)], 20)
    assert page.locator(".frame .caption").inner_text() == "In no cell: 50%."
