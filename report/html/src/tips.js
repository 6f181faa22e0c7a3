/* SPDX-License-Identifier: MIT */
/*
 * Descriptions of frames: in the tip beside the mouse, and in the line below
 * the graph.
 */
import { element, replace } from "./dom.js";
import * as format from "./format.js";
import * as measures from "./measures.js";
import { kinds } from "./colours.js";

function line(term, ...text) {
  return [element("dt", {}, term), element("dd", {}, ...text)];
}

function amounts(profile, facts, isCounted = true) {
  const name = measures.amountName(profile);
  const lines = [];

  for (const measure of profile.measures) {
    const total = facts.total[measure];
    const self = facts.self[measure];

    if (facts.isChain)
      lines.push(line(`${measures.nameOf(profile, measure)} along this chain`,
                      measures.value(measure, total), " · ",
                      measures.share(profile, measure, total)));
    else if (measure === "calls")
      lines.push(line("calls", self || isCounted ? format.count(self)
        : "not counted"),
                 line("calls from here down", format.count(total), " · ",
                      measures.share(profile, measure, total)));
    else
      lines.push(line(`${name} from here down`, format.amount(total), " · ",
                      measures.share(profile, measure, total)),
                 line(`${name} of its own`, format.amount(self), " · ",
                      measures.share(profile, measure, self,
                                     facts.samples)));
  }
  if (facts.samples && measures.isSampled(profile, "time"))
    lines.push(line(facts.isChain ? "samples" : "samples of its own",
                    format.count(facts.samples)));
  return lines;
}

function isChange(measure, { before, now }) {
  return before[measure] !== now[measure];
}

function change(profile, measure, facts) {
  if (!facts.base)
    return [];
  return line("before, after", `${measures.value(
    measure, facts.base.before[measure])} → ${measures.value(
    measure, facts.base.now[measure])}`,
    isChange(measure, facts.base) &&
      profile.isRandom(measure, facts.base.before, facts.base.now)
      ? " (may be random)" : "");
}

/* Puts a tip beside the mouse. */
export function placeTip(tip, { clientX, clientY }) {
  const { offsetWidth: width, offsetHeight: height } = tip;
  const x = Math.min(clientX + 14, innerWidth - width - 8);
  const y = clientY + 18 + height > innerHeight
    ? clientY - height - 10 : clientY + 18;

  tip.style.transform = `translate(${Math.max(8, x)}px, ${Math.max(8, y)}px)`;
}

/* Shows the legend of colours, unless a search uses them. */
export function showLegend(host, colours) {
  replace(host, colours.matches ? []
    : colours.legend().map(([label, colour]) => {
      const mark = element("i.mark");

      mark.style.background = colour;
      return element("span", {}, mark, label);
    }));
}

export function where(profile, f) {
  const parts = [profile.moduleName(f), profile.place(f)].filter(Boolean);

  return parts.join(" · ");
}

export function tip(tree, region) {
  const { profile } = tree;
  const f = tree.function(region.node);
  const facts = tree.facts(region.node);

  if (region.rest)
    return [element("div.name", {}, `${format.plural(region.rest,
      "more context")}, each too narrow to see`),
      element("div.where", {}, "click to zoom in")];
  if (f === 0)
    return [element("div.name", {}, "all"),
            element("dl", {}, amounts(profile, facts))];
  return [
    element("div.name", {}, profile.name(f)),
    element("div.where", {}, [
      profile.kind(f) === "native" ? "" : kinds[profile.kind(f)]?.label,
      where(profile, f)].filter(Boolean).join(" · ")),
    element("dl", {},
            amounts(profile, facts, profile.isCounted[f]),
            change(profile, tree.measure, facts),
            facts.contexts > 1
              ? line("contexts", format.count(facts.contexts)) : [],
            facts.tails
              ? line("by tail calls", format.count(facts.tails)) : []),
  ];
}
