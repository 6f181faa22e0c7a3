#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Exports show in the tools that read them the contents of the recording."""
import collections
import csv
import io
import json
import os
import pty
import re
import resource
import shutil
import signal
import sqlite3
import subprocess

from lib import clewtest, exports
from lib.clewtest import needs, target
from lib.exports import CallgrindExport, PprofExport, unfold

INLINES = clewtest.ROOT / "tests" / "targets" / "inlines.cc"


class Folded(exports.Export):
    def test_folded_stacks_have_their_numbers(self):
        made = self.synthetic()
        for metric, measure in ("calls", "calls"), ("time", "ns"):
            self.assertEqual(
                unfold(self.export("folded", made.path, "--metric", metric)),
                made.stacks(measure))

    def test_folded_weights_are_times_in_recordings_with_time(self):
        made = self.synthetic()
        self.assertEqual(unfold(self.export("folded", made.path)),
                         made.stacks("ns"))

    def test_folded_weights_are_calls_in_recordings_without_time(self):
        made = self.synthetic(samples=0)
        self.assertEqual(unfold(self.export("folded", made.path)),
                         made.stacks("calls"))

    def test_folded_stacks_can_begin_with_their_thread(self):
        made = self.synthetic()
        self.assertEqual(
            unfold(self.export("folded", made.path, "--group", "thread")),
            made.stacks("ns", exports.THREAD_NAMES))

    def test_functions_left_out_hand_up_time_and_keep_no_calls(self):
        made = self.synthetic()
        kept = r"\+0x1[0-7]"
        for metric, measure in ("calls", "calls"), ("time", "ns"):
            wanted = collections.Counter()
            for path, number in made.stacks(measure).items():
                rest = tuple(f for f in path if re.search(kept, f))
                if metric == "time" or re.search(kept, path[-1]):
                    wanted[rest] += number
            del wanted[()]  # a context outside any function cannot appear
            self.assertEqual(
                unfold(self.export("folded", made.path, "-f", kept,
                                   "--metric", metric)), wanted)

    def test_a_semicolon_in_a_name_divides_nothing(self):
        made = self.synthetic(contexts=50, module="/lib/a;b c\n\x1b")
        wanted = {tuple(f.replace(";", ":").replace("\n", "?")
                        .replace("\x1b", "?") for f in path): number
                  for path, number in made.stacks("calls").items()}
        self.assertEqual(
            unfold(self.export("folded", made.path, "--metric", "calls")),
            wanted)

    def test_a_deep_recursion_is_cut_and_that_is_said(self):
        self.record([target("deep"), "3000"])
        done = self.clew("export", "-F", "folded", self.recording_path)
        self.assertEqual(done.returncode, 0)
        cut = [line for line in done.stdout.splitlines()
               if "(frames left out)" in line]
        self.assertIn(f"{len(cut):,} stacks of more than 512 frames",
                      done.stderr)
        self.assertEqual({line.count(";") for line in cut}, {511})
        total = sum(int(line.rsplit(" ", 1)[1])
                    for line in done.stdout.splitlines())
        self.assertEqual(total, sum(
            sum(part.counts().values()) for part in self.recording().parts))


