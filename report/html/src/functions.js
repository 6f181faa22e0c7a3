/* SPDX-License-Identifier: MIT */
/* The table of functions. */
import { element } from "./dom.js";
import { kinds } from "./colours.js";
import * as format from "./format.js";
import * as measures from "./measures.js";
import { Table } from "./table.js";

export function nameCell(app, f) {
  const mark = element("i.mark", { "aria-hidden": "true" });

  mark.style.background = app.colours.function(f);
  return [mark, element("span.name", { title: app.profile.name(f) },
                        app.profile.short(f))];
}

/* Shows the end of a path that is too long. */
export function pathCell(path) {
  return element("span.quiet.end", { title: path }, element("bdi", {}, path));
}

/* A value that was not counted is shown as "–" instead of 0. */
function amount(profile, f, measure, value) {
  if (measure === "time")
    return format.amount(value);
  return value === 0 && measure === "calls" && !profile.isCounted[f] ? "–"
    : format.count(value);
}

function number(profile, { measure, whole, samples, of, ...column }) {
  const isKnown = (f) => measure === "time" || of(f) > 0 || profile.isCounted[f];

  return {
    ...column, isNumber: true, value: of,
    text: (f) => amount(profile, f, measure, of(f)),
    hint: whole && ((f) =>
      measures.share(profile, measure, of(f), samples && samples(f))),
    share: whole && ((f) => isKnown(f) ? of(f) / (whole() || 1) : null),
  };
}

function sumByFunction(profile, column) {
  const sums = new Float64Array(profile.functions.name.length);

  column.forEach((value, i) => {
    sums[profile.function[i]] += value;
  });
  return sums;
}

/* Returns a function that returns a function's own calls, time and samples. */
function selvesByFunction(profile, self) {
  const sums = Object.entries(self).filter(([, column]) => column)
    .map(([key, column]) => [key, sumByFunction(profile, column)]);

  return (f) => Object.fromEntries(sums.map(([key, sum]) => [key, sum[f]]));
}

/*
 * Returns, by function, whether its change may be random; all are judged
 * together.
 */
function randomChanges(profile, measure, before, now) {
  const { significance } = profile.base;
  const pairs = profile.functions.name.map((_, f) =>
    ({ before: before(f), now: now(f) }));
  const limit = measure === "time" ? significance.limitOf(pairs) : 0;

  return pairs.map((pair) => significance.isRandom(measure, pair.before,
                                                   pair.now, () => limit));
}

/*
 * Returns the rank of each function; the largest significant change has the
 * highest.
 */
function ranks(isRandom, change) {
  const rank = new Float64Array(isRandom.length);

  [...isRandom.keys()].sort((a, b) =>
    isRandom[b] - isRandom[a] || Math.abs(change[a]) - Math.abs(change[b]))
    .forEach((f, i) => {
      rank[f] = i;
    });
  return rank;
}

function changeColumn(profile, measure) {
  const before = selvesByFunction(profile, profile.base.self);
  const now = selvesByFunction(profile, profile.base.nowSelf);
  const change = Float64Array.from(profile.functions.name, (_, f) =>
    now(f)[measure] - before(f)[measure]);
  const isRandom = randomChanges(profile, measure, before, now);
  const rank = ranks(isRandom, change);
  const text = (f) => (change[f] > 0 ? "+" : change[f] < 0 ? "−" : "") +
    measures.value(measure, Math.abs(change[f])) +
    (isRandom[f] && change[f] !== 0 ? " ?" : "");

  return {
    key: `change-${measure}`, isNumber: true,
    label: measure === "time" ? `Δ self ${measures.amountName(profile)}`
      : "Δ calls",
    title: `Own ${measures.nameOf(profile, measure)} after minus before; ` +
      "significant changes first, and a ? marks those that may be random",
    value: (f) => rank[f], text,
    cell: (f) => isRandom[f] && change[f] !== 0
      ? element("span.quiet", {}, text(f)) : text(f),
    hint: (f) => `${measures.value(measure, before(f)[measure])} → ` +
      measures.value(measure, now(f)[measure]),
  };
}

