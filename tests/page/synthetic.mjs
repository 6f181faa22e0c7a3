/* SPDX-License-Identifier: MIT */
/*
 * Pages of recordings that were never made: as many contexts as one wants, of
 * a known shape. The format is written down here once more, on purpose: see
 * report/html/src/data.js.
 *
 *	node synthetic.mjs CONTEXTS FILE [time] [threads] [diff]
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { deflateSync } from "node:zlib";

const template = fileURLToPath(
  new URL("../../report/html/page.html", import.meta.url));

function random(seed) {
  let state = seed;

  return () => (state = Math.imul(state, 1664525) + 1013904223 >>> 0) / 2 ** 32;
}

class Column {
  constructor() {
    this.bytes = [];
  }

  put(number) {
    let rest = number;

    while (rest >= 128) {
      this.bytes.push(rest % 128 + 128);
      rest = Math.floor(rest / 128);
    }
    this.bytes.push(rest);
  }
}

export function column(numbers) {
  const made = new Column();

  for (const number of numbers)
    made.put(number);
  return Buffer.from(made.bytes);
}

/* A column of which most numbers are 0: of several only their number is there. */
export function rare(numbers) {
  const made = new Column();
  let zeros = 0;

  for (const number of numbers)
    if (number === 0) {
      zeros++;
    } else {
      if (zeros > 0) {
        made.put(0);
        made.put(zeros);
      }
      made.put(number);
      zeros = 0;
    }
  return Buffer.from(made.bytes);
}

/* sections: { name: Buffer }; meta is turned into one. */
export function page(meta, sections) {
  const parts = [];
  const all = { meta: Buffer.from(JSON.stringify(meta)), ...sections };

  for (const [name, bytes] of Object.entries(all)) {
    const head = Buffer.alloc(16, " ");

    head.write(name);
    head.writeBigUInt64LE(BigInt(bytes.length), 8);
    parts.push(head, bytes);
  }
  return readFileSync(template, "utf8").replace("<!--clew-data-->",
    () => deflateSync(Buffer.concat(parts), { level: 1 }).toString("base64"));
}

export const kinds = ["note", "native", "jni", "java", "inlined", "generated",
                      "kernel", "clew", "group"];

/*
 * A tree in pre-order. Each of `items` is [depth, function, self]; the rest
 * of the page is made up around it.
 */
export function sectionsOf(items) {
  return {
    ended: column(items.map(([depth], i) => (items[i - 1]?.[0] ?? 0) + 1 - depth)),
    function: column([0, ...items.map(([, f]) => f)]),
    calls: column([0, ...items.map(([, , self]) => self)]),
  };
}

export function metaOf(contexts, functions, extra = {}) {
  return {
    clew: "0.1.0", contexts, kinds, functions,
    total: { calls: 0, contexts, processes: 1, threads: 1, folded: 0,
             stray: 0 },
    limit: 16777216, ran_ns: 2310000000, taken: null,
    hooking: { hooked: 3999, refused: 3, left_alone: 0, modules: 5 },
    confidence: { verified: 142, partial: 2, collisions: 0, diverged: 0,
                  wrong_at_most: 0.0209,
                  partial_reasons: { "on stacks of unknown beginning": 2 },
                  contexts: { verified: 20, partial: 0, collisions: 0,
                              diverged: 0, wrong_at_most: 0.1391,
                              partial_reasons: {} } },
    losses: [], missing: [], breakpoint_hits: 0, problems: [], files: [""], modules: [],
    groups: [], too_many: false,
    processes: [{ pid: 4711, seq: 0, command: ["sqlite3", ":memory:"],
                  threads: 1, start_ms: Date.UTC(2026, 10, 20, 14, 31),
                  ran_ns: 2310000000 }],
    ...extra,
  };
}

const change = (from, to) => to >= from ? 2 * (to - from) : 2 * (from - to) + 1;

