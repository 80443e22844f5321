// The page: pictures side by side under one slider, what happened in words, curves of the root, the trees.

const { scene, searches } = report;
const points = [...new Set(searches.flatMap((search) => search.trials))].sort((a, b) => a - b);
const INTERVAL = 150; // milliseconds that a moment is shown while playing
let place = points.length - 1;
let timer = null;

function cardHead(search) {
  const words = html("span", { class: "caption" }, search.parameters);
  return html("header", { class: "card-head" }, swatch(search.look), html("h3", {}, search.label), words);
}

// ---- a search at a moment: its picture, and its root in words

const PICTURES = { grid: gridPicture, belief: beliefPicture, chain: chainPicture, board: boardPicture };
const WORDS = {
  grid:
    "Colour and number: a cell's visits, summed over all depths, or its mean value. " +
    "Arrow: the action most recommended there, by the visits of all depths together.",
  belief:
    "Colour and number: how probable it is, where the search begins, that what is hidden lies in the cell.",
  chain:
    "Bar: a state's visits, on a logarithmic scale, or its value. Below a state: what leaving there pays, and how " +
    "many trials left. Thick arrows: recommended actions.",
  board:
    "Disc: a move's share of the root's visits. Number: its visits, or its Q, in the first player's units. " +
    "Ring: the recommended move.",
};

const PROOFS = {
  grid: `${MARK}: ${PROVEN}, at every depth at which the search came there.`,
  chain: `${MARK}: the state's value is ${PROVEN}.`,
  board: `${MARK}: the move's value is ${PROVEN}.`,
};

function card(search) {
  const made = scene && PICTURES[scene.kind](search);
  const list = html("dl", { class: "readings" });
  const show = (moment) => {
    made?.show(moment);
    const line = search.line[moment];
    const best = search.recommended[moment];
    const bounds = search.bounds?.[moment];
    const readings = {
      recommends: best === null ? "–" : named(best),
      value: precise(search.value[moment]) + (bounds === PROVEN ? ` ${sure(bounds)}` : ""),
      ...(bounds && bounds !== PROVEN ? { [WITHIN]: sure(bounds) } : {}),
      ...(known(search.optimum) ? { "exact optimum": precise(search.optimum) } : {}),
      nodes: grouped(search.nodes[moment]),
      "recommended line": line.length < report.steps ? line.join(" → ") : `${line.join(" → ")} → …`,
    };
    const row = ([head, text]) => html("div", {}, html("dt", {}, head), html("dd", {}, text));
    list.replaceChildren(...Object.entries(readings).map(row));
  };
  const drawn = made?.node ?? html("pre", { class: "state-text" }, search.tree.nodes[0].state ?? "");
  const frame = html("div", { class: "frame" }, drawn);
  return { search, show, node: html("article", { class: "card" }, cardHead(search), frame, list) };
}

const momentOf = (search) => Math.max(0, search.trials.findLastIndex((trials) => trials <= points[place]));

// ---- the slider

const slider = html("input", { type: "range", min: 0, max: points.length - 1, step: 1, "aria-label": "trials" });
const play = html("button", { type: "button", class: "key play" }, "▶ play");
const count = html("output", { class: "count" });
const ends = [html("span"), html("span")]; // what the ends of the colours mean

function show(next) {
  place = Math.max(0, Math.min(points.length - 1, next));
  const words = `${grouped(points[place])} ${points[place] === 1 ? "trial" : "trials"}`;
  slider.value = place;
  slider.setAttribute("aria-valuetext", words);
  count.textContent = words;
  const visits = searches.map((search) => search.picture?.visits?.[momentOf(search)]);
  scale.visits = span(visits.flat().filter(known), [1, scale.visits])[1];
  const [low, high] = scale.mode === "visits" ? ["1 visit", grouped(scale.visits)] : scale.values.map(precise);
  ends[0].textContent = low;
  ends[1].textContent = high;
  for (const part of cards) part.show(momentOf(part.search));
  for (const chart of charts) {
    chart.now = points[place];
    for (const panel of chart.panels) mark(chart, panel);
  }
}

