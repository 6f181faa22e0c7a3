/* SPDX-License-Identifier: MIT */
/*
 * Any number of rows, of which only visible ones exist as elements. The keyboard
 * moves a selected row; assistive technology learns of it by
 * aria-activedescendant.
 *
 * Columns are { key, label, title, isNumber, value(row), cell(row): text or
 * elements, share(row): part of a whole, 0 to 1, or none, hint(row): a tooltip,
 * least: minimal width in pixels, wish: a width for which others are left out,
 * grow: share of the remaining width, rank, length(row): characters of a code
 * that is never cut, so the table scrolls sideways }. Where the width is too
 * small, columns with the highest rank are left out first. Numbers are never cut.
 */
import { element, replace } from "./dom.js";
import { isMenuClick, isMenuKey } from "./menu.js";

const ROW = 28; /* height of a row, unless options have another */
const SPARE = 8; /* rows beyond either edge */
const PADDING = 18; /* of a cell, in pixels */
const DIGIT = 7.9; /* width of a digit */
const CODE = 7.3; /* width of a character of code */
const LETTER = 7.4; /* mean width of a letter of a heading */
const ARROW = 14;
const SHARE = 66; /* width of a percentage */
const MEASURED = 400; /* rows whose texts are measured */
const MOST_WISHED = 0.42; /* of the width, for names */
const CODE_SHARE = 0.5; /* of the width, for code that scrolls */
const EDGES = 24; /* to the left and right of all cells */

let grids = 0;

/* Returns a pale "12.3 %" in a column of its own width. */
function shareOf(part) {
  return part > 0 && part < 0.0005 ? "<0.1 %" : `${(part * 100).toFixed(1)} %`;
}

export class Grid {
  /*
   * options: { columns, label, role, height: of a row, picked(row), opened(row),
   * menu(row, { x, y }) }
   */
  constructor(host, options) {
    this.options = options;
    this.height = options.height ?? ROW;
    this.rows = [];
    this.selected = -1;
    this.id = `grid${++grids}`;
    this.head = element("div.head", { role: "row" });
    this.body = element("div.rows", { role: "rowgroup" });
    this.scroller = element("div.scroller", {
      tabindex: "0", role: options.role ?? "grid", "aria-label": options.label,
      onscroll: () => this.draw(), onkeydown: (event) => this.#listen(event),
    }, this.head, this.body);
    this.scroller.style.setProperty("--row", `${this.height}px`);
    host.append(this.scroller);
    this.setColumns(options.columns);
    new ResizeObserver(() => {
      this.#layOut();
      this.draw();
    }).observe(this.scroller);
  }

  setColumns(columns) {
    this.columns = columns;
    this.shown = columns;
  }

  /* Shows rows; the selected one stays selected if it is among them. */
  setRows(rows) {
    const kept = this.rows[this.selected];

    this.rows = rows;
    this.selected = kept === undefined ? -1 : rows.indexOf(kept);
    this.#layOut();
    this.draw();
  }

  select(row) {
    this.selected = this.rows.indexOf(row);
    this.#reveal();
    this.draw();
  }

  /* ---- Columns ---- */

  /* Returns the width that all numbers of a column need. */
  #needed(column) {
    const { rows } = this;
    const head = column.label.length * LETTER + PADDING + ARROW;
    let longest = 0, most = null;

    if (!column.isNumber || column.least)
      return column.least ?? head;
    for (const row of rows)
      if (most === null || Math.abs(column.value(row)) > Math.abs(most.value))
        most = { row, value: column.value(row) };
    const measured = rows.length <= MEASURED ? rows : rows.slice(0, MEASURED);

