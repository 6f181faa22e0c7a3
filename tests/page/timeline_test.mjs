/* SPDX-License-Identifier: MIT */
/*
 * The page's timeline in a real browser: of calls and samples whose every time is known,
 * and of a program that was traced, beside what `clew trace` says of it.
 *
 *	CLEW_BUILD=build/gcc tests/page/run timeline_test.mjs
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { build, context, folder, openBrowser, page, settled, show }
  from "./browser.mjs";
import { column, kinds, metaOf, page as write, rare, sectionsOf, timelineOf }
  from "./synthetic.mjs";

const MS = 1e6;
const names = ["(all)", "main", "parse", "lex", "read", "worker"];
const [MAIN, PARSE, LEX, READ, WORKER] = [1, 2, 3, 4, 5];
/* Contexts 1 to 5: main -> parse -> lex, main -> read; worker. */
const items = [[1, MAIN, 1], [2, PARSE, 2], [3, LEX, 3], [2, READ, 1],
               [1, WORKER, 2]];

/*
 * main, in ms:	0                                             100
 *		|  10  parse  30   |  40  parse  60  |  70 read 90
 *		|  11 lex 15, 20 lex 28 | 45 lex 55  |
 * worker:	5 worker 25	50 worker 95
 */
const lanes = [
  { name: "main", tid: 11, slices: [
    [0, 1, 0, 100 * MS], [1, 2, 10 * MS, 20 * MS], [2, 3, 11 * MS, 4 * MS],
    [2, 3, 20 * MS, 8 * MS], [1, 2, 40 * MS, 20 * MS],
    [2, 3, 45 * MS, 10 * MS, 7 * MS], [1, 4, 70 * MS, 20 * MS]] },
  { name: "worker", tid: 12, slices: [
    [0, 5, 5 * MS, 20 * MS], [0, 5, 50 * MS, 45 * MS]],
    notes: [[1, 30 * MS, 0, "ready"], [2, 60 * MS, 20 * MS, "batch"]] }];

function functionsOf(list) {
  const same = (value) => list.map((_, i) => i === 0 ? 0 : value);

  return { name: list, kind: same(kinds.indexOf("native")),
           module: list.map((_, i) => i === 0 ? -1 : 0), file: same(0),
           line: same(0) };
}

function pageOf(ofLanes, { meta = {}, sections = {}, said = {},
                           list = names } = {}) {
  const timeline = timelineOf(ofLanes, said);

  return write(metaOf(items.length, functionsOf(list), {
    modules: [{ name: "program", path: "/bin/program", state: "hooked",
                hooked: 5, refused: 0, reasons: [] }],
    total: { calls: 9, contexts: items.length, processes: 1, threads: 2,
             folded: 0, stray: 0 }, timeline: timeline.meta, ...meta }),
  { ...sectionsOf(items), ...timeline.sections, ...sections });
}

async function open(name, html) {
  await show(name, html);
  await page.keyboard.press("7");
  await page.waitForSelector("#panel-timeline:not([hidden])");
  await settled();
}

const canvasBox = () => page.locator("#panel-timeline canvas").boundingBox();

/* Where the n-th slice of a function is on the page: { x, y, w }, of its middle. */
async function slice(name, n = 0) {
  const box = await canvasBox();
  const found = await page.evaluate(([wanted, number]) => {
    const { timeline } = clew.profile;
    const view = clew.views.timeline;
    const all = [...timeline.begin.keys()].filter((i) =>
      clew.profile.name(timeline.function(i)) === wanted)
      .sort((a, b) => timeline.begin[a] - timeline.begin[b]);
    const i = all[number];
    const strip = view.lanes.stripOf(i);
    const left = view.x(timeline.begin[i]), right = view.x(timeline.end[i]);

    return { i, left, w: right - left, x: (left + right) / 2,
             y: 62 + strip.top - view.lanes.scroll + 9 };
  }, [name, n]);

  return { ...found, x: found.x + box.x, y: found.y + box.y };
}

const near = (actual, expected, most = 1.5) =>
  assert.ok(Math.abs(actual - expected) <= most, `${actual} != ${expected}`);

/* What the canvas shows at a place of the page. */
async function colourAt(x, y) {
  const box = await canvasBox();

  return page.evaluate(([left, top]) => [...document.querySelector(
    "#panel-timeline canvas").getContext("2d").getImageData(
    Math.round(left * devicePixelRatio), Math.round(top * devicePixelRatio),
    1, 1).data.slice(0, 3)], [x - box.x, y - box.y]);
}

