/* SPDX-License-Identifier: MIT */
/*
 * A table with any number of rows, of which only visible ones exist as
 * elements. Columns are { key, label, title, isNumber, value(row), cell(row):
 * text or elements, share(row): length of a bar behind it, or none }.
 */
import { element, replace } from "./dom.js";
import { isMenuKey } from "./menu.js";

const ROW = 28;
const SPARE = 8; /* rows beyond either edge */

export class Table {
  /*
   * options: { columns, sort: key, label, picked(row), opened(row), sorted(),
   * menu(row, { x, y }) }
   */
  constructor(host, options) {
    this.options = options;
    this.columns = options.columns;
    this.rows = [];
    this.selected = -1;
    this.sort = { key: options.sort, isUp: false };
    this.head = element("div.head", { role: "row" });
    this.body = element("div.rows", { role: "rowgroup" });
    this.scroller = element("div.scroller", {
      tabindex: "0", role: "table", "aria-label": options.label,
      onscroll: () => this.#draw(), onkeydown: (event) => this.#key(event),
    }, this.head, this.body);
    host.append(this.scroller);
    new ResizeObserver(() => this.#draw()).observe(this.scroller);
    this.#drawHead();
  }

  show(rows) {
    const kept = this.rows[this.selected];

    this.rows = rows;
    this.#order();
    this.selected = kept === undefined ? -1 : this.rows.indexOf(kept);
    this.#draw();
  }

  select(row) {
    this.selected = this.rows.indexOf(row);
    this.#reveal();
    this.#draw();
  }

  sortBy(key) {
    const column = this.columns.find((each) => each.key === key);

    this.#sortTo(key, this.sort.key === key ? !this.sort.isUp
      : !column.isNumber);
    this.options.sorted?.();
  }

  #sortTo(key, isUp) {
    this.sort = { key, isUp };
    this.#drawHead();
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

  #order() {
    const column = this.columns.find((each) => each.key === this.sort.key);
    const values = new Map(this.rows.map((row) => [row, column.value(row)]));
    const sign = this.sort.isUp ? 1 : -1;
    const compare = column.isNumber ? (a, b) => a - b
      : (a, b) => a < b ? -1 : a > b ? 1 : 0;

    this.rows = [...this.rows].sort((a, b) =>
      sign * compare(values.get(a), values.get(b)));
  }

  #classOf(column) {
    return `div.cell${column.isNumber ? ".number" : ""}.${column.key}`;
  }

  #drawHead() {
    replace(this.head, this.columns.map((column) => {
      const isSorted = column.key === this.sort.key;

      return element(this.#classOf(column), {
        role: "columnheader", "aria-sort": !isSorted ? "none"
          : this.sort.isUp ? "ascending" : "descending" },
        element("button", { type: "button", title: column.title ?? "",
                            onclick: () => this.sortBy(column.key) },
                column.label));
    }));
    this.scroller.style.setProperty("--columns", this.columns
      .map((column) => column.width ?? (column.isNumber ? "8.5rem"
                                                        : "minmax(8rem, 1fr)"))
      .join(" "));
  }

  #draw() {
    const { scrollTop, clientHeight } = this.scroller;
    const first = Math.max(0, Math.floor(scrollTop / ROW) - SPARE);
    const last = Math.min(this.rows.length,
                          Math.ceil((scrollTop + clientHeight) / ROW) + SPARE);
    const drawn = [];

    for (let i = first; i < last; i++)
      drawn.push(this.#row(i));
    this.body.style.height = `${this.rows.length * ROW}px`;
    replace(this.body, drawn);
  }

  #row(i) {
    const row = this.rows[i];
    const made = element(`div.row${i === this.selected ? ".selected" : ""}`,
      { role: "row", onclick: () => this.#pick(i),
        ondblclick: () => this.options.opened?.(row),
        oncontextmenu: (event) => this.#menuAt(i, event) },
      this.columns.map((column) => this.#cell(column, row)));

    made.style.transform = `translateY(${i * ROW}px)`;
    return made;
  }

  #cell(column, row) {
    const made = element(
      this.#classOf(column), { role: "cell" }, column.cell(row));
    const share = column.share?.(row);

    if (share > 0)
      made.style.setProperty("--share", `${Math.min(100, share * 100)}%`);
    if (column.hint)
      made.title = column.hint(row);
    return made;
  }

  #pick(i) {
    this.selected = i;
    this.#draw();
    this.options.picked?.(this.rows[i]);
  }

  #menuAt(i, event) {
    if (!this.options.menu || event.button !== 2)
      return;
    event.preventDefault();
    this.scroller.focus({ preventScroll: true });
    this.#pick(i);
    this.options.menu(this.rows[i], { x: event.clientX, y: event.clientY });
  }

  /* Opens the menu of the selected row below it. */
  #openMenu() {
    const { left, top } = this.body.getBoundingClientRect();

    if (this.selected >= 0)
      this.options.menu?.(this.rows[this.selected], {
        x: left + 24, y: top + (this.selected + 1) * ROW });
  }

  #reveal() {
    const top = this.selected * ROW;
    const { scrollTop, clientHeight } = this.scroller;
    const head = this.head.offsetHeight;

    if (this.selected < 0)
      return;
    if (top < scrollTop)
      this.scroller.scrollTop = top;
    else if (top + ROW + head > scrollTop + clientHeight)
      this.scroller.scrollTop = top + ROW + head - clientHeight;
  }

  #key(event) {
    const page = Math.floor(this.scroller.clientHeight / ROW) - 1;
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page,
                    Home: -this.rows.length, End: this.rows.length };

    if (isMenuKey(event))
      this.#openMenu();
    else if (event.key === "Enter" && this.selected >= 0 && event.target ===
        this.scroller)
      this.options.opened?.(this.rows[this.selected]);
    else if (steps[event.key] && this.rows.length) {
      this.selected = Math.max(0, Math.min(this.rows.length - 1,
                                           this.selected + steps[event.key]));
      this.#reveal();
      this.#draw();
      this.options.picked?.(this.rows[this.selected]);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}
