/* SPDX-License-Identifier: MIT */
/*
 * open.mjs PROFILE SCREENSHOT: opens a profile in speedscope, in a browser.
 *
 * Prints, as JSON, what its table of functions ("sandwich") says of the first
 * profile: [{total, self, name}], in speedscope's own words. Exits with 77
 * where the browser, its driver (npm ci in report/html) or speedscope (npm ci
 * here) is missing.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const SKIPPED = 77;
const here = dirname(fileURLToPath(import.meta.url));
const [profile, screenshot] = process.argv.slice(2);
const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser",
                  "/usr/bin/google-chrome"].find(existsSync);
const index = join(here, "node_modules/speedscope/dist/release/index.html");

function driver() {
  try {
    return createRequire(join(here, "../../report/html/package.json"))(
      "playwright-core").chromium;
  } catch {
    return null;
  }
}

if (!chromium || !driver() || !existsSync(index)) {
  console.error("no browser, driver or speedscope here");
  process.exit(SKIPPED);
}

/* As speedscope's own command hands a file to the page. */
const data = readFileSync(profile).toString("base64");
writeFileSync(`${profile}.js`,
              `speedscope.loadFileFromBase64("profile", "${data}")`);

const browser = await driver().launch({
  executablePath: chromium,
  args: ["--no-sandbox", "--enable-unsafe-swiftshader"] });
const page = await browser.newPage({ viewport: { width: 1200, height: 2400 } });
const errors = [];
page.on("pageerror", (error) => errors.push(String(error)));
page.on("console", (said) => {
  if (said.type() === "error") errors.push(said.text());
});
page.on("dialog", (dialog) => {
  errors.push(dialog.message());
  dialog.dismiss();
});
await page.goto(`${pathToFileURL(index)}#localProfilePath=`
                + encodeURIComponent(`${profile}.js`));
await page.getByText("Sandwich").click();
await page.locator("tr", { hasText: "Symbol Name" }).waitFor();
const rows = await page.locator("tr").evaluateAll((all) => all.map(
  (row) => Array.from(row.cells, (cell) => cell.innerText.trim())));
if (screenshot) {
  await page.getByText("Time Order").click();
  await page.screenshot({ path: screenshot });
}
await browser.close();
console.log(JSON.stringify({ errors, rows }));