/* Presses at a time on the axis, and lets go at another. */
async function brush(from, to) {
  const box = await canvasBox();
  const [left, right] = await page.evaluate((times) =>
    times.map((time) => clew.views.timeline.x(time)), [from, to]);

  await page.mouse.move(box.x + left, box.y + 50);
  await page.mouse.down();
  await page.mouse.move(box.x + right, box.y + 50, { steps: 4 });
  await page.mouse.up();
  await settled();
}

const range = () => page.evaluate(() => clew.profile.range);

/* { function: what its cell of a column says }, of the table. */
async function table(key) {
  await page.keyboard.press("3");
  const rows = await page.locator("#panel-functions .row").evaluateAll(
    (all, wanted) => all.map((row) => [row.querySelector(".name .name")
      .textContent, row.querySelector(`.${wanted}`).firstChild.textContent]),
    key);

  await page.keyboard.press("7");
  return Object.fromEntries(rows);
}

test("a lane for each thread, and each slice where it was", async () => {
  await open("timeline", pageOf(lanes));
  const width = await page.evaluate(() => clew.views.timeline.width);

  assert.deepEqual(await page.evaluate(() => clew.views.timeline.lanes.strips
    .map(({ kind, lane }) => [kind, lane.name])),
  [["row", "main"], ["row", "main"], ["row", "main"], ["notes", "worker"],
   ["row", "worker"]]);
  for (const [name, n, begin, length] of [
    ["main", 0, 0, 100], ["parse", 1, 40, 20], ["lex", 1, 20, 8],
    ["read", 0, 70, 20], ["worker", 1, 50, 45]]) {
    const { left, w, y } = await slice(name, n);

    near(left, 156 + begin / 100 * width);
    near(w, length / 100 * width);
    /* It is drawn there, beside the name, and not behind its end. */
    const box = await canvasBox();

    assert.deepEqual(await colourAt(box.x + left + w - 4, y), await page.evaluate((wanted) => {
      const view = clew.views.timeline;
      const f = clew.profile.functions.name.indexOf(wanted);

      return view.lanes.palette.rgb(view.lanes.colours.function(f));
    }, name));
  }
  const gap = await slice("read");

  assert.deepEqual(await colourAt(gap.x + gap.w / 2 + 20, gap.y),
                   [255, 255, 255]);
});

test("a long call is there, whatever begins in the same pixel", async () => {
  const short = [...Array(5).keys()].map((i) => [0, 2, i * 10, 5]);

  await open("same_pixel", pageOf([
    { name: "main", tid: 11, slices: [...short, [0, 1, 60, 100 * MS],
                                      [1, 4, 70, 5], [1, 3, 90, 99 * MS]] },
  ]));
  for (const name of ["main", "lex"]) {
    const { x, y } = await slice(name);

    assert.deepEqual(await colourAt(x, y), await page.evaluate((wanted) => {
      const view = clew.views.timeline;
      const f = clew.profile.functions.name.indexOf(wanted);

      return view.lanes.palette.rgb(view.lanes.colours.function(f));
    }, name), name);
  }
});

test("a tip says how long a call took, and how sure that is", async () => {
  await open("timeline", pageOf(lanes));
  const tip = async (name, n) => {
    const { x, y } = await slice(name, n);

    await page.mouse.move(x, y);
    await settled();
    return (await page.locator(".tip:visible").innerText())
      .replace(/\s+/g, " ");
  };

  assert.match(await tip("parse", 0), /^parse program took 20.00 ms of its own 8.000 ms began 10.000000 ms thread main 11$/);
  assert.match(await tip("lex", 2), /took 7.000 ms to 10.00 ms of its own, at most 10.00 ms/);
  const worker = await slice("worker", 1);

  await page.mouse.move(worker.x - worker.w / 2 +
    worker.w * 20 / 45, worker.y - 18);
  await settled();
  assert.match((await page.locator(".tip:visible").innerText())
    .replace(/\s+/g, " "), /^batch region at 60.000000 ms took 20.00 ms$/);
});

