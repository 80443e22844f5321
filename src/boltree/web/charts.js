// Curves with their intervals, a crosshair, switches for curves and axes.

const hidden = new Set(); // labels that are switched off, on the whole page
const charts = [];
const tip = html("div", { class: "tip", hidden: "", "aria-live": "polite" });

// ---- axes

function axis(log, low, high, from, to) {
  const bent = log ? Math.log10 : (value) => value;
  const slope = (to - from) / (bent(high) - bent(low) || 1);
  return { log, low, high, at: (value) => from + (bent(value) - bent(low)) * slope };
}

function ticks({ log, low, high }, wanted) {
  if (log) {
    const [found, finer] = [powers(low, high, [1]), powers(low, high, [1, 2, 5])];
    const every = Math.ceil(found.length / wanted);
    if (finer.length > 1 && (finer.length <= wanted || found.length < 2)) return finer;
    if (found.length > 1) return found.filter((_, place) => (found.length - 1 - place) % every === 0);
  }
  const rough = (high - low) / wanted || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((size) => size * power).find((size) => size >= rough * 0.999);
  const found = [];
  for (let place = Math.ceil(low / step - 1e-9); place * step <= high + step * 1e-9; place++) found.push(place * step);
  return found;
}

function powers(low, high, digits) {
  const found = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++) {
    for (const digit of digits) {
      const value = digit * 10 ** power;
      if (value >= low * 0.999 && value <= high * 1.001) found.push(value);
    }
  }
  return found;
}

function span(values, otherwise) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : otherwise;
}

function horizontal(chart) {
  const all = chart.spec.panels.flatMap((panel) => panel.curves.flatMap((curve) => curve.x)).filter(known);
  if (chart.log) return span(all.filter((x) => x > 0), [1, 10]);
  const [low, high] = span(all, [0, 1]);
  return [low > 0 && low < 0.1 * high ? 0 : low, high];
}

function vertical(chart) {
  const seen = chart.spec.panels.flatMap((panel) => shown(panel).map((curve) => view(chart, panel, curve)));
  const all = seen.flatMap((curve) => [curve.low, curve.mean, curve.high]).flat().filter(known);
  if (chart.regret) {
    // a regret of 0 has no place on a logarithmic axis: it lies on the lower edge
    const above = all.filter((value) => value > 0);
    const means = seen.flatMap((curve) => curve.mean).filter((value) => known(value) && value > 0);
    const [, high] = span(above, [0, 1]);
    const [low] = span(means, [high / 1000, 0]);
    return [Math.max(low, high * 1e-6) * 0.8, high * 1.15];
  }
  const optima = chart.spec.panels.map((panel) => panel.optimum).filter(known);
  const near = chart.spec.open ? nearby(all, seen.flatMap((curve) => curve.mean).filter(known)) : all;
  const [low, high] = span([...near, ...optima], [0, 1]);
  const room = (high - low || 1) * 0.06;
  return [low - room, high + room];
}

// bounds may lie so far away that all values would look alike
function nearby(all, values) {
  const [low, high] = span(values, [0, 1]);
  const size = high - low || Math.abs(high) || 1;
  return all.filter((value) => value >= low - size && value <= high + size);
}

// ---- curves

const shown = (panel) => panel.curves.filter((curve) => !hidden.has(curve.label));

function view(chart, panel, curve) {
  if (!chart.regret) return curve;
  const turn = (value) => (known(value) && known(panel.optimum) ? panel.optimum - value : null);
  return { ...curve, mean: curve.mean.map(turn), low: curve.high.map(turn), high: curve.low.map(turn) };
}

// pieces of a curve without gaps, as pixels
function pieces(curve, keys, x, y) {
  const found = [];
  let piece = null;
  curve.x.forEach((trials, i) => {
    const good = known(trials) && !(x.log && trials <= 0) && keys.every((key) => known(curve[key][i]));
    if (!good) piece = null;
    else {
      if (!piece) found.push((piece = []));
      const heights = keys.map((key) => y.at(y.log ? Math.max(curve[key][i], y.low) : curve[key][i]));
      piece.push([x.at(trials), ...heights].map((pixel) => pixel.toFixed(1)));
    }
  });
  return found;
}

