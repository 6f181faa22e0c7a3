/* SPDX-License-Identifier: MIT */
/* Source locations of functions, and the lines on which time was spent. */
import { element } from "./dom.js";
import * as format from "./format.js";
import { nameCell, pathCell } from "./functions.js";
import { eachLineTotal } from "./linetotals.js";
import { amountName } from "./measures.js";
import { readSources, SourceText } from "./sourcetext.js";
import { Table } from "./table.js";

export class SourceView {
  static keys = ["file", "line"];

  constructor(host, app) {
    this.app = app;
    this.files = element("section.half", {}, element("h2", {}, "Files"));
    this.title = element("h2", {}, "Lines");
    this.lines = element("section.half", {}, this.title);
    this.empty = element("p.empty", {}, "There is no debug information that contains the " +
      "source lines of these functions.");
    this.body = element("div.halves.tall", {}, this.files, this.lines);
    this.partial = element("p.note.warn", { role: "status", hidden: true },
      "Time by line is not recorded by thread or period. Choose all threads and " +
      "the whole time to see it.");
    host.append(this.partial, this.empty, this.body);
    this.fileTable = new Table(this.files, {
      columns: this.#fileColumns(), sort: this.#key, label: "Files",
      picked: (file) => {
        this.#open(file);
        app.address.step("file");
      },
    });
    this.sources = readSources(app.profile.meta);
    this.newer = element("p.note", { hidden: true },
      "This file is newer than the program, so lines may have moved.");
    this.lineTable = new Table(this.lines, {
      columns: this.#lineColumns(), sort: this.#key, label: "Lines",
      picked: (row) => app.selectFunction(row.f),
      opened: (row) => app.openButterfly(row.f),
      menu: (row, at) => app.openMenu(row.f, at),
    });
    this.text = this.sources.size ? new SourceText(this.lines, {
      amounts: this.#textAmounts(),
      picked: (row) => {
        if (row.f)
          app.selectFunction(row.f);
        app.address.adjust();
      },
      opened: (row) => row.f && app.openButterfly(row.f),
      menu: (row, at) => row.f && app.openMenu(row.f, at),
    }) : null;
    this.lines.append(this.newer);
    if (app.profile.isTraceTimed)
      this.lines.append(element("p.note", {}, "A trace has no time by line. After " +
        "clew record --trace --sites, clew annotate has calls by line."));
  }

