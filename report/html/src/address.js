/* SPDX-License-Identifier: MIT */
/*
 * The state of the page in its address: "#TAB?KEY=VALUE&...". A deliberate step
 * adds an entry to the history, so that Back undoes it. Continuous changes
 * (typing, scrolling, arrow keys) replace the last entry.
 */

const WAIT_MS = 250; /* browsers refuse frequent changes of the history */

/* Returns { tab, ...parameters } of a hash; invalid ones are ignored. */
export function parse(hash) {
  const [tab, query = ""] = hash.replace(/^#/, "").split(/\?(.*)/s);

  return { ...Object.fromEntries(new URLSearchParams(query)), tab };
}

export function compose({ tab, ...state }) {
  const pairs = Object.entries(state).filter(([, value]) =>
    value !== undefined && value !== null && value !== "");
  const query = String(new URLSearchParams(pairs)).replaceAll("%2C", ",")
    .replaceAll("%7E", "~").replaceAll("%40", "@").replaceAll("%3A", ":");

  return `#${tab}${query && `?${query}`}`;
}

/* Numbers below 1e-6 have an exponent. */
const NUMBER = String.raw`(\d+(?:\.\d+)?(?:e-\d+)?)`;
const RANGE = new RegExp(`^${NUMBER}-${NUMBER}(?:@(\\d+))?$`);

/* Returns { from, to } of "FROM-TO", or { from, to, lane } of "FROM-TO@LANE". */
export function parseRange(text, least = -Infinity, most = Infinity, lanes = 0) {
  const found = RANGE.exec(text ?? "");

  if (!found)
    return null;
  const from = Math.max(least, Number(found[1]));
  const to = Math.min(most, Number(found[2]));

  if (!(from < to))
    return null;
  return Number(found[3]) < lanes ? { from, to, lane: Number(found[3]) }
    : { from, to };
}

export const composeRange = (range) => !range ? ""
  : `${range.from}-${range.to}${range.lane === undefined ? "" : `@${range.lane}`}`;

export class Address {
  /* read() returns the state of the page; restore(state) shows one. */
  constructor(read, restore) {
    this.read = read;
    this.pending = null;
    this.group = null;
    this.quiet = 0;
    addEventListener("popstate", () => {
      if (location.hash === this.hash)
        return;
      this.#forget();
      this.hash = location.hash;
      this.quietly(() => restore(parse(location.hash)));
    });
  }

  /* Stores nothing meanwhile: a view that is shown anew does not change. */
  quietly(what) {
    this.quiet++;
    try {
      what();
    } finally {
      this.quiet--;
    }
  }

  /*
   * Stores a deliberate step. Consecutive steps of one group, such as the
   * letters of a search, are one step.
   */
  step(group = null) {
    const isSame = group !== null && group === this.group;

    if (this.quiet)
      return;
    if (this.pending !== null)
      this.#write("replaceState", this.pending);
    this.#forget();
    this.group = group;
    this.#write(isSame ? "replaceState" : "pushState", compose(this.read()));
  }

  /*
   * Stores a continuous change, after a while. A change that a step makes at the
   * same time belongs to the step's own entry, not to the one before.
   */
  adjust() {
    if (this.quiet)
      return;
    this.fresh ??= Promise.resolve().then(() => {
      if (!this.fresh)
        return;
      this.fresh = null;
      this.pending = compose(this.read());
      this.timer ??= setTimeout(() => this.flush(), WAIT_MS);
    });
  }

  flush() {
    const { pending } = this;

    clearTimeout(this.timer);
    this.timer = this.pending = null;
    if (pending !== null)
      this.#write("replaceState", pending);
  }

  #forget() {
    clearTimeout(this.timer);
    this.fresh = this.timer = this.pending = this.group = null;
  }

  #write(method, hash) {
    if (hash === (this.hash ?? location.hash))
      return;
    this.hash = hash;
    try {
      history[method](null, "", hash);
    } catch {
      /* Some browsers refuse it, for example in frames; the page works on. */
    }
  }

  /* Returns the complete address of what the page shows. */
  get link() {
    return location.href.replace(/#.*$/s, "") + compose(this.read());
  }
}