export function functionColumns(app) {
  const { profile } = app;
  const rows = () => profile.rows;
  const whole = (measure) => () => profile.below[measure][0];
  const name = measures.amountName(profile);
  const timed = profile.measures.includes("time") ? [
    number(profile, {
      key: "selftime", label: `Self ${name}`, title: "In the function itself",
      measure: "time", whole: whole("time"), of: (f) => rows().self.time[f],
      samples: (f) => rows().samples[f] }),
    number(profile, {
      key: "totaltime", label: `Total ${name}`, rank: 1,
      title: "In the function and its callees; recursion counted once",
      measure: "time", whole: whole("time"), of: (f) => rows().total.time[f],
      samples: (f) => rows().total.samples[f] }),
  ] : [];
  const changed = profile.base ? profile.measures.map((measure) =>
    changeColumn(profile, measure)) : [];

  return [
    { key: "name", label: "Function", least: 140, wish: 284, grow: 3,
      value: (f) => profile.name(f), cell: (f) => nameCell(app, f) },
    ...changed,
    { key: "module", label: "Module", least: 96, grow: 1, rank: 4,
      value: (f) => profile.moduleName(f),
      hint: (f) => profile.moduleName(f),
      cell: (f) => element("span.quiet", {}, profile.moduleName(f)) },
    ...app.colours.kindsPresent().length > 2 ? [{
      key: "kind", label: "Kind", least: 96, rank: 7,
      value: (f) => profile.kind(f),
      cell: (f) => element("span.quiet", {}, kinds[profile.kind(f)]?.label),
    }] : [],
    ...timed,
    number(profile, {
      key: "calls", label: "Calls",
      title: `Number of calls: they are ${measures.shownCallsAre(profile)}`,
      measure: "calls", whole: whole("calls"), of: (f) => rows().calls[f],
      rank: timed.length ? 2 : 0 }),
    ...profile.base ? [] : [number(profile, {
      key: "below", label: "Calls below", rank: 5, measure: "calls",
      title: "Calls of the function and of its callees; recursion counted once",
      whole: whole("calls"), of: (f) => rows().total.calls[f] })],
    number(profile, {
      key: "contexts", label: "Contexts", rank: 6,
      title: "Number of different chains of callers",
      of: (f) => rows().contexts[f] }),
    ...profile.meta.files.length > 1 ? [{
      key: "place", label: "Source", least: 110, grow: 1.2, rank: 8,
      value: (f) => profile.place(f), hint: (f) => profile.place(f),
      cell: (f) => pathCell(profile.place(f)) }] : [],
  ];
}

/* Returns the first sort key: the change, or own time. */
function firstColumn(profile) {
  const [measure] = profile.measures;

  if (profile.base)
    return `change-${measure}`;
  return measure === "time" ? "selftime" : "calls";
}

export class FunctionsView {
  static keys = ["sort"];

  constructor(host, app) {
    this.app = app;
    this.note = element("p.note");
    this.base = app.profile.base;
    this.table = new Table(host, {
      columns: functionColumns(app), label: "Functions",
      sort: firstColumn(app.profile),
      picked: (f) => app.selectFunction(f),
      opened: (f) => app.openButterfly(f),
      sorted: () => app.address.adjust(),
      menu: (f, at) => app.openMenu(f, at),
    });
    host.append(this.note);
  }

  state() {
    return { sort: this.table.order };
  }

  restore({ sort = "" }) {
    if (sort !== this.table.order)
      this.table.order = sort;
  }

  /* Columns of changes belong to one comparison. */
  #setColumns() {
    const { profile } = this.app;

    if (this.base === profile.base)
      return;
    this.base = profile.base;
    this.table.setColumns(functionColumns(this.app), firstColumn(profile));
  }

  show() {
    const { profile, found } = this.app;
    const rows = [];

    this.#setColumns();

    for (let f = 1; f < profile.functions.name.length; f++)
      if ((profile.rows.contexts[f] > 0) && (!found?.matches ||
                                             found.matches[f]))
        rows.push(f);
    this.table.show(rows);
    if (this.app.function)
      this.table.select(this.app.function);
    this.note.textContent = `${format.plural(rows.length, "function")}` +
      `${found?.matches ? " that match" : ""}. Double click or Enter: ` +
      `its callers and callees. ${measures.errorNote(profile)}`;
  }
}
