#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Reports and exports of a trace have the times of its stamps."""
import collections
import csv
import io
import json
import re
import sqlite3

from lib import clewtest, exports
from lib.clewtest import needs, target
from lib.exports import CallgrindExport, PprofExport, unfold
from lib.trace_runs import MAIN, WORKER, Case, Run, name

# Function 1 and its callees take 1,000 ns; in two threads 2,000 ns.
MEASURED = ("packet", "context 0 1001000",
            "call 1 1", "stamp 1001000",
            "call 2 2", "stamp 1001100", "return 2 1001400",
            "call 2 3", "stamp 1001500", "return 2 1001600",
            "return 1 1002000")
OWN = {(1,): 600, (1, 2): 300, (1, 3): 100}
TOTAL = {1: 1000, 2: 300, 3: 100}

NO_STAMPS = ("packet", "context 0 1001000", "call 1 1", "call 2 2",
             "packet", "context 1 1002000 1", "call 2 3")


def own_times(run):
    """Returns {path: ns}; until the next call, the time belongs to the latest call."""
    found, stack = collections.Counter(), []
    for (begin, _, depth, function), (end, *_) in zip(run.calls,
                                                      run.calls[1:]):
        stack[depth:] = [function]
        found[tuple(stack)] += end - begin
    return +found


def named(times):
    return {tuple(map(name, path)): ns for path, ns in times.items()}