class Callgrind(CallgrindExport):
    def test_callgrind_files_have_the_sums_of_the_recording(self):
        made = self.synthetic()
        for inclusive in False, True:
            for metric, measures in ("time", ("ns", "calls")), \
                    ("calls", ("calls", "ns")):
                path = self.export_file("callgrind", made.path, "--metric",
                                        metric)
                self.assert_includes(self.annotate(path, inclusive),
                                     self.numbers(made, measures, inclusive))

    def test_callgrind_files_without_time_have_the_sums_of_calls(self):
        made = self.synthetic(samples=0)
        path = self.export_file("callgrind", made.path)
        for inclusive in False, True:
            self.assert_includes(self.annotate(path, inclusive),
                                 self.numbers(made, ["calls"], inclusive))

    def test_callgrind_files_have_the_calls_between_functions(self):
        made = self.synthetic()
        edges = collections.Counter()
        for one in made.contexts:
            edges[(("(all)",) + one.path)[-2:]] += one.calls
        path = self.export_file("callgrind", made.path)
        said = self.run_tool("callgrind_annotate", "--auto=no", "--tree=calling",
                             "--threshold=100", path)
        found, caller = {}, None
        for line in said.splitlines():
            # Callees come before the function that calls them, as "> ...".
            match = re.match(r" *[\d,]+.* \? ", line)
            match = re.search(r"([*>]) +(?:\?\?\?|/[^:]*):(\S+) "
                              r"(?:\(([\d,]+)x\))?", line)
            if match and match[1] == "*":
                caller = match[2]
            elif match:
                found[caller, match[2]] = int(match[3].replace(",", ""))
        self.assertEqual(found, edges)

    def test_recursion_counts_once_in_callgrind_files(self):
        self.record([target("recursion")])
        recording = self.recording()
        inclusive = collections.Counter()
        for part in recording.parts:
            calls, contexts = part.counts(), part.contexts()
            for one in contexts.values():
                functions, at = set(), one
                while at:
                    functions.add(part.functions[at.function])
                    at = contexts.get(at.parent)
                for function in functions:
                    inclusive[f"{function.module.name}+{function.vaddr:#x}"] \
                        += calls.get(one.id, 0)
        found = self.annotate(self.export_file("callgrind",
                                               self.recording_path), True)
        self.assert_includes(found, {f: (n,) for f, n in inclusive.items()})

    @needs("g++")
    def test_callgrind_files_have_files_and_lines(self):
        program = self.work / "program"
        self.run_tool("g++", "-g", "-O2", INLINES, "-o", program)
        self.record([program])
        path = self.export_file("callgrind", self.recording_path)
        said = self.run_tool("callgrind_annotate", "--auto=yes",
                             "--tree=calling", path)
        # put() is inlined, so its calls belong to a line of main().
        self.assertRegex(said, r"numbers\.put\(i \* argc\);\n"
                         r" *\d+ \([ \d.]+%\) *=> .*_M_realloc_insert<long")


class InSpeedscope(exports.Export):
    OPEN = clewtest.ROOT / "tests" / "speedscope" / "open.mjs"

    def opened(self, path, picture):
        """Returns the view of the first profile as {function: (total,
        self)}."""
        done = self.run_program(
            ["node", self.OPEN, path, clewtest.BUILD / "tests" / picture],
            text=True)
        if done.returncode == clewtest.SKIPPED:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        said = json.loads(done.stdout)
        self.assertEqual(said["errors"], [])
        table = said["rows"][said["rows"].index(
            ["Total", "Self", "Symbol Name"]) + 1:]
        return {name: (self.number(total), self.number(own))
                for total, own, name in table}

    def number(self, text):
        """Parses "24.07ms (24%)", "1,234 (5%)" or "0.00ns (<0.01%)"."""
        digits, unit = re.match(r"([\d.,]+)(ms|ns|)", text).groups()
        return float(digits.replace(",", "")) * (1e6 if unit == "ms" else 1)

    def shown(self, total, own, unit):
        """Returns these numbers in the form of opened(); times have two
        decimals of a millisecond."""
        if unit == "ns":
            round_off = lambda ns: round(ns / 1e6, 2) * 1e6
        else:
            round_off = float
        return {f: (round_off(total[f]), round_off(own[f])) for f in total}


class Speedscope(InSpeedscope):
    def replay(self, profile, frames):
        """Returns {path: its own width}; frames close in reverse order of
        opening."""
        widths, stack, at = collections.Counter(), [], profile["startValue"]
        for event in profile["events"]:
            self.assertGreaterEqual(event["at"], at)
            widths[tuple(stack)] += event["at"] - at
            at = event["at"]
            name = frames[event["frame"]]["name"]
            if event["type"] == "O":
                stack.append(name)
            else:
                self.assertEqual((event["type"], name), ("C", stack.pop()))
        self.assertEqual((stack, at), ([], profile["endValue"]))
        return +widths

    def profiles(self, recording, *options):
        """Returns [(name, unit, {path: width})]."""
        data = json.loads(self.export("speedscope", recording, *options))
        return [(one["name"], one["unit"],
                 self.replay(one, data["shared"]["frames"]))
                for one in data["profiles"]]

    def test_speedscope_has_tree_and_threads(self):
        made = self.synthetic()
        (_, unit, tree), *threads = self.profiles(made.path)
        self.assertEqual((unit, tree), ("nanoseconds", made.stacks("ns")))
        wanted = collections.defaultdict(collections.Counter)
        for one in made.contexts:
            wanted[f"{exports.THREAD_NAMES[one.tid]} (pid 4242, "
                   f"tid {one.tid})"][one.path] += one.ns
        self.assertEqual({name: widths for name, _, widths in threads},
                         {name: +widths for name, widths in wanted.items()})

    def test_speedscope_files_without_time_have_calls(self):
        made = self.synthetic(samples=0)
        (_, unit, tree), = self.profiles(made.path)
        self.assertEqual((unit, tree), ("none", made.stacks("calls")))

    @needs("node")
    def test_speedscope_shows_the_exported_file(self):
        made = self.synthetic(contexts=40)
        for metric, measure in ("calls", "calls"), ("time", "ns"):
            path = self.export_file("speedscope", made.path, "--metric",
                                    metric)
            self.assertEqual(
                self.opened(path, f"speedscope-{metric}.png"),
                self.shown(made.inclusive(measure), made.own(measure),
                           measure))


