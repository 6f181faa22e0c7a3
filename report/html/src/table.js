/* SPDX-License-Identifier: MIT */
/* A table whose rows can be sorted by each column. */
import { announce } from "./announce.js";
import { element } from "./dom.js";
import { Grid } from "./grid.js";

export class Table extends Grid {
  /* More options: { sort: key of a column, sorted() after another choice } */
  constructor(host, options) {
    super(host, options);
    this.sort = { key: options.sort, isUp: false };
  }

  /* Shows other columns, sorted by `key` from the highest value down. */
  setColumns(columns, key = this.options.sort) {
    super.setColumns(columns);
    this.options.sort = key;
    this.sort = { key, isUp: false };
  }

  show(rows) {
    this.setRows(this.#ordered(rows));
  }

  sortBy(key) {
    const column = this.columns.find((each) => each.key === key);

    this.#sortTo(key, this.sort.key === key ? !this.sort.isUp
      : !column.isNumber);
    this.options.sorted?.();
    announce(`Sorted by ${column.label}, ${this.sort.isUp ? "ascending"
      : "descending"}`);
  }

  #sortTo(key, isUp) {
    this.sort = { key, isUp };
    this.show(this.rows);
    this.scroller.scrollTop = 0;
  }

  /* The order of rows as text: "calls", or "-calls" from the lowest up. */
  get order() {
    const { key, isUp } = this.sort;

    return key === this.options.sort && !isUp ? "" : `${isUp ? "-" : ""}${key}`;
  }

  set order(text) {
    const isUp = text.startsWith("-");
    const key = isUp ? text.slice(1) : text;
    const isKnown = this.columns.some((column) => column.key === key);

    this.#sortTo(isKnown ? key : this.options.sort, isKnown && isUp);
  }

  #ordered(rows) {
    const column = this.columns.find((each) => each.key === this.sort.key);
    const values = new Map(rows.map((row) => [row, column.value(row)]));
    const sign = this.sort.isUp ? 1 : -1;
    const compare = column.isNumber ? (a, b) => a - b
      : (a, b) => a < b ? -1 : a > b ? 1 : 0;

    return [...rows].sort((a, b) =>
      sign * compare(values.get(a), values.get(b)));
  }

  heading(column, kind) {
    const isSorted = column.key === this.sort.key;

    return element(kind, {
      role: "columnheader", "aria-sort": !isSorted ? "none"
        : this.sort.isUp ? "ascending" : "descending" },
      element("button", { type: "button", title: column.title,
                          onclick: () => this.sortBy(column.key) },
              column.label));
  }
}
