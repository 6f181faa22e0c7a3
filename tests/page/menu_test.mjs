/* SPDX-License-Identifier: MIT */
/*
 * The menu of frames and rows, and the transforms that it offers.
 *
 *	CLEW_BUILD=build/gcc tests/page/run menu_test.mjs
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { context, costOf, folder, openBrowser, page, settled, show }
  from "./browser.mjs";
import { cells, clickFrame, frame, frames, known, near, TOTAL } from "./known.mjs";
import { synthetic, timelineOf } from "./synthetic.mjs";

const items = () => page.locator(".menu:visible [role=menuitem]");
const focused = () => page.evaluate(() => document.activeElement.textContent);
const total = () => page.evaluate(() => clew.profile.below.calls[0]);
const rightClick = (name, row) => clickFrame(name, row, { button: "right" });

async function choose(text) {
  await items().filter({ hasText: text }).click();
  await settled();
}

test("a right click opens the menu of a frame and does not zoom", async () => {
  await show("menu", known());
  await rightClick("lex", 3);
  assert.deepEqual(await items().allInnerTexts(), [
    "Copy name", "Copy stack", "Focus on this function", "Hide this function",
    "Merge this function into its callers", "Merge module program",
    "Collapse recursion", "Show callers and callees"]);
  near((await frame("parse")).w, 1200 * 110 / TOTAL);
  await page.screenshot({ path: join(folder, "menu.png") });
  assert.equal(await items().filter({ hasText: "Collapse" })
    .getAttribute("aria-disabled"), "true");
  await page.mouse.click(1000, 600);
  assert.equal(await items().count(), 0);
});

test("keys open the menu, move in it and close it", async () => {
  await show("menu-keys", known());
  for (const key of ["ArrowDown", "ArrowDown", "Shift+F10"])
    await page.keyboard.press(key);
  assert.equal(await focused(), "Copy name");
  for (const [key, label] of [
    ["ArrowDown", "Copy stack"], ["End", "Show callers and callees"],
    ["ArrowDown", "Copy name"], ["ArrowUp", "Show callers and callees"],
    ["Home", "Copy name"], ["m", "Merge this function into its callers"],
    ["m", "Merge module program"], ["h", "Hide this function"]]) {
    await page.keyboard.press(key);
    assert.equal(await focused(), label, key);
  }
  await page.keyboard.press("Escape");
  assert.equal(await items().count(), 0);
  assert.equal(await page.evaluate(() => document.activeElement.tagName), "CANVAS");
  await page.keyboard.press("ContextMenu");
  await page.keyboard.press("Tab");
  assert.equal(await items().count(), 0);

  await page.keyboard.press("3");
  await page.locator("#panel-functions .scroller").focus();
  for (const key of ["Home", "Shift+F10", "h", "Enter"])
    await page.keyboard.press(key);
  assert.equal(await total(), TOTAL - 140, "lex is hidden");
  assert.ok(await page.evaluate(() =>
    document.activeElement.matches("#panel-functions .scroller")));
});

test("transforms keep totals right, and chips remove them", async () => {
  await show("transforms", known());
  await rightClick("parse", 2);
  await choose("Merge this function");
  assert.equal(await total(), TOTAL);
  near((await frame("lex", 2)).w, 1200 * 100 / TOTAL);
  assert.equal((await frames()).some(({ name }) => name === "parse"), false);

  await rightClick("eval", 2);
  await choose("Collapse recursion");
  assert.equal(await total(), TOTAL);
  assert.equal((await frames()).filter(({ name }) => name === "eval").length, 1);

  await rightClick("lex", 3);
  await choose("Hide this function");
  assert.equal(await total(), TOTAL - 140);
  await rightClick("eval", 2);
  await choose("Focus on");
  assert.equal(await total(), 55);
  near((await frame("eval", 1)).w, 1200);

  const chips = page.locator(".chips .step");

  assert.deepEqual((await chips.allInnerTexts()).map((text) =>
    text.replace(/\s+/g, " ")), [
    "merge: parse ✕", "collapse: eval ✕", "hide: lex ✕", "focus: eval ✕"]);
  await page.screenshot({ path: join(folder, "transforms.png") });
  await page.reload();
  await page.waitForSelector("html[data-ready]");
  assert.equal(await total(), 55, "the address has the transforms");
  await chips.nth(2).click();
  assert.equal(await total(), 95);
  await page.goBack();
  await settled();
  assert.equal(await total(), 55, "Back undoes the removal");
  await page.click(".chips .link");
  assert.equal(await total(), TOTAL);
  assert.ok(await page.locator(".chips").isHidden());
});

test("a module's functions are merged into their callers", async () => {
  await show("module", known());
  await rightClick("read", 2);
  await choose("Merge module libread.so");
  assert.equal(await total(), TOTAL);
  await page.keyboard.press("3");
  assert.deepEqual(await cells("functions", "name .name"),
                   ["lex", "eval", "main", "parse"]);
  assert.deepEqual(await cells("functions", "calls"), ["140", "55", "21", "10"]);
});

test("name and stack are copied", async () => {
  await context.close();
  await openBrowser({ permissions: ["clipboard-read", "clipboard-write"] });
  await show("copying", known());
  const pasted = () => page.evaluate(() => navigator.clipboard.readText());

  await rightClick("lex", 3);
  await choose("Copy name");
  assert.equal(await pasted(), "lex");
  await rightClick("read", 3);
  await choose("Copy stack");
  assert.equal(await pasted(), "main\neval\nread");
  await page.keyboard.press("i");
  await settled();
  await rightClick("parse", 2);
  await choose("Copy stack");
  assert.equal(await pasted(), "parse\nlex");
});

test("calls of the timeline have the menu, by mouse and by keys", async () => {
  const timeline = timelineOf([{ name: "main", tid: 1, slices: [
    [0, 1, 0, 100e6], [1, 2, 10e6, 50e6]] }]);

  await show("menu-timeline", known({ timeline: timeline.meta },
                                    timeline.sections));
  await page.keyboard.press("7");
  for (const key of ["ArrowRight", "ArrowDown", "Shift+F10"])
    await page.keyboard.press(key);
  assert.equal(await focused(), "Copy name");
  assert.equal(await items().filter({ hasText: "module" }).innerText(),
               "Merge module program");
  await page.keyboard.press("Escape");
  const { x, y } = await page.evaluate(() => {
    const view = clew.views.timeline;
    const { left, top } = view.canvas.getBoundingClientRect();
    const { selected, lanes } = view;

    return { x: left + view.x(view.timeline.begin[selected]) + 20,
             y: top + 62 + lanes.stripOf(selected).top + 9 };
  });

  await page.keyboard.press("Escape"); /* selects nothing */
  await page.mouse.click(x, y, { button: "right" });
  await choose("Hide this function");
  assert.match(await page.locator(".chips").innerText(), /hide: parse/);
});

