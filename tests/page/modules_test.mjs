/* SPDX-License-Identifier: MIT */
/*
 * The page's arithmetic without a page: sums and groups of random trees beside
 * what a few lines of the obvious kind say, and texts.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { stackOf } from "../../report/html/src/actions.js";
import { composeRange, parseRange } from "../../report/html/src/address.js";
import { Numbers } from "../../report/html/src/data.js";
import * as format from "../../report/html/src/format.js";
import { interval, range } from "../../report/html/src/interval.js";
import { Labels } from "../../report/html/src/labels.js";
import { Profile } from "../../report/html/src/profile.js";
import { search } from "../../report/html/src/search.js";
import { calleesTree, callersTree, ContextTree, invertedTree }
  from "../../report/html/src/tree.js";
import { marks, moment, rangeText } from "../../report/html/src/timescale.js";
import { column, metaOf, rare, sectionsOf, timelineOf } from "./synthetic.mjs";

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
function profileWith(items, more = {}, meta = {}) {
  const sections = { ...sectionsOf(items), ...more };
  const same = (value) => Array.from({ length: FUNCTIONS }, () => value);
  const numbers = (name) => sections[name] ? new Numbers(sections[name]) : null;

  return new Profile({
    meta: metaOf(items.length, {
      name: same().map((_, f) => `f${f}`), module: same(-1), kind: same(1),
      file: same(0), line: same(0) }, meta),
    numbers, own: numbers,
    column: (name, array) => numbers(name)?.fill(array) ?? null,
    rare: (name, array) => numbers(name)?.fillRare(array) ?? null });
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

test("ranges in an address are read as they were written", () => {
  for (const range of [{ from: 0, to: 1 }, { from: 5e-7, to: 0.25 },
                       { from: 1e-9, to: 3e-9 }, { from: 5e6, to: 15e6, lane: 1 }])
    assert.deepEqual(parseRange(composeRange(range), 0, 1e9, 2), range);
  assert.equal(parseRange("1e-7"), null);
  assert.equal(parseRange("2-1"), null);
});

test("stacks beside a function contain the function", () => {
  const profile = profileWith([[1, 1, 1], [2, 2, 1], [3, 3, 1], [4, 4, 1]]);
  const deepest = (tree) => {
    let node = tree.root;

    while (tree.children(node).length)
      [node] = tree.children(node);
    return stackOf(tree, node);
  };

  assert.equal(deepest(calleesTree(profile, "calls", 3)), "f3\nf4");
  assert.equal(deepest(callersTree(profile, "calls", 3)), "f1\nf2\nf3");
  assert.equal(deepest(new ContextTree(profile, "calls")), "f1\nf2\nf3\nf4");
  assert.equal(deepest(invertedTree(profile, "calls")), "f1");
});

/* Returns the path after a transform, or null if it is removed. */
const transforms = {
  focus: (path, f) => path.includes(f) ? path.slice(path.indexOf(f)) : null,
  hide: (path, f) => path.includes(f) ? null : path,
  merge: (path, f) => path.filter((each) => each !== f),
  collapse: (path, f) => path.includes(f)
    ? [...path.slice(0, path.indexOf(f)), ...path.slice(path.lastIndexOf(f))]
    : path,
};

test("a transformed tree has the sums of transformed paths", () => {
  const kinds = Object.keys(transforms);

  randomTrees().forEach((root, seed) => {
    const profile = profileOf(root);
    const steps = [0, 1, 2].map((i) => ({ kind: kinds[(seed >> i) % 4],
                                          f: 1 + (seed + i * i) % 5 }));

    for (let size = 1; size <= steps.length; size++) {
      const wanted = {};

      visit(root, (node, above) => {
        const path = steps.slice(0, size).reduce((at, { kind, f }) =>
          at && transforms[kind](at, f), [...above, node].slice(1)
          .map(({ f }) => f));

        for (let i = 0; path && i <= path.length; i++)
          add(wanted, path.slice(0, i).map((f) => `/${f}`).join(""), node.calls);
      });
      profile.transform(steps.slice(0, size));
      assert.deepEqual(paths(new ContextTree(profile, "calls")), wanted,
                       JSON.stringify(steps.slice(0, size)));
      const children = [...profile.parent.keys()].slice(1).map((i) =>
        `${profile.parent[i]}/${profile.function[i]}`);

      assert.equal(new Set(children).size, children.length, "a path is twice");
    }
    profile.transform([]);
    assert.equal(profile.below.calls[0], below(root), "all is there again");
  });
});

