/* SPDX-License-Identifier: MIT */
/* The page: its views, and navigation between them. */
import { announce, announcer } from "./announce.js";
import { Address, composeRange, parse, parseRange } from "./address.js";
import { ButterflyView } from "./butterfly.js";
import { CallTreeView } from "./calltree.js";
import { copy } from "./clipboard.js";
import { CallsView } from "./calls.js";
import { Colours } from "./colours.js";
import { CodeView } from "./code.js";
import { CoverageView, verdict } from "./coverage.js";
import { decode } from "./data.js";
import { element, replace, segments, select } from "./dom.js";
import * as format from "./format.js";
import { FunctionsView } from "./functions.js";
import { GraphView } from "./graph.js";
import { actionsOf } from "./actions.js";
import { help } from "./help.js";
import { Identity } from "./identity.js";
import { listenToLongPresses } from "./longpress.js";
import * as measures from "./measures.js";
import { Menu } from "./menu.js";
import { callsAre, countText, earlierCallsAre, hasCalls } from "./missing.js";
import { NativesView } from "./natives.js";
import { Profile } from "./profile.js";
import { search } from "./search.js";
import { SourceView } from "./source.js";
import { Steps } from "./steps.js";
import { ThreadsView } from "./threads.js";
import { TimelineView } from "./timelineview.js";
import { rangeText } from "./timescale.js";

const allTabs = [["graph", "Flame graph", GraphView],
                 ["tree", "Call tree", CallTreeView],
                 ["functions", "Functions", FunctionsView],
                 ["butterfly", "Butterfly", ButterflyView],
                 ["source", "Source", SourceView],
                 ["code", "Instructions", CodeView],
                 ["coverage", "Coverage", CoverageView],
                 ["timeline", "Timeline", TimelineView],
                 ["calls", "Calls", CallsView],
                 ["threads", "Threads", ThreadsView],
                 ["natives", "Natives of Java", NativesView]];

class App {
  constructor(profile) {
    this.profile = profile;
    this.colours = new Colours(profile);
    this.tabs = allTabs.filter(([key]) => this.#hasTab(key));
    [this.measure] = profile.measures;
    this.colours.mode = profile.base ? "change"
      : this.colours.kindsPresent().filter((kind) => kind !== "note")
        .length > 1 ? "kind" : "module";
    this.function = 0; /* the selected function */
    this.context = 0; /* to be selected once by the flame graph */
    this.found = null; /* result of search() */
    this.views = {};
    this.stale = new Set();
    this.steps = new Steps(this);
    this.menu = new Menu();
    this.identity = new Identity(profile);
    this.linked = {}; /* parameters of the address for views to come */
    this.address = new Address(() => this.state(),
                               (state) => this.restore(state));
    this.#makePage();
    this.panels.graph.hidden = false; /* the canvas takes its size */
    this.#make("graph", GraphView);
    this.#setTheme(this.#storedTheme());
    this.address.quietly(() => this.restore(parse(location.hash)));
    document.addEventListener("keydown", (event) => this.#key(event));
    listenToLongPresses();
  }

  /* Returns whether the recording has anything for a tab. */
  #hasTab(key) {
    const { timeline, groups } = this.profile;
    const needs = { code: () => this.profile.meta.code?.length > 0,
                    timeline: () => timeline, calls: () => timeline?.hasCalls,
                    threads: () => groups.length > 0,
                    natives: () => this.colours.kindsPresent().includes("java") };

    return !needs[key] || Boolean(needs[key]());
  }

  /* Creates the frame around the views. */

  #makePage() {
    this.panels = Object.fromEntries(this.tabs.map(([key]) =>
      [key, element("div.panel", { id: `panel-${key}`, role: "tabpanel",
                                   "aria-labelledby": `tab-${key}`,
                                   hidden: true })]));
    this.buttons = Object.fromEntries(this.tabs.map(([key, label], i) =>
      [key, element("button", {
        type: "button", role: "tab", title: i < 10 ? `${label} (${(i + 1) % 10})` : label,
        id: `tab-${key}`, "aria-controls": `panel-${key}`, onclick: () => this.go(key) }, label)]));
    this.notice = element("div.notice", { role: "status" });
    this.help = help(Boolean(this.profile.timeline));
    this.chips = element("div.chips", { role: "group", "aria-label": "Transforms",
                                        hidden: true });
    replace(document.body, this.#header(),
            element("main", {}, this.#toolbar(), this.chips,
                    Object.values(this.panels), this.menu.host),
            this.help, this.notice, announcer());
    document.title = `${this.#command()} · clew`;
  }

