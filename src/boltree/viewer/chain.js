// A chain: a bar for every state, the ways on and off it, what leaving pays and how many trials left.

const STEP = 64; // from state to state
const [TOP, FLOOR, STATES] = [18, 122, 142]; // of the bars, and the middle of the states

function chainPicture(search) {
  const { rewards, final, forward } = report.scene;
  const length = rewards.length;
  const node = picture((length + 1) * STEP, 232, `${search.label}: the chain`);
  Object.assign(node.style, { minWidth: `${(length + 1) * 40}px`, maxWidth: `${(length + 1) * 84}px` });
  node.append(svg("path", { class: "edge", d: `M6 ${FLOOR}H${(length + 1) * STEP - 6}` }));
  const places = [...rewards, final].map((pays, column) => chainPlace(search, column, column === length, pays));
  node.append(...places.map((place) => place.mark));
  let now = 0;
  const at = (name, column) => search.picture[name][now][column];
  const reread = readable(node, places, ({ column, end, pays }) => {
    const visits = at("visits", column);
    if (end) return ["the far end", [["pays", precise(pays)], ["arrivals", grouped(visits)]]];
    const share = (count) => (visits ? `${Number(((100 * count) / visits).toPrecision(3))} %` : "–");
    const ways = [["went on", at("visits", column + 1)], ["left", at("left", column)]];
    const counts = ways.map(([words, count]) => [words, grouped(count), share(count)]);
    const proof = search.picture.proven && at("proven", column) ? ` ${sure(PROVEN)}` : "";
    const worth = [["leaving pays", precise(pays)], ["value", precise(at("value", column)) + proof]];
    return [`state ${column + 1}`, [["visits", grouped(visits)], ...counts, ...worth]];
  });
  const show = (moment) => {
    now = moment;
    for (const place of places) {
      const { column, end } = place;
      const visits = at("visits", column);
      showBar(place, visits, end ? (visits ? final : null) : at("value", column));
      if (end) continue;
      const [best, left] = [at("action", column), at("left", column)];
      place.on.classList.toggle("best", best === forward);
      place.off.classList.toggle("best", best >= 0 && best !== forward);
      place.leaves.textContent = left ? brief(left) : "";
      showProof(place.mark, Boolean(search.picture.proven && at("proven", column)));
    }
    reread();
  };
  return { node, show };
}

function chainPlace(search, column, end, pays) {
  const x = column * STEP + STEP / 2;
  const bar = styled(search.look, svg("rect", { class: "bar-fill", x: x - 17, width: 34, rx: 3 }), false);
  const number = label("number", x, 0);
  const box = svg("rect", { class: "state", x: x - 16, y: STATES - 14, width: 32, height: 28, rx: end ? 14 : 6 });
  const name = label("word", x, STATES + 4, end ? "end" : String(column + 1));
  const reward = label("pays", x, 205, briefReward(pays));
  const mark = svg("g", { class: "place", "data-state": column + 1 }, bar, number, box, name, reward);
  const place = { column, row: 0, end, pays, bar, number, mark };
  if (!end) {
    place.on = svg("path", { class: "way", d: `M${x + 18} ${STATES}H${x + STEP - 20}m-6 -5l6 5l-6 5` });
    place.off = svg("path", { class: "way", d: `M${x} ${STATES + 17}V${STATES + 44}m-5 -6l5 6l5 -6` });
    place.leaves = label("leaves", x, 222);
    mark.append(place.on, place.off, place.leaves, label("proof", x + 22, STATES - 8));
  }
  return place;
}

const briefReward = (reward) => minus(String(Number(reward.toPrecision(3))));

function showBar({ bar, number, mark }, visits, value) {
  const height = Math.max(0, shareOf(visits, value)) * (FLOOR - TOP - 4);
  bar.setAttribute("y", (FLOOR - height).toFixed(1));
  bar.setAttribute("height", height.toFixed(1));
  number.setAttribute("y", (FLOOR - height - 4).toFixed(1));
  number.textContent = scale.mode === "visits" ? brief(visits) : known(value) ? briefReward(value) : "";
  mark.classList.toggle("unseen", !visits);
}
