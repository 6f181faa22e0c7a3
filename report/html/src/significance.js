/* SPDX-License-Identifier: MIT */
/*
 * Finds differences of sampled times that are not random, by the test of
 * report/model/confidence.c, whose first comment names the articles.
 */
import { betaCdf } from "./interval.js";

const FALSE_DISCOVERIES = 0.05;

/* P(X >= k) for X binomial (k + rest, p). */
function tail(k, rest, p) {
  return k > 0 ? betaCdf(k, rest + 1, p) : 1;
}

/*
 * Returns the probability that two estimates of one time differ by chance at
 * least as much as these. Each is { time, squares }, with the sum of the
 * squares of its samples' times.
 */
export function chance(a, b) {
  const of = ({ time, squares }) => time > 0 ? time * time / squares : 0;
  const [first, second] = [of(a), of(b)];

  if (!(first > 0) && !(second > 0))
    return 1;
  const weight = first > 0 ? a.time / first : b.time / second;
  const other = second > 0 ? b.time / second : weight;
  const p = other / (weight + other);

  return Math.min(1, 2 * Math.min(tail(first, second, p),
                                  tail(second, first, 1 - p)));
}

/* Returns the largest of these probabilities that is significant, or -1. */
export function limit(chances) {
  const sorted = Float64Array.from(chances).sort();

  for (let i = sorted.length - 1; i >= 0; i--)
    if (sorted[i] <= FALSE_DISCOVERIES * (i + 1) / sorted.length)
      return sorted[i];
  return -1;
}

/*
 * Compares two recordings, given as columns `self` and `below` of contexts. A
 * change is from one { calls, time, samples } to another.
 */
export class Significance {
  constructor(before, now) {
    this.before = this.#whole(before);
    this.now = this.#whole(now);
    this.columns = { before: before.below, now: now.below };
  }

  #whole({ self, below }) {
    if (!self.time)
      return null;
    return {
      time: below.time[0],
      squares: self.time.reduce((sum, t, i) =>
        sum + (self.samples?.[i] ? t * t / self.samples[i] : 0), 0),
    };
  }

  /*
   * Samples are assumed to be at most as precise as the same share of the whole
   * recording's samples.
   */
  #sampled({ time, samples }, whole) {
    return { time, squares: Math.max(samples ? time * time / samples : 0,
                                     whole.time > 0
                                       ? whole.squares * time / whole.time
                                       : 0) };
  }

  #chance(before, now) {
    return chance(this.#sampled(before, this.before),
                  this.#sampled(now, this.now));
  }

  /*
   * Returns the limit for a list of pairs, ignoring pairs that were not
   * sampled.
   */
  limitOf(pairs) {
    return limit(pairs.filter(({ before, now }) =>
      before.samples > 0 || now.samples > 0)
      .map(({ before, now }) => this.#chance(before, now)));
  }

  /* Returns the limit for contexts; all of them are judged together. */
  get contextLimit() {
    const { before, now } = this.columns;
    const of = ({ time, samples }, i) =>
      ({ time: time[i], samples: samples?.[i] ?? 0 });

    this.limit ??= this.limitOf(Array.from(before.time, (_, i) =>
      ({ before: of(before, i), now: of(now, i) })));
    return this.limit;
  }

  /*
   * Returns whether the change of a measure is 0 or may be random. limit()
   * returns the limit of all changes that are judged together.
   */
  isRandom(measure, before, now, limit) {
    if (before[measure] === now[measure])
      return true;
    if (measure !== "time" || !(before.samples > 0 || now.samples > 0))
      return false;
    return this.#chance(before, now) > limit();
  }
}