test("keys, wheel and drag zoom and move", async () => {
  await open("timeline", pageOf(lanes));
  const whole = await slice("lex", 1);

  await page.keyboard.press("+");
  await settled();
  near((await slice("lex", 1)).w, whole.w / 0.6);
  await page.keyboard.press("0");
  await settled();
  near((await slice("lex", 1)).w, whole.w);
  await page.mouse.move(whole.x, whole.y);
  await page.mouse.wheel(0, -400);
  await settled();
  const zoomed = await slice("lex", 1);

  near(zoomed.w, whole.w * Math.exp(0.8), 3);
  near(zoomed.x, whole.x, 3);
  await page.mouse.move(700, 400);
  await page.mouse.down();
  await page.mouse.move(650, 400, { steps: 3 });
  await page.mouse.up();
  await settled();
  near((await slice("lex", 1)).x, zoomed.x - 50);
  await page.keyboard.press("Shift+ArrowLeft");
  await settled();
  assert.ok((await slice("lex", 1)).x > zoomed.x);
});

test("a click selects a call here, and its function everywhere", async () => {
  await open("timeline", pageOf(lanes));
  const { x, y } = await slice("lex", 1);

  await page.mouse.click(x, y);
  await settled();
  assert.match(await page.locator("#panel-timeline .trail").innerText(),
               /lex[^]*took 8.000 ms/);
  await page.keyboard.press("3");
  assert.equal(await page.locator("#panel-functions .row.selected .name .name")
    .innerText(), "lex");
  await page.keyboard.press("1");
  await settled();
  assert.equal(await page.evaluate(() => clew.views.graph.graph.selected), 3);
  await page.keyboard.press("7");
  const again = await slice("lex", 1);

  await page.mouse.dblclick(again.x, again.y);
  await page.waitForSelector("#panel-butterfly:not([hidden])");
  assert.equal(await page.locator(".subject .name").innerText(), "lex");
});

test("what is dragged over is what all views show", async () => {
  await open("timeline", pageOf(lanes));
  assert.deepEqual(await table("calls"),
                   { main: "1", parse: "2", lex: "3", read: "1", worker: "2" });
  assert.deepEqual(await table("selftime"),
                   { main: "40.00 ms", parse: "18.00 ms", lex: "22.00 ms",
                     read: "20.00 ms", worker: "65.00 ms" });
  await brush(19 * MS, 62 * MS);
  const { from, to } = await range();

  near(from, 19 * MS, 0.1 * MS);
  near(to, 62 * MS, 0.1 * MS);
  assert.match(await page.locator("#range").innerText(),
               /^1[89]\.\d ms to 6[12]\.\d ms ✕$/);
  assert.match(await page.locator(".ranged").innerText(),
               /calls that began in this range, wall-clock time of the trace/);
  /* Of main: 19 to 30 parse, of which 20 to 28 lex; 40 to 60, of which 10. */
  assert.deepEqual(await table("calls"),
                   { parse: "1", lex: "2", worker: "1", main: "0" });
  const self = await page.evaluate(() => [...clew.profile.rows.self.time]
    .map((ns) => Math.round(ns / 1e5)));

  assert.deepEqual(self, [0, 120, 130, 180, 0, 180].map((each, i) =>
    Math.abs(self[i] - each) <= 2 ? self[i] : each));
  /* The flame graph is as wide as the time that is left. */
  await page.keyboard.press("1");
  await settled();
  const width = await page.evaluate(() => {
    const { graph } = clew.views.graph;

    return Object.fromEntries(graph.frames.interactionsEngine.hitRegions.map(
      ({ data, w }) => [graph.label(data.node), w]));
  });

  near(width.main, 1200 * 43 / 61, 6);
  near(width.worker, 1200 * 18 / 61, 6);
  assert.equal(width.read, undefined);
  await page.click("#range");
  await settled();
  assert.equal(await range(), null);
  assert.deepEqual(await table("calls"),
                   { main: "1", parse: "2", lex: "3", read: "1", worker: "2" });
});

