/* SPDX-License-Identifier: MIT */
/*
 * The upper part of the timeline: an overview of the whole time, and an axis.
 */
import * as format from "./format.js";
import { GUTTER } from "./lanes.js";
import { marks, moment } from "./timescale.js";

export const OVERVIEW = 40; /* pixels */
const AXIS = 22;
export const HEAD = OVERVIEW + AXIS;

const MARK_ROOM = 110; /* in pixels, between marks on the axis */

export class TimelineHead {
  constructor(view) {
    this.view = view;
    this.timeline = view.timeline;
  }

  draw(context) {
    this.drawOverview(context);
    if (!this.view.isHeat)
      this.drawAxis(context);
  }

  drawGrid(context, height) {
    const { view } = this;
    const { moments } = marks(view.from, view.to, view.width / MARK_ROOM);

    context.fillStyle = view.style.line;
    for (const each of moments)
      context.fillRect(Math.round(view.x(each)), HEAD, 1, height - HEAD);
  }

  /* Returns the activity by time: looks of samples, or calls. */
  #activity() {
    const { timeline } = this;
    const size = Math.floor(this.view.width);

    if (this.activity?.length === size)
      return this.activity;
    const counts = new Float64Array(size);
    const scale = size / (timeline.to - timeline.from);
    const at = (time) => Math.min(size - 1,
      Math.max(0, Math.floor((time - timeline.from) * scale)));

    for (const row of timeline.rows)
      if (!row.isSampled)
        for (let i = row.first; i < row.end; i++)
          counts[at(timeline.begin[i])]++;
    if (timeline.calls === 0)
      for (let i = 0; i < timeline.samples.count; i++) {
        const [begin, end] = timeline.samples.span(i);
        const [a, b] = [at(begin), at(end)];

        for (let column = a; column <= b; column++)
          counts[column] += (end - begin) / (b - a + 1);
      }
    const most = counts.reduce((a, b) => Math.max(a, b), 0) || 1;

    this.activity = counts.map((count) => Math.sqrt(count / most));
    return this.activity;
  }

  x(time) {
    const { timeline } = this;

    return GUTTER + (time - timeline.from) / (timeline.to - timeline.from) *
      this.view.width;
  }

  time(x) {
    const { timeline } = this;
    const share = Math.max(0, Math.min(1, (x - GUTTER) / this.view.width));

    return timeline.from + share * (timeline.to - timeline.from);
  }

  drawOverview(context) {
    const { timeline } = this;
    const { style, width, from, to } = this.view;
    const activity = this.#activity();
    const [left, right] = [this.x(from), this.x(to)];

    context.fillStyle = style.band;
    context.fillRect(0, 0, GUTTER + width + 8, OVERVIEW);
    context.fillStyle = style.quiet;
    context.textBaseline = "middle";
    context.font = "11px system-ui, sans-serif";
    context.fillText(timeline.calls > 0 ? "calls begun"
      : timeline.samples.count > 0 ? "time sampled" : "", 22, OVERVIEW / 2);
    context.globalAlpha = 0.55;
    activity.forEach((share, i) => {
      if (share > 0)
        context.fillRect(GUTTER + i, OVERVIEW - 1 - share * (OVERVIEW - 6), 1,
                         share * (OVERVIEW - 6));
    });
    context.globalAlpha = 1;
    if (from > timeline.from || to < timeline.to) {
      context.strokeStyle = style.accent;
      context.lineWidth = 1.5;
      context.strokeRect(left, 1, Math.max(3, right - left), OVERVIEW - 2);
    }
    context.fillStyle = style.line;
    context.fillRect(0, OVERVIEW, GUTTER + width + 8, 1);
  }

  drawAxis(context) {
    const { view } = this;
    const { style, width } = view;
    const { step, moments } = marks(view.from, view.to, width / MARK_ROOM);

    context.fillStyle = style.band;
    context.fillRect(0, OVERVIEW + 1, GUTTER + width + 8, AXIS - 1);
    context.font = "11px system-ui, sans-serif";
    for (const each of moments) {
      const x = Math.round(view.x(each));

      context.fillStyle = style.line;
      context.fillRect(x, OVERVIEW, 1, AXIS);
      context.fillStyle = style.quiet;
      context.fillText(moment(each, step), x + 4, OVERVIEW + AXIS / 2);
    }
    context.fillStyle = style.line;
    context.fillRect(0, HEAD - 1, GUTTER + width + 8, 1);
  }

  /*
   * Dims everything outside of a range. While a range is dragged, its length is
   * shown.
   */
  drawRange(context, height, range, isDragged) {
    const { view } = this;
    const { style } = view;
    const right = GUTTER + view.width;
    const clip = (time) => Math.max(GUTTER, Math.min(right, view.x(time)));
    const parts = [[0, OVERVIEW, this.x(range.from), this.x(range.to)]];

    if (!view.isHeat)
      parts.push([OVERVIEW + 1, height, clip(range.from), clip(range.to)]);
    for (const [top, bottom, from, to] of parts) {
      context.fillStyle = style.veil;
      context.fillRect(GUTTER, top, from - GUTTER, bottom - top);
      context.fillRect(to, top, right - to, bottom - top);
      context.fillStyle = style.accent;
      for (const edge of [from, to])
        if (top === 0 || (edge > GUTTER && edge < right))
          context.fillRect(edge, top, 1, bottom - top);
    }
    if (!isDragged)
      return;
    context.font = "600 11px system-ui, sans-serif";
    context.fillText(format.time(range.to - range.from),
                     Math.min(right - 60, parts.at(-1)[2] + 6), HEAD + 10);
  }
}
