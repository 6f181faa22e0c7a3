/* SPDX-License-Identifier: MIT */
/* "Missing and estimated data": the quality of this recording. */
import { element, replace } from "./dom.js";
import * as format from "./format.js";
import { callsAre, missingOf, problemsOf } from "./missing.js";
import { amountName, capital, rangeOf, traceTimeNote } from "./measures.js";

function card(title, figure, text, level = "good") {
  return element(`section.card.${level}`, {}, element("h2", {}, title),
    element("p.figure", {}, figure), element("p", {}, text));
}

function hookedCard({ hooking: coverage }) {
  const all = coverage.hooked + coverage.refused;
  const share = all ? coverage.hooked / all : 1;

  return card("Functions hooked", format.percent(share),
    `${format.count(coverage.hooked)} of ${format.plural(all, "function")} ` +
    `in ${format.plural(coverage.modules, "module")}` +
    (coverage.refused ? `; ${format.count(coverage.refused)} could not be hooked: ` +
      "their callees are counted below their callers" : "") +
    (coverage.left_alone ? `; ${format.count(coverage.left_alone)} more are ` +
      "excluded on purpose." : "."),
    share > 0.99 ? "good" : "fair");
}

function sumOf(losses) {
  return losses.reduce((all, loss) => all + loss.number, 0);
}

function lossCard(meta) {
  const { losses, total } = meta;
  const sum = sumOf(losses);
  const calls = missingOf(meta, "calls");

  if (calls.length)
    return card("Calls lost", sum ? format.short(sum) : "some",
      `Missing: ${calls.join("; ")}. ` + losses.map((loss) =>
        `${format.count(loss.number)} ${loss.reason}. `).join("") +
      "The counts cover the other calls.",
      sum > total.calls / 100 ? "poor" : "fair");
  if (problemsOf(meta).length)
    return card("Calls lost", "none known", "No call is known to be lost, but " +
      "the problems below may mean that some are.", "fair");
  return card("Calls lost", "none", "Every call of a hooked function is " +
    "counted exactly once.");
}

function placeCard(meta) {
  const { total, folded } = meta;
  const off = total.folded + total.stray;
  const missing = missingOf(meta, "contexts");

  if (off)
    return card("Calls without a context", format.short(off),
      `Missing: ${missing.join("; ")}. ` + (total.folded
        ? "Folded calls are counted as (folded), below the nearest caller that " +
          `has room (${Object.entries(folded).map(([reason, calls]) =>
            `${format.count(calls)} ${reason}`).join("; ")}).` : ""), "fair");
  if (missing.length)
    return card("Calls without a context", "some",
      `Missing: ${missing.join("; ")}.`, "fair");
  if (problemsOf(meta).length)
    return card("Calls without a context", "none known", "No call was folded, " +
      "but the problems below may mean that contexts are wrong.", "fair");
  return card("Calls without a context", "none",
    "Every call is counted in the context in which it was made.");
}

const decided = (v) => v.verified + v.collisions + v.diverged;
const wrong = (v) => v.collisions + v.diverged;
const undecided = (v) => v.partial / (v.partial + decided(v) || 1);
const percent = format.roughly;

function bound(verdicts, what) {
  return decided(verdicts)
    ? `fewer than ${percent(verdicts.wrong_at_most)} of ${what}`
    : `no bound for ${what}`;
}

function confidenceCard({ confidence: calls }) {
  const { contexts } = calls;
  const trials = decided(calls) + decided(contexts);
  const mismatches = wrong(calls) + wrong(contexts);
  const reasons = [...new Set([...Object.keys(calls.partial_reasons),
                               ...Object.keys(contexts.partial_reasons)])];

  return card("Calls verified", trials ? format.short(trials) : "none",
    trials ? `Random calls were compared with the whole stack; ` +
      `${format.count(decided(contexts))} of them were the first in their ` +
      `context. Mismatches: ${format.count(mismatches)}. ` +
      `Of the verifiable ones, ${bound(calls, "calls")} and ` +
      `${bound(contexts, "contexts")} are wrong (95 %).` +
      (reasons.length ? ` For ${percent(undecided(calls))} of calls and ` +
      `${percent(undecided(contexts))} of contexts, the whole stack could ` +
      `not be read: ${reasons.join(", ")}.` : "")
      : "There were too few calls for a random check.",
    mismatches ? "poor" : trials ? "good" : "fair");
}

