/* SPDX-License-Identifier: MIT */
/*
 * The data that the recording does not have. `meta.missing` has what reports
 * call missing, as { kind, text }: see report/write/missing.h.
 */

/* Returns the texts of some kinds, or of all. */
export function missingOf({ missing = [] }, ...kinds) {
  return missing.filter(({ kind }) => !kinds.length || kinds.includes(kind))
    .map(({ text }) => text);
}

/* Removes requested and usual conditions from the problems. */
export function problemsOf({ problems: lines, expected = [] }) {
  return lines.filter((line) => !expected.includes(line));
}

/* `isEstimated`: imported without the contexts of the calls. */
function words(calls, hasProblems, isEstimated) {
  if (calls.length)
    return `counted without ${calls.join(", ")}`;
  if (hasProblems)
    return "incomplete: see Coverage";
  return isEstimated ? "exact for each function, estimated for each context" : "exact";
}

/* Returns whether the numbers of calls are known. */
export function hasCalls({ imported }) {
  return !imported || imported.calls;
}

/* Returns what the calls of the recording are: "exact", or what they lack. */
export function callsAre(meta) {
  return words(missingOf(meta, "calls"), problemsOf(meta).length > 0,
               meta.imported?.estimated_contexts);
}

/* The same for the recording that it is compared with. */
export function earlierCallsAre(meta) {
  return words(missingOf({ missing: meta.before_missing }, "calls"),
               meta.before_has_problems, meta.before_is_estimated);
}

/* Returns a number of calls, with what it lacks. */
export function countText(text, are) {
  return are === "exact" ? `${text} (exact)` : `${text}, ${are}`;
}