test("merging and collapsing keep the sum, a focus has its function's total",
  () => {
    for (const root of randomTrees())
      for (let f = 1; f < FUNCTIONS; f++) {
        const profile = profileOf(root);
        const total = profile.rows.total.calls[f];
        const after = (kind) => {
          profile.transform([{ kind, f }]);
          return profile.below.calls[0];
        };

        assert.equal(after("merge"), below(root));
        assert.equal(after("collapse"), below(root));
        assert.equal(after("focus"), total);
        assert.equal(after("hide"), below(root) - total);
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

test("rare numbers are read", () => {
  for (const list of [[0, 0, 0, 7, 300, 0, 1, 0, 0], [5, 0], [0], []]) {
    const bytes = rare(list);

    assert.deepEqual([...new Numbers(bytes).fillRare(
      new Float64Array(list.length))], list);
  }
  assert.deepEqual([...rare([0, 0, 0, 7, 0, 0])], [0, 3, 7]);
});

test("a name takes the longest form that fits", () => {
  const context = { measureText: (text) => ({ width: text.length }) };
  const fit = (name, room, short) =>
    new Labels().fit(context, name, room, short);
  const full = "std::map<int, a::Order>::find(int const&)";
  const short = "std::map<...>::find";

  assert.equal(fit(full, 99, short), full);
  assert.equal(fit(full, 30, short), short);
  assert.equal(fit(full, 10, short), "std::map<…");
  assert.equal(fit("void f<long>(long)", 9), "void f<l…");
  assert.equal(fit("com.example.app.Main.run", 10), "Main.run");
  assert.equal(fit("main", 0), "");
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

  return profileWith(items, { time: rare([0, ...time]),
                              samples: rare([0, ...samples]) });
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

/* ---- The timeline ---- */

function randomly(seed) {
  let state = seed;

  return (below) => {
    state = Math.imul(state, 1664525) + 1013904223 >>> 0;
    return Math.floor(state / 2 ** 32 * below);
  };
}

/* A chain of contexts: the context at each depth is depth + 1, or one beside it. */
const chain = [[1, 1, 0], [2, 2, 0], [3, 3, 0], [4, 4, 0], [1, 5, 0]];

/* Nested calls, [depth, context, begin, length, least, flags]. */
function randomSlices(r, count) {
  const found = [], open = [];
  let now = r(50);

  while (found.length < count) {
    now += r(20);
    for (let ends = r(3); ends > 0 && open.length; ends--) {
      const slice = open.pop();

      slice[3] = now - slice[2];
      slice[4] = r(slice[3] + 1);
    }
    if (open.length < 4) {
      const depth = open.length;
      const slice = [depth, depth + 1, now, 0, 0, r(8) === 0 ? 1 : 0];

      found.push(slice);
      open.push(slice);
    }
  }
  for (const slice of open)
    slice[3] = now - slice[2];
  return found;
}

function timed(lanes, more = {}, meta = {}) {
  const timeline = timelineOf(lanes);

  return profileWith(chain, { ...timeline.sections, ...more },
                     { timeline: timeline.meta, ...meta });
}

const zeros = () => new Array(chain.length + 1).fill(0);

test("a range has the calls that began in it, and their time", () => {
  for (let seed = 1; seed < 40; seed++) {
    const r = randomly(seed);
    const lanes = [{ slices: randomSlices(r, 60) },
                   { slices: randomSlices(r, 40) }];
    const profile = timed(lanes);
    const all = lanes.flatMap(({ slices }) => slices);

    for (let round = 0; round < 20; round++) {
      const from = r(700), to = from + 1 + r(400);
      const calls = zeros(), below = zeros();

      profile.select({ range: { from, to } });
      for (const [, context, begin, length, , flags] of all) {
        calls[context] += begin >= from && begin < to && !(flags & 1);
        below[context] += Math.max(
          0, Math.min(to, begin + length) - Math.max(from, begin));
      }
      assert.deepEqual([...profile.self.calls], calls);
      /* A context calls the next alone: what is below it is its time. */
      assert.deepEqual([...profile.below.time].slice(1), below.slice(1));
    }
    profile.select({ range: null });
    assert.equal(profile.below.time[0], all.filter(([depth]) => depth === 0)
      .reduce((sum, slice) => sum + slice[3], 0));
  }
});

test("ranges next to each other add up", () => {
  const r = randomly(5);
  const lanes = [{ slices: randomSlices(r, 80) },
                 { samples: Array.from({ length: 50 }, (_, i) =>
                   [100 + 9 * i, 8, 1 + r(4), 1 + r(4)]) }];
  const sampled = { time: rare(zeros()), samples: rare(zeros()) };
  const profile = timed(lanes, sampled, { taken: { mode: "cpu", lost: [] } });
  const { from, to } = profile.timeline;
  const sums = () => ["calls", "time", "samples"].map((key) =>
    [...profile.self[key]]);
  const total = [zeros(), zeros(), zeros()];

  for (let at = from; at < to; at += 37) {
    profile.select({ range: { from: at, to: Math.min(at + 37, to) } });
    sums().forEach((column, i) => column.forEach((number, c) => {
      total[i][c] += number;
    }));
  }
  profile.select({ range: { from, to } });
  assert.deepEqual(sums(), total);
  assert.deepEqual(total[2].reduce((a, b) => a + b, 0), lanes[1].samples
    .reduce((sum, sample) => sum + sample[3], 0));
});

test("a range has the samples in it, and no calls without a trace", () => {
  const profile = timed([{ samples: [[100, 10, 1], [120, 10, 2], [150, 10, 2]] }],
    { time: rare([0, 10, 20, 0, 0, 0]), samples: rare([0, 1, 2, 0, 0, 0]) },
    { taken: { mode: "cpu", lost: [] } });

  profile.select({ range: { from: 110, to: 150 } });
  assert.deepEqual([...profile.self.time], [0, 0, 10, 0, 0, 0]);
  assert.equal(profile.samples, 1);
  assert.deepEqual(profile.measures, ["time"]);
  profile.select({ range: null });
  assert.deepEqual(profile.measures, ["time", "calls"]);
});

test("a sample that grew is looks, one after the other", () => {
  const profile = timed([{ samples: [[100, 40, 1, 4]] }],
    { time: rare([0, 40, 0, 0, 0, 0]), samples: rare([0, 4, 0, 0, 0, 0]) },
    { taken: { mode: "wall", lost: [] } });
  const looks = (from, to) => {
    profile.select({ range: { from, to } });
    return [profile.self.samples[1], profile.self.time[1]];
  };

  assert.deepEqual(looks(0, 100), [0, 0]);
  assert.deepEqual(looks(100, 101), [1, 10]);
  assert.deepEqual(looks(101, 121), [2, 20]);
  assert.deepEqual(looks(0, 131), [4, 40]);
  assert.deepEqual([profile.timeline.from, profile.timeline.to], [90, 131]);
});

test("samples in a row are slices of what stayed on the stack", () => {
  const profile = timed([{ samples: [[100, 10, 2], [110, 10, 3], [120, 10, 1],
                                     [200, 10, 1]] }],
    { time: rare(zeros()), samples: rare(zeros()) },
    { taken: { mode: "cpu", lost: [] } });
  const { timeline } = profile;

  assert.deepEqual(timeline.rows.map((row) =>
    Array.from({ length: row.end - row.first }, (_, i) => row.first + i)
      .map((i) => [timeline.context[i], timeline.begin[i], timeline.end[i]])), [
    [[1, 90, 120], [1, 190, 200]], [[2, 90, 110]], [[3, 100, 110]]]);
});

test("rows are in order and know their callers", () => {
  const slices = randomSlices(randomly(9), 300);
  const { timeline } = timed([{ slices }]);

  assert.equal(timeline.count, 300);
  for (const { first, end, depth } of timeline.rows)
    for (let i = first; i < end; i++) {
      const parent = timeline.parent[i];

      assert.equal(timeline.rowOf(i).depth, depth);
      assert.ok(i === first || timeline.begin[i] >= timeline.end[i - 1]);
      assert.equal(parent < 0, depth === 0);
      if (depth > 0)
        assert.ok(timeline.begin[parent] <= timeline.begin[i] &&
                  timeline.end[i] <= timeline.end[parent]);
    }
  assert.equal([...timeline.self].reduce((a, b) => a + b, 0),
    slices.filter(([depth]) => depth === 0).reduce((sum, s) => sum + s[3], 0));
});

test("moments are as exact as the axis", () => {
  assert.equal(moment(0), "0");
  assert.equal(moment(1500, 100), "1.5 µs");
  assert.equal(moment(5000001000, 1000), "5.000001 s");
  assert.equal(moment(250e6, 50e6), "250 ms");
  assert.equal(rangeText({ from: 96969358, to: 118778806 }),
               "97.0 ms to 118.8 ms");
  const { step, moments } = marks(0, 251e6, 10);

  assert.deepEqual([step, moments], [50e6, [0, 50e6, 100e6, 150e6, 200e6,
                                            250e6]]);
});
