/* SPDX-License-Identifier: MIT */
/*
 * A tree as rows that open and close, with the keys of ARIA's treegrid pattern.
 * Only opened nodes have rows, so the size of the tree does not matter. A row is
 * { node, depth, index: in its parent's children, siblings, isOpen }.
 */
import { announce } from "./announce.js";
import { element } from "./dom.js";
import * as format from "./format.js";
import { Grid } from "./grid.js";

const INDENT = 14; /* pixels a level */
const MOST = 12 * INDENT; /* deeper levels are not indented further */

export class TreeGrid extends Grid {
  constructor(host, options) {
    super(host, { role: "treegrid", ...options });
  }

  show(tree) {
    this.tree = tree;
    this.selected = -1;
    this.setRows(this.#rowsOf(tree.root, 0));
    this.scroller.scrollTop = 0;
    /* A chain of only calls is opened, since it has no choice. */
    for (let i = 0; this.rows.length === i + 1 && this.hasChildren(this.rows[i]) &&
      i < 50; i++)
      this.open(i);
  }

  #rowsOf(node, depth) {
    const children = this.tree.children(node);

    return children.map((child, index) => ({
      node: child, depth, index, siblings: children.length, isOpen: false }));
  }

  hasChildren({ node }) {
    return this.tree.children(node).length > 0;
  }

  open(i) {
    const row = this.rows[i];

    if (row.isOpen || !this.hasChildren(row))
      return;
    row.isOpen = true;
    this.setRows(this.rows.slice(0, i + 1).concat(
      this.#rowsOf(row.node, row.depth + 1), this.rows.slice(i + 1)));
    this.options.toggled?.();
  }

  close(i) {
    const row = this.rows[i];
    let end = i + 1;

    if (!row.isOpen)
      return;
    while (end < this.rows.length && this.rows[end].depth > row.depth)
      end++;
    row.isOpen = false;
    if (this.selected > i && this.selected < end)
      this.selected = i;
    this.setRows(this.rows.slice(0, i + 1).concat(this.rows.slice(end)));
    this.options.toggled?.();
  }

  toggle(i) {
    if (this.rows[i].isOpen)
      this.#closeAloud(i);
    else
      this.#openAloud(i);
  }

  /*
   * Opens a row and announces it, because screen readers do not report a row
   * that is drawn anew.
   */
  #openAloud(i) {
    const { node } = this.rows[i];
    const { length } = this.tree.children(node);

    this.open(i);
    if (length)
      announce(`Expanded, ${format.plural(length, "row")}`);
  }

  #closeAloud(i) {
    this.close(i);
    announce("Collapsed");
  }

  #parentOf(i) {
    for (let at = i - 1; at >= 0; at--)
      if (this.rows[at].depth < this.rows[i].depth)
        return at;
    return i;
  }

  /* Opens all callers of a node and selects it. */
  reveal(node) {
    const path = [];

    for (let at = node; at !== this.tree.root; at = this.tree.parent(at))
      path.push(at);
    let i = -1;

    while (path.length) {
      const next = path.pop();

      i = this.rows.findIndex((row, at) => at > i && row.node === next);
      if (i < 0)
        return;
      if (path.length)
        this.open(i);
    }
    this.moveTo(i);
  }

  /* Opens the largest child of a row, of this child, and so on. */
  openHottest(i) {
    const { tree } = this;
    let at = Math.max(0, i);

    while (this.rows[at] && this.hasChildren(this.rows[at])) {
      const { node } = this.rows[at];

      if (tree.value(tree.children(node)[0]) < tree.value(node) / 3)
        break;
      this.open(at++);
    }
    if (this.rows[at])
      this.moveTo(at);
  }

  facts({ depth, index, siblings, isOpen, node }) {
    return { "aria-level": depth + 1, "aria-posinset": index + 1,
             "aria-setsize": siblings,
             "aria-expanded": this.hasChildren({ node }) ? String(isOpen) : null };
  }

  /* Returns the space and the triangle before a name. */
  handle(row) {
    const made = element("i.handle", {
      "aria-hidden": "true", onclick: (event) => {
        event.stopPropagation();
        this.toggle(this.rows.indexOf(row));
      } }, !this.hasChildren(row) ? "" : row.isOpen ? "▾" : "▸");

    made.style.marginLeft = `${Math.min(row.depth * INDENT, MOST)}px`;
    return made;
  }

  key(event) {
    const i = this.selected;
    const row = this.rows[i];

    if (row && event.key === "ArrowRight")
      this.#goIn(i);
    else if (row && event.key === "ArrowLeft")
      this.#goOut(i);
    else if (row && event.key === " ")
      this.toggle(i);
    else
      return super.key(event);
    return true;
  }

  #goIn(i) {
    if (!this.rows[i].isOpen)
      this.#openAloud(i);
    else
      this.moveTo(i + 1);
  }

  #goOut(i) {
    if (this.rows[i].isOpen)
      this.#closeAloud(i);
    else
      this.moveTo(this.#parentOf(i));
  }
}
