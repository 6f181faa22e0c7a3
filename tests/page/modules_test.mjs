/* SPDX-License-Identifier: MIT */
/*
 * The page's arithmetic without a page: sums and groups of random trees beside
 * what a few lines of the obvious kind say, and texts.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Numbers } from "../../report/html/src/data.js";
import * as format from "../../report/html/src/format.js";
import { interval, range } from "../../report/html/src/interval.js";
import { shorten } from "../../report/html/src/labels.js";
import { Profile } from "../../report/html/src/profile.js";
import { search } from "../../report/html/src/search.js";
import { calleesTree, callersTree, ContextTree, invertedTree }
  from "../../report/html/src/tree.js";
import { column, metaOf, sectionsOf } from "./synthetic.mjs";

const FUNCTIONS = 6;

/* Nested objects, each { f, calls, callees }, of which nothing is summed. */
function randomTree(seed, size) {
  let state = seed;
  const r = () => (state = Math.imul(state, 48271) % 2147483647) /
    2147483647;
  const root = { f: 0, calls: 0, callees: [] };
  const all = [root];

  while (all.length <= size) {
    const caller = all[Math.floor(Math.abs(r()) * all.length)];
    const f = 1 + Math.floor(Math.abs(r()) * (FUNCTIONS - 1));

    if (caller.callees.some((callee) => callee.f === f))
      continue;
    all.push({ f, calls: Math.floor(Math.abs(r()) * 100), callees: [] });
    caller.callees.push(all[all.length - 1]);
  }
  return root;
}

function visit(node, see, above = []) {
  see(node, above);
  node.callees.forEach((callee) => visit(callee, see, [...above, node]));
}

const below = (node) =>
  node.calls + node.callees.reduce((sum, each) => sum + below(each), 0);

/* Items: [depth, function, calls] in preorder; more columns. */
function profileWith(items, more = {}) {
  const sections = { ...sectionsOf(items), ...more };
  const same = (value) => Array.from({ length: FUNCTIONS }, () => value);
  const numbers = (name) => sections[name] ? new Numbers(sections[name]) : null;

  return new Profile({
    meta: metaOf(items.length, {
      name: same().map((_, f) => `f${f}`), module: same(-1), kind: same(1),
      file: same(0), line: same(0) }),
    numbers,
    column: (name, array) => numbers(name)?.fill(array) ?? null });
}

function profileOf(root) {
  const items = [];

  visit(root, (node, above) =>
    above.length && items.push([above.length, node.f, node.calls]));
  return profileWith(items);
}

/* { "names from the root": value } of any tree, and of nested objects. */
function paths(tree) {
  const found = {};
  const stack = [[tree.root, ""]];

  while (stack.length) {
    const [node, path] = stack.pop();

    if (tree.value(node) > 0)
      found[path] = tree.value(node);
    for (const child of tree.children(node))
      stack.push([child, `${path}/${tree.function(child)}`]);
  }
  return found;
}

function add(sums, key, value) {
  if (value > 0)
    sums[key] = (sums[key] ?? 0) + value;
}

const randomTrees = () => Array.from({ length: 25 }, (_, i) =>
  randomTree(i + 1, 3 + i * 6));

test("a context has what it called with it", () => {
  for (const root of randomTrees()) {
    const wanted = {};

    visit(root, (node, above) => add(wanted, [...above, node].slice(1)
      .map(({ f }) => `/${f}`).join(""), below(node)));
    assert.deepEqual(paths(new ContextTree(profileOf(root), "calls")), wanted);
  }
});

test("inverted, chains of callers have the calls of their functions", () => {
  for (const root of randomTrees()) {
    const wanted = {};

    visit(root, (node, above) => {
      const chain = [...above, node].slice(1).reverse().map(({ f }) => `/${f}`);

      for (let i = 0; i <= chain.length; i++)
        add(wanted, chain.slice(0, i).join(""), node.calls);
    });
    assert.deepEqual(paths(invertedTree(profileOf(root), "calls")), wanted);
  }
});

test("a butterfly's wings have what lies below outermost contexts", () => {
  for (const root of randomTrees())
    for (let f = 1; f < FUNCTIONS; f++) {
      const up = {}, down = {};

      visit(root, (node, above) => {
        if (node.f !== f || above.some((each) => each.f === f))
          return;
        const chain = above.slice(1).reverse().map((each) => `/${each.f}`);

        for (let i = 0; i <= chain.length; i++)
          add(up, chain.slice(0, i).join(""), below(node));
        visit(node, (callee, between) => add(down, [...between, callee]
          .slice(1).map((each) => `/${each.f}`).join(""), below(callee)));
      });
      const profile = profileOf(root);

      assert.deepEqual(paths(callersTree(profile, "calls", f)), up);
      assert.deepEqual(paths(calleesTree(profile, "calls", f)), down);
    }
});

