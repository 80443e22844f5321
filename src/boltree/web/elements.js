// The page's data, and what all its parts are made of: elements, tables, numbers.
"use strict";

const report = JSON.parse(document.getElementById("data").textContent);

// ---- elements; strings among the children become text, never markup

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

function html(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function styled(look, node, dashed = true) {
  node.style.setProperty("--colour", look.colour);
  node.style.setProperty("--dark", look.dark);
  if (dashed) node.setAttribute("stroke-dasharray", look.dash.map((length) => length * 1.8).join(" ") || "none");
  return node;
}

function swatch(look) {
  const line = styled(look, svg("path", { class: "swatch", d: "M0 5H26" }));
  return svg("svg", { width: 26, height: 10, "aria-hidden": "true" }, line);
}

// ---- numbers

const known = (value) => value !== null && Number.isFinite(value);
const minus = (text) => text.replace("-", "−");
const minuses = (text) => text.replaceAll("-", "−");
const precise = (value) => (known(value) ? minus(value === 0 ? "0" : value.toPrecision(4)) : "–");
const grouped = (value) => minus(value.toLocaleString("en-US", { maximumSignificantDigits: 8 }));

function short(value) {
  const size = Math.abs(value);
  const [unit, letter] = size >= 1e6 ? [1e6, "M"] : size >= 1e3 ? [1e3, "k"] : [1, ""];
  return minus(String(Number((value / unit).toPrecision(4)))) + letter;
}

// ---- tables

function table(spec) {
  // a column of numbers, intervals, signs and units stands to the right
  const words = /[^\d\s.,:;%±+−–—…×()[\]<>≤≥∞eEkM/*-]/;
  const numeric = spec.heads.map((_, i) => i > 0 && spec.rows.every((row) => !words.test(row[i] ?? "")));
  const kind = (i) => ({ class: numeric[i] ? "number" : "words" });
  const heads = spec.heads.map((text, i) => html("th", { scope: "col", ...kind(i) }, text));
  const lines = spec.rows.map(([first, ...rest]) => {
    const cells = rest.map((text, i) => html("td", kind(i + 1), text));
    return html("tr", {}, html("th", { scope: "row" }, first ?? ""), ...cells);
  });
  const head = html("thead", {}, html("tr", {}, ...heads));
  const rows = html("table", { class: "rows" }, head, html("tbody", {}, ...lines));
  const frame = html("div", { class: "scroll", role: "region", tabindex: 0, "aria-label": spec.title }, rows);
  return html("section", {}, html("h2", {}, spec.title), frame);
}
