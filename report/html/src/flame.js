/* SPDX-License-Identifier: MIT */
/*
 * A flame graph on the page: a canvas that fills its host, the visible part of
 * a tree, zoom and its history, the selected frame, the tip beside the mouse,
 * and the keys.
 */
import { FlameChartContainer } from "flame-chart-js";
import { Frames, ROW, WIDTH } from "./frames.js";
import { element } from "./dom.js";
import { isMenuClick, isMenuKey } from "./menu.js";
import { Labels } from "./labels.js";
import { placeTip } from "./tips.js";

const SMOOTH_MS = 160;
const FONT = "12px system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', " +
  "'Noto Sans', 'DejaVu Sans', sans-serif";

const styles = {
  light: { background: "#ffffff", text: "#1c2230", accent: "#1d4ed8",
           hover: "rgba(15, 23, 42, 0.13)", rest: "#eceef2",
           restMatch: "#f3dcf8",
           stripe: "#d9dce3", stripeBack: "#f1f3f6" },
  dark: { background: "#14171d", text: "#e8eaf0", accent: "#8ab4ff",
          hover: "rgba(255, 255, 255, 0.16)", rest: "#20242c",
          restMatch: "#3d2446",
          stripe: "#353a45", stripeBack: "#22262f" },
};

const isStill = () =>
  matchMedia("(prefers-reduced-motion: reduce)").matches;

export class FlameView {
  /*
   * options: { colours, label: of the canvas, tip: (facts) => elements,
   * selected: (node or null), opened: (node) on a double click or Enter,
   * zoomed: (node, or null for any other part), menu: (node, { x, y }) }
   */
  constructor(host, options) {
    this.host = host;
    this.options = options;
    this.tree = null;
    this.selected = null;
    this.isFlame = false;
    this.labels = new Labels();
    /* Screen readers pass the arrow keys on to an application. */
    this.canvas = element("canvas", {
      tabindex: "0", role: "application", "aria-roledescription": "flame graph",
      "aria-label": `${options.label}. Arrow keys walk through the frames, ` +
        "Enter zooms" });
    this.tip = element("div.tip", { hidden: true });
    host.append(this.canvas);
    document.body.append(this.tip);
    this.frames = new Frames(this);
    this.#measureHost();
    this.container = new FlameChartContainer({
      canvas: this.canvas, plugins: [this.frames],
      settings: this.#settings(),
    });
    this.context = this.canvas.getContext("2d");
    this.theme(false);
    this.#listen();
  }

  get engine() {
    return this.container.renderEngine;
  }

