"use strict";
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const element = (tag, kind, text) => {
    const made = document.createElement(tag);
    if (kind) made.className = kind;
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const run = data.report.counterexample || null;
  const steps = run ? run.steps : [];
  let now = 0;
  let file = null;
  let rows = [];

  // The source: one row for each line. Rows are plain, so that thousands of lines are no burden.
  function showFile(name) {
    if (file === name) return;
    file = name;
    const lines = data.sources[name] || [];
    const notes = new Map();
    for (const inv of data.report.invariants) {
      if (inv.file === name) notes.set(inv.line, (notes.get(inv.line) || []).concat(inv.expression));
    }
    const marks = new Map();
    for (const target of data.report.targets) {
      if (target.file === name) marks.set(target.line, target.verdict);
    }
    const table = $("source");
    table.textContent = "";
    rows = [];
    const all = document.createDocumentFragment();
    lines.forEach((text, index) => {
      const line = index + 1;
      const row = element("div", "row");
      row.append(element("span", "number", String(line)), element("code", "text", text), element("span", "values"));
      if (marks.has(line)) row.classList.add("target", marks.get(line).toLowerCase());
      if (notes.has(line)) {
        const margin = element("span", "invariant", "always: " + notes.get(line).join("  and  "));
        row.append(margin);
      }
      rows.push(row);
      all.append(row);
    });
    table.append(all);
    for (const option of $("file").options) option.selected = option.value === name;
  }

  // What every name was last given, up to a step. States are kept now and then, so that a jump back is cheap.
  const EVERY = 512;
  const kept = [new Map()];
  function valuesAt(step) {
    let from = Math.min(Math.floor(step / EVERY), kept.length - 1);
    let state = new Map(kept[from]);
    for (let at = from * EVERY; at <= step && at < steps.length; at++) {
      for (const [name, value] of steps[at].changes) {
        const key = steps[at].function + " " + name;
        state.set(key, value);
      }
      if ((at + 1) % EVERY === 0 && kept.length === (at + 1) / EVERY) kept.push(new Map(state));
    }
    return state;
  }

  function show(step, scroll) {
    if (!steps.length) return;
    now = Math.max(0, Math.min(step, steps.length - 1));
    const here = steps[now];
    showFile(here.file);
    for (const old of document.querySelectorAll(".row.now")) {
      old.classList.remove("now");
      old.querySelector(".values").textContent = "";
    }
    const row = rows[here.line - 1];
    if (row) {
      row.classList.add("now");
      row.querySelector(".values").textContent = here.remarks;
      if (scroll !== false) row.scrollIntoView({ block: "center" });
    }
    $("slider").value = String(now);
    $("place").textContent = "step " + (now + 1) + " of " + steps.length + ", " + here.function + "(), line " + here.line;
    const table = $("state");
    table.textContent = "";
    const changed = new Set(here.changes.map(([name]) => here.function + " " + name));
    for (const [key, value] of valuesAt(now)) {
      const [owner, name] = key.split(" ", 2);
      if (owner !== here.function) continue;
      const line = element("tr", changed.has(key) ? "changed" : "");
      line.append(element("td", "", key.slice(owner.length + 1) || name), element("td", "", value));
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
  function listStep() {
    const place = $("steps");
    place.textContent = "";
    let at = list.findIndex((item) => (typeof item === "number" ? item >= now : item.to > now));
    if (at < 0) at = list.length - 1;
    const all = document.createDocumentFragment();
    for (let index = Math.max(0, at - NEAR); index < Math.min(list.length, at + NEAR); index++) {
      const item = list[index];
      const line = element("button", "step");
      if (typeof item === "number") {
        const step = steps[item];
        line.textContent = step.line + "  " + "  ".repeat(step.depth) + step.remarks;
        if (item === now) line.classList.add("current");
        line.addEventListener("click", () => show(item));
      } else {
        line.classList.add("fold");
        line.textContent = "rounds " + item.first + " to " + item.last + " of the loop on line " + item.line;
        line.addEventListener("click", () => { folds.set(item.loop, false); buildList(); listStep(); });
      }
      all.append(line);
      if (item === now) line.setAttribute("aria-current", "step");
    }
    place.append(all);
    const current = place.querySelector(".current");
    if (current) place.scrollTop = current.offsetTop - place.offsetTop - place.clientHeight / 2;
  }

  function find(text) {
    for (const row of rows) row.classList.remove("found");
    if (!text) return;
    let first = null;
    for (const row of rows) {
      if (row.querySelector(".text").textContent.includes(text)) {
        row.classList.add("found");
        first = first || row;
      }
    }
    if (first) first.scrollIntoView({ block: "center" });
  }

  // The page.
  const report = data.report;
  document.title = "Rhumb: " + report.verdict + " " + report.files.join(" ");
  $("verdict").textContent = report.verdict;
  $("verdict").className = report.verdict.toLowerCase();
  $("what").textContent = report.files.join(" ") + " (" + report.data_model + ", starts in " + report.entry + ")" + (report.reason ? ": " + report.reason : "");
  for (const name of Object.keys(data.sources)) {
    const option = element("option", "", name);
    option.value = name;
    $("file").append(option);
  }
  for (const target of report.targets) {
    const line = element("li", target.verdict.toLowerCase(), target.verdict + "  " + target.file + ":" + target.line + ", " + target.kind + (target.reason ? ": " + target.reason : ""));
    $("targets").append(line);
  }
  for (const text of report.assumptions) $("assumptions").append(element("li", "", text));
  for (const inv of report.invariants) $("invariants").append(element("li", "", "line " + inv.line + ": " + inv.expression));
  if (run) for (const input of run.inputs) $("inputs").append(element("li", "", input.what + " on line " + input.line + " = " + input.value));
  const total = report.times.reduce((sum, time) => sum + time.seconds, 0) || 1;
  for (const time of report.times) {
    const line = element("div", "bar");
    const fill = element("span", "fill");
    fill.style.width = (100 * time.seconds / total).toFixed(1) + "%";
    line.append(element("span", "name", time.phase), fill, element("span", "seconds", time.seconds.toFixed(3) + " s"));
    $("times").append(line);
  }
  for (const id of ["targets", "assumptions", "invariants", "inputs", "times"]) {
    if (!$(id).children.length) $(id).closest("section").hidden = true;
  }
  if (!steps.length) $("run").hidden = true;
  $("slider").max = String(Math.max(0, steps.length - 1));
  $("slider").addEventListener("input", (event) => show(Number(event.target.value)));
  $("back").addEventListener("click", () => show(now - 1));
  $("on").addEventListener("click", () => show(now + 1));
  $("file").addEventListener("change", (event) => showFile(event.target.value));
  $("search").addEventListener("input", (event) => find(event.target.value));
  $("dark").addEventListener("click", () => {
    const root = document.documentElement;
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
  });
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("input[type=search], select")) return;
    const moves = { ArrowRight: 1, j: 1, ArrowLeft: -1, k: -1, PageDown: 20, PageUp: -20 };
    if (event.key in moves) { show(now + moves[event.key]); event.preventDefault(); }
    if (event.key === "Home") { show(0); event.preventDefault(); }
    if (event.key === "End") { show(steps.length - 1); event.preventDefault(); }
    if (event.key === "/") { $("search").focus(); event.preventDefault(); }
  });
  // The picture: drag to move, wheel to zoom.
  const picture = document.querySelector("#automaton svg");
  if (picture) {
    const box = picture.viewBox.baseVal;
    picture.addEventListener("wheel", (event) => {
      const by = event.deltaY > 0 ? 1.15 : 1 / 1.15;
      box.x += box.width * (1 - by) / 2; box.y += box.height * (1 - by) / 2;
      box.width *= by; box.height *= by;
      event.preventDefault();
    }, { passive: false });
    let from = null;
    picture.addEventListener("pointerdown", (event) => { from = event; picture.setPointerCapture(event.pointerId); });
    picture.addEventListener("pointermove", (event) => {
      if (!from) return;
      const scale = box.width / picture.clientWidth;
      box.x -= (event.clientX - from.clientX) * scale; box.y -= (event.clientY - from.clientY) * scale;
      from = event;
    });
    picture.addEventListener("pointerup", () => { from = null; });
  }
  buildList();
  showFile(report.files[0] in data.sources ? report.files[0] : Object.keys(data.sources)[0]);
  if (steps.length) show(0, false);
})();
