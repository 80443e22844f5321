// The page: pictures side by side under one slider, what happened in words, curves of the root, the trees.

const points = [...new Set(report.searches.flatMap((search) => search.trials))].sort((a, b) => a - b);
const INTERVAL = 150; // milliseconds a moment is shown while playing
let place = points.length - 1;
let timer = null;

const momentOf = (search) => Math.max(0, search.trials.findLastIndex((trials) => trials <= points[place]));

function cardHead(search) {
  return html("header", { class: "who-head" }, swatch(search.look), html("h3", {}, search.label), html("span", { class: "caption" }, search.parameters));
}

// ---- a search at a moment, in words

function readings(search) {
  const list = html("dl", { class: "readings" });
  const show = (moment) => {
    const line = search.line[moment].map(named);
    const best = search.recommended[moment];
    const rows = [
      ["recommends", best === null ? "–" : named(best)],
      ["value", precise(search.value[moment])],
      ["nodes", grouped(search.nodes[moment])],
      ["recommended line", line.length ? line.join(" → ") : "–"],
    ];
    list.replaceChildren(...rows.map(([head, text]) => html("div", {}, html("dt", {}, head), html("dd", {}, text))));
  };
  return { list, show };
}

// ---- the slider

const slider = html("input", { type: "range", min: 0, max: points.length - 1, step: 1, "aria-label": "trials" });
const play = html("button", { type: "button", class: "key play" }, "▶ play");
const count = html("output", { class: "count" });

function show(next) {
  place = Math.max(0, Math.min(points.length - 1, next));
  scale.trials = points[place];
  slider.value = place;
  slider.setAttribute("aria-valuetext", `${grouped(points[place])} trials`);
  count.textContent = `${grouped(points[place])} ${points[place] === 1 ? "trial" : "trials"}`;
  for (const part of parts) part.show(momentOf(part.search));
  for (const chart of charts) {
    chart.now = points[place];
    for (const panel of chart.panels) mark(chart, panel);
  }
  for (const legend of legends) legend();
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

// ---- what colours and bars mean

const legends = [];

function modes(range) {
  if (!report.scene) return [];
  const group = html("div", { class: "keys", role: "group", "aria-label": "what pictures show" });
  for (const [mode, words] of [["visits", "visits"], ["value", report.scene.kind === "board" ? "Q" : "values"]]) {
    const button = html("button", { type: "button", class: "key mode", "data-mode": mode, "aria-pressed": String(mode === scale.mode) }, words);
    button.addEventListener("click", () => {
      scale.mode = mode;
      document.body.dataset.mode = mode;
      for (const other of group.children) other.setAttribute("aria-pressed", String(other === button));
      show(place);
    });
    group.append(button);
  }
  document.body.dataset.mode = scale.mode;
  if (report.scene.kind !== "grid") return [group];
  const [low, high] = [html("span"), html("span")];
  legends.push(() => {
    const byValue = scale.mode === "value";
    low.textContent = byValue ? precise(range[0]) : "1 visit";
    high.textContent = byValue ? precise(range[1]) : grouped(points[place]);
  });
  return [group, html("span", { class: "scale-bar" }, low, html("span", { class: "ramp", "aria-hidden": "true" }), high)];
}

// ---- the page

const { range, made } = pictures();
const parts = [];
const cards = report.searches.map((search, i) => {
  const words = readings(search);
  parts.push({ search, show: (moment) => { made[i].show(moment); words.show(moment); } });
  return html("article", { class: "card" }, cardHead(search), html("div", { class: "frame" }, made[i].node), words.list);
});
const controls = html("div", { class: "controls" });
if (points.length > 1) controls.append(play, slider, count);
controls.append(...modes(range));

const main = document.getElementById("report");
main.classList.add("wide");
const kind = report.scene?.kind ?? "none";
main.replaceChildren(
  html("h1", {}, report.title),
  ...(report.notes ?? []).map((note) => html("p", {}, note)),
  controls,
  html("section", { class: `cards ${kind}`, id: "pictures" }, ...cards),
  ...(report.says ?? []).length ? [html("section", { id: "says" }, html("h2", {}, "What happened"), ...report.says.map(said))] : [],
  ...report.figures.map(figure),
  html("section", { id: "trees" }, html("h2", {}, "The trees"), html("div", { class: "cards tree-cards" }, ...report.searches.map(makeTree))),
);
document.body.append(tip);

function said({ label, verdict, sentences }) {
  const look = report.searches.find((search) => search.label === label).look;
  const head = html("h3", {}, swatch(look), verdict);
  return html("article", { class: "said", "data-label": label }, head, ...sentences.map((sentence) => html("p", {}, sentence)));
}

// a click in a figure goes to that moment
for (const panel of charts.flatMap((chart) => chart.panels)) {
  panel.node.addEventListener("click", () => {
    const trials = panel.grid[panel.place];
    pause();
    show(points.findLastIndex((point) => point <= trials));
  });
}
show(place);
