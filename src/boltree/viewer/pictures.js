// Pictures of a search at a moment: a grid of cells, a chain of states, a board. Each has a node and show(moment).

const UNIT = 44; // of a cell, in the picture's own units
const scale = { mode: "visits", trials: 1 }; // what all pictures show, and how many trials there were

const named = (action) => report.names[action] ?? String(action);
const logShare = (visits) => (visits > 0 ? (1 + Math.log(visits)) / (1 + Math.log(Math.max(scale.trials, 1))) : 0);

// the range of the values of all searches at all moments, so that colours keep their meaning
function valueRange(columns) {
  return span(columns.flat(2).filter(known), [0, 1]);
}

function picture(width, height, words) {
  const label = { role: "img", tabindex: 0, "aria-label": words };
  return svg("svg", { class: "picture", viewBox: `0 0 ${width} ${height}`, ...label });
}

// the latest of what is kept for some moments only
function upTo(column, moment) {
  while (moment > 0 && !column[moment]) moment--;
  return column[moment] ?? [];
}

// ---- places that can be pointed at, with the mouse or with arrow keys

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
    const frame = place.mark.getBoundingClientRect();
    const [title, rows] = say(place);
    const lines = rows.map(([head, ...cells]) => html("tr", {}, html("th", {}, head), ...cells.map((text) => html("td", {}, text))));
    showTip([html("strong", {}, title), html("table", {}, ...lines)], frame.right - 12, frame.bottom + 4);
  };
  for (const place of places) place.mark.addEventListener("pointerenter", () => choose(place));
  node.addEventListener("pointerleave", leave);
  node.addEventListener("blur", leave);
  node.addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    if (event.key === "Escape") return leave();
    if (!Object.hasOwn(steps, event.key) || !places.length) return;
    event.preventDefault();
    const [down, right] = steps[event.key];
    const ahead = (place) => (place.row - chosen.row) * down + (place.column - chosen.column) * right;
    const aside = (place) => Math.abs((place.row - chosen.row) * right) + Math.abs((place.column - chosen.column) * down);
    const next = chosen ? places.filter((place) => ahead(place) > 0) : places;
    if (next.length) choose(chosen ? next.reduce((a, b) => (ahead(b) + 2 * aside(b) < ahead(a) + 2 * aside(a) ? b : a)) : next[0]);
  });
  return { refresh: () => chosen && choose(chosen) };
}

// ---- a grid

function arrow([down, right], x, y) {
  if (!down && !right) return svg("circle", { class: "arrow", cx: x, cy: y, r: 4 });
  const turn = (Math.atan2(down, right) * 180) / Math.PI;
  return svg("path", { class: "arrow", d: "M-8 0H8M2.5 -5.5L8 0L2.5 5.5", transform: `translate(${x} ${y}) rotate(${turn})` });
}

function gridPicture(search, range) {
  const scene = report.scene;
  const node = picture(scene.columns * UNIT + 2, scene.rows * UNIT + 2, `${search.label}: the grid; arrow keys read the cells`);
  node.style.maxWidth = `${scene.columns * 62}px`;
  const solid = new Set(scene.solid);
  const letter = (row, column) => scene.letters[row]?.[column] ?? ".";
  const seen = new Set(scene.cells.map(([row, column]) => row * scene.columns + column));
  for (let row = 0; row < scene.rows; row++) {
    for (let column = 0; column < scene.columns; column++) {
      const sign = letter(row, column);
      if (sign === " " || (scene.cut && !seen.has(row * scene.columns + column))) continue;
      const kind = solid.has(sign) ? "cell solid" : "cell";
      node.append(svg("rect", { class: kind, x: column * UNIT + 2, y: row * UNIT + 2, width: UNIT - 2, height: UNIT - 2, rx: 4 }));
    }
  }
  const places = scene.cells.map(([row, column], cell) => {
    const [x, y] = [column * UNIT + 1 + UNIT / 2, row * UNIT + 1 + UNIT / 2];
    const heat = svg("rect", { class: "heat", x: x - UNIT / 2 + 1, y: y - UNIT / 2 + 1, width: UNIT - 2, height: UNIT - 2, rx: 4 });
    const sign = svg("g");
    const number = svg("text", { class: "number", x, y: y + 17, "text-anchor": "middle" });
    const mark = svg("g", { class: "place", "data-cell": cell }, heat, sign, number);
    node.append(mark);
    return { cell, row, column, x, y, mark, heat, sign, number };
  });
  for (let row = 0; row < scene.rows; row++) {
    for (let column = 0; column < scene.columns; column++) {
      const sign = letter(row, column);
      if (sign === "." || sign === " ") continue;
      node.append(svg("text", { class: "letter", x: column * UNIT + 7, y: row * UNIT + 14 }, sign));
    }
  }
  let now = 0;
  const at = (column, place) => upTo(search.picture[column], now)[place.cell];
  const reader = readable(node, places, (place) => [
    `row ${place.row + 1}, column ${place.column + 1}`,
    [
      ["visits", grouped(at("visits", place) ?? 0)],
      ["mean value", precise(at("value", place))],
      ["recommended", at("action", place) >= 0 ? named(at("action", place)) : "–"],
    ],
  ]);
  const show = (moment) => {
    now = moment;
    for (const place of places) {
      const [visits, value, action] = [at("visits", place) ?? 0, at("value", place), at("action", place) ?? -1];
      const byValue = scale.mode === "value";
      const share = byValue ? (known(value) ? (value - range[0]) / (range[1] - range[0] || 1) : 0) : logShare(visits);
      const drawn = byValue ? known(value) : visits > 0;
      place.heat.style.fillOpacity = drawn ? 0.06 + 0.86 * share : 0;
      place.mark.classList.toggle("strong", drawn && share > 0.6);
      place.number.textContent = !drawn ? "" : byValue ? minus(value.toFixed(2)) : brief(visits);
      const move = report.scene.moves[action];
      const sign = action < 0 ? [] : [move ? arrow(move, place.x, place.y - 3) : svg("text", { class: "word", x: place.x, y: place.y + 1, "text-anchor": "middle" }, named(action).slice(0, 5))];
      place.sign.replaceChildren(...sign);
    }
    reader.refresh();
  };
  return { node, show };
}

