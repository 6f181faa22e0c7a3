/* SPDX-License-Identifier: MIT */
/*
 * The page in a real browser, on trees whose every number is known.
 *
 *	CLEW_BUILD=build/gcc tests/page/run page_test.mjs
 *
 * Screenshots are left in $CLEW_BUILD/tests/page for people to look at.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { context, costOf, folder, openBrowser, page, settled, show }
  from "./browser.mjs";
import { cells, clickFrame, firstOf, frame, frames, functionsOf, items, known,
         LEX, near, TOTAL } from "./known.mjs";
import { column, metaOf, page as write, rare, sectionsOf, synthetic }
  from "./synthetic.mjs";

test("frames are as wide as their calls", async () => {
  await show("known", known());
  near((await frame("main")).w, 1200);
  near((await frame("parse")).w, 1200 * 110 / TOTAL);
  near((await frame("eval", 2)).w, 1200 * 95 / TOTAL);
  near((await frame("lex", 3)).w, 1200 * 100 / TOTAL);
  near((await frame("parse")).x, 0);
  assert.match(await page.locator("header").innerText(),
               /sqlite3 :memory:[^]*226 calls \(exact\)/);
});

test("a browser without a decoder of base64 shows the same", async () => {
  await context.addInitScript(() => {
    delete Uint8Array.fromBase64;
  });
  await show("without-base64", known());
  near((await frame("lex", 3)).w, 1200 * 100 / TOTAL);
});

test("a click zooms in, escape zooms out", async () => {
  await show("known", known());
  await clickFrame("eval", 2);
  near((await frame("eval", 2)).w, 1200);
  near((await frame("read", 3)).w, 1200 * 35 / 95);
  assert.match(await page.locator(".trail").innerText(),
               /eval[^]*95 calls[^]*42.04 %[^]*20 calls of its own/);
  await page.keyboard.press("Escape");
  await settled();
  near((await frame("eval", 2)).w, 1200 * 95 / TOTAL);
});

test("a drag moves what is zoomed", async () => {
  await show("known", known());
  await clickFrame("eval", 2);
  const { x } = await frame("eval", 2);

  await page.mouse.move(600, 400);
  await page.mouse.down();
  await page.mouse.move(700, 400, { steps: 3 });
  await page.mouse.up();
  await settled();
  near((await frame("eval", 2)).x, x + 100);
});

test("a click on all zooms out", async () => {
  await show("known", known());
  await clickFrame("parse");
  near((await frame("parse")).w, 1200);
  await clickFrame((await frames()).find((each) => each.row === 0).name);
  near((await frame("parse")).w, 1200 * 110 / TOTAL);
});

test("a tip says exact numbers", async () => {
  await show("known", known());
  const { x, y, w } = await frame("lex", 3);
  const box = await page.locator("#panel-graph canvas").boundingBox();

  await page.mouse.move(box.x + x + w / 2, box.y + y + 8);
  await settled();
  const text = await page.locator(".tip:visible").innerText();

  assert.match(text, /lex\s+program · \/src\/program.c:30/);
  assert.match(text, /calls\s+100\s/);
});

test("a search shows the share that matches, once where nested", async () => {
  await show("known", known());
  await page.keyboard.press("/");
  await page.keyboard.type("^e?v?(eval|read)$");
  /* eval 95, of which read and eval are part, and read 20 */
  await page.waitForFunction(() => /50\.88 % of calls · 2 functions/
    .test(document.querySelector("#matched").textContent));
  await page.keyboard.press("Enter");
  await settled();
  near((await frame("eval", 2)).w, 1200);
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("#matched").innerText(), "");
});

test("the result of a search takes its room from the box", async () => {
  await page.setViewportSize({ width: 1300, height: 700 });
  await show("search-room", synthetic(3000, { time: true, threads: true }));
  const graph = page.locator("#panel-graph canvas");
  const before = await graph.boundingBox();

  await page.fill("#search", "page");
  await page.waitForFunction(() => /% \([\d.–]+\) of time · \d+ functions/
    .test(document.querySelector("#matched").textContent));
  assert.deepEqual(await graph.boundingBox(), before);
});