const line = (points) => "M" + points.map(([x, y]) => `${x} ${y}`).join("L");
const band = (points) => line([...points, ...points.map(([x, , high]) => [x, high]).reverse()]) + "Z";

// bounds that are not known, or lie outside of the picture, are drawn at its edge
function opened(curve, y) {
  const inside = (value, edge) => (known(value) ? Math.max(y.low, Math.min(y.high, value)) : edge);
  const [low, high] = [curve.low.map((value) => inside(value, y.low)), curve.high.map((value) => inside(value, y.high))];
  return { ...curve, low, high };
}

// what the drawn line shows at x
function reading(curve, x) {
  const i = curve.x.findIndex((trials) => trials >= x);
  if (i < 0 || (i === 0 && curve.x[0] !== x)) return null;
  const share = curve.x[i] === x ? 1 : (x - curve.x[i - 1]) / (curve.x[i] - curve.x[i - 1]);
  const between = (values) => {
    const [before, after] = [share < 1 ? values[i - 1] : values[i], values[i]];
    return known(before) && known(after) ? before + (after - before) * share : null;
  };
  return { label: curve.label, mean: between(curve.mean), low: between(curve.low), high: between(curve.high) };
}

// ---- drawing

function draw(chart) {
  const columns = Math.max(1, Math.min(chart.spec.columns, chart.spec.panels.length, Math.floor(chart.width / 150)));
  const width = Math.floor((chart.width - 8 * (columns - 1)) / columns);
  const height = Math.round(columns > 2 ? width * 0.75 : Math.min(480, Math.max(240, width * 0.52)));
  chart.grid.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
  chart.grid.classList.toggle("small", width < 400);
  chart.yLabel.textContent = chart.regret ? "simple regret (optimum − value)" : chart.spec.y_label;
  const sides = { x: horizontal(chart), y: vertical(chart) };
  for (const panel of chart.panels) drawPanel(chart, panel, width, height, sides);
}

function drawPanel(chart, panel, width, height, sides) {
  const y = axis(chart.regret, ...sides.y, height - 22, 8);
  const yTicks = ticks(y, height < 220 ? 4 : 7);
  const left = 12 + 6.6 * Math.max(1, ...yTicks.map((value) => short(value).length));
  const right = width - 14;
  const x = axis(chart.log, ...sides.x, left, right);
  const node = panel.node;
  node.replaceChildren();
  node.setAttribute("height", height);
  node.setAttribute("viewBox", `0 0 ${width} ${height}`);
  for (const value of yTicks) {
    node.append(svg("path", { class: "grid", d: `M${left} ${y.at(value)}H${right}` }));
    node.append(svg("text", { x: left - 6, y: y.at(value) + 4, "text-anchor": "end" }, short(value)));
  }
  for (const value of ticks(x, Math.max(2, Math.floor((right - left) / 70)))) {
    node.append(svg("path", { class: "edge", d: `M${x.at(value)} ${height - 22}v4` }));
    node.append(svg("text", { x: x.at(value), y: height - 6, "text-anchor": "middle" }, short(value)));
  }
  node.append(svg("path", { class: "edge", d: `M${left} ${height - 22}H${right}` }));
  const optimum = panel.spec.optimum;
  if (known(optimum) && !chart.regret) {
    node.append(svg("path", { class: "optimum", d: `M${left} ${y.at(optimum)}H${right}` }));
    const words = `optimum ${precise(optimum)}`;
    if (width >= 400) node.append(svg("text", { x: left + 4, y: y.at(optimum) - 5 }, words));
  }
  if (chart.regret && !known(optimum)) {
    node.append(svg("text", { x: (left + right) / 2, y: height / 2, "text-anchor": "middle" }, "optimum unknown"));
  }
  const seen = shown(panel.spec).map((curve) => view(chart, panel.spec, curve));
  const place = (name, curve, d) => {
    const path = svg("path", { class: name, "data-label": curve.label, d });
    node.append(styled(chart.looks.get(curve.label), path, name === "mean"));
  };
  for (const curve of seen) {
    const limits = chart.spec.open ? opened(curve, y) : curve;
    place("band", curve, pieces(limits, ["low", "high"], x, y).map(band).join(""));
  }
  for (const curve of seen) place("mean", curve, pieces(curve, ["mean"], x, y).map(line).join(""));
  const grid = [...new Set(seen.flatMap((curve) => curve.x))].filter((value) => known(value) && !(x.log && value <= 0));
  Object.assign(panel, { x, y, seen, width, height, grid: grid.sort((a, b) => a - b) });
  mark(chart, panel);
}