class Chrome(InSpeedscope):
    """Replays the slices of the Chrome trace, which are all that Perfetto
    reads.

    Perfetto's own importer cannot be used here. No package of Debian 12
    contains it, and none of npm that we found. The Python package downloads it
    at first use, and Debian's Chromium lacks chrome://tracing. The tests replay
    the slices themselves, and use speedscope's independent importer.
    """

    def trace(self, recording, *options):
        return json.loads(self.export("chrome", recording, *options))

    def stack(self, frames, key):
        path = ()
        while key is not None:
            path = (frames[key]["name"],) + path
            key = frames[key].get("parent")
        return path

    def test_chrome_files_have_the_samples(self):
        made = self.synthetic()
        trace = self.trace(made.path)
        found = collections.Counter()
        for one in trace["samples"]:
            self.assertEqual((one["pid"], one["name"]), (4242, "cpu"))
            top = (f"{exports.THREAD_NAMES[one['tid']]} ({one['tid']})",)
            found[top + self.stack(trace["stackFrames"], one["sf"])] \
                += one["weight"]
        self.assertEqual(found, made.stacks("ns", exports.THREAD_NAMES))

    def test_chrome_slices_are_the_stacks_of_samples(self):
        made = self.synthetic()
        trace = self.trace(made.path)
        samples = {(one["tid"], one["ts"]): self.stack(trace["stackFrames"],
                                                       one["sf"])
                   for one in trace["samples"]}
        stacks, seen = collections.defaultdict(list), 0
        events = [e for e in trace["traceEvents"] if e["ph"] in "BE"]
        for at, event in enumerate(events):
            stack = stacks[event["tid"]]
            if event["ph"] == "B":
                stack.append(event["name"])
            else:
                self.assertEqual(stack.pop(), event["name"])
            key = event["tid"], event["ts"]
            following = events[at + 1] if at + 1 < len(events) else None
            if key in samples and (not following or key != (
                    following["tid"], following["ts"])):
                self.assertEqual(tuple(stack), samples[key])
                seen += 1
        self.assertEqual({tuple(s) for s in stacks.values()}, {()})
        self.assertGreater(seen, 0.9 * len(samples))

    @needs("node")
    def test_speedscope_reads_the_slices_of_chrome_files(self):
        trace = self.trace(self.synthetic(contexts=40, samples=500).path)
        slices = [e for e in trace["traceEvents"] if e["ph"] in "MBE"]
        path = self.work / "slices"
        path.write_text(json.dumps({"traceEvents": slices}), encoding="utf-8")
        total, own = collections.Counter(), collections.Counter()
        stack, last_ns = [], 0
        for one in slices:
            if one["tid"] != 4242 or one["ph"] == "M":
                continue
            time_ns = round(one["ts"] * 1000)
            for function in stack:
                total[function] += time_ns - last_ns
            if stack:
                own[stack[-1]] += time_ns - last_ns
            last_ns = time_ns
            if one["ph"] == "B":
                stack.append(one["name"])
            else:
                stack.pop()
        self.assertEqual(self.opened(path, "speedscope-chrome.png"),
                         self.shown(total, own, "ns"))

    def test_chrome_events_have_thread_names_and_are_in_order(self):
        trace = self.trace(self.synthetic().path)
        names = {(e["name"], e["tid"]): e["args"]["name"]
                 for e in trace["traceEvents"] if e["ph"] == "M"}
        self.assertEqual(names["thread_name", 4242], "main")
        self.assertEqual(names["thread_name", 4243], "worker")
        self.assertIn("synthetic --size large", names.values())
        for tid in 4242, 4243:
            times = [e["ts"] for e in trace["traceEvents"]
                     if e["tid"] == tid]
            self.assertEqual(times, sorted(times))

    def test_names_in_chrome_files_are_strings_of_json(self):
        made = exports.Synthetic(self.work / "odd", 10, 50,
                                 b'/lib/\xff"\\\n</script>')
        trace = self.trace(made.path)
        self.assertEqual({frame["name"].split("+")[0]
                          for frame in trace["stackFrames"].values()},
                         {"script>"})

    def test_chrome_export_without_samples_is_refused(self):
        made = self.synthetic(samples=0)
        self.assert_one_line_error(
            self.clew("export", "-F", "chrome", made.path), "no samples",
            "chrome")


