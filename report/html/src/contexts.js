/* SPDX-License-Identifier: MIT */
/*
 * The tree of contexts in columns. Contexts are numbered in pre-order from 0, the
 * root. The subtree of i is [i, end[i]), and its children are i + 1, end[i + 1],
 * and so on. A million contexts are a few arrays and not a million objects.
 */

export class Contexts {
  /* Functions have numbers below `size`. */
  constructor(parent, functions, size) {
    this.size = size;
    this.count = parent.length;
    this.parent = parent;
    this.function = functions;
    this.end = this.#ends();
    this.isOutermost = this.#outermost();
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

  /*
   * Returns, by context, whether no caller is the same function. Sums over
   * these contexts count recursion once.
   */
  #outermost() {
    const outermost = new Uint8Array(this.count);
    const active = new Uint32Array(this.size);
    const path = [];

    for (let i = 1; i < this.count; i++) {
      while (path.length && this.end[path[path.length - 1]] <= i)
        active[this.function[path.pop()]]--;
      outermost[i] = active[this.function[i]] === 0 ? 1 : 0;
      active[this.function[i]]++;
      path.push(i);
    }
    return outermost;
  }
}
