/* SPDX-License-Identifier: MIT */
/* The flame graph's panel: the graph, its controls, and the line below. */
import { stackOf } from "./actions.js";
import { announce } from "./announce.js";
import { composeRange, parseRange } from "./address.js";
import { element, replace, segments, select } from "./dom.js";
import { copy } from "./clipboard.js";
import { FlameView } from "./flame.js";
import * as format from "./format.js";
import * as measures from "./measures.js";
import { rangeText } from "./timescale.js";
import { showLegend, tip, where } from "./tips.js";
import { ContextTree, invertedTree } from "./tree.js";

export class GraphView {
  static keys = ["inv", "flame", "colour", "z", "v", "s"];

  constructor(host, app) {
    this.app = app;
    this.isInverted = false;
    this.isFlame = false;
    this.place = {}; /* zoomed and selected nodes, as in the address */
    this.wanted = null; /* a place to go to when the tree is shown */
    this.host = element("div.graph");
    this.trail = element("div.trail", { role: "status" });
    this.legend = element("div.legend");
    host.append(this.host, element("footer", {}, this.trail, this.legend));
    this.graph = new FlameView(this.host, {
      colours: app.colours, label: "Flame graph", tip,
      rootLabel: (tree) => this.#rootLabel(tree),
      selected: (node) => this.#selected(node),
      zoomed: (node) => this.#zoomed(node),
      menu: (node, at) => app.openMenu(this.graph.tree.function(node), at,
                                       stackOf(this.graph.tree, node)),
      opened: (node) => app.openButterfly(this.graph.tree.function(node)),
    });
    this.tools = this.#makeTools();
  }

  #makeTools() {
    const { profile, colours } = this.app;

