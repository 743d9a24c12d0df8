// Runs the script of a report's page on as much of a document as it needs: load, step, slide, fold, search, dark mode.
import { readFileSync } from "node:fs";
import assert from "node:assert/strict";

class Node {
  constructor(tag) {
    this.tag = tag; this.children = []; this.own = ""; this.names = new Set(); this.listeners = {}; this.dataset = {}; this.style = {};
    this.attributes = {}; this.parent = null; this.value = ""; this.hidden = false; this.scrolled = 0;
  }
  get textContent() { return this.own + this.children.map((child) => child.textContent).join(""); }
  set textContent(text) { this.own = String(text); this.children = []; }
  get className() { return [...this.names].join(" "); }
  set className(text) { this.names = new Set(text.split(" ").filter(Boolean)); }
  get classList() { return { add: (...all) => all.forEach((name) => this.names.add(name)), remove: (name) => this.names.delete(name), contains: (name) => this.names.has(name) }; }
  get options() { return this.children; }
  append(...all) {
    for (const child of all) {
      if (typeof child === "string") { const text = new Node("#text"); text.own = child; this.children.push(text); } else if (child.tag === "#fragment") this.append(...child.children); else { child.parent = this; this.children.push(child); }
    }
  }
  setAttribute(name, value) { this.attributes[name] = value; }
  addEventListener(name, listener) { (this.listeners[name] ||= []).push(listener); }
  fire(name, event = {}) { for (const listener of this.listeners[name] || []) listener({ target: this, preventDefault() {}, ...event }); }
  scrollIntoView() { this.scrolled += 1; }
  focus() {}
  matches() { return false; }
  closest() { return (this.section ||= new Node("section")); }
  *all() { for (const child of this.children) { yield child; yield* child.all(); } }
  querySelectorAll(selector) {
    const names = selector.split(".").filter(Boolean);
    return [...this.all()].filter((node) => names.every((name) => node.names.has(name)));
  }
  querySelector(selector) { return this.querySelectorAll(selector)[0] || null; }
}

const page = readFileSync(process.argv[2], "utf8");
const body = new Node("body");
const ids = new Map();
for (const [, tag, id] of page.matchAll(/<(\w+)[^>]*? id="([\w-]+)"/g)) {
  const node = new Node(tag);
  ids.set(id, node);
  body.append(node);
}
ids.get("data").textContent = page.split('type="application/json">')[1].split("</script>")[0];
const root = new Node("html");
const listeners = {};
globalThis.document = {
  getElementById: (id) => ids.get(id), createElement: (tag) => new Node(tag), createDocumentFragment: () => new Node("#fragment"),
  querySelector: (selector) => (selector.startsWith("#") ? null : body.querySelector(selector)), querySelectorAll: (selector) => body.querySelectorAll(selector),
  addEventListener: (name, listener) => { listeners[name] = listener; }, documentElement: root, title: "",
};
globalThis.matchMedia = () => ({ matches: false });
const script = page.split("<script>\n")[1].split("</script>")[0];
(0, eval)(script);

const data = JSON.parse(ids.get("data").textContent);
const steps = data.report.counterexample.steps;
const key = (name) => listeners.keydown({ key: name, target: body, preventDefault() {} });
const now = () => body.querySelectorAll(".row.now");
const line = () => Number(now()[0].querySelector(".number").textContent);
assert.equal(ids.get("verdict").textContent, "UNSAFE");
assert.equal(ids.get("source").children.length, data.sources[data.report.files[0]].length);
assert.equal(now().length, 1);
assert.equal(line(), steps[0].line);
key("ArrowRight");
assert.equal(line(), steps[1].line);
assert.ok(ids.get("state").textContent.length > 0);
ids.get("slider").value = String(steps.length - 1);
ids.get("slider").fire("input");
assert.equal(line(), steps.at(-1).line);
key("Home");
assert.equal(line(), steps[0].line);
key("k");
assert.equal(line(), steps[0].line, "nothing lies before the first step");
const folded = ids.get("steps").querySelectorAll(".fold");
assert.equal(folded.length, 1);
const before = ids.get("steps").children.length;
folded[0].fire("click");
assert.ok(ids.get("steps").children.length > before);
key("End");
assert.ok(ids.get("steps").children.length <= 130, "only what is near is drawn");
const started = process.cpuUsage().user;
for (let step = 0; step < 50; step++) { ids.get("slider").value = String((step * 7919) % steps.length); ids.get("slider").fire("input"); }
console.log(`50 jumps among ${steps.length} steps: ${((process.cpuUsage().user - started) / 1000).toFixed(0)} ms`);
ids.get("search").value = "reach_error";
ids.get("search").fire("input");
assert.ok(body.querySelectorAll(".found").length > 0);
ids.get("dark").fire("click");
assert.equal(root.dataset.theme, "dark");
ids.get("dark").fire("click");
assert.equal(root.dataset.theme, "light");
console.log("ok");