class Reports(exports.Export, Case):
    def reported(self, *options):
        """Returns the JSON that a command prints."""
        return self.clew_json(*options, "--json", self.recording_path)

    def own(self, *options):
        """Returns {path: ns} of clew tree."""
        tree = self.reported("tree", *options)
        paths, found = {0: ()}, collections.Counter()
        for node in tree["contexts"]:
            function = tree["functions"][node["function"]]["name"]
            paths[node["id"]] = (*paths[node["parent"]], function)
            found[paths[node["id"]]] += node["self_ns"]
        return +found

    def shown(self, *options):
        done = self.clew(*options, self.recording_path)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_own_time_lasts_until_the_next_call(self):
        for seed in range(5):
            with self.subTest(seed=seed):
                self.recording_path = self.work / f"{seed}.out"
                one, other = Run(seed, 0, MAIN, 777), Run(seed + 9, 1,
                                                          WORKER, 500)
                self.make(*one.script, *other.script)
                wanted = named(own_times(one)), named(own_times(other))
                self.assertEqual(
                    self.own(), dict(collections.Counter(wanted[0]) +
                                     collections.Counter(wanted[1])))
                self.assertEqual(self.own("--thread=worker"), wanted[1])
                self.assertEqual(
                    self.reported("report")["total"]["trace_time"], "shared")

    def test_calls_between_two_stamps_share_the_time(self):
        self.make("packet", "context 0 1001000", "call 1 1", "call 2 2",
                  "call 2 3", "call 2 2", "stamp 1001300", "call 1 4",
                  "packet", "context 1 1001500", "call 1 4")
        self.assertEqual(self.own(), named({
            (1,): 100, (1, 2): 100 + 100, (1, 3): 100, (4,): 100}))
        self.assertRegex(self.shown("report"),
                         r"^ +calls +share(?s:.*)wall time\s+between\s+"
                         r"stamps,\s+shared\s+equally\s+by\s+calls")
        self.assertIn("--stamps=all", self.shown("report", "--details"))

    def test_gaps_have_no_time(self):
        self.make("packet", "context 0 1001000", "call 1 1", "stamp 1001000",
                  "call 2 2", "stamp 1001100", "packet", "skip 3",
                  "context 1 1009000 1", "call 2 2", "stamp 1009100",
                  "call 2 3", "stamp 1009300", f"thread 0 {WORKER}",
                  "context 0 1019000", "call 1 4", "stamp 1019000",
                  "call 1 1", "stamp 1019001")
        self.assertEqual(self.own(), named({
            (1,): 100, (1, 2): 100 + 200, (4,): 1}))

    def test_invalid_words_of_a_trace_have_no_time(self):
        self.make("packet", "context 0 1001000", "call 1 1", "stamp 1001000",
                  "call 2 2", "stamp 1001100", f"word {0x3ff << 10}",
                  "call 2 3", "stamp 1001200", "context 2 1009000 1",
                  "call 2 3", "stamp 1009000", "call 2 2", "stamp 1009050")
        self.assertEqual(self.own(), named({(1,): 100, (1, 3): 50}))

    def test_reports_of_traces_are_text(self):
        self.make(*MEASURED)
        said = self.shown("report")
        self.assertRegex(said, r"^ +self +share +total +share +calls +per "
                         r"call +function")
        self.assertRegex(said, r"600 ns +60.00% +1.00 us 100.00% +1 +1.00 us "
                         r"+synthetic\+0x1000")
        self.assertRegex(said, r"total: 3 calls (?s:.*)1.00 us of\s+wall\s+"
                         r"time between\s+stamps\n")
        self.assertRegex(self.shown("tree"),
                         r"1.00 us 100.00% +600 ns +1  synthetic\+0x1000\n"
                         r" +300 ns +30.00% +300 ns ")
        self.assertRegex(self.shown("report", "--butterfly", name(2)),
                         r"300 ns(?s:.*)" + re.escape(name(1)))
        self.assertRegex(
            self.shown("report", "--details"),
            r"time: 1.00 us of wall time between the stamps of the trace\n")
        self.assertRegex(self.shown("report", "--metric=calls"),
                         r"^ +calls +share")
        self.assertRegex(self.shown("report", "--by=thread"), r"1.00 us")

    def test_reports_of_traces_are_json(self):
        self.make(*MEASURED)
        said = self.reported("report")
        self.assertEqual(
            {each["name"]: (each["self_ns"], each["total_ns"])
             for each in said["functions"]},
            {name(path[-1]): (own, TOTAL[path[-1]])
             for path, own in OWN.items()})
        self.assertEqual([said["total"][key] for key in
                          ("time_ns", "samples", "trace_time")],
                         [1000, 0, "measured"])
        self.assertEqual(self.own(), named(OWN))
        butterfly = self.reported("report", "--butterfly", name(2))
        self.assertEqual(butterfly["self"]["ns"], 300)

    def test_csv_and_folded_exports_have_times_of_traces(self):
        self.make(*MEASURED)
        rows = csv.DictReader(io.StringIO(
            self.export("csv", self.recording_path).decode()))
        self.assertEqual({row["function"]: (int(row["self_ns"]),
                                            int(row["total_ns"]))
                          for row in rows},
                         {name(path[-1]): (own, TOTAL[path[-1]])
                          for path, own in OWN.items()})
        rows = csv.DictReader(io.StringIO(
            self.export("csv-contexts", self.recording_path).decode()))
        self.assertEqual(sorted(int(row["self_ns"]) for row in rows),
                         sorted(OWN.values()))
        self.assertEqual(unfold(
            self.export("folded", self.recording_path)), named(OWN))

    def test_traces_become_databases(self):
        self.make(*MEASURED)
        with sqlite3.connect(self.export_file(
                "sqlite", self.recording_path)) as database:
            self.assertEqual(
                dict(database.execute("SELECT path, self_ns FROM tree")),
                {" > ".join(path): ns for path, ns in named(OWN).items()})
            self.assertEqual(
                dict(database.execute("SELECT name, total_ns FROM functions")),
                {name(function): ns for function, ns in TOTAL.items()})
            meta = dict(database.execute("SELECT * FROM meta"))
        self.assertEqual((meta["time"], meta["time_ns"]), ("trace", 1000))

    def test_traces_become_speedscope_files(self):
        self.make(*MEASURED)
        said = json.loads(self.export("speedscope", self.recording_path))
        self.assertEqual(
            (said["profiles"][0]["unit"], said["profiles"][0]["endValue"]),
            ("nanoseconds", 1000))

    def test_trace_without_stamps_has_no_time(self):
        self.make(*NO_STAMPS)
        self.assertRegex(self.shown("report"), r"^ +calls +share")
        self.assertNotIn("wall time", self.shown("report", "--details"))
        self.assertNotIn("trace_time", self.reported("report")["total"])
        for command in ["report"], ["tree"], ["export", "-F", "csv"]:
            done = self.clew(*command, "--metric=time", self.recording_path)
            self.assert_one_line_error(done, "no time", "--stamps=all")
            self.assertEqual(done.stdout, "")

    def test_counted_recordings_have_no_time(self):
        self.record([target("recursion")], ["--time=none"])
        for command in "report", "tree":
            done = self.clew(command, "--metric=time", self.recording_path)
            self.assert_one_line_error(done, "no time", "--metric=calls")

    def test_the_times_are_those_of_the_calls(self):
        """The times in reports equal those of each call in clew trace."""
        for stamps in "all", "64":
            self.record([target("requests"), 300, -1, -1, 0],
                        ["--trace", f"--stamps={stamps}"])
            calls = collections.Counter()
            for line in self.lines():
                if line["kind"] in ("call", "end") and \
                        line.get("name") in ("handle", "step"):
                    calls[line["name"]] += line.get("most_ns", 0)
            found = {each["name"]: each["total_ns"]
                     for each in self.reported("report", "-n", "0")
                     ["functions"] if each["name"] in ("handle", "step")}
            self.assertEqual(set(found), {"handle", "step"})
            for each, ns in found.items():
                self.assertAlmostEqual(ns, calls[each],
                                       delta=calls[each] / 100 + 2000)


@needs("go")
class Pprof(exports.Export, Case):
    pprof = PprofExport.pprof
    raw = PprofExport.raw
    places = PprofExport.places
    stacks = PprofExport.stacks

    def test_pprof_files_have_times_of_traces(self):
        self.make(*MEASURED)
        raw = self.raw(self.export_file("pprof", self.recording_path))
        self.assertEqual(self.stacks(raw, "wall/nanoseconds"), named(OWN))


@needs("callgrind_annotate")
class Callgrind(exports.Export, Case):
    NUMBER = CallgrindExport.NUMBER
    LINE = CallgrindExport.LINE
    annotate = CallgrindExport.annotate

    def test_callgrind_files_have_times_of_traces(self):
        self.make(*MEASURED)
        path = self.export_file("callgrind", self.recording_path)
        self.assertEqual(
            {function: numbers[0]
             for function, numbers in self.annotate(path, False).items()
             if function.startswith("synthetic")},
            {name(path[-1]): ns for path, ns in OWN.items()})


if __name__ == "__main__":
    clewtest.main()