// the line where the page stands
function mark(chart, panel) {
  panel.node.querySelector(".now")?.remove();
  const { x, height } = panel;
  if (!known(chart.now) || !x || chart.now < x.low || chart.now > x.high) return;
  panel.node.append(svg("path", { class: "now", d: `M${x.at(chart.now).toFixed(1)} 8V${height - 22}` }));
}

// ---- the crosshair

function point(chart, panel, place) {
  leave(panel);
  if (!panel.grid.length) return;
  panel.place = Math.max(0, Math.min(panel.grid.length - 1, place));
  const trials = panel.grid[panel.place];
  const { x, y } = panel;
  const marks = svg("g", { class: "pointer" });
  marks.append(svg("path", { class: "cross", d: `M${x.at(trials)} 8V${panel.height - 22}` }));
  const rows = panel.seen.map((curve) => reading(curve, trials)).filter((row) => row && known(row.mean));
  rows.sort((a, b) => b.mean - a.mean); // as they lie in the picture
  const table = html("table");
  for (const row of rows) {
    const look = chart.looks.get(row.label);
    const height = y.at(y.log ? Math.max(row.mean, y.low) : row.mean);
    marks.append(styled(look, svg("circle", { class: "dot", cx: x.at(trials), cy: height, r: 4 }), false));
    const numbers = [precise(row.mean), interval(row)].map((text) => html("td", {}, text));
    table.append(html("tr", { "data-label": row.label }, html("th", {}, swatch(look), row.label), ...numbers));
  }
  panel.node.append(marks);
  const frame = panel.node.getBoundingClientRect();
  const words = `${grouped(trials)} ${chart.spec.x_label}`;
  showTip([html("strong", {}, words), table], frame.left + x.at(trials), frame.top + 8);
}

function interval({ low, high }) {
  if (known(low) && known(high)) return `${precise(low)} … ${precise(high)}`;
  return known(low) ? `at least ${precise(low)}` : known(high) ? `at most ${precise(high)}` : "";
}

// beside a place on the screen, and inside the window
function showTip(content, across, top) {
  tip.replaceChildren(...content);
  tip.hidden = false;
  const [wide, high] = [tip.offsetWidth + 8, tip.offsetHeight + 8];
  const beside = across + 16 + wide < innerWidth ? across + 16 : across - 8 - wide;
  const left = Math.max(8, Math.min(beside, innerWidth - wide));
  tip.style.transform = `translate(${left}px, ${Math.max(8, Math.min(top, innerHeight - high))}px)`;
}

function leave(panel) {
  panel.node.querySelector(".pointer")?.remove();
  tip.hidden = true;
}

function nearest(panel, pixel) {
  let best = 0;
  panel.grid.forEach((trials, i) => {
    if (Math.abs(panel.x.at(trials) - pixel) < Math.abs(panel.x.at(panel.grid[best]) - pixel)) best = i;
  });
  return best;
}