test("a search by module, and one that is no expression", async () => {
  await show("known", known());
  await page.fill("#search", "module:libread");
  await page.waitForFunction(() => /24\.34 %/ /* 35 + 20 */
    .test(document.querySelector("#matched").textContent));
  await page.fill("#search", "(");
  await page.waitForSelector("#search[aria-invalid=true]");
  assert.match(await page.locator("#matched").innerText(), /group/i);
});

test("inverted, functions are as wide as their own calls", async () => {
  await show("known", known());
  await page.keyboard.press("i");
  await settled();
  near((await frame("lex", 1)).w, 1200 * 140 / TOTAL);
  near((await frame("read", 1)).w, 1200 * 50 / TOTAL);
  near((await frame("parse", 2)).w, 1200 * 100 / TOTAL);
  assert.equal((await frames()).filter((each) => each.row === 1).length, 5);
});

test("flame and icicle are each other's mirror", async () => {
  await show("known", known());
  const above = await frame("lex", 3);
  const height = await page.evaluate(() =>
    clew.views.graph.graph.engine.height);

  assert.equal(above.y, 57);
  await page.keyboard.press("f");
  await settled();
  assert.equal((await frame("lex", 3)).y, height - 4 * 19);
});

test("the table sorts by what is clicked", async () => {
  await show("known", known());
  await page.keyboard.press("3");
  assert.deepEqual(await cells("functions", "name .name"),
                   ["lex", "read", "eval", "parse", "main"]);
  assert.deepEqual(await cells("functions", "calls"),
                   ["140", "50", "25", "10", "1"]);
  await page.click("text=Calls below");
  /* eval below read below eval is counted once: 95, not 100 */
  assert.deepEqual(await cells("functions", "below"),
                   ["226", "140", "110", "95", "55"]);
  await page.click("text=Calls below");
  assert.equal((await cells("functions", "name .name"))[0], "read");
  await page.click(".head .name button");
  assert.deepEqual(await cells("functions", "name .name"),
                   ["eval", "lex", "main", "parse", "read"]);
});

test("butterfly: exact edges from both sides", async () => {
  await show("known", known());
  await page.keyboard.press("3");
  await page.locator("#panel-functions .row", { hasText: "eval" }).dblclick();
  await page.waitForSelector("#panel-butterfly:not([hidden])");
  await settled();
  const rows = async (side) => {
    const half = page.locator("#panel-butterfly .half").nth(side);
    const own = await firstOf(half.locator(".rows .name .name"));
    const calls = await firstOf(half.locator(".rows .calls"));

    return own.map((name, i) => [name, calls[i]]);
  };

  assert.deepEqual(await rows(0), [["main", "20"], ["read", "5"]]);
  assert.deepEqual(await rows(1), [["lex", "40"], ["read", "30"]]);
  const [up, down] = [await frames(0), await frames(1)];
  const width = up.find((each) => each.row === 0).w;

  near(up.find((each) => each.name === "main").w, width);
  near(down.find((each) => each.name === "lex").w, width * 40 / 95);
  near(down.find((each) => each.name === "read").w, width * 35 / 95);
});

test("a double click on a frame opens its butterfly", async () => {
  await show("known", known());
  await clickFrame("lex", 3, { clickCount: 2 });
  await page.waitForSelector("#panel-butterfly:not([hidden])");
  assert.equal(await page.locator(".subject .name").innerText(), "lex");
});

