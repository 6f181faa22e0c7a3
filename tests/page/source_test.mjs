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
import { clickFrame, items, known } from "./known.mjs";
import { column } from "./synthetic.mjs";

const text = Array.from({ length: 400 }, (_, i) => i + 1 === 31
  ? "\tif (x < y) lex(\"<img src=y onerror=alert(1)>\");" : `line ${i + 1};`);

/* Line 31 of lex, context 3, has 20 ms, and line 33 has 10 ms. */
function sourced(extra = {}) {
  return known({ taken: { mode: "cpu", rate: 1000, lost: [] }, sources: [
    { file: 1, newer: false, text: `${text.join("\n")}\n` }], ...extra }, {
    time: column([0, 0, 0, 30e6, ...items.slice(3).map(() => 0)]),
    samples: column([0, 0, 0, 30, ...items.slice(3).map(() => 0)]),
    lines: column([3, 1, 31, 20e6, 20, 3, 1, 33, 10e6, 10]) });
}

const lines = () => page.locator("#panel-source .half").nth(1)
  .locator(".row:visible").evaluateAll((all) => all.map((row) =>
    [...row.querySelectorAll(".line, .time, .code")]
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