test("rows count recursion once", () => {
  for (const root of randomTrees()) {
    const { rows } = profileOf(root);

    for (let f = 1; f < FUNCTIONS; f++) {
      let calls = 0, contexts = 0, total = 0;

      visit(root, (node, above) => {
        if (node.f !== f)
          return;
        calls += node.calls;
        contexts++;
        if (!above.some((each) => each.f === f))
          total += below(node);
      });
      assert.deepEqual([rows.calls[f], rows.contexts[f], rows.total.calls[f]],
                       [calls, contexts, total]);
    }
  }
});

test("what matches is counted once where it is nested", () => {
  for (const root of randomTrees()) {
    const profile = profileOf(root);
    const { matches } = search(profile, "f[12]");
    let wanted = 0;

    visit(root, (node, above) => {
      if (matches[node.f] && !above.some((each) => matches[each.f]))
        wanted += below(node);
    });
    assert.equal(new ContextTree(profile, "calls").matched(matches), wanted);
  }
});

test("numbers of any size are read", () => {
  const list = [0, 1, 127, 128, 16383, 16384, 2 ** 32, 2 ** 48 - 1,
                2 ** 53 - 1];

  assert.deepEqual([...new Numbers(column(list)).fill(
    new Float64Array(list.length))], list);
});

test("names are shortened to what tells them apart", () => {
  for (const [name, short] of [
    ["main", "main"],
    ["void std::__introsort_loop<int*, long>(int*, long)",
     "std::__introsort_loop"],
    ["std::vector<a::b<c>>::push_back(c const&)", "std::vector::push_back"],
    ["foo::(anonymous namespace)::bar(int)", "foo::{anonymous}::bar"],
    ["operator new(unsigned long)", "operator new(unsigned long)"],
    ["encoder_call.lto_priv.0", "encoder_call"],
    ["work.constprop.0.isra.1", "work"],
    ["(folded)", "(folded)"],
    ["libsqlite3.so.0+0xfc9b0", "libsqlite3.so.0+0xfc9b0"]])
    assert.equal(shorten(name), short);
});

test("numbers read well, and nothing is rounded to nothing", () => {
  assert.equal(format.count(1234567), "1,234,567");
  assert.equal(format.percent(0.00001), "<0.01 %");
  assert.equal(format.percent(0), "0.00 %");
  assert.equal(format.roughly(0.997), "100 %");
  assert.equal(format.roughly(0.0000000012), "0.00000012 %");
  assert.equal(format.time(1234567), "1.235 ms");
  assert.equal(format.time(999), "999.0 ns");
  /* Jeffreys' interval of 20 of 100 */
  const [low, high] = interval(0.2, 100);

  assert.ok(Math.abs(low - 0.1308) < 1e-4 && Math.abs(high - 0.2863) < 1e-4);
  assert.deepEqual(interval(0.5, 0), [0, 1]);
  assert.ok(interval(0, 100)[1] > 0.015, "none seen is not none there");
  assert.equal(range(0.2, 100), "13–29");
  assert.equal(range(0.5, 5000000), "49.96–50.04");
});

/* Three contexts of one function each, of so much time in so many samples. */
function sampled(time, samples) {
  const items = time.map((t, i) => [1, i + 1, 1]);

  return profileWith(items, { time: column([0, ...time]),
                              samples: column([0, ...samples]) });
}

test("samples that stand for more tell less", () => {
  const alike = sampled([20e6, 30e6, 50e6], [20, 30, 50]);
  const profile = sampled([200e6, 100e6, 700e6], [50, 100, 700]);

  assert.ok(Math.abs(alike.equalSamples(20e6, 20) - 100) < 1e-6);
  assert.ok(Math.abs(alike.equalSamples(100e6, 100) - 100) < 1e-6);
  /* Squares: 0.2^2 / 50 its own, 0.1^2 / 100 + 0.7^2 / 700 the others'. */
  const variance = 0.8 ** 2 * 0.0008 + 0.2 ** 2 * 0.0008;

  assert.ok(Math.abs(profile.equalSamples(200e6, 50) -
                     0.2 * 0.8 / variance) < 1e-3);
});