// at most four letters
function brief(count) {
  const [unit, letter] = count >= 1e6 ? [1e6, "M"] : count >= 1e3 ? [1e3, "k"] : [1, ""];
  const scaled = count / unit;
  return (scaled >= 100 || unit === 1 ? Math.round(scaled) : Number(scaled.toPrecision(2))) + letter;
}

// ---- a chain

function chainPicture(search, range) {
  const { rewards, final, forward } = report.scene;
  const length = rewards.length;
  const [step, top, floor, middle] = [64, 18, 122, 142];
  const node = picture((length + 1) * step, 232, `${search.label}: the chain; arrow keys read the states`);
  node.style.minWidth = `${(length + 1) * 40}px`;
  node.append(svg("path", { class: "edge", d: `M6 ${floor}H${(length + 1) * step - 6}` }));
  const places = Array.from({ length: length + 1 }, (_, column) => {
    const x = column * step + step / 2;
    const end = column === length;
    const bar = svg("rect", { class: "bar-fill", x: x - 17, width: 34, rx: 3 });
    const count = svg("text", { class: "number", x, "text-anchor": "middle" });
    const box = svg("rect", { class: end ? "state end" : "state", x: x - 16, y: middle - 14, width: 32, height: 28, rx: end ? 14 : 6 });
    const label = svg("text", { class: "word", x, y: middle + 4, "text-anchor": "middle" }, end ? "end" : String(column + 1));
    const pays = svg("text", { class: "pays", x, y: 205, "text-anchor": "middle" }, short(Number((end ? final : rewards[column]).toPrecision(3))));
    const mark = svg("g", { class: "place", "data-state": column + 1 }, styled(search.look, bar, false), count, box, label, pays);
    const place = { column, row: 0, x, bar, count, mark };
    if (!end) {
      place.on = svg("path", { class: "way", d: `M${x + 18} ${middle}H${x + step - 20}m-6 -5l6 5l-6 5` });
      place.off = svg("path", { class: "way", d: `M${x} ${middle + 17}V${middle + 44}m-5 -6l5 6l5 -6` });
      place.leaves = svg("text", { class: "leaves", x, y: 222, "text-anchor": "middle" });
      mark.append(place.on, place.off, place.leaves);
    }
    node.append(mark);
    return place;
  });
  let now = 0;
  const at = (column, place) => search.picture[column][now][place.column];
  const reader = readable(node, places, (place) => {
    if (place.column === length) return ["the far end", [["pays", precise(final)], ["arrivals", grouped(at("visits", place))]]];
    const [visits, left] = [at("visits", place), at("left", place)];
    const share = (count) => (visits ? `${((100 * count) / visits).toPrecision(3)} %` : "–");
    const on = search.picture.visits[now][place.column + 1];
    return [
      `state ${place.column + 1}`,
      [
        ["visits", grouped(visits), ""],
        ["went on", grouped(on), share(on)],
        ["left", grouped(left), share(left)],
        ["leaving pays", precise(rewards[place.column]), ""],
        ["value", precise(at("value", place)), ""],
      ],
    ];
  });
  const show = (moment) => {
    now = moment;
    for (const place of places) {
      const [visits, end] = [at("visits", place), place.column === length];
      const value = end ? (visits ? final : null) : at("value", place);
      const byValue = scale.mode === "value";
      const share = byValue ? (known(value) ? Math.max(0, value - Math.min(0, range[0])) / (range[1] - Math.min(0, range[0]) || 1) : 0) : logShare(visits);
      const height = share * (floor - top - 4);
      place.bar.setAttribute("y", (floor - height).toFixed(1));
      place.bar.setAttribute("height", height.toFixed(1));
      place.count.setAttribute("y", (floor - height - 4).toFixed(1));
      place.count.textContent = byValue ? (known(value) ? minus(Number(value.toPrecision(3)).toString()) : "") : visits ? brief(visits) : "0";
      place.mark.classList.toggle("unseen", !visits);
      if (end) continue;
      const best = at("action", place);
      place.on.classList.toggle("best", best === forward);
      place.off.classList.toggle("best", best >= 0 && best !== forward);
      place.leaves.textContent = at("left", place) ? brief(at("left", place)) : "";
    }
    reader.refresh();
  };
  return { node, show };
}

