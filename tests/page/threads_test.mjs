/* SPDX-License-Identifier: MIT */
/*
 * Threads and processes, and native functions by their Java callers.
 *
 *	CLEW_BUILD=build/gcc tests/page/run threads_test.mjs
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { costOf, folder, page, settled, show } from "./browser.mjs";
import { cells, frame, functionsOf, known, near } from "./known.mjs";
import { column, kinds, rare, synthetic } from "./synthetic.mjs";

/* one: main, parse and lex; two: the other contexts. */
function threaded() {
  const apart = (list) => list.flatMap(([at, calls], i) =>
    [at - (i ? list[i - 1][0] : 0), calls]);
  const groups = [
    { name: "one (1)", is_process: false, calls: 111, contexts: 3 },
    { name: "two (2)", is_process: false, calls: 115, contexts: 5 }];

  return known({ groups }, { groups: column([
    ...apart([[1, 1], [2, 10], [3, 100]]),
    ...apart([[4, 20], [5, 30], [6, 5], [7, 40], [8, 20]])]) });
}

/* main and eval are Java methods, the other functions are native. */
function java(sections = {}, extra = {}) {
  const functions = functionsOf();
  const native = kinds.indexOf("native"), method = kinds.indexOf("java");

  functions.kind = [0, method, native, native, method, kinds.indexOf("jni")];
  return known({ functions, ...extra }, sections);
}

const rows = () => page.locator("#panel-natives .row").evaluateAll((all) =>
  all.map((row) => `${row.ariaLevel} ` +
    `${row.querySelector("span.name").textContent} ` +
    row.querySelector(".calls").firstChild.textContent));

async function openTab(name) {
  await page.getByRole("tab", { name }).click();
  await settled();
}

test("processes without threads share the whole", async () => {
  const groups = [["a", 111, 3], ["b", 115, 5]].map(([name, calls, contexts]) =>
    ({ name, is_process: true, calls, contexts }));

  await show("processes-only", known({ groups }, { groups: column([
    1, 1, 1, 10, 1, 100, 4, 20, 1, 30, 1, 5, 1, 40, 1, 20]) }));
  await openTab("Threads");
  assert.deepEqual(await page.locator("#panel-threads .row .calls .share")
    .allInnerTexts(), ["50.9 %", "49.1 %"]);
});

test("each thread has its calls and its most frequent function", async () => {
  await show("threads-tab", threaded());
  await openTab("Threads");
  assert.deepEqual(await cells("threads", "name .name"), ["two (2)", "one (1)"]);
  assert.deepEqual(await cells("threads", "calls"), ["115", "111"]);
  assert.deepEqual(await cells("threads", "most .name"), ["read", "lex"]);
  await page.screenshot({ path: join(folder, "threads.png") });
  await page.locator("#panel-threads .row", { hasText: "one" }).dblclick();
  await settled();
  near((await frame("lex", 3)).w, 1200 * 100 / 111);
  await page.waitForFunction(() => /g=one/.test(location.hash));
  await page.goBack();
  await settled();
  assert.ok(await page.isVisible("#panel-threads"));
});

test("native functions have their Java callers below them", async () => {
  await show("natives", java());
  await openTab("Natives of Java");
  /* lex is called by eval 40 times; its calls by parse are not from Java. */
  assert.deepEqual(await rows(), ["1 read 50", "1 lex 40", "1 parse 10"]);
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await settled();
  assert.deepEqual((await rows()).slice(0, 3),
                   ["1 read 50", "2 eval 30", "2 main 20"]);
  await page.keyboard.press("i"); /* inverts other views only */
  assert.equal(await page.evaluate(() => clew.views.graph.isInverted), false);
  await page.screenshot({ path: join(folder, "natives.png") });
  await page.evaluate(() => clew.address.flush());
  await page.reload();
  await page.waitForSelector("html[data-ready]");
  await settled();
  assert.equal(await page.locator("#panel-natives .row.selected .name span, " +
    "#panel-natives .row.selected span.name").last().innerText(), "read");
});

test("time of a native function is counted once, whatever recurs", async () => {
  /* read below main, and below eval, which read calls again: 5 ms in total. */
  await show("natives-time", java({
    time: rare([0, 0, 0, 0, 0, 1e6, 2e6, 0, 4e6]),
    samples: rare([0, 0, 0, 0, 0, 1, 2, 0, 4]) },
  { taken: { mode: "cpu", rate: 1000, lost: [] } }));
  await openTab("Natives of Java");
  assert.equal((await cells("natives", "totaltime"))[0], "7.000 ms");
});

test("a recording without Java and threads has no such tabs", async () => {
  await show("plain", known());
  assert.deepEqual(await page.locator("[role=tab]").allInnerTexts(),
    ["Flame graph", "Call tree", "Functions", "Butterfly", "Source", "Coverage"]);
});

test("threads and natives of 1000000 contexts are quick", async () => {
  const step = await costOf();

  await show("threads-large", synthetic(1000000, { time: true, threads: true }));
  await step(() => openTab("Threads"), 3000);
  await step(() => openTab("Natives of Java"), 3000);
});
