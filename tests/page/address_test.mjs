/* SPDX-License-Identifier: MIT */
/*
 * The page's address: it holds the state of the page, Back undoes steps, and
 * links are copied and opened again.
 *
 *	CLEW_BUILD=build/gcc tests/page/run address_test.mjs
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { context, openBrowser, page, settled, show } from "./browser.mjs";
import { cells, clickFrame, EVAL, frame, frames, functionsOf, items, known,
         LEX, MAIN, names, near, PARSE, READ, TOTAL } from "./known.mjs";
import { column, metaOf, page as write, rare, sectionsOf, timelineOf }
  from "./synthetic.mjs";

const hash = () => page.evaluate(() => location.hash);

/* Waits until the address has a part. */
const hasHash = (pattern) => page.waitForFunction((source) =>
  new RegExp(source).test(location.hash), pattern.source);

async function back() {
  await page.goBack();
  await settled();
}

/* Opens the same file again, in another page. */
async function reopen() {
  await page.evaluate(() => clew.address.flush());
  const url = page.url();

  await page.goto("about:blank");
  await page.goto(url);
  await page.waitForSelector("html[data-ready]");
  await settled();
}

/* A page with times, threads and a timeline of samples. */
function rich() {
  const timeline = timelineOf([
    { name: "one", tid: 1, thread: 0, samples: [[10e6, 10e6, 3], [20e6, 10e6, 7]] },
    { name: "two", tid: 2, thread: 1, samples: [[30e6, 10e6, 8]] }]);
  const apart = (list) => list.flatMap(([at, calls], i) =>
    [at - (i ? list[i - 1][0] : 0), calls, 0, 0]);
  const groups = [
    { name: "one (1)", is_process: false, calls: 111, contexts: 3 },
    { name: "two (2)", is_process: false, calls: 115, contexts: 5 }];

  return known({ groups, timeline: timeline.meta,
                 taken: { mode: "cpu", rate: 1000, lost: [] } }, {
    time: rare([0, 0, 0, 10e6, 0, 0, 0, 10e6, 10e6]),
    samples: rare([0, 0, 0, 1, 0, 0, 0, 1, 1]),
    groups: column([...apart([[1, 1], [2, 10], [3, 100]]),
                    ...apart([[4, 20], [5, 30], [6, 5], [7, 40], [8, 20]])]),
    ...timeline.sections });
}

