(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const report = data.report;
  const run = report.counterexample || null;
  const steps = run ? run.steps : [];
  let now = 0;
  let file = null;
  let rows = [];

  // C text in colours. A comment may go on from line to line.
  const WORDS = new Set("auto break case char const continue default do double else enum extern float for goto if inline int long register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while _Bool".split(" "));
  const TOKEN = /\/\/.*|\/\*|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|[A-Za-z_]\w*|\d[\w.]*|[^\w"'/]+|./g;
  function colour(line, code, inComment) {
    let text = line;
    if (inComment) {
      const end = text.indexOf("*/");
      code.append(element("span", "c", end < 0 ? text : text.slice(0, end + 2)));
      if (end < 0) return true;
      text = text.slice(end + 2);
    }
    if (/^\s*#/.test(text)) { code.append(element("span", "d", text)); return false; }
    TOKEN.lastIndex = 0;
    for (let found; (found = TOKEN.exec(text)); ) {
      const part = found[0];
      if (part === "/*") {
        const end = text.indexOf("*/", found.index + 2);
        code.append(element("span", "c", end < 0 ? text.slice(found.index) : text.slice(found.index, end + 2)));
        if (end < 0) return true;
        TOKEN.lastIndex = end + 2;
        continue;
      }
      const kind = part.startsWith("//") ? "c" : /^["']/.test(part) ? "s" : /^\d/.test(part) ? "d" : WORDS.has(part) ? "k" : "";
      code.append(kind ? element("span", kind, part) : part);
    }
    return false;
  }

  // The source: one row for each line. What is not in sight costs nothing.
  function showFile(name) {
    if (file === name || !(name in data.sources)) return;
    file = name;
    const notes = new Map();
    for (const inv of data.invariants) if (inv.file === name) notes.set(inv.line, (notes.get(inv.line) || []).concat(inv.text));
    const weight = { SAFE: 0, UNKNOWN: 1, UNSAFE: 2 };
    const marks = new Map();
    for (const target of report.targets) if (target.file === name && !(weight[marks.get(target.line)] >= weight[target.verdict])) marks.set(target.line, target.verdict);
    const table = $("source");
    table.textContent = "";
    rows = [];
    const all = document.createDocumentFragment();
    let inComment = false;
    data.sources[name].forEach((text, index) => {
      const line = index + 1;
      const row = element("div", "row");
      const code = element("code", "text");
      inComment = colour(text, code, inComment);
      row.append(element("span", "number", String(line)), code, element("span", "values"));
      if (marks.has(line)) row.classList.add("target", marks.get(line).toLowerCase());
      if (notes.has(line)) row.append(element("span", "invariant", "always: " + notes.get(line).join("  and  ")));
      rows.push(row);
      all.append(row);
    });
    table.append(all);
    for (const option of $("file").options) option.selected = option.value === name;
  }
  function goTo(name, line) {
    showFile(name);
    const row = rows[line - 1];
    if (row) row.scrollIntoView({ block: "center" });
  }

  // What every name was last given, up to a step. States are kept now and then, so that a jump back is cheap.
  const EVERY = 512;
  const kept = [new Map()];
  function valuesAt(step) {
    const from = Math.min(Math.floor(step / EVERY), kept.length - 1);
    const state = new Map(kept[from]);
    for (let at = from * EVERY; at <= step && at < steps.length; at++) {
      for (const [name, value] of steps[at].changes) state.set(steps[at].function + " " + name, value);
      if ((at + 1) % EVERY === 0 && kept.length === (at + 1) / EVERY) kept.push(new Map(state));
    }
    return state;
  }

  // What happens at a step, with a mark if one of its decisions mattered.
  const remarks = (step) => step.remarks + (step.decisions.some((one) => one.mattered) ? " *" : "");

  // The current line, and beside the lines of the last steps what happened there.
  const TRAIL = 40;
  let lit = [];
  function show(step, scroll) {
    if (!steps.length) return;
    now = Math.max(0, Math.min(step, steps.length - 1));
    const here = steps[now];
    showFile(here.file);
    for (const row of lit) { row.classList.remove("now"); row.querySelector(".values").textContent = ""; }
    lit = [];
    for (let at = now; at >= Math.max(0, now - TRAIL); at--) {
      const row = steps[at].file === here.file && rows[steps[at].line - 1];
      if (!row || lit.includes(row)) continue;
      row.querySelector(".values").textContent = remarks(steps[at]);
      lit.push(row);
      if (at === now) {
        row.classList.add("now");
        if (scroll !== false) row.scrollIntoView({ block: "center" });
      }
    }
    $("slider").value = String(now);
    $("place").textContent = "step " + (now + 1) + " of " + steps.length + ", " + here.function + "(), line " + here.line;
    const table = $("state");
    table.textContent = "";
    const changed = new Set(here.changes.map(([name]) => here.function + " " + name));
    for (const [key, value] of valuesAt(now)) {
      const owner = key.slice(0, key.indexOf(" "));
      if (owner !== here.function) continue;
      const line = element("tr", changed.has(key) ? "changed" : "");
      line.append(element("td", "", key.slice(owner.length + 1)), element("td", "", value));
      table.append(line);
    }
    listStep();
  }

  // The list of steps with loops folded: only what is near is drawn.
  const folds = new Map();
  let list = [];
  function buildList() {
    list = [];
    const loops = run ? run.loops : [];
    const hidden = new Array(steps.length).fill(false);
    const heads = new Map();
    loops.forEach((loop, index) => {
      if (loop.rounds.length <= 4 || folds.get(index) === false) return;
      const from = loop.rounds[2];
      const to = Math.min(loop.rounds[loop.rounds.length - 1], steps.length);
      if (from >= to || hidden[from]) return;
      for (let at = from; at < to; at++) hidden[at] = true;
      heads.set(from, { loop: index, line: loop.line, first: 3, last: loop.rounds.length - 1, from, to });
    });
    for (let at = 0; at < steps.length; at++) {
      if (heads.has(at)) list.push(heads.get(at));
      if (!hidden[at]) list.push(at);
    }
  }
  const NEAR = 60;
  const endOf = (item) => (typeof item === "number" ? item : item.to - 1);
  function listStep() {
    const place = $("steps");
    place.textContent = "";
    let low = 0, high = list.length;
    while (low < high) { const middle = (low + high) >> 1; if (endOf(list[middle]) >= now) high = middle; else low = middle + 1; }
    const at = Math.min(low, list.length - 1);
    const all = document.createDocumentFragment();
    for (let index = Math.max(0, at - NEAR); index < Math.min(list.length, at + NEAR); index++) {
      const item = list[index];
      const line = element("button", "step");
      line.type = "button";
      if (typeof item === "number") {
        const step = steps[item];
        line.textContent = String(step.line).padStart(4) + "  " + "  ".repeat(Math.min(step.depth, 10)) + remarks(step);
        if (step.decisions.some((one) => one.mattered)) line.title = "* turned alone, this decision would have kept the run from the error";
        if (item === now) { line.classList.add("current"); line.setAttribute("aria-current", "step"); }
        line.addEventListener("click", () => show(item));
      } else {
        line.classList.add("fold");
        if (index === at) line.classList.add("current");
        line.textContent = "      rounds " + item.first + " to " + item.last + " of the loop on line " + item.line;
        line.title = "Unfold them";
        line.addEventListener("click", () => { folds.set(item.loop, false); buildList(); listStep(); });
      }
      all.append(line);
    }
    place.append(all);
    const current = place.querySelector(".current");
    if (current) place.scrollTop = current.offsetTop - place.clientHeight / 2;
  }

  let found = [], hit = -1;
  function find(text) {
    for (const row of found) row.classList.remove("found");
    found = text ? rows.filter((row) => row.querySelector(".text").textContent.includes(text)) : [];
    for (const row of found) row.classList.add("found");
    hit = -1;
    nextHit();
    if (!text) $("matches").textContent = "";
  }
  function nextHit() {
    hit = found.length ? (hit + 1) % found.length : -1;
    $("matches").textContent = found.length ? hit + 1 + " of " + found.length : "not found";
    if (found.length) found[hit].scrollIntoView({ block: "center" });
  }

  // Views: pictures are drawn when they are first looked at.
  const views = ["source", "tree", "automaton", "loops"];
  const canvases = {};
  function view(name) {
    for (const one of views) {
      $(one).hidden = one !== name;
      $("tab-" + one).setAttribute("aria-selected", String(one === name));
    }
    if (!has[name]) return;
    if (name === "tree" && !canvases.tree) canvases.tree = drawTree($("tree"), data.extras.trees, () => {});
    if (name === "automaton" && !canvases.automaton) canvases.automaton = drawAutomaton($("automaton"), data.functions, () => {});
  }
  data.extras.trees = data.extras.trees.filter((tree) => tree.nodes.length > 1);
  const has = { source: true, tree: data.extras.trees.length > 0, automaton: data.functions.length > 0, loops: data.extras.loops.length > 0 };
  for (const one of views) {
    $("tab-" + one).hidden = !has[one];
    $("tab-" + one).addEventListener("click", () => view(one));
  }
  for (const loop of data.extras.loops) {
    $("loops").append(element("h3", "", "The loop at " + loop.place));
    loop.parts.forEach(([title, lines], index) => {
      const part = element("details");
      part.open = index < 2;
      part.append(element("summary", "", title), element("pre", "", lines.join("\n")));
      $("loops").append(part);
    });
  }

  // The page.
  document.title = "Rhumb: " + report.verdict + " " + report.files.join(" ");
  $("verdict").textContent = report.verdict;
  $("verdict").className = report.verdict.toLowerCase();
  $("what").textContent = report.files.join(" ") + " ";
  $("what").append(element("small", "", report.data_model + ", starts in " + report.entry + (report.reason ? ": " + report.reason : "")));
  for (const name of Object.keys(data.sources)) {
    const option = element("option", "", name);
    option.value = name;
    $("file").append(option);
  }
  $("file").hidden = Object.keys(data.sources).length < 2;
  const link = (place, kind, text, name, line) => {
    const item = element("li", kind);
    const button = element("button", "goto", text);
    button.type = "button";
    button.addEventListener("click", () => { view("source"); goTo(name, line); });
    item.append(button);
    place.append(item);
  };
  for (const target of report.targets) {
    const text = target.verdict + "  line " + target.line + (report.files.length > 1 ? " of " + target.file : "") + ", " + target.kind + (target.error ? ": " + target.error : "") + (target.reason ? ": " + target.reason : "");
    link($("targets"), target.verdict.toLowerCase(), text, target.file, target.line);
  }
  for (const text of report.assumptions) $("assumptions").append(element("li", "", text));
  if (report.established) $("help").append(element("li", "", "Established: " + report.established));
  for (const text of report.help || []) $("help").append(element("li", "", text));
  for (const inv of data.invariants) link($("invariants"), "", "line " + inv.line + ": " + inv.text, inv.file, inv.line);
  if (run) for (const input of run.inputs) link($("inputs"), "", input.what + " on line " + input.line + " = " + input.value, input.file, input.line);
  const total = report.times.reduce((sum, time) => sum + time.seconds, 0) || 1;
  for (const time of report.times) {
    const line = element("div", "bar");
    const fill = element("span", "fill");
    fill.style.width = (100 * time.seconds / total).toFixed(1) + "%";
    line.append(element("span", "name", time.phase), fill, element("span", "seconds", time.seconds.toFixed(3) + " s"));
    $("times").append(line);
  }
  for (const id of ["help", "targets", "assumptions", "invariants", "inputs", "times"]) {
    if (!$(id).children.length) $(id).closest("section").hidden = true;
  }
  if (!steps.length) $("run").hidden = true;
  $("slider").max = String(Math.max(0, steps.length - 1));
  $("slider").addEventListener("input", (event) => show(Number(event.target.value)));
  $("back").addEventListener("click", () => show(now - 1));
  $("on").addEventListener("click", () => show(now + 1));
  $("file").addEventListener("change", (event) => showFile(event.target.value));
  $("search").addEventListener("input", (event) => find(event.target.value));
  $("search").addEventListener("keydown", (event) => { if (event.key === "Enter") nextHit(); });
  $("dark").addEventListener("click", () => {
    const root = document.documentElement;
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input[type=search], select")) return;
    const moves = { ArrowRight: 1, j: 1, ArrowLeft: -1, k: -1, PageDown: 20, PageUp: -20 };
    if (event.key in moves) { show(now + moves[event.key]); event.preventDefault(); }
    if (event.key === "Home") { show(0); event.preventDefault(); }
    if (event.key === "End") { show(steps.length - 1); event.preventDefault(); }
    if (event.key === "/") { $("search").focus(); event.preventDefault(); }
  });
  view("source");
  buildList();
  showFile(report.files[0] in data.sources ? report.files[0] : Object.keys(data.sources)[0]);
  if (steps.length) show(0, false);
})();
