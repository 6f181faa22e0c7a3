/* SPDX-License-Identifier: MIT */
/*
 * Names functions, contexts and nodes of trees in links. The number of a context
 * differs from page to page, so a link has a hash of its path: the names of all
 * functions from the outermost one down. A node of an inverted tree is a context
 * and a number of callers: "HASH~3".
 */
import { ContextTree } from "./tree.js";

const LONG = 7; /* digits of 32 bits in base 36 */

/* Two independent hashes of 32 bits. Returns both, mixed with more text. */
function mix([a, b], text) {
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);

    a = Math.imul(a ^ c, 16777619);
    b = Math.imul(b, 31) + c | 0;
  }
  return [Math.imul(a ^ a >>> 15, 2246822519), Math.imul(b ^ b >>> 13, 3266489917)];
}

const join = ([a, b], [c, d]) => [
  Math.imul(a ^ c, 2654435761) ^ (a >>> 13),
  Math.imul(b, 40503) + d ^ (b >>> 16)];

const text = (pair) => pair.map((half) =>
  (half >>> 0).toString(36).padStart(LONG, "0")).join("");

const START = [2166136261, 5381];

/* Hashes of functions are computed on demand. */
export class Identity {
  constructor(profile) {
    this.profile = profile;
    this.known = [];
  }

  #of(f) {
    const { profile } = this;

    this.known[f] ??= mix(START, [profile.name(f), profile.moduleName(f),
                                  profile.place(f)].join("\0"));
    return this.known[f];
  }

  ofFunction(f) {
    return text(this.#of(f));
  }

  /* Returns the function with this name in a link, or 0. */
  findFunction(id) {
    const size = this.profile.functions.name.length;

    for (let f = 1; f < size; f++)
      if (this.ofFunction(f) === id)
        return f;
    return 0;
  }

  ofText(name) {
    return text(mix(START, name));
  }

  ofModule(module) {
    return this.ofText(this.profile.meta.modules[module].path ?? "");
  }

  /* Returns the index of the module with this name in a link, or -1. */
  findModule(id) {
    return this.profile.meta.modules.findIndex((_, module) =>
      this.ofModule(module) === id);
  }

  ofContext(context) {
    const { parent, function: functions } = this.profile;
    const path = [];
    let hash = START;

    for (let at = context; at !== 0; at = parent[at])
      path.push(at);
    while (path.length)
      hash = join(hash, this.#of(functions[path.pop()]));
    return text(hash);
  }

  /* Returns the context with this name in a link, or 0. */
  findContext(id) {
    const { count, end, function: functions } = this.profile;
    const [a, b] = [id.slice(0, LONG), id.slice(LONG)]
      .map((half) => Number.parseInt(half, 36) | 0);
    const path = [[START, count]];

    for (let i = 1; i < count; i++) {
      while (path.at(-1)[1] <= i)
        path.pop();
      const hash = join(path.at(-1)[0], this.#of(functions[i]));

      if ((hash[0] | 0) === a && (hash[1] | 0) === b)
        return i;
      if (end[i] > i + 1)
        path.push([hash, end[i]]);
    }
    return 0;
  }

  /* Returns the name of a node of a flame graph's tree. */
  ofNode(tree, node) {
    if (tree instanceof ContextTree)
      return this.ofContext(node);
    let depth = 0;

    for (let at = node; at !== tree.root; at = tree.parent(at))
      depth++;
    return `${this.ofContext(tree.origin(node))}~${depth}`;
  }

  /* Returns the node with this name in a link, or null. */
  findNode(tree, id) {
    const [path, depth] = id.split("~");
    const context = this.findContext(path);

    if (context === 0)
      return null;
    if (tree instanceof ContextTree)
      return tree.value(context) > 0 ? context : null;
    return this.#findChain(tree, context, Number(depth) || 1);
  }

  #findChain(tree, context, depth) {
    const { parent, function: functions } = this.profile;
    let node = tree.root, at = context;

    for (let i = 0; i < depth; i++, at = parent[at]) {
      node = tree.children(node).find((child) =>
        tree.function(child) === functions[at]);
      if (node === undefined)
        return null;
    }
    return node;
  }
}