class Pprof(PprofExport):
    def test_pprof_stacks_have_their_numbers(self):
        made = self.synthetic()
        raw = self.raw(self.export_file("pprof", made.path))
        for kind, measure in ("calls/count", "calls"), \
                ("samples/count", "samples"), ("cpu/nanoseconds", "ns"):
            self.assertEqual(self.stacks(raw, kind), made.stacks(measure))
        # A sample's address is the sampled one, not the start of a function.
        self.assertTrue(any(address % 16 for address, _ in raw[2].values()))

    def test_pprof_files_without_time_have_calls_alone(self):
        made = self.synthetic(samples=0)
        raw = self.raw(self.export_file("pprof", made.path))
        self.assertEqual(raw[0], ["calls/count"])
        self.assertEqual(self.stacks(raw, "calls/count"),
                         made.stacks("calls"))

    def test_threads_are_labels_of_pprof_samples(self):
        made = self.synthetic()
        raw = self.raw(self.export_file("pprof", made.path, "--group",
                                        "thread"))
        self.assertEqual(self.stacks(raw, "calls/count"),
                         made.stacks("calls", exports.THREAD_NAMES))

    def test_pprof_shows_the_same_top(self):
        made = self.synthetic()
        path = self.export_file("pprof", made.path)
        said = self.pprof("-top", "-nodefraction=0", "-nodecount=100000",
                          "-sample_index=calls", path)
        found = {}
        for line in said.splitlines():
            match = re.match(r" *(\d+) +\S+% +\S+% +(\d+) +\S+% +(\S+)$",
                             line)
            if match:
                found[match[3]] = int(match[1]), int(match[2])
        inclusive = made.inclusive("calls")
        self.assertEqual(found, {f: (own, inclusive[f])
                                 for f, own in made.own("calls").items()})

    def test_default_sample_type_of_pprof_is_the_metric(self):
        made = self.synthetic()
        for metric, kind in ("time", "cpu"), ("calls", "calls"):
            path = self.export_file("pprof", made.path, "--metric", metric)
            self.assertIn(f"Type: {kind}\n", self.pprof("-top", path))

    @needs("g++", "addr2line")
    def test_pprof_files_have_lines_and_inlined_functions(self):
        program = self.work / "program"
        self.run_tool("g++", "-g", "-O2", "-Wl,--build-id=0xfeed", INLINES,
                      "-o", program)
        self.record([program])
        path = self.export_file("pprof", self.recording_path)
        places, mappings = self.raw(path)[2:]
        self.assertIn(f"{program} feed ", mappings)
        inlined = {address: lines for address, lines in places.values()
                   if len(lines) > 1}
        self.assertGreater(len(inlined), 10)
        for address, lines in inlined.items():
            said = self.run_tool("addr2line", "-i", "-e", program,
                                 hex(address))
            self.assertEqual(
                [f"{file}:{line}" for _, file, line in lines],
                [line.split(" (disc")[0] for line in said.splitlines()])
        # The source file is found, and calls appear at their lines.
        self.assertRegex(self.pprof("-list", "^main$", path),
                         r" \d+ +75:\t+numbers\.put")

    def executable_segments(self, path):
        """Returns {(start, end, offset in the file)} of a file's loaded bytes."""
        said = self.run_tool("readelf", "-lW", path)
        return {(int(vaddr, 16), int(vaddr, 16) + int(size, 16),
                 int(offset, 16)) for offset, vaddr, size in re.findall(
                     r"LOAD +(0x\w+) (0x\w+) 0x\w+ (0x\w+)", said)}

    @needs("gcc", "readelf", "objdump")
    def test_pprof_locations_are_sampled_instructions(self):
        """Each address is in a segment of its file, so that pprof disassembles it."""
        program = self.work / "program"
        for flags in ["-pie"], ["-no-pie"]:
            self.run_tool("gcc", "-g", "-O2", *flags, "-Wl,--build-id=0xfeed",
                          clewtest.ROOT / "tests" / "e2e" / "annotate.c", "-o",
                          program)
            self.record([program, "300"], ["--time=cpu"])
            path = self.export_file("pprof", self.recording_path)
            said = self.run_tool("go", "tool", "pprof", "-raw", path)
            mappings = {number: (int(start, 16), int(limit, 16),
                                 int(offset, 16), file)
                        for number, start, limit, offset, file in re.findall(
                            r"(?m)^(\d+): 0x(\w+)/0x(\w+)/0x(\w+) (\S+)",
                            said.partition("\nMappings\n")[2])}
            segments = self.executable_segments(program)
            self.assertIn(mappings["1"][:3], segments)
            self.assertEqual(mappings["1"][3], str(program))
            places = re.findall(r"(?m)^ +\d+: 0x(\w+) M=(\d+)", said)
            self.assertGreater(len(places), 4)
            for address, number in places:
                start, limit, _, _ = mappings[number]
                self.assertIn(int(address, 16), range(start, limit))
            code = self.pprof("-disasm", "hot", path)
            own = {vaddr: flat for flat, vaddr in re.findall(
                r"(?m)^ +(\S+)s +\S+ +(\w+): ", code)}
            hot = self.clew_json("annotate", "--json", "hot",
                                 self.recording_path)["functions"][0]
            self.assertEqual(
                set(own), {one["vaddr"][2:] for one in hot["instructions"]
                           if one["self_ns"]})
            shutil.rmtree(self.recording_path)

    def test_deep_recursion_is_cut_in_pprof_files(self):
        self.record([target("deep"), "3000"])
        path = self.work / "deep.pb.gz"
        done = self.clew("export", "-F", "pprof", "-o", path,
                         self.recording_path)
        self.assertIn("more than 512 frames", done.stderr)
        types, samples, places, _ = self.raw(path)
        self.assertEqual(types, ["calls/count"])
        self.assertEqual(max(len(stack) for _, _, stack in samples), 512)
        self.assertEqual(sum(values[0] for _, values, _ in samples), sum(
            sum(part.counts().values()) for part in self.recording().parts))
        self.assertIn("(frames left out)", [lines[0][0]
                                            for _, lines in places.values()])

    def test_pprof_replaces_bytes_that_are_not_utf8(self):
        made = exports.Synthetic(self.work / "odd", 10, 0,
                                 b'/lib/\xff"\n\xc3')
        raw = self.raw(self.export_file("pprof", made.path))
        self.assertEqual({lines[0][0].split("+")[0]
                          for _, lines in raw[2].values()}, {'?"??'})


