"use strict";
// A drawing that can be moved and zoomed. Text goes in as text only.
const SVG = "http://www.w3.org/2000/svg";
function shape(tag, attributes, text) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes || {})) made.setAttribute(name, String(value));
  if (text !== undefined) made.textContent = text;
  return made;
}
function element(tag, kind, text) {
  const made = document.createElement(tag);
  if (kind) made.className = kind;
  if (text !== undefined) made.textContent = text;
  return made;
}
function clip(text, length) { return text.length > length ? text.slice(0, length - 1) + "…" : text; }

class Canvas {
  constructor(place) {
    this.place = place;
    this.box = element("div", "canvas");
    this.svg = shape("svg", { role: "img" });
    this.layer = shape("g");
    this.svg.append(this.layer);
    const tools = element("div", "tools");
    const button = (name, title, action) => {
      const made = element("button", "", name);
      made.type = "button"; made.title = title;
      made.addEventListener("click", action);
      tools.append(made);
      return made;
    };
    button("+", "Zoom in", () => this.zoom(1 / 1.3));
    button("−", "Zoom out", () => this.zoom(1.3));
    button("Fit", "Show all of it", () => this.fit());
    this.tools = tools; this.button = button;
    this.box.append(this.svg, tools);
    place.append(this.box);
    this.view = { x: 0, y: 0, width: 100, height: 100 };
    this.svg.addEventListener("wheel", (event) => {
      this.zoom(event.deltaY > 0 ? 1.15 : 1 / 1.15, this.point(event));
      event.preventDefault();
    }, { passive: false });
    let from = null;
    this.svg.addEventListener("pointerdown", (event) => { from = event; this.moved = false; });
    this.svg.addEventListener("pointermove", (event) => {
      if (!from || !event.buttons) { from = null; return; }
      const scale = this.scale();
      if (Math.hypot(event.clientX - from.clientX, event.clientY - from.clientY) < 3 && !this.moved) return;
      this.moved = true;
      this.view.x -= (event.clientX - from.clientX) * scale; this.view.y -= (event.clientY - from.clientY) * scale;
      from = event;
      this.apply();
    });
    this.svg.addEventListener("pointerup", () => { from = null; });
  }
  scale() { return Math.max(this.view.width / this.svg.clientWidth, this.view.height / this.svg.clientHeight) || 1; }
  point(event) {
    const area = this.svg.getBoundingClientRect(), scale = this.scale();
    return { x: this.view.x + this.view.width / 2 + (event.clientX - area.left - area.width / 2) * scale, y: this.view.y + this.view.height / 2 + (event.clientY - area.top - area.height / 2) * scale };
  }
  zoom(by, at) {
    const view = this.view;
    const center = at || { x: view.x + view.width / 2, y: view.y + view.height / 2 };
    view.x = center.x - (center.x - view.x) * by; view.y = center.y - (center.y - view.y) * by;
    view.width *= by; view.height *= by;
    this.apply();
  }
  apply() { const view = this.view; this.svg.setAttribute("viewBox", [view.x, view.y, view.width, view.height].map((n) => n.toFixed(1)).join(" ")); }
  clear(width, height) { this.layer.textContent = ""; this.whole = { width, height }; }
  // All of it, but never so large or so small that nothing can be read.
  fit() {
    const margin = 24, whole = this.whole, area = { width: this.svg.clientWidth || 800, height: this.svg.clientHeight || 600 };
    const scale = Math.min(2.2, Math.max(0.8, (whole.width + 2 * margin) / area.width, (whole.height + 2 * margin) / area.height));
    this.view = { x: whole.width / 2 - area.width * scale / 2, y: -margin, width: area.width * scale, height: area.height * scale };
    if (whole.width + 2 * margin > area.width * scale) this.view.x = -margin;
    if (whole.height + 2 * margin < area.height * scale) this.view.y = (whole.height - area.height * scale) / 2;
    this.apply();
  }
  curve(kind, x, y, u, v, bend) {
    const down = Math.max(18, Math.abs(v - y) / 2), side = bend || 0;
    const path = shape("path", { class: "edge " + kind, d: `M${x} ${y} C${x + side} ${y + down} ${u + side} ${v - down} ${u} ${v}`, "marker-end": "url(#arrow)" });
    this.layer.append(path);
    return path;
  }
  arrows() {
    const marker = shape("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 6, markerHeight: 6, orient: "auto" });
    marker.append(shape("path", { d: "M0 0 L8 4 L0 8 z", class: "arrow" }));
    const defs = shape("defs");
    defs.append(marker);
    this.layer.append(defs);
  }
  legend(entries) {
    const legend = element("div", "legend");
    for (const [colour, text] of entries) {
      const line = element("span");
      const sample = element("i");
      sample.style.borderColor = `var(--${colour})`;
      line.append(sample, text);
      legend.append(line);
    }
    this.box.append(legend);
  }
}
