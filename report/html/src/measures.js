/* SPDX-License-Identifier: MIT */
/*
 * Descriptions of measures: each number is labelled exact or sampled, and
 * sampled ones have their error.
 */
import * as format from "./format.js";
import { range } from "./interval.js";
import { callsAre, earlierCallsAre, hasCalls } from "./missing.js";

export function isSampled(profile, measure) {
  return measure === "time" && !profile.meta.value && !profile.isTraceTimed &&
    profile.meta.taken?.mode !== "exact";
}

/* Returns "time", or the name of the agents' value that replaces it. */
export function amountName(profile) {
  const { value } = profile.meta;

  return value ? `${value.name}${value.unit ? `, ${value.unit}` : ""}` : "time";
}

/* Returns the name of a measure. */
export function nameOf(profile, measure) {
  return measure === "time" ? amountName(profile) : measure;
}

export function capital(text) {
  return text[0].toUpperCase() + text.slice(1);
}

const hasShortest = ({ timeline }) => timeline?.meta.shortest_ns > 0;

function recordedCallsAre({ meta }) {
  const now = callsAre(meta);
  const before = meta.before ? earlierCallsAre(meta) : now;

  return now === before ? now : `${now}; before, they are ${before}`;
}

/* Returns "exact", or what the shown numbers of calls lack. */
export function shownCallsAre(profile) {
  return profile.range && hasShortest(profile)
    ? `those that took ${format.time(profile.timeline.meta.shortest_ns)} or ` +
      "more; shorter ones are not in this page"
    : recordedCallsAre(profile);
}

export function label(profile, measure) {
  if (measure === "calls")
    return `calls (${recordedCallsAre(profile)}${hasShortest(profile)
      ? "; in a time range only those in this page" : ""})`;
  if (profile.meta.value)
    return profile.meta.imported ? amountName(profile)
                                 : `${amountName(profile)} (exact)`;
  if (profile.isTraceTimed)
    return "wall-clock time (of the trace)";
  switch (profile.meta.taken?.mode) {
  case "exact":
    return "time (exact)";
  case "wall":
    return "wall-clock time (sampled)";
  default:
    return "CPU time (sampled)";
  }
}

/* Returns the interval of a share of all time; `samples` may be unknown. */
export function rangeOf(profile, share, samples) {
  const time = share * profile.below.time[0];

  return range(share, profile.equalSamples(time, samples));
}

/* Returns the meaning of time that comes from a trace. */
export function traceTimeNote({ timeline: { meta } }) {
  return "Times are those from the start to the end of each call in the trace" +
    (meta.shortest_ns > 0 ? `; calls of less than ${format.time(
      meta.shortest_ns)} are included in the time of their callers.` : ".");
}

/* Returns how reliable sampled shares are, or "". */
export function errorNote(profile) {
  const calls = hasCalls(profile.meta)
    ? `Calls are ${shownCallsAre(profile)}.` : "Calls are unknown: samples were imported.";

  if (profile.meta.value && profile.meta.imported)
    return calls;
  if (profile.meta.value)
    return `${calls} ${capital(amountName(profile))} is exact: ` +
      "an agent in the program counted it.";
  if (profile.isTraceTimed)
    return `${calls} ${traceTimeNote(profile)}`;
  if (!profile.whole.time || !isSampled(profile, "time"))
    return calls;
  return `${calls} Times are estimated from ` +
    `${format.plural(profile.samples, "sample")}: 50 % may be ` +
    `${rangeOf(profile, 0.5)} %, 1 % ` +
    `${rangeOf(profile, 0.01)} % (in 95 of 100 cases).`;
}

/* Returns which data exists for a time range. */
export function rangeNote(profile) {
  const { timeline } = profile;
  const words = [];

  if (timeline.hasCalls)
    words.push(timeline.meta.shortest_ns > 0
      ? `calls that began in this range and took ${format.time(
        timeline.meta.shortest_ns)} or more` : "calls that began in this range");
  else
    words.push("the calls have no times");
  if (profile.whole.time)
    words.push(timeline.samples.count === 0 ? "wall-clock time of the trace"
      : `time of ${format.plural(profile.samples, "sample")}`);
  return words.join(", ");
}

export function value(measure, number) {
  return measure === "time" ? format.amount(number) : format.count(number);
}

/* Returns "12.34 %", followed by "(11.2–13.6)" for sampled time. */
export function share(profile, measure, number, samples) {
  const whole = profile.below[measure][0];
  const part = whole > 0 ? number / whole : 0;

  if (!isSampled(profile, measure) || !profile.samples)
    return format.percent(part);
  return `${format.percent(part)} (${rangeOf(profile, part, samples)})`;
}
