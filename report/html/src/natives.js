/* SPDX-License-Identifier: MIT */
/*
 * Native functions that Java methods call, and below each the methods that call
 * it. Code that native code calls counts for the function that Java called.
 */
import { CallTreeView } from "./calltree.js";
import { GroupedTree } from "./tree.js";

const natives = new Set(["jni", "native"]);

/* Returns the contexts of native functions whose caller is a Java method. */
export function nativesOf(profile) {
  const { count, parent, function: functions } = profile;
  const found = [];

  for (let i = 1; i < count; i++)
    if (natives.has(profile.kind(functions[i])) && parent[i] !== 0 &&
        profile.kind(functions[parent[i]]) === "java")
      found.push(i);
  return found;
}

/*
 * Returns the tree of native functions and their callers. Calls are those of the
 * native function; time includes callees, and recursion is counted once.
 */
export function nativesTree(profile, measure) {
  const once = (column) => column?.map((value, i) =>
    profile.isOutermost[i] ? value : 0);
  const { below, self } = profile;
  const weights = { calls: self.calls, time: once(below.time),
                    samples: once(below.samples) };
  const contexts = nativesOf(profile).filter((i) => weights[measure][i] > 0);

  return new GroupedTree(profile, measure, contexts,
    { isUpwards: true, weights, hasGroupedRoot: true });
}

export class NativesView extends CallTreeView {
  static keys = ["native"];

  constructor(host, app) {
    super(host, app, { label: "Native functions and their Java callers",
                       key: "native", isInvertible: false });
    this.note.textContent = "Native functions that Java methods call, and below " +
      "each its callers. Enter shows callers and callees.";
  }

  makeTree() {
    return nativesTree(this.app.profile, this.app.measure);
  }
}
