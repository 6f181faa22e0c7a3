/* SPDX-License-Identifier: MIT */
/*
 * The frames of a flame graph, as a plugin of flame-chart-js, whose engine
 * draws on a canvas, fits text, zooms, and reports the item under the mouse.
 *
 * The library's own plugin needs an object for each node and sorts all of them.
 * This plugin walks only from the root to visible nodes. Children are in
 * descending order, so when one is too narrow to see, all following ones are
 * drawn as one pale block. The cost of drawing depends on the visible part, not
 * on the number of contexts.
 */
import { UIPlugin } from "flame-chart-js";
import { count } from "./format.js";

export const ROW = 19;
export const WIDTH = 1e9; /* width of the root in the engine's units */

const NARROWEST = 0.7; /* in pixels; narrower frames are drawn as a block */
const NARROWEST_TEXT = 22;
const MOST_FRAMES = 60000; /* limit for one drawing */

export class Frames extends UIPlugin {
  constructor(view) {
    super("frames");
    this.view = view;
    this.height = "flexible";
    this.min = 0;
    this.max = WIDTH;
    this.scroll = 0; /* in pixels, from the root */
    this.hovered = null;
    this.deepest = 0;
  }

  init(renderEngine, interactionsEngine) {
    super.init(renderEngine, interactionsEngine);
    interactionsEngine.on("hover", (region) => this.#hover(region));
    interactionsEngine.on("select", (region) => this.view.picked(
      region?.data ?? null));
    interactionsEngine.on("change-position", ({ deltaX, deltaY }) => {
      renderEngine.tryToChangePosition(deltaX);
      this.scrollBy(this.view.isFlame ? -deltaY : deltaY);
      if (deltaX)
        this.view.moved();
    });
    /*
     * Called for each mouse move, also within a frame, because the tip follows
     * the mouse.
     */
    interactionsEngine.on("move", (region) => this.#hover(region));
  }

  /* Returns the data of the frame at a point of the canvas, or null. */
  at(x, y) {
    return this.interactionsEngine.hitRegions.find((region) =>
      x >= region.x && x < region.x + region.w &&
      y >= region.y && y < region.y + region.h)?.data ?? null;
  }

  #hover(region) {
    this.hovered = region?.data ?? null;
    this.view.hovered(this.hovered);
  }

  get #most() {
    return (this.deepest + 2) * ROW - this.renderEngine.height;
  }

  scrollBy(pixels) {
    this.scrollTo(this.scroll + pixels);
    this.view.render();
  }

  scrollTo(pixels) {
    if (pixels + 2 * this.renderEngine.height > this.deepest * ROW)
      this.measure(Math.min(pixels, this.deepest * ROW));
    this.scroll = Math.max(0, Math.min(pixels, this.#most));
  }

  canScroll(pixels) {
    return pixels < 0 ? this.scroll > 0 : this.scroll < this.#most;
  }

  /* Returns the upper edge of a row on the canvas. */
  top(row) {
    return this.view.isFlame
      ? this.renderEngine.height - (row + 1) * ROW + this.scroll
      : row * ROW - this.scroll;
  }

  /*
   * Calls see(node, row, x, width, rest) for each visible node, in the engine's
   * units. `rest` is the number of children that a pale block stands for.
   */
  #walk(rows, see) {
    const { tree } = this.view;
    const engine = this.renderEngine;
    const left = engine.positionX;
    const scale = tree.value(tree.root) > 0
      ? WIDTH / tree.value(tree.root) : 0;
    const narrowest = NARROWEST / engine.zoom;
    const right = left + engine.width / engine.zoom;
    const stack = [[tree.root, 0, 0]];
    let seen = 0;

    while (stack.length && seen < MOST_FRAMES) {
      const [node, row, start] = stack.pop();
      const children = row + 1 < rows ? tree.children(node) : [];
      let at = start;

      see(node, row, start, tree.value(node) * scale, 0);
      seen++;
      for (let i = 0; i < children.length && at < right; i++) {
        const width = tree.value(children[i]) * scale;

        if (width < narrowest) {
          const rest = this.#rest(tree, children, i) * scale;

          if (rest >= narrowest && at + rest > left)
            see(node, row + 1, at, rest, children.length - i);
          break;
        }
        if (at + width > left)
          stack.push([children[i], row + 1, at]);
        at += width;
      }
    }
  }

  #rest(tree, children, first) {
    let sum = 0;

    for (let i = first; i < children.length; i++)
      sum += tree.value(children[i]);
    return sum;
  }

  /*
   * Returns the depth of the visible tree, for scrolling. Where searching is
   * expensive, the result may be only slightly deeper than the visible part.
   */
  measure(scroll = this.scroll) {
    const { reach } = this.view.tree;
    const seen = Math.max(0, scroll) + this.renderEngine.height;

    this.deepest = 0;
    this.#walk(seen / ROW + reach, (node, row) => {
      this.deepest = Math.max(this.deepest, row);
    });
  }

  render() {
    const engine = this.renderEngine;
    const last = Math.ceil((this.scroll + engine.height) / ROW) + 1;

    if (!this.view.tree)
      return true;
    this.#walk(last, (node, row, start, width, rest) => {
      const top = this.top(row);

      if (top > -ROW && top < engine.height)
        this.#frame(node, row, start, width, rest, top);
    });
    engine.resolveQueue();
    return true; /* the engine draws no time grid */
  }

  #frame(node, row, start, width, rest, top) {
    const engine = this.renderEngine;
    const { view } = this;
    const x = engine.timeToPosition(start);
    const across = width * engine.zoom;
    const gap = across > 3 ? 1 : 0;
    const region = { node, row, start, width, rest };

    this.interactionsEngine.addHitRegion("frame", region, x, top, across,
                                         ROW - 2, "pointer");
    if (rest) {
      engine.addRect({ color: view.restColour(region), x, y: top,
                       w: across - gap, h: ROW - 1 });
      if (across > 90)
        this.#label(`${count(rest)} more`, x, across, top);
      return;
    }
    const style = view.styleOf(node);

    engine.addRect({ color: style.colour, pattern: style.pattern, x, y: top,
                     w: across - gap, h: ROW - 1 });
    this.#label(view.label(node), x, across, top, view.shortLabel(node));
    if (node === view.selected)
      engine.addStroke({ color: view.style.accent, x: Math.max(x, 0) + 0.75,
                         y: top + 0.75, h: ROW - 2.5,
                         w: Math.min(across, engine.width - Math.max(x, 0)) -
                           gap - 1.5 }, 1);
  }

  /* Fits the text here, since the engine would cut names in the middle. */
  #label(text, x, across, top, short) {
    const engine = this.renderEngine;
    const room = Math.min(across + Math.min(x, 0), engine.width) - 9;

    if (room >= NARROWEST_TEXT)
      engine.addText({ text: this.view.labels.fit(
        engine.ctx, text, room, short), x, y: top, w: 1e6 });
  }

  /* Draws over the finished picture, so that hovering does not redraw it. */
  postRender() {
    const { hovered, renderEngine: engine } = this;
    const canvas = this.view.context;

    if (!hovered || !canvas)
      return;
    const x = Math.max(0, engine.timeToPosition(hovered.start));
    const right = Math.min(engine.width, engine.timeToPosition(
      hovered.start + hovered.width));
    const top = this.top(hovered.row);

    if (right <= x)
      return;
    canvas.save();
    canvas.fillStyle = this.view.style.hover;
    canvas.fillRect(x, top, right - x - (right - x > 3 ? 1 : 0), ROW - 1);
    canvas.restore();
  }
}
