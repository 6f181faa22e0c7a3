/* SPDX-License-Identifier: MIT */
/*
 * The text of source files in the page, with the time of each line.
 *
 *	CLEW_BUILD=build/gcc tests/page/run source_test.mjs
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { folder, page, settled, show } from "./browser.mjs";
import { clickFrame, groupSections, groupsOf, items, known } from "./known.mjs";
import { column, rare } from "./synthetic.mjs";

const text = Array.from({ length: 400 }, (_, i) => i + 1 === 31
  ? "\tif (x < y) lex(\"<img src=y onerror=alert(1)>\");" : `line ${i + 1};`);

/* Line 31 of lex, context 3, has 20 ms, and line 33 has 10 ms. */
function sourced(extra = {}) {
  return known({ taken: { mode: "cpu", rate: 1000, lost: [] }, sources: [
    { file: 1, newer: false, text: `${text.join("\n")}\n` }], ...extra }, {
    time: rare([0, 0, 0, 30e6, ...items.slice(3).map(() => 0)]),
    samples: rare([0, 0, 0, 30, ...items.slice(3).map(() => 0)]),
    lines: column([3, 1, 31, 20e6, 20, 3, 1, 33, 10e6, 10]) });
}

/*
 * The recursion eval -> read -> eval has 7 ms: 5 of the inner eval, which are in
 * line 41, from which the outer one calls, and 2 of read.
 */
function called(extra = {}, sections = {}) {
  const time = [0, 0, 0, 30e6, 0, 2e6, 5e6, 0, 0];

  return known({ taken: { mode: "cpu", rate: 1000, lost: [] }, sources: [
    { file: 1, newer: false, text: `${text.join("\n")}\n` }], ...extra }, {
    time: rare(time), samples: rare(time.map((ns) => ns / 1e6)),
    lines: column([3, 1, 31, 30e6, 30, 6, 1, 41, 5e6, 5, 5, 1, 52, 2e6, 2]),
    callers: column([2, 1, 12, 1, 1, 25, 1, 1, 14, 1, 1, 41, 1, 1, 51, 1, 1, 41,
                     1, 1, 14]), ...sections });
}

const lines = () => page.locator("#panel-source .half").nth(1)
  .locator(".row:visible").evaluateAll((all) => all.map((row) =>
    [...row.querySelectorAll(".line, .time, .total, .made, .code")]
      .map((cell) => cell.textContent).join("|")));
const selected = () => page.locator("#panel-source .half").nth(1)
  .locator(".row.selected .line").innerText();

test("a file has its text, with the time of each line", async () => {
  await show("source-text", sourced());
  await page.keyboard.press("5");
  await settled();
  const found = await lines();

  assert.ok(found.includes("31|20.00 ms66.7 %|        if (x < y) " +
    "lex(\"<img src=y onerror=alert(1)>\");"), found.join("\n"));
  assert.ok(found.includes("32||line 32;"));
  assert.ok(found.includes("33|10.00 ms33.3 %|line 33;"));
  assert.equal(await selected(), "31", "the line with the most time");
  assert.ok(found.length < 100, "only visible lines have elements");
  assert.equal(await page.locator("img").count(), 0);
  await page.screenshot({ path: join(folder, "source-text.png") });
});

test("a line has the time and the calls of the functions that it calls",
  async () => {
    await show("totals", called());
    await page.keyboard.press("5");
    await settled();
    const found = new Map((await lines()).map((line) => [line.split("|")[0], line]));

    assert.equal(found.get("12"), "12||30.00 ms81.1 %|10|line 12;");
    assert.equal(found.get("14"), "14||7.000 ms18.9 %|40|line 14;",
                 "two functions are called in one line");
    assert.equal(found.get("25"), "25||30.00 ms81.1 %|100|line 25;");
    assert.equal(found.get("41"), "41|5.000 ms13.5 %|7.000 ms18.9 %|70|line 41;",
                 "an inner call counts once");
    assert.equal(found.get("51"), "51||5.000 ms13.5 %|5|line 51;");
  });

test("totals follow transforms, and lines say that they know no threads",
  async () => {
    const warning = page.locator("#panel-source .warn");

    await show("totals-hidden", called(groupsOf(), groupSections()));
    await clickFrame("lex", 3, { button: "right" });
    await page.locator(".menu [role=menuitem]", { hasText: "Hide" }).click();
    await page.keyboard.press("5");
    await settled();
    assert.deepEqual((await lines()).filter((line) => /\d ms/.test(line)), [
      "41|5.000 ms71.4 %|7.000 ms100.0 %|30|line 41;",
      "51||5.000 ms71.4 %|5|line 51;",
      "52|2.000 ms28.6 %|2.000 ms28.6 %||line 52;"]);
    assert.ok(await warning.isHidden());
    await page.getByLabel("Thread", { exact: true }).selectOption({ label: "one (1)" });
    await settled();
    assert.match(await warning.innerText(), /not recorded by thread or period/);
    assert.ok(!(await lines()).some((line) => /\d ms/.test(line)));
  });

test("the text has most of the width, and long lines can be scrolled to",
  async () => {
    const long = `int x = ${"a + ".repeat(300)}0;`;

    await show("wide", called({ sources: [
      { file: 1, newer: false, text: `${long}\nline 2;\n` }] }));
    await page.keyboard.press("5");
    await settled();
    const scroller = page.locator("#panel-source .half").nth(1)
      .locator(".scroller:visible");
    const code = scroller.locator(".row .code").first();
    const [visible, all, cell, needed] = await scroller.evaluate((host) => {
      const one = host.querySelector(".row .code");

      return [host.clientWidth, host.scrollWidth, one.clientWidth, one.scrollWidth];
    });

    assert.ok(visible > 1200 * 0.65, `${visible} pixels`);
    assert.ok(all > visible && cell >= needed, "no line is cut");
    await scroller.focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction((host) => host.scrollLeft > 0,
                               await scroller.elementHandle());
    assert.equal(await code.innerText(), long);
  });

test("the menu opens the text of a function, and the address has it",
  async () => {
    await show("annotate", sourced());
    await clickFrame("lex", 3, { button: "right" });
    await page.locator(".menu [role=menuitem]", { hasText: "Annotate" }).click();
    await settled();
    assert.ok(await page.isVisible("#panel-source"));
    assert.equal(await selected(), "30", "where lex begins");
    await page.locator("#panel-source .half").nth(1).locator(".scroller:visible")
      .focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.evaluate(() => clew.address.flush());
    await page.reload();
    await page.waitForSelector("html[data-ready]");
    await settled();
    assert.equal(await selected(), "32");
    await page.goBack();
    await settled();
    assert.ok(await page.isVisible("#panel-graph"));
  });

test("a page without texts has no annotation, a newer file has a note",
  async () => {
    await show("no-text", sourced({ sources: undefined }));
    await clickFrame("lex", 3, { button: "right" });
    assert.equal(await page.locator(".menu [role=menuitem]",
                                    { hasText: "Annotate" }).count(), 0);
    await show("newer", sourced({ sources: [
      { file: 1, newer: true, text: "one\ntwo\n" }] }));
    await page.keyboard.press("5");
    await settled();
    assert.match(await page.locator("#panel-source .note:visible").innerText(),
                 /newer than the program/);
    assert.deepEqual(await lines(), ["1||one", "2||two"]);
  });
