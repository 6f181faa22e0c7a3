/* SPDX-License-Identifier: MIT */
/* The call tree as a table, with percentages of the parent. */
import { stackOf } from "./actions.js";
import { element } from "./dom.js";
import * as format from "./format.js";
import { nameCell } from "./functions.js";
import * as measures from "./measures.js";
import { where } from "./tips.js";
import { ContextTree, invertedTree } from "./tree.js";
import { TreeGrid } from "./treegrid.js";

export class CallTreeView {
  static keys = ["row"];

  /* options: { label, key: of the selected row in the address, isInvertible } */
  constructor(host, app, { label = "Call tree", key = "row",
                           isInvertible = true } = {}) {
    this.app = app;
    this.rowKey = key;
    this.isInvertible = isInvertible;
    this.facts = new Map(); /* of nodes, since inverted ones are sums */
    this.table = new TreeGrid(host, {
      columns: this.#columns(), label,
      picked: (row) => this.#picked(row),
      opened: (row) => app.openButterfly(this.tree.function(row.node)),
      menu: ({ node }, at) => app.openMenu(this.tree.function(node), at,
                                           stackOf(this.tree, node)),
    });
    this.note = element("p.note", {}, "→ opens a row, ← closes it, e opens the " +
      "hottest path, Enter shows callers and callees.");
    host.append(this.note);
    this.tools = [isInvertible && app.views.graph.order, element("button.plain", {
      type: "button", title: "Open the largest row below each row (e)",
      onclick: () => this.openHottest() }, "Hottest path")];
  }

  openHottest() {
    this.table.openHottest(this.table.selected);
    this.focus();
  }

  #of({ node }) {
    if (!this.facts.has(node))
      this.facts.set(node, this.tree.facts(node));
    return this.facts.get(node);
  }

  #isCounted({ node }) {
    return this.app.profile.isCounted[this.tree.function(node)];
  }

  #columns() {
    const { profile } = this.app;
    const whole = (measure) => profile.below[measure][0] || 1;
    const part = (measure, of, label, title, rank) => ({
      key: `${of}${measure}`, label, title, isNumber: true, rank,
      value: (row) => this.#of(row)[of][measure],
      text: (row) => measures.value(measure, this.#of(row)[of][measure]),
      share: (row) => this.#of(row)[of][measure] / whole(measure),
      hint: (row) => measures.share(profile, measure, this.#of(row)[of][measure],
                                    this.#of(row)[of].samples),
    });
    const name = measures.amountName(profile);

    return [
      { key: "name", label: "Function", least: 140, wish: 320, grow: 3,
        cell: (row) => element("div.name", {}, this.table.handle(row),
                               nameCell(this.app, this.tree.function(row.node))) },
      { key: "parent", label: "Of parent", isNumber: true, least: 84,
        title: "Share of the row that it is below",
        value: (row) => this.tree.value(row.node),
        text: (row) => {
          const { tree } = this;
          const above = tree.value(tree.parent(row.node)) || 1;

          return `${(tree.value(row.node) / above * 100).toFixed(1)} %`;
        } },
      ...profile.whole.time ? [
        part("time", "total", `Total ${name}`, "In these calls and their callees", 0),
        part("time", "self", `Self ${name}`, "In these calls themselves", 3)] : [],
      part("calls", "total", "Calls from here", "Of these contexts and their callees",
           profile.whole.time ? 5 : 0),
      { key: "calls", label: "Calls", isNumber: true, rank: 2,
        title: "Calls in these contexts",
        value: (row) => this.#of(row).self.calls,
        text: (row) => this.#of(row).self.calls || this.#isCounted(row)
          ? format.count(this.#of(row).self.calls) : "–" },
      { key: "place", label: "Module and source", least: 120, grow: 1, rank: 6,
        cell: (row) => element("span.quiet", {}, where(
          profile, this.tree.function(row.node))) },
    ];
  }

  makeTree() {
    const { profile, measure, views } = this.app;

    return views.graph.isInverted ? invertedTree(profile, measure)
      : new ContextTree(profile, measure);
  }

  get #key() {
    const { profile, measure, views } = this.app;

    return [profile.below, measure, views.graph.isInverted];
  }

  /* Whether the table has the tree that the page shows now. */
  #isCurrent() {
    return this.#key.every((each, i) => each === this.shown?.[i]);
  }

  show() {
    if (!this.#isCurrent()) {
      this.tree = this.makeTree();
      this.shown = this.#key;
      this.facts.clear();
      this.row = "";
      this.table.setColumns(this.#columns());
      this.table.show(this.tree);
    }
    this.table.draw();
    this.#showWanted();
  }

  #showWanted() {
    const { wanted } = this;
    const node = wanted ? this.app.identity.findNode(this.tree, wanted) : null;

    this.wanted = null;
    if (wanted && node === null)
      this.app.miss("a row");
    else if (node !== null)
      this.table.reveal(node);
  }

  #picked({ node }) {
    this.row = this.app.identity.ofNode(this.tree, node);
    this.app.selectFunction(this.tree.function(node));
  }

  state() {
    return { [this.rowKey]: this.wanted ?? (this.#isCurrent() ? this.row : "") };
  }

  restore(state) {
    this.wanted = state[this.rowKey];
  }

  key({ key }) {
    const { graph } = this.app.views;
    const keys = { e: () => this.openHottest(),
                   ...this.isInvertible && {
                     i: () => graph.invert(!graph.isInverted, true) } };

    keys[key]?.();
    return Boolean(keys[key]);
  }

  focus() {
    this.table.scroller.focus({ preventScroll: true });
  }
}
