/* SPDX-License-Identifier: MIT */
/*
 * What tests of the page in a real browser share: the browser, a page in it for each test,
 * and that the page neither complains nor asks the network.
 *
 * Exits with 77 where the browser or its driver (npm ci in report/html) is missing.
 */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { after, afterEach, before, beforeEach } from "node:test";
import { fileURLToPath } from "node:url";

const SKIPPED = 77;
export const root = fileURLToPath(new URL("../..", import.meta.url));
export const build = resolve(process.env.CLEW_BUILD ?? join(root, "build"));
export const folder = join(build, "tests", "page");
const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser",
                  "/usr/bin/google-chrome"].find(existsSync);

function driver() {
  try {
    return createRequire(join(root, "report/html/package.json"))(
      "playwright-core").chromium;
  } catch {
    return null;
  }
}

if (!chromium || !driver()) {
  console.log(chromium ? "skipped: no playwright-core: npm ci in report/html"
    : "skipped: no chromium here");
  process.exit(SKIPPED);
}

let browser;
export let context, page;
const said = { errors: [], requests: [] };

before(async () => {
  mkdirSync(folder, { recursive: true });
  browser = await driver().launch({
    executablePath: chromium, args: ["--no-sandbox", "--disable-gpu"] });
});
after(() => browser.close());
beforeEach(() => openBrowser());
afterEach(async () => {
  await context.close();
  assert.deepEqual(said.errors, [], "the page complained");
  assert.deepEqual(said.requests.filter((url) => !url.startsWith("file:")), [],
                   "the page asked the network");
});

export async function openBrowser(options = {}) {
  said.errors = [];
  said.requests = [];
  context = await browser.newContext({
    viewport: { width: 1200, height: 700 }, reducedMotion: "reduce",
    ...options });
  page = await context.newPage();
  page.on("pageerror", (error) => said.errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" &&
    said.errors.push(message.text()));
  page.on("dialog", (dialog) => {
    said.errors.push(`a dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("request", (request) => said.requests.push(request.url()));
}

export async function show(name, html) {
  const file = join(folder, `${name}.html`);

  writeFileSync(file, html);
  await page.goto(`file://${file}`);
  await page.waitForSelector("html[data-ready]", { timeout: 240000 });
  await settled();
}

export function settled() {
  return page.evaluate(() => new Promise((done) => requestAnimationFrame(() =>
    requestAnimationFrame(() => requestAnimationFrame(done)))));
}

/*
 * What the page's main thread takes of a processor for a step, in ms, whatever
 * else wants the processors meanwhile.
 */
export async function costOf() {
  const client = await context.newCDPSession(page);
  const taken = async () => {
    const { metrics } = await client.send("Performance.getMetrics");

    return metrics.find(({ name }) => name === "TaskDuration").value * 1000;
  };

  await client.send("Performance.enable", { timeDomain: "threadTicks" });
  return async (what, most) => {
    const before = await taken();

    await what();
    await settled();
    const cost = await taken() - before;

    assert.ok(cost > 0 && cost < most, `${what}: ${cost} ms`);
  };
}
