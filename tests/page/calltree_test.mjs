/* SPDX-License-Identifier: MIT */
/*
 * The call tree as a table, inlined functions, columns that give way, phones,
 * and what assistive technology gets, as axe-core checks it.
 *
 *	CLEW_BUILD=build/gcc tests/page/run calltree_test.mjs
 */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { context, costOf, folder, openBrowser, page, root, settled, show }
  from "./browser.mjs";
import { cells, frame, functionsOf, items, known, LEX, near, TOTAL }
  from "./known.mjs";
import { column, kinds, rare, sectionsOf, synthetic, timelineOf } from "./synthetic.mjs";

const axe = createRequire(join(root, "report/html/package.json"))
  .resolve("axe-core/axe.min.js");

/* { level, expanded, name, ... } of each row. */
const rows = () => page.locator("#panel-tree .row").evaluateAll((all) =>
  all.map((row) => [row.ariaLevel, row.ariaExpanded,
                    row.querySelector("span.name").textContent,
                    row.querySelector(".parent").firstChild.textContent,
                    row.querySelector(".totalcalls").firstChild.textContent]
    .map(String).join(" ")));

async function press(...keys) {
  for (const key of keys)
    await page.keyboard.press(key);
  await settled();
}

async function openTree(name, html) {
  await show(name, html);
  await press("2");
  await page.waitForSelector("#panel-tree:not([hidden])");
}

/* lex is inlined: it has samples and no calls. */
function inlined() {
  const functions = functionsOf();

  functions.kind[LEX] = kinds.indexOf("inlined");
  const uncounted = items.map(([depth, f, calls]) =>
    [depth, f, f === LEX ? 0 : calls]);

  return known({ functions, taken: { mode: "cpu", rate: 1000, lost: [] } }, {
    ...sectionsOf(uncounted),
    time: rare([0, 0, 10e6, 30e6, 0, 0, 0, 60e6, 0]),
    samples: rare([0, 0, 10, 30, 0, 0, 0, 60, 0]) });
}

test("rows have shares of their parents", async () => {
  await openTree("tree", known());
  assert.deepEqual(await rows(), [
    "1 true main 100.0 % 226", "2 false parse 48.7 % 110",
    "2 false eval 42.0 % 95", "2 null read 8.8 % 20"]);
  await page.locator("#panel-tree .row", { hasText: "eval" })
    .locator(".handle").click();
  assert.deepEqual((await rows()).slice(2), [
    "2 true eval 42.0 % 95", "3 null lex 42.1 % 40", "3 false read 36.8 % 35",
    "2 null read 8.8 % 20"]);
  await page.screenshot({ path: join(folder, "tree.png") });
});

test("arrow keys walk, open and close as in a treegrid", async () => {
  await openTree("tree-keys", known());
  const selected = () => page.evaluate(() => {
    const grid = document.querySelector("[role=treegrid]");
    const id = grid.getAttribute("aria-activedescendant");
    const row = document.getElementById(id);

    return `${row?.querySelector("span.name").textContent} ${row?.ariaLevel}` +
      ` ${row?.ariaExpanded} ${row?.ariaPosInSet}/${row?.ariaSetSize}`;
  });

  assert.equal(await page.evaluate(() => document.activeElement.role), "treegrid");
  for (const [key, wanted] of [
    ["Home", "main 1 true 1/1"], ["ArrowRight", "parse 2 false 1/3"],
    ["ArrowRight", "parse 2 true 1/3"], ["ArrowRight", "lex 3 null 1/1"],
    ["ArrowLeft", "parse 2 true 1/3"], ["ArrowLeft", "parse 2 false 1/3"],
    ["End", "read 2 null 3/3"], ["ArrowUp", "eval 2 false 2/3"],
    [" ", "eval 2 true 2/3"], ["ArrowLeft", "eval 2 false 2/3"],
    ["ArrowLeft", "main 1 true 1/1"], ["ArrowLeft", "main 1 false 1/1"]]) {
    await press(key);
    assert.equal(await selected(), wanted, key);
  }
  await press("e");
  assert.equal(await selected(), "lex 3 null 1/1", "the hottest path");
  await page.evaluate(() => clew.address.flush());
  await page.reload();
  await page.waitForSelector("html[data-ready]");
  await settled();
  assert.equal(await selected(), "lex 3 null 1/1", "the address has the row");
  await press("Enter");
  assert.equal(await page.locator(".subject .name").innerText(), "lex");
});

