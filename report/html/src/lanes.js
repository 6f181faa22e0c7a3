/* SPDX-License-Identifier: MIT */
/*
 * Lanes on a canvas: their layout, their drawing, and the item at a point.
 *
 * Each row is drawn from left to right. A slice wider than a pixel is drawn
 * with its width. Narrower slices are drawn together as one pixel in the colour
 * of the slice at its middle, paler the more of it is empty. The next slice is
 * found by bisection, so drawing costs as much as there are pixels, however
 * many slices there are. Pixels lie at multiples of their width from the
 * beginning of time, so moving does not make them flicker.
 */
import { Labels } from "./labels.js";
import { firstOf } from "./timeline.js";

export const GUTTER = 156; /* width of the names at the left */
export const ROW = 18;

const GAP = 7; /* height between lanes */
const FOLDED_ROWS = 24; /* visible rows of a deeper lane, until it is opened */
/* with more strips, lanes of samples show only activity */
const MANY_STRIPS = 60;
const NARROWEST = 1.5; /* in pixels; narrower slices are drawn together */
const NARROWEST_TEXT = 24;
const FONT = "11px system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', " +
  "'Noto Sans', 'DejaVu Sans', sans-serif";

export const styles = {
  light: { back: "#ffffff", band: "#f6f7f9", line: "#e3e6eb", text: "#1c2230",
           quiet: "#667085", accent: "#1d4ed8", veil: "rgba(246,247,249,0.72)",
           hover: "rgba(15,23,42,0.16)", gap: "#b42318", note: "#7c3aed",
           noteBack: "rgba(124,58,237,0.14)", heat: [29, 78, 216],
           zebra: "rgba(15,23,42,0.018)" },
  dark: { back: "#14171d", band: "#0f1217", line: "#272c36", text: "#e8eaf0",
          quiet: "#97a0b0", accent: "#8ab4ff", veil: "rgba(15,18,23,0.66)",
          hover: "rgba(255,255,255,0.2)", gap: "#fda29b", note: "#c4b5fd",
          noteBack: "rgba(196,181,253,0.18)", heat: [120, 170, 255],
          zebra: "rgba(255,255,255,0.018)" },
};

/* Returns [red, green, blue] of any colour that a canvas accepts. */
class Palette {
  constructor() {
    this.known = new Map();
    this.context = document.createElement("canvas").getContext("2d");
  }

  rgb(colour) {
    let found = this.known.get(colour);

    if (!found) {
      this.context.fillStyle = colour;
      const number = parseInt(this.context.fillStyle.slice(1), 16);

      found = [number >> 16, number >> 8 & 255, number & 255];
      this.known.set(colour, found);
    }
    return found;
  }
}

export class Lanes {
  constructor(timeline, colours) {
    this.timeline = timeline;
    this.colours = colours;
    this.labels = new Labels();
    this.palette = new Palette();
    this.buffer = document.createElement("canvas");
    this.scroll = 0;
    for (const lane of timeline.lanes)
      lane.isOpen = lane.rows.length <= FOLDED_ROWS;
    this.layOut();
    if (this.strips.length > MANY_STRIPS)
      this.foldAll(({ slices }) => slices === 0);
  }

  /* Creates strips of equal height from the top: { kind, lane, row, top }. */
  layOut() {
    let top = GAP / 2;

    this.strips = [];
    for (const lane of this.timeline.lanes) {
      const shown = lane.rows.length - this.hiddenRows(lane);

      lane.top = top;
      const add = (strip) => {
        this.strips.push({ ...strip, lane, top });
        top += ROW;
      };

      if (lane.samples > 0)
        add({ kind: "heat" });
      if (lane.notes.length > 0)
        add({ kind: "notes" });
      lane.rows.slice(0, shown).forEach((row) => add({ kind: "row", row }));
      if (top === lane.top)
        top += ROW;
      lane.height = top - lane.top;
      top += GAP;
    }
    this.height = top;
  }

  /*
   * Cycles through showing the first rows of a lane, all rows, and hardly any.
   */
  fold(lane) {
    const isDeep = lane.rows.length > FOLDED_ROWS;

    if (lane.isFolded || (isDeep && !lane.isOpen)) {
      lane.isOpen = !lane.isFolded || !isDeep;
      lane.isFolded = false;
    } else {
      lane.isFolded = true;
      lane.isOpen = false;
    }
    this.layOut();
  }

