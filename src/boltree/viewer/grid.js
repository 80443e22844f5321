// A grid: visits or values of its cells as colours and numbers, the actions most recommended there as arrows.

function gridPicture(search) {
  const node = gridFrame(`${search.label}: the grid`);
  const places = gridPlaces(node);
  let now = 0;
  const count = (name, place) => (search.picture[name] ? latest(search.picture[name], now)[place.cell] : 0);
  const proofs = (place) => [count("proven", place), count("nodes", place)]; // 0 of 0 where nothing is proven
  const read = (place) => ["visits", "value", "action"].map((name) => latest(search.picture[name], now)[place.cell]);
  const reread = readable(node, places, (place) => {
    const [visits, value, action] = read(place);
    const numbers = [["visits", grouped(visits)], ["mean value", precise(value)]];
    const words = ["recommended", action >= 0 ? named(action) : "–"];
    const [proven, nodes] = proofs(place);
    const proof = nodes ? [[PROVEN, `${grouped(proven)} of ${grouped(nodes)} nodes`]] : [];
    return [`row ${place.row + 1}, column ${place.column + 1}`, [...numbers, words, ...proof]];
  });
  const show = (moment) => {
    now = moment;
    for (const place of places) {
      showCell(place, ...read(place));
      const [proven, nodes] = proofs(place);
      showProof(place.mark, nodes > 0 && proven === nodes);
    }
    reread();
  };
  return { node, show };
}

function gridFrame(words) {
  const { rows, columns } = report.scene;
  const node = picture(columns * UNIT + 2, rows * UNIT + 2, words);
  node.style.maxWidth = `${columns * 62}px`;
  node.append(hatching());
  return node;
}

// draws all cells; those that have numbers
function gridPlaces(node) {
  const { rows, columns, cells, letters, solid, cut } = report.scene;
  const drawn = new Map(cells.map(([row, column], cell) => [row * columns + column, cell]));
  const places = [];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const sign = letters[row]?.[column] ?? ".";
      const cell = drawn.get(row * columns + column);
      if (sign === " " || (cut && cell === undefined)) continue;
      const mark = svg("g", { class: "place" }, square("cell", row, column));
      node.append(mark);
      const place = { cell, row, column, mark };
      if (cell !== undefined) places.push(place);
      fillCell(place, sign, solid.includes(sign));
    }
  }
  return places;
}

// a large grid is kept for some moments only
function latest(column, moment) {
  while (!column[moment]) moment--;
  return column[moment];
}

// the dark cells' pattern; drawings of all searches share its name, and it is the same in each
function hatching() {
  const lines = svg("path", { class: "hatch", d: "M0 6L6 0M-1 1L1 -1M5 7L7 5" });
  const tile = { id: "hatching", width: 6, height: 6, patternUnits: "userSpaceOnUse" };
  return svg("defs", {}, svg("pattern", tile, lines));
}

function fillCell(place, sign, solid) {
  const { row, column, mark } = place;
  const [x, y] = [middleOf(column), middleOf(row)];
  place.heat = square("heat", row, column);
  place.arrow = svg("g", { transform: `translate(${x} ${y - 3})` });
  place.number = label("number", x, y + 17);
  mark.append(place.heat);
  if (solid) mark.append(square("solid", row, column));
  mark.append(place.arrow, place.number, proofMark(row, column));
  if (sign !== ".") mark.append(label("letter", x - 14, y - 10, sign));
}

function showCell(place, visits, value, action) {
  const seen = scale.mode === "visits" ? visits > 0 : known(value);
  const share = shareOf(visits, value) ** 1.5; // the logarithm of visits alone would make most cells alike
  tint(place.heat, place.mark, seen ? 0.05 + 0.9 * share : 0);
  place.number.textContent = !seen ? "" : scale.mode === "visits" ? brief(visits) : briefValue(value);
  place.arrow.replaceChildren(...(action >= 0 ? [arrow(action)] : []));
}

function arrow(action) {
  const move = report.scene.moves[action];
  if (!move) return label("word", 0, 4, named(action).slice(0, 5));
  const [down, right] = move;
  if (!down && !right) return svg("circle", { class: "arrow", r: 4 });
  const turn = (Math.atan2(down, right) * 180) / Math.PI;
  return svg("path", { class: "arrow", d: "M-8 0H8M2.5 -5.5L8 0L2.5 5.5", transform: `rotate(${turn})` });
}

// what letters mean; a dark cell's with its pattern
function gridLegend() {
  const { legend, solid } = report.scene;
  const entries = Object.entries(legend).map(([sign, words]) => {
    const box = svg("svg", { class: "picture", viewBox: `0 0 ${UNIT + 2} ${UNIT + 2}`, "aria-hidden": "true" });
    box.append(hatching(), square("cell", 0, 0));
    if (solid.includes(sign)) box.append(square("solid", 0, 0));
    box.append(label("letter", middleOf(0), middleOf(0) + 7, sign));
    return html("span", {}, box, solid.includes(sign) ? `${words} (hatched)` : words);
  });
  return entries.length ? [html("p", { class: "caption legend" }, ...entries)] : [];
}
