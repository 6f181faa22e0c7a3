/* SPDX-License-Identifier: MIT */
/*
 * Durations of the calls of a trace, and comparisons of two calls and of two
 * periods.
 *
 *	CLEW_BUILD=build/gcc tests/page/run calls_test.mjs
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { costOf, folder, page, settled, show } from "./browser.mjs";
import { cells } from "./known.mjs";
import { column as bytes, kinds, metaOf, page as write, sectionsOf, timelineOf }
  from "./synthetic.mjs";

const MS = 1e6;
const CUT = 4; /* the flag of a call whose end is unknown */
const names = ["(all)", "main", "handle", "parse", "flush"];
const [MAIN, HANDLE, PARSE, FLUSH] = [1, 2, 3, 4];
/* Contexts 1 to 4: main -> handle -> parse, flush. */
const items = [[1, MAIN, 1], [2, HANDLE, 100], [3, PARSE, 150], [3, FLUSH, 1]];

/*
 * 100 calls of handle, one each 20 ms. Number n takes n / 10 ms and calls parse,
 * in the second half twice; the last one calls flush instead, for 8 ms.
 */
function slices() {
  const found = [[0, 1, 0, 2000 * MS]];

  for (let n = 1; n <= 100; n++) {
    const begin = (n - 1) * 20 * MS;

    found.push([1, 2, begin, n * MS / 10]);
    if (n === 100)
      found.push([2, 4, begin + MS, 8 * MS]);
    else
      for (let call = 0; call < (n > 50 ? 2 : 1); call++)
        found.push([2, 3, begin + call * 40000, 30000]);
  }
  return found;
}

function traced(lanes = [{ name: "main", tid: 11, slices: slices() }],
                timeline = timelineOf(lanes)) {
  const same = (value) => names.map((_, i) => i === 0 ? 0 : value);

  return write(metaOf(items.length, {
    name: names, kind: same(kinds.indexOf("native")),
    module: names.map((_, i) => i === 0 ? -1 : 0), file: same(0), line: same(0) }, {
    modules: [{ name: "program", path: "/bin/program", state: "hooked",
                hooked: 4, refused: 0, reasons: [] }],
    timeline: timeline.meta }), { ...sectionsOf(items), ...timeline.sections });
}

async function open(name, html = traced()) {
  await show(name, html);
  await page.keyboard.press("8");
  await page.waitForSelector("#panel-calls:not([hidden])");
  await settled();
}

const half = (side) => page.locator("#panel-calls .half").nth(side);
const column = (side, key) => half(side).locator(`.rows .${key}`)
  .evaluateAll((all) => all.map((cell) => cell.firstChild.textContent));
const rowOf = (side, text) => half(side).locator(".row", { hasText: text });

/* { function: cell of a column }. */
async function table(key) {
  const values = await cells("functions", key);

  return Object.fromEntries((await cells("functions", "name .name"))
    .map((name, i) => [name, values[i]]));
}

test("the source pane says that a trace has no lines", async () => {
  await open("trace-lines");
  await page.locator("[role=tab]", { hasText: "Source" }).click();
  await settled();
  assert.match(await page.locator("#panel-source").textContent(),
               /A trace has no time by line/);
});

test("each function has count, p50, p99 and maximum of its calls", async () => {
  await open("calls");
  await rowOf(0, "handle").click();
  const at = (await column(0, "name .name")).indexOf("handle");

  assert.deepEqual(await Promise.all(["count", "p50", "p99", "most"].map(
    async (key) => (await column(0, key))[at])),
  ["100", "5.000 ms", "9.900 ms", "10.00 ms"]);
  const bars = await half(1).locator(".bars").getAttribute("aria-label");

  /* 65536 ns to 131072 ns has the call of 0.1 ms, and so on. */
  assert.match(bars, /^Histogram: 65\.54 µs to 131\.1 µs: 1; .*: 17$/);
  assert.equal([...bars.matchAll(/: (\d+)(?=;|$)/g)].reduce((sum, [, count]) =>
    sum + Number(count), 0), 100);
  await page.screenshot({ path: join(folder, "calls.png") });
});

test("labels of the histogram are whole and apart", async () => {
  await open("labels");
  await rowOf(0, "handle").click();
  await settled();
  const labels = await half(1).locator(".limit").evaluateAll((all) => all
    .filter((label) => label.textContent).map((label) => {
      const range = document.createRange();

      range.selectNodeContents(label);
      const { left, right } = range.getBoundingClientRect();

      return { text: label.textContent, left, right };
    }));

  assert.ok(labels.length >= 2);
  labels.forEach(({ text, left }, i) => {
    assert.match(text, / (ns|µs|ms|s)$/);
    assert.ok(i === 0 || labels[i - 1].right < left, text);
  });
});