class Sqlite(exports.Export):
    def database(self, recording, *options):
        path = self.export_file("sqlite", recording, *options)
        database = sqlite3.connect(path)
        self.addCleanup(database.close)
        self.assertEqual(database.execute("PRAGMA integrity_check")
                         .fetchall(), [("ok",)])
        self.assertEqual(database.execute("PRAGMA foreign_key_check")
                         .fetchall(), [])
        return database

    def paths(self, database, column):
        """Returns {path: sum} from the view `tree`."""
        return +collections.Counter({
            tuple(path.split(" > ")): number for path, number in
            database.execute(f"SELECT path, {column} FROM tree")})

    def test_sqlite_has_contexts_and_functions(self):
        made = self.synthetic()
        database = self.database(made.path)
        self.assertEqual(self.paths(database, "calls"), made.stacks("calls"))
        self.assertEqual(self.paths(database, "self_ns"), made.stacks("ns"))
        for column, wanted in [("calls", made.own("calls")),
                               ("calls_below", made.inclusive("calls")),
                               ("self_ns", made.own("ns")),
                               ("total_ns", made.inclusive("ns")),
                               ("samples", made.own("samples"))]:
            self.assertEqual(+collections.Counter(dict(database.execute(
                f"SELECT name, {column} FROM functions"))), wanted)
        meta = dict(database.execute("SELECT * FROM meta"))
        self.assertEqual(
            [meta[key] for key in ("schema", "time", "calls", "time_ns",
                                   "contexts", "command")],
            [1, "cpu", made.total("calls"), made.total("ns"),
             len(made.contexts), "synthetic --size large"])

    def test_sqlite_has_callers_and_callees(self):
        made = self.synthetic()
        edges = collections.Counter()
        for one in made.contexts:
            if len(one.path) > 1:
                edges[one.path[-2:]] += one.calls
        database = self.database(made.path)
        self.assertEqual({(caller, function): calls for function, caller, calls
                          in database.execute("SELECT function, caller, calls"
                                              " FROM callers")}, edges)
        self.assertEqual({(function, callee): calls for function, callee, calls
                          in database.execute("SELECT function, callee, calls"
                                              " FROM callees")}, edges)

    def test_databases_have_the_samples(self):
        made = self.synthetic()
        by_thread = collections.Counter()
        for one in made.contexts:
            by_thread[one.tid] += one.samples
        database = self.database(made.path)
        self.assertEqual(dict(database.execute(
            "SELECT tid, COUNT(*) FROM samples JOIN threads"
            " ON threads.id = thread GROUP BY tid")), +by_thread)
        self.assertEqual(database.execute(
            "SELECT c.id FROM contexts c LEFT JOIN samples s"
            " ON s.context = c.id GROUP BY c.id"
            " HAVING COUNT(s.context) <> c.samples").fetchall(), [])
        self.assertEqual(database.execute(
            "SELECT c.id FROM contexts c LEFT JOIN spots s"
            " ON s.context = c.id GROUP BY c.id"
            " HAVING TOTAL(s.ns) <> c.self_ns").fetchall(), [])

    def test_samples_of_functions_left_out_belong_to_callers(self):
        made = self.synthetic()
        kept = r"\+0x1[0-7]"
        wanted = collections.Counter()
        for path, number in made.stacks("samples").items():
            wanted[tuple(f for f in path if re.search(kept, f))] += number
        nobody = wanted.pop((), 0)
        database = self.database(made.path, "-f", kept)
        found = collections.Counter({
            path and tuple(path.split(" > ")): number for path, number in
            database.execute("SELECT path, COUNT(*) FROM samples LEFT JOIN"
                             " tree ON tree.id = context GROUP BY context")})
        self.assertEqual(found.pop(None, 0), nobody)
        self.assertEqual(found, wanted)

    def test_odd_names_are_stored_in_databases(self):
        made = exports.Synthetic(self.work / "odd", 10, 0,
                                 b"/lib/'); --\xff\"\n")
        database = self.database(made.path)
        self.assertEqual(database.execute("SELECT name FROM modules")
                         .fetchall(), [("'); --?\"?",)])

    @needs("g++", "addr2line")
    def test_calls_in_databases_have_files_and_lines(self):
        program = self.work / "program"
        self.run_tool("g++", "-g", "-O2", INLINES, "-o", program)
        self.record([program])
        database = self.database(self.recording_path)
        rows = database.execute(
            "SELECT vaddr, file, line FROM sites JOIN modules m"
            " ON m.id = module WHERE m.name = 'program' AND file IS NOT NULL"
        ).fetchall()
        self.assertGreater(len(rows), 20)
        for vaddr, file, line in rows:
            said = self.run_tool("addr2line", "-e", program, hex(vaddr - 1))
            self.assertEqual(f"{file}:{line}", said.split()[0])

    @needs("sqlite3")
    def test_the_queries_of_the_documentation_work(self):
        made = self.synthetic()
        path = self.export_file("sqlite", made.path)
        page = (clewtest.ROOT / "docs" / "reports.md").read_text(
            encoding="utf-8")
        queries = re.findall(r"^sqlite> (SELECT [^;]*;)$",
                             page.replace("\n   ...> ", " "), re.M)
        self.assertEqual(len(queries), 3)
        for query in queries:
            query = query.replace("'sqlite3GetVarint'",
                                  f"'{made.contexts[50].path[-1]}'")
            self.assertNotEqual(self.run_tool("sqlite3", path, query), "")

    def test_sqlite_export_without_a_file_is_refused(self):
        made = self.synthetic(contexts=5)
        self.assert_usage_error(self.clew("export", "-F", "sqlite",
                                          made.path), "--output")
        self.assert_one_line_error(
            self.clew("export", "-F", "sqlite", "-o", "/dev/full", made.path),
            "/dev/full", "regular file")


