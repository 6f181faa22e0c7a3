/* SPDX-License-Identifier: MIT */
/* Formats numbers for people. */

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const twoDigits = new Intl.NumberFormat("en-US",
  { maximumSignificantDigits: 2, useGrouping: false });

/* 12,345,678: with all digits, since counts are exact. */
export function count(number) {
  return grouped.format(number);
}

/* 12.3 M: for locations with little room. */
export function short(number) {
  for (const [size, unit] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]])
    if (number >= size && number >= 1e4)
      return `${(number / size).toPrecision(3)} ${unit}`;
  return grouped.format(number);
}

/* 1.23 ms, from nanoseconds. */
export function time(ns) {
  if (ns === 0)
    return "0";
  for (const [limit, unit] of [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]])
    if (Math.abs(ns) >= limit)
      return `${significant(ns / limit)} ${unit}`;
  return `${significant(ns)} ns`;
}

/* Whether the page shows time, or else a value that an agent counted. */
let isTime = true;

export function showCounts() {
  isTime = false;
}

export function amount(number) {
  return isTime ? time(number) : count(number);
}

function significant(number) {
  const size = Math.abs(number);

  return number.toFixed(size >= 100 ? 1 : size >= 10 ? 2 : 3);
}

/* 12.34 %; a nonzero share is never shown as 0. */
export function percent(share) {
  if (share > 0 && share < 0.0001)
    return "<0.01 %";
  return `${(share * 100).toFixed(2)} %`;
}

/* 12 %: an estimate or bound with two digits, without exponent. */
export function roughly(share) {
  return `${twoDigits.format(share * 100)} %`;
}

export function plural(number, word, words = `${word}s`) {
  return `${count(number)} ${number === 1 ? word : words}`;
}

export function date(ms) {
  return new Intl.DateTimeFormat(undefined, {
    dateStyle: "medium", timeStyle: "medium",
  }).format(new Date(ms));
}