  #measureHost() {
    this.canvas.width = Math.max(50, this.host.clientWidth);
    this.canvas.height = Math.max(50, this.host.clientHeight);
  }

  #settings() {
    const style = this.style ?? styles.light;

    return {
      options: { tooltip: () => true },
      styles: {
        main: { blockHeight: ROW - 1, blockPaddingLeftRight: 5, font: FONT,
                fontColor: style.text, backgroundColor: style.background },
        timeGrid: { color: "rgba(0,0,0,0)" },
      },
      patterns: [{ name: "note", type: "stripes",
                   config: { color: style.stripe, lineWidth: 3, spacing: 4,
                             background: style.stripeBack } }],
    };
  }

  theme(isDark) {
    this.style = isDark ? styles.dark : styles.light;
    this.container.setSettings(this.#settings());
  }

  #listen() {
    new ResizeObserver(() => this.fit()).observe(this.host);
    /*
     * If the mouse leaves without having moved, the engine treats this as a
     * click.
     */
    this.host.addEventListener("mouseleave", ({ target }) => {
      this.isLeaving = target === this.canvas;
    }, { capture: true });
    this.canvas.addEventListener("mouseleave", () => {
      this.isLeaving = false;
      this.hovered(null);
    });
    this.canvas.addEventListener("dblclick", () => {
      if (this.selected !== null)
        this.options.opened?.(this.selected);
    });
    this.canvas.addEventListener("mousemove", (event) => placeTip(this.tip, event));
    this.canvas.addEventListener("keydown", (event) => this.#key(event));
    this.#listenToMenu();
    this.#listenToFinger();
    /*
     * The engine zooms on every wheel event; here zooming needs a modifier key.
     */
    this.host.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey)
        this.#scroll(event);
      else
        requestAnimationFrame(() => this.moved());
    }, { capture: true, passive: false });
  }

  /* The engine would take the right button for a click. */
  #listenToMenu() {
    for (const each of ["mousedown", "mouseup"])
      this.host.addEventListener(each, (event) => {
        if (event.button !== 0)
          event.stopPropagation();
      }, { capture: true });
    this.canvas.addEventListener("contextmenu", (event) => {
      const { left, top } = this.canvas.getBoundingClientRect();
      const found = this.frames.at(event.clientX - left, event.clientY - top);

      event.preventDefault();
      if (!isMenuClick(event) || !found || found.rest)
        return;
      this.canvas.focus({ preventScroll: true });
      if (found.node !== this.tree.root) {
        this.select(found.node);
        this.hovered(null);
        this.options.menu?.(found.node, { x: event.clientX, y: event.clientY });
      }
    });
  }

  /* The engine knows the mouse only. A finger drags the graph. */
  #listenToFinger() {
    let at = null;

    this.canvas.addEventListener("pointerdown", ({ pointerType, clientX, clientY }) => {
      at = pointerType === "touch" ? { x: clientX, y: clientY } : null;
    });
    this.canvas.addEventListener("pointermove", ({ clientX, clientY }) => {
      if (!at)
        return;
      const { x, y } = at;
      const { positionX } = this.engine;

      at = { x: clientX, y: clientY };
      this.engine.tryToChangePosition((x - at.x) / this.engine.zoom);
      this.frames.scrollBy(this.isFlame ? at.y - y : y - at.y);
      if (this.engine.positionX !== positionX)
        this.moved();
    });
    for (const end of ["pointerup", "pointercancel"])
      this.canvas.addEventListener(end, () => {
        at = null;
      });
  }

  /* Opens the menu of the selected frame below it. */
  #openMenu() {
    const node = this.selected;

    if (node === null || node === this.tree.root)
      return;
    const { left, top } = this.canvas.getBoundingClientRect();
    const { start, row } = this.placeOf(node);
    const x = Math.max(0, this.engine.timeToPosition(start));

    this.options.menu?.(node, { x: left + x + 12,
                                y: top + this.frames.top(row) + ROW });
  }

  #scroll(event) {
    const sideways = event.shiftKey ? event.deltaY : event.deltaX;
    const pixels = this.isFlame ? -event.deltaY : event.deltaY;

    event.stopPropagation();
    if (sideways) {
      event.preventDefault();
      this.engine.tryToChangePosition(sideways / this.engine.zoom);
      this.render();
      this.moved();
    } else if (this.frames.canScroll(pixels)) {
      event.preventDefault();
      this.hovered(null);
      this.frames.scrollBy(pixels);
    }
  }

  /* Adapts the canvas to the size of its host. */
  fit() {
    const { clientWidth: width, clientHeight: height } = this.host;

    if (width < 10 || height < 10)
      return; /* hidden */
    if (width !== this.engine.width || height !== this.engine.height) {
      /* Adapts the visible part to the new width. */
      const left = this.engine.positionX;
      const right = left + this.engine.width / this.engine.zoom;

      this.engine.resize(width, height);
      this.frames.renderEngine.resize({ width, height, position: 0 }, true);
      this.#look(left, right);
    }
  }

  /* Shows a whole tree. */
  show(tree) {
    this.tree = tree;
    this.aim = null;
    this.selected = this.focus = null;
    this.frames.hovered = null;
    this.hovered(null);
    this.frames.scroll = 0;
    this.#look(0, WIDTH);
    this.frames.measure();
    this.options.selected?.(null);
  }

  render() {
    this.container.render();
  }

  turn(isFlame) {
    this.isFlame = isFlame;
    this.frames.scroll = 0;
    this.render();
  }

  label(node) {
    const f = this.tree.function(node);

    return f === 0 ? this.options.rootLabel?.(this.tree) ?? "all"
      : this.tree.profile.name(f);
  }

  shortLabel(node) {
    const f = this.tree.function(node);

    return f === 0 ? undefined : this.tree.profile.short(f);
  }

  styleOf(node) {
    const { colours } = this.options;
    const f = this.tree.function(node);

    if (f !== 0 && !colours.matches && colours.mode !== "change" &&
        this.tree.profile.kind(f) === "note")
      return { colour: "note", pattern: "note" };
    return { colour: colours.function(f, this.#change(node)) };
  }

  /*
   * Returns whether a match is among the children that are too narrow to see.
   */
  restColour({ node, rest }) {
    const { matches } = this.options.colours;
    const children = matches ? this.tree.children(node) : [];
    const hidden = children.slice(children.length - rest);

    return matches && this.tree.holdsMatch(hidden, matches)
      ? this.style.restMatch : this.style.rest;
  }

  #change(node) {
    const { profile, measure } = this.tree;

    if (this.options.colours.mode !== "change" || !profile.base)
      return 0;
    const { before, now } = this.tree.facts(node).base;

    if (profile.isRandom(measure, before, now))
      return 0;
    return profile.change(before[measure], now[measure]);
  }

  /* Shows a part of the tree. */

  #look(left, right) {
    this.engine.zoom = 0; /* otherwise setZoom() rejects large values */
    this.engine.setZoom(this.engine.width / (right - left));
    this.engine.setPositionX(Math.max(0, Math.min(
      left, WIDTH - this.engine.width / this.engine.zoom)));
    this.render();
  }

  #glide(left, right) {
    const from = [this.engine.positionX,
                  this.engine.positionX + this.engine.width / this.engine.zoom];
    const began = performance.now();
    const aim = this.aim = [left, right]; /* a later glide replaces it */
    const step = () => {
      if (this.aim !== aim)
        return;
      const part = Math.min(1, (performance.now() - began) / SMOOTH_MS);
      const eased = 1 - (1 - part) ** 3;

      this.#look(from[0] + (left - from[0]) * eased,
                 from[1] + (right - from[1]) * eased);
      if (part < 1)
        requestAnimationFrame(step);
      else
        this.#arrived();
    };

    if (!isStill())
      return requestAnimationFrame(step);
    this.#look(left, right);
    return this.#arrived();
  }

  #arrived() {
    this.aim = null;
    this.frames.measure();
    this.frames.scrollTo(this.frames.scroll);
    this.render();
  }

  /*
   * Returns the position of a node, which depends on its callers' other
   * callees.
   */
  placeOf(node) {
    const { tree } = this;
    const scale = WIDTH / (tree.value(tree.root) || 1);
    const path = [];
    let start = 0;

    for (let at = node; at !== tree.root; at = tree.parent(at))
      path.push(at);
    for (let i = path.length - 1, parent = tree.root; i >= 0; i--) {
      for (const child of tree.children(parent)) {
        if (child === path[i])
          break;
        start += tree.value(child) * scale;
      }
      parent = path[i];
    }
    return { start, width: tree.value(node) * scale, row: path.length };
  }

  zoomTo(node) {
    const { start, width } = this.placeOf(node);

    this.focus = node;
    this.#glide(start, start + width);
    this.options.zoomed?.(node);
  }

  /* Called when the visible part is no longer that of a node. */
  moved() {
    this.focus = null;
    this.options.zoomed?.(null);
  }

  /* The visible part of the width, { from, to }, from 0 to 1. */
  get sight() {
    const { positionX: from, width, zoom } = this.engine;
    const [left, right] = this.aim ?? [from, from + width / zoom];
    const digits = (share) => Number((share / WIDTH).toFixed(9));

    return { from: digits(left), to: digits(right) };
  }

  look({ from, to }) {
    this.focus = null;
    this.#look(from * WIDTH, to * WIDTH);
    this.#arrived();
  }

  reset() {
    this.select(null);
    this.frames.scroll = 0;
    this.focus = this.tree.root;
    this.#glide(0, WIDTH);
    this.options.zoomed?.(this.tree.root);
  }

  select(node) {
    this.selected = node;
    this.options.selected?.(node);
    this.render();
  }

  /* Handles a click: `region` is a frame's data, or null. */

  picked(region) {
    if (this.isLeaving)
      return;
    this.canvas.focus({ preventScroll: true });
    if (!region)
      return;
    if (region.rest) {
      this.#glide(region.start, region.start + region.width);
      this.moved();
      return;
    }
    if (region.node === this.tree.root)
      this.reset();
    else {
      this.select(region.node);
      this.zoomTo(region.node);
    }
  }

  hovered(region) {
    const key = region && `${region.node}/${region.rest}`;

    this.tip.hidden = !region;
    if (key !== this.tipped && region)
      this.tip.replaceChildren(...this.options.tip(this.tree, region));
    this.tipped = key;
  }

  /* Arrows walk, Enter zooms, Escape goes back. */

  #key(event) {
    const walks = { ArrowUp: this.isFlame ? "in" : "out",
                    ArrowDown: this.isFlame ? "out" : "in",
                    ArrowLeft: "left", ArrowRight: "right" };

    if (event.altKey || event.ctrlKey || event.metaKey)
      return;
    if (isMenuKey(event))
      this.#openMenu();
    else if (walks[event.key])
      this.walk(walks[event.key]);
    else if (event.key === "Enter" && this.selected !== null)
      this.zoomTo(this.selected);
    else if (event.key === "Escape")
      this.reset();
    else if (event.key === "+" || event.key === "-")
      this.#zoomBy(event.key === "+" ? 0.6 : 1 / 0.6);
    else
      return;
    event.preventDefault();
    event.stopPropagation();
  }

  #zoomBy(factor) {
    const wide = this.engine.width / this.engine.zoom;
    const middle = this.engine.positionX + wide / 2;
    const half = Math.min(wide * factor, WIDTH) / 2;
    const left = Math.max(0, Math.min(middle - half, WIDTH - 2 * half));

    this.#glide(left, left + 2 * half);
    this.moved();
  }

  walk(where) {
    const { tree } = this;
    const from = this.selected ?? this.focus ?? tree.root;
    const parent = tree.parent(from);
    let to;

    if (where === "in")
      [to] = tree.children(from);
    else if (where === "out")
      to = parent;
    else if (parent >= 0) {
      const row = tree.children(parent);

      to = row[row.indexOf(from) + (where === "left" ? -1 : 1)];
    }
    if (to === undefined || to < 0)
      return;
    this.select(to);
    this.reveal(to);
  }

  /* Moves as little as possible to make a node visible and wide enough. */
  reveal(node) {
    const { start, width, row } = this.placeOf(node);
    const left = this.engine.positionX;
    const right = left + this.engine.width / this.engine.zoom;
    const above = row * ROW - this.frames.scroll;

    if (above < 0 || above > this.engine.height - 2 * ROW)
      this.frames.scrollTo(row * ROW - this.engine.height / 2);
    if (start < left || start + width > right ||
        width * this.engine.zoom < 40)
      this.#glide(Math.max(0, start - width),
                  Math.min(WIDTH, start + 2 * width));
  }
}
