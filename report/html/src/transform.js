/* SPDX-License-Identifier: MIT */
/*
 * Changes of the tree of contexts. Each returns a new tree and `to`, the number
 * in it of each old context; -1: removed with all that it has.
 *
 *	focus	shows only the paths below a function
 *	hide	removes a function and everything below it
 *	merge	removes functions and gives what they have to their callers
 *	collapse makes a recursive call part of the outermost call
 */
import { Contexts } from "./contexts.js";

/*
 * Builds the new tree in pre-order. A new context stands for a group of old
 * ones. Subtrees in which nothing changes are copied.
 */
class Builder {
  constructor(old, { isHidden, isMerged, collapsed = 0, roots = null }) {
    Object.assign(this, { old, isHidden, isMerged, collapsed });
    this.to = new Int32Array(old.count).fill(-1);
    this.parent = new Uint32Array(old.count);
    this.function = new Uint32Array(old.count);
    this.count = 1;
    this.isTouched = this.#touched();
    this.waiting = []; /* groups whose new contexts do not exist yet */
    if (roots?.length)
      this.#wait([{ f: old.function[roots[0]], members: roots, parent: 0 }]);
    else if (!roots)
      this.#expand([0], 0);
    this.to[0] = roots ? -1 : 0;
    while (this.waiting.length)
      this.#add(this.waiting.pop());
  }

  get result() {
    return { to: this.to,
             contexts: new Contexts(this.parent.slice(0, this.count),
                                    this.function.slice(0, this.count),
                                    this.old.size) };
  }

  #changes(i) {
    const f = this.old.function[i];

    return this.isHidden?.[f] || this.isMerged?.[f] || this.#isNested(i);
  }

  #isNested(i) {
    return this.collapsed !== 0 && this.old.function[i] === this.collapsed &&
      !this.old.isOutermost[i];
  }

  /* Returns, by context, whether something below it changes. */
  #touched() {
    const { count, parent } = this.old;
    const touched = new Uint8Array(count);

    for (let i = count - 1; i > 0; i--)
      if (touched[i] || this.#changes(i))
        touched[parent[i]] = 1;
    return touched;
  }

  /* The first group is the next to be added. */
  #wait(groups) {
    for (let i = groups.length - 1; i >= 0; i--)
      this.waiting.push(groups[i]);
  }

  #add({ f, members, parent }) {
    const at = this.count++;

    this.function[at] = f;
    this.parent[at] = parent;
    for (const member of members)
      this.to[member] = at;
    if (members.length === 1 && !this.isTouched[members[0]])
      this.#copy(members[0]);
    else
      this.#expand(members, at);
  }

  #copy(top) {
    const { end, parent, function: functions } = this.old;

    for (let i = top + 1; i < end[top]; i++) {
      this.to[i] = this.count;
      this.function[this.count] = functions[i];
      this.parent[this.count++] = this.to[parent[i]];
    }
  }

  /* Groups what the members call, by function. */
  #expand(members, at) {
    const { end, function: functions } = this.old;
    const groups = new Map();
    const callers = [...members].reverse();

    while (callers.length) {
      const caller = callers.pop();

      for (let i = caller + 1; i < end[caller]; i = end[i]) {
        const f = functions[i];

        if (this.isHidden?.[f] || this.#isNested(i))
          continue;
        if (this.isMerged?.[f]) {
          this.to[i] = at;
          callers.push(i);
        } else {
          this.#join(groups, i, at);
        }
      }
    }
    this.#wait([...groups.values()]);
  }

  #join(groups, i, at) {
    const f = this.old.function[i];
    let group = groups.get(f);

    if (!group)
      groups.set(f, group = { f, members: [], parent: at });
    group.members.push(i);
    if (f === this.collapsed)
      for (let below = i + 1; below < this.old.end[i]; below++)
        if (this.old.function[below] === f)
          group.members.push(below);
  }
}

function contextsOf(tree, f) {
  const found = [];

  for (let i = 1; i < tree.count; i++)
    if (tree.function[i] === f && tree.isOutermost[i])
      found.push(i);
  return found;
}

/*
 * Returns { contexts, to }. `step` is { kind, functions: flags by function, f:
 * the function of a focus or a recursion }.
 */
export function transform(contexts, { kind, functions, f }) {
  const rules = {
    focus: () => ({ roots: contextsOf(contexts, f) }),
    hide: () => ({ isHidden: functions }),
    merge: () => ({ isMerged: functions }),
    collapse: () => ({ collapsed: f }),
  };

  return new Builder(contexts, rules[kind]()).result;
}

/* Returns the sums of a column in the new tree. */
export function fold(column, to, count) {
  const sums = new Float64Array(count);

  for (let i = 0; i < to.length; i++)
    if (to[i] >= 0)
      sums[to[i]] += column[i];
  return sums;
}
