/* SPDX-License-Identifier: MIT */
/*
 * Samples of all threads as cells. A column is an interval of time; its cells
 * follow each other from the top and are darker the more time was sampled in
 * them. Periodic and irregular activity shows as patterns that sums do not
 * have.
 */
import { roundStep, moment } from "./timescale.js";

const COLUMN = 3; /* minimal width in pixels */
const USUAL_NS = [20e6, 1e9]; /* lengths of columns, if enough of them fit */
const FEWEST = 8; /* columns */
const CELLS = 50; /* number of cells in a column */

export class Heatmap {
  constructor(timeline) {
    this.timeline = timeline;
  }

  /*
   * Columns are 20 ms or one second long, or have a round length if there would be
   * too many or too few of them.
   */
  #lay({ from, to, left, top, width, height }) {
    const most = Math.floor(width / COLUMN);
    const wide = to - from;
    const column = USUAL_NS.find((each) =>
      wide / each >= FEWEST && wide / each <= most) ??
      roundStep(wide / Math.min(most, 60));
    const first = Math.floor(from / column);
    const columns = Math.max(1, Math.ceil(to / column) - first);
    const key = [column, first, columns].join();

    Object.assign(this, { left, top, width, height, column, first, columns,
                          cellWidth: width / columns,
                          cellHeight: height / CELLS });
    if (this.key !== key)
      this.#count();
    this.key = key;
  }

  #count() {
    const { samples } = this.timeline;
    const cell = this.column / CELLS;
    const begin = this.first * this.column;

    this.weight = new Float64Array(this.columns * CELLS);
    this.samples = new Uint32Array(this.columns * CELLS);
    for (let i = 0; i < samples.count; i++) {
      const step = samples.step(i);

      for (let look = 0; look < samples.looks[i]; look++) {
        const at = Math.floor((samples.time[i] + look * step - begin) / cell);

        if (at < 0 || at >= this.weight.length)
          continue;
        this.weight[at] += step;
        this.samples[at]++;
      }
    }
    this.most = this.weight.reduce((a, b) => Math.max(a, b), 0) || 1;
  }

  draw(view) {
    const { context, style } = view;

    this.#lay(view);
    const [red, green, blue] = style.heat;

    this.weight.forEach((weight, i) => {
      if (weight === 0)
        return;
      const x = this.left + Math.floor(i / CELLS) * this.cellWidth;
      const y = this.top + i % CELLS * this.cellHeight;
      const alpha = 0.08 + 0.92 * weight / this.most;

      context.fillStyle = `rgba(${red}, ${green}, ${blue}, ${alpha})`;
      context.fillRect(x, y, Math.max(1, this.cellWidth - 1),
                       Math.max(1, this.cellHeight - 0.5));
    });
    this.#drawAxes(context, style);
  }

  #drawAxes(context, style) {
    const every = Math.max(1, Math.ceil(90 / this.cellWidth));
    const bottom = this.top + this.height;

    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.fillStyle = style.quiet;
    for (let i = 0; i < this.columns; i += every)
      context.fillText(moment((this.first + i) * this.column, this.column),
                       this.left + i * this.cellWidth, bottom + 9);
    for (let i = 0; i < 5; i++)
      context.fillText(`+ ${moment(i * this.column / 5, this.column / 5)}`,
                       22, this.top + i * this.height / 5 + 7);
  }

  /* Returns { from, to, weight, samples } of the cell nearest to a point. */
  cellAt(x, y) {
    const within = (at, size, count) =>
      Math.max(0, Math.min(count - 1, Math.floor(at / size)));
    const column = within(x - this.left, this.cellWidth, this.columns);
    const row = within(y - this.top, this.cellHeight, CELLS);
    const i = column * CELLS + row;
    const from = this.first * this.column + i * this.column / CELLS;

    return { from, to: from + this.column / CELLS, weight: this.weight[i],
             samples: this.samples[i] };
  }

  /* The range runs down a column and continues at the top of the next. */
  drawRange(context, style, { from, to }) {
    const cell = this.column / CELLS;
    const begin = this.first * this.column;
    const first = Math.max(0, Math.floor((from - begin) / cell + 1e-6));
    const last = Math.min(this.weight.length,
                          Math.ceil((to - begin) / cell - 1e-6));

    context.strokeStyle = style.accent;
    context.lineWidth = 1.5;
    for (let at = first; at < last;) {
      const column = Math.floor(at / CELLS);
      const end = Math.min(last, (column + 1) * CELLS);

      context.strokeRect(this.left + column * this.cellWidth,
                         this.top + at % CELLS * this.cellHeight,
                         Math.max(1, this.cellWidth - 1),
                         (end - at) * this.cellHeight);
      at = end;
    }
  }
}
