/* SPDX-License-Identifier: MIT */
/*
 * The text of a source file that the page contains (clew html --sources), with
 * the time of each line and the calls made there. Long files have rows for visible lines only.
 */
import { element } from "./dom.js";
import { Grid } from "./grid.js";

const TAB = 8; /* columns */

/* Returns a line with spaces in place of tabs. */
function expanded(line) {
  let made = "";

  for (const c of line)
    made += c === "\t" ? " ".repeat(TAB - made.length % TAB) : c;
  return made;
}

/* Returns Map file -> { lines, isNewer: than the program }. */
export function readSources({ sources = [] }) {
  return new Map(sources.map(({ file, text, newer }) =>
    [file, { lines: text.replace(/\n$/, "").split("\n").map(expanded),
             isNewer: newer }]));
}

export class SourceText extends Grid {
  /*
   * options: { amounts: columns of rows, picked(row), opened(row) }. A row is {
   * line, text, f: the function with most of its time or calls, time, total, made
   * }.
   */
  constructor(host, options) {
    super(host, {
      ...options, label: "Source text", height: 20, columns: [
        { key: "line", label: "Line", isNumber: true, value: (row) => row.line,
          text: (row) => String(row.line) },
        ...options.amounts,
        { key: "code", label: "Text", least: 150, wish: 420, grow: 1,
          length: (row) => row.text.length,
          cell: (row) => element("code", {}, row.text) }] });
  }

  /* `known` are rows { line, f, time, total, made } of functions at lines. */
  show({ lines }, known) {
    const selected = this.rows[this.selected]?.line ?? 0;
    const rows = lines.map((text, i) =>
      ({ line: i + 1, text, f: 0, time: 0, total: 0, made: 0 }));

    for (const { line, f, time, total, made } of known) {
      const row = rows[line - 1];

      if (!row)
        continue;
      row.f ||= f;
      row.time += time;
      row.total += total;
      row.made += made;
    }
    this.setRows(rows);
    this.select(rows[selected - 1]);
  }

  /* Selects a line and moves it to the middle. */
  goTo(line) {
    this.moveTo(line - 1);
    this.center();
  }
}
