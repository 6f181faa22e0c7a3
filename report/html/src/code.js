/* SPDX-License-Identifier: MIT */
/*
 * The instructions of the functions with the most time, which the page contains
 * (clew html --sources), with the time of each and the lines of branches.
 */
import { element } from "./dom.js";
import * as format from "./format.js";
import { nameCell, pathCell } from "./functions.js";
import { Grid } from "./grid.js";
import * as measures from "./measures.js";
import { Table } from "./table.js";

/* Returns Map function -> { f, time, samples, isCut, rows }. */
export function readCode({ code = [] }) {
  return new Map(code.map((one) => {
    let vaddr = BigInt(one.vaddr);
    const rows = one.rows.map(([step, arrows, text, time, samples, calls, file,
                                line, total]) => {
      vaddr += BigInt(step);
      return { vaddr: vaddr.toString(16), arrows, text, time, samples, calls,
               file, line, total };
    });

    return [one.function, { f: one.function, time: one.self_ns,
                            samples: one.samples, isCut: one.is_cut,
                            total: one.total_ns, hasSites: one.has_sites,
                            rows }];
  }));
}

export class CodeView {
  static keys = ["cd", "pc"];

  constructor(host, app) {
    this.app = app;
    this.code = readCode(app.profile.meta);
    this.whole = 0; /* time of the recording */
    for (const time of app.profile.recorded.whole.time ?? [])
      this.whole += time;
    this.left = element("section.half", {}, element("h2", {}, "Functions"));
    this.title = element("h2", {}, "Instructions");
    this.right = element("section.half", {}, this.title);
    this.note = element("p.note");
    this.partial = element("p.note.warn", { role: "status", hidden: true },
      "The time of instructions is that of the whole recording: it is not recorded " +
      "by thread or period.");
    host.append(this.partial, element("div.halves.tall", {}, this.left, this.right),
                this.note);
    this.functions = new Table(this.left, {
      columns: this.#functionColumns(), sort: "time", label: "Functions",
      picked: (f) => {
        this.#open(f);
        app.selectFunction(f);
        app.address.step("code");
      },
      opened: (f) => app.openButterfly(f),
      menu: (f, at) => app.openMenu(f, at),
    });
    this.rows = new Grid(this.right, {
      columns: this.#rowColumns(), label: "Instructions", height: 20,
      picked: () => app.address.adjust(),
      opened: ({ file, line }) => app.showLine(file, line),
    });
  }

  #functionColumns() {
    const { profile } = this.app;
    const of = (f) => this.code.get(f);

    return [
      { key: "name", label: "Function", least: 120, wish: 200, grow: 1,
        value: (f) => profile.name(f), cell: (f) => nameCell(this.app, f) },
      { key: "time", label: `Self ${measures.amountName(profile)}`, isNumber: true,
        value: (f) => of(f).time, text: (f) => format.amount(of(f).time),
        share: (f) => of(f).time / (this.whole || 1) },
      { key: "count", label: "Instructions", isNumber: true, rank: 1,
        value: (f) => of(f).rows.length,
        text: (f) => format.count(of(f).rows.length) },
    ];
  }

  /* Numbers that are 0 have empty cells. */
  #rowColumns() {
    const { profile } = this.app;
    const file = (row) => profile.meta.files[row.file] ?? "";

    return [
      { key: "time", label: `Self ${measures.amountName(profile)}`, isNumber: true,
        value: (row) => row.time,
        text: (row) => row.time ? format.amount(row.time) : "",
        share: (row) => row.time ? row.time / (this.shown.time || 1) : null,
        hint: (row) => row.samples ? format.plural(row.samples, "sample") : "" },
      ...this.#hasAny("total", "time") ? [
        { key: "total", label: `Total ${measures.amountName(profile)}`,
          isNumber: true, rank: 1, title: "With the functions that are called here",
          value: (row) => row.total,
          text: (row) => row.total ? format.amount(row.total) : "",
          share: (row) => row.total ? row.total / (this.shown.total || 1) : null }]
        : [],
      ...this.#hasAny("calls") ? [
        { key: "calls", label: "Calls made", isNumber: true, rank: 1,
          title: this.#areExact() ? "Calls that this instruction made"
            : "Calls made here: all those of a function in one context are at its " +
              "first call",
          value: (row) => row.calls,
          text: (row) => row.calls ? format.count(row.calls) : "" }] : [],
      { key: "vaddr", label: "Address", least: 84, rank: 2,
        cell: (row) => element("code.quiet", {}, row.vaddr) },
      { key: "place", label: "Line", least: 150, rank: 3,
        hint: (row) => row.line ? `${file(row)}:${row.line}` : "",
        cell: (row) => row.line ? pathCell(
          `${file(row).split("/").at(-1)}:${row.line}`) : "" },
      { key: "code", label: "Instruction", least: 190, grow: 1,
        length: (row) => row.arrows.length + row.text.length,
        cell: (row) => element("code", {}, element("span.arrows", {
          "aria-hidden": "true" }, row.arrows), row.text) },
    ];
  }

  /*
   * Returns whether any instruction has a value of `key` that differs from that
   * of `other`.
   */
  #hasAny(key, other) {
    return [...this.code.values()].some(({ rows }) =>
      rows.some((row) => row[key] && row[key] !== row[other]));
  }

  /* Whether calls are those of recorded call sites. */
  #areExact() {
    return [...this.code.values()].every(({ hasSites }) => hasSites);
  }

  show() {
    const { found, function: selected, profile } = this.app;
    const { wanted } = this;

    this.partial.hidden = !profile.isPart;

    this.functions.show([...this.code.keys()].filter((f) =>
      !found?.matches || found.matches[f]));
    this.wanted = null;
    const link = wanted ? this.app.identity.findFunction(wanted.cd) : 0;

    if (wanted && !this.code.has(link))
      this.app.miss("a function");
    this.#open([link, selected, this.shown?.f, this.functions.rows[0]]
      .find((f) => this.code.has(f)) ?? [...this.code.keys()][0]);
    const row = this.shown.rows.find(({ vaddr }) => vaddr === wanted?.pc);

    if (row)
      this.#goTo(row);
  }

  /* Shows a function, with the row that has the most time in the middle. */
  #open(f) {
    const shown = this.code.get(f);
    const isSame = this.shown === shown;

    this.shown = shown;
    this.functions.select(f);
    this.title.textContent = `Instructions of ${this.app.profile.short(f)}`;
    this.note.textContent = "A share is one of the function. Enter shows the " +
      "source line." +
      (shown.isCut ? " The rest of the code exceeds 4 MiB and is missing." : "");
    this.rows.setRows(shown.rows);
    if (!isSame)
      this.#goTo(shown.rows.reduce((a, b) => b.time > a.time ? b : a));
  }

  #goTo(row) {
    this.rows.select(row);
    this.rows.center();
  }

  state() {
    const { wanted, shown, rows } = this;

    return wanted ?? (shown ? {
      cd: this.app.identity.ofFunction(shown.f),
      pc: rows.rows[rows.selected]?.vaddr } : {});
  }

  restore({ cd, pc }) {
    this.wanted = cd ? { cd, pc } : null;
  }

  focus() {
    this.rows.scroller.focus({ preventScroll: true });
  }
}
