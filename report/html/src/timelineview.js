/* SPDX-License-Identifier: MIT */
/*
 * The timeline's panel. From the top: an overview of the whole time with the
 * visible part marked, an axis, and the lanes. Dragging in the upper two
 * selects a time range for all views; dragging lanes moves them.
 */
import { stackOfContext } from "./actions.js";
import { composeRange, parseRange } from "./address.js";
import { element, replace, segments } from "./dom.js";
import * as format from "./format.js";
import { Heatmap } from "./heatmap.js";
import { GUTTER, Lanes, ROW, styles } from "./lanes.js";
import { HEAD, TimelineHead } from "./timelinehead.js";
import { TimelineMouse } from "./timelinemouse.js";
import { sliceFacts } from "./timelinetips.js";
import { isMenuKey } from "./menu.js";
import { moment } from "./timescale.js";
import { showLegend, where } from "./tips.js";

const NARROWEST_NS = 10; /* minimal time across the whole width */
const SMOOTH_MS = 160;

const isStill = () =>
  matchMedia("(prefers-reduced-motion: reduce)").matches;

export class TimelineView {
  static keys = ["tv", "call", "heat"];

  constructor(host, app) {
    this.app = app;
    this.timeline = app.profile.timeline;
    this.lanes = new Lanes(this.timeline, app.colours);
    this.selected = null; /* a slice, or null */
    this.host = element("div.graph");
    this.canvas = element("canvas", {
      tabindex: "0", role: "application", "aria-label": "Timeline" });
    this.trail = element("div.trail", { role: "status" });
    this.legend = element("div.legend");
    this.note = element("p.note", { hidden: true });
    this.host.append(this.canvas);
    host.append(this.host, this.note,
                element("footer", {}, this.trail, this.legend));
    this.heat = this.timeline.samples.count > 0
      ? new Heatmap(this.timeline) : null;
    this.isHeat = false;
    this.from = this.timeline.from;
    this.to = this.timeline.to;
    this.head = new TimelineHead(this);
    this.mouse = new TimelineMouse(this);
    this.tools = this.#makeTools();
    this.#sayWhatIsLeftOut();
    this.#listen();
    this.describe();
  }

