// What all pictures of a search share: their size, their scale, and places that can be pointed at.

const UNIT = 44; // of a cell, in a picture's own units
const scale = { mode: "visits", visits: 1, values: [0, 1] }; // what is shown; the most visits now; the range of values

// ---- what is proven, and bounds: words that come with the numbers, and a mark

const PROVEN = "proven";
const WITHIN = "surely within";
const MARK = "✓";
const sure = (bounds) => (bounds === PROVEN ? `${MARK} ${PROVEN}` : minuses(bounds ?? ""));

const named = (action) => report.names[action] ?? String(action);

// from 0 to 1, for visits by their logarithm
function shareOf(visits, value) {
  if (scale.mode === "visits") return visits > 0 ? (1 + Math.log(visits)) / (1 + Math.log(scale.visits)) : 0;
  const [low, high] = scale.values;
  return known(value) ? (value - low) / (high - low || 1) : 0;
}

// at most four letters
function brief(count) {
  const [unit, letter] = count >= 999_500 ? [1e6, "M"] : count >= 1e3 ? [1e3, "k"] : [1, ""];
  const scaled = count / unit;
  return (scaled >= 99.5 || unit === 1 ? Math.round(scaled) : Number(scaled.toPrecision(2))) + letter;
}

function briefValue(value) {
  const size = Math.abs(value);
  return minus(value.toFixed(size >= 99.5 ? 0 : size >= 9.95 ? 1 : 2));
}

// on a light ground only a strong colour needs light text, on a dark one a middling colour needs dark text
function tint(shape, mark, opacity) {
  shape.style.fillOpacity = opacity.toFixed(3);
  mark.classList.toggle("middling", opacity > 0.55);
  mark.classList.toggle("strong", opacity > 0.8);
}

function picture(width, height, words) {
  const label = { role: "img", tabindex: 0, "aria-label": `${words}; arrow keys read the numbers` };
  return svg("svg", { class: "picture", viewBox: `0 0 ${width} ${height}`, ...label });
}

const middleOf = (place) => place * UNIT + UNIT / 2 + 1;

function square(kind, row, column) {
  const corner = { x: column * UNIT + 2, y: row * UNIT + 2 };
  return svg("rect", { class: kind, ...corner, width: UNIT - 2, height: UNIT - 2, rx: 4 });
}

function label(kind, x, y, words = "") {
  return svg("text", { class: kind, x, y, "text-anchor": "middle" }, words);
}

// in the upper right corner of a cell
function proofMark(row, column) {
  return label("proof", middleOf(column) + 14, middleOf(row) - 10);
}

function showProof(mark, proven) {
  mark.querySelector(".proof").textContent = proven ? MARK : "";
  mark.classList.toggle(PROVEN, proven);
}

// places with a row, a column and a mark, to read with the mouse or the arrow keys; say gives a title and rows of texts
function readable(node, places, say) {
  let chosen = null;
  const leave = () => {
    chosen?.mark.classList.remove("chosen");
    chosen = null;
    tip.hidden = true;
  };
  const choose = (place) => {
    leave();
    chosen = place;
    place.mark.classList.add("chosen");
    const [title, rows] = say(place);
    const cells = (texts) => texts.map((text) => html("td", {}, text));
    const lines = rows.map(([head, ...texts]) => html("tr", {}, html("th", {}, head), ...cells(texts)));
    const frame = place.mark.getBoundingClientRect();
    showTip([html("strong", {}, title), html("table", {}, ...lines)], frame.right - 12, frame.bottom + 4);
  };
  const step = (down, right) => {
    const ahead = (place) => (place.row - chosen.row) * down + (place.column - chosen.column) * right;
    const aside = (place) => Math.abs((place.row - chosen.row) * right + (place.column - chosen.column) * down);
    const far = (place) => ahead(place) + 2 * aside(place);
    if (!chosen) return places.length && choose(places[0]);
    const next = places.filter((place) => ahead(place) > 0);
    if (next.length) choose(next.reduce((a, b) => (far(b) < far(a) ? b : a)));
  };
  for (const place of places) place.mark.addEventListener("pointerenter", () => choose(place));
  node.addEventListener("pointerleave", leave);
  node.addEventListener("blur", leave);
  node.addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    if (event.key === "Escape") return leave();
    if (!Object.hasOwn(steps, event.key)) return;
    event.preventDefault();
    step(...steps[event.key]);
  });
  return () => chosen && choose(chosen);
}
