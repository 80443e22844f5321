// The tree of a search, to unfold node by node: by clicking, or with the arrow keys.

function makeTree(search) {
  const nodes = search.tree.nodes;
  const below = nodes.map(() => new Map()); // for each node: action -> its outcomes that are on the page
  nodes.forEach((node, index) => {
    if (node.up < 0) return;
    const outcomes = below[node.up].get(node.action) ?? [];
    below[node.up].set(node.action, [...outcomes, index]);
  });
  const state = html("pre", { class: "state-text", "aria-live": "polite" });
  const list = html("ul", { role: "tree", class: "tree", "aria-label": `the tree of ${search.label}` });

  // ---- what can be unfolded: a node's actions, or an action's outcomes

  function actionItems(index, level) {
    const { rows = [], best, more = 0, untried = 0, count } = nodes[index];
    const items = rows.map(([action, visits, q, policy, outcomes]) => {
      const known = below[index].get(action) ?? [];
      const only = outcomes === 1 ? known[0] : undefined;
      const child = only === undefined ? null : nodes[only];
      const ends = child && child.end !== undefined;
      const inside = only !== undefined ? () => actionItems(only, level + 1) : () => outcomeItems(known, outcomes, level + 1);
      const unfolds = only !== undefined ? Boolean(child.rows) : known.length > 0;
      return item({
        level, inside: unfolds ? inside : null, best: action === best, text: child?.state, share: visits / Math.max(count, 1),
        cells: [named(action), grouped(visits), precise(q), precise(policy), ends ? "ends" : precise(child?.entropy ?? null)],
      });
    });
    if (more) items.push(remark(`${more} more actions tried`, level));
    if (untried) items.push(remark(`${untried} untried`, level));
    return items;
  }

  function outcomeItems(known, outcomes, level) {
    const items = known.map((index, place) => {
      const node = nodes[index];
      const line = node.state && !node.state.includes("\n") ? node.state : `outcome ${place + 1}`;
      return item({
        level, inside: node.rows ? () => actionItems(index, level + 1) : null, text: node.state, outcome: true,
        cells: [line, grouped(node.count), precise(node.value), "", node.end !== undefined ? "ends" : precise(node.entropy ?? null)],
      });
    });
    if (outcomes > known.length) items.push(remark(`${grouped(outcomes - known.length)} more outcomes`, level));
    return items;
  }

  function remark(words, level) {
    return html("li", { role: "none", class: "remark", style: `--level: ${level}` }, words);
  }

  function item({ level, inside, best = false, outcome = false, text, share, cells }) {
    const [first, ...rest] = cells;
    const kind = `row${best ? " best" : ""}${outcome ? " outcome" : ""}`;
    const line = html("div", { class: kind, style: `--level: ${level}` });
    const head = html("span", { class: "who" }, html("span", { class: "fold", "aria-hidden": "true" }), html("span", {}, first));
    if (best) head.append(html("span", { class: "star", title: "recommended" }, " ★"));
    const bar = html("span", { class: "share", "aria-hidden": "true" });
    if (share !== undefined) bar.append(html("span", { style: `width: ${(100 * share).toFixed(1)}%` }));
    line.append(head, bar, ...rest.map((cell) => html("span", { class: "value" }, cell)));
    const node = html("li", { role: "treeitem", tabindex: -1, "aria-level": level, class: best ? "recommended" : "" }, line);
    if (inside) node.setAttribute("aria-expanded", "false");
    Object.assign(node, { inside, text });
    return node;
  }

  function unfold(node, open) {
    if (!node.inside || (node.getAttribute("aria-expanded") === "true") === open) return;
    node.setAttribute("aria-expanded", String(open));
    node.querySelector(":scope > ul")?.remove();
    if (open) node.append(html("ul", { role: "group" }, ...node.inside()));
  }

  // ---- choosing a line

  const visible = () => [...list.querySelectorAll("[role=treeitem]")];
  let chosen = null;

  function choose(node, focus = true) {
    if (chosen) {
      chosen.tabIndex = -1;
      chosen.removeAttribute("aria-selected");
    }
    chosen = node;
    chosen.tabIndex = 0;
    chosen.setAttribute("aria-selected", "true");
    state.textContent = chosen.text ?? "";
    state.hidden = !chosen.text;
    if (focus) chosen.focus({ preventScroll: false });
  }

  list.addEventListener("click", (event) => {
    const node = event.target.closest("[role=treeitem]");
    if (!node) return;
    choose(node);
    unfold(node, node.getAttribute("aria-expanded") !== "true");
  });
  list.addEventListener("keydown", (event) => {
    const node = chosen;
    const all = visible();
    const at = all.indexOf(node);
    const open = node.getAttribute("aria-expanded") === "true";
    const keys = {
      ArrowDown: () => choose(all[Math.min(at + 1, all.length - 1)]),
      ArrowUp: () => choose(all[Math.max(at - 1, 0)]),
      Home: () => choose(all[0]),
      End: () => choose(all[all.length - 1]),
      ArrowRight: () => (open ? choose(all[Math.min(at + 1, all.length - 1)]) : unfold(node, true)),
      ArrowLeft: () => (open ? unfold(node, false) : choose(node.parentElement.closest("[role=treeitem]") ?? node)),
      Enter: () => unfold(node, !open),
      " ": () => unfold(node, !open),
    };
    if (!Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });

  // ---- the whole

  const root = nodes[0];
  const top = item({
    level: 1, inside: root.rows ? () => actionItems(0, 2) : null, text: root.state,
    cells: ["root", grouped(root.count), precise(root.value), "", precise(root.entropy ?? null)],
  });
  const followLine = () => {
    let node = top;
    while (node) {
      unfold(node, true);
      const group = node.querySelector(":scope > ul");
      node = group?.querySelector(":scope > .recommended") ?? group?.querySelector(":scope > li > .outcome")?.parentElement;
    }
  };
  const foldAll = () => {
    unfold(top, false);
    unfold(top, true);
    choose(top);
  };
  list.append(top);
  unfold(top, true);
  choose(top, false);
  const heads = ["", "", "visits", "Q", "policy", "entropy"].map((text) => html("span", {}, text));
  const head = html("div", { class: "row heads", "aria-hidden": "true" }, ...heads);
  const line = html("button", { type: "button", class: "key" }, "unfold the recommended line");
  const fold = html("button", { type: "button", class: "key" }, "fold");
  line.addEventListener("click", followLine);
  fold.addEventListener("click", foldAll);
  const kept = search.tree.whole ? "all nodes" : `the ${grouped(nodes.length)} most visited of ${grouped(search.nodes.at(-1))} nodes`;
  const note = html("p", { class: "caption" }, `${kept}, after ${grouped(search.trials.at(-1))} trials`);
  return html("article", { class: "card" }, cardHead(search), note, html("div", { class: "bar" }, line, fold), head, list, state);
}