/*
 * Lanes are { name, pid, tid, process, thread, slices, samples, notes }: slices in the
 * order of their beginnings, [depth, context, begin, length, least, flags], samples
 * [time, weight, context, looks], notes [kind, begin, length, name].
 * { meta: member "timeline", sections }.
 */
export function timelineOf(lanes, extra = {}) {
  const columns = Object.fromEntries(["t.nest", "t.begin", "t.length", "t.slack",
    "t.where", "t.odd", "s.time", "s.weight", "s.looks", "s.where", "notes"]
    .map((name) => [name, new Column()]));
  const names = [];

  for (const { slices = [], samples = [], notes = [] } of lanes) {
    let last = { depth: 0, begin: 0, context: 0 };

    for (const [depth, context, begin, length, least = length, flags = 0] of
      slices) {
      columns["t.nest"].put((last.depth - depth) * 16 + flags);
      columns["t.begin"].put(begin - last.begin);
      columns["t.length"].put(length);
      columns["t.slack"].put(length - least);
      columns["t.where"].put(change(last.context, context));
      last = { depth: depth + 1, begin, context };
    }
    last = { time: 0, context: 0 };
    for (const [time, weight, context, looks = 1] of samples) {
      columns["s.time"].put(time - last.time);
      columns["s.weight"].put(weight);
      columns["s.looks"].put(looks);
      columns["s.where"].put(change(last.context, context));
      last = { time, context };
    }
    last = 0;
    for (const [kind, begin, length, name] of notes) {
      columns.notes.put(kind);
      columns.notes.put(begin - last);
      columns.notes.put(length);
      columns.notes.put(names.push(name) - 1);
      last = begin;
    }
  }
  const count = (key) => lanes.reduce((sum, lane) =>
    sum + (lane[key]?.length ?? 0), 0);

  return {
    sections: Object.fromEntries(Object.entries(columns).map(
      ([name, { bytes }]) => [name, Buffer.from(bytes)])),
    meta: {
      calls: count("slices"), shortest_ns: 0, odd: 0, samples: count("samples"),
      sampled_to_ns: 0, notes: count("notes"), window: null, names,
      lanes: lanes.map((lane, i) => ({
        name: `thread${i}`, pid: 4711, tid: 4711 + i, process: -1, thread: -1,
        ...lane, slices: lane.slices?.length ?? 0,
        samples: lane.samples?.length ?? 0, notes: lane.notes?.length ?? 0 })),
      ...extra },
  };
}

const words = ("sqlite3 btree page cursor vdbe parse expr table index record " +
  "cache lock wal pager hash mem value column codec select where scan sort " +
  "merge open close read write alloc free init step").split(" ");

function nameOf(r, kind) {
  const word = () => words[Math.floor(r() * words.length)];
  const Word = () => word().replace(/^./, (c) => c.toUpperCase());

  if (kind === "java")
    return `com.example.${word()}.${Word()}${Word()}.${word()}${Word()}`;
  if (kind === "jni")
    return `Java_com_example_${word()}_${Word()}_${word()}`;
  if (kind === "kernel")
    return `do_${word()}_${word()}`;
  if (r() < 0.25)
    return `std::vector<${word()}::${Word()}, std::allocator<${word()}::` +
      `${Word()}> >::${word()}(unsigned long, ${Word()} const&)`;
  return `${word()}${Word()}${r() < 0.6 ? Word() : ""}`;
}

function makeFunctions(r, count, modules) {
  const functions = { name: ["(all)", "(folded)"], module: [-1, -1],
                      kind: [0, 0], file: [0, 0], line: [0, 0] };

  for (let f = 2; f < count; f++) {
    const module = Math.floor(r() ** 2 * modules.length);
    const kind = modules[module].kind === "native" && r() < 0.15
      ? "inlined" : modules[module].kind;

    functions.name.push(nameOf(r, kind));
    functions.module.push(module);
    functions.kind.push(kinds.indexOf(kind));
    functions.file.push(r() < 0.7 ? 1 + f % 40 : 0);
    functions.line.push(Math.floor(r() * 5000));
  }
  return functions;
}

