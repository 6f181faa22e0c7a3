/* SPDX-License-Identifier: MIT */
/*
 * Searches names for a regular expression, ignoring case unless it contains a
 * capital letter. With the prefix `module:` it searches names of modules.
 */

/*
 * Returns { matches: Uint8Array by function, functions: number of them } or {
 * error }.
 */
export function search(profile, text) {
  const isModule = text.startsWith("module:");
  const pattern = isModule ? text.slice(7).trim() : text;
  const size = profile.functions.name.length;
  const matches = new Uint8Array(size);
  let functions = 0, expression;

  if (pattern === "")
    return null;
  try {
    expression = new RegExp(pattern, /[A-Z]/.test(pattern) ? "" : "i");
  } catch (error) {
    return { error: String(error.message).replace(/^.*: /, "") };
  }
  for (let f = 1; f < size; f++) {
    const subject = isModule ? profile.moduleName(f) : profile.name(f);

    if (expression.test(subject)) {
      matches[f] = 1;
      functions++;
    }
  }
  return { matches, functions };
}
