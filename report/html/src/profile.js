/* SPDX-License-Identifier: MIT */
/*
 * The recording in columns by context (see contexts.js). There may be ten
 * million contexts, so the first access computes what the first view does not
 * show.
 *
 * A measure is "calls" or "time". Each has `self`, for single contexts, and
 * `below`, for subtrees. select() selects threads or processes, and a time
 * range. transform() shows another tree, for example one without some functions;
 * `recorded` has the tree and the columns of the recording.
 */

import { Contexts } from "./contexts.js";
import { showCounts } from "./format.js";
import { readCallers } from "./linetotals.js";
import { Significance } from "./significance.js";
import { Steps } from "./steps.js";
import { Timeline } from "./timeline.js";
import { fold, transform } from "./transform.js";

const partOf = ({ chosen, range, other, isBefore }) =>
  JSON.stringify([chosen?.map(({ index }) => index), range, other, isBefore]);

/* Returns a function that returns what the first call of it computes. */
function once(compute) {
  let result = null;

  return () => result ??= compute();
}

/* The sums of subtrees of these columns. */
class Below {
  constructor(contexts, self) {
    for (const key of ["calls", "time", "samples"])
      Object.defineProperty(this, key, {
        get: once(() => self[key] && contexts.sum(self[key])) });
  }
}

export class Profile {
  #rowsOnce;