test("the slowest calls come first and open the timeline", async () => {
  await open("slowest");
  await rowOf(0, "handle").click();
  assert.deepEqual((await column(1, "took")).slice(0, 3),
                   ["10.00 ms", "9.900 ms", "9.800 ms"]);
  await rowOf(1, "9.900 ms").first().dblclick();
  await page.waitForSelector("#panel-timeline:not([hidden])");
  await settled();
  const { begin, from, to } = await page.evaluate(() => {
    const { selected, timeline, from, to } = clew.views.timeline;

    return { begin: timeline.begin[selected], from, to };
  });

  assert.equal(begin, 98 * 20 * MS);
  assert.ok(from < begin && to > begin + 9.9 * MS && to - from < 30 * MS);
  assert.match(await page.locator("#panel-timeline .trail").innerText(),
               /handle[^]*took 9\.900 ms/);
  await page.goBack();
  await settled();
  assert.ok(await page.isVisible("#panel-calls"), "Back returns to the calls");
});

test("a click on a mark keeps the keyboard in the table", async () => {
  await open("mark-click");
  await rowOf(0, "handle").click();
  await rowOf(1, "9.900 ms").first().locator("input").click();
  assert.ok(await rowOf(1, "9.900 ms").first().locator("input").isChecked());
  assert.ok(await half(1).locator(".scroller").evaluate((node) =>
    node === document.activeElement));
  /* The marked row is selected: the next key starts there. */
  for (const key of ["ArrowUp", " "])
    await page.keyboard.press(key);
  assert.ok(await rowOf(1, "10.00 ms").first().locator("input").isChecked());
  assert.ok(await page.getByRole("button", { name: "Compare", exact: true })
    .isEnabled());
});

test("Space marks a call and does not scroll", async () => {
  await open("mark-space");
  await rowOf(0, "handle").click();
  const scroller = half(1).locator(".scroller");

  await scroller.focus();
  await page.keyboard.press("Home");
  assert.ok(await scroller.evaluate((node) => node.dispatchEvent(
    new KeyboardEvent("keydown", { key: " ", bubbles: true, cancelable: true }))) ===
    false, "the browser scrolls by a page");
  assert.ok(await rowOf(1, "10.00 ms").first().locator("input").isChecked());
});

test("a selected function without calls stays selected", async () => {
  const html = traced([{ name: "main", tid: 11, slices: [
    [0, 1, 0, 100 * MS], [1, 2, 60 * MS, 5 * MS]] }]);

  await show("no-calls", html);
  await page.evaluate((f) => clew.selectFunction(f), PARSE);
  await page.keyboard.press("8");
  await page.waitForSelector("#panel-calls:not([hidden])");
  await settled();
  assert.deepEqual((await column(0, "name .name")).sort(), ["handle", "main"]);
  assert.equal(await page.evaluate(() => clew.function), PARSE);
  await rowOf(0, "handle").click();
  assert.equal(await page.evaluate(() => clew.function), HANDLE);
});

test("calls without begin or end have no duration", async () => {
  await open("unfinished", traced([{ name: "main", tid: 11, slices: [
    [0, 1, 0, 100 * MS], [1, 2, 0, 50 * MS, 50 * MS, CUT],
    [1, 2, 60 * MS, 5 * MS]] }]));
  const at = (await column(0, "name .name")).indexOf("handle");

  assert.equal((await column(0, "count"))[at], "1");
  assert.equal((await column(0, "most"))[at], "5.000 ms");
});

