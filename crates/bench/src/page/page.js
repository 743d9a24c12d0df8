"use strict";
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const element = (tag, kind, text) => { const made = document.createElement(tag); if (kind) made.className = kind; if (text !== undefined) made.textContent = text; return made; };
  const shape = (tag, attributes, text) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes || {})) made.setAttribute(name, String(value));
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const distinct = (values) => [...new Set(values)];
  const runs = data.runs, all = runs.concat(data.others);
  const engines = distinct(all.map((run) => run.engine));
  const COLOURS = ["var(--link)", "var(--bad)", "var(--good)", "var(--other)", "var(--open)", "var(--dim)"];
  const colour = (engine) => COLOURS[engines.indexOf(engine) % COLOURS.length];
  const isSolved = (run) => run.status === "correct" || run.status === "unjudged";
  const limit = data.settings.timeout_s;
  $("about").textContent = data.settings.property + ", " + limit + " s of CPU time and " + (data.settings.memory / 1e9).toFixed(1) + " GB for each run; " + distinct(runs.map((run) => run.task)).length + " tasks";

  // Engines, with what became of their runs.
  const statuses = ["correct", "wrong", "unjudged", "unknown", "timeout", "out of memory", "error"].filter((status) => runs.some((run) => run.status === status));
  for (const name of ["engine", "runs", ...statuses, "CPU time of the solved"]) $("summary-head").append(element("th", name === "engine" ? "" : "n", name));
  for (const engine of distinct(runs.map((run) => run.engine))) {
    const own = runs.filter((run) => run.engine === engine), row = element("tr");
    const name = element("td", "", engine);
    name.style.borderLeft = "4px solid " + colour(engine);
    name.style.paddingLeft = "8px";
    row.append(name, element("td", "n", String(own.length)));
    for (const status of statuses) { const count = own.filter((run) => run.status === status).length; row.append(element("td", "n " + (count ? status.split(" ").pop() : ""), String(count))); }
    row.append(element("td", "n", own.filter(isSolved).reduce((sum, run) => sum + run.cpu, 0).toFixed(1) + " s"));
    $("summary").append(row);
  }

  // Times on a logarithmic scale, from where noise ends.
  const FLOOR = 0.01;
  const top = Math.max(limit, ...all.map((run) => run.cpu || 0), 1);
  const scale = (seconds) => Math.log(Math.max(seconds, FLOOR) / FLOOR) / Math.log(top / FLOOR);
  const ticks = [];
  for (let tick = FLOOR; tick <= top * 1.0001; tick *= 10) ticks.push(tick);
  const text = (seconds) => (seconds >= 1 ? String(Math.round(seconds)) : String(Number(seconds.toPrecision(1)))) + " s";
  const WIDTH = 560, HEIGHT = 360, LEFT = 56, BOTTOM = 34, RIGHT = 16, TOP = 12;
  const plot = (place, label) => {
    place.textContent = "";
    const svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label });
    place.append(svg);
    return svg;
  };
  const across = (share) => LEFT + share * (WIDTH - LEFT - RIGHT), upwards = (share) => HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP);
  const timesUpwards = (svg) => { for (const tick of ticks) { const y = upwards(scale(tick)); svg.append(shape("path", { class: "grid", d: `M${LEFT} ${y} H${WIDTH - RIGHT}` }), shape("text", { x: LEFT - 6, y: y + 4, "text-anchor": "end", class: "dim" }, text(tick))); } };
  const frame = (svg) => svg.append(shape("path", { class: "axis", d: `M${LEFT} ${TOP} V${HEIGHT - BOTTOM} H${WIDTH - RIGHT}` }));
  (function cactus() {
    const svg = plot($("cactus"), "Number of tasks solved, by time");
    timesUpwards(svg);
    const most = Math.max(1, ...engines.map((engine) => all.filter((run) => run.engine === engine && isSolved(run)).length));
    const step = Math.max(1, Math.ceil(most / 6));
    for (let count = 0; count <= most; count += step) svg.append(shape("text", { x: across(count / most), y: HEIGHT - BOTTOM + 16, "text-anchor": "middle", class: "dim" }, String(count)));
    engines.forEach((engine, index) => {
      const times = all.filter((run) => run.engine === engine && isSolved(run)).map((run) => run.cpu).sort((a, b) => a - b);
      if (!times.length) return;
      const line = times.map((time, at) => `${at ? "L" : "M"}${across((at + 1) / most).toFixed(1)} ${upwards(scale(time)).toFixed(1)}`).join(" ");
      const curve = shape("path", { class: "curve", d: line, stroke: colour(engine) });
      curve.append(shape("title", {}, engine + ": " + times.length));
      svg.append(curve, shape("text", { x: LEFT + 12, y: TOP + 16 + index * 17, fill: colour(engine), style: "fill:" + colour(engine) }, engine + " (" + times.length + ")"));
    });
    frame(svg);
    svg.append(shape("text", { x: WIDTH - RIGHT, y: HEIGHT - 4, "text-anchor": "end", class: "dim" }, "tasks"));
  })();
  function scatter() {
    const [first, second] = [$("left").value, $("right").value];
    const svg = plot($("scatter"), "CPU times, task by task");
    timesUpwards(svg);
    for (const tick of ticks) { const x = across(scale(tick)); svg.append(shape("path", { class: "grid", d: `M${x} ${TOP} V${HEIGHT - BOTTOM}` }), shape("text", { x, y: HEIGHT - BOTTOM + 16, "text-anchor": "middle", class: "dim" }, text(tick))); }
    svg.append(shape("path", { class: "axis", "stroke-dasharray": "4 4", d: `M${across(0)} ${upwards(0)} L${across(1)} ${upwards(1)}` }));
    const ones = new Map(all.filter((run) => run.engine === first).map((run) => [run.task, run]));
    for (const other of all.filter((run) => run.engine === second)) {
      const one = ones.get(other.task);
      if (!one || !(isSolved(one) || isSolved(other))) continue;
      // Who has no answer stands at the limit.
      const [x, y] = [one, other].map((run) => scale(isSolved(run) ? run.cpu : top));
      const dot = shape("circle", { cx: across(x), cy: upwards(y), r: 4, style: "fill:" + (isSolved(one) && isSolved(other) ? "var(--link)" : "var(--bad)") });
      dot.append(shape("title", {}, other.task + ": " + (isSolved(one) ? one.cpu.toFixed(2) + " s" : one.status) + ", " + (isSolved(other) ? other.cpu.toFixed(2) + " s" : other.status)));
      svg.append(dot);
    }
    frame(svg);
  }
  if (engines.length < 2) $("against").hidden = true;
  else {
    for (const id of ["left", "right"]) {
      for (const engine of engines) { const option = element("option", "", engine); option.value = engine; $(id).append(option); }
      $(id).addEventListener("change", scatter);
    }
    $("left").value = engines[1]; $("right").value = engines[0];
    scatter();
  }

  // The table: sorted by a click on a heading, a part of it at a time.
  const COLUMNS = [["task", "task"], ["suite", "suite"], ["engine", "engine"], ["status", "status"], ["verdict", "verdict"], ["cpu", "CPU s"], ["memory", "MB"], ["reason", "reason"], ["log", "log"]];
  let by = "cpu", down = true, shown = 200;
  for (const [key, title] of COLUMNS) {
    const head = element("th", key === "cpu" || key === "memory" ? "n" : "");
    const button = element("button", "", title);
    button.type = "button";
    button.addEventListener("click", () => { down = by === key ? !down : key === "cpu" || key === "memory"; by = key; table(); });
    head.dataset.key = key;
    head.append(button);
    $("head").append(head);
  }
  for (const [id, key, every] of [["engine", "engine", "all engines"], ["status", "status", "all outcomes"], ["suite", "suite", "all suites"]]) {
    for (const value of ["", ...distinct(runs.map((run) => run[key])).sort()]) { const option = element("option", "", value || every); option.value = value; $(id).append(option); }
    $(id).addEventListener("change", () => { shown = 200; table(); });
  }
  function table() {
    const wanted = $("search").value.toLowerCase();
    const chosen = runs.filter((run) => ["engine", "status", "suite"].every((key) => !$(key).value || run[key] === $(key).value) && (!wanted || run.task.toLowerCase().includes(wanted) || run.reason.toLowerCase().includes(wanted)));
    const compare = (a, b) => { const [x, y] = [a[by] ?? "", b[by] ?? ""]; return typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y)); };
    chosen.sort((a, b) => (down ? -1 : 1) * compare(a, b));
    for (const head of $("head").children) head.setAttribute("aria-sort", head.dataset.key === by ? (down ? "descending" : "ascending") : "none");
    const body = $("runs");
    body.textContent = "";
    for (const run of chosen.slice(0, shown)) {
      const row = element("tr");
      const wrong = run.expected && run.verdict && run.expected !== run.verdict ? " (expected " + run.expected + ")" : "";
      row.append(element("td", "task", run.task), element("td", "", run.suite), element("td", "", run.engine), element("td", run.status.split(" ").pop(), run.status), element("td", "", (run.verdict || "") + wrong), element("td", "n", run.cpu.toFixed(2)), element("td", "n", run.memory.toFixed(0)), element("td", "reason", run.reason));
      const place = element("td");
      if (run.log) { const link = element("a", "", "log"); link.href = run.log; place.append(link); }
      row.append(place);
      body.append(row);
    }
    $("count").textContent = chosen.length + " of " + runs.length + " runs";
    $("more").hidden = chosen.length <= shown;
  }
  $("more").addEventListener("click", () => { shown += 1000; table(); });
  $("search").addEventListener("input", () => { shown = 200; table(); });
  $("dark").addEventListener("click", () => {
    const root = document.documentElement;
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
  });
  table();
})();