test("the keyboard goes everywhere", async () => {
  await show("known", known());
  for (const [key, panel] of [["3", "functions"], ["5", "source"],
                              ["6", "coverage"], ["2", "tree"], ["1", "graph"]]) {
    await page.keyboard.press(key);
    await page.waitForSelector(`#panel-${panel}:not([hidden])`);
  }
  const selected = () => page.evaluate(() => {
    const { graph } = clew.views.graph;

    return graph.selected === null ? null : graph.label(graph.selected);
  });

  for (const [key, name] of [["ArrowDown", "main"], ["ArrowDown", "parse"],
                             ["ArrowRight", "eval"], ["ArrowDown", "lex"],
                             ["ArrowRight", "read"], ["ArrowUp", "eval"],
                             ["ArrowLeft", "parse"]]) {
    await page.keyboard.press(key);
    assert.equal(await selected(), name, key);
  }
  await page.keyboard.press("Enter");
  await settled();
  near((await frame("parse")).w, 1200);
  await page.keyboard.press("?");
  await page.waitForSelector("dialog[open]");
  await page.keyboard.press("Escape");
  await page.keyboard.press("3");
  await page.locator("#panel-functions .scroller").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#panel-butterfly:not([hidden])");
});

test("dark where the reader likes it, and the other way on demand",
  async () => {
    const back = () => page.evaluate(() =>
      getComputedStyle(document.body).backgroundColor);

    await context.close();
    await openBrowser({ colorScheme: "dark" });
    await show("known", known());
    assert.equal(await back(), "rgb(15, 18, 23)");
    const pixel = await page.evaluate(() => [...document.querySelector("canvas")
      .getContext("2d").getImageData(600, 500, 1, 1).data.slice(0, 3)]);

    assert.deepEqual(pixel, [20, 23, 29]);
    await page.keyboard.press("d");
    assert.equal(await back(), "rgb(246, 247, 249)");
    await page.reload();
    await page.waitForSelector("html[data-ready]");
    assert.equal(await back(), "rgb(246, 247, 249)", "it is remembered");
  });

test("names are text, whatever they hold", async () => {
  const evil = ["(all)", "</script><script>alert(1)</script>",
                "<img src=x onerror=alert(2)>", "${alert(3)}",
                "\u202eexe.\"'&amp;<b>", "javascript:alert(5)"];

  await show("hostile", known({}, {}, evil));
  await page.keyboard.press("3");
  const titles = await page.locator("#panel-functions .rows .name .name")
    .evaluateAll((all) => all.map(({ title }) => title));

  assert.deepEqual(titles.sort(), evil.slice(1).sort());
  for (const key of ["2", "4", "5", "6", "1"])
    await page.keyboard.press(key);
  assert.equal(await page.locator("img, b:not(.trail b)").count(), 0);
});

test("the choice of a thread counts its calls alone", async () => {
  const groups = [
    { name: "one (1)", is_process: false, calls: 111, contexts: 3 },
    { name: "two (2)", is_process: false, calls: 115, contexts: 6 }];
  const one = [[1, 1], [2, 10], [3, 100]];
  const two = [[4, 20], [5, 30], [6, 5], [7, 40], [8, 20]];
  const apart = (list) => list.flatMap(([at, calls], i) =>
    [at - (i ? list[i - 1][0] : 0), calls]);

  groups[1].contexts = two.length;
  await show("threads", known({ groups }, {
    groups: column([...apart(one), ...apart(two)]) }));
  await page.getByLabel("Thread", { exact: true })
    .selectOption({ label: "two (2)" });
  await settled();
  near((await frame("eval", 2)).w, 1200 * 95 / 115);
  assert.equal((await frames()).some((each) => each.name === "parse"), false);
  await page.keyboard.press("3");
  assert.deepEqual(await cells("functions", "calls"), ["50", "40", "25"]);
});

test("time is the width where there is any, with its error", async () => {
  await show("time", known({ taken: { mode: "cpu", rate: 1000, lost: [] } }, {
    time: rare([0, 0, 0, 30e6, 0, 10e6, 0, 0, 60e6]),
    samples: rare([0, 0, 0, 30, 0, 10, 0, 0, 60]) }));
  near((await frame("read", 2)).w, 720);
  await page.fill("#search", "^lex");
  /* around 1.96 * sqrt(.3 * .7 / 100), nearly */
  await page.waitForFunction(() => /30\.00 % \(2\d–39\) of time/
    .test(document.querySelector("#matched").textContent));
  await page.click(".segments button:text-is('Calls')");
  await settled();
  near((await frame("parse")).w, 1200 * 110 / TOTAL);
});

