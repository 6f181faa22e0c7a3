/* SPDX-License-Identifier: MIT */
/* Descriptions of items in the timeline: in the tip, and in the line below. */
import { element } from "./dom.js";
import * as format from "./format.js";
import { BEGAN_BEFORE, IS_SAMPLED } from "./timeline.js";
import { moment, rangeText } from "./timescale.js";
import { where } from "./tips.js";

const endings = {
  left: "through a jump or on another stack",
  cut: "unknown: the following packets are missing",
  open: "the call was still active at the end of the recording",
};

function list(facts) {
  return element("dl", {}, facts.filter(Boolean).map(([term, text]) =>
    [element("dt", {}, term), element("dd", {}, text)]));
}

/* Returns the known bounds of a call's duration as text. */
function length(timeline, i) {
  const most = timeline.length(i), least = timeline.least[i];

  if (timeline.flags[i] & IS_SAMPLED)
    return `about ${format.time(most)}`;
  if (timeline.flags[i] & BEGAN_BEFORE)
    return `${format.time(most)} or more`;
  if (["cut", "open"].includes(timeline.ending(i)))
    return `${format.time(least)} or more`;
  return least === most ? format.time(most)
    : `${format.time(least)} to ${format.time(most)}`;
}

/* Returns [[term, value]] for a slice. */
export function sliceFacts(timeline, i) {
  const { lane } = timeline.rowOf(i);
  const isSampled = timeline.flags[i] & IS_SAMPLED;
  const isSure = isSampled || timeline.least[i] === timeline.length(i);

  return [
    ["took", length(timeline, i)],
    [isSure ? "of its own" : "of its own, at most",
     format.time(Math.max(0, timeline.self[i]))],
    ["began", moment(timeline.begin[i])],
    ["thread", `${lane.name} ${lane.tid}`],
    timeline.flags[i] & BEGAN_BEFORE && ["", "the call began before the recording"],
    endings[timeline.ending(i)] && ["ended", endings[timeline.ending(i)]],
    isSampled && ["", "estimated from samples; its calls are unknown"],
  ].filter(Boolean);
}

function sliceTip(profile, i) {
  const { timeline } = profile;
  const f = timeline.function(i);

  return [element("div.name", {}, profile.name(f)),
          element("div.where", {}, where(profile, f)),
          list(sliceFacts(timeline, i))];
}

function crowdTip(profile, { strip, first, end }) {
  const what = strip.row.isSampled ? "piece" : "call";

  return [element("div.name", {},
                  `${format.plural(end - first, what)}, each too short to see`),
          element("div.where", {}, "click to zoom in; the longest:"),
          ...sliceTip(profile, profile.timeline.longestOf(first, end))];
}

function sampleTip(profile, i) {
  const { samples, contexts } = profile.timeline;
  const f = contexts.function[samples.context[i]];

  return [element("div.name", {}, profile.name(f)),
          element("div.where", {}, "a sample of the thread"),
          list([["at", moment(samples.time[i])],
                ["stands for", format.time(samples.weight[i])],
                samples.looks[i] > 1 &&
                  ["seen", `${format.count(samples.looks[i])} times`]])];
}

function noteTip({ name, kind, begin, end }) {
  return [element("div.name", {}, name), element("div.where", {}, kind),
          list([["at", moment(begin)],
                end > begin && ["took", format.time(end - begin)]])];
}

function cellTip(cell) {
  return [element("div.name", {}, `${format.time(cell.weight)} in ` +
            format.plural(cell.samples, "sample")),
          element("div.where", {}, rangeText(cell)),
          element("div.where", {}, "click, or drag to another column, to select a range")];
}

/* Returns a tip for a result of Lanes.at(), or for a heatmap's { cell }. */
export function tipOf(profile, found) {
  if (found.cell)
    return cellTip(found.cell);
  if (found.note)
    return noteTip(found.note);
  if (found.sample !== undefined)
    return sampleTip(profile, found.sample);
  return found.slice !== undefined ? sliceTip(profile, found.slice)
    : crowdTip(profile, found);
}
