/* SPDX-License-Identifier: MIT */
import { readDurations } from "./latencies.js";
/*
 * Data with a time, in columns: the calls of a trace (slices) and samples, by
 * thread.
 *
 * A lane is a thread. The slices of one depth in a lane form a row. Slices of a
 * row do not overlap, so beginnings and ends both ascend, and the slice at a
 * time is found by bisection. Slices are numbered row by row; a row is [first,
 * end). In a lane without calls, the rows are computed from its samples: a
 * function on the stacks of consecutive samples is assumed to have been there
 * all the time.
 *
 * Times are nanoseconds since the recording began.
 */
const FLAG_BITS = 4;
/* limit of slices that are computed from samples */
const MOST_SAMPLED = 2000000;

export const BEGAN_BEFORE = 1;
export const IS_SAMPLED = 16; /* computed from samples, not read */
const IS_ODD = 8;

export const endings = ["returned", "left", "cut", "open"];

/*
 * Returns the first index in [low, high) for which isTrue is true; isTrue must
 * be true for all later indices.
 */
export function firstOf(low, high, isTrue) {
  while (low < high) {
    const middle = (low + high) >>> 1;

    if (isTrue(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

const signed = (number) =>
  number % 2 ? -(number - 1) / 2 : number / 2;

/* Slices in the order of their beginnings, before they are sorted into rows. */
class Unsorted {
  constructor(size) {
    this.begin = new Float64Array(size);
    this.end = new Float64Array(size);
    this.least = new Float64Array(size);
    this.context = new Uint32Array(size);
    this.depth = new Uint32Array(size);
    this.flags = new Uint8Array(size);
  }
}

/*
 * Returns the samples of a lane as slices: arrays { begin, end, context, depth
 * }.
 */
function stacksOf(samples, first, end, { parent }, most) {
  const found = { begin: [], end: [], context: [], depth: [] };
  const open = []; /* [context, index in found], outermost first */
  let last = -Infinity;

  for (let i = first; i < end && found.begin.length < most; i++) {
    const [begin, until] = samples.span(i);
    const path = [];
    let kept = 0;

    for (let at = samples.context[i]; at !== 0; at = parent[at])
      path.push(at);
    path.reverse();
    if (begin - last <= samples.weight[i])
      while (kept < open.length && open[kept][0] === path[kept])
        kept++;
    for (const [, index] of open.splice(kept))
      found.end[index] = last;
    for (let d = kept; d < path.length; d++) {
      open.push([path[d], found.begin.length]);
      found.begin.push(Math.max(begin, last));
      found.end.push(until);
      found.context.push(path[d]);
      found.depth.push(d);
    }
    last = Math.max(until, last);
  }
  for (const [, index] of open)
    found.end[index] = last;
  return found;
}

class Samples {
  constructor(data, lanes) {
    const count = lanes.reduce((sum, lane) => sum + lane.samples, 0);

    this.count = count;
    this.time = data.column("s.time", new Float64Array(count));
    this.weight = data.column("s.weight", new Float64Array(count));
    this.looks = data.column("s.looks", new Uint32Array(count));
    this.context = new Uint32Array(count);
    this.sum = new Float64Array(count + 1); /* sum of the previous weights */
    const where = data.numbers("s.where");
    let first = 0;

    for (const lane of lanes) {
      let time = 0, context = 0;

      lane.firstSample = first;
      lane.endSample = first += lane.samples;
      for (let i = lane.firstSample; i < lane.endSample; i++) {
        this.time[i] = time += this.time[i];
        this.context[i] = context += signed(where.next());
        this.sum[i + 1] = this.sum[i] + this.weight[i];
      }
    }
  }

  /* Returns the time that one look stands for. */
  step(i) {
    return this.weight[i] / Math.max(1, this.looks[i]);
  }

  /*
   * Returns [begin, end]. A sample stands for time before it and, if it was
   * extended, for later time.
   */
  span(i) {
    const begin = this.time[i] - this.step(i);

    return [begin, begin + this.weight[i]];
  }

  /*
   * Returns how many looks of a sample were in a range; the first is at its
   * time.
   */
  looksIn(i, from, to) {
    const { time, looks } = this;
    const step = this.step(i);

    if (looks[i] <= 1 || step === 0)
      return time[i] >= from && time[i] < to ? looks[i] : 0;
    const first = Math.max(0, Math.ceil((from - time[i]) / step));
    const last = Math.min(looks[i], Math.ceil((to - time[i]) / step)) - 1;

    return Math.max(0, last - first + 1);
  }
}

export class Timeline {
  constructor(data, profile) {
    const { timeline: meta } = profile.meta;

    this.meta = meta;
    this.profile = profile;
    this.contexts = profile.contexts; /* of the recording; others may be shown */
    this.lanes = meta.lanes.map((lane) => ({ ...lane }));
    this.samples = new Samples(data, this.lanes);
    this.calls = this.lanes.reduce((sum, lane) => sum + lane.slices, 0);
    /* slice -> function, for slices whose context is not in the tree */
    this.odd = new Map();
    this.durations = readDurations(data.numbers("t.all"));
    this.#readSlices(data);
    this.#readNotes(data);
    this.#findExtent();
  }

  /* ---- Slices ---- */

  #readSlices(data) {
    const nest = data.numbers("t.nest");
    const parts = [];

    for (const lane of this.lanes) {
      const slices = new Unsorted(lane.slices);

      for (let i = 0, depth = 0; i < lane.slices; i++) {
        const number = nest.next();

        slices.flags[i] = number % (1 << FLAG_BITS);
        slices.depth[i] = depth -= Math.floor(number / (1 << FLAG_BITS));
        depth++;
      }
      parts.push(slices);
    }
    this.#readTimes(data, parts);
    this.#addSampled(parts);
    this.#makeRows(parts);
    this.#sort(parts, data.numbers("t.odd"));
  }

  #readTimes(data, parts) {
    const [begins, lengths, slacks, wheres] =
      ["t.begin", "t.length", "t.slack", "t.where"].map(data.numbers);

    for (const slices of parts) {
      let begin = 0, context = 0;

      for (let i = 0; i < slices.begin.length; i++) {
        const length = lengths.next();

        slices.begin[i] = begin += begins.next();
        slices.end[i] = begin + length;
        slices.least[i] = length - slacks.next();
        slices.context[i] = context += signed(wheres.next());
      }
    }
  }

  #addSampled(parts) {
    let room = MOST_SAMPLED;

    this.lanes.forEach((lane, l) => {
      if (lane.slices > 0 || lane.samples === 0)
        return;
      const made = stacksOf(this.samples, lane.firstSample, lane.endSample,
                            this.contexts, room);
      const slices = new Unsorted(made.begin.length);

      for (const key of ["begin", "end", "context", "depth"])
        slices[key].set(made[key]);
      slices.flags.fill(IS_SAMPLED);
      room -= made.begin.length;
      parts[l] = slices;
    });
  }

  #makeRows(parts) {
    let first = 0;

    this.rows = [];
    this.lanes.forEach((lane, l) => {
      const sizes = [];

      for (const depth of parts[l].depth)
        sizes[depth] = (sizes[depth] ?? 0) + 1;
      lane.rows = sizes.map((size, depth) => {
        const row = { lane, depth, first, end: first += size,
                      isSampled: lane.slices === 0 };

        this.rows.push(row);
        return row;
      });
    });
    this.count = first;
  }

  #sort(parts, odd) {
    const size = this.count;

    this.begin = new Float64Array(size);
    this.end = new Float64Array(size);
    this.least = new Float64Array(size);
    this.self = new Float64Array(size);
    this.context = new Uint32Array(size);
    this.flags = new Uint8Array(size);
    this.parent = new Int32Array(size); /* -1: outermost */
    this.lanes.forEach((lane, l) => {
      const slices = parts[l];
      const next = Uint32Array.from(lane.rows, (row) => row.first);

      for (let from = 0; from < slices.begin.length; from++) {
        const depth = slices.depth[from];
        const i = next[depth]++;

        for (const key of ["begin", "end", "least", "context", "flags"])
          this[key][i] = slices[key][from];
        this.self[i] = this.end[i] - this.begin[i];
        this.parent[i] = depth ? next[depth - 1] - 1 : -1;
        if (depth)
          this.self[this.parent[i]] -= this.self[i];
        if (this.flags[i] & IS_ODD)
          this.odd.set(i, odd.next());
      }
    });
    this.#sumRows();
  }

  /* Computes, for each slice, the time of all previous slices in its row. */
  #sumRows() {
    this.before = new Float64Array(this.count + 1);
    for (const { first, end } of this.rows)
      for (let i = first, sum = 0; i < end; i++) {
        this.before[i] = sum;
        sum += this.end[i] - this.begin[i];
      }
  }

  #readNotes(data) {
    const numbers = data.numbers("notes");
    const kinds = ["gap", "moment", "region"];

    for (const lane of this.lanes) {
      const count = lane.notes;

      lane.notes = [];
      for (let i = 0, time = 0; i < count; i++) {
        const kind = kinds[numbers.next()];

        time += numbers.next();
        lane.notes.push({ kind, begin: time, end: time + numbers.next(),
                          name: this.meta.names[numbers.next()] });
      }
    }
  }

  #findExtent() {
    let from = Infinity, to = 0;
    const see = (begin, end) => {
      from = Math.min(from, begin);
      to = Math.max(to, end);
    };

    for (const { first, end } of this.rows)
      if (end > first)
        see(this.begin[first], this.end[end - 1]);
    for (let i = 0; i < this.samples.count; i++)
      see(...this.samples.span(i));
    for (const { notes } of this.lanes)
      for (const note of notes)
        see(note.begin, note.end);
    this.from = Math.max(0, Math.floor(from));
    this.to = Math.max(this.from, Math.floor(to)) + 1;
  }

  /* ---- Queries ---- */

  function(i) {
    return this.odd.get(i) ?? this.contexts.function[this.context[i]];
  }

  length(i) {
    return this.end[i] - this.begin[i];
  }

  ending(i) {
    return endings[this.flags[i] >> 1 & 3];
  }

  /*
   * endsAfter() returns the first slice of a row that ends after a time;
   * beginsFrom() the first one that begins at it or later.
   */
  endsAfter(row, time) {
    return firstOf(row.first, row.end, (i) => this.end[i] > time);
  }

  beginsFrom(row, time, first = row.first) {
    return firstOf(first, row.end, (i) => this.begin[i] >= time);
  }

  /* Names a slice in links: "THREAD.DEPTH.BEGIN". */
  nameOf(i) {
    const { lane, depth } = this.rowOf(i);

    return `${lane.tid}.${depth}.${this.begin[i]}`;
  }

  /* Returns the slice with this name, or null. */
  find(name) {
    const [tid, depth, begin] = name.split(".").map(Number);

    for (const { tid: other, rows } of this.lanes) {
      const row = other === tid ? rows[depth] : null;
      const i = row ? this.beginsFrom(row, begin) : 0;

      if (row && i < row.end && this.begin[i] === begin)
        return i;
    }
    return null;
  }

  rowOf(i) {
    const after = firstOf(0, this.rows.length, (r) => this.rows[r].end > i);

    return this.rows[after];
  }

  /* Returns the longest slice of the first `most` ones in [first, end). */
  longestOf(first, end, most = 20000) {
    let longest = first;

    for (let i = first; i < Math.min(end, first + most); i++)
      if (this.length(i) > this.length(longest))
        longest = i;
    return longest;
  }

  /* Whether a time range has data: calls with a trace, or samples. */
  get canFollow() {
    return this.calls > 0 || this.samples.count > 0;
  }

  /* Returns the period that the page was written for (--from, --to), or null. */
  get window() {
    const [from, to] = this.meta.window ?? [];

    return this.meta.window && this.canFollow
      ? { from: Math.max(from, this.from),
          to: to ? Math.min(to + 1, this.to) : this.to }
      : null;
  }

  get hasCalls() {
    return this.calls > 0;
  }

  /*
   * Returns columns by context for the time range [from, to), of one lane or of
   * those of groups. Calls are those
   * that began in it. Time is that of samples. Without samples and with
   * `isTimed`, it is calls' own time.
   */
  within({ from, to, lane: only }, groups, isTimed) {
    const { count } = this.contexts;
    const lanes = only === undefined ? this.lanesOf(groups) : [this.lanes[only]];
    const sums = { calls: new Float64Array(count), time: null, samples: null };

    if (isTimed) {
      sums.time = new Float64Array(count);
      sums.samples = new Float64Array(count);
    }
    for (const lane of lanes) {
      if (lane.slices > 0)
        this.#addCalls(lane, from, to, sums);
      if (isTimed)
        this.#addSamples(lane, from, to, sums);
      if (isTimed && this.samples.count === 0)
        this.#addDurations(lane, from, to, sums.time);
    }
    return sums;
  }

  /* Returns the lanes of groups, which are threads and processes; null: all. */
  lanesOf(groups) {
    return groups ? this.lanes.filter((lane) => groups.some(({ index }) =>
      index === lane.process || index === lane.thread)) : this.lanes;
  }

  #addCalls(lane, from, to, { calls }) {
    for (const row of lane.rows)
      for (let i = this.beginsFrom(row, from);
        i < row.end && this.begin[i] < to; i++)
        if (!(this.flags[i] & BEGAN_BEFORE))
          calls[this.context[i]]++;
  }

  #addSamples(lane, from, to, sums) {
    const { samples } = this;

    for (let i = lane.firstSample; i < lane.endSample; i++) {
      const looks = samples.looksIn(i, from, to);

      if (looks === 0)
        continue;
      sums.samples[samples.context[i]] += looks;
      sums.time[samples.context[i]] += looks === samples.looks[i]
        ? samples.weight[i] : looks * samples.step(i);
    }
  }

  #addDurations(lane, from, to, time) {
    for (const row of lane.rows)
      for (let i = this.endsAfter(row, from);
        i < row.end && this.begin[i] < to; i++) {
        const length = Math.min(this.end[i], to) -
          Math.max(this.begin[i], from);

        time[this.context[i]] += length;
        if (this.parent[i] >= 0)
          time[this.context[this.parent[i]]] -= length;
      }
  }
}
