/* SPDX-License-Identifier: MIT */
/*
 * The instructions of functions in the page, with the time of each.
 *
 *	CLEW_BUILD=build/gcc tests/page/run code_test.mjs
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { folder, page, settled, show } from "./browser.mjs";
import { clickFrame, groupSections, groupsOf, items, known, LEX, PARSE } from "./known.mjs";
import { rare } from "./synthetic.mjs";

/* lex has 30 ms: 20 in its second instruction, 10 in the third of 500. */
const rows = [[0, "┌─ ", "je     0x1205", 0, 0, 0, 1, 31, 0],
              [2, "│  ", "subq   <img src=y onerror=alert(1)>", 20e6, 20, 0, 1, 31,
               20e6],
              [3, "└> ", "callq  *%rax", 10e6, 10, 7, 1, 33, 30e6],
              ...Array.from({ length: 497 },
                            () => [1, "   ", "nop", 0, 0, 0, 0, 0, 0])];

function coded(extra = {}, sections = {}) {
  const code = [
    { function: LEX, vaddr: "0x1200", self_ns: 30e6, total_ns: 50e6, samples: 30,
      is_cut: false, rows },
    { function: PARSE, vaddr: "0x7f00000000001000", self_ns: 10e6,
      total_ns: 10e6, samples: 10, is_cut: true,
      rows: [[0, "", "retq", 10e6, 10, 0, 0, 0, 10e6]] }];

  return known({ taken: { mode: "cpu", rate: 1000, lost: [] }, code, ...extra }, {
    time: rare([0, 0, 10e6, 30e6, ...items.slice(3).map(() => 0)]),
    samples: rare([0, 0, 10, 30, ...items.slice(3).map(() => 0)]), ...sections });
}

const half = (side) => page.locator("#panel-code .half").nth(side);
const shown = () => half(1).locator(".row").evaluateAll((all) => all.map((row) =>
  [...row.querySelectorAll(".time, .total, .calls, .vaddr, .code, .place")]
    .map((cell) => cell.textContent).join("|")));
const selected = () => half(1).locator(".row.selected .vaddr").innerText();

async function open(name, html = coded()) {
  await show(name, html);
  await page.getByRole("tab", { name: "Instructions" }).click();
  await settled();
}

test("instructions have time, calls, branches and lines", async () => {
  await open("code");
  assert.deepEqual((await shown()).slice(0, 3), [
    "|||1200|program.c:31|┌─ je     0x1205",
    "20.00 ms66.7 %|20.00 ms40.0 %||1202|program.c:31|│  subq   <img src=y onerror=alert(1)>",
    "10.00 ms33.3 %|30.00 ms60.0 %|7|1205|program.c:33|└> callq  *%rax"]);
  assert.ok((await shown()).length < 100, "only visible rows have elements");
  assert.equal(await page.locator("img").count(), 0);
  assert.equal(await selected(), "1202", "the one with the most time");
  assert.deepEqual(await half(0).locator(".row").evaluateAll((all) =>
    all.map((row) => row.querySelector(".time").textContent)),
  ["30.00 ms75.0 %", "10.00 ms25.0 %"]);
  await page.screenshot({ path: join(folder, "code.png") });
});

test("addresses beyond 2^53 are exact, and code that is cut is named",
  async () => {
    await open("code-large");
    await half(0).locator(".row", { hasText: "parse" }).click();
    assert.deepEqual(await shown(),
                     ["10.00 ms100.0 %|10.00 ms100.0 %||7f00000000001000||retq"]);
    assert.match(await page.locator("#panel-code .note:visible").innerText(),
                 /exceeds 4 MiB/);
  });

test("the keyboard moves through instructions, and the address has them",
  async () => {
    await open("code-keys");
    await half(1).locator(".scroller").focus();
    for (const key of ["ArrowDown", "PageDown", "Home", "ArrowDown", "ArrowDown"])
      await page.keyboard.press(key);
    assert.equal(await selected(), "1205");
    await page.evaluate(() => clew.address.flush());
    await page.reload();
    await page.waitForSelector("html[data-ready]");
    await settled();
    assert.ok(await page.isVisible("#panel-code"));
    assert.equal(await selected(), "1205");
    await half(1).locator(".scroller").focus();
    await page.keyboard.press("Enter");
    await settled();
    assert.ok(await page.isVisible("#panel-source"), "Enter shows the line");
    await page.goBack();
    await settled();
    assert.equal(await selected(), "1205");
  });

test("the menu of a frame shows the function's instructions", async () => {
  await show("code-menu", coded());
  await clickFrame("parse", 2, { button: "right" });
  await page.locator(".menu [role=menuitem]", { hasText: "Instructions" }).click();
  await settled();
  assert.match(await half(1).locator("h2").innerText(), /parse/);
  await page.keyboard.press("1");
  await clickFrame("main", 1, { button: "right" });
  assert.equal(await page.locator(".menu [role=menuitem]",
                                  { hasText: "Instructions" }).count(), 0);
});

test("instructions say that they do not follow the chosen thread", async () => {
  const warning = page.locator("#panel-code .warn");

  await open("code-thread", coded(groupsOf(), groupSections()));
  assert.ok(await warning.isHidden());
  await page.getByLabel("Thread", { exact: true }).selectOption({ label: "one (1)" });
  await settled();
  assert.match(await warning.innerText(), /that of the whole recording/);
});

test("a page without instructions has no such tab", async () => {
  await show("code-none", known());
  assert.equal(await page.getByRole("tab", { name: "Instructions" }).count(), 0);
});
