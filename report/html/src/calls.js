/* SPDX-License-Identifier: MIT */
/*
 * The calls of a trace: for each function how long they took, and the slowest
 * ones as rows. Two of them can be compared in all views.
 */
import { stackOfContext } from "./actions.js";
import { element, replace } from "./dom.js";
import * as format from "./format.js";
import { nameCell } from "./functions.js";
import { callsByFunction, durationsOf } from "./latencies.js";
import { traceTimeNote } from "./measures.js";
import { Table } from "./table.js";
import { moment } from "./timescale.js";

const SLOWEST = 1000; /* rows of slowest calls */
const LIMIT_WIDTH = 60; /* pixels of "1.024 µs" and a gap */

export class CallsView {
  static keys = ["cf"];

  constructor(host, app) {
    this.app = app;
    this.timeline = app.profile.timeline;
    this.function = 0;
    this.marked = []; /* calls to compare, at most two */
    this.left = element("section.half", {}, element("h2", {}, "Durations of calls"));
    this.right = element("section.half", {});
    this.title = element("h2", {}, "Slowest calls");
    this.bars = element("div.bars", { role: "img" });
    this.compare = element("button.plain", {
      type: "button", title: "Compare what the two marked calls did (c)",
      onclick: () => this.#compare() }, "Compare");
    this.hint = element("span.quiet", { role: "status" });
    this.right.append(this.title, this.bars, element("div.comparing", {},
      this.compare, this.hint));
    host.append(element("div.halves.tall", {}, this.left, this.right),
                this.note = element("p.note"));
    this.functions = new Table(this.left, {
      columns: this.#functionColumns(), label: "Durations of calls", sort: "most",
      picked: (f) => {
        this.#choose(f);
        app.selectFunction(f);
      },
      opened: (f) => app.openButterfly(f),
      menu: (f, at) => app.openMenu(f, at) });
    this.slowest = new Table(this.right, {
      columns: this.#callColumns(), label: "Slowest calls", sort: "took",
      opened: (i) => this.#jump(i),
      menu: (i, at) => app.openMenu(this.timeline.function(i), at,
        stackOfContext(app.profile, this.timeline.context[i])) });
    this.slowest.scroller.addEventListener("keydown", (event) => {
      if (event.key !== " ")
        return;
      event.preventDefault(); /* a browser scrolls by a page otherwise */
      this.#mark(this.slowest.rows[this.slowest.selected]);
    });
    this.#sayMarked();
  }

  #functionColumns() {
    const of = (key) => (f) => this.#durations(f)[key];
    const time = (key, label, title, value, rank = 0) => ({
      key, label, title, isNumber: true, rank, value,
      text: (f) => format.time(value(f)) });

    return [
      { key: "name", label: "Function", least: 110, wish: 200, grow: 1,
        value: (f) => this.app.profile.name(f), cell: (f) => nameCell(this.app, f) },
      { key: "count", label: "Calls", isNumber: true, rank: 1,
        title: "Calls with a known duration", value: of("count"),
        text: (f) => format.count(of("count")(f)) },
      time("p50", "p50", "Half of the calls took at most this time", of("p50"), 2),
      time("p99", "p99", "99 of 100 calls took at most this time", of("p99")),
      time("most", "Maximum", "The slowest call", of("most")),
      time("sum", "Total", "The sum of these durations", of("sum"), 3),
    ];
  }

  #callColumns() {
    const { timeline } = this;
    const lane = (i) => timeline.rowOf(i).lane;

    return [
      { key: "pick", label: "Mark", least: 64, value: (i) => this.marked.indexOf(i),
        cell: (i) => this.#markCell(i) },
      { key: "took", label: "Took", isNumber: true,
        value: (i) => timeline.length(i),
        text: (i) => format.time(timeline.length(i)) },
      { key: "own", label: "Of its own", isNumber: true, rank: 1,
        value: (i) => timeline.self[i],
        text: (i) => format.time(Math.max(0, timeline.self[i])) },
      { key: "began", label: "Began", isNumber: true, value: (i) => timeline.begin[i],
        text: (i) => moment(timeline.begin[i], 1000) },
      { key: "thread", label: "Thread", least: 80, grow: 1, rank: 2,
        value: (i) => lane(i).name,
        cell: (i) => element("span.quiet", {}, `${lane(i).name} ${lane(i).tid}`) },
    ];
  }

  #markCell(i) {
    return element("input", {
      type: "checkbox", tabindex: "-1", checked: this.marked.includes(i),
      "aria-label": "Compare this call",
      onclick: (event) => event.stopPropagation(),
      onchange: () => {
        this.slowest.select(i);
        this.#mark(i);
        /* The checkbox was replaced; the table has the keys. */
        this.slowest.scroller.focus({ preventScroll: true });
      } });
  }