function pause() {
  clearInterval(timer);
  timer = null;
  play.textContent = "▶ play";
}

play.addEventListener("click", () => {
  if (timer) return pause();
  if (place === points.length - 1) show(0);
  play.textContent = "❚❚ pause";
  timer = setInterval(() => (place < points.length - 1 ? show(place + 1) : pause()), INTERVAL);
});
slider.addEventListener("input", () => {
  pause();
  show(Number(slider.value));
});

// ---- visits or values

function switchTo(mode) {
  scale.mode = mode;
  document.body.dataset.mode = mode;
  for (const button of document.querySelectorAll("[data-mode].key")) {
    button.setAttribute("aria-pressed", String(button.dataset.mode === mode));
  }
  show(place);
}

function modes() {
  const buttons = ["visits", "values"].map((mode) => {
    const words = mode === "values" && scene.kind === "board" ? "Q" : mode;
    const button = html("button", { type: "button", class: "key", "data-mode": mode, "aria-pressed": "false" }, words);
    button.addEventListener("click", () => switchTo(mode));
    return button;
  });
  const group = html("div", { class: "keys", role: "group", "aria-label": "what the pictures show" }, ...buttons);
  if (scene.kind !== "grid") return [group];
  return [group, html("span", { class: "ramp" }, ends[0], html("span", { "aria-hidden": "true" }), ends[1])];
}

// the same colours and heights for all searches at all moments
function valueRange() {
  const all = searches.flatMap((search) => search.picture?.value ?? []).filter(Boolean).flat();
  const [low, high] = span(all.filter(known), [0, 1]);
  return scene?.kind === "chain" ? [Math.min(0, low), Math.max(high, scene.final, ...scene.rewards)] : [low, high];
}

// ---- what happened, in words

function story({ intro, searches: all }) {
  const said = all.map(({ label: name, verdict, sentences }) => {
    const { look } = searches.find((search) => search.label === name);
    const texts = sentences.map((sentence) => html("p", {}, sentence));
    return html("article", { class: "said", "data-label": name }, html("h3", {}, swatch(look), verdict), ...texts);
  });
  return html("section", { id: "said" }, html("h2", {}, "What happened"), html("p", {}, intro), ...said);
}

// ---- the page

scale.values = valueRange();
const cards = searches.map(card);
const controls = html("div", { class: "controls" });
if (points.length > 1) controls.append(play, slider, count);
if (scene && scene.kind !== "belief") controls.append(...modes());
const proofs = searches.some((search) => search.bounds);
const long = scene?.kind === "chain" || scene?.columns > 14; // one below the other
const drawings = cards.map((part) => part.node);
const trees = html("div", { class: "cards" }, ...searches.map(makeTree));
const main = document.getElementById("report");
main.classList.add("wide");
main.replaceChildren(
  html("h1", {}, report.title),
  ...(controls.children.length ? [controls] : []),
  ...(scene ? [html("p", { class: "caption" }, WORDS[scene.kind] + (proofs ? ` ${PROOFS[scene.kind]}` : ""))] : []),
  ...(scene?.legend ? gridLegend() : []),
  html("section", { class: `cards as-${scene?.kind} ${long ? "long" : ""}`, id: "pictures" }, ...drawings),
  ...(report.said ? [story(report.said)] : []),
  ...report.figures.map(figure),
  html("section", { id: "trees" }, html("h2", {}, searches.length > 1 ? "The trees" : "The tree"), trees),
);
document.body.append(tip);
for (const panel of charts.flatMap((chart) => chart.panels)) {
  panel.node.addEventListener("click", () => {
    pause();
    show(points.findLastIndex((trials) => trials <= panel.grid[panel.place]));
  });
}
switchTo("visits");