  constructor(data) {
    const { meta } = data;
    const contexts = meta.contexts + 1;

    this.meta = meta;
    if (meta.value && meta.value.unit !== "ns")
      showCounts();
    this.functions = meta.functions; /* parallel arrays */
    this.#take(new Contexts(this.#parents(data, contexts), data.column(
      "function", new Uint32Array(contexts)), meta.functions.name.length));
    this.to = null; /* the context in a transformed tree, or -1, by recorded one */
    this.steps = [];
    this.tails = this.#tails(data);
    this.whole = {
      calls: data.column("calls", new Float64Array(contexts)),
      time: data.rare("time", new Float64Array(contexts)),
      samples: data.rare("samples", new Float64Array(contexts)),
    };
    this.allCalls = this.contexts.sumByFunction(this.whole.calls);
    const before = this.#before(data, contexts);

    this.recordedBase = before && this.#compare(before);
    this.isBefore = false; /* shows the other recording of a comparison */
    this.groups = this.#groups(data);
    this.lines = this.#lines(data);
    this.callers = readCallers(data);
    this.timeline = meta.timeline ? new Timeline(data, this) : null;
    this.range = null; /* time range { from, to }; null: all */
    this.other = null; /* the range that it is compared with */
    /* The only times are those of the calls in the trace. */
    this.isTraceTimed = !this.whole.time && Boolean(this.timeline?.hasCalls);
    if (this.isTraceTimed)
      this.whole.time = this.timeline.within(this.timeline, null, true).time;
    this.recorded = { contexts: this.contexts, whole: this.whole, before,
                      tails: this.tails };
    this.chosen = null;
    this.#count();
    [this.firstMeasure] = this.measures;
  }

  /* Column "ended" has how many contexts end where a context begins. */
  #parents(data, count) {
    const parent = new Uint32Array(count);

    data.column("ended", parent.subarray(1));
    for (let i = 1; i < count; i++) {
      let open = i - 1;

      for (let ended = parent[i]; ended > 0; ended--)
        open = parent[open];
      parent[i] = open;
    }
    return parent;
  }

  /* Returns a function that returns the tail calls, by context. */
  #tails(data) {
    const numbers = data.own("tail");

    return once(() => {
      const tails = new Map();
      let context = 0;

      while (numbers && !numbers.isAtEnd)
        tails.set(context += numbers.next(), numbers.next());
      return tails;
    });
  }

  /* Returns the other recording of a comparison, if there is one. */
  #before(data, contexts) {
    const self = {
      calls: data.column("b.calls", new Float64Array(contexts)),
      time: data.rare("b.time", new Float64Array(contexts)),
      samples: data.rare("b.hits", new Float64Array(contexts)),
    };

    if (!self.calls)
      return null;
    if (!self.time)
      this.whole.time = this.whole.samples = null;
    return self;
  }

  /* Compares columns with those of another recording or period. */
  #compare(self, now = this.whole) {
    const base = { self, below: new Below(this.contexts, self),
                   now: new Below(this.contexts, now), nowSelf: now };

    base.significance = new Significance(base, { self: now, below: base.now });
    return base;
  }

  /* Returns a value from -1 (much more before) to 1 (all new). */
  change(before, now) {
    return (now - before) / Math.max(now, before, 1e-12);
  }

  /* Returns whether the change of a frame's subtree may be random. */
  isRandom(measure, before, now) {
    const { significance } = this.base;

    return significance.isRandom(measure, before, now,
                                 () => significance.contextLimit);
  }

  /*
   * Returns processes and threads, each with its contexts, ascending, and its
   * calls (and time) in each. Empty if there is only one thread.
   */
  #groups(data) {
    const numbers = data.numbers("groups");

    if (!numbers)
      return [];
    return this.meta.groups.map((group, index) => {
      const context = new Uint32Array(group.contexts);
      const self = Object.fromEntries(Object.entries(this.whole)
        .map(([key, column]) =>
          [key, column && new Float64Array(group.contexts)]));

      for (let i = 0, at = 0; i < context.length; i++) {
        context[i] = at += numbers.next();
        for (const column of Object.values(self))
          if (column)
            column[i] = numbers.next();
      }
      return { ...group, index, context, self };
    });
  }

  /* Returns the source lines of samples in contexts, as columns. */
  #lines(data) {
    const numbers = data.numbers("lines");
    const lines = { context: [], file: [], line: [], time: [], samples: [] };

    while (numbers && !numbers.isAtEnd)
      for (const column of Object.values(lines))
        column.push(numbers.next());
    return lines;
  }

  /*
   * Selects a part of the recording. `chosen` is an array of this.groups; null:
   * all. `range` is { from, to, lane: if only one }, or null. `other` is a
   * range that `range` is compared with, or null. `isBefore` shows the earlier
   * of two compared recordings or ranges. Members that `part` does not contain
   * stay as they are.
   */
  select(part) {
    const before = partOf(this);

    Object.assign(this, part);
    if (partOf(this) !== before)
      this.#count();
  }

  /* Shows the tree after these steps (see steps.js); none: as recorded. */
  transform(steps) {
    const { contexts, whole, before, tails } = this.recorded;
    let shown = contexts;

    if (JSON.stringify(steps) === JSON.stringify(this.steps))
      return;
    this.steps = steps;
    this.to = null;
    for (const step of steps) {
      const made = transform(shown, Steps.flags(this, step));

      shown = made.contexts;
      this.to = this.to?.map((at) => at < 0 ? at : made.to[at]) ?? made.to;
    }
    this.#take(shown);
    this.whole = this.#folded(whole);
    this.tails = once(() => this.#foldedTails(tails()));
    this.recordedBase = before && this.#compare(this.#folded(before));
    this.#count();
  }

  #take(contexts) {
    this.contexts = contexts;
    Object.assign(this, contexts);
  }

  /* Returns the number of a recorded context in the shown tree, or -1. */
  shown(context) {
    return this.to ? this.to[context] : context;
  }

  /* Returns columns of recorded contexts as columns of shown ones. */
  #folded(columns) {
    return this.to ? Object.fromEntries(Object.entries(columns)
      .map(([key, column]) =>
        [key, column && fold(column, this.to, this.count)])) : columns;
  }

  #foldedTails(tails) {
    const folded = new Map();

    for (const [context, number] of tails)
      if (this.shown(context) >= 0)
        folded.set(this.shown(context),
                   (folded.get(this.shown(context)) ?? 0) + number);
    return folded;
  }

  get isOutermost() {
    return this.contexts.isOutermost;
  }

  /* Whether only a part of the recording is selected. */
  get isPart() {
    return Boolean(this.chosen || this.range);
  }

  #count() {
    const { chosen, range, whole } = this;
    const { imported } = this.meta;
    const hasCalls = (!range || this.timeline.hasCalls) &&
      (!imported || imported.calls);
    const within = (part) => this.#folded(
      this.timeline.within(part, chosen, Boolean(whole.time)));

    this.self = range ? within(range)
      : chosen ? this.#folded(this.#selfOf(chosen)) : whole;
    this.base = range && this.other ? this.#compare(within(this.other), this.self)
      : this.recordedBase;
    if (this.isBefore && this.base && (this.other || !(range || chosen)))
      this.self = this.base.self;
    /* Functions without calls appear only in samples. */
    this.isCounted = Uint8Array.from(this.allCalls, (calls) =>
      hasCalls && calls > 0 ? 1 : 0);
    this.measures = [...whole.time ? ["time"] : [],
                     ...hasCalls ? ["calls"] : []];
    this.below = new Below(this.contexts, this.self);
    [this.samples, this.squares] = this.#sampleSums();
    this.#rowsOnce = once(() => this.#makeRows());
  }

  /* Returns the number of samples, and the sum of the squares of their times. */
  #sampleSums() {
    const { time, samples } = this.self;
    let all = 0, squares = 0;

    for (let i = 0; samples && i < samples.length; i++)
      if (samples[i]) {
        all += samples[i];
        squares += time[i] * time[i] / samples[i];
      }
    return [all, squares];
  }

  get rows() {
    return this.#rowsOnce();
  }

  /*
   * Returns the number of equally weighted samples that would give the same
   * precision: see report/model/confidence.c. Uses the context's samples or,
   * without any, those of the whole recording.
   */
  equalSamples(time, samples) {
    if (!this.samples)
      return 0;
    const whole = this.below.time[0];
    const share = Math.min(time / whole, 1);
    const own = Math.max(samples ? time * time / samples : 0,
                         this.squares * share);
    const variance = own * (1 - share) ** 2 +
      Math.max(this.squares - own, 0) * share ** 2;

    return share > 0 && variance > 0
      ? share * (1 - share) * whole * whole / variance
      : whole * whole / this.squares;
  }

  #selfOf(groups) {
    const { whole, contexts: { count } } = this.recorded;
    const sums = Object.fromEntries(Object.entries(whole)
      .map(([key, column]) => [key, column && new Float64Array(count)]));

    for (const group of groups)
      for (const [key, sum] of Object.entries(sums))
        if (sum && group.self[key])
          group.context.forEach((context, i) => {
            sum[context] += group.self[key][i];
          });
    if (this.isTraceTimed)
      sums.time = this.timeline.within(this.timeline, groups, true).time;
    return sums;
  }

  /* Returns what a group has in the selected period, as columns of contexts. */
  ownOf(group) {
    return this.#folded(this.range ? this.timeline.within(
      this.range, [group], Boolean(this.whole.time)) : this.#selfOf([group]));
  }

  /* Returns whether a context has anything in the selected part. */
  #isActive(i) {
    const has = ({ calls }, below) => calls[i] > 0 || below.time?.[i] > 0;

    return has(this.self, this.below) ||
      Boolean(this.other) && has(this.base.self, this.base.below);
  }

  /* Returns columns by function. */
  #makeRows() {
    const { function: functions, isOutermost, self } = this;
    const { calls, time, samples } = this.below;
    const size = this.functions.name.length;
    const make = () => new Float64Array(size);
    const rows = { calls: make(), contexts: make(), samples: make(),
                   self: { calls: null, time: make() },
                   total: { calls: make(), time: make(),
                            samples: make() } };

    for (let i = 1; i < this.count; i++) {
      const f = functions[i];

      if (!this.isPart || this.#isActive(i))
        rows.contexts[f]++;
      rows.calls[f] += self.calls[i];
      if (self.time) {
        rows.self.time[f] += self.time[i];
        rows.samples[f] += self.samples ? self.samples[i] : 0;
      }
      if (isOutermost[i]) {
        rows.total.calls[f] += calls[i];
        if (time)
          rows.total.time[f] += time[i];
        if (samples)
          rows.total.samples[f] += samples[i];
      }
    }
    rows.self.calls = rows.calls;
    return rows;
  }

  name(f) {
    return this.functions.name[f];
  }

  /* Returns a short form of the name, for tables; tooltips have the name. */
  short(f) {
    return this.functions.short?.[f] || this.name(f);
  }

  kind(f) {
    return this.meta.kinds[this.functions.kind[f]] ?? "native";
  }

  /* Returns the index of the function's module, or -1. */
  module(f) {
    return this.functions.module[f];
  }

  moduleName(f) {
    return this.meta.modules[this.module(f)]?.name ?? "";
  }

  /* Returns "file:line", or "". */
  place(f) {
    const file = this.meta.files[this.functions.file[f]];

    return file ? `${file}:${this.functions.line[f]}` : "";
  }

  contextsOf(f) {
    const found = [];

    for (let i = 1; i < this.count; i++)
      if (this.function[i] === f)
        found.push(i);
    return found;
  }
}