test("an address has the zoom, the direction and the search", async () => {
  await show("address", known());
  await page.keyboard.press("f");
  await page.fill("#search", "lex|eval");
  await clickFrame("eval", 2);
  await page.fill("#search", "lex");
  await hasHash(/^#graph\?.*q=lex(&|$)/);
  await hasHash(/flame=1/);
  await hasHash(/z=\w{14}/);
  await reopen();
  near((await frame("eval", 2)).w, 1200);
  assert.equal(await page.inputValue("#search"), "lex");
  assert.match(await page.locator("#matched").innerText(), /61.95 %/);
  assert.match(await page.locator(".trail").innerText(), /eval/);
  assert.ok((await frame("main")).y > (await frame("eval", 2)).y, "a flame");
});

test("an address has the measure, the thread, the period and the tab",
  async () => {
    await show("address-rich", rich());
    await page.click(".segments button:text-is('Calls')");
    await page.getByLabel("Thread", { exact: true })
      .selectOption({ label: "one (1)" });
    await page.keyboard.press("7");
    await page.evaluate(() => clew.views.timeline.choose({ from: 5e6, to: 15e6 }));
    await page.evaluate(() => clew.views.timeline.glide(1e6, 20e6));
    await page.keyboard.press("3");
    await page.click("#panel-functions .head .name button");
    await hasHash(/sort=-name/);
    await reopen();
    assert.deepEqual(await page.evaluate(() => ({
      range: clew.profile.range, thread: clew.profile.chosen[0].name,
      tab: clew.tab, samples: clew.profile.samples })),
    { range: { from: 5e6, to: 15e6 }, thread: "one (1)", tab: "functions",
      samples: 1 });
    assert.deepEqual(await cells("functions", "name .name"),
                     ["lex", "main", "parse"]);
    await page.keyboard.press("7");
    await settled();
    assert.deepEqual(await page.evaluate(() => {
      const { from, to } = clew.views.timeline;

      return [from, to];
    }), [1e6, 20e6]);
    await page.click("#range");
    await page.keyboard.press("1");
    await page.click(".segments button:text-is('Calls')");
    await hasHash(/m=calls/);
  });

test("a transform in another tab leaves no frame or row that is gone",
  async () => {
    await show("address-transformed", known());
    await clickFrame("eval", 2);
    await hasHash(/z=\w{14}/);
    await page.keyboard.press("2");
    await page.locator("#panel-tree .row", { hasText: "parse" }).click();
    await hasHash(/row=\w{14}/);
    await page.keyboard.press("3");
    await page.evaluate((f) => clew.addStep({ kind: "hide", f }), EVAL);
    await settled();
    await page.evaluate(() => clew.address.flush());
    assert.doesNotMatch(await hash(), /[?&](z|s|v|row)=/);
    await reopen();
    await page.keyboard.press("1");
    await settled();
    assert.equal(await page.locator(".notice").innerText(), "");
    near((await frame("main")).w, 1200);
  });

test("the inverted graph zooms to the same chain again", async () => {
  await show("address-inverted", known());
  await page.keyboard.press("i");
  await settled();
  await clickFrame("eval", 2); /* lex called by eval: 40 of 140 */
  near((await frame("eval", 2)).w, 1200);
  await reopen();
  near((await frame("eval", 2)).w, 1200);
  near((await frame("lex", 1)).w, 1200 * 140 / 40);
});

test("Back undoes each step, and Forward repeats it", async () => {
  await show("back", known());
  await clickFrame("eval", 2);
  await clickFrame("lex", 3);
  await page.keyboard.press("i");
  await page.keyboard.press("3");
  await page.locator("#panel-functions .row", { hasText: "eval" }).dblclick();
  await page.waitForSelector("#panel-butterfly:not([hidden])");
  await page.locator("#panel-butterfly .row", { hasText: "main" }).dblclick();
  await settled();
  const subject = () => page.locator(".subject .name").innerText();

  assert.equal(await subject(), "main");
  await back();
  assert.equal(await subject(), "eval");
  await back();
  assert.ok(await page.isVisible("#panel-functions"));
  await back();
  assert.ok(await page.isVisible("#panel-graph"));
  assert.ok(await page.evaluate(() => clew.views.graph.isInverted));
  await back();
  near((await frame("lex", 3)).w, 1200);
  await back();
  near((await frame("eval", 2)).w, 1200);
  await back();
  near((await frame("eval", 2)).w, 1200 * 95 / TOTAL);
  await page.goForward();
  await settled();
  near((await frame("eval", 2)).w, 1200);
});

test("a search is one step, whatever was typed", async () => {
  await show("typed", known());
  const before = await page.evaluate(() => history.length);

  for (const text of ["l", "le", "lex"]) {
    await page.fill("#search", text);
    await hasHash(new RegExp(`q=${text}$`));
  }
  assert.equal(await page.evaluate(() => history.length), before + 1);
  await back();
  assert.equal(await page.inputValue("#search"), "");
  assert.equal(await page.locator("#matched").innerText(), "");
});

test("arrow keys and wheels add no steps", async () => {
  await show("continuous", known());
  const before = await page.evaluate(() => history.length);

  for (const key of ["ArrowDown", "ArrowDown", "ArrowRight", "+", "-", "+"])
    await page.keyboard.press(key);
  await hasHash(/v=0\.\d+-[01]/);
  assert.equal(await page.evaluate(() => history.length), before);
  const sight = await page.evaluate(() => clew.views.graph.graph.sight);

  await reopen();
  assert.deepEqual(await page.evaluate(() => clew.views.graph.graph.sight),
                   sight);
});

/* Contexts have other numbers, since parse comes after eval. */
test("a link shows the same context in a page that was written anew",
  async () => {
    await show("again", known());
    await clickFrame("lex", 3);
    await hasHash(/z=/);
    const link = await hash();
    const other = [[1, MAIN, 1], [2, READ, 20], [2, EVAL, 20], [3, LEX, 40],
                   [3, READ, 30], [4, EVAL, 5], [2, PARSE, 10], [3, LEX, 100]];
    const modules = ["program", "libread.so"].map((name) => ({
      name, path: `/usr/bin/${name}`, state: "hooked", hooked: 3, refused: 0,
      reasons: [] }));

    await show("again", write(metaOf(other.length, functionsOf(),
      { modules, files: ["", "/src/program.c"] }), sectionsOf(other)));
    await page.evaluate((to) => {
      location.hash = to;
    }, link);
    await settled();
    near((await frame("parse", 2)).w, 1200 * 110 / 100);
    near((await frame("lex", 3)).w, 1200);
    assert.equal(await page.locator(".notice").innerText(), "");
  });

test("a strange link shows what it can", async () => {
  await show("strange", rich());
  for (const link of [
    "#nosuchtab", "#functions", "#graph?z=%", "#graph?z=zzzzzzz0000000",
    "#graph?z=%00&s=~~~&v=9-1", "#graph?v=NaN-1e99", "#timeline?tv=-5--1",
    "#timeline?call=1.2.3", "#timeline?call=x", "#functions?sort=-nosuch",
    "#butterfly?f=nosuch", "#graph?g=nobody&t=1-2-3&m=weight&side=before",
    "#graph?colour=mauve&inv=2&heat=x", "#?=&&==", "#graph?q=(", "#graph??z",
    "#__proto__?constructor=1&toString=2", "#coverage?t=0-0"]) {
    await page.evaluate((to) => {
      location.hash = to;
    }, link);
    await settled();
  }
  await page.evaluate(() => {
    location.hash = "#graph?z=zzzzzzz0000000";
  });
  await page.waitForFunction(() => /a frame that this page does not show/
    .test(document.querySelector(".notice").textContent));
  near((await frame("main")).w, 1200);
});

test("the link is copied, also where the clipboard is refused", async () => {
  await context.close();
  await openBrowser({ permissions: ["clipboard-read", "clipboard-write"] });
  await show("copied", known());
  await clickFrame("eval", 2);
  await page.click("#link");
  await page.waitForFunction(() => /copied/.test(
    document.querySelector(".notice").textContent));
  const pasted = () => page.evaluate(() => navigator.clipboard.readText());

  assert.equal(await pasted(), page.url());
  assert.match(await pasted(), /^file:.*copied\.html#graph\?.*z=/);

  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error("refused"));
  });
  await clickFrame("lex", 3);
  await page.click("#link");
  await page.waitForFunction((url) => navigator.clipboard.readText()
    .then((text) => text === url), page.url());

  await page.evaluate(() => {
    document.execCommand = () => false;
  });
  await page.keyboard.press("l");
  await page.waitForSelector("dialog[open] textarea");
  assert.equal(await page.inputValue("dialog[open] textarea"), page.url());
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog[open]", { state: "detached" });
});

test("the graph is not scrolled where all of it is visible", async () => {
  await show("reveal", rich());
  await page.keyboard.press("7");
  await page.evaluate(() => {
    const { timeline } = clew.profile;

    clew.views.timeline.select(timeline.rows.at(-1).first);
    clew.go("graph");
  });
  await settled();
  assert.equal((await frames()).find(({ row }) => row === 0).y, 0);
  assert.equal(await page.evaluate(() => clew.views.graph.graph.frames.scroll), 0);
});