test("durations cover calls that are not in the page", async () => {
  const octaves = Array.from({ length: 65 }, () => 0);

  octaves[4] = 40000; /* 8 to 15 ns */
  octaves[24] = 100;
  const { meta, sections } = timelineOf([
    { name: "main", tid: 11, slices: slices() }],
  { calls: 40401, shortest_ns: 20 });

  sections["t.all"] = bytes([HANDLE, 40100, 10, 12, 10 * MS, 506 * MS, ...octaves]);
  await open("all-durations", traced([], { meta, sections }));
  assert.deepEqual(await Promise.all(["name .name", "count", "p50", "p99", "most"]
    .map(async (key) => (await column(0, key))[0])),
  ["handle", "40,100", "10.00 ns", "12.00 ns", "10.00 ms"]);
  assert.match(await half(1).locator(".bars").getAttribute("aria-label"),
               /^Histogram: 8\.000 ns to 16\.00 ns: 40000; .*: 100$/);
  const note = () => page.locator("#panel-calls .note").innerText();

  assert.match(await note(), /table and the histogram cover all calls[^]*40,\d+ of/);
  await page.evaluate(() => clew.setRange({ from: 0, to: 1e9 }));
  await settled();
  await page.keyboard.press("8");
  await settled();
  assert.match(await note(), /cover only the calls that are in this page: 40,/);
  assert.equal((await column(0, "count"))[
    (await column(0, "name .name")).indexOf("handle")], "50");
  await page.keyboard.press("3");
  assert.match(await page.locator("#panel-functions .note").innerText(),
               /Calls are those that took 20\.00 ns or more/);
});

test("two marked calls are compared in all views", async () => {
  await open("two-calls");
  await rowOf(0, "handle").click();
  await half(1).locator(".scroller").focus();
  for (const key of ["Home", "ArrowDown", " "]) /* 9.9 ms is before */
    await page.keyboard.press(key);
  assert.ok(await page.getByRole("button", { name: "Compare", exact: true })
    .isDisabled());
  for (const key of ["ArrowUp", " ", "c"])
    await page.keyboard.press(key);
  await page.waitForSelector("#panel-functions:not([hidden])");
  await settled();
  assert.deepEqual(await table("change-calls"),
                   { handle: "0", parse: "−2", flush: "+1", main: "0" });
  assert.deepEqual(await table("change-time"),
                   { handle: "−7.840 ms", parse: "−60.00 µs",
                     flush: "+8.000 ms", main: "0" });
  await page.screenshot({ path: join(folder, "two-calls.png") });
  await page.reload();
  await page.waitForSelector("html[data-ready]");
  await settled();
  assert.equal((await table("change-calls")).parse, "−2", "the address has it");
  await page.keyboard.press("1");
  await settled();
  assert.match(await page.locator(".legend").innerText(), /fewer[^]*more/);
  await page.click("#range");
  await page.keyboard.press("3");
  assert.equal(await page.locator("#panel-functions .change-calls").count(), 0);
});

test("two periods are compared", async () => {
  await open("two-periods");
  await page.keyboard.press("7");
  const choose = (from, to) => page.evaluate((range) =>
    clew.views.timeline.choose(range), { from, to });

  await choose(0, 200 * MS); /* 10 calls of handle, 10 of parse */
  await page.click("#compare");
  await choose(1000 * MS, 1400 * MS); /* 20 of handle, 40 of parse */
  await settled();
  assert.ok(await page.isVisible("#panel-functions"));
  const changes = await table("change-calls");

  assert.equal(changes.handle, "+10");
  assert.equal(changes.parse, "+30");
  assert.match(await page.locator("#range").innerText(), /→/);
  await page.click(".segments button:text-is('Before')");
  assert.equal((await table("calls")).parse, "10");
  await page.click(".segments button:text-is('After')");
  assert.equal((await table("calls")).parse, "40");
  await page.goBack();
  await page.goBack();
  await page.goBack();
  await settled();
  assert.equal(await page.evaluate(() => clew.profile.other), null);
});

test("a heatmap has columns of 20 ms", async () => {
  const samples = Array.from({ length: 1000 }, (_, i) => [i * MS, MS, 1]);

  await show("heat-columns", traced([{ name: "main", tid: 11, samples }]));
  await page.keyboard.press("7");
  await page.keyboard.press("h");
  await settled();
  const { column: wide, columns } = await page.evaluate(() =>
    clew.views.timeline.heat);

  assert.equal(wide, 20 * MS);
  assert.equal(columns, 50);
  await page.screenshot({ path: join(folder, "heat-columns.png") });
});

test("a million calls have their durations in a second", async () => {
  const many = [[0, 1, 0, 3e9]];

  for (let i = 0; i < 1000000; i++)
    many.push([1, 2, i * 3000, 500 + i * 7919 % 2000]);
  const step = await costOf();

  await show("calls-million", traced([{ name: "main", tid: 11, slices: many }]));
  await step(() => page.keyboard.press("8"), 5000);
  await settled();
  assert.equal((await column(0, "count"))[1] ?? "", "1,000,000");
});