function listen(chart, panel) {
  const { node } = panel;
  const move = (event) => point(chart, panel, nearest(panel, event.clientX - node.getBoundingClientRect().left));
  node.addEventListener("pointermove", move);
  node.addEventListener("pointerdown", move);
  node.addEventListener("pointerleave", () => leave(panel));
  node.addEventListener("blur", () => leave(panel));
  node.addEventListener("keydown", (event) => {
    const last = panel.grid.length - 1;
    const now = panel.place ?? Math.round(last / 2);
    const places = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: last };
    if (event.key === "Escape") return leave(panel);
    if (!Object.hasOwn(places, event.key)) return;
    event.preventDefault();
    point(chart, panel, places[event.key]);
  });
}

// ---- the page

function toggle(label) {
  if (!hidden.delete(label)) hidden.add(label);
  for (const button of document.querySelectorAll("button[data-label]")) {
    button.setAttribute("aria-pressed", String(!hidden.has(button.dataset.label)));
  }
  charts.forEach(draw);
}

function legend(chart) {
  const keys = chart.spec.looks.map((look) => {
    const key = html("button", { type: "button", class: "key", "data-label": look.label, "aria-pressed": "true" });
    key.append(swatch(look), html("span", {}, look.label));
    key.addEventListener("click", () => toggle(look.label));
    return key;
  });
  if (chart.spec.panels.some((panel) => known(panel.optimum))) {
    const dashes = svg("path", { class: "optimum", d: "M0 5H26" });
    const sample = svg("svg", { width: 26, height: 10, "aria-hidden": "true" }, dashes);
    keys.push(html("span", { class: "key" }, sample, "optimum"));
  }
  return html("div", { class: "keys", role: "group", "aria-label": "curves to show" }, ...keys);
}

function switcher(chart, name, words) {
  const box = html("input", { type: "checkbox", "data-axis": name });
  box.checked = chart[name];
  box.addEventListener("change", () => {
    chart[name] = box.checked;
    draw(chart);
  });
  return html("label", { class: "switch" }, box, words);
}

function figure(spec) {
  const chart = { spec, log: Boolean(spec.log), regret: false, width: 0, now: null };
  for (const curve of spec.panels.flatMap((panel) => panel.curves)) {
    curve.low ??= []; // a curve may have no interval
    curve.high ??= [];
  }
  chart.looks = new Map(spec.looks.map((look) => [look.label, look]));
  chart.yLabel = html("div", { class: "axis" });
  chart.panels = spec.panels.map((panel) => {
    const words = `${panel.title || spec.title}: ${spec.y_label} against ${spec.x_label}; arrow keys read the values`;
    return { spec: panel, node: svg("svg", { role: "img", tabindex: 0, "aria-label": words }) };
  });
  chart.panels.forEach((panel) => listen(chart, panel));
  chart.grid = html("div", { class: "panels" });
  chart.grid.append(...chart.panels.map(({ spec: { title }, node }) =>
    html("div", { class: "panel" }, ...(title ? [html("h3", {}, title)] : []), node)));
  const switches = html("div", { class: "switches" }, switcher(chart, "log", `log axis for ${spec.x_label}`));
  if (spec.panels.some((panel) => known(panel.optimum))) switches.append(switcher(chart, "regret", "simple regret"));
  const bar = html("div", { class: "bar" }, legend(chart), switches);
  charts.push(chart);
  new ResizeObserver(([entry]) => {
    const width = Math.floor(entry.contentRect.width);
    if (width === chart.width) return;
    chart.width = width;
    draw(chart);
  }).observe(chart.grid);
  const head = [html("h2", {}, spec.title), html("p", { class: "caption" }, spec.caption), bar];
  const body = [chart.yLabel, chart.grid, html("div", { class: "axis x" }, spec.x_label)];
  return html("section", { class: spec.columns > 1 ? "figure" : "figure narrow" }, ...head, ...body);
}
