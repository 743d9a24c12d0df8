// The reachability tree: a subtree is folded by a click on its root; what stands for what is a dashed line.
function drawTree(place, trees, goTo) {
  const canvas = new Canvas(place);
  let tree = null, children = [], folded = new Set(), chosen = null;
  const detail = element("div");
  detail.id = "detail"; detail.hidden = true;
  const choice = element("select");
  choice.setAttribute("aria-label", "Search");
  trees.forEach((one, index) => {
    const option = element("option", "", "search " + (index + 1) + ": " + (one.nodes.length + one.left_out) + " nodes");
    option.value = String(index);
    choice.append(option);
  });
  choice.hidden = trees.length < 2;
  canvas.tools.prepend(choice);
  canvas.button("Unfold all", "Show every node", () => { folded = new Set(); draw(); });
  canvas.button("Fold", "Show the top only", () => { foldDeep(3); draw(); canvas.fit(); });
  canvas.box.append(detail);
  canvas.legend([["dim", "expanded"], ["good", "dead end: no error from here"], ["link", "covered by another (dashed)"], ["open", "open"], ["bad", "error"]]);
  const below = () => {
    const sizes = new Array(tree.nodes.length).fill(1);
    for (let at = tree.nodes.length - 1; at > 0; at--) sizes[tree.nodes[at].parent] += sizes[at];
    return sizes;
  };
  function foldDeep(depth) {
    folded = new Set();
    const level = [];
    tree.nodes.forEach((node, at) => { level[at] = node.parent === undefined ? 0 : level[node.parent] + 1; if (level[at] === depth && children[at].length) folded.add(at); });
  }
  function choose(index) {
    tree = trees[index];
    children = tree.nodes.map(() => []);
    tree.nodes.forEach((node, at) => { if (node.parent !== undefined) children[node.parent].push(at); });
    folded = new Set(); chosen = null; detail.hidden = true;
    // A large tree begins with its top.
    if (tree.nodes.length > 120) foldDeep(7);
    draw();
    canvas.fit();
  }
  const WIDTH = 168, HEIGHT = 46, ACROSS = 184, DOWN = 88;
  function draw() {
    const at = new Map(), sizes = below();
    let next = 0, deepest = 0;
    // Leaves stand side by side, parents over the middle of their children.
    const order = [], stack = [[0, 0, false]];
    while (stack.length) {
      const [id, depth, done] = stack.pop();
      const shown = folded.has(id) ? [] : children[id];
      if (!done && shown.length) {
        stack.push([id, depth, true]);
        for (let index = shown.length - 1; index >= 0; index--) stack.push([shown[index], depth + 1, false]);
        continue;
      }
      const x = shown.length ? (at.get(shown[0]).x + at.get(shown[shown.length - 1]).x) / 2 : next++ * ACROSS;
      at.set(id, { x, y: depth * DOWN });
      deepest = Math.max(deepest, depth);
      order.push(id);
    }
    canvas.clear(Math.max(1, next) * ACROSS, deepest * DOWN + HEIGHT);
    canvas.arrows();
    const middle = (id) => ({ x: at.get(id).x + WIDTH / 2, y: at.get(id).y });
    for (const id of order) {
      const node = tree.nodes[id];
      if (node.parent !== undefined) {
        const from = middle(node.parent), to = middle(id);
        canvas.curve("", from.x, from.y + HEIGHT, to.x, to.y);
      }
      if (node.covered_by !== undefined && at.has(node.covered_by)) {
        const from = middle(id), to = middle(node.covered_by);
        canvas.curve("covers", from.x - WIDTH / 4, from.y, to.x + WIDTH / 4, to.y + HEIGHT, (to.x - from.x) / 6);
      }
    }
    for (const id of order) {
      const node = tree.nodes[id], spot = at.get(id);
      const group = shape("g", { class: "node" + (id === chosen ? " chosen" : ""), transform: `translate(${spot.x} ${spot.y})` });
      const isBad = node.kind === "target" && node.fate !== "dead end" && node.fate !== "covered";
      const kind = isBad ? "bad" : { "dead end": "dead", covered: "cover", open: "open", stuck: "open" }[node.fate] || "";
      group.append(shape("rect", { class: `box ${node.kind === "loop" ? "loop" : ""} ${kind} ${folded.has(id) ? "folded" : ""}`, width: WIDTH, height: HEIGHT, rx: 6 }));
      const title = node.kind + (node.line ? " on line " + node.line : "");
      group.append(shape("text", { x: 8, y: 17 }, clip(title, 24)));
      const label = node.label.length ? node.label.join(" ∧ ") : "true";
      group.append(shape("text", { x: 8, y: 34, class: "dim" }, clip(folded.has(id) ? "… " + (sizes[id] - 1) + " more below" : label, 26)));
      group.append(shape("title", {}, title + ", " + node.fate + "\n" + label));
      group.addEventListener("click", () => {
        if (canvas.moved) return;
        if (chosen === id && children[id].length) { if (folded.has(id)) folded.delete(id); else folded.add(id); } else if (folded.has(id)) folded.delete(id);
        chosen = id;
        tell(id);
        draw();
      });
      canvas.layer.append(group);
    }
  }
  function tell(id) {
    const node = tree.nodes[id];
    detail.hidden = false;
    const more = node.more ? "\n… and " + node.more + " more" : "";
    const by = node.covered_by !== undefined ? "\nanother node stands for it: the dashed line" : "";
    const fold = children[id].length ? "\n(click again: fold or unfold what is below)" : "";
    detail.textContent = node.kind + (node.line ? " on line " + node.line : "") + ": " + node.fate + "\n" + (node.label.length ? node.label.join("\n") : "nothing is known here") + more + by + fold;
    if (node.line) goTo(node.file, node.line);
  }
  choice.addEventListener("change", () => choose(Number(choice.value)));
  if (trees.some((one) => one.left_out)) canvas.box.append(element("div", "note", "Only the part near the root is shown."));
  let largest = 0;
  trees.forEach((one, index) => { if (one.nodes.length > trees[largest].nodes.length) largest = index; });
  choice.value = String(largest);
  choose(largest);
  return canvas;
}

