// A board: the position at the root, and on it a disc for each of its moves, as large as its share of visits.

function boardPicture(search) {
  const { rows, columns, stones, places: cells, crossings } = report.scene;
  const node = picture(columns * UNIT + 2, rows * UNIT + 2, `${search.label}: the board`);
  node.style.maxWidth = `${columns * (columns > 9 ? 48 : 62)}px`;
  if (crossings) node.append(svg("path", { class: "edge", d: boardLines(rows, columns) }));
  stones.forEach((line, row) => [...line].forEach((sign, column) => {
    if (!crossings) node.append(square("cell", row, column));
    if (sign !== ".") node.append(stone(sign, row, column, crossings));
  }));
  const moves = search.actions.map((action, slot) => ({ action, slot, cell: cells[action] }));
  const places = moves.filter((move) => move.cell).map((move) => boardPlace(move, !crossings));
  node.append(...places.map((place) => place.mark));
  const elsewhere = html("p", { class: "caption" }); // moves without a place, such as a pass
  let now = 0;
  const read = (slot) => [search.visits[now][slot], search.q[now][slot], search.policy[now][slot]];
  const reread = readable(node, places, ({ action, slot }) => {
    const [visits, q, policy] = read(slot);
    const bounds = search.inside?.[now][slot];
    const within = bounds ? [[WITHIN, sure(bounds)]] : [];
    return [named(action), [["visits", grouped(visits)], ["Q", precise(q)], ["policy", precise(policy)], ...within]];
  });
  const show = (moment) => {
    now = moment;
    const most = Math.max(1, ...search.visits[now]);
    for (const place of places) {
      const [visits, q] = read(place.slot);
      showMove(place, visits / most, visits, q, place.action === search.recommended[now]);
      showProof(place.mark, search.inside?.[now][place.slot] === PROVEN);
    }
    const others = moves.filter((move) => !move.cell).map(({ action, slot }) => {
      const [visits, q] = read(slot);
      const proof = search.inside?.[now][slot] === PROVEN ? `, ${PROVEN}` : "";
      return `${named(action)}: ${grouped(visits)} visits, Q ${precise(q)}${proof}`;
    });
    elsewhere.textContent = others.join("; ");
    reread();
  };
  return { node: html("div", {}, node, elsewhere), show };
}

function boardLines(rows, columns) {
  const [right, bottom] = [middleOf(columns - 1), middleOf(rows - 1)];
  const across = Array.from({ length: rows }, (_, row) => `M${middleOf(0)} ${middleOf(row)}H${right}`);
  const down = Array.from({ length: columns }, (_, column) => `M${middleOf(column)} ${middleOf(0)}V${bottom}`);
  return [...across, ...down].join("");
}

function stone(sign, row, column, crossings) {
  const [x, y] = [middleOf(column), middleOf(row)];
  if (!crossings) return label("sign", x, y + 9, sign);
  return svg("circle", { class: sign === "X" ? "stone black" : "stone white", cx: x, cy: y, r: UNIT / 2 - 2 });
}

function boardPlace(move, roomy) {
  const [row, column] = move.cell;
  const [x, y] = [middleOf(column), middleOf(row)];
  const disc = svg("circle", { class: "heat", cx: x, cy: y });
  const number = label("number", x, y + 4);
  const ground = square("ground", row, column);
  const mark = svg("g", { class: "place", "data-action": move.action }, ground, disc, number, proofMark(row, column));
  return { ...move, row, column, roomy, disc, number, mark };
}

function showMove({ disc, number, mark, roomy }, share, visits, q, best) {
  const size = Math.sqrt(share);
  disc.setAttribute("r", visits ? (5 + (UNIT / 2 - 8) * size).toFixed(1) : 0);
  tint(disc, mark, 0.15 + 0.8 * size);
  mark.classList.toggle("best", best);
  const words = scale.mode === "visits" ? brief(visits) : known(q) ? briefValue(q).replace("0.", ".") : "";
  number.textContent = visits && (roomy || size > 0.4 || best) ? words : ""; // on crossings, if it fits in the disc
}