  foldAll(isWanted = () => true) {
    for (const lane of this.timeline.lanes)
      if (isWanted(lane)) {
        lane.isFolded = true;
        lane.isOpen = false;
      }
    this.layOut();
  }

  unfoldAll() {
    for (const lane of this.timeline.lanes) {
      lane.isFolded = false;
      lane.isOpen = lane.rows.length <= FOLDED_ROWS;
    }
    this.layOut();
  }

  get isAllFolded() {
    return this.timeline.lanes.every(({ isFolded }) => isFolded);
  }

  hiddenRows(lane) {
    const shown = lane.isOpen ? Infinity
      : !lane.isFolded ? FOLDED_ROWS : lane.samples > 0 ? 0 : 1;

    return Math.max(0, lane.rows.length - shown);
  }

  stripAt(y) {
    return this.strips.find(({ top }) => y >= top && y < top + ROW) ?? null;
  }

  stripOf(i) {
    return this.strips.find(({ row }) =>
      row && i >= row.first && i < row.end) ?? null;
  }

  /* ---- Drawing ---- */

  /*
   * view: { context, style, from, scale (pixels a ns), left, width, top, height
   * }. Draws times from `from` on, at pixels from `left` on.
   */
  draw(view) {
    const { context, style, top, height } = view;

    context.save();
    context.beginPath();
    context.rect(0, top, view.left + view.width, height);
    context.clip();
    context.font = FONT;
    context.textBaseline = "middle";
    this.drawn = 0;
    this.colourOf = [];
    this.rgbOf = [];
    this.timeline.lanes.forEach((lane, l) => {
      const y = top + lane.top - this.scroll;

      if (y > top + height || y + lane.height < top)
        return;
      if (l % 2) {
        context.fillStyle = style.zebra;
        context.fillRect(0, y - GAP / 2, view.left + view.width,
                         lane.height + GAP);
      }
      this.#name(view, lane, y);
    });
    this.#strips(view);
    context.restore();
  }

  #name({ context, style, left, top, height }, lane, y) {
    const at = Math.min(Math.max(y, top), y + lane.height - ROW) + ROW / 2;
    const hidden = this.hiddenRows(lane);
    const name = this.labels.fit(context, lane.name || "(no name)", 84);

