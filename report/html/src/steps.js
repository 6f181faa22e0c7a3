/* SPDX-License-Identifier: MIT */
/*
 * The transforms that the user has chosen, in their order: as flags for
 * transform.js, as text on the page, and in the address: "hide:ID,module:ID".
 */

const titles = {
  focus: "Shows only what this function and its callees did",
  hide: "Leaves out this function and everything that it called",
  merge: "Counts what this function did as its callers'",
  module: "Counts what functions of this module did as their callers'",
  collapse: "Counts recursive calls as part of the outermost call",
  inlined: "Counts what inlined functions did as their callers'",
};

/* A step is { kind, f: a function, or module: an index }. */
export class Steps {
  constructor(app) {
    this.app = app;
  }

  /* Returns what transform() needs. */
  static flags(profile, { kind, f, module }) {
    const isOne = { merge: (each) => each === f, hide: (each) => each === f,
                    module: (each) => profile.module(each) === module,
                    inlined: (each) => profile.kind(each) === "inlined" }[kind];

    return { kind: ["module", "inlined"].includes(kind) ? "merge" : kind, f,
             functions: isOne && Uint8Array.from(profile.functions.name,
               (_, each) => each > 0 && isOne(each) ? 1 : 0) };
  }

  title({ kind }) {
    return titles[kind];
  }

  /* Returns a step as text: "focus: parse". */
  text({ kind, f, module }) {
    const { profile } = this.app;

    if (kind === "inlined")
      return "inlined functions merged";
    return kind === "module" ? `merge module: ${profile.meta.modules[module].name}`
      : `${kind}: ${profile.short(f)}`;
  }

  address(steps) {
    const { identity } = this.app;

    return steps.map(({ kind, f, module }) => kind === "inlined" ? kind
      : `${kind}:${kind === "module" ? identity.ofModule(module)
        : identity.ofFunction(f)}`).join(",");
  }

  /* Returns the steps of an address; reports those that cannot be done. */
  parse(text = "") {
    const found = text.split(",").filter(Boolean)
      .map((each) => this.#parseOne(each.split(":")));

    if (found.includes(null))
      this.app.miss("a function or module");
    return found.filter(Boolean);
  }

  #parseOne([kind, id]) {
    const { identity } = this.app;

    if (!Object.hasOwn(titles, kind))
      return null;
    if (kind === "inlined")
      return { kind };
    if (kind === "module") {
      const module = identity.findModule(id ?? "");

      return module < 0 ? null : { kind, module };
    }
    const f = identity.findFunction(id ?? "");

    return f ? { kind, f } : null;
  }
}