class Csv(exports.Export):
    def rows(self, form, recording, *options):
        text = self.export(form, recording, *options).decode()
        return list(csv.DictReader(io.StringIO(text, newline="")))

    def test_csv_has_functions(self):
        made = self.synthetic()
        wanted = {
            column: measure
            for column, measure in [("calls", made.own("calls")),
                                    ("calls_below", made.inclusive("calls")),
                                    ("self_ns", made.own("ns")),
                                    ("total_ns", made.inclusive("ns")),
                                    ("samples", made.own("samples"))]}
        rows = self.rows("csv", made.path)
        for column, sums in wanted.items():
            self.assertEqual(+collections.Counter(
                {row["function"]: int(row[column]) for row in rows}), sums)
        for row in rows:
            self.assertEqual(row["module"], "/lib/synthetic")
            self.assertEqual(row["function"], "synthetic+" + row["vaddr"])
        own = [int(row["self_ns"]) for row in rows]
        self.assertEqual(own, sorted(own, reverse=True))

    def test_calls_below_are_summed_without_time(self):
        made = exports.Synthetic(self.work / "timeless", 2000, 0)
        rows = self.rows("csv", made.path)
        self.assertEqual(+collections.Counter(
            {row["function"]: int(row["calls_below"]) for row in rows}),
            made.inclusive("calls"))

    def test_csv_has_contexts(self):
        made = self.synthetic()
        rows = self.rows("csv-contexts", made.path, "--group", "thread")
        paths, found = {"0": ()}, collections.Counter()
        for row in rows:
            path = paths[row["parent"]] + (row["function"],)
            self.assertEqual(int(row["depth"]), len(path))
            paths[row["context"]] = path
            found[path] = int(row["calls"])
        self.assertEqual(+found, made.stacks("calls", exports.THREAD_NAMES))

    def test_names_in_csv_are_quoted_and_no_formulas(self):
        for name, shown in [('a,"b"\n', 'a,"b"?'), ("=cmd|' c'!A0",
                                                   "'=cmd|' c'!A0"),
                            ("-x", "'-x"), ("@x", "'@x"), ("+x", "'+x")]:
            made = exports.Synthetic(self.work / name.encode().hex(), 1, 0,
                                     "/lib/" + name)
            row, = self.rows("csv", made.path)
            self.assertEqual(row["function"], shown + "+" + row["vaddr"])
            self.assertIsNone(row.get(None))

    def test_csv_replaces_bytes_that_are_not_utf8(self):
        made = exports.Synthetic(self.work / "odd", 1, 0, b"/lib/\xff\xc3")
        row, = self.rows("csv", made.path)
        self.assertEqual(row["module"], "/lib/??")