  show() {
    const { profile, found } = this.app;
    const { timeline } = this;
    const key = [profile.chosen, profile.range];

    if (!this.shown || key.some((each, at) => each !== this.shown[at])) {
      this.calls = callsByFunction(timeline, timeline.lanesOf(profile.chosen),
                                   profile.other ? null : profile.range);
      this.shown = key;
      this.sums = this.#coversAll() ? timeline.durations : new Map();
      this.#sayWhatCounts();
    }
    const functions = this.#coversAll() ? this.sums : this.calls;

    this.functions.show([...functions.keys()].filter((f) =>
      !found?.matches || found.matches[f]));
    const wanted = this.#wantedFunction();
    const f = functions.has(wanted) ? wanted : this.functions.rows[0] ?? 0;

    this.#choose(f);
    /* A function without calls stays selected in the other views. */
    if (f && (f === wanted || !this.app.function))
      this.app.selectFunction(f);
  }

  /* Returns whether the page has the durations of all calls that are shown. */
  #coversAll() {
    const { chosen, range } = this.app.profile;

    return Boolean(this.timeline.durations) && !chosen && !range;
  }

  #durations(f) {
    let found = this.sums.get(f);

    if (!found) {
      found = durationsOf(this.timeline, this.calls.get(f));
      this.sums.set(f, found);
    }
    return found;
  }

  #sayWhatCounts() {
    const { meta, calls, durations } = this.timeline;
    const absent = durations ? `${format.count(meta.calls - calls)} of ` +
      `${format.plural(meta.calls, "call")} are not in this page, because they ` +
      `took less than ${format.time(meta.shortest_ns)}` : "";

    this.note.textContent = "p50 and p99: half, or 99 of 100, of the calls took " +
      "at most this time. " + (!absent ? "" : this.#coversAll()
      ? "The table and the histogram cover all calls of the trace. The rows " +
        `below the histogram do not: ${absent}. `
      : "The table, the histogram and the rows cover only the calls that are in " +
        `this page: ${absent}. `) + traceTimeNote(this.app.profile);
  }

  #wantedFunction() {
    const { wanted } = this;
    const f = wanted ? this.app.identity.findFunction(wanted) : 0;

    this.wanted = null;
    if (wanted && !f)
      this.app.miss("a function");
    return f || this.app.function;
  }

  #choose(f) {
    const calls = this.calls.get(f) ?? [];

    if (f)
      this.functions.select(f);
    if (f !== this.function)
      this.marked = [];
    this.function = f;
    replace(this.title, f ? `Slowest calls of ${this.app.profile.short(f)}` : "");
    this.#drawBars(f);
    this.slowest.show([...calls.slice(-SLOWEST)]);
    this.#sayMarked();
  }

  #drawBars(f) {
    const bars = f ? this.#durations(f).bars : [];
    const slot = (this.bars.clientWidth || 400) / Math.max(1, bars.length);
    const step = Math.ceil(LIMIT_WIDTH / slot); /* bars that share a label */
    const most = Math.max(...bars.map(({ count }) => count), 1);

    this.bars.setAttribute("aria-label", `Histogram: ${bars.filter(({ count }) =>
      count).map(({ from, to, count }) =>
      `${format.time(from)} to ${format.time(to)}: ${count}`).join("; ")}`);
    replace(this.bars, bars.map(({ from, to, count }, i) => {
      const bar = element("i", { title: `${format.time(from)} to ` +
        `${format.time(to)}: ${format.plural(count, "call")}` });

      bar.style.height = count ? `${Math.max(3, count / most * 100)}%` : "0";
      return element("span.slot", {}, bar, element("span.limit", {},
        i % step === 0 && i * slot + LIMIT_WIDTH <= bars.length * slot + 20
          ? format.time(from) : ""));
    }));
  }

  /* ---- Two calls ---- */

  #mark(i) {
    if (i === undefined)
      return;
    this.marked = this.marked.includes(i)
      ? this.marked.filter((each) => each !== i) : [...this.marked, i].slice(-2);
    this.slowest.draw();
    this.#sayMarked();
  }

  #sayMarked() {
    this.compare.disabled = this.marked.length < 2;
    this.hint.textContent = this.marked.length === 2
      ? "The call that was marked first is the one before."
      : "Mark two calls to compare them. Enter or a double click shows a call in " +
        "the timeline.";
  }

  #compare() {
    const { timeline } = this;
    const [before, now] = this.marked.map((i) => ({
      from: timeline.begin[i], to: timeline.end[i],
      lane: timeline.lanes.indexOf(timeline.rowOf(i).lane) }));

    if (now)
      this.app.comparePeriods(before, now);
  }

  #jump(i) {
    const { app } = this;

    app.open("timeline");
    app.views.timeline.select(i);
    app.views.timeline.reveal(i);
    app.views.timeline.zoomTo(i);
  }

  state() {
    return { cf: this.wanted ??
      (this.function ? this.app.identity.ofFunction(this.function) : "") };
  }

  restore({ cf }) {
    this.wanted = cf;
    this.shown = null;
  }

  key({ key }) {
    if (key === "c")
      this.#compare();
    return key === "c";
  }

  focus() {
    this.functions.scroller.focus({ preventScroll: true });
  }
}