test("the inverted tree begins with functions", async () => {
  await openTree("tree-inverted", known());
  await press("i");
  assert.equal((await rows())[0], "1 false lex 61.9 % 140");
  await press("Home", "ArrowRight");
  assert.deepEqual((await rows()).slice(1, 3),
                   ["2 false parse 71.4 % 100", "2 false eval 28.6 % 40"]);
});

test("one switch folds inlined functions in all views", async () => {
  await show("inlined", inlined());
  const rowsOf = async () => Object.fromEntries((await cells(
    "functions", "name .name")).map((name, i) => [name, i]));
  const selftimes = () => cells("functions", "selftime");

  await press("3");
  let at = await rowsOf();

  assert.equal((await selftimes())[at.lex], "90.00 ms");
  assert.equal((await cells("functions", "calls"))[at.lex], "–");
  await page.click("text=Fold inlined");
  await settled();
  at = await rowsOf();
  assert.equal(at.lex, undefined);
  assert.equal((await selftimes())[at.parse], "40.00 ms");
  assert.equal((await selftimes())[at.eval], "60.00 ms");
  await press("1");
  near((await frame("parse")).w, 1200 * 0.4);
  assert.match(await page.locator(".chips").innerText(), /inlined functions merged/);
  await press("o");
  near((await frame("lex", 3)).w, 1200 * 0.6);
});

test("butterfly: what was not counted has no number", async () => {
  await show("uncounted-edges", inlined());
  await press("3");
  await page.locator("#panel-functions .row", { hasText: "lex" }).dblclick();
  await settled();
  assert.deepEqual(await cells("butterfly", "calls"), ["–", "–"]);
  assert.deepEqual(await page.locator("#panel-butterfly .calls .share")
    .allInnerTexts(), ["", ""]);
  assert.match(await page.locator(".subject .facts").innerText(),
               /^calls not counted/);
});

/* A cell that is cut has more content than room. */
const cutNumbers = (panel) => page.locator(`#panel-${panel} .cell.number`)
  .evaluateAll((all) => all.filter((cell) => cell.scrollWidth > cell.clientWidth)
    .map((cell) => cell.textContent));

for (const width of [1920, 1280, 1000, 760, 390])
  test(`numbers are never cut at ${width} pixels`, async () => {
    const large = synthetic(20000, { time: true, threads: true });

    await page.setViewportSize({ width, height: 800 });
    await show(`width-${width}`, large);
    for (const [key, panel] of [["2", "tree"], ["3", "functions"],
                                ["5", "source"]]) {
      await press(key);
      assert.deepEqual(await cutNumbers(panel), [], panel);
      assert.ok(await page.locator(`#panel-${panel} .row .number`).count() > 0);
      const scroller = page.locator(`#panel-${panel} .scroller`).first();

      assert.ok(await scroller.evaluate((each) =>
        each.scrollWidth <= each.clientWidth), `${panel} scrolls sideways`);
      await page.screenshot({ path: join(folder, `${panel}-${width}.png`) });
    }
  });

test("a phone shows numbers and does not scroll sideways", async () => {
  await context.close();
  await openBrowser({ viewport: { width: 390, height: 844 }, hasTouch: true,
                      isMobile: true });
  const timeline = timelineOf([{ name: "main", tid: 1, slices: [
    [0, 1, 0, 100e6], [1, 2, 10e6, 20e6]] }]);

  await show("phone", known({ timeline: timeline.meta }, timeline.sections));
  for (const tab of await page.locator("[role=tab]").all()) {
    await tab.click();
    await settled();
    const name = await tab.innerText();

    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <=
      innerWidth && innerWidth === 390), `${name} is wider than the window`);
    const { x, width } = await tab.boundingBox();

    assert.ok(x >= 0 && x + width <= 390, `the tab ${name} is visible`);
    await page.screenshot({ path: join(folder, `phone-${name}.png`) });
  }
  await page.getByRole("tab", { name: "Functions" }).click();
  await settled();
  assert.deepEqual(await cells("functions", "selftime"),
                   ["80.00 ms", "20.00 ms", "0", "0", "0"]);
  assert.deepEqual(await cutNumbers("functions"), []);
});