@needs("jq")
class Json(exports.Export):
    def test_jq_sums_contexts(self):
        made = self.synthetic()
        path = self.export_file("json", made.path)
        said = self.run_tool("jq", "([.contexts[].calls] | add), "
                             "([.contexts[] | select(.parent == 0).below_ns]"
                             " | add)", path)
        self.assertEqual([int(line) for line in said.split()],
                         [made.total("calls"), made.total("ns")])


class Time(exports.Export):
    """All formats have equal times for a real program."""

    SPIN = "x = 0\nfor i in range(3000000): x += len(str(i))"

    @needs("go")
    def test_all_formats_have_the_same_time(self):
        self.record([clewtest.PYTHON, "-c", self.SPIN], ("--time=cpu",))
        total = json.loads(self.export("json", self.recording_path))["total"]
        self.assertGreater(total["samples"], 20)
        wanted = total["time_ns"]
        self.assertEqual(sum(unfold(self.export(
            "folded", self.recording_path)).values()), wanted)
        text = self.export("csv", self.recording_path).decode()
        self.assertEqual(sum(int(row["self_ns"]) for row in csv.DictReader(
            io.StringIO(text, newline=""))), wanted)
        data = json.loads(self.export("speedscope", self.recording_path))
        tree, *threads = data["profiles"]
        self.assertEqual(tree["endValue"], wanted)
        self.assertEqual(sum(one["endValue"] for one in threads), wanted)
        trace = json.loads(self.export("chrome", self.recording_path))
        self.assertEqual(sum(one["weight"] for one in trace["samples"]),
                         wanted)
        database = sqlite3.connect(self.export_file("sqlite",
                                                    self.recording_path))
        self.addCleanup(database.close)
        for column, table in ("self_ns", "contexts"), ("weight_ns", "samples"):
            self.assertEqual(database.execute(
                f"SELECT SUM({column}) FROM {table}").fetchone(), (wanted,))
        callgrind = self.export("callgrind", self.recording_path).decode()
        self.assertIn(f"\nsummary: {wanted} {total['calls']}\n", callgrind)
        said = self.run_tool("go", "tool", "pprof", "-raw", self.export_file(
            "pprof", self.recording_path))
        self.assertEqual(sum(int(n) for n in re.findall(
            r"^ +\d+ +\d+ +(\d+): ", said, re.M)), wanted)