// The automaton of a function: rows by distance, loops can be folded into their heads.
function drawAutomaton(place, functions, goTo) {
  const canvas = new Canvas(place);
  const choice = element("select");
  choice.setAttribute("aria-label", "Function");
  functions.forEach((one, index) => {
    const option = element("option", "", one.name + "()");
    option.value = String(index);
    choice.append(option);
  });
  canvas.tools.prepend(choice);
  canvas.button("Unfold all", "Show all loops", () => { folded = new Set(); draw(); });
  canvas.legend([["text", "loop head: click to fold it"], ["bad", "what must not be reached"], ["good", "condition holds"], ["bad", "it doesn't"]]);
  let now = null, folded = new Set(), rank = [], inside = new Map();
  function choose(index) {
    now = functions[index];
    folded = new Set();
    prepare();
    draw();
    canvas.fit();
  }
  // Ways back are those to a node that is being visited; a loop is what lies between its head and a way back.
  function prepare() {
    const out = now.nodes.map(() => []), into = now.nodes.map(() => []);
    now.ways.forEach((way, index) => { out[way.from].push(index); into[way.to].push(index); way.back = false; });
    const state = new Array(now.nodes.length).fill(0), after = [];
    const stack = now.nodes.length ? [[0, 0]] : [];
    if (stack.length) state[0] = 1;
    while (stack.length) {
      const top = stack[stack.length - 1];
      if (top[1] < out[top[0]].length) {
        const way = now.ways[out[top[0]][top[1]++]];
        if (state[way.to] === 1) way.back = true;
        else if (state[way.to] === 0) { state[way.to] = 1; stack.push([way.to, 0]); }
      } else { state[top[0]] = 2; after.push(top[0]); stack.pop(); }
    }
    rank = new Array(now.nodes.length).fill(0);
    for (const node of after.reverse()) for (const index of out[node]) { const way = now.ways[index]; if (!way.back) rank[way.to] = Math.max(rank[way.to], rank[node] + 1); }
    inside = new Map();
    for (const way of now.ways) {
      if (!way.back) continue;
      const body = inside.get(way.to) || new Set(), pending = [way.from];
      while (pending.length) {
        const node = pending.pop();
        if (node === way.to || body.has(node)) continue;
        body.add(node);
        for (const index of into[node]) pending.push(now.ways[index].from);
      }
      inside.set(way.to, body);
    }
  }
  const ACROSS = 190, DOWN = 84, WIDTH = 92, HEIGHT = 26;
  function draw() {
    if (now.is_too_large) {
      canvas.clear(400, 40);
      canvas.layer.append(shape("text", { x: 0, y: 20 }, clip(now.name, 60) + " has too many places to be drawn."));
      return;
    }
    const hidden = new Set();
    for (const head of folded) for (const node of inside.get(head) || []) hidden.add(node);
    const stands = (node) => { for (const head of folded) if (!hidden.has(head) && (inside.get(head) || new Set()).has(node)) return head; return node; };
    // Rows by distance; a way over several rows has a place of its own in each of them, so that it goes around what stands there.
    const used = [...new Set(now.nodes.map((_, node) => node).filter((node) => !hidden.has(node)).map((node) => rank[node]))].sort((a, b) => a - b);
    const rowOf = new Map(used.map((level, row) => [level, row]));
    const rows = used.map(() => []), before = new Map(), at = new Map(), routes = new Map();
    now.nodes.forEach((_, node) => { if (!hidden.has(node)) rows[rowOf.get(rank[node])].push(String(node)); });
    const link = (from, to) => { if (!before.has(to)) before.set(to, []); before.get(to).push(from); };
    const shown = now.ways.map((way, index) => ({ way, index, from: stands(way.from), to: stands(way.to) })).filter((one) => one.from !== one.to || !(hidden.has(one.way.from) || hidden.has(one.way.to)));
    for (const { way, index, from, to } of shown) {
      if (way.back || from === to) continue;
      const first = rowOf.get(rank[from]), last = rowOf.get(rank[to]);
      let previous = String(from);
      const route = [];
      for (let row = first + 1; row < last; row++) {
        const name = "way " + index + " " + row;
        rows[row].push(name);
        link(previous, name);
        route.push(name);
        previous = name;
      }
      link(previous, String(to));
      routes.set(index, route);
    }
    const room = (name) => (name.startsWith("way") ? 70 : ACROSS);
    rows.forEach((names, row) => {
      const wish = (name) => { const all = (before.get(name) || []).filter((one) => at.has(one)); return all.length ? all.reduce((sum, one) => sum + at.get(one).x, 0) / all.length : 0; };
      const items = names.map((name) => ({ name, x: wish(name) })).sort((a, b) => a.x - b.x);
      const whole = items.reduce((sum, one) => sum + room(one.name), 0), center = items.reduce((sum, one) => sum + one.x, 0) / items.length;
      let x = center - whole / 2;
      for (const one of items) { at.set(one.name, { x: x + room(one.name) / 2, y: row * DOWN }); x += room(one.name); }
    });
    const spots = [...at.values()];
    const least = Math.min(...spots.map((spot) => spot.x)), most = Math.max(...spots.map((spot) => spot.x));
    for (const spot of spots) spot.x += 130 - least;
    canvas.clear(most - least + 260, rows.length * DOWN);
    canvas.arrows();
    const between = new Map(), drawn = new Set();
    for (const { from, to } of shown) between.set(from + " " + to, (between.get(from + " " + to) || 0) + 1);
    for (const { way, index, from, to } of shown) {
      const a = at.get(String(from)), b = at.get(String(to)), key = from + " " + to;
      const kind = way.holds === undefined ? "" : way.holds ? "true" : "false";
      let spot;
      if (way.back || from === to) {
        // Around the left of everything between.
        const top = Math.min(a.y, b.y), bottom = Math.max(a.y, b.y);
        const left = Math.min(...spots.filter((one) => one.y >= top && one.y <= bottom).map((one) => one.x)) - WIDTH / 2 - 16;
        const side = (left - (a.x + b.x - WIDTH) / 8) / 0.75;
        canvas.layer.append(shape("path", { class: "edge " + kind, d: `M${a.x - WIDTH / 2} ${a.y + HEIGHT / 2} C${side} ${a.y + HEIGHT / 2} ${side} ${b.y + HEIGHT / 2} ${b.x - WIDTH / 2} ${b.y + HEIGHT / 2}`, "marker-end": "url(#arrow)" }));
        spot = { x: left, y: (a.y + b.y) / 2 + HEIGHT / 2 };
      } else {
        const side = between.get(key) > 1 ? (drawn.has(key) ? 60 : -60) : 0;
        drawn.add(key);
        let d = `M${a.x} ${a.y + HEIGHT}`, x = a.x, y = a.y + HEIGHT;
        const stops = [...routes.get(index).flatMap((name) => [[at.get(name).x, at.get(name).y], [at.get(name).x, at.get(name).y + HEIGHT]]), [b.x, b.y]];
        for (const [u, v] of stops) { const down = (v - y) / 2; d += ` C${x + side} ${y + down} ${u + side} ${v - down} ${u} ${v}`; x = u; y = v; }
        canvas.layer.append(shape("path", { class: "edge " + kind, d, "marker-end": "url(#arrow)" }));
        const [u, v] = stops[0];
        spot = { x: (a.x + u) / 2 + side * 0.75, y: (a.y + HEIGHT + v) / 2 };
      }
      const text = way.holds === false ? "else" : way.holds ? way.label.split("; ")[0] : way.label;
      const label = shape("text", { class: "dim on", x: spot.x, y: spot.y + 3, "text-anchor": "middle" }, clip(text, 26));
      label.append(shape("title", {}, (way.holds === false ? "not: " : "") + way.label));
      canvas.layer.append(label);
    }
    for (const [name, spot] of at) {
      if (name.startsWith("way")) continue;
      const node = Number(name), { kind, line } = now.nodes[node];
      const group = shape("g", { class: "node", transform: `translate(${spot.x - WIDTH / 2} ${spot.y})` });
      group.append(shape("rect", { class: `box ${kind} ${folded.has(node) ? "folded" : ""}`, width: WIDTH, height: HEIGHT, rx: kind === "loop" ? 13 : 5 }));
      group.append(shape("text", { x: WIDTH / 2, y: 17, "text-anchor": "middle" }, (kind ? kind + " " : "") + (line || "")));
      group.append(shape("title", {}, kind === "loop" ? "A loop: a click folds it" : "line " + line));
      group.addEventListener("click", () => {
        if (canvas.moved) return;
        if (inside.has(node)) { if (folded.has(node)) folded.delete(node); else folded.add(node); draw(); }
        if (line) goTo(now.file, line);
      });
      canvas.layer.append(group);
    }
  }
  choice.addEventListener("change", () => choose(Number(choice.value)));
  choose(0);
  return canvas;
}