test("a screen reader learns of tabs, rows, orders and zooms", async () => {
  const said = () => page.locator(".offscreen[role=status]").innerText();
  const rows = () => page.locator("#panel-tree").getByRole("row", { selected: true });

  await show("reader", known());
  const graph = page.getByRole("application", { name: /Flame graph/ });

  await graph.focus();
  await press("ArrowDown");
  await press("ArrowDown");
  assert.match(await page.locator(".trail[role=status]").innerText(), /parse|eval/);
  await press("Enter");
  assert.match(await said(), /^Zoomed to (parse|eval)$/);
  await press("Escape");
  assert.equal(await said(), "Zoomed out to all frames");

  await press("2");
  assert.equal(await said(), "Call tree is shown");
  await press("ArrowDown");
  const row = rows();

  assert.equal(await row.count(), 1);
  const facts = () => row.evaluate((each) => ["level", "posinset", "setsize",
    "expanded"].map((name) => each.getAttribute(`aria-${name}`)));
  const [level, posinset, setsize, expanded] = await facts();

  assert.deepEqual([level, posinset], ["1", "1"]);
  assert.equal(setsize, "1");
  await press(expanded === "true" ? "ArrowLeft" : "ArrowRight");
  assert.match(await said(), expanded === "true" ? /^Collapsed$/
    : /^Expanded, \d+ rows?$/);
  assert.equal((await facts())[3], String(expanded !== "true"));
  assert.equal(await page.locator("#panel-tree [role=treegrid]").evaluate((grid) =>
    document.getElementById(grid.getAttribute("aria-activedescendant"))
      ?.getAttribute("aria-selected")), "true");

  await press("3");
  await page.getByRole("columnheader", { name: "Calls", exact: true })
    .getByRole("button").click();
  assert.match(await said(), /^Sorted by Calls, (as|des)cending$/);
  assert.ok(["ascending", "descending"].includes(await page.getByRole(
    "columnheader", { name: "Calls", exact: true }).getAttribute("aria-sort")));
});

for (const colorScheme of ["light", "dark"])
  test(`axe-core finds no fault in ${colorScheme}`, async () => {
    await context.close();
    await openBrowser({ colorScheme, bypassCSP: true });
    const timeline = timelineOf([{ name: "main", tid: 1, slices: [
      [0, 1, 0, 100e6], [1, 2, 10e6, 20e6]] }]);

    const functions = functionsOf();

    functions.kind[1] = kinds.indexOf("java");
    await show(`axe-${colorScheme}`, known(
      { functions, timeline: timeline.meta, code: [
        { function: 3, vaddr: "0x1200", self_ns: 30e6, samples: 30, is_cut: false,
          rows: [[0, "┌─ ", "je     0x1205", 0, 0, 0, 1, 31],
                 [2, "│  ", "subq   %rcx, %rdx", 30e6, 30, 0, 1, 31],
                 [3, "└> ", "retq", 0, 0, 0, 1, 33]] }], groups: [
        { name: "one (1)", is_process: false, calls: 1, contexts: 1 }] },
      { groups: column([1, 1]), ...timeline.sections }));
    await page.addScriptTag({ path: axe });
    const check = async (where) => {
      const { violations } = await page.evaluate(() => globalThis.axe.run());

      assert.deepEqual(violations.map(({ id, nodes }) =>
        `${where}: ${id}: ${nodes[0].html.slice(0, 200)} ` +
        nodes[0].failureSummary), []);
    };

    for (const tab of await page.locator("[role=tab]").all()) {
      await tab.click();
      await settled();
      await check(await tab.innerText());
    }
    await press("3", "Home", "Shift+F10");
    await check("menu");
    await press("h", "Enter");
    await check("chips");
    await press("?");
    await check("keys");
  });

test("tabs are walked by arrow keys, one is in the order of focus", async () => {
  await show("tabs", known());
  const tab = (name) => page.getByRole("tab", { name });

  await tab("Flame graph").focus();
  await press("ArrowRight");
  assert.ok(await page.isVisible("#panel-tree"));
  assert.equal(await page.evaluate(() => document.activeElement.id), "tab-tree");
  await press("End");
  assert.equal(await page.evaluate(() => document.activeElement.id),
               "tab-coverage");
  assert.equal(await page.locator("[role=tab][tabindex='0']").count(), 1);
  assert.equal(await tab("Coverage").getAttribute("aria-controls"),
               "panel-coverage");
});

test("the call tree of 1000000 contexts is quick", async () => {
  const step = await costOf();

  await show("tree-large", synthetic(1000000, { time: true }));
  await step(() => press("2"), 2000);
  await step(() => press("Home", "e"), 2000);
  await step(() => press("End", "ArrowRight", "Home"), 2000);
  await step(() => press("i"), 4000);
  assert.ok(await page.locator("#panel-tree .row").count() < 100);
});
