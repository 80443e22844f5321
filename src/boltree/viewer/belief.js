// A belief over a grid: how probable it is that the hidden state lies in each cell, as colours and numbers.

function beliefPicture(search) {
  const { probability, nowhere } = search.picture;
  const node = gridFrame(`${search.label}: the belief`);
  const places = gridPlaces(node);
  const most = Math.max(...probability);
  for (const place of places) {
    const share = probability[place.cell];
    tint(place.heat, place.mark, share > 0 ? 0.05 + 0.9 * (share / most) : 0);
    place.number.textContent = share > 0 ? percent(share) : "";
  }
  readable(node, places, (place) => {
    return [`row ${place.row + 1}, column ${place.column + 1}`, [["probability", percent(probability[place.cell])]]];
  });
  const words = nowhere > 0 ? `In no cell: ${percent(nowhere)}.` : "";
  return { node: html("div", {}, node, html("p", { class: "caption" }, words)), show: () => {} };
}

// with two digits
function percent(share) {
  if (share > 0 && share < 0.001) return "<0.1%";
  return `${Number((100 * share).toPrecision(share > 0.995 ? 3 : 2))}%`;
}