    context.fillStyle = style.quiet;
    if (lane.rows.length > 0)
      context.fillText(lane.isFolded ? "▸" : "▾", 8, at);
    context.fillStyle = style.text;
    context.fillText(name, 22, at);
    context.fillStyle = style.quiet;
    context.fillText(String(lane.tid), 28 + context.measureText(name).width,
                     at);
    if (hidden > 0 && y + lane.height > top && at + ROW < y + lane.height &&
        at + ROW < top + height)
      context.fillText(this.labels.fit(context, `${hidden} more rows`,
                                       left - 30), 22, at + ROW);
  }

  #strips(view) {
    const { top, height } = view;
    const shown = this.strips.filter((strip) =>
      strip.top + ROW > this.scroll && strip.top < this.scroll + height);
    const width = Math.ceil(view.width) + 1;

    if (shown.length === 0)
      return;
    this.#clearBuffer(width, shown.length);
    const rects = new Map(); /* colour -> [x, y, width, slice], concatenated */

    shown.forEach((strip, s) => {
      const y = top + strip.top - this.scroll;

      if (strip.kind === "row")
        this.#row(view, strip.row, s * width, y, rects);
      else if (strip.kind === "heat")
        this.#heat(view, strip.lane, s * width, y, rects);
    });
    this.buffer.getContext("2d").putImageData(this.image, 0, 0);
    this.#paint(view, shown, width, rects);
    for (const strip of shown)
      if (strip.kind === "notes")
        this.#notes(view, strip.lane, top + strip.top - this.scroll);
    this.#gaps(view, shown);
  }

  #clearBuffer(width, height) {
    if (this.buffer.width !== width || this.buffer.height !== height) {
      this.buffer.width = width;
      this.buffer.height = height;
      this.image = new ImageData(width, height);
      this.pixels = new Uint32Array(this.image.data.buffer);
    }
    this.pixels.fill(0);
  }

  #paint({ context, style, left, top }, shown, width, rects) {
    context.imageSmoothingEnabled = false;
    shown.forEach((strip, s) => {
      if (strip.kind !== "notes")
        context.drawImage(this.buffer, 0, s, width, 1, left,
                          top + strip.top - this.scroll, width, ROW - 1);
    });
    for (const [colour, list] of rects) {
      context.fillStyle = colour;
      for (let i = 0; i < list.length; i += 4)
        context.fillRect(list[i], list[i + 1], list[i + 2], ROW - 1);
    }
    context.fillStyle = style.text;
    for (const list of rects.values())
      for (let i = 0; i < list.length; i += 4)
        if (list[i + 2] > NARROWEST_TEXT)
          this.#label(context, list[i], list[i + 1], list[i + 2], list[i + 3]);
  }

  #label(context, x, y, width, f) {
    const { profile } = this.timeline;
    const text = this.labels.fit(context, profile.name(f), width - 8,
                                 profile.short(f));

    if (text)
      context.fillText(text, x + 4, y + ROW / 2);
  }

  /* Returns a function's colour in this drawing. */
  #colour(f) {
    return this.colourOf[f] ??= this.colours.function(f);
  }

  #rgb(f) {
    return this.rgbOf[f] ??= this.palette.rgb(this.#colour(f));
  }

  #addRect(rects, view, colour, x0, x1, y, f) {
    const from = Math.max(x0, 0);
    const to = Math.min(x1, view.width);
    let list = rects.get(colour);

    if (!list)
      rects.set(colour, list = []);
    list.push(view.left + from, y, to - from - (to - from > 3 ? 1 : 0), f);
    this.drawn++;
  }

  #row(view, row, at, y, rects) {
    const { timeline } = this;
    const { from, scale, width } = view;
    const to = from + width / scale;

    for (let i = timeline.endsAfter(row, from - 0.5); i < row.end;) {
      const x0 = (timeline.begin[i] - from) * scale;
      const x1 = (timeline.end[i] - from) * scale;

      if (timeline.begin[i] > to)
        break;
      if (x1 - x0 >= NARROWEST) {
        const f = timeline.function(i);

        this.#addRect(rects, view, this.#colour(f), x0, x1, y, f);
        i++;
      } else {
        i = this.#pixel(view, row, i, Math.max(0, Math.floor(x0)), at);
      }
    }
  }

  /*
   * Draws all narrow slices that begin in a pixel, from slice i on; returns the
   * next slice.
   */
  #pixel({ from, scale, width }, row, i, column, at) {
    const { timeline } = this;
    const end = this.#pixelEnd(row, i, from + (column + 1) / scale);
    /* Only the last slice can extend far beyond the pixel. */
    const isLastWide = end - i > 1 &&
      timeline.length(end - 1) * scale >= NARROWEST;
    const next = isLastWide ? end - 1 : end;
    const covered = timeline.before[next - 1] - timeline.before[i] +
      timeline.length(next - 1);
    const half = from + (column + 0.5) / scale;
    const middle = next - i === 1 ? i
      : firstOf(i, next - 1, (each) => timeline.end[each] > half);

    this.drawn++;
    if (column <= width)
      this.#dot(at + column, this.#rgb(timeline.function(middle)),
                0.35 + 0.65 * covered * scale);
    return next;
  }

  #dot(index, [red, green, blue], share) {
    const alpha = Math.round(Math.min(1, share) * 255);

    this.pixels[index] =
      (alpha << 24 | blue << 16 | green << 8 | red) >>> 0;
  }

  /* Most ends are near, so the search doubles its steps and then bisects. */
  #pixelEnd(row, i, time) {
    const { timeline } = this;
    let step = 1;

    while (i + step < row.end && timeline.begin[i + step] < time)
      step *= 2;
    return firstOf(Math.max(i + 1, i + (step >> 1)),
                   Math.min(row.end, i + step),
                   (each) => timeline.begin[each] >= time);
  }

  /*
   * Draws the share of the time for which a thread ran; or the function of each
   * sample, if few samples are visible.
   */
  #heat(view, lane, at, y, rects) {
    const { samples } = this.timeline;
    const { from, scale, width } = view;
    const firstAfter = (time) => firstOf(
      lane.firstSample, lane.endSample, (i) => samples.time[i] >= time);
    const first = firstAfter(from), last = firstAfter(from + width / scale);

    if (last - first < width / 4) {
      for (let i = Math.max(lane.firstSample, first - 1);
        i < Math.min(lane.endSample, last + 1); i++) {
        const [begin, end] = samples.span(i);
        const f = this.timeline.contexts.function[samples.context[i]];
        const x0 = (begin - from) * scale, x1 = (end - from) * scale;

        if (x1 > 0 && x0 < width)
          this.#addRect(rects, view, this.#colour(f), x0,
                        Math.max(x1, x0 + 1), y, f);
      }
      return;
    }
    for (let column = 0, i = first; column < width && i < last; column++) {
      const next = firstAfter(from + (column + 1) / scale);
      const share = (samples.sum[next] - samples.sum[i]) * scale;

      if (next > i)
        this.#dot(at + column, view.style.heat, 0.1 + 0.9 * share);
      i = next;
    }
  }

  #notes({ context, style, left, width, from, scale }, lane, y) {
    let last = -Infinity;

    for (const note of lane.notes) {
      const x0 = (note.begin - from) * scale, x1 = (note.end - from) * scale;

      if (x1 < 0 || x0 > width || note.kind === "gap" || x1 - last < 0.5)
        continue;
      last = x1;
      context.fillStyle = style.noteBack;
      context.fillRect(left + Math.max(0, x0), y,
                       Math.max(1, Math.min(x1, width) - Math.max(0, x0)),
                       ROW - 1);
      context.fillStyle = style.note;
      context.fillRect(left + Math.max(0, x0), y, x0 < 0 ? 0 : 1.5, ROW - 1);
      if (Math.min(x1, width) - x0 > NARROWEST_TEXT)
        context.fillText(this.labels.fit(context, note.name,
          Math.min(x1, width) - Math.max(0, x0) - 8),
        left + Math.max(0, x0) + 4, y + ROW / 2);
    }
  }

  /* Draws a line through a lane where calls are missing. */
  #gaps({ context, style, left, width, from, scale, top }, shown) {
    const lanes = new Set(shown.map(({ lane }) => lane));

    context.fillStyle = style.gap;
    for (const lane of lanes)
      for (const note of lane.notes) {
        const x = (note.begin - from) * scale;

        if (note.kind === "gap" && x >= 0 && x <= width)
          context.fillRect(left + x, top + lane.top - this.scroll, 1,
                           lane.height - 1);
      }
  }

  /* ---- The item at a point, in pixels of the lanes ---- */

  /*
   * Returns { strip, slice }, { strip, first, end } for slices narrower than a
   * pixel, { strip, sample }, { strip, note }, or null.
   */
  at(x, y, { from, scale }) {
    const strip = this.stripAt(y + this.scroll);
    const time = from + x / scale;

    if (!strip)
      return null;
    if (strip.kind === "row")
      return this.#sliceAt(strip, time, x, from, scale);
    if (strip.kind === "heat")
      return this.#sampleAt(strip, time, scale);
    const near = strip.lane.notes.filter((note) => note.kind !== "gap" &&
      note.begin - 2 / scale <= time && note.end + 2 / scale >= time);

    return near.length ? { strip, note: near[near.length - 1] } : null;
  }

  #sliceAt(strip, time, x, from, scale) {
    const { timeline } = this;
    const { row } = strip;
    const column = Math.floor(x);
    const low = from + column / scale;
    let i = timeline.endsAfter(row, time - 0.5);

    if (i < row.end && timeline.begin[i] <= time &&
        timeline.length(i) * scale >= NARROWEST)
      return { strip, slice: i };
    i = timeline.beginsFrom(row, low);
    const end = timeline.beginsFrom(row, low + 1 / scale, i);

    if (end - i > 1)
      return { strip, first: i, end };
    return end > i ? { strip, slice: i } : null;
  }

  #sampleAt(strip, time, scale) {
    const { samples } = this.timeline;
    const { firstSample, endSample } = strip.lane;
    let best = null;

    for (let i = firstSample; i < endSample; i++) {
      const [begin, end] = samples.span(i);

      if (begin - 1 / scale > time)
        break;
      if (end + 1 / scale >= time)
        best = i;
    }
    return best === null ? null : { strip, sample: best };
  }
}
