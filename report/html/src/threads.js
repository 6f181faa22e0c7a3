/* SPDX-License-Identifier: MIT */
/* Processes and threads: what each did, and the function that did most of it. */
import { element } from "./dom.js";
import * as format from "./format.js";
import { nameCell } from "./functions.js";
import * as measures from "./measures.js";
import { Table } from "./table.js";

export class ThreadsView {
  constructor(host, app) {
    this.app = app;
    this.table = new Table(host, {
      columns: this.#columns(), label: "Threads",
      sort: app.profile.whole.time ? "time" : "calls",
      opened: (group) => app.chooseGroup(group),
      menu: (group, at) => this.#most(group).f &&
        app.openMenu(this.#most(group).f, at) });
    host.append(element("p.note", {}, "Enter or a double click shows the flame " +
      "graph of a process or thread."));
  }

  #columns() {
    const { profile } = this.app;
    const amount = (key, label) => ({
      key, label, isNumber: true, value: (group) => this.sums.get(group)[key],
      text: (group) => measures.value(key, this.sums.get(group)[key]),
      share: (group) => this.sums.get(group)[key] / (this.whole[key] || 1) });

    return [
      { key: "name", label: "Name", least: 110, wish: 200, grow: 2,
        value: ({ name }) => name,
        cell: ({ name }) => element("span.name", { title: name }, name) },
      { key: "kind", label: "Kind", least: 80, rank: 3,
        value: ({ is_process: isProcess }) => isProcess ? "process" : "thread",
        cell: ({ is_process: isProcess }) =>
          element("span.quiet", {}, isProcess ? "process" : "thread") },
      ...profile.whole.time ? [amount("time", measures.capital(
        measures.amountName(profile)))] : [],
      { ...amount("calls", "Calls"), rank: profile.whole.time ? 2 : 0 },
      { key: "contexts", label: "Contexts", isNumber: true, rank: 4,
        value: ({ contexts }) => contexts,
        text: ({ contexts }) => format.count(contexts) },
      { key: "most", label: "Most of it in", least: 130, grow: 2, rank: 1,
        value: (group) => profile.name(this.#most(group).f),
        cell: (group) => this.#most(group).f
          ? nameCell(this.app, this.#most(group).f) : "" },
    ];
  }

  #most(group) {
    return this.sums.get(group);
  }

  /* Returns sums over a group, and the function with the most of its own. */
  #sum(group) {
    const { profile } = this.app;
    const [measure] = profile.measures;
    const own = profile.ownOf(group);
    const sums = { calls: 0, time: 0, f: 0 };
    const byFunction = new Float64Array(profile.functions.name.length);

    for (let i = 1; i < profile.count; i++) {
      sums.calls += own.calls[i];
      sums.time += own.time?.[i] ?? 0;
      byFunction[profile.function[i]] += own[measure][i];
    }
    byFunction.forEach((value, f) => {
      if (value > byFunction[sums.f])
        sums.f = f;
    });
    return sums;
  }

  #sumAll() {
    const { groups } = this.app.profile;
    const threads = groups.filter((each) => !each.is_process);
    // An import may have processes without threads.
    const parts = threads.length ? threads : groups;
    const whole = (key) => parts.reduce((sum, group) =>
      sum + this.sums.get(group)[key], 0);

    this.sums = new Map(groups.map((group) => [group, this.#sum(group)]));
    this.whole = { calls: whole("calls"), time: whole("time") };
  }

  show() {
    const { profile } = this.app;

    if (this.shown !== profile.below)
      this.#sumAll();
    this.shown = profile.below;
    this.table.show(profile.groups);
  }

  focus() {
    this.table.scroller.focus({ preventScroll: true });
  }
}
