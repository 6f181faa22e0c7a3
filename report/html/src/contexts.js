/* SPDX-License-Identifier: MIT */
/*
 * The tree of contexts in columns. Contexts are numbered in pre-order from 0, the
 * root. The subtree of i is [i, end[i]), and its children are i + 1, end[i + 1],
 * and so on. A million contexts are a few arrays and not a million objects.
 */

export class Contexts {
  #outermost = null;

  /* Functions have numbers below `size`. */
  constructor(parent, functions, size) {
    this.size = size;
    this.count = parent.length;
    this.parent = parent;
    this.function = functions;
    this.end = this.#ends();
  }

  /*
   * Returns, by context, whether no caller is the same function. Sums over
   * these contexts count recursion once.
   */
  get isOutermost() {
    this.#outermost ??= this.#findOutermost();
    return this.#outermost;
  }

  /* Returns the sums of subtrees. */
  sum(self) {
    const { count, parent } = this;
    const below = self.slice();

    for (let i = count - 1; i > 0; i--)
      below[parent[i]] += below[i];
    return below;
  }

  /* Returns the sums of functions. */
  sumByFunction(self) {
    const { count, function: functions } = this;
    const sums = new Float64Array(this.size);

    for (let i = 1; i < count; i++)
      sums[functions[i]] += self[i];
    return sums;
  }

  #ends() {
    const { count, parent } = this;
    const end = new Uint32Array(count);

    for (let i = count - 1; i > 0; i--) {
      end[i] = Math.max(end[i], i + 1);
      end[parent[i]] = Math.max(end[parent[i]], end[i]);
    }
    end[0] = count;
    return end;
  }

  #findOutermost() {
    const { count, parent, function: functions } = this;
    const outermost = new Uint8Array(count);
    const active = new Uint32Array(this.size);

    for (let i = 1, open = 0; i < count; open = i++) {
      for (; open !== parent[i]; open = parent[open])
        active[functions[open]]--;
      outermost[i] = active[functions[i]] === 0 ? 1 : 0;
      active[functions[i]]++;
    }
    return outermost;
  }
}
