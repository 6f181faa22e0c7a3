/* SPDX-License-Identifier: MIT */
/*
 * A page of a small tree whose every number is known, and what tests read from
 * its graphs and tables.
 */
import assert from "node:assert/strict";
import { page, settled } from "./browser.mjs";
import { column, kinds, metaOf, page as write, sectionsOf } from "./synthetic.mjs";

/*
 * main 1 -> parse 10 -> lex 100            read 50 is called by both,
 *        -> eval 20 -> read 30 -> eval 5   eval by itself through read
 *                   -> lex 40
 *        -> read 20
 */
export const names = ["(all)", "main", "parse", "lex", "eval", "read"];
export const [MAIN, PARSE, LEX, EVAL, READ] = [1, 2, 3, 4, 5];
export const items = [[1, MAIN, 1], [2, PARSE, 10], [3, LEX, 100], [2, EVAL, 20],
               [3, READ, 30], [4, EVAL, 5], [3, LEX, 40], [2, READ, 20]];
export const TOTAL = 226;

export function functionsOf(list = names) {
  const same = (value) => list.map((_, i) => i === 0 ? 0 : value);

  return { name: list, kind: same(kinds.indexOf("native")),
           module: list.map((_, i) => i === 0 ? -1 : i === READ ? 1 : 0),
           file: same(1), line: list.map((_, i) => i * 10) };
}

export function known(extra = {}, sections = {}, list = names) {
  const modules = ["program", "libread.so"].map((name) => ({
    name, path: `/usr/bin/${name}`, state: "hooked", hooked: 3, refused: 0,
    reasons: [] }));

  return write(metaOf(items.length, functionsOf(list), {
    modules, files: ["", "/src/program.c"],
    total: { calls: TOTAL, contexts: items.length, processes: 1, threads: 1,
             folded: 0, stray: 0 }, ...extra }),
  { ...sectionsOf(items), ...sections });
}

/* Two threads for a page with time: the first has lex below parse. */
export const groupsOf = () => ({ groups: [
  { name: "one (1)", is_process: false, calls: 100, contexts: 1 },
  { name: "two (2)", is_process: false, calls: 20, contexts: 1 }] });

/* Context, calls, ns and samples of each. */
export const groupSections = () => ({
  groups: column([3, 100, 20e6, 20, 4, 20, 0, 0]) });

/* Returns the drawn frames, from the areas that react to the mouse. */
export const frames = (view = "graph") => page.evaluate((key) => {
  const graph = key === "graph" ? clew.views.graph.graph
    : clew.views.butterfly.graphs[Number(key)];

  return graph.frames.interactionsEngine.hitRegions.map((region) => ({
    name: graph.label(region.data.node), row: region.data.row,
    x: region.x, y: region.y, w: region.w, rest: region.data.rest }));
}, String(view));

export async function frame(name, row) {
  const [found] = (await frames()).filter((each) => each.name === name &&
    (row === undefined || each.row === row)).sort((a, b) => b.w - a.w);

  assert.ok(found, `no frame ${name}`);
  return found;
}

export async function clickFrame(name, row, options) {
  const { x, y, w } = await frame(name, row);
  const box = await page.locator("#panel-graph canvas").boundingBox();
  const left = Math.max(x, 0), right = Math.min(x + w, box.width);

  await page.mouse.click(box.x + (left + right) / 2, box.y + y + 8, options);
  await settled();
}

/* Return the texts of cells, without the shares behind numbers. */
export const firstOf = (locator) => locator.evaluateAll((all) =>
  all.map((cell) => cell.firstChild.textContent));
export const cells = (panel, key) => firstOf(page.locator(
  `#panel-${panel} .rows .${key}`));

export const near = (actual, expected) =>
  assert.ok(Math.abs(actual - expected) <= 1.5, `${actual} != ${expected}`);