test("what an agent counted is exact, and in the place of time", async () => {
  await show("value", known({ value: { name: "moved", unit: "bytes",
                                       total: 100000, contexts: 3 } }, {
    time: rare([0, 0, 0, 30000, 0, 10000, 0, 0, 60000]),
    samples: rare([0, 0, 0, 0, 0, 0, 0, 0, 0]) }));
  near((await frame("read", 2)).w, 720);
  assert.match(await page.textContent("header"), /100,000 of moved, bytes/);
  await page.keyboard.press("3");
  assert.deepEqual(await cells("functions", "selftime"),
                   ["70,000", "30,000", "0", "0", "0"]);
});

test("what is not counted has no number", async () => {
  const uncounted = items.map(([depth, f, calls]) =>
    [depth, f, f === LEX ? 0 : calls]);

  await show("uncounted", known(
    { taken: { mode: "cpu", rate: 1000, lost: [] } },
    { ...sectionsOf(uncounted),
      time: rare([0, 0, 0, 30e6, 0, 0, 0, 0, 0]),
      samples: rare([0, 0, 0, 30, 0, 0, 0, 0, 0]) }));
  await page.keyboard.press("3");
  assert.equal((await cells("functions", "name .name"))[0], "lex");
  assert.equal((await cells("functions", "calls"))[0], "–");
  assert.match(await page.locator("#panel-functions .note").innerText(),
               /estimated from 30 samples: 50 % may be 3\d–6\d %/);
});

test("lines have the time of their samples, functions their calls",
  async () => {
    await show("lines", known({ taken: { mode: "cpu", rate: 1000, lost: [] } },
      { time: rare([0, 0, 0, 30e6, 0, 0, 0, 0, 0]),
        samples: rare([0, 0, 0, 30, 0, 0, 0, 0, 0]),
        lines: column([3, 1, 31, 20e6, 20, 3, 1, 33, 10e6, 10]) }));
    await page.keyboard.press("5");
    const rows = page.locator("#panel-source .half").nth(1).locator(".row");

    assert.match((await rows.nth(0).innerText()).replace(/\s+/g, " "),
                 /^31 lex 20.00 ms ?66.7 % 0/);
    assert.match((await rows.nth(1).innerText()).replace(/\s+/g, " "),
                 /^33 lex 10.00 ms/);
    assert.match((await rows.nth(2).innerText()).replace(/\s+/g, " "),
                 /^\d0 \w+ 0/);
  });

