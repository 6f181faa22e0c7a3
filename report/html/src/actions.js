/* SPDX-License-Identifier: MIT */
/* The actions for a function or a frame: the items of its menu. */
import { copy } from "./clipboard.js";

/*
 * Returns the names from the outermost function to a node, one a line. The root
 * has a name if the tree is that of one function.
 */
export function stackOf(tree, node) {
  const names = [];

  for (let at = node; at >= 0; at = tree.parent(at))
    if (tree.function(at))
      names.push(tree.profile.name(tree.function(at)));
  if (!tree.isInverted)
    names.reverse();
  return names.join("\n");
}

/* Returns the names from the outermost function to a recorded context. */
export function stackOfContext(profile, context) {
  const { parent, function: functions } = profile.recorded.contexts;
  const names = [];

  for (let at = context; at !== 0; at = parent[at])
    names.push(profile.name(functions[at]));
  return names.reverse().join("\n");
}

async function copyText(app, text, what) {
  if (await copy(text))
    app.say(`The ${what} is copied.`);
}

function isRecursive({ count, function: functions, isOutermost }, f) {
  for (let i = 1; i < count; i++)
    if (functions[i] === f && !isOutermost[i])
      return true;
  return false;
}

/* stack: the stack as text, or "" if the item is a function in all contexts. */
export function actionsOf(app, f, stack = "") {
  const { profile } = app;
  const module = profile.moduleName(f);
  const step = (label, kind, more = { f }, isDisabled = false) => ({
    label, isDisabled, title: app.steps.title({ kind }),
    act: () => app.addStep({ kind, ...more }) });

  return [
    { label: "Copy name", act: () => copyText(app, profile.name(f), "name") },
    stack && { label: "Copy stack", act: () => copyText(app, stack, "stack") },
    null,
    step("Focus on this function", "focus"),
    step("Hide this function", "hide"),
    step("Merge this function into its callers", "merge"),
    module && step(`Merge module ${module}`, "module",
                   { module: profile.module(f) }),
    step("Collapse recursion", "collapse", { f }, !isRecursive(profile, f)),
    null,
    { label: "Show callers and callees", act: () => app.openButterfly(f) },
    app.canAnnotate(f) && { label: "Annotate", title: "Show the source text",
                            act: () => app.annotate(f) },
    app.hasCode(f) && { label: "Instructions",
                        title: "Show the time of each instruction",
                        act: () => app.showCode(f) },
  ].filter((item) => item === null || item);
}
