/* SPDX-License-Identifier: MIT */
/*
 * What numbers mean, in one place: each is said to be exact or sampled, and a
 * sampled one comes with its error.
 */
import * as format from "./format.js";

export function isSampled(profile, measure) {
  return measure === "time" && profile.meta.taken?.mode !== "exact";
}

export function label(profile, measure) {
  if (measure === "calls")
    return "calls (exact)";
  switch (profile.meta.taken?.mode) {
  case "exact":
    return "time (exact)";
  case "wall":
    return "wall-clock time (sampled)";
  default:
    return "CPU time (sampled)";
  }
}

/* How far sampled shares are to be trusted, or "". */
export function errorNote(profile) {
  if (!profile.whole.time || !isSampled(profile, "time"))
    return "Calls are exact.";
  const wide = (share) =>
    (format.error(share, profile.samples) * 100).toPrecision(2);

  return "Calls are exact. Times are estimated from " +
    `${format.plural(profile.samples, "sample")}: 50 % may be ± ` +
    `${wide(0.5)}, 1 % ± ${wide(0.01)} (95 %).`;
}

export function value(measure, number) {
  return measure === "time" ? format.time(number) : format.count(number);
}

/* "12.34 %", with "± 1.20" where it was sampled. */
export function share(profile, measure, number) {
  const whole = profile.below[measure][0];
  const part = whole > 0 ? number / whole : 0;

  if (!isSampled(profile, measure) || !profile.samples)
    return format.percent(part);
  const wide = format.error(Math.min(part, 1), profile.samples) * 100;

  return `${format.percent(part)} ± ${wide.toFixed(wide < 0.1 ? 2 : 1)}`;
}