  #command([first] = this.profile.meta.processes) {
    return first ? first.command.join(" ") : "a recording";
  }

  /*
   * Describes the other recording of a comparison, and which one the widths
   * show.
   */
  #comparison() {
    const { profile } = this;
    const [first] = profile.meta.before ?? [];

    return profile.base && [
      first && element("div.facts", {}, element("span", {},
        `compared with ${this.#command(profile.meta.before)}`),
        element("span", {}, format.date(first.start_ms)),
        ...hasCalls(profile.meta)
          ? [element("span", {}, countText(
              format.plural(profile.base.below.calls[0], "call"),
              earlierCallsAre(profile.meta)))] : [])];
  }

  #header() {
    const { meta } = this.profile;
    const state = verdict(meta);
    const [first] = meta.processes;
    const facts = [
      first && format.date(first.start_ms),
      meta.ran_ns ? `ran ${format.time(meta.ran_ns)}` : "",
      format.plural(meta.total.processes, "process", "processes"),
      format.plural(meta.total.threads, "thread"),
      ...hasCalls(meta)
        ? [countText(format.plural(meta.total.calls, "call"), callsAre(meta))] : [],
      this.#timeFact(),
      ...hasCalls(meta) ? [format.plural(meta.total.contexts, "context")] : [],
    ];

    return element("header", {},
      element("div.title", {},
        element("span.brand", {}, "clew"),
        element("span.version", {}, meta.clew),
        element("h1.command", { title: this.#command() }, this.#command()),
        element("button.plain", { type: "button", id: "link",
          title: "Copy a link to what the page shows now (l)",
          onclick: () => this.copyLink() }, "Copy link"),
        element("button.icon", { type: "button", id: "theme",
          title: "Light or dark (d)", "aria-label": "Light or dark",
          onclick: () => this.toggleTheme() }, "◐"),
        element("button.icon", { type: "button", id: "help-button",
          title: "Keys (?)", "aria-label": "Keys",
          onclick: () => this.help.showModal() }, "?")),
      element("div.facts", {},
        facts.filter(Boolean).map((fact) => element("span", {}, fact)),
        element(`button.chip.${state.isGood ? "good" : "fair"}`, {
          type: "button", title: "Missing and estimated data",
          onclick: () => this.go("coverage") }, state.text)),
      this.#comparison(),
      element("div.tabs", {},
        element("div.tablist", { role: "tablist", "aria-label": "Views",
                                 onkeydown: (event) => this.#tabKey(event) },
                Object.values(this.buttons)),
        this.#rangeChip()));
  }

  #timeFact() {
    const { profile } = this;

    if (!profile.whole.time)
      return "";
    return `${format.amount(profile.below.time[0])} ${
      profile.meta.imported ? "" : "of "}` +
      `${measures.label(profile, "time")}` +
      (measures.isSampled(profile, "time")
        ? `, ${format.plural(profile.samples, "sample")}` : "");
  }

  /* Controls for all views: search, measure, threads. */

  #toolbar() {
    const { profile } = this;

    this.searchBox = element("input", {
      type: "search", id: "search", placeholder: "Search: regex, or module:…",
      spellcheck: "false", autocomplete: "off", "aria-label": "Search",
      oninput: () => this.#searchSoon(),
      onkeydown: (event) => this.#searchKey(event) });
    this.result = element("output", { id: "matched", for: "search" });
    this.tools = element("div.tools");
    this.measureButtons = profile.measures.length > 1
      ? segments("Width", profile.measures.map((measure) =>
          [measure, measures.capital(measures.nameOf(profile, measure)),
           `${measures.label(profile, measure)} (m)`]),
          this.measure, (measure) => this.setMeasure(measure)) : null;
    const sides = profile.base || profile.timeline?.canFollow ? segments("Recording", [
      ["before", "Before", "As wide as before"],
      ["after", "After", "As wide as after"]], "after", (side) => {
      profile.select({ isBefore: side === "before" });
      this.#changed();
      this.address.step();
    }) : null;

    this.sides = sides;
    sides?.toggleAttribute("hidden", !profile.base);
    this.groupChoice = this.#groupChoice();
    this.inlined = this.colours.kindsPresent().includes("inlined")
      ? element("button.plain", {
          type: "button", "aria-pressed": "false",
          title: "Count inlined functions as part of the functions that they are in (o)",
          onclick: () => this.foldInlined() }, "Fold inlined") : null;
    this.toolbar = element("div.toolbar", {}, this.tools, this.measureButtons,
      sides, this.groupChoice, this.inlined, element("span.gap"),
      element("div.searching", {}, this.searchBox, this.result));
    return this.toolbar;
  }

  #groupChoice() {
    const { groups } = this.profile;
    const options = (isProcess) => groups
      .map((group, i) => [String(i), group.name, group.is_process])
      .filter((option) => option[2] === isProcess);
    const made = [["Processes", true], ["Threads", false]]
      .map(([label, isProcess]) => ({ label, options: options(isProcess) }))
      .filter((group) => group.options.length > 0);

    return made.length ? select("Thread", [["", "all"], ...made], "",
      (value) => {
        this.profile.select({ chosen: value === "" ? null
          : [groups[Number(value)]] });
        this.#changed();
        this.address.step();
      }) : null;
  }

  /* Shows the flame graph of one thread or process. */
  chooseGroup(group) {
    this.profile.select({ chosen: [group] });
    this.groupChoice.choose(String(this.profile.groups.indexOf(group)));
    this.open("graph");
    this.#changed();
    this.address.step();
  }

  /* Shows the selected time range, and which data is available for it. */
  #rangeChip() {
    if (!this.profile.timeline)
      return null;
    this.rangeSaid = element("span.quiet");
    this.rangeButton = element("button.chip.range", {
      type: "button", id: "range", title: "Show the whole time again",
      onclick: () => this.setRange(null) });
    this.compareButton = element("button.link", {
      type: "button", id: "compare",
      title: "Keep this period, and compare it with the next one that is selected",
      onclick: () => this.#keepPeriod() }, "compare");
    this.rangeBox = element("span.ranged", { role: "status", hidden: true },
                            this.rangeButton, this.compareButton, this.rangeSaid);
    return this.rangeBox;
  }

  /* Restricts all views to a time range { from, to }; null: all. */
  setRange(range) {
    const other = range ? this.kept : null;

    if (other) {
      this.comparePeriods(other, range);
      return;
    }
    this.#selectPeriods(range, null);
    this.address.step();
  }

  /* Compares two time ranges: all views show the second, and the changes. */
  comparePeriods(before, now) {
    this.#selectPeriods(now, before);
    this.open("functions");
    this.address.step();
  }

  #selectPeriods(range, other) {
    this.kept = null;
    this.profile.select({ range, other, isBefore: false });
    this.#showRange();
    this.#changed();
  }

  #keepPeriod() {
    this.kept = this.profile.range;
    this.say("Select the period to compare with at the top of the timeline.");
    this.go("timeline");
  }

  /* Shows periods that are compared, and what belongs to comparisons only. */
  #showOther() {
    const { profile } = this;
    const { base, other } = profile;
    const mode = other ? "change" : this.views.graph?.firstMode;

    this.sides?.toggleAttribute("hidden", !base);
    this.sides?.choose(profile.isBefore ? "before" : "after");
    this.compareButton.hidden = Boolean(other);
    if (Boolean(other) !== this.isCompared && mode)
      this.views.graph.colour(mode);
    this.isCompared = Boolean(other);
  }

  #showRange() {
    const { profile } = this;
    const { range } = profile;

    if (!profile.measures.includes(this.measure))
      [this.measure] = profile.measures;
    this.measureButtons?.choose(this.measure);
    this.measureButtons?.toggleAttribute("inert",
                                         profile.measures.length < 2);
    if (!this.rangeBox)
      return;
    this.rangeBox.hidden = !range;
    this.#showOther();
    if (range) {
      replace(this.rangeButton, profile.other
        ? `${rangeText(profile.other)} → ${rangeText(range)} ✕`
        : `${rangeText(range)} ✕`);
      this.rangeSaid.textContent = measures.rangeNote(profile);
      this.rangeSaid.title = this.rangeSaid.textContent;
    }
  }

  /* ---- Transforms ---- */

  openMenu(f, at, stack) {
    this.menu.open(actionsOf(this, f, stack), at);
  }

  addStep(step) {
    this.setSteps([...this.profile.steps, step]);
  }

  /* Folds or unfolds inlined functions in all views. */
  foldInlined() {
    const { steps } = this.profile;
    const others = steps.filter(({ kind }) => kind !== "inlined");

    if (this.inlined)
      this.setSteps(others.length < steps.length ? others
        : [{ kind: "inlined" }, ...steps]);
  }

  setSteps(steps) {
    this.profile.transform(steps);
    this.#showSteps();
    this.#changed();
    this.address.step();
  }

  /* Shows the transforms as chips that can be removed. */
  #showSteps() {
    const { steps } = this.profile;
    const without = (i) => this.setSteps(steps.filter((_, at) => at !== i));

    this.chips.hidden = steps.length === 0;
    this.inlined?.setAttribute("aria-pressed", String(
      steps.some(({ kind }) => kind === "inlined")));
    replace(this.chips, steps.map((step, i) => element("button.chip.step", {
      type: "button", title: `${this.steps.title(step)}. Click to remove`,
      "aria-label": `Remove ${this.steps.text(step)}`,
      onclick: () => without(i) }, element("span", {}, this.steps.text(step)),
    " ✕")), steps.length > 1 && element("button.link", {
      type: "button", onclick: () => this.setSteps([]) }, "remove all"));
  }

  setMeasure(measure) {
    this.measure = measure;
    this.measureButtons?.choose(measure);
    this.#changed();
    this.address.step();
  }

  /* Marks all views as outdated and refreshes the visible one. */
  #changed() {
    this.stale = new Set(Object.keys(this.views));
    this.#refresh();
    this.#showMatched();
  }

  /* Marks views as outdated, and refreshes the visible one. */
  outdate(keys) {
    for (const key of keys)
      if (this.views[key])
        this.stale.add(key);
    this.#refresh();
  }

  #refresh() {
    if (this.stale.delete(this.tab))
      this.address.quietly(() => this.views[this.tab].show());
  }

  #searchSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.find(this.searchBox.value), 120);
  }

  #searchKey(event) {
    if (event.key === "Escape") {
      this.searchBox.value = "";
      this.find("");
      this.searchBox.blur();
      this.views[this.tab]?.focus?.();
    } else if (event.key === "Enter") {
      clearTimeout(this.timer);
      this.find(this.searchBox.value);
      this.views.graph?.next?.(event.shiftKey ? -1 : 1);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  find(text) {
    this.#seek(text);
    this.#changed();
    this.address.step("search");
  }

  #seek(text) {
    this.found = search(this.profile, text);
    this.colours.matches = this.found?.matches ?? null;
    this.searchBox.setAttribute("aria-invalid",
                                String(Boolean(this.found?.error)));
  }

  #showMatched() {
    const { found, profile, measure } = this;

    this.result.classList.toggle("bad", Boolean(found?.error));
    if (!found || found.error) {
      this.result.textContent = found?.error ?? "";
      return;
    }
    const matched = this.views.graph.matched(found.matches);

    this.result.textContent = `${measures.share(profile, measure, matched)} ` +
      `of ${measures.nameOf(profile, measure)} · ${format.plural(found.functions, "function")}`;
    this.result.title = `${measures.value(measure, matched)} in or below ` +
      "what matches, nested matches counted once";
  }

  /* ---- The address ---- */

  state() {
    const { profile } = this;
    const state = {
      ...this.linked, tab: this.tab, q: this.searchBox.value,
      m: this.measure === profile.firstMeasure ? "" : this.measure,
      side: profile.isBefore ? "before" : "",
      g: profile.chosen?.[0].name, t: composeRange(profile.range),
      t0: composeRange(profile.other),
      x: this.steps.address(profile.steps),
      f: this.function ? this.identity.ofFunction(this.function) : "",
    };

    return Object.assign(state, ...Object.values(this.views)
      .map((view) => view.state?.()));
  }

  /* Shows a state of the page; parts that do not exist are left out. */
  restore({ tab, q = "", m, side, g, t, t0, x, f, ...linked }) {
    const { profile } = this;
    const { groups, timeline } = profile;
    const group = groups.findIndex(({ name }) => name === g);

    if (g && group < 0)
      this.miss("a thread");
    const period = (text) => timeline?.canFollow ? parseRange(
      text, timeline.from, timeline.to, timeline.lanes.length) : null;
    /* A page that was written for a period opens with it. */
    const range = tab ? period(t) : timeline?.window ?? null;

    this.kept = null;
    profile.select({
      isBefore: side === "before", chosen: group < 0 ? null : [groups[group]],
      range, other: range && period(t0) });
    profile.transform(this.steps.parse(x));
    this.#showSteps();
    this.sides?.choose(profile.isBefore ? "before" : "after");
    this.groupChoice?.choose(group < 0 ? "" : String(group));
    this.measure = profile.measures.includes(m) ? m : profile.firstMeasure;
    this.#showRange();
    this.function = f ? this.identity.findFunction(f) : 0;
    if (f && !this.function)
      this.miss("a function");
    this.searchBox.value = q;
    this.#seek(q);
    this.linked = this.#only(linked);
    for (const view of Object.values(this.views))
      view.restore?.(this.linked);
    this.stale = new Set(Object.keys(this.views));
    this.open(tab);
    this.#showMatched();
  }

  /* Returns the parameters that some view of this page can use. */
  #only(linked) {
    const keys = this.tabs.flatMap(([, , View]) => View.keys ?? []);

    return Object.fromEntries(keys.filter((key) => linked[key])
      .map((key) => [key, linked[key]]));
  }

  /* Reports that a link names something that this page does not have. */
  miss(what) {
    this.say(`The link names ${what} that this page does not show.`);
  }

  /* Shows a message for a few seconds. */
  say(text) {
    clearTimeout(this.saying);
    this.notice.textContent = text;
    this.saying = setTimeout(() => replace(this.notice), 6000);
  }

  async copyLink() {
    this.address.flush();
    if (await copy(this.address.link))
      this.say("The link is copied.");
  }

  /* Opens a tab and stores it in the address. */
  go(tab) {
    this.open(tab);
    this.address.step();
  }

  open(wanted) {
    const tab = Object.hasOwn(this.panels, wanted) ? wanted : "graph";

    for (const [key, , View] of this.tabs) {
      this.panels[key].hidden = key !== tab;
      this.buttons[key].setAttribute("aria-selected", String(key === tab));
      this.buttons[key].tabIndex = key === tab ? 0 : -1;
      if (key === tab || key === "graph")
        this.#make(key, View);
    }
    if (this.tab && this.tab !== tab)
      announce(`${this.buttons[tab].textContent} is shown`);
    this.tab = tab;
    this.buttons[tab].scrollIntoView({ block: "nearest", inline: "nearest" });
    replace(this.tools, this.views[tab].tools ?? []);
    this.toolbar.hidden = tab === "coverage";
    if (this.measureButtons)
      this.measureButtons.hidden = !["graph", "tree", "butterfly", "natives"].includes(tab);
    this.#refresh();
    this.views[tab].focus?.();
  }

  /* The arrows of a list of tabs open the next tab, and the focus stays. */
  #tabKey(event) {
    const keys = this.tabs.map(([key]) => key);
    const at = keys.indexOf(this.tab);
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: -1 }[
      event.key];

    if (next === undefined)
      return;
    this.go(keys[(next + keys.length) % keys.length]);
    this.buttons[this.tab].focus();
    event.preventDefault();
    event.stopPropagation();
  }

  #make(key, View) {
    if (this.views[key])
      return;
    this.address.quietly(() => {
      this.views[key] = new View(this.panels[key], this);
      this.views[key].theme?.(this.isDark);
      this.views[key].restore?.(this.linked);
    });
    this.stale.add(key);
  }

  selectFunction(f) {
    this.function = f;
    for (const key of ["butterfly", "functions"])
      if (this.views[key] && key !== this.tab)
        this.stale.add(key);
    this.address.adjust();
  }

  /* Selects a context, 0 for none, and its function. */
  selectContext(context, f) {
    this.selectFunction(f);
    this.context = Math.max(0, this.profile.shown(context));
    this.stale.add("graph");
  }

  /* Returns whether the page has the source text of a function. */
  canAnnotate(f) {
    const { meta, functions } = this.profile;

    return Boolean(f && meta.sources?.some(({ file }) =>
      file === functions.file[f]));
  }

  annotate(f) {
    const { meta, functions } = this.profile;

    this.linked = { ...this.linked, line: functions.line[f],
                    file: this.identity.ofText(meta.files[functions.file[f]]) };
    this.selectFunction(f);
    this.views.source?.restore(this.linked);
    this.outdate(["source"]);
    this.go("source");
  }

  hasCode(f) {
    return Boolean(this.profile.meta.code?.some((one) => one.function === f));
  }

  showCode(f) {
    this.selectFunction(f);
    this.views.code?.restore({});
    this.outdate(["code"]);
    this.go("code");
  }

  /* Shows a line of a file, if the page has the file's text or time in it. */
  showLine(file, line) {
    if (!line)
      return;
    this.linked = { ...this.linked, line,
                    file: this.identity.ofText(this.profile.meta.files[file]) };
    this.views.source?.restore(this.linked);
    this.outdate(["source"]);
    this.go("source");
  }

  openButterfly(f) {
    if (f === 0)
      return;
    this.selectFunction(f);
    this.stale.add("butterfly");
    this.go("butterfly");
  }

  /* Light and dark theme. */

  #storedTheme() {
    let stored = null;

    try {
      stored = localStorage.getItem("clew-theme");
    } catch {
      /* pages from files may have no storage */
    }
    const dark = matchMedia("(prefers-color-scheme: dark)");

    dark.addEventListener("change", () => {
      if (!this.hasChosenTheme)
        this.#setTheme(dark.matches);
    });
    this.hasChosenTheme = stored !== null;
    return stored === null ? dark.matches : stored === "dark";
  }

  toggleTheme() {
    this.hasChosenTheme = true;
    this.#setTheme(!this.isDark);
    try {
      localStorage.setItem("clew-theme", this.isDark ? "dark" : "light");
    } catch {
      /* the choice is not stored */
    }
  }

  #setTheme(isDark) {
    this.isDark = isDark;
    this.colours.isDark = isDark;
    document.documentElement.dataset.theme = isDark ? "dark" : "light";
    for (const [key, view] of Object.entries(this.views)) {
      view.theme?.(isDark);
      if (!view.theme)
        this.stale.add(key);
    }
    this.#refresh();
  }

  #key(event) {
    const isTyping = event.target.closest?.("input, select, textarea, dialog");
    const tab = /^\d$/.test(event.key) && this.tabs[(Number(event.key) + 9) % 10];
    const keys = {
      "/": () => this.searchBox.select(),
      "?": () => this.help.showModal(),
      d: () => this.toggleTheme(),
      m: () => this.setMeasure(this.profile.measures[
        (this.profile.measures.indexOf(this.measure) + 1) %
          this.profile.measures.length]),
      b: () => this.function && this.openButterfly(this.function),
      l: () => this.copyLink(),
      o: () => this.foldInlined(),
    };

    if (isTyping || event.ctrlKey || event.metaKey || event.altKey)
      return;
    if (tab)
      this.go(tab[0]);
    else if (keys[event.key])
      keys[event.key]();
    else if (!this.views[this.tab].key?.(event))
      return;
    event.preventDefault();
  }
}

async function start() {
  const data = document.getElementById("clew-data");

  /* build.mjs replaces STYLE by the text of style.css. */
  document.head.append(element("style", {}, STYLE));
  try {
    globalThis.clew = new App(new Profile(await decode(data.textContent)));
    data.remove();
    document.documentElement.dataset.ready = "";
  } catch (error) {
    document.body.replaceChildren(element("p.empty", {},
      `This page cannot be shown: ${error.message}`));
    throw error;
  }
}

start();