/*
 * Each context hands what is left of its budget of contexts to a few callees,
 * unevenly, so that some branches are deep and most are small.
 */
function makeTree(r, contexts, functions) {
  const items = [];
  const stack = [[1, contexts, 1e9]]; /* depth, budget, calls */

  while (stack.length) {
    const [depth, budget, heat] = stack.pop();
    const f = r() < 0.001 ? 1
      : 2 + Math.floor(r() * r() * (functions.name.length - 2));
    const callees = Math.min(budget - 1, 1 + Math.floor(r() ** 3 * 9));
    let left = budget - 1;

    items.push([depth, f, Math.ceil(heat * r() * 0.1)]);
    for (let i = 0, warmth = heat * 0.9; i < callees && left > 0; i++) {
      const part = i === callees - 1 ? left
        : Math.max(1, Math.floor(left * (0.2 + 0.7 * r())));

      stack.push([depth + 1, part, warmth * (0.3 + 0.6 * r())]);
      warmth -= stack[stack.length - 1][2];
      left -= part;
    }
  }
  return items;
}

export function synthetic(contexts, options = {}) {
  const r = random(options.seed ?? 7);
  const module = (name, kind, hooked, refused) => ({
    name, path: `/usr/lib/x86_64-linux-gnu/${name}`, kind, hooked, refused,
    state: "hooked", reasons: refused
      ? [["a branch targets its first bytes", refused]] : [] });
  const modules = [
    module("libsqlite3.so.0", "native", 2655, 0),
    module("sqlite3", "native", 365, 2), module("libm.so.6", "native", 800, 1),
    module("app.jar", "java", 120, 0), module("libjni.so", "jni", 33, 0),
    module("[kernel]", "kernel", 0, 0),
    module("[generated]", "generated", 26, 0),
    { ...module("libc.so.6", "native", 0, 0), state: "a rule leaves it out" },
  ];
  const functions = makeFunctions(
    r, Math.min(20000, Math.max(60, Math.floor(contexts / 12))), modules);
  const items = makeTree(r, contexts, functions);
  const sections = sectionsOf(items);
  const selves = items.map(([, , self]) => self);
  const meta = metaOf(contexts, functions, {
    modules, files: ["", ...Array.from({ length: 40 },
      (_, i) => `/build/sqlite3-3.40.1/src/${words[i % words.length]}${i}.c`)],
  });

  meta.total.calls = selves.reduce((a, b) => a + b, 0);
  if (options.time) {
    const samples = selves.map((self) => Math.floor(self / 4e5 + r() * 1.02));

    meta.taken = { mode: "cpu", rate: 997, lost: [] };
    sections.samples = rare([0, ...samples]);
    sections.time = rare([0, ...samples.map((n) => n * 1003009)]);
  }
  if (options.threads)
    addThreads(r, meta, sections, selves);
  if (options.diff)
    sections["b.calls"] = column([0, ...selves.map((n) =>
      r() < 0.6 ? n : Math.floor(n * r() * 3))]);
  return page(meta, sections);
}

/* Three threads that share the calls among them. */
function addThreads(r, meta, sections, selves) {
  const numbers = [];
  const owner = selves.map(() => Math.floor(r() * 3));

  meta.total.threads = 3;
  for (let t = 0; t < 3; t++) {
    let last = 0, count = 0, calls = 0;

    selves.forEach((self, i) => {
      if (owner[i] !== t)
        return;
      numbers.push(i + 1 - last, self);
      last = i + 1;
      calls += self;
      count++;
    });
    meta.groups.push({ name: `${["main", "worker", "worker"][t]} (${4711 + t})`,
                       is_process: false, contexts: count, calls });
  }
  sections.groups = column(numbers);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [contexts, file, ...options] = process.argv.slice(2);

  writeFileSync(file, synthetic(Number(contexts),
    Object.fromEntries(options.map((option) => [option, true]))));
}
