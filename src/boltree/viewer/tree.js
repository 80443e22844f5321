// The tree of a search, to unfold node by node: by clicking, or with the arrow keys.

const fixed = (value) => (known(value) ? value.toFixed(3) : "");

function makeTree(search) {
  const { nodes, whole } = search.tree;
  const bounded = nodes[0].bounds !== undefined; // a column says what is known surely
  const below = nodes.map(() => new Map()); // for each node: action -> its outcomes that are on the page
  nodes.forEach((node, index) => {
    if (node.up < 0) return;
    if (!below[node.up].has(node.action)) below[node.up].set(node.action, []);
    below[node.up].get(node.action).push(index);
  });
  const state = html("pre", { class: "state-text", "aria-live": "polite" });
  const list = html("ul", { role: "tree", class: "tree", "aria-label": `the tree of ${search.label}` });

  // ---- what is unfolded: a node's actions, or an action's outcomes

  function actionItems(index, level) {
    const { rows, best, more, untried, count, names, inside: within } = nodes[index];
    const items = rows.map(([action, visits, q, policy, outcomes], place) => {
      const kept = below[index].get(action) ?? [];
      const child = outcomes === 1 && kept.length ? nodes[kept[0]] : null;
      let inside = kept.length ? () => outcomeItems(kept, outcomes, level + 1) : null;
      if (child) inside = child.rows ? () => actionItems(kept[0], level + 1) : null;
      const cells = [grouped(visits), precise(q), fixed(policy), lastCell(child)];
      const marks = { best: action === best, share: visits / count, node: child, bounds: within?.[place] };
      return item({ level, inside, head: names?.[place] ?? named(action), cells, ...marks });
    });
    if (more) items.push(remark(`${more} more tried`, level));
    if (untried) items.push(remark(`${untried} not tried`, level));
    return items;
  }

  function outcomeItems(kept, outcomes, level) {
    const items = kept.map((index, place) => {
      const node = nodes[index];
      const last = node.state?.split("\n").at(-1) ?? ""; // of a picture, what is said below it
      const head = last && last.length <= 40 ? last : `outcome ${place + 1}`;
      const inside = node.rows ? () => actionItems(index, level + 1) : null;
      const cells = [grouped(node.count), precise(node.value), "", lastCell(node)];
      return item({ level, inside, head, cells, outcome: true, node, bounds: node.bounds });
    });
    if (outcomes > kept.length) items.push(remark(`${grouped(outcomes - kept.length)} more outcomes`, level));
    return items;
  }

  const lastCell = (node) => (node?.end === undefined ? fixed(node?.entropy ?? null) : "ends");
  const remark = (words, level) => html("li", { role: "none", class: "remark", style: `--level: ${level}` }, words);

  function item({ level, inside, head, cells, best = false, outcome = false, share = null, node, bounds = "" }) {
    const fold = html("span", { class: "fold", "aria-hidden": "true" });
    const who = html("span", { class: outcome ? "who outcome" : "who" }, fold, head);
    if (best) who.append(html("span", { class: "star", title: "recommended" }, " ★"));
    const bar = html("span", { class: "share", "aria-hidden": "true" });
    if (share !== null) bar.append(html("span", { style: `width: ${(100 * share).toFixed(1)}%` }));
    const line = html("div", { class: best ? "row best" : "row", style: `--level: ${level}` }, who, bar);
    line.append(...cells.map((cell) => html("span", { class: "value" }, cell)));
    if (bounded) line.append(html("span", { class: bounds === PROVEN ? "bounds proven" : "bounds" }, sure(bounds)));
    const found = html("li", { role: "treeitem", tabindex: -1, "aria-level": level }, line);
    if (inside) found.setAttribute("aria-expanded", "false");
    return Object.assign(found, { inside, best, outcome, text: node?.state });
  }

  const isOpen = (node) => node.getAttribute("aria-expanded") === "true";

  function unfold(node, open) {
    if (!node.inside || isOpen(node) === open) return;
    node.setAttribute("aria-expanded", String(open));
    node.querySelector(":scope > ul")?.remove();
    if (open) node.append(html("ul", { role: "group" }, ...node.inside()));
  }

  // ---- choosing a line, whose state is shown below

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
    if (focus) chosen.focus({ preventScroll: true });
    if (focus) chosen.firstElementChild.scrollIntoView({ block: "nearest" });
  }

  list.addEventListener("click", (event) => {
    const node = event.target.closest("[role=treeitem]");
    if (!node) return;
    choose(node);
    unfold(node, !isOpen(node));
  });
  list.addEventListener("keydown", (event) => {
    const lines = [...list.querySelectorAll("[role=treeitem]")];
    const step = (by) => choose(lines[Math.max(0, Math.min(lines.length - 1, lines.indexOf(chosen) + by))]);
    const above = chosen.parentElement.closest("[role=treeitem]");
    const keys = {
      ArrowDown: () => step(1),
      ArrowUp: () => step(-1),
      Home: () => step(-lines.length),
      End: () => step(lines.length),
      ArrowRight: () => (isOpen(chosen) ? step(1) : unfold(chosen, true)),
      ArrowLeft: () => (isOpen(chosen) ? unfold(chosen, false) : above && choose(above)),
      Enter: () => unfold(chosen, !isOpen(chosen)),
      " ": () => unfold(chosen, !isOpen(chosen)),
    };
    if (!Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });

  // ---- the whole

  const [root] = nodes;
  const first = item({
    level: 1, inside: root.rows ? () => actionItems(0, 2) : null, head: "root", node: root, bounds: root.bounds,
    cells: [grouped(root.count), precise(root.value), "", lastCell(root)],
  });
  list.append(first);
  unfold(first, true);
  choose(first, false);

  function unfoldLine() {
    for (let node = first; node; ) {
      unfold(node, true);
      const inside = [...(node.querySelector(":scope > ul")?.children ?? [])];
      node = inside.find((line) => line.best) ?? inside.find((line) => line.outcome);
    }
  }

  function foldAll() {
    unfold(first, false);
    unfold(first, true);
    choose(first);
  }

  const button = (words, action) => {
    const made = html("button", { type: "button", class: "key" }, words);
    made.addEventListener("click", action);
    return made;
  };
  const texts = ["", "", "visits", "Q", "policy", "entropy", ...(bounded ? [WITHIN] : [])];
  const heads = texts.map((text) => html("span", {}, text));
  const size = grouped(search.nodes.at(-1));
  const part = `${grouped(nodes.length)} of ${size} nodes, the most visited of every depth`;
  const kept = whole ? `all ${size} nodes` : part;
  return html(
    "article", { class: bounded ? "card bounded" : "card" }, cardHead(search),
    html("p", { class: "caption" }, `${kept}, after ${grouped(search.trials.at(-1))} trials`),
    html("div", { class: "bar" }, button("unfold the recommended line", unfoldLine), button("fold", foldAll)),
    html("div", { class: "row heads", "aria-hidden": "true" }, ...heads), list, state,
  );
}
