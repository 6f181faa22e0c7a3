/* SPDX-License-Identifier: MIT */
/*
 * Colours of frames. A frame's hue has one meaning (kind, module or change),
 * and small steps of lightness distinguish neighbours. All colours come from
 * short lists, so the renderer can draw frames of one colour together.
 */

/* Kinds of functions, with name and hue, in the order of the legend. */
export const kinds = {
  native: { label: "native", hue: 36, saturation: 82 },
  inlined: { label: "inlined", hue: 192, saturation: 48 },
  java: { label: "Java", hue: 128, saturation: 42 },
  jni: { label: "JNI", hue: 168, saturation: 50 },
  kernel: { label: "kernel", hue: 10, saturation: 70 },
  blocked: { label: "waiting", hue: 216, saturation: 42 },
  generated: { label: "generated code", hue: 276, saturation: 48 },
  clew: { label: "clew", hue: 326, saturation: 40 },
  group: { label: "process or thread", hue: 220, saturation: 14 },
  note: { label: "no function", hue: 220, saturation: 6 },
};

const moduleHues = [36, 205, 128, 340, 168, 262, 66, 12, 188, 300, 96, 232];
const steps = 4;

function hash(text) {
  let h = 2166136261;

  for (let i = 0; i < text.length; i++)
    h = Math.imul(h ^ text.charCodeAt(i), 16777619);
  return (h ^ h >>> 15) >>> 0;
}

function frame(hue, saturation, step, isDark) {
  return isDark
    ? `hsl(${hue} ${Math.round(saturation * 0.58)}% ${31 + step * 2.5}%)`
    : `hsl(${hue} ${saturation}% ${72 + step * 3}%)`;
}

export class Colours {
  constructor(profile) {
    this.profile = profile;
    this.isDark = false;
    this.mode = "kind";
    this.matches = null;
    this.rank = this.#rankModules();
    this.names = new Map();
  }

  /* Ranks modules by their own measures; the first ones get their own hues. */
  #rankModules() {
    const { profile } = this;
    const total = new Float64Array(profile.meta.modules.length);

    profile.allCalls.forEach((calls, f) => {
      if (profile.module(f) >= 0)
        total[profile.module(f)] += calls;
    });
    this.moduleOrder = [...total.keys()].filter((m) => total[m] > 0)
      .sort((a, b) => total[b] - total[a]);
    return new Map(this.moduleOrder.map((module, rank) => [module, rank]));
  }

  /* Returns [[label, colour]] for the present mode. */
  legend() {
    const { profile } = this;

    if (this.mode === "change")
      return [["fewer", this.#change(-1)], [this.#sameLabel(), this.#change(0)],
              ["more", this.#change(1)]];
    if (this.mode === "module")
      return this.moduleOrder.slice(0, moduleHues.length).map((module) =>
        [profile.meta.modules[module].name, this.#module(module, 1)]);
    if (this.mode === "function")
      return [];
    return this.kindsPresent().map((kind) =>
      [kinds[kind].label, this.#kind(kind, 1)]);
  }

  #sameLabel() {
    return this.profile.base?.self.samples ? "same, or may be random" : "same";
  }

  kindsPresent() {
    const seen = new Set();

    for (let f = 1; f < this.profile.functions.name.length; f++)
      seen.add(this.profile.kind(f));
    return Object.keys(kinds).filter((kind) => seen.has(kind));
  }

  #kind(kind, step) {
    const { hue, saturation } = kinds[kind] ?? kinds.native;

    return frame(hue, saturation, step, this.isDark);
  }

  #module(module, step) {
    const rank = this.rank.get(module);

    if (rank === undefined || rank >= moduleHues.length)
      return frame(220, 8, step, this.isDark);
    return frame(moduleHues[rank], 66, step, this.isDark);
  }

  /* `change` ranges from -1 (much more before) to 1 (all new). */
  #change(change) {
    const step = Math.round(Math.abs(change) * 5);

    if (step === 0)
      return this.isDark ? "hsl(220 8% 30%)" : "hsl(220 14% 88%)";
    return this.isDark
      ? `hsl(${change > 0 ? 8 : 212} ${18 + step * 7}% ${28 + step * 2}%)`
      : `hsl(${change > 0 ? 8 : 212} ${56 + step * 5}% ${92 - step * 4}%)`;
  }

  function(f, change = 0) {
    const { profile } = this;

    if (this.matches)
      return this.#searched(f);
    if (f === 0)
      return this.isDark ? "hsl(220 10% 22%)" : "hsl(220 14% 91%)";
    if (this.mode === "change")
      return this.#change(change);
    const step = this.#step(f);

    if (this.mode === "module")
      return this.#module(profile.module(f), step);
    if (this.mode === "function" && profile.kind(f) !== "note")
      return frame(this.#hash(f) % 36 * 10, 52, step, this.isDark);
    return this.#kind(profile.kind(f), step);
  }

  #hash(f) {
    if (!this.names.has(f))
      this.names.set(f, hash(this.profile.name(f)));
    return this.names.get(f);
  }

  #step(f) {
    return (this.#hash(f) >>> 8) % steps;
  }

  #searched(f) {
    if (this.matches[f])
      return this.isDark ? "hsl(292 52% 44%)" : "hsl(292 72% 80%)";
    return this.isDark ? `hsl(220 9% ${21 + this.#step(f)}%)`
      : `hsl(220 14% ${93 - this.#step(f)}%)`;
  }
}