function timeCard({ taken: time }, profile) {
  const { value } = profile.meta;

  if (value)
    return card(capital(amountName(profile)), format.amount(value.total),
      "Shown instead of time: the exact values that an agent in the program counted.",
      "good");
  if (profile.isTraceTimed)
    return card("Time", "of the trace", traceTimeNote(profile), "plain");
  if (!time)
    return card("Time", "not recorded", "This recording counts calls; " +
      "widths and shares are of calls, not of time.", "plain");
  if (time.mode === "exact")
    return card("Time", "exact", "Measured at both ends of every call; the " +
      "calibrated cost of measuring is subtracted.");
  return card("Samples", format.short(profile.samples),
    `${time.mode === "wall" ? "Wall-clock" : "CPU"} time is estimated from ` +
    `samples${time.rate ? `, ${time.rate} per second` : ""}; a share of 50 % ` +
    `may be ${rangeOf(profile, 0.5)} %, one of 1 % ` +
    `${rangeOf(profile, 0.01)} % (in 95 of 100 cases).`,
    profile.samples >= 1000 ? "good" : "fair");
}

function missingCard({ taken }) {
  return (taken?.lost ?? []).map((loss) =>
    card("Time missing", format.short(loss.number), `${loss.reason}.`, "fair"));
}

function costCard({ self_cost: cost, taken }) {
  if (!cost || !taken || cost.samples === 0)
    return [];
  const share = cost.time_ns / (cost.time_ns + (cost.shown ? 0 : taken.ns));

  return [card("clew itself", format.time(cost.time_ns),
    `${format.percent(Math.min(1, share))} of all time went into counting ` +
    `and hooking (${format.plural(cost.samples, "sample")}); this time ` +
    (cost.shown ? "is shown as (clew)." : "is not included in this page."),
    "plain")];
}

function startCard({ self_cost: cost }) {
  if (!cost?.start_cpu_ns)
    return [];
  const dearest = cost.modules.filter((one) => one.start_ns > 0).slice(0, 3)
    .map((one) => `${one.path.split("/").pop()} ${format.time(one.start_ns)}`);

  return [card("clew's start", format.time(cost.start_cpu_ns),
    "of CPU time to hook functions before programs began" +
    `${dearest.length ? ` (${dearest.join(", ")})` : ""}; no time in this ` +
    "page includes it.", "plain")];
}

function trapCard({ breakpoint_hits: traps }) {
  return traps ? [card("Breakpoint hits", format.short(traps),
    "Functions without room for a jump are hooked by a breakpoint, which " +
    "costs microseconds per call.", "fair")] : [];
}

function bar(hooked, all) {
  const made = element("span.bar", { "aria-hidden": "true" });

  made.style.setProperty("--share", `${all ? hooked / all * 100 : 0}%`);
  return made;
}

function moduleRow(module) {
  const all = module.hooked + module.refused;

  return element("tr", {},
    element("td", { title: module.path }, module.name),
    module.state === "hooked"
      ? element("td.number", {},
                `${format.count(module.hooked)} of ${format.count(all)}`)
      : element("td.number.quiet", {}, "not hooked"),
    element("td.number", {}, module.state === "hooked"
      ? [bar(module.hooked, all), element("span.percent", {},
          format.percent(all ? module.hooked / all : 1))] : []),
    element("td", {}, module.state === "hooked"
      ? module.reasons.map(([reason, number]) =>
          element("div", {}, `${format.count(number)} × ${reason}`))
      : element("span.quiet", {}, module.state)));
}

function tableOf(heads, rows) {
  return element("table", {},
    element("thead", {}, element("tr", {}, heads.map((head) =>
      element(`th${head.startsWith("#") ? ".number" : ""}`, {},
              head.replace("#", ""))))),
    element("tbody", {}, rows));
}