class Output(exports.Export):
    def test_a_full_disk_is_one_line_and_no_file(self):
        made = self.synthetic()
        for form in "folded", "callgrind", "csv", "json":
            done = self.clew("export", "-F", form, "-o", "/dev/full",
                             made.path)
            self.assert_one_line_error(done, "/dev/full", "No space left")
            done = self.run_program(
                ["sh", "-c", 'exec "$0" "$@" >/dev/full', clewtest.CLEW,
                 "export", "-F", form, made.path], text=True)
            self.assert_one_line_error(done, "No space left")

    def test_a_failure_keeps_the_former_file(self):
        made = self.synthetic(contexts=20000)
        path = self.work / "profile"
        path.write_text("old")

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

        before = sorted(self.work.iterdir())
        for form in self.formats():
            done = self.clew("export", "-F", form, "-o", path, made.path,
                             preexec_fn=limit)
            self.assert_one_line_error(done, path)
            self.assertEqual(path.read_text(), "old")
            self.assertEqual(sorted(self.work.iterdir()), before)

    def formats(self):
        said = self.clew("export", "--help").stdout
        return re.findall(r"^  ([a-z-]+) +\S", said.split("Formats:")[1],
                          re.M)

    def test_a_link_stays_and_its_file_is_replaced(self):
        made = self.synthetic(contexts=5)
        (self.work / "real").write_text("old")
        (self.work / "link").symlink_to("real")
        self.clew("export", "-F", "folded", "-o", self.work / "link",
                  made.path)
        self.assertTrue((self.work / "link").is_symlink())
        self.assertEqual(unfold((self.work / "real").read_bytes()),
                         made.stacks("ns"))

    def test_modes_are_the_umask_s_if_all_may_read_the_recording(self):
        made = self.synthetic(contexts=5)
        for path in made.path, *made.path.iterdir():
            path.chmod(0o755)
        path = self.work / "profile"
        self.clew("export", "-F", "folded", "-o", path, made.path,
                  preexec_fn=lambda: os.umask(0o027))
        self.assertEqual(path.stat().st_mode & 0o777, 0o640)

    def on_terminal(self, *arguments, **streams):
        """Returns (status, terminal output) with these streams on one
        terminal."""
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL,
                   "stderr": subprocess.DEVNULL,
                   **{name: theirs for name in streams}}
        status = subprocess.run([clewtest.CLEW, "export", *arguments],
                                check=False, env=self.environment,
                                **streams).returncode
        os.write(theirs, b"END")
        os.close(theirs)
        said = b""
        while not said.endswith(b"END"):
            said += os.read(ours, 65536)
        return status, said[:-3]

    def test_progress_is_for_terminals_and_leaves_nothing(self):
        path = self.work / "profile"
        made = self.work / "large"
        subprocess.run([exports.MAKE_RECORDING, made, "700000"], check=True)
        status, said = self.on_terminal("-F", "json", "-o", path, made,
                                        stderr=True)
        self.assertEqual(status, 0)
        if said:  # the command may end within a second
            self.assertTrue(said.endswith(b"\r\x1b[K"), said)
        done = self.clew("export", "-F", "sqlite", "-o", path, made)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_terminals_get_no_binary_files(self):
        made = self.synthetic(contexts=5)
        status, said = self.on_terminal("-F", "pprof", made.path, stdout=True)
        self.assertIn(status, clewtest.CLEW_FAILED)
        self.assertEqual(said, b"")
        status, said = self.on_terminal("-F", "folded", made.path, stdout=True)
        self.assertEqual(status, 0)
        self.assertEqual(unfold(said), made.stacks("ns"))

    def test_incomplete_counts_are_reported(self):
        self.record([target("recursion")], ("--time=none",
                                            "--max-contexts=100"))
        done = self.clew("export", "-F", "folded", self.recording_path)
        self.assertEqual(done.returncode, 0)
        self.assert_one_line(done, "incomplete")
        self.assertIn(";(folded) ", done.stdout)
        done = self.clew("export", "-F", "folded", "--quiet",
                         self.recording_path)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_usage_errors_are_reported(self):
        made = self.synthetic(contexts=5, samples=0)
        for arguments, words in [
                ([made.path], ["--format"]),
                (["-F", "nonsense", made.path], ["nonsense"]),
                (["-F", "folded", "--group", "x", made.path], ["x"])]:
            self.assert_usage_error(self.clew("export", *arguments), *words)
        self.assert_one_line_error(
            self.clew("export", "-F", "folded", "--metric", "time",
                      made.path), "no time")
        self.assert_one_line_error(
            self.clew("export", "-F", "folded", self.work / "none"), "none")
        self.assert_one_line_error(
            self.clew("export", "-F", "folded", "-o",
                      self.work / "no" / "where", made.path), "where")


if __name__ == "__main__":
    clewtest.main()