    this.shape = segments("Direction", [
      ["icicle", "Icicle", "Callers above (f)"],
      ["flame", "Flame", "Callers below (f)"]], "icicle",
      (shape) => this.turn(shape === "flame", true));
    this.order = segments("Order", [
      ["callees", "Callees", "From the outermost function inwards (i)"],
      ["callers", "Inverted", "From each function to its callers (i)"]],
      "callees", (order) => this.invert(order === "callers", true));
    this.mode = select("Colour", [
      ["kind", "kind"], ["module", "module"], ["function", "function"],
      ...profile.base || profile.timeline?.canFollow ? [["change", "change"]] : []],
      colours.mode,
      (mode) => {
        this.colour(mode);
        this.app.address.adjust();
      });
    this.firstMode = colours.mode;
    return [this.shape, this.order, this.mode];
  }

  /* Chooses the meaning of colours, here and in the timeline. */
  colour(mode) {
    this.app.colours.mode = mode;
    this.mode.choose(mode);
    this.#recolour();
    this.app.views.timeline?.show();
  }

  #rootLabel(tree) {
    const { profile } = this.app;

    return `all · ${measures.value(tree.measure, tree.value(tree.root))} ` +
      `${tree.measure === "calls" ? "calls " : ""}` +
      (profile.chosen ? `of ${profile.chosen[0].name} ` : "") +
      (profile.range ? `from ${rangeText(profile.range)}` : "");
  }

  get #key() {
    const { profile, measure } = this.app;

    return [measure, this.isInverted, profile.below];
  }

  /* Whether the graph has the tree that the page shows now. */
  #isCurrent() {
    return this.#key.every((each, i) => each === this.shown?.[i]);
  }

  show() {
    const { profile, measure, found } = this.app;

    if (!this.#isCurrent()) {
      this.graph.show(this.isInverted ? invertedTree(profile, measure)
        : new ContextTree(profile, measure));
      this.shown = this.#key;
      this.hits = null;
      this.place = {};
    }
    if (found !== this.searched) {
      this.searched = found;
      this.hits = null;
    }
    this.#recolour();
    this.graph.fit();
    this.#showPlace();
    this.#showWanted();
  }

  /* ---- The address ---- */

  state() {
    const { colours } = this.app;

    return { inv: this.isInverted ? 1 : "", flame: this.isFlame ? 1 : "",
             colour: colours.mode === this.firstMode ? "" : colours.mode,
             ...this.wanted ?? (this.#isCurrent() ? this.place : {}) };
  }

  restore({ inv, flame, colour, z, v, s }) {
    const isMode = [...this.mode.querySelectorAll("option")]
      .some(({ value }) => value === colour);

    this.turn(flame === "1");
    this.colour(isMode ? colour : this.firstMode);
    this.isInverted = inv === "1";
    this.order.choose(this.isInverted ? "callers" : "callees");
    this.wanted = { z, v, s };
  }

  #showPlace() {
    const { graph, wanted } = this;
    const { identity } = this.app;
    const find = (id) => {
      const node = id ? identity.findNode(graph.tree, id) : null;

      if (id && node === null)
        this.app.miss("a frame");
      return node;
    };

    this.wanted = null;
    if (!wanted)
      return;
    const zoomed = find(wanted.z);
    const selected = wanted.s ? find(wanted.s) : zoomed;
    const sight = parseRange(wanted.v, 0, 1);

    if (selected !== graph.selected)
      graph.select(selected);
    if (zoomed !== null)
      graph.zoomTo(zoomed);
    else if (sight)
      graph.look(sight);
    else if (graph.sight.from > 0 || graph.sight.to < 1)
      graph.zoomTo(graph.tree.root);
    if (!sight && (zoomed ?? selected))
      graph.reveal(zoomed ?? selected);
    this.#note(zoomed, sight);
  }

  #zoomed(node) {
    this.#note(node, node === null ? this.graph.sight : null);
    if (node === null) {
      this.app.address.adjust();
      return;
    }
    this.app.address.step();
    announce(node === this.graph.tree.root ? "Zoomed out to all frames"
      : `Zoomed to ${this.app.profile.short(this.graph.tree.function(node))}`);
  }

  /* Stores the visible part and the selection. */
  #note(zoomed, sight) {
    const { tree, selected } = this.graph;
    const name = (node) => node === null || node === tree.root ? ""
      : this.app.identity.ofNode(tree, node);

    this.place = { z: name(zoomed), v: composeRange(sight),
                   s: selected === zoomed ? "" : name(selected) };
  }

  /*
   * Selects the context that another view has chosen, if this view shows
   * contexts.
   */
  #showWanted() {
    const { context } = this.app;

    this.app.context = 0;
    if (!context || !(this.graph.tree instanceof ContextTree) ||
        !(this.graph.tree.value(context) > 0))
      return;
    this.graph.select(context);
    this.graph.reveal(context);
  }

  #recolour() {
    showLegend(this.legend, this.app.colours);
    this.graph.render();
  }

  theme(isDark) {
    this.graph.theme(isDark);
    this.#recolour();
  }

  turn(isFlame, isStep = false) {
    this.isFlame = isFlame;
    this.shape.choose(isFlame ? "flame" : "icicle");
    this.graph.turn(isFlame);
    if (isStep)
      this.app.address.step();
  }

  invert(isInverted, isStep = false) {
    this.isInverted = isInverted;
    this.order.choose(isInverted ? "callers" : "callees");
    this.app.outdate(["graph", "tree"]);
    if (isStep)
      this.app.address.step();
  }

  /*
   * Returns the sum of matches and their subtrees, independent of the
   * direction.
   */
  matched(matches) {
    return new ContextTree(this.app.profile, this.app.measure)
      .matched(matches);
  }

  /* Selects the next visible match; only in the tree of contexts. */
  next(step) {
    const { tree } = this.graph;

    if (!this.app.found?.matches || !(tree instanceof ContextTree))
      return;
    this.hits ??= this.#bestHits(tree);
    if (this.hits.length === 0)
      return;
    const at = this.hits.indexOf(this.graph.selected);

    const hit = this.hits[(at + step + this.hits.length) % this.hits.length];

    this.graph.select(hit);
    this.graph.zoomTo(hit);
  }

  /* Returns the widest matches without a match above them. */
  #bestHits({ below }) {
    const { profile, found } = this.app;
    const hits = [];

    for (let i = 1; i < profile.count;) {
      if (found.matches[profile.function[i]]) {
        hits.push(i);
        i = profile.end[i];
      } else {
        i++;
      }
    }
    return hits.filter((i) => below[i] > 0)
      .sort((a, b) => below[b] - below[a]).slice(0, 1000);
  }

  #selected(node) {
    this.#tell(node);
    this.#note(this.graph.focus, this.place.v ? this.graph.sight : null);
    this.app.address.adjust();
  }

  #tell(node) {
    const { tree } = this.graph;

    if (node === null || node === tree.root) {
      this.app.selectFunction(this.app.function);
      replace(this.trail, element("span.quiet", {},
        "Click a frame to zoom · Esc goes back · double click: callers and " +
        "callees · / searches · ? keys"));
      return;
    }
    this.app.selectFunction(tree.function(node));
    this.#describe(tree, node);
  }

  #describe(tree, node) {
    const { profile } = this.app;
    const facts = tree.facts(node);
    const f = tree.function(node);
    const text = profile.measures.map((measure) =>
      `${measures.value(measure, facts.total[measure])}` +
      `${measure === "calls" ? " calls" : ""}` +
      ` (${measures.share(profile, measure, facts.total[measure])})`);

    replace(this.trail,
      element("b", {}, profile.name(f)),
      element("span.quiet", {}, where(profile, f)),
      element("span", {}, `${facts.isChain ? "along this chain" :
        "from here down"}: ${text.join(" · ")}`),
      facts.isChain || !profile.isCounted[f] ? null
        : element("span", {},
                  `${format.plural(facts.self.calls, "call")} of its own`),
      element("button.link", { type: "button",
        onclick: () => this.app.openButterfly(f) }, "callers and callees"),
      element("button.link", { type: "button",
        onclick: (event) => this.#copy(tree, node, event.target) },
      "copy stack"));
  }

  async #copy(tree, node, button) {
    if (await copy(stackOf(tree, node)))
      button.textContent = "copied";
  }

  focus() {
    this.graph.canvas.focus({ preventScroll: true });
  }

  key({ key }) {
    const keys = {
      f: () => this.turn(!this.isFlame, true),
      i: () => this.invert(!this.isInverted, true),
      n: () => this.next(1),
      N: () => this.next(-1),
      Escape: () => this.graph.reset(),
    };

    keys[key]?.();
    return Boolean(keys[key]);
  }
}
