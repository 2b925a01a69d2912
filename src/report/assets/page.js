"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const make = (name, attributes) => {
    const element = document.createElementNS(SVG, name);
    for (const key in attributes) element.setAttribute(key, attributes[key]);
    return element;
  };
  const number = (element, name) => parseFloat(element.getAttribute(name));

  // Of steps that have dates: what is in column `to` of the pairs where column `from` is `at`.
  const along = (dates, at, from, to) => {
    let i = 1;
    while (i + 1 < dates.length && dates[i][from] < at) ++i;
    const [a, b] = [dates[i - 1], dates[i]];
    return a[to] + (at - a[from]) / (b[from] - a[from]) * (b[to] - a[to]);
  };
  const dateText = (seconds, step) => {
    const least = step >= 1 ? 1000 : 1;
    const text = new Date(Math.round(seconds * 1000 / least) * least).toISOString();
    return text.replace("T", " ").slice(0, step >= 86400 ? -14 : step >= 60 ? -8 : step >= 1 ? -5 : -1);
  };

  // The multiples between two ends of the step that suits them, of those that an axis tells.
  const ticks = (low, high, { dates, steps, unit, suffix }) => {
    const about = dates ? 5 : 8;
    const [from, to] = [low, high].map((at) => dates ? along(dates, at, 0, 1) : at / unit);
    const step = steps.find((s) => s >= (to - from) / about * (1 - 1e-9)) || steps[steps.length - 1];
    const decimals = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
    const apart = (high - low) / (1.5 * about);
    const found = [];
    for (let k = Math.ceil(from / step - 1e-9); k * step <= to + 1e-9 * step; ++k) {
      if (found.length > 4 * about) break;
      const value = dates ? along(dates, k * step, 1, 0) : k * step * unit;
      if (found.length > 0 && value - found[found.length - 1].value < apart) continue;
      const label = dates ? dateText(k * step, step) : k === 0 ? "0"
        : (k < 0 ? "−" : "") + Math.abs(k * step).toFixed(decimals) + suffix;
      found.push({ value, label });
    }
    return found;
  };
  const rulerOf = ({ dates, steps, unit, suffix }) => ({
    dates: dates ? dates.split(" ").map((pair) => pair.split(",").map(Number)) : null,
    steps: steps.split(" ").map(Number), unit: Number(unit), suffix });

  // All panels of a figure show the same stretch of their x axis.
  class Zoom {
    constructor(plot) {
      this.plot = plot;
      this.views = [...plot.querySelectorAll(":scope > .view")];
      this.axes = [...plot.querySelectorAll(":scope > .axis.x")];
      const first = this.views[0];
      this.x = number(first, "x");
      this.width = number(first, "width");
      this.low = number(first, "data-x0");
      this.high = number(first, "data-x1");
      this.range = [this.low, this.high];
      this.ruler = rulerOf(plot.dataset);
      this.labels = this.axes.map((axis) => axis.innerHTML);
      this.cursors = this.views.map((view) => {
        const height = number(view, "height");
        return view.appendChild(
          make("line", { class: "cursor", y1: 0, y2: height, x1: -9, x2: -9 }));
      });
      this.value = plot.appendChild(
        make("text", { class: "value", x: this.x, y: -2, "text-anchor": "middle" }));
      plot.addEventListener("pointerdown", (event) => this.press(event));
      plot.addEventListener("pointermove", (event) => this.move(event));
      plot.addEventListener("pointerup", (event) => this.release(event));
      plot.addEventListener("pointerleave", () => this.hide());
      plot.addEventListener("dblclick", () => this.show(this.low, this.high));
      plot.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    }
    // The number on the x axis under the pointer, held within the panels.
    at(event) {
      const place = new DOMPoint(event.clientX, event.clientY)
        .matrixTransform(this.plot.getScreenCTM().inverse());
      const share = Math.min(1, Math.max(0, (place.x - this.x) / this.width));
      return this.range[0] + share * (this.range[1] - this.range[0]);
    }
    place(value) {
      return (value - this.low) / (this.high - this.low) * this.width;
    }
    press(event) {
      if (event.button !== 0 || event.pointerType === "touch") return;
      this.plot.setPointerCapture(event.pointerId);
      this.start = { value: this.at(event), moves: event.shiftKey, range: this.range };
      event.preventDefault();
    }
    move(event) {
      const value = this.at(event);
      this.cursors.forEach((line) => {
        line.setAttribute("x1", this.place(value));
        line.setAttribute("x2", this.place(value));
      });
      const share = (value - this.range[0]) / (this.range[1] - this.range[0]);
      this.value.setAttribute("x", this.x + share * this.width);
      const { dates } = this.ruler;
      const [name, unit] = this.plot.dataset.label.split(" / ");
      const digits = Math.max(0, Math.min(9,
        Math.ceil(3 - Math.log10(this.range[1] - this.range[0]))));
      this.value.textContent = dates ? dateText(along(dates, value, 0, 1), 1)
        : name + " " + value.toFixed(digits) + (unit ? " " + unit : "");
      if (!this.start) return;
      if (this.start.moves) {
        const [low, high] = this.range;
        const shift = this.start.value - value;
        this.show(low + shift, high + shift);
      } else {
        this.brush(this.start.value, value);
      }
    }
    brush(a, b) {
      if (!this.brushes) {
        this.brushes = this.views.map((view) => view.appendChild(
          make("rect", { class: "brush", y: 0, height: number(view, "height") })));
      }
      this.brushes.forEach((rect) => {
        rect.setAttribute("x", this.place(Math.min(a, b)));
        rect.setAttribute("width", Math.abs(this.place(b) - this.place(a)));
      });
    }
    release(event) {
      const start = this.start;
      this.start = null;
      if (this.brushes) this.brushes.forEach((rect) => rect.remove());
      this.brushes = null;
      if (!start || start.moves) return;
      const value = this.at(event);
      const span = Math.abs(value - start.value);
      if (span > (this.range[1] - this.range[0]) * 0.01) {
        this.show(Math.min(value, start.value), Math.max(value, start.value));
      }
    }
    hide() {
      this.cursors.forEach((line) => { line.setAttribute("x1", -9); line.setAttribute("x2", -9); });
      this.value.textContent = "";
    }
    wheel(event) {
      if (!event.ctrlKey) return;
      event.preventDefault();
      const value = this.at(event);
      const factor = Math.pow(1.2, Math.sign(event.deltaY));
      this.show(value - (value - this.range[0]) * factor, value + (this.range[1] - value) * factor);
    }
    show(low, high) {
      const span = Math.max((this.high - this.low) * 1e-4,
        Math.min(high - low, this.high - this.low));
      low = Math.max(this.low, Math.min(low, this.high - span));
      high = low + span;
      const whole = span > (this.high - this.low) * 0.9999;
      this.range = whole ? [this.low, this.high] : [low, high];
      this.plot.classList.toggle("zoomed", !whole);
      this.views.forEach((view) => {
        const height = number(view, "height");
        view.setAttribute("viewBox", this.place(this.range[0]) + " 0 "
          + (this.place(this.range[1]) - this.place(this.range[0])) + " " + height);
      });
      this.axes.forEach((axis, i) => {
        axis.innerHTML = this.labels[i];
        if (whole) return;
        const grid = axis.querySelector(".grid");
        const text = axis.querySelector(".tick");
        const models = [grid, text].filter((model) => model);
        axis.replaceChildren();
        for (const tick of ticks(...this.range, this.ruler)) {
          const share = (tick.value - this.range[0]) / (this.range[1] - this.range[0]);
          const x = this.x + share * this.width;
          for (const model of models) {
            const copy = axis.appendChild(model.cloneNode());
            if (model === text) {
              copy.textContent = tick.label;
              copy.setAttribute("x", x);
            } else {
              copy.setAttribute("x1", x);
              copy.setAttribute("x2", x);
            }
          }
        }
      });
    }
  }
  document.querySelectorAll(".plot.zoom").forEach((plot) => new Zoom(plot));

  // A click on a heading sorts its table by that column, a second one the other way.
  document.querySelectorAll("table.sortable").forEach((table) => {
    const body = table.tBodies[0];
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      head.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        [...head.parentNode.cells].forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const key = (row) => row.cells[column].getAttribute("data-value")
          || row.cells[column].textContent;
        const compare = (a, b) => {
          const [p, q] = [key(a), key(b)];
          const [x, y] = [parseFloat(p), parseFloat(q)];
          if (isNaN(x) || isNaN(y)) {
            return isNaN(x) === isNaN(y) ? p.localeCompare(q) : isNaN(x) ? 1 : -1;
          }
          return x - y;
        };
        [...body.rows].sort((a, b) => (down ? compare(b, a) : compare(a, b)))
          .forEach((row) => body.appendChild(row));
      });
    });
  });

  // A run under the pointer is lit wherever it is shown.
  document.querySelectorAll("[data-run]").forEach((element) => {
    const light = (on) => document.querySelectorAll("[data-run]").forEach((other) => {
      const same = other.getAttribute("data-run") === element.getAttribute("data-run");
      if (same) other.classList.toggle("lit", on);
    });
    element.addEventListener("pointerenter", () => light(true));
    element.addEventListener("pointerleave", () => light(false));
  });
})();