function moduleTable({ modules }) {
  const sorted = [...modules].sort((a, b) =>
    b.hooked + b.refused - a.hooked - a.refused);

  return element("section", {}, element("h2", {}, "Modules"),
    tableOf(["Module", "#Hooked", "#Share", "Functions not hooked, and why"],
            sorted.map(moduleRow)));
}

function processTable({ processes }) {
  return element("section", {}, element("h2", {}, "Processes"),
    tableOf(["#pid", "Command", "#Threads", "Started", "#Ran"],
      processes.map((each) => element("tr", {},
        element("td.number", {}, String(each.pid) +
          (each.seq ? ` (exec ${each.seq})` : "")),
        element("td.command", {}, each.command.join(" ")),
        element("td.number", {}, format.count(each.threads)),
        element("td", {}, format.date(each.start_ms)),
        element("td.number", {}, each.ran_ns ? format.time(each.ran_ns)
          : "no end recorded")))));
}

function groupTable(profile) {
  const { groups, meta } = profile;
  const sum = (column) => column.reduce((a, b) => a + b, 0);
  const isTimed = Boolean(groups[0]?.self.time);

  if (meta.too_many)
    return element("section", {}, element("h2", {}, "Threads"),
      element("p", {}, "There are too many contexts to show processes and " +
        "threads separately; clew html --thread writes a page of one thread."));
  return groups.length ? element("section", {},
    element("h2", {}, "Who called"),
    tableOf(["Kind", "Name", "#Contexts", "#Calls",
             ...isTimed ? [`#${capital(amountName(profile))}`] : []],
      groups.map((group) => element("tr", {},
        element("td.quiet", {}, group.is_process ? "process" : "thread"),
        element("td", {}, group.name),
        element("td.number", {}, format.count(group.contexts)),
        element("td.number", {}, format.count(group.calls)),
        isTimed && element("td.number", {},
                           format.amount(sum(group.self.time))))))) : null;
}

function list(title, lines, kind) {
  return lines.length ? [element("section", {}, element("h2", {}, title),
    element(kind, {}, lines.map((line) => element("li", {}, line))))] : [];
}

/* Returns "nothing lost", or a short description of losses. */
export function verdict(meta) {
  const { confidence, imported } = meta;
  const problems = problemsOf(meta);
  const missing = missingOf(meta, "calls", "contexts", "time", "probe");
  const code = missingOf(meta, "code");
  const words = [];

  if (problems.length)
    words.push(format.plural(problems.length, "problem"));
  if (wrong(confidence) + wrong(confidence.contexts))
    words.push("mismatches");
  if (missing.length)
    words.push(`missing: ${missing.slice(0, 2).join(", ")}` +
      (missing.length > 2 ? `, ${missing.length - 2} more` : ""));
  if (words.length)
    return { isGood: false, text: words.join("; ") };
  if (imported)
    return { isGood: true, text: `imported from ${imported.from}` };
  return { isGood: true, text: code.length
    ? `nothing lost; not hooked: ${code.join(", ")}` : "nothing lost" };
}

export class CoverageView {
  constructor(host, app) {
    this.host = host;
    host.tabIndex = 0; /* the keyboard scrolls it */
    this.app = app;
  }

  show() {
    const { profile } = this.app;
    const { meta } = profile;

    replace(this.host, element("div.prose", {},
      element("h1", {}, "Missing and estimated data"),
      element("p.lead", {}, meta.imported
        ? "Another tool has counted or sampled this. The notes below say what " +
          "its numbers are."
        : `Call counts are ${callsAre(meta)}. This tab lists the calls ` +
        "and times that are sampled, lost, folded or not hooked, with numbers."),
      /* The cards describe how clew records. */
      meta.imported ? "" : element("div.cards", {}, hookedCard(meta), lossCard(meta),
        placeCard(meta), confidenceCard(meta), timeCard(meta, profile),
        missingCard(meta), startCard(meta), costCard(meta), trapCard(meta)),
      list("Problems", problemsOf(meta), "ul.problems"),
      list("Missing", missingOf(meta), "ul"),
      list("Notes", meta.expected ?? [], "ul"), moduleTable(meta), processTable(meta),
      groupTable(profile)));
  }
}
