/* SPDX-License-Identifier: MIT */
/*
 * Bundles src/ into page.html, which is committed and becomes part of clew.
 * Its commands:
 *
 *	npm ci && npm run build		writes page.html
 *	npm run check			fails unless page.html is up to date
 *
 * The script, which contains the style sheet, is compressed, since it is most of
 * a small page. src/boot.js unpacks and runs it. The page may run only these two, which are identified by
 * their hashes, and load nothing.
 */
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateSync, inflateSync } from "node:zlib";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const page = join(here, "page.html");
const mark = "<!--clew-data-->"; /* report/html/html.c inserts the data here */

/*
 * Names come from hostile files, so text must never be interpreted as markup.
 */
function refuseMarkup() {
  const forbidden =
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(/;

  for (const name of readdirSync(join(here, "src"))) {
    const text = readFileSync(join(here, "src", name), "utf8");

    if (forbidden.test(text))
      throw new Error(`src/${name}: makes markup or code from text`);
  }
}

/*
 * Returns the licences of all bundled packages, which must be distributed with
 * them.
 */
function licences(metafile) {
  const packages = new Set(Object.keys(metafile.inputs)
    .map((input) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1])
    .filter(Boolean));

  return [...packages].sort().map((name) => {
    const folder = join(here, "node_modules", name);
    const { version } = JSON.parse(readFileSync(join(folder, "package.json")));
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));

    return `${name} ${version}\n\n` +
      readFileSync(join(folder, file), "utf8").trim();
  }).join("\n\n----\n\n").replaceAll("--", "- -");
}

const pack = (text) => deflateSync(text, { level: 9 }).toString("base64");

/*
 * Returns a page with the script as text. Versions of zlib compress differently,
 * so compressed scripts cannot be compared.
 */
function unpacked(html) {
  return html.replace(/(id="clew-code">)([^<]*)/, (_, head, code) =>
    head + inflateSync(Buffer.from(code, "base64")));
}

const hashOf = (script) =>
  `'sha256-${createHash("sha256").update(script).digest("base64")}'`;

/* Returns what esbuild makes of the sources. */
const bundleOf = (entryPoints, define = {}) => build({
  absWorkingDir: here, entryPoints, define,
  outdir: "unused", bundle: true, minify: true, write: false,
  metafile: true, format: "iife", target: ["es2022"], charset: "ascii",
  legalComments: "none",
});

async function bundle() {
  const style = (await bundleOf(["src/style.css"])).outputFiles[0].text.trim();
  const result = await bundleOf(["src/main.js", "src/boot.js"],
                                { STYLE: JSON.stringify(style) });
  const text = (suffix) => result.outputFiles.find((file) =>
    file.path.endsWith(suffix)).text.trim();
  const script = text("main.js");
  const boot = text("boot.js");

  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
script-src ${hashOf(boot)} ${hashOf(script)}; style-src 'unsafe-inline'; base-uri 'none'; \
form-action 'none'">
<meta name="generator" content="clew">
<meta name="color-scheme" content="light dark">
<title>clew</title>
<!--
SPDX-License-Identifier: MIT
Made by report/html/build.mjs from report/html/src/; do not edit. It contains

${licences(result.metafile)}
-->
</head>
<body>
<noscript>This page needs JavaScript.</noscript>
<script type="text/plain" id="clew-data">${mark}</script>
<script type="text/plain" id="clew-code">${pack(script)}</script>
<script>${boot}</script>
</body>
</html>
`;
}

refuseMarkup();
const made = await bundle();

if (made.split(mark).length !== 2)
  throw new Error("the data has no place, or several");
if (!process.argv.includes("--check")) {
  writeFileSync(page, made);
} else if (unpacked(readFileSync(page, "utf8")) !== unpacked(made)) {
  console.error("report/html/page.html is not what report/html/src gives: " +
    "run `npm run build` there");
  process.exit(1);
}