  get #key() {
    return this.app.profile.measures[0];
  }

  #column(key, label, show, { of = (row) => row, whole, ...more } = {}) {
    return { key, label, isNumber: true, ...more,
             value: (row) => of(row)[key], text: (row) => show(of(row)[key]),
             share: (row) => whole ? of(row)[key] /
               (this.app.profile.below[whole][0] || 1) || null : null };
  }

  get #hasTime() {
    return this.app.profile.measures.includes("time");
  }

  #amounts(of) {
    const { profile } = this.app;

    return [
      ...this.#hasTime ? [this.#column("time", `Self ${amountName(profile)}`,
                                       format.amount, { of, whole: "time" })] : [],
      this.#column("calls", "Calls", (calls) => profile.measures.includes("calls")
        ? format.count(calls) : "–", { of, whole: "calls" }),
    ];
  }

  /* The column of total time, if lines of calls are known. */
  get #total() {
    return !this.#hasTime || !this.app.profile.callers ? [] : [this.#column("total", `Total ${amountName(this.app.profile)}`,
      (total) => total ? format.amount(total) : "", {
        title: "With the functions that are called here. A called function counts " +
          "at the line of its first call in each context", whole: "time", rank: 1 })];
  }

  /* Columns of the text: most lines have no time and no calls. */
  #textAmounts() {
    const { profile } = this.app;
    const sparse = (show) => (number) => number ? show(number) : "";
    const columns = [
      ...this.#hasTime ? [
        this.#column("time", `Self ${amountName(profile)}`, sparse(format.amount),
                     { whole: "time" }),
        ...this.#total] : [],
      ...profile.measures.includes("calls") && profile.callers ? [
        this.#column("made", "Calls made", sparse(format.count), {
          rank: 2, title: "Calls of other functions from here. All calls of a " +
            "function in one context count at the line of the first" })] : [],
    ];

    return columns.map((column) => ({ ...column, share: column.key === "made" ? null
      : (row) => row[column.key] ? column.share(row) : null }));
  }

  #fileColumns() {
    const name = (file) => this.app.profile.meta.files[file];

    return [
      { key: "name", label: "File", least: 150, grow: 1, value: name,
        cell: (file) => pathCell(name(file)) },
      { key: "lines", label: "Lines", isNumber: true, rank: 1,
        value: (file) => this.sums.get(file).rows.size,
        text: (file) => format.count(this.sums.get(file).rows.size) },
      ...this.#amounts((file) => this.sums.get(file))
        .map((column) => column.key === this.#key ? column : { ...column, rank: 2 }),
    ];
  }

  /*
   * Rows are lines where a function begins, which have its calls, and lines
   * with samples, which have time.
   */
  #lineColumns() {
    const { profile } = this.app;

    return [
      { key: "line", label: "Line", isNumber: true,
        value: (row) => row.line, text: (row) => String(row.line) },
      { key: "name", label: "Function", least: 120, grow: 1,
        value: (row) => profile.name(row.f),
        cell: (row) => nameCell(this.app, row.f) },
      ...this.#amounts((row) => row).flatMap((column) =>
        column.key === "time" ? [column, ...this.#total] : [column]),
    ];
  }

  #sumOf(file) {
    let sum = this.sums.get(file);

    if (!sum)
      this.sums.set(file, sum = { calls: 0, time: 0, rows: new Map() });
    return sum;
  }

  /* amounts: { calls: of f, time, total, made: calls at the line }. */
  #add(file, line, f, amounts) {
    const sum = this.#sumOf(file);
    const key = `${line} ${f}`;
    let row = sum.rows.get(key);

    if (!row)
      sum.rows.set(key, row = { line, f, calls: 0, time: 0, total: 0, made: 0 });
    for (const [what, amount] of Object.entries(amounts)) {
      row[what] += amount;
      if (what in sum)
        sum[what] += amount;
    }
  }

  show() {
    const { profile, found } = this.app;
    const { functions, lines, rows } = profile;
    const isOut = (f) => found?.matches && !found.matches[f];

    this.sums = new Map();
    for (let f = 1; f < functions.name.length; f++)
      if (functions.file[f] && rows.contexts[f] && !isOut(f))
        this.#add(functions.file[f], functions.line[f], f,
                  { calls: rows.calls[f] });
    /* Samples of lines are not recorded by thread or time. */
    for (let i = 0; !profile.isPart && i < lines.context.length; i++) {
      const f = profile.recorded.contexts.function[lines.context[i]];

      if (!isOut(f) && profile.shown(lines.context[i]) >= 0)
        this.#add(lines.file[i], lines.line[i], f, { time: lines.time[i] });
    }
    if (profile.callers && !profile.isPart)
      eachLineTotal(profile, (file, line, f, total, made) => {
        if (!isOut(f) && (total || made))
          this.#add(file, line, f, { total, made });
      });
    this.partial.hidden = !(profile.isPart && lines.context.length > 0);
    this.empty.hidden = this.sums.size > 0;
    this.body.hidden = !this.empty.hidden;
    for (const file of this.sources.keys())
      this.#sumOf(file);
    this.fileTable.show([...this.sums.keys()]);
    this.#showWanted();
  }

  #showWanted() {
    const { wanted } = this;
    const { files } = this.app.profile.meta;
    const file = wanted?.file
      ? files.findIndex((name) => this.app.identity.ofText(name) === wanted.file)
      : -1;

    this.wanted = null;
    if (wanted?.file && !this.sums.has(file))
      this.app.miss("a file");
    this.#open(this.sums.has(file) ? file : this.#firstFile());
    if (this.text && Number(wanted?.line) > 0 && this.sources.has(this.file))
      this.text.goTo(Number(wanted.line));
  }

  /* Returns the selected file, or that with the most time; best one with text. */
  #firstFile() {
    const { rows, selected } = this.fileTable;

    return rows[selected] ?? rows.find((file) => this.sources.has(file)) ?? rows[0];
  }

  /* Shows a file: its text if the page has it, or else its lines with time. */
  #open(file) {
    if (file === undefined)
      return;
    const source = this.sources.get(file);
    const rows = [...this.sums.get(file).rows.values()]
      .sort((a, b) => b.time - a.time || b.total - a.total || b.calls - a.calls);

    this.file = file;
    this.title.textContent = `Lines of ${
      this.app.profile.meta.files[file].split("/").at(-1)}`;
    this.fileTable.select(file);
    this.lineTable.scroller.hidden = Boolean(source);
    this.newer.hidden = !source?.isNewer;
    if (this.text)
      this.text.scroller.hidden = !source;
    if (!source) {
      this.lineTable.show(rows);
      return;
    }
    const isSame = this.shownFile === file;

    this.shownFile = file;
    this.text.show(source, rows);
    if (!isSame && rows.length)
      this.text.goTo(rows[0].line);
  }

  state() {
    const row = this.text?.rows[this.text.selected];
    const name = this.app.profile.meta.files[this.file];

    return { file: this.wanted?.file ?? (name && this.app.identity.ofText(name)),
             line: this.wanted?.line ??
               (this.sources.has(this.file) ? row?.line : "") };
  }

  restore({ file, line }) {
    this.wanted = file ? { file, line } : null;
  }
}