test("a page that was written for a period opens with it", async () => {
  const pressed = async (name) => {
    await page.getByRole("tab", { name }).click();
    await settled();
  };

  await show("timeline-window", pageOf(lanes, {
    said: { window: [19 * MS, 62 * MS] } }));
  assert.equal(await page.locator("#range").innerText(), "19.0 ms to 62.0 ms ✕");
  assert.deepEqual(await table("calls"),
                   { parse: "1", lex: "2", worker: "1", main: "0" });
  await page.click("#range");
  assert.deepEqual(await table("calls"),
                   { main: "1", parse: "2", lex: "3", read: "1", worker: "2" });
  await pressed("Timeline");
  assert.match(await page.locator("#panel-timeline .note").innerText(),
               /has a part of the recording's time/);
  /* The address says that no period is selected. */
  await page.evaluate(() => clew.address.flush());
  await page.reload();
  await page.waitForSelector("html[data-ready]");
  assert.equal(await range(), null);
});

test("a range by the keyboard", async () => {
  await open("timeline", pageOf(lanes));
  await page.keyboard.press("ArrowDown"); /* main */
  await page.keyboard.press("ArrowDown"); /* parse */
  await page.keyboard.press("ArrowRight"); /* the other one */
  await page.keyboard.press("ArrowDown"); /* lex in it */
  assert.equal(await page.evaluate(() => clew.profile.timeline.begin[
    clew.views.timeline.selected]), 45 * MS);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("r");
  assert.deepEqual(await range(), { from: 40 * MS, to: 60 * MS });
  assert.deepEqual(await table("calls"),
                   { parse: "1", lex: "1", worker: "1", main: "0" });
  await page.keyboard.press("z");
  await settled();
  const { left, w } = await slice("parse", 1);

  near(left, 156);
  near(w, await page.evaluate(() => clew.views.timeline.width));
  await page.keyboard.press("Escape"); /* what is selected */
  await page.keyboard.press("Escape"); /* the range */
  assert.equal(await range(), null);
  await page.keyboard.press("Escape"); /* the zoom */
  await settled();
  near((await slice("parse", 1)).w, w * 0.2, 3);
});

test("a thread's calls in a range", async () => {
  const groups = [{ name: "main (11)", is_process: false, calls: 7,
                    contexts: 4 },
                  { name: "worker (12)", is_process: false, calls: 2,
                    contexts: 1 }];
  const two = lanes.map((lane, i) => ({ ...lane, thread: i }));

  await open("timeline-threads", pageOf(two, { meta: { groups }, sections: {
    groups: column([1, 1, 1, 2, 1, 3, 1, 1, 5, 2]) } }));
  await brush(1 * MS, 48 * MS);
  await page.getByLabel("Thread", { exact: true })
    .selectOption({ label: "worker (12)" });
  await settled();
  assert.deepEqual(await table("calls"), { worker: "1" });
  await page.click("#range");
  assert.deepEqual(await table("calls"), { worker: "2" });
  assert.deepEqual(await table("selftime"), { worker: "65.00 ms" });
});

const sampled = [
  { name: "main", tid: 11, samples: [[10, 10, 3], [20, 10, 3], [30, 10, 2],
                                     [80, 10, 4]]
    .map(([t, w, c]) => [t * MS, w * MS, c]) },
  { name: "worker", tid: 12, samples: [[50 * MS, 10 * MS, 5],
                                       [60 * MS, 30 * MS, 5, 3]] }];
const sampledPage = () => pageOf(sampled, {
  meta: { taken: { mode: "wall", rate: 100, lost: [] } },
  sections: { time: rare([0, 0, 10 * MS, 20 * MS, 10 * MS, 40 * MS]),
              samples: rare([0, 0, 1, 2, 1, 4]) } });

test("of samples a range has time, and no calls", async () => {
  await open("timeline-sampled", sampledPage());
  assert.deepEqual(await page.evaluate(() => clew.views.timeline.lanes.strips
    .map(({ kind }) => kind)), ["heat", "row", "row", "row", "heat", "row"]);
  await brush(15 * MS, 71 * MS);
  assert.deepEqual(await table("selftime"),
                   { lex: "10.00 ms", parse: "10.00 ms", worker: "30.00 ms",
                     main: "0" });
  assert.deepEqual(await table("calls"),
                   { lex: "–", parse: "–", worker: "–", main: "–" });
  assert.match(await page.locator(".ranged").innerText(),
               /the calls have no times, time of 5 samples/);
  await page.keyboard.press("1");
  assert.equal(await page.locator(".segments[inert]").count(), 1);
  await page.click("#range");
  assert.equal(await page.locator(".segments[inert]").count(), 0);
});

test("a heatmap's cells are ranges", async () => {
  await open("timeline-sampled", sampledPage());
  await page.keyboard.press("h");
  await settled();
  const box = await canvasBox();
  const [cell, x, y] = await page.evaluate(() => {
    const { heat } = clew.views.timeline;
    const at = heat.weight.findIndex((weight, i) => weight > 0 && i > 0);
    const column = Math.floor(at / 50);

    return [heat.cellAt(heat.left + (column + 0.5) * heat.cellWidth,
                        heat.top + (at % 50 + 0.5) * heat.cellHeight),
            heat.left + (column + 0.5) * heat.cellWidth,
            heat.top + (at % 50 + 0.5) * heat.cellHeight];
  });

  await page.mouse.move(box.x + x, box.y + y);
  await settled();
  assert.match(await page.locator(".tip:visible").innerText(),
               /10.00 ms in 1 sample/);
  await page.mouse.click(box.x + x, box.y + y);
  await settled();
  assert.deepEqual(await range(), { from: cell.from, to: cell.to });
  assert.equal(await page.evaluate(() => clew.profile.samples), cell.samples);
  await page.screenshot({ path: join(folder, "timeline-heatmap.png") });
});

test("what the page does not have is said", async () => {
  await open("timeline-cut", pageOf(lanes, { said: {
    calls: 1000, shortest_ns: 1500, odd: 2 } }));
  const note = await page.locator("#panel-timeline .note").innerText();

  assert.match(note, new RegExp("991 of 1,000 calls are not in this page, " +
    "because they took less than 1.500 µs"));
  assert.match(note, /2 calls have no context of their own/);
  await brush(10 * MS, 40 * MS);
  assert.match(await page.locator(".ranged").innerText(),
               /calls that began in this range and took 1.500 µs or more/);
});

test("without anything that has a time there is no timeline", async () => {
  await show("timeless", write(metaOf(items.length, functionsOf(names), {
    modules: [{ name: "program", path: "/p", state: "hooked", hooked: 1,
                refused: 0, reasons: [] }] }), sectionsOf(items)));
  assert.equal(await page.locator("[role=tab]").count(), 6);
  await page.keyboard.press("7");
  assert.equal(await page.locator(".panel:not([hidden])").getAttribute("id"),
               "panel-graph");
});

test("names of threads and marks are text", async () => {
  const evil = "</script><img src=x onerror=alert(1)>";

  await open("timeline-hostile", pageOf(lanes.map((lane) => ({
    ...lane, name: evil, notes: [[1, 30 * MS, 0, evil]] })),
  { list: names.map((name, i) => i ? `${evil}${i}` : name) }));
  const { x, y } = await slice(`${evil}5`, 1);

  await page.mouse.move(x, y);
  await settled();
  assert.match(await page.locator(".tip:visible").innerText(), /<img src=x/);
  await page.mouse.click(x, y);
  assert.equal(await page.locator("img").count(), 0);
});

test("dark where the reader likes it", async () => {
  await context.close();
  await openBrowser({ colorScheme: "dark" });
  await open("timeline-dark", pageOf(lanes));
  const gap = await slice("read");

  assert.deepEqual(await colourAt(gap.x + gap.w / 2 + 20, gap.y), [20, 23, 29]);
  await page.screenshot({ path: join(folder, "timeline-dark.png") });
  await page.keyboard.press("d");
  await settled();
  assert.deepEqual(await colourAt(gap.x + gap.w / 2 + 20, gap.y),
                   [255, 255, 255]);
});

/* A million calls in eight threads, nested ten deep, most of less than a pixel. */
function million() {
  const chain = [];
  const threads = [];

  for (let d = 0; d < 10; d++)
    chain.push([d + 1, 1 + d % 5, 1]);
  for (let t = 0; t < 8; t++) {
    const slices = [];
    let now = 1000 * t;

    while (slices.length < 125000) {
      const step = 20 + slices.length * 7919 % 180;

      for (let d = 0; d < 10; d++)
        slices.push([d, d + 1, now + d, step - 2 * d - 1]);
      now += step;
    }
    threads.push({ name: `worker ${t}`, slices });
  }
  const timeline = timelineOf(threads);

  return write(metaOf(chain.length, functionsOf(names), {
    modules: [{ name: "program", path: "/p", state: "hooked", hooked: 5,
                refused: 0, reasons: [] }], timeline: timeline.meta }),
  { ...sectionsOf(chain), ...timeline.sections });
}

test("a million calls are drawn in less than a frame", async () => {
  await open("timeline-million", million());
  await page.screenshot({ path: join(folder, "timeline-million.png") });
  const taken = await page.evaluate(() => {
    const view = clew.views.timeline;
    const { timeline } = clew.profile;
    const middle = (timeline.from + timeline.to) / 2;
    const found = {};

    for (const zoom of [1, 0.3, 0.03, 0.003, 0.0003]) {
      const half = (timeline.to - timeline.from) / 2 * zoom;
      const times = [];

      for (let i = 0; i < 15; i++) {
        view.look(middle - half + i * half / 300, middle + half + i * half / 300);
        const began = performance.now();

        view.draw();
        times.push(performance.now() - began);
      }
      found[zoom] = times.sort((a, b) => a - b)[7];
    }
    const began = performance.now();

    clew.setRange({ from: middle - 5e4, to: middle + 5e4 });
    found.range = performance.now() - began;
    return found;
  });

  console.log(`# ms: ${JSON.stringify(taken)}`);
  for (const [what, ms] of Object.entries(taken))
    assert.ok(ms < (what === "range" ? 500 : 30), `${what}: ${ms} ms`);
});

/* ---- What was recorded, beside what clew trace says of it ---- */

function clew(...argv) {
  const done = spawnSync(join(build, "cli", "clew"), argv,
    { encoding: "utf8", maxBuffer: 1 << 30 });

  assert.equal(done.status, 0, `clew ${argv.join(" ")}: ${done.stderr}`);
  return done.stdout;
}

/* [{ name, begin, end, caller }] of clew trace --json, in ns since the first call. */
function tracedCalls(text) {
  const stacks = new Map();
  const calls = [];
  let first = null;

  for (const line of text.trim().split("\n")) {
    const { kind, name, tid, most_ns: most, least_ns: least } = JSON.parse(line);
    /* Numbers of this size have digits that JSON.parse() would lose. */
    const time = BigInt(/"time_ns":(\d+)/.exec(line)[1]);

    first ??= time;
    if (!stacks.has(tid))
      stacks.set(tid, []);
    const stack = stacks.get(tid);
    const now = Number(time - first);

    if (kind === "begin" || kind === "call") {
      const call = { name, begin: now, end: now + (most ?? least ?? 0),
                     caller: stack[stack.length - 1] };

      calls.push(call);
      if (kind === "begin")
        stack.push(call);
    } else if (kind === "end") {
      stack.pop().end = now;
    }
  }
  return calls;
}

test("a range of a traced program has what clew trace says", async () => {
  const work = mkdtempSync(join(tmpdir(), "clew-page-"));
  const [recording, html] = [join(work, "clew.out"), join(work, "page.html")];

  try {
    clew("record", "-o", recording, "--trace", "--stamps=all", "--",
         join(build, "tests/targets/O2/requests"), "3000", "-1", "-1", "0");
    clew("html", "-o", html, recording);
    const calls = tracedCalls(clew("trace", "--json", recording));

    await open("timeline-traced", readFileSync(html, "utf8"));
    const { origin, to: last } = await page.evaluate(() => ({
      origin: clew.profile.timeline.begin.reduce((a, b) => Math.min(a, b)),
      to: clew.profile.timeline.to }));
    const whole = last - origin;
    const at = (share) =>
      origin + calls[Math.floor(share * calls.length)].begin;

    /* Once by the mouse, then from call to call. */
    for (const [i, from0, to0] of [
      [0, origin + 0.002 * whole, origin + 0.998 * whole],
      [1, at(0.1), at(0.2)], [2, at(0.3), at(0.95)], [3, at(0.5), at(0.52)]]) {
      if (i === 0)
        await brush(from0, to0);
      else
        await page.evaluate(([a, b]) => clew.views.timeline.choose(
          { from: a, to: b }), [from0, to0]);
      const { from, to } = await range();
      const wanted = {}, time = {}, rounded = {};
      const add = (sums, name, number) => {
        sums[name] = (sums[name] ?? 0) + number;
      };

      for (const call of calls) {
        const [begin, end] = [call.begin + origin, call.end + origin];
        const length = Math.max(0, Math.min(end, to) - Math.max(begin, from));

        if (begin >= from && begin < to)
          add(wanted, call.name, 1);
        for (const [{ name }, sign] of call.caller
          ? [[call, 1], [call.caller, -1]] : [[call, 1]]) {
          add(time, name, sign * length);
          add(rounded, name, length > 0 ? 1 : 0);
        }
      }
      assert.ok(i === 0 || wanted.handle > 20, `${wanted.handle} calls`);
      const found = await page.evaluate(() => {
        const { functions, rows } = clew.profile;

        return functions.name.map((name, f) =>
          [name, rows.calls[f], rows.self.time[f]]);
      });

      for (const [name, number, ns] of found.slice(1)) {
        assert.equal(number, wanted[name] ?? 0, name);
        /* The ends of calls without any in them are rounded to a nanosecond. */
        near(ns, time[name] ?? 0, rounded[name] ?? 0);
      }
      await page.click("#range");
    }
    await brush(origin + 0.4 * whole, origin + 0.6 * whole);
    await page.screenshot({ path: join(folder, "timeline-traced.png") });
  } finally {
    rmSync(work, { recursive: true });
  }
});
