/* SPDX-License-Identifier: MIT */
/*
 * The trees that a flame graph can show. Nodes are numbers. A node's children
 * are in descending order of value and are computed on first use. The renderer
 * stops at the first child that is too narrow, so invisible nodes cost nothing.
 *
 *	ContextTree	the recording as it is; a node is a context
 *	GroupedTree	a node stands for several contexts, grouped by function:
 *			upwards, their callers; downwards, their callees
 */

const REMEMBERED = 16; /* longer lists of children are cached */
const LOOKAHEAD = 60; /* in rows; a recursion of n levels has n^2 / 2 chains */

export class ContextTree {
  constructor(profile, measure) {
    this.profile = profile;
    this.measure = measure;
    this.isInverted = false;
    this.reach = Infinity;
    this.below = profile.below[measure];
    this.lists = new Map();
    this.root = 0;
  }

  value(node) {
    return this.below[node];
  }

  function(node) {
    return this.profile.function[node];
  }

  parent(node) {
    return node === 0 ? -1 : this.profile.parent[node];
  }

  children(node) {
    const known = this.lists.get(node);
    const { end } = this.profile;
    const list = [];

    if (known)
      return known;
    for (let child = node + 1; child < end[node]; child = end[child])
      if (this.below[child] > 0)
        list.push(child);
    list.sort((a, b) => this.below[b] - this.below[a] || a - b);
    if (list.length > REMEMBERED)
      this.lists.set(node, list);
    return list;
  }

  facts(node) {
    const { self, below, base } = this.profile;
    const of = (columns) => columns && {
      calls: columns.calls[node], time: columns.time?.[node],
      samples: columns.samples?.[node],
    };

    return { self: of(self), total: of(below), contexts: 1,
             samples: self.samples?.[node],
             base: base && { before: of(base.below), now: of(base.now) },
             tails: this.profile.tails().get(node) };
  }

  /* Returns whether a match is among these nodes or below them. */
  holdsMatch(nodes, matches) {
    if (this.matches !== matches)
      this.#markPaths(matches);
    return nodes.some((node) => this.leads[node]);
  }

  #markPaths(matches) {
    const { profile } = this;

    this.matches = matches;
    this.leads = new Uint8Array(profile.count);
    for (let i = profile.count - 1; i > 0; i--) {
      if (matches[profile.function[i]])
        this.leads[i] = 1;
      if (this.leads[i])
        this.leads[profile.parent[i]] = 1;
    }
  }

  /* Returns the sum of all matches and their subtrees. */
  matched(matches, node = 0) {
    const { end, function: functions } = this.profile;
    let sum = 0;

    for (let i = node; i < end[node];) {
      if (i > 0 && matches[functions[i]]) {
        sum += this.below[i];
        i = end[i];
      } else {
        i++;
      }
    }
    return sum;
  }
}

export class GroupedTree {
  /*
   * contexts: the contexts of the root, each with its weight. Upwards, a chain
   * of callers has the weight of its start ("self" or "below", or columns
   * `weights`); downwards, contexts have their own weights.
   */
  constructor(profile, measure, contexts, options) {
    const weights = options.weights ?? profile[options.weight];

    this.profile = profile;
    this.measure = measure;
    this.isUpwards = options.isUpwards;
    this.isInverted = options.isUpwards;
    this.isBySelf = options.weight === "self";
    this.reach = LOOKAHEAD;
    this.weights = weights[measure];
    this.allWeights = weights;
    this.root = 0;
    this.nodes = [];
    this.#add(-1, options.function ?? 0, contexts, contexts);
    this.hasGroupedRoot = options.hasGroupedRoot;
  }

  #add(parent, f, at, origin) {
    let value = 0;

    for (const context of this.isUpwards ? origin : at)
      value += this.weights[context];
    this.nodes.push({ parent, f, at, origin, value, children: null });
    return this.nodes.length - 1;
  }

  value(node) {
    return this.nodes[node].value;
  }

  function(node) {
    return this.nodes[node].f;
  }

  parent(node) {
    return this.nodes[node].parent;
  }

  children(node) {
    this.nodes[node].children ??= this.#expand(node);
    return this.nodes[node].children;
  }

  /* Returns the first context of a chain. */
  origin(node) {
    return this.nodes[node].origin[0];
  }

  /* Counts the members of each group first, since there may be a million. */
  #expand(node) {
    const groups = new Map();
    let last = null;
    const find = (context) => {
      const f = this.profile.function[context];

      if (last?.f === f)
        return last;
      last = groups.get(f);
      if (!last)
        groups.set(f, last = { f, count: 0 });
      return last;
    };

    this.#each(node, (context) => {
      find(context).count++;
    });
    for (const group of groups.values()) {
      group.at = new Uint32Array(group.count);
      group.origin = this.isUpwards ? new Uint32Array(group.count) : group.at;
      group.count = 0;
    }
    this.#each(node, (context, from) => {
      const group = find(context);

      group.origin[group.count] = from;
      group.at[group.count++] = context;
    });
    return [...groups.values()]
      .map(({ f, at, origin }) => this.#add(node, f, at, origin))
      .filter((child) => this.nodes[child].value > 0)
      .sort((a, b) => this.nodes[b].value - this.nodes[a].value);
  }

  /* Calls see(context, start of its chain) for all contexts below a node. */
  #each(node, see) {
    const { parent, end } = this.profile;
    const { at, origin } = this.nodes[node];

    for (let i = 0; i < at.length; i++) {
      const context = at[i];

      if (node === this.root && this.hasGroupedRoot)
        see(context, context);
      else if (this.isUpwards && parent[context] !== 0)
        see(parent[context], origin[i]);
      else if (!this.isUpwards)
        for (let child = context + 1; child < end[context]; child = end[child])
          see(child, child);
    }
  }

  facts(node) {
    const { at, origin } = this.nodes[node];
    const { self, below, base } = this.profile;
    const weighted = this.isUpwards ? origin : at;
    const sum = (column) => {
      let total = 0;

      for (const context of weighted)
        total += column[context];
      return total;
    };
    const of = (columns) => ({
      calls: sum(columns.calls), time: columns.time && sum(columns.time),
      samples: columns.samples && sum(columns.samples),
    });

    return { self: of(self), contexts: at.length, isChain: this.isUpwards,
             total: this.isUpwards ? of(this.allWeights) : of(below),
             samples: self.samples && sum(self.samples),
             base: base && (this.isBySelf
               ? { before: of(base.self), now: of(base.nowSelf) }
               : { before: of(base.below), now: of(base.now) }) };
  }

  holdsMatch(nodes, matches) {
    return nodes.some((node) => matches[this.nodes[node].f]);
  }
}

/* Returns all functions with their own measures, and below each its callers. */
export function invertedTree(profile, measure) {
  const self = profile.self[measure];
  const contexts = [];

  for (let i = 1; i < profile.count; i++)
    if (self[i] > 0)
      contexts.push(i);
  return new GroupedTree(profile, measure, contexts,
    { isUpwards: true, weight: "self", hasGroupedRoot: true });
}

/*
 * Return the callers of a function, and its callees; recursion is counted once.
 */
export function callersTree(profile, measure, f) {
  return new GroupedTree(profile, measure, outermost(profile, f),
    { isUpwards: true, weight: "below", function: f });
}

export function calleesTree(profile, measure, f) {
  return new GroupedTree(profile, measure, outermost(profile, f),
    { isUpwards: false, weight: "below", function: f });
}

function outermost(profile, f) {
  return profile.contextsOf(f).filter((i) => profile.isOutermost[i]);
}