// ---- a board

function boardPicture(search) {
  const { rows, columns, stones, places: cells, crossings } = report.scene;
  const node = picture(columns * UNIT + 2, rows * UNIT + 2, `${search.label}: the board; arrow keys read the moves`);
  node.style.maxWidth = `${columns * (columns > 9 ? 48 : 62)}px`;
  const middle = (place) => place * UNIT + UNIT / 2 + 1;
  if (crossings) {
    for (let row = 0; row < rows; row++) node.append(svg("path", { class: "edge", d: `M${middle(0)} ${middle(row)}H${middle(columns - 1)}` }));
    for (let column = 0; column < columns; column++) node.append(svg("path", { class: "edge", d: `M${middle(column)} ${middle(0)}V${middle(rows - 1)}` }));
  }
  stones.forEach((line, row) => [...line].forEach((sign, column) => {
    const [x, y] = [middle(column), middle(row)];
    if (!crossings) node.append(svg("rect", { class: "cell", x: x - UNIT / 2 + 1, y: y - UNIT / 2 + 1, width: UNIT - 2, height: UNIT - 2, rx: 4 }));
    if (sign === ".") return;
    if (crossings) node.append(svg("circle", { class: sign === "X" ? "stone black" : "stone white", cx: x, cy: y, r: UNIT / 2 - 2 }));
    else node.append(svg("text", { class: "sign", x, y: y + 9, "text-anchor": "middle" }, sign));
  }));
  const places = search.actions.map((action, slot) => ({ action, slot, cell: cells[action] })).filter((place) => place.cell);
  for (const place of places) {
    [place.row, place.column] = place.cell;
    const [x, y] = [middle(place.column), middle(place.row)];
    const ground = svg("rect", { class: "ground", x: x - UNIT / 2 + 1, y: y - UNIT / 2 + 1, width: UNIT - 2, height: UNIT - 2 });
    place.disc = svg("circle", { class: "heat", cx: x, cy: y });
    place.number = svg("text", { class: "number", x, y: y + 4, "text-anchor": "middle" });
    place.mark = svg("g", { class: "place", "data-action": place.action }, ground, place.disc, place.number);
    node.append(place.mark);
  }
  const off = html("p", { class: "off" });
  let now = 0;
  const numbers = (slot) => [search.visits[now][slot], search.q[now][slot], search.policy[now][slot]];
  const reader = readable(node, places, ({ action, slot }) => {
    const [visits, q, policy] = numbers(slot);
    return [named(action), [["visits", grouped(visits)], ["Q", precise(q)], ["policy", precise(policy)]]];
  });
  const show = (moment) => {
    now = moment;
    const total = search.visits[now].reduce((sum, visits) => sum + visits, 0) || 1;
    const most = Math.max(1, ...search.visits[now]);
    for (const place of places) {
      const [visits, q] = numbers(place.slot);
      place.disc.setAttribute("r", visits ? (5 + (UNIT / 2 - 8) * Math.sqrt(visits / most)).toFixed(1) : 0);
      place.disc.style.fillOpacity = (0.15 + 0.75 * Math.sqrt(visits / most)).toFixed(2);
      place.mark.classList.toggle("strong", visits / most > 0.4);
      place.mark.classList.toggle("best", place.action === search.recommended[now]);
      const byValue = scale.mode === "value";
      const worth = visits && (visits / total > 0.004 || places.length <= 9);
      place.number.textContent = !worth ? "" : byValue ? (known(q) ? minus(q.toFixed(2)) : "") : brief(visits);
    }
    const others = search.actions.map((action, slot) => [action, slot]).filter(([action]) => !cells[action]);
    off.textContent = others.map(([action, slot]) => {
      const [visits, q] = numbers(slot);
      return `${named(action)}: ${grouped(visits)} visits, Q ${precise(q)}`;
    }).join("; ");
    reader.refresh();
  };
  return { node: html("div", {}, node, off), show };
}

// ---- whichever the problem has

function pictures() {
  const { scene, searches } = report;
  const values = searches.map((search) => search.picture?.value ?? []);
  const range = valueRange(values.map((moments) => moments.filter(Boolean)));
  if (scene?.kind === "chain") range[1] = Math.max(range[1], scene.final, ...scene.rewards);
  const kinds = { grid: gridPicture, chain: chainPicture, board: boardPicture };
  return { range, made: searches.map((search) => (scene ? kinds[scene.kind](search, range) : { node: html("div"), show() {} })) };
}