/* Touches a point of the window until a condition holds. */
async function touch(point, condition) {
  const client = await context.newCDPSession(page);
  const send = (type, touchPoints) =>
    client.send("Input.dispatchTouchEvent", { type, touchPoints });

  await send("touchStart", [point]);
  await condition(async (to) => {
    await send("touchMove", [to]);
    await settled();
  });
  await send("touchEnd", []);
  await settled();
}

const menuOpens = () => page.waitForSelector(".menu:not([hidden])");

async function phone(name, html, hasNoEvent) {
  await context.close();
  await openBrowser({ viewport: { width: 390, height: 844 }, hasTouch: true,
                      isMobile: true });
  if (hasNoEvent)
    await page.addInitScript(() => addEventListener("contextmenu", (event) => {
      if (event.isTrusted)
        event.stopImmediatePropagation();
    }, { capture: true }));
  await show(name, html);
}

for (const hasNoEvent of [true, false])
  test(`a long press opens the menu ${hasNoEvent ? "without" : "with"} an event ` +
    "of the browser", async () => {
    const timeline = timelineOf([{ name: "main", tid: 1, slices: [
      [0, 1, 0, 100e6], [1, 2, 10e6, 80e6]] }]);

    await phone("menu-touch", known({ timeline: timeline.meta }, timeline.sections),
                hasNoEvent);
    const { x, y, w } = await frame("parse", 2);
    const { left, top } = await page.evaluate(() =>
      clew.views.graph.graph.canvas.getBoundingClientRect());
    const zoom = () => page.evaluate(() => clew.views.graph.graph.focus);

    await touch({ x: left + x + w / 2, y: top + y + 8 }, menuOpens);
    assert.ok((await items().allInnerTexts()).includes("Copy stack"));
    assert.equal(await zoom(), null, "the release of the finger does nothing");
    await items().filter({ hasText: "Show callers and callees" }).tap();
    await settled();
    assert.match(await page.locator(".subject h1").innerText(), /parse/);

    await page.getByRole("tab", { name: "Functions" }).tap();
    await settled();
    const row = await page.locator("#panel-functions .row", { hasText: "lex" })
      .boundingBox();

    await touch({ x: row.x + 40, y: row.y + 10 }, menuOpens);
    assert.ok(await items().first().isVisible());
    await page.keyboard.press("Escape");

    await page.getByRole("tab", { name: "Timeline" }).tap();
    await settled();
    const slice = await page.evaluate(() => {
      const view = clew.views.timeline;
      const box = view.canvas.getBoundingClientRect();

      return { x: box.left + view.x(view.timeline.begin[1]) + 20,
               y: box.top + 62 + view.lanes.stripOf(1).top + 9 };
    });

    await touch(slice, menuOpens);
    assert.ok((await items().allInnerTexts()).some((text) => /parse|Copy/.test(text)));
  });

test("a finger that moves scrolls and opens no menu", async () => {
  await phone("menu-drag", synthetic(20000, { time: true }));
  const at = { x: 200, y: 500 };
  const scrolled = () => page.evaluate(() => clew.views.graph.graph.frames.scroll);

  await touch(at, async (move) => {
    for (let i = 1; i <= 5; i++)
      await move({ x: at.x, y: at.y - 40 * i });
    await page.waitForFunction(() => clew.views.graph.graph.frames.scroll > 0);
  });
  assert.ok(await scrolled() > 100);
  assert.equal(await items().count(), 0);
});

test("a name in the menu and in chips is text", async () => {
  const evil = "<img src=x onerror=alert(1)>";

  await show("menu-hostile", known({}, {}, ["(all)", evil, "b", "c", "d", "e"]));
  await rightClick(evil, 1);
  await choose("Focus on");
  assert.equal(await page.locator("img").count(), 0);
  assert.match(await page.locator(".chips").innerText(), /focus: <img/);
});

test("transforms of 1000000 contexts take less than a few seconds", async () => {
  const step = await costOf();

  await show("transforms-large", synthetic(1000000, { time: true }));
  const before = await total();

  await step(() => page.evaluate(() => clew.addStep({ kind: "inlined" })), 6000);
  assert.equal(await total(), before);
  await step(() => page.evaluate(() => clew.addStep({ kind: "module",
                                                      module: 0 })), 6000);
  assert.equal(await total(), before);
  await step(() => page.evaluate(() => clew.setSteps([])), 4000);
});