    for (const row of most ? [most.row, ...measured] : [])
      longest = Math.max(longest, column.text(row).length);
    return Math.max(head, longest * DIGIT + PADDING +
      (column.share && !this.isTight ? SHARE : 0));
  }

  #layOut() {
    const room = this.scroller.clientWidth - EDGES;
    const isKept = (column) => !column.rank || column.key === this.sort?.key;

    if (room <= 0)
      return; /* hidden */
    this.isTight = false;
    let widths = this.#fit(room, isKept);

    if (this.shown.reduce((sum, column, i) => sum + (column.length
      ? room * CODE_SHARE : widths[i]), 0) > room) {
      this.isTight = true;
      widths = this.#fit(room, isKept);
    }
    this.scroller.classList.toggle("tight", this.isTight);
    this.scroller.style.setProperty("--columns", this.shown.map((column, i) =>
      column.grow ? `minmax(${Math.ceil(widths[i])}px, ${column.grow}fr)`
        : `${Math.ceil(widths[i])}px`).join(" "));
    this.#drawHead();
  }

  /* Chooses the columns that fit, and returns their widths. */
  #fit(room, isKept) {
    const needed = new Map(this.columns.map((column) =>
      [column, this.#needed(column)]));
    const wished = (each) => Math.min(each.wish ?? 0, room * MOST_WISHED);
    const sum = () => this.shown.reduce((all, each) =>
      all + Math.max(wished(each), needed.get(each)), 0);

    this.shown = this.columns;
    while (sum() > room) {
      const [first] = this.shown.filter((each) => !isKept(each))
        .sort((a, b) => b.rank - a.rank);

      if (!first)
        break;
      this.shown = this.shown.filter((each) => each !== first);
    }
    return this.shown.map((each) => Math.max(needed.get(each),
                                             this.#widthOfCode(each)));
  }

  #widthOfCode({ length }) {
    return length ? this.rows.reduce((most, row) =>
      Math.max(most, length(row)), 0) * CODE + PADDING : 0;
  }

  #classOf(column) {
    return `div.cell${column.isNumber ? ".number" : ""}.${column.key}`;
  }

  #drawHead() {
    replace(this.head, this.shown.map((column) =>
      this.heading(column, this.#classOf(column))));
  }

  /* Returns the heading of a column. */
  heading(column, kind) {
    return element(kind, { role: "columnheader", title: column.title },
                   element("span.label", {}, column.label));
  }

  /* ---- Rows ---- */

  draw() {
    const { scrollTop, clientHeight } = this.scroller;
    const first = Math.max(0, Math.floor(scrollTop / this.height) - SPARE);
    const last = Math.min(this.rows.length,
                          Math.ceil((scrollTop + clientHeight) / this.height) + SPARE);
    const drawn = [];

    for (let i = first; i < last; i++)
      drawn.push(this.#row(i));
    this.body.style.height = `${this.rows.length * this.height}px`;
    this.scroller.setAttribute("aria-rowcount", this.rows.length + 1);
    if (this.selected >= first && this.selected < last)
      this.scroller.setAttribute("aria-activedescendant",
                                 `${this.id}-${this.selected}`);
    else
      this.scroller.removeAttribute("aria-activedescendant");
    replace(this.body, drawn);
  }

  #row(i) {
    const row = this.rows[i];
    const isSelected = i === this.selected;
    const made = element(`div.row${isSelected ? ".selected" : ""}`, {
      role: "row", id: `${this.id}-${i}`, "aria-rowindex": i + 2,
      "aria-selected": String(isSelected), ...this.facts(row),
      onclick: () => this.pick(i),
      ondblclick: () => this.options.opened?.(row),
      oncontextmenu: (event) => this.#menuAt(i, event),
    }, this.shown.map((column) => this.#cell(column, row)));

    made.style.transform = `translateY(${i * this.height}px)`;
    return made;
  }

  /* Returns more attributes of a row. */
  facts() {
    return {};
  }

  #cell(column, row) {
    const share = column.share?.(row) ?? null;
    const made = element(this.#classOf(column), { role: "gridcell",
                                                  title: column.hint?.(row) },
      column.cell?.(row) ?? column.text(row),
      column.share && element("span.share", {}, share === null ? ""
        : shareOf(share)));

    if (share > 0)
      made.style.setProperty("--share", `${Math.min(100, share * 100)}%`);
    return made;
  }

  pick(i) {
    this.selected = i;
    this.draw();
    this.options.picked?.(this.rows[i]);
  }

  #menuAt(i, event) {
    if (!this.options.menu || !isMenuClick(event))
      return;
    event.preventDefault();
    this.scroller.focus({ preventScroll: true });
    this.pick(i);
    this.options.menu(this.rows[i], { x: event.clientX, y: event.clientY });
  }

  /* Opens the menu of the selected row below it. */
  #openMenu() {
    const { left, top } = this.body.getBoundingClientRect();

    if (this.selected >= 0)
      this.options.menu?.(this.rows[this.selected], {
        x: left + 24, y: top + (this.selected + 1) * this.height });
  }

  #reveal() {
    const top = this.selected * this.height;
    const { scrollTop, clientHeight } = this.scroller;
    const head = this.head.offsetHeight;

    if (this.selected < 0)
      return;
    if (top < scrollTop)
      this.scroller.scrollTop = top;
    else if (top + this.height + head > scrollTop + clientHeight)
      this.scroller.scrollTop = top + this.height + head - clientHeight;
  }

  /* ---- Keys ---- */

  #listen(event) {
    if (event.altKey || event.ctrlKey || event.metaKey ||
        event.target !== this.scroller || !this.key(event))
      return;
    event.preventDefault();
    event.stopPropagation();
  }

  /* Returns whether the key did something. */
  key(event) {
    const page = Math.floor(this.scroller.clientHeight / this.height) - 1;
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page,
                    Home: -this.rows.length, End: this.rows.length };

    if (isMenuKey(event))
      this.#openMenu();
    else if (event.key === "Enter" && this.selected >= 0)
      this.options.opened?.(this.rows[this.selected]);
    else if (steps[event.key] && this.rows.length)
      this.moveTo(this.selected + steps[event.key]);
    else
      return false;
    return true;
  }

  /* Scrolls until the selected row is in the middle. */
  center() {
    this.scroller.scrollTop = this.selected * this.height -
      this.scroller.clientHeight / 2;
    this.draw();
  }

  /* Selects a row by its number, or the nearest one. */
  moveTo(i) {
    this.selected = Math.max(0, Math.min(this.rows.length - 1, i));
    this.#reveal();
    this.draw();
    this.options.picked?.(this.rows[this.selected]);
  }
}