  #listen() {
    new ResizeObserver(() => this.render()).observe(this.host);
    this.canvas.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || !this.key(event))
        return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  #makeTools() {
    const { canFollow } = this.timeline;

    this.shape = this.heat && segments("Shape", [
      ["lanes", "Lanes", "A lane for each thread (h)"],
      ["heat", "Heatmap", "A column for each second or fraction of a second (h)"]],
      "lanes", (shape) => this.turn(shape === "heat", true));
    return [this.shape,
      element("button.plain", { type: "button",
        title: "Show one row per lane, or all rows (e)",
        onclick: () => this.foldAll() }, "Fold"),
      element("button.plain", { type: "button", title: "Show the whole time (0)",
        onclick: () => this.zoomOut() }, "Whole time"),
      canFollow && element("button.plain", { type: "button",
        title: "Show the selected or visible range in all views (r)",
        onclick: () => this.chooseSight() }, "Visible range"),
      this.app.views.graph.mode];
  }

  /* Reports calls and samples that the page does not contain. */
  #sayWhatIsLeftOut() {
    const { meta, calls, lanes } = this.timeline;
    const told = lanes.reduce((sum, { notes }) =>
      sum + notes.filter(({ kind }) => kind !== "gap").length, 0);
    const said = [];

    if (meta.shortest_ns > 0)
      said.push(`${format.count(meta.calls - calls)} of ` +
        `${format.plural(meta.calls, "call")} are not in this page, because they ` +
        `took less than ${format.time(meta.shortest_ns)}; clew html --slices, ` +
        "or --from and --to, include more of them");
    if (meta.sampled_to_ns > 0)
      said.push(`${format.count(meta.samples - this.timeline.samples.count)} ` +
        `samples after ${moment(meta.sampled_to_ns, 1e6)} are not in this page; ` +
        "clew html --slices or --from includes them");
    if (meta.notes > told)
      said.push(`${format.count(meta.notes - told)} moments and regions are ` +
        "not in this page; clew html --slices includes them");
    if (meta.odd > 0)
      said.push(`${format.plural(meta.odd, "call")} have no context of their ` +
        "own in the other views; they are counted with their callers");
    if (meta.window)
      said.push("The timeline has a part of the recording's time");
    this.note.hidden = said.length === 0;
    this.note.textContent = said.map((text) => `${text}. `).join("");
  }

  /* ---- The visible part ---- */

  get width() {
    return Math.max(1, this.canvas.clientWidth - GUTTER - 8);
  }

  get scale() {
    return this.width / (this.to - this.from);
  }

  /* x() converts a time to pixels of the canvas, time() the reverse. */
  x(time) {
    return GUTTER + (time - this.pixelFrom) * this.scale;
  }

  time(x) {
    return this.pixelFrom + (x - GUTTER) / this.scale;
  }

  /* The time at the left edge. Pixels lie at multiples of their width. */
  get pixelFrom() {
    return Math.floor(this.from * this.scale) / this.scale;
  }

  look(from, to) {
    const { timeline } = this;
    const most = timeline.to - timeline.from;
    const wide = Math.min(most, Math.max(NARROWEST_NS, to - from));
    const middle = (from + to) / 2;

    this.from = Math.max(timeline.from,
                         Math.min(middle - wide / 2, timeline.to - wide));
    this.to = this.from + wide;
    this.render();
    this.app.address.adjust();
  }

  /* Moves the visible part smoothly, as a step that Back undoes, or as none. */
  glide(from, to, isStep = true) {
    const [left, right] = [this.from, this.to];
    const began = performance.now();
    const aim = this.aim = { from, to }; /* a later glide replaces it */
    const step = () => {
      if (this.aim !== aim)
        return;
      const part = Math.min(1, (performance.now() - began) / SMOOTH_MS);
      const eased = 1 - (1 - part) ** 3;

      this.look(left + (from - left) * eased, right + (to - right) * eased);
      if (part < 1)
        requestAnimationFrame(step);
      else
        this.aim = null;
    };

    if (isStep)
      this.app.address.step();
    if (!isStill()) {
      requestAnimationFrame(step);
      return;
    }
    this.look(from, to);
    this.aim = null;
  }

  zoomOut() {
    this.glide(this.timeline.from, this.timeline.to);
  }

  zoomBy(factor, time = (this.from + this.to) / 2) {
    this.look(time - (time - this.from) * factor,
              time + (this.to - time) * factor);
  }

  move(pixels) {
    const by = pixels / this.scale;

    this.look(this.from + by, this.to + by);
  }

  scrollBy(pixels) {
    const most = this.lanes.height - (this.canvas.clientHeight - HEAD);

    this.lanes.scroll = Math.max(0, Math.min(this.lanes.scroll + pixels, most));
    this.render();
  }

  get canScroll() {
    return this.lanes.height > this.canvas.clientHeight - HEAD;
  }

  /*
   * Zooms until the slice is in the middle and fills two thirds of the width.
   */
  zoomTo(i, isStep = true) {
    const { timeline } = this;
    const around = Math.max(timeline.length(i), NARROWEST_NS) * 0.25;

    this.glide(timeline.begin[i] - around, timeline.end[i] + around, isStep);
  }

  foldAll() {
    if (this.lanes.isAllFolded)
      this.lanes.unfoldAll();
    else
      this.lanes.foldAll();
    this.scrollBy(0);
  }

  turn(isHeat, isStep = false) {
    this.isHeat = isHeat;
    this.shape?.choose(isHeat ? "heat" : "lanes");
    this.mouse.hover(null);
    this.render();
    if (isStep)
      this.app.address.step();
  }

  /* ---- The address ---- */

  state() {
    const { timeline, selected } = this;
    const range = this.aim ?? this;
    const from = Math.max(timeline.from, Math.round(range.from));
    const to = Math.min(timeline.to, Math.round(range.to));
    const isWhole = from === timeline.from && to === timeline.to;

    return { tv: isWhole ? "" : composeRange({ from, to }),
             call: selected === null ? "" : timeline.nameOf(selected),
             heat: this.isHeat ? 1 : "" };
  }

  restore({ tv, call, heat }) {
    const { timeline } = this;
    const sight = parseRange(tv, timeline.from, timeline.to) ?? timeline;
    const selected = call ? timeline.find(call) : null;

    if (call && selected === null)
      this.app.miss("a call");
    this.isHeat = Boolean(this.heat) && heat === "1";
    this.shape?.choose(this.isHeat ? "heat" : "lanes");
    this.aim = null;
    this.selected = selected;
    this.look(sight.from, sight.to);
    this.describe();
  }

  /* ---- Selection ---- */

  select(i) {
    this.selected = i;
    if (i !== null) {
      const { context } = this.timeline;

      this.app.selectContext(this.timeline.odd.has(i) ? 0 : context[i],
                             this.timeline.function(i));
    }
    this.describe();
    this.render();
  }

  /* Selects the context of a sample, which is no slice. */
  selectContext(context) {
    this.selected = null;
    this.app.selectContext(context, this.timeline.contexts.function[context]);
    this.describe(context);
    this.render();
  }

  /* Opens the menu of the selected call, below it unless at a point. */
  openMenu(point) {
    const { timeline, selected, lanes } = this;

    if (selected === null)
      return;
    const { left, top } = this.canvas.getBoundingClientRect();
    const strip = lanes.stripOf(selected);

    this.app.openMenu(timeline.function(selected), point ?? {
      x: left + Math.max(GUTTER, this.x(timeline.begin[selected])) + 12,
      y: top + HEAD + (strip?.top ?? 0) - lanes.scroll + ROW },
    stackOfContext(this.app.profile, timeline.context[selected]));
  }

  /* Sets the time range of all views; null: all. */
  choose(range) {
    if (!this.timeline.canFollow)
      return;
    if (!range) {
      this.app.setRange(null);
      return;
    }
    const from = Math.max(this.timeline.from, Math.floor(range.from));

    this.app.setRange({ from, to: Math.max(from + 1, Math.min(
      this.timeline.to, Math.ceil(range.to))) });
  }

  chooseSight() {
    const { timeline, selected } = this;

    this.choose(selected === null ? { from: this.from, to: this.to }
      : { from: timeline.begin[selected], to: timeline.end[selected] });
  }

  /* Moves the selection along a row, to the caller, or to the first callee. */
  walk(to) {
    const { timeline, selected } = this;

    if (selected === null) {
      this.#selectFirst();
      return;
    }
    const row = timeline.rowOf(selected);
    const next = { left: selected > row.first ? selected - 1 : null,
                   right: selected + 1 < row.end ? selected + 1 : null,
                   up: timeline.parent[selected] >= 0
                     ? timeline.parent[selected] : null,
                   down: this.#firstIn(selected, row) }[to];

    if (next === null)
      return;
    this.select(next);
    this.reveal(next);
  }

  #selectFirst() {
    const { timeline } = this;

    for (const row of timeline.rows) {
      const i = timeline.endsAfter(row, this.from);

      if (i < row.end && timeline.begin[i] <= this.to) {
        this.select(i);
        this.reveal(i);
        return;
      }
    }
  }

  #firstIn(i, row) {
    const { timeline } = this;
    const below = row.lane.rows[row.depth + 1];
    const first = below && timeline.beginsFrom(below, timeline.begin[i]);

    for (let at = first; below && at < below.end &&
      timeline.begin[at] <= timeline.end[i]; at++)
      if (timeline.parent[at] === i)
        return at;
    return null;
  }

  /* Moves as little as possible to make a slice visible and wide enough. */
  reveal(i) {
    const { timeline, lanes } = this;
    const [begin, end] = [timeline.begin[i], timeline.end[i]];
    const room = this.canvas.clientHeight - HEAD;
    let strip = lanes.stripOf(i);

    if (!strip) {
      const { lane } = timeline.rowOf(i);

      lane.isFolded = false;
      lane.isOpen = true;
      lanes.layOut();
      strip = lanes.stripOf(i);
    }
    if (strip.top < lanes.scroll || strip.top + ROW > lanes.scroll + room)
      this.scrollBy(strip.top - room / 2 - lanes.scroll);
    if ((end - begin) * this.scale < 8)
      this.zoomTo(i, false);
    else if (end < this.from || begin > this.to)
      this.glide(begin - (this.to - this.from) / 2,
                 begin + (this.to - this.from) / 2, false);
  }

  /* ---- The line below ---- */

  describe(context = 0) {
    const { profile } = this.app;
    const { timeline, selected } = this;
    const f = selected !== null ? timeline.function(selected)
      : timeline.contexts.function[context];

    if (selected === null && context === 0) {
      replace(this.trail, element("span.quiet", {},
        (timeline.canFollow
          ? "Drag over the top to select a range for all views · " : "") +
        "wheel or + − zooms · drag moves · click selects · Enter zooms · ? keys"));
      return;
    }
    const facts = selected === null ? [] : sliceFacts(timeline, selected);

    replace(this.trail,
      element("b", {}, profile.name(f)),
      element("span.quiet", {}, where(profile, f)),
      element("span", {}, facts.map(([term, text]) => `${term} ${text}`.trim())
        .join(" · ")),
      element("button.link", { type: "button",
        onclick: () => this.app.openButterfly(f) }, "callers and callees"),
      element("button.link", { type: "button",
        onclick: () => this.app.go("graph") }, "flame graph"));
  }

  /* ---- Keys ---- */

  key(event) {
    const { key, shiftKey } = event;

    if (isMenuKey(event)) {
      this.openMenu();
      return true;
    }
    const keys = {
      ArrowLeft: () => shiftKey ? this.move(-this.width / 5)
        : this.walk("left"),
      ArrowRight: () => shiftKey ? this.move(this.width / 5)
        : this.walk("right"),
      ArrowUp: () => shiftKey ? this.scrollBy(-3 * ROW) : this.walk("up"),
      ArrowDown: () => shiftKey ? this.scrollBy(3 * ROW) : this.walk("down"),
      PageUp: () => this.scrollBy(-this.canvas.clientHeight / 2),
      PageDown: () => this.scrollBy(this.canvas.clientHeight / 2),
      "+": () => this.zoomBy(0.6),
      "-": () => this.zoomBy(1 / 0.6),
      0: () => this.zoomOut(),
      Home: () => this.zoomOut(),
      Enter: () => this.selected !== null && this.zoomTo(this.selected),
      r: () => this.chooseSight(),
      z: () => this.app.profile.range && this.glide(
        this.app.profile.range.from, this.app.profile.range.to),
      e: () => this.foldAll(),
      h: () => this.heat && this.turn(!this.isHeat, true),
      Escape: () => this.#back(),
    };

    keys[key]?.();
    return Boolean(keys[key]);
  }

  /* Undoes one step: the selection, the range, or the zoom. */
  #back() {
    if (this.selected !== null)
      this.select(null);
    else if (this.app.profile.range)
      this.choose(null);
    else
      this.zoomOut();
  }

  focus() {
    this.canvas.focus({ preventScroll: true });
  }

  theme(isDark) {
    this.isDark = isDark;
    this.render();
  }

  show() {
    showLegend(this.legend, this.app.colours);
    this.render();
  }

  /* ---- Drawing ---- */

  /* Draws in the next animation frame, once for all changes. */
  render() {
    if (this.isAsked)
      return;
    this.isAsked = true;
    requestAnimationFrame(() => {
      this.isAsked = false;
      this.draw();
    });
  }

  draw() {
    const { clientWidth: width, clientHeight: height } = this.host;
    const { canvas } = this;
    const ratio = devicePixelRatio || 1;

    if (width < GUTTER + 50 || height < HEAD)
      return; /* hidden */
    if (canvas.width !== Math.round(width * ratio) ||
        canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    const context = canvas.getContext("2d");

    this.style = this.isDark ? styles.dark : styles.light;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = this.style.back;
    context.fillRect(0, 0, width, height);
    if (this.isHeat) {
      this.heat.draw({ context, style: this.style, left: GUTTER, top: HEAD,
                       width: this.width, height: height - HEAD - 18,
                       from: this.from, to: this.to });
    } else {
      this.#drawLanes(context, height);
    }
    this.head.draw(context);
    this.#drawRange(context, height);
  }

  /* Draws the range that is being dragged, or that of all views. */
  #drawRange(context, height) {
    const { dragged } = this.mouse;
    const range = dragged ?? this.app.profile.range;

    if (!range)
      return;
    this.head.drawRange(context, height, range, Boolean(dragged));
    if (this.isHeat)
      this.heat.drawRange(context, this.style, range);
  }

  #drawLanes(context, height) {
    this.head.drawGrid(context, height);
    this.lanes.draw({ context, style: this.style, from: this.pixelFrom,
                      scale: this.scale, left: GUTTER, width: this.width,
                      top: HEAD, height: height - HEAD });
    this.#drawSelected(context, height);
    this.#drawScroll(context, height);
  }

  /* Draws a scroll bar if not all lanes are visible. */
  #drawScroll(context, height) {
    const room = height - HEAD;
    const share = room / this.lanes.height;

    if (share >= 1)
      return;
    context.fillStyle = this.style.hover;
    context.fillRect(GUTTER + this.width + 2,
                     HEAD + this.lanes.scroll * share, 5, room * share);
  }

  #drawSelected(context, height) {
    const { timeline, selected, lanes } = this;
    const strip = selected === null ? null : lanes.stripOf(selected);
    const y = strip && HEAD + strip.top - lanes.scroll;

    if (!strip || y < HEAD - ROW || y > height)
      return;
    const left = Math.max(GUTTER, this.x(timeline.begin[selected]));
    const right = Math.min(GUTTER + this.width,
                           this.x(timeline.end[selected]));

    if (right < GUTTER || left > GUTTER + this.width)
      return;
    context.save();
    context.beginPath();
    context.rect(0, HEAD, GUTTER + this.width + 2, height - HEAD);
    context.clip();
    context.strokeStyle = this.style.accent;
    context.lineWidth = 2;
    context.strokeRect(left, y, Math.max(2, right - left - 1), ROW - 2);
    context.restore();
  }
}