test("a comparison colours what changed", async () => {
  const before = [0, 1, 10, 200, 20, 30, 5, 0, 20];

  await show("diff", known({}, { "b.calls": column(before),
                                 "b.time": rare(before.map(() => 0)) }));
  assert.deepEqual(await page.locator(".legend").innerText()
    .then((text) => text.split(/\s+/)), ["fewer", "same", "more"]);
  const colours = await page.evaluate(() => {
    const { graph } = clew.views.graph;

    return Object.fromEntries(graph.frames.interactionsEngine.hitRegions.map(
      ({ data: { node } }) => [node, graph.styleOf(node).colour]));
  });

  assert.match(colours[3], /^hsl\(212/, "lex below parse became rarer");
  assert.match(colours[7], /^hsl\(8 /, "lex below eval is new");
});

test("a comparison's table begins with the largest change, in sight",
  async () => {
    const before = [0, 1, 10, 200, 20, 30, 5, 0, 20];

    await show("diff", known({}, { "b.calls": column(before),
                                   "b.time": rare(before.map(() => 0)) }));
    await page.keyboard.press("3");
    const head = page.locator("#panel-functions [aria-sort=descending]");
    const rows = page.locator("#panel-functions .row .name");

    assert.match(await head.innerText(), /^Δ/);
    assert.equal(await rows.first().innerText(), "lex");
    const { x, width } = await head.boundingBox();

    assert.ok(x + width < page.viewportSize().width);
  });

/* lex below parse: 200 samples less; lex below eval: 5 more, which is chance. */
test("changes of sampled time that may be random are muted", async () => {
  const before = [0, 0, 0, 300, 50, 0, 0, 0, 40];
  const after = [0, 0, 0, 100, 55, 0, 0, 5, 40];
  const ns = (samples) => rare(samples.map((n) => n * 1e6));

  await show("random", known({ taken: { mode: "cpu", rate: 1000, lost: [] } }, {
    time: ns(after), samples: rare(after),
    "b.calls": column([0, 1, 10, 200, 20, 30, 5, 0, 20]),
    "b.time": ns(before), "b.hits": rare(before) }));
  const colours = await page.evaluate(() => {
    const { graph } = clew.views.graph;

    return Object.fromEntries(graph.frames.interactionsEngine.hitRegions.map(
      ({ data: { node } }) => [node, graph.styleOf(node).colour]));
  });

  assert.match(colours[3], /^hsl\(212/, "lex below parse takes less time");
  assert.match(colours[7], /^hsl\(220 /, "5 samples more may be random");
  assert.match(await page.locator(".legend").innerText(), /may be random/);
  await page.keyboard.press("3");
  const cells = await page.locator("#panel-functions .cell.change-time")
    .allInnerTexts();

  assert.match(cells[1], /^−195\.0 ms$/);
  assert.match(cells[2], /^\+5\.000 ms \?$/);
  assert.equal(cells[3], "0");
});

test("what was lost is said at once", async () => {
  await show("lost", known({ losses: [{ reason: "the recording could not grow",
                                        number: 12345 }],
    missing: [{ kind: "calls", text: "12,345 lost calls" }] }));
  assert.equal(await page.locator(".chip").innerText(),
               "missing: 12,345 lost calls");
  await page.click(".chip");
  await page.waitForSelector("#panel-coverage:not([hidden])");
  assert.match(await page.locator("#panel-coverage").innerText(),
               /12,345 the recording could not grow/);
});

test("a trace that overwrites old calls is no problem", async () => {
  const ring = "1.0.part: only the latest calls are counted: 7 packets of " +
    "earlier calls were overwritten";

  const older = "older calls (7 packets overwritten)";
  const missing = [{ kind: "calls", text: older }];

  await show("ring", known({ problems: [ring], expected: [ring], missing }));
  assert.equal(await page.locator(".chip").innerText(), `missing: ${older}`);
  assert.match(await page.locator("header").innerText(),
               /\d calls, counted without older calls \(7 packets overwritten\)/);
  await page.click(".chip");
  await page.waitForSelector("#panel-coverage:not([hidden])");
  const said = await page.locator("#panel-coverage").innerText();

  assert.match(said, /Notes\s+1\.0\.part: only the latest calls/);
  assert.match(said, /Calls lost\s+some\s+Missing: older calls/);
  assert.match(said, /Missing\s+older calls/);
  assert.doesNotMatch(said, /Problems|exact|lost\s+none/);
  assert.doesNotMatch(await page.locator("header").innerText(), /exact|nothing/);
  await page.keyboard.press("3");
  assert.match(await page.locator("#panel-functions").innerText(),
               /Calls are counted without older calls/);
  await show("damaged", known({ problems: [ring, "1.0.part: truncated"],
                                expected: [ring] }));
  assert.match(await page.locator(".chip").innerText(), /^1 problem$/);
});

test("each kind of missing data is in the badge and in Coverage", async () => {
  for (const kind of ["calls", "contexts", "time", "probe", "code"]) {
    await show(`missing-${kind}`, known({ missing: [{ kind, text: "5 things" }] }));
    assert.equal(await page.locator(".chip").innerText(), kind === "code"
      ? "nothing lost; not hooked: 5 things" : "missing: 5 things");
    assert.equal(/exact/.test(await page.locator(".facts").innerText()),
                 kind !== "calls");
    await page.click(".chip");
    assert.match(await page.locator("#panel-coverage").innerText(),
                 /Missing\s+5 things/);
  }
  await show("problem", known({ problems: ["1.0.part: truncated"] }));
  assert.doesNotMatch(await page.locator("body").innerText(), /exact|every call/i);
});

test("an import claims nothing about hooks", async () => {
  await show("import", known({ imported: { from: "callgrind", calls: true } }));
  await page.click(".chip");
  const said = await page.locator("#panel-coverage").innerText();

  assert.match(said, /Another tool has counted or sampled this/);
  assert.doesNotMatch(said, /hooked 100|Calls lost|exactly once/);
});

test("a page of imported samples calls nothing exact", async () => {
  const zeros = rare([0, 0, 0, 30e6, 0, 0, 0, 0, 0]);

  await show("samples", known({ imported: { from: "perf", calls: false },
    value: { name: "samples", unit: "samples" },
    total: { calls: 0, contexts: 8, processes: 1, threads: 1, folded: 0, stray: 0 } },
  { time: zeros, samples: zeros }));
  for (const tab of ["Functions", "Call tree", "Graph"]) {
    await page.getByRole("tab", { name: tab }).click();
    await settled();
    assert.doesNotMatch(await page.locator("body").innerText(), /exact/);
  }
});

test("an import without contexts has calls that are estimated by context",
  async () => {
    const taken = { mode: "cpu", rate: 1000, lost: [] };
    const zeros = rare([0, 0, 0, 30e6, 0, 0, 0, 0, 0]);

    await show("estimated", known({ taken, imported: {
      from: "callgrind", calls: true, estimated_contexts: true } },
    { time: zeros, samples: zeros }));
    const are = "exact for each function, estimated for each context";

    assert.match(await page.locator("header").innerText(),
                 new RegExp(`226 calls, ${are}`));
    assert.equal(await page.getByRole("button", { name: "Calls", exact: true })
      .getAttribute("title"), `calls (${are}) (m)`);
  });

test("a recursion a hundred thousand deep", async () => {
  const deep = Array.from({ length: 100000 }, (_, i) => [i + 1, 4, 1]);

  await show("deep", write(metaOf(deep.length, functionsOf(), {
    modules: [{ name: "program", path: "/program", state: "hooked", hooked: 1,
                refused: 0, reasons: [] }], files: ["", "a.c"] }),
  sectionsOf(deep)));
  near((await frame("eval", 1)).w, 1200);
  const scrolled = async () => {
    await page.mouse.move(600, 400);
    await page.mouse.wheel(0, 40000);
    await settled();
    return Math.max(...(await frames()).map((each) => each.row));
  };

  assert.ok(await scrolled() > 2000);
  await page.keyboard.press("i");
  await settled();
  assert.ok(await scrolled() > 60);
  await page.keyboard.press("3");
  assert.deepEqual(await cells("functions", "name .name"), ["eval"]);
});

for (const [contexts, limit] of [[100000, 5000], [1000000, 15000]])
  test(`${contexts} contexts can be used`, async () => {
    const step = await costOf();

    await step(() => show(`synthetic-${contexts}`,
                          synthetic(contexts, { time: true })), limit);
    const drawn = (await frames()).length;

    assert.ok(drawn > 100 && drawn < 60000, `${drawn} frames`);
    await page.screenshot({ path: join(folder, `${contexts}.png`) });
    await step(() => page.keyboard.press("m"), 4000);
    await step(() => page.keyboard.press("i"), 4000);
    await page.screenshot({ path: join(folder, `${contexts}-inverted.png`) });
    await step(() => page.keyboard.press("3"), 4000);
    await page.screenshot({ path: join(folder, `${contexts}-table.png`) });
    await step(() => page.keyboard.press("1"), 4000);
    await page.fill("#search", "page");
    await page.waitForFunction(() => /% of calls/.test(
      document.querySelector("#matched").textContent));
  });
