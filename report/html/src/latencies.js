/* SPDX-License-Identifier: MIT */
/*
 * How long the calls of each function took, in a trace. Calls whose beginning
 * or end the trace does not have are left out.
 */
import { BEGAN_BEFORE, IS_SAMPLED } from "./timeline.js";

const OCTAVES = 65; /* of report/html/html_timeline.c */

/*
 * Returns Map function -> { count, p50, p99, most, sum, bars } over all calls of
 * the trace; null if all of them are slices. Bars are those of histogram().
 */
export function readDurations(numbers) {
  const found = new Map();

  while (numbers && !numbers.isAtEnd) {
    const f = numbers.next();
    const [count, p50, p99, most, sum] =
      Array.from({ length: 5 }, () => numbers.next());
    const all = Array.from({ length: OCTAVES }, (_, bit) => ({
      from: bit ? 2 ** (bit - 1) : 0, to: 2 ** bit, count: numbers.next() }));
    const used = all.map((bar) => bar.count > 0);

    found.set(f, { count, p50, p99, most, sum,
      bars: all.slice(used.indexOf(true), used.lastIndexOf(true) + 1) });
  }
  return found.size ? found : null;
}

/* Returns the same for the calls of one function that are slices. */
export function durationsOf(timeline, calls) {
  return { count: calls.length, p50: quantile(timeline, calls, 0.5),
           p99: quantile(timeline, calls, 0.99), most: quantile(timeline, calls, 1),
           sum: calls.reduce((sum, i) => sum + timeline.length(i), 0),
           bars: histogram(timeline, calls) };
}

function isWhole(timeline, i) {
  return !(timeline.flags[i] & (BEGAN_BEFORE | IS_SAMPLED)) &&
    ["returned", "left"].includes(timeline.ending(i));
}

/*
 * Returns Map function -> its calls, as numbers of slices from the shortest to
 * the longest. Calls begin in `range`, or anywhere, in one of the lanes.
 */
export function callsByFunction(timeline, lanes, range = null) {
  const { begin } = timeline;
  const found = new Map();

  for (const lane of lanes)
    for (const row of lane.rows)
      for (let i = row.first; i < row.end; i++) {
        if (!isWhole(timeline, i) ||
            (range && (begin[i] < range.from || begin[i] >= range.to)))
          continue;
        const f = timeline.function(i);
        const calls = found.get(f);

        if (calls)
          calls.push(i);
        else
          found.set(f, [i]);
      }
  for (const [f, calls] of found)
    found.set(f, Uint32Array.from(calls).sort((a, b) =>
      timeline.length(a) - timeline.length(b) || a - b));
  return found;
}

/* Returns the shortest time that a share of the calls does not exceed. */
export function quantile(timeline, calls, share) {
  const rank = Math.max(1, Math.ceil(share * calls.length));

  return timeline.length(calls[rank - 1]);
}

/*
 * Returns [{ from, to, count }] with limits at powers of two, in nanoseconds. A
 * range contains `from` and not `to`.
 */
export function histogram(timeline, calls) {
  const exponent = (i) => Math.floor(Math.log2(Math.max(1, timeline.length(i))));
  const bars = [];
  const first = exponent(calls[0]);

  for (const i of calls) {
    const at = exponent(i) - first;

    while (bars.length <= at)
      bars.push({ from: 2 ** (first + bars.length),
                  to: 2 ** (first + bars.length + 1), count: 0 });
    bars[at].count++;
  }
  return bars;
}
