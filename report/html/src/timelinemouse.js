/* SPDX-License-Identifier: MIT */
/* Mouse actions in the timeline, and the tip beside the mouse. */
import { element } from "./dom.js";
import { GUTTER } from "./lanes.js";
import { isMenuClick } from "./menu.js";
import { HEAD, OVERVIEW } from "./timelinehead.js";
import { placeTip } from "./tips.js";
import { tipOf } from "./timelinetips.js";

const CLICK = 4; /* maximal movement of a click in pixels */

export class TimelineMouse {
  constructor(view) {
    this.view = view;
    this.press = null; /* the pressed button, and where it was pressed */
    this.tip = element("div.tip", { hidden: true });
    document.body.append(this.tip);
    this.#listen();
  }

  #listen() {
    const { canvas } = this.view;

    canvas.addEventListener("pointerdown", (event) => this.#press(event));
    canvas.addEventListener("pointermove", (event) => this.#drag(event));
    canvas.addEventListener("pointerup", (event) => this.#release(event));
    canvas.addEventListener("pointercancel", () => {
      this.press = null;
      this.view.render();
    });
    canvas.addEventListener("pointerleave", () => this.hover(null));
    canvas.addEventListener("contextmenu", (event) => this.#openMenu(event));
    canvas.addEventListener("dblclick", (event) => this.#open(event));
    canvas.addEventListener("wheel", (event) => this.#wheel(event),
                            { passive: false });
  }

  #point({ clientX, clientY }) {
    const box = this.view.canvas.getBoundingClientRect();

    return { x: clientX - box.left, y: clientY - box.top };
  }

  /* Returns the action of a drag that begins at this point. */
  #kindOf({ x, y }, isShifted) {
    if (x < GUTTER && y >= HEAD && !this.view.isHeat)
      return "fold";
    if (this.view.isHeat)
      return y >= OVERVIEW ? "cells" : "overview";
    if (y < OVERVIEW)
      return "overview";
    return y < HEAD || isShifted ? "range" : "move";
  }

  #press(event) {
    const point = this.#point(event);

    if (event.button !== 0)
      return;
    this.view.canvas.setPointerCapture(event.pointerId);
    this.press = { ...point, kind: this.#kindOf(point, event.shiftKey),
                   lastX: point.x, lastY: point.y, isMoved: false };
  }

  #drag(event) {
    const { press } = this;
    const point = this.#point(event);

    if (!press) {
      this.#hoverAt(point, event);
      return;
    }
    press.isMoved ||= Math.hypot(point.x - press.x, point.y - press.y) > CLICK;
    if (press.isMoved && press.kind === "move") {
      this.view.move(press.lastX - point.x);
      this.view.scrollBy(press.lastY - point.y);
    }
    press.lastX = point.x;
    press.lastY = point.y;
    this.hover(null);
    this.view.render();
  }

  #release(event) {
    const { press } = this;
    const point = this.#point(event);

    this.press = null;
    if (!press)
      return;
    this.view.canvas.focus({ preventScroll: true });
    press.lastX = point.x;
    press.lastY = point.y;
    const range = this.#dragged(press);

    if (press.isMoved && range)
      this.view.choose(range);
    else if (!press.isMoved)
      this.#click(point, press);
    this.view.render();
  }

  /* The range that is being dragged, or null. */
  get dragged() {
    return this.press?.isMoved ? this.#dragged(this.press) : null;
  }

  #dragged(press) {
    const { timeline } = this.view;
    const order = (a, b) => ({ from: Math.max(timeline.from, Math.min(a, b)),
                               to: Math.min(timeline.to, Math.max(a, b)) });

    if (press.kind === "range")
      return order(this.view.time(press.x), this.view.time(press.lastX));
    if (press.kind === "overview")
      return order(this.view.head.time(press.x),
                   this.view.head.time(press.lastX));
    if (press.kind === "cells") {
      const [a, b] = [this.view.heat.cellAt(press.x, press.y),
                      this.view.heat.cellAt(press.lastX, press.lastY)];

      return { from: Math.min(a.from, b.from), to: Math.max(a.to, b.to) };
    }
    return null;
  }

  #click(point, press) {
    const { view } = this;

    if (press.kind === "fold") {
      const strip = view.lanes.stripAt(point.y - HEAD + view.lanes.scroll);

      if (strip)
        view.lanes.fold(strip.lane);
      view.scrollBy(0);
    } else if (press.kind === "overview") {
      const time = view.head.time(point.x);
      const half = (view.to - view.from) / 2;

      view.look(time - half, time + half);
    } else if (press.kind === "cells") {
      view.choose(view.heat.cellAt(point.x, point.y));
    } else if (point.y >= HEAD) {
      this.#pick(this.#at(point));
    }
  }

  #pick(found) {
    const { view } = this;
    const { timeline, scale } = view;

    if (!found)
      view.select(null);
    else if (found.slice !== undefined)
      view.select(found.slice);
    else if (found.first !== undefined)
      view.glide(timeline.begin[found.first] - 20 / scale,
                 timeline.end[found.end - 1] + 20 / scale);
    else if (found.sample !== undefined)
      view.selectContext(timeline.samples.context[found.sample]);
  }

  #open(event) {
    const found = this.view.isHeat ? null : this.#at(this.#point(event));

    if (found?.slice !== undefined)
      this.view.app.openButterfly(
        this.view.timeline.function(found.slice));
  }

  #openMenu(event) {
    const found = this.view.isHeat ? null : this.#at(this.#point(event));

    event.preventDefault();
    if (!isMenuClick(event) || found?.slice === undefined)
      return;
    this.view.canvas.focus({ preventScroll: true });
    this.view.select(found.slice);
    this.hover(null);
    this.view.openMenu({ x: event.clientX, y: event.clientY });
  }

  #at({ x, y }) {
    const { lanes, pixelFrom: from, scale } = this.view;

    return x < GUTTER || y < HEAD ? null
      : lanes.at(x - GUTTER, y - HEAD, { from, scale });
  }

  #wheel(event) {
    const isZoom = event.ctrlKey || event.metaKey;
    const sideways = event.shiftKey ? event.deltaY : event.deltaX;
    const { x, y } = this.#point(event);
    const { view } = this;

    event.preventDefault();
    this.hover(null);
    if (!isZoom && sideways)
      view.move(sideways);
    else if (isZoom || y < HEAD || view.isHeat || !view.canScroll)
      view.zoomBy(Math.exp(event.deltaY * 0.002),
                  view.time(Math.max(GUTTER, x)));
    else
      view.scrollBy(event.deltaY);
  }

  /* ---- The tip ---- */

  #hoverAt(point, event) {
    const { isHeat, heat } = this.view;

    if (isHeat)
      this.hover(point.y < OVERVIEW ? null
        : { cell: heat.cellAt(point.x, point.y) });
    else
      this.hover(this.#at(point));
    placeTip(this.tip, event);
  }

  hover(found) {
    this.view.canvas.style.cursor = found ? "pointer" : "default";
    this.tip.hidden = !found;
    if (found)
      this.tip.replaceChildren(...tipOf(this.view.app.profile, found));
  }
}
