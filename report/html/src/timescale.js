/* SPDX-License-Identifier: MIT */
/* Times on an axis: the position of its marks, and times as text. */
const units = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];

/* Returns 1, 2 or 5 times a power of ten, at least `least`. */
export function roundStep(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));

  return [1, 2, 5, 10].map((times) => times * power)
    .find((step) => step >= least * 0.999999) ?? 10 * power;
}

/* Returns a time with the precision of a step: "12.304 ms". */
export function moment(ns, step = 1) {
  if (ns === 0)
    return "0";
  const [size, unit] = units.find(([each]) => Math.abs(ns) >= each) ?? units[3];
  const digits = Math.max(0, Math.ceil(Math.log10(size / step) - 1e-9));

  return `${(ns / size).toFixed(Math.min(digits, 9))} ${unit}`;
}

/* Returns the times of marks in [from, to], about `most` of them. */
export function marks(from, to, most) {
  const step = roundStep((to - from) / Math.max(1, most));
  const found = [];

  for (let i = Math.ceil(from / step); i * step <= to; i++)
    found.push(i * step);
  return { step, moments: found };
}

/* Returns "12.3 ms to 14.1 ms", with enough digits to distinguish both ends. */
export function rangeText({ from, to }) {
  const step = Math.max(1, 10 ** Math.floor(Math.log10(
    Math.max(1, to - from)) - 2));

  return `${moment(from, step)} to ${moment(to, step)}`;
}
