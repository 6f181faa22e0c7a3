/* SPDX-License-Identifier: MIT */
/*
 * Callers and callees of one function, as tables of exact edges and as two
 * graphs that meet at the function.
 */
import { stackOf } from "./actions.js";
import { element, replace } from "./dom.js";
import { FlameView } from "./flame.js";
import * as format from "./format.js";
import { nameCell } from "./functions.js";
import * as measures from "./measures.js";
import { Table } from "./table.js";
import { tip, where } from "./tips.js";
import { calleesTree, callersTree } from "./tree.js";

/*
 * Returns the edges at f: Map other -> { calls, time, contexts, isCounted },
 * and .whole, their sums. Calls are those of every edge. Time below a function is counted
 * once if the function recurs on a path.
 */
export function edges(profile, f, isUpwards) {
  const found = new Map();
  const whole = { calls: 0, time: 0 };
  const { parent, end, self, below } = profile;
  const add = (other, callee) => {
    let edge = found.get(other);

    if (!edge)
      found.set(other, edge = { calls: 0, time: 0, contexts: 0,
                                isCounted: false });
    edge.isCounted ||= self.calls[callee] > 0 ||
      profile.isCounted[profile.function[callee]] === 1;
    edge.calls += self.calls[callee];
    edge.contexts++;
    whole.calls += self.calls[callee];
    if (below.time && profile.isOutermost[callee]) {
      edge.time += below.time[callee];
      whole.time += below.time[callee];
    }
  };

  for (const context of profile.contextsOf(f)) {
    if (isUpwards)
      add(profile.function[parent[context]], context);
    else
      for (let c = context + 1; c < end[context]; c = end[c])
        add(profile.function[c], c);
  }
  return Object.assign(found, { whole });
}

export class ButterflyView {
  constructor(host, app) {
    this.app = app;
    this.title = element("div.subject");
    this.empty = element("p.empty", {},
      "Choose a function: click a frame or a row of the table, or search.");
    this.callers = element("section.half", {}, element("h2", {}, "Callers"));
    this.callees = element("section.half", {}, element("h2", {}, "Callees"));
    this.up = element("div.graph");
    this.down = element("div.graph");
    this.body = element("div.butterfly", {},
      element("div.halves", {}, this.callers, this.callees),
      element("div.sandwich", {},
        element("div.side", {}, "callers"), this.up,
        element("div.side", {}, "callees"), this.down));
    host.append(this.empty, this.title, this.body);
    this.tables = [this.#table(this.callers, true),
                   this.#table(this.callees, false)];
  }

  #table(host, isUpwards) {
    return new Table(host, {
      columns: this.#columns(() => isUpwards ? this.from : this.to),
      label: isUpwards ? "Callers" : "Callees",
      sort: this.app.profile.measures[0],
      opened: (f) => f && this.app.openButterfly(f),
      menu: (f, at) => f && this.app.openMenu(f, at),
    });
  }

  #columns(edgesOf) {
    const { app } = this;
    const isKnown = (f, key) => key === "time" || edgesOf().get(f).isCounted;
    const column = (key, label, title, show) => ({
      key, label, title, isNumber: true,
      value: (f) => edgesOf().get(f)[key],
      text: (f) => isKnown(f, key) ? show(edgesOf().get(f)[key]) : "–",
      share: (f) => isKnown(f, key)
        ? edgesOf().get(f)[key] / (edgesOf().whole[key] || 1) : null,
    });

    return [
      { key: "name", label: "Function", least: 130, wish: 200, grow: 1,
        value: (f) => app.profile.name(f),
        cell: (f) => f === 0 ? element("span.quiet", {}, "(outermost)")
          : nameCell(app, f) },
      ...app.profile.measures.includes("time")
        ? [column("time", `Total ${measures.amountName(app.profile)}`,
                  "In these calls and their callees", format.amount)] : [],
      column("calls", "Calls", "Calls along this edge",
             format.count),
    ];
  }

  #makeGraphs() {
    const treeOf = (host) => this.graphs[host === this.up ? 0 : 1].tree;
    const make = (host, label) => new FlameView(host, {
      colours: this.app.colours, label, tip,
      menu: (node, at) => this.app.openMenu(treeOf(host).function(node), at,
                                            stackOf(treeOf(host), node)),
      opened: (node) => this.app.openButterfly(treeOf(host).function(node)),
      rootLabel: () => this.app.profile.name(this.app.function),
    });

    this.graphs ??= [make(this.up, "Callers"), make(this.down, "Callees")];
    this.graphs.forEach((graph) => graph.theme(this.app.isDark));
  }

  theme(isDark) {
    this.graphs?.forEach((graph) => graph.theme(isDark));
  }

  show() {
    const { app } = this;
    const f = app.function;

    this.empty.hidden = Boolean(f);
    this.title.hidden = this.body.hidden = !f;
    if (!f)
      return;
    this.from = edges(app.profile, f, true);
    this.to = edges(app.profile, f, false);
    this.tables[0].show([...this.from.keys()]);
    this.tables[1].show([...this.to.keys()]);
    this.#describe(f);
    this.#makeGraphs();
    this.graphs[0].turn(true);
    this.graphs[0].show(callersTree(app.profile, app.measure, f));
    this.graphs[1].show(calleesTree(app.profile, app.measure, f));
  }

  #describe(f) {
    const { profile } = this.app;
    const { rows } = profile;
    const facts = [
      rows.calls[f] > 0 || profile.isCounted[f]
        ? format.plural(rows.calls[f], "call") : "calls not counted",
      `${format.plural(rows.contexts[f], "context")}`];

    if (profile.measures.includes("time"))
      facts.push(
        `self ${format.amount(rows.self.time[f])} (${measures.share(
          profile, "time", rows.self.time[f], rows.samples[f])})`,
        `total ${format.amount(rows.total.time[f])} (${measures.share(
          profile, "time", rows.total.time[f], rows.total.samples[f])})`);
    replace(this.title, element("h1", {}, ...nameCell(this.app, f)),
            element("p.where", {}, where(profile, f)),
            element("p.facts", {}, facts.join(" · ")));
  }
}
