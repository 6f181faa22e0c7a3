#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Recordings and reports have the values that an agent counts by context (agent/clew.h)."""
import csv
import gzip
import json
import signal
import sqlite3

from lib import clewtest
from lib.clewtest import target
from lib.html_page import Page

ROUNDS = 2 * 1000  # two threads
LEFTS = ROUNDS + 1  # and one forked child


class Values(clewtest.Case):
    """Tests of targets/values.c."""

    def check(self, how, status):
        program = [target("values"), how]
        native = self.run_program(program)
        recorded = self.record(program)
        self.assert_same_behaviour(native, recorded)
        self.assertEqual(native.returncode, status)
        for name, own in (
                ("visits", {"left": LEFTS, "inner": LEFTS + 2 * ROUNDS}),
                ("moved", {"left": LEFTS, "inner": 10 * LEFTS + 60 * ROUNDS}),
                # This value is the sum of two processes' maxima, in two
                # contexts in the first process.
                ("most<", {"left": 2, "inner": 10 + 100 + 10})):
            with self.subTest(name=name):
                report = self.clew_json("report", "--json", "--value", name)
                self.assertEqual(
                    {row["name"]: row["self_value"]
                     for row in report["functions"] if row["self_value"]},
                    own)
                self.assertEqual(report["value"]["name"], name)
                self.assertEqual(report["value"]["total"], sum(own.values()))
                self.assertEqual([one["name"] for one in report["values"]],
                                 ["visits", "moved", "most<"])
                self.assertEqual(report["value"]["unit"],
                                 "" if name == "visits" else "bytes")

    def test_values_of_threads_and_children_add_up(self):
        self.check("exit", 0)

    def test_nothing_is_lost_without_an_exit(self):
        self.check("_exit", 0)

    def test_nothing_is_lost_in_a_crash(self):
        self.check("abort", -signal.SIGABRT)

    def recorded(self):
        done = self.record([target("values"), "exit"])
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_tree_has_each_context(self):
        self.recorded()
        tree = self.clew_json("tree", "--json", "--value=moved")
        names = [one["name"] for one in tree["functions"]]
        found = {}
        for one in tree["contexts"]:
            parent = next((other for other in tree["contexts"]
                           if other["id"] == one["parent"]), None)
            key = (names[parent["function"]] if parent else None,
                   names[one["function"]])
            if one["self_value"]:
                found[key] = found.get(key, 0) + one["self_value"]
        self.assertEqual(found.pop(("left", "inner")), 10 * LEFTS)
        self.assertEqual(found.pop(("right", "inner")), 60 * ROUNDS)
        self.assertEqual(sum(found.values()), LEFTS)

    def test_values_are_printed_as_text(self):
        self.recorded()
        report = self.clew("report", "--value=moved").stdout
        self.assertRegex(report, r"(?m)^ *140,010 +98\.59% .*  inner  \[")
        self.assertIn("; moved: 142,011\n", report)
        self.assertIn("\nvalue: moved, 142,011 in total, was counted by an "
                      "agent in 5 contexts\n", self.details("--value=moved"))
        self.assertNotIn("\ntime: ", report)
        self.assertRegex(self.clew("tree", "--value=moved").stdout,
                         r"(?m)^ *120,000 +84\.50% +120,000 +4,000 .*inner")
        self.assertIn("\nvalues: visits, moved, most<; --value=NAME shows "
                      "one of them\n", self.details())
        self.assertIn("\nhint: 3 values were counted (visits, moved, most<); "
                      "--value=NAME shows one\n", self.details())

    def test_exports_have_values(self):
        self.recorded()
        folded = self.clew("export", "-F", "folded", "--value=moved").stdout
        self.assertEqual(sum(int(line.rsplit(" ", 1)[1])
                             for line in folded.splitlines()), 142011)

    def export(self, form, *options):
        path = self.work / f"export.{form}"
        done = self.clew("export", "-F", form, "--value=moved", "-o", path,
                         *options)
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        return path

    def test_tables_have_values(self):
        self.recorded()
        with self.export("csv").open(newline="") as file:
            rows = {row["function"]: (int(row["self_value"]),
                                      int(row["total_value"]))
                    for row in csv.DictReader(file)}
        self.assertEqual(rows["inner"], (140010, 140010))
        self.assertEqual(rows["left"], (2001, 22011))
        with self.export("csv-contexts").open(newline="") as file:
            self.assertEqual(sum(int(row["self_value"])
                                 for row in csv.DictReader(file)), 142011)

    def test_a_database_has_values(self):
        self.recorded()
        with sqlite3.connect(self.export("sqlite")) as base:
            meta = dict(base.execute("SELECT key, value FROM meta"))
            self.assertEqual((meta["value"], meta["value_unit"],
                              meta["time_ns"]), ("moved", "bytes", 0))
            self.assertEqual(base.execute(
                "SELECT self_value, total_value, self_ns FROM functions "
                "WHERE name = 'left'").fetchall(), [(2001, 22011, 0)])
            self.assertEqual(base.execute(
                "SELECT SUM(self_value), SUM(total_ns) FROM contexts"
            ).fetchone(), (142011, 0))

    def test_flame_graphs_of_other_tools_have_values(self):
        self.recorded()
        (profile,) = json.loads(
            self.export("speedscope").read_text())["profiles"]
        self.assertEqual((profile["name"], profile["unit"],
                          profile["endValue"]),
                         ("moved, by context", "bytes", 142011))
        open_at, own = [], {}
        for event in json.loads(
                self.export("chrome").read_text())["traceEvents"]:
            if event["ph"] == "B":
                open_at.append(event["ts"])
            elif event["ph"] == "E":
                own[event["name"]] = own.get(event["name"], 0) + \
                    event["ts"] - open_at.pop()
        self.assertEqual(open_at, [])
        self.assertEqual(round(1000 * own["inner"]), 140010)
        self.assertEqual(round(1000 * own["left"]), 22011)
        callgrind = self.export("callgrind").read_text()
        self.assertIn("event: Value : moved (bytes)\n", callgrind)
        self.assertIn("events: Value Calls\nsummary: 142011 ", callgrind)

    def test_values_are_shown_by_context(self):
        self.recorded()
        rows = {row["name"]: (row["self_value"], row["total_value"])
                for row in self.clew_json(
                    "report", "--json", "--by=context",
                    "--value=moved")["functions"] if row["self_value"]}
        found = {}
        for name, (own, total) in rows.items():
            key = " <- ".join(name.split(" <- ")[:2])
            found[key] = found.get(key, 0) + own
            self.assertGreaterEqual(total, own)
        self.assertEqual(len(rows), 5)
        self.assertEqual(found.pop("inner <- right"), 60 * ROUNDS)
        self.assertEqual(found.pop("inner <- left"), 10 * LEFTS)
        self.assertEqual(sum(found.values()), LEFTS)
        self.assertRegex(
            self.clew("report", "--by=context", "--value=moved").stdout,
            r"(?m)^ *120,000 .*  inner <- right( <- |\n)")

    def test_comparisons_show_values(self):
        self.recorded()
        before = self.work / "before"
        self.recording_path.rename(before)
        self.record([target("values"), "more"])
        diff = self.clew_json("diff", "--json", "--value=moved", before,
                              self.recording_path)
        rows = {row["name"]: row for row in diff["functions"]}
        self.assertEqual(rows["left"]["after"]["self_value"] -
                         rows["left"]["before"]["self_value"], 1)
        self.assertEqual(rows["inner"]["after"]["self_value"] -
                         rows["inner"]["before"]["self_value"], 10)
        text = self.clew("diff", "--value=moved", before,
                         self.recording_path).stdout
        self.assertRegex(text, r"(?m)^ *140,010 +140,020 +\+10 .*inner")
        self.assertIn("; moved: 142,011 before, 142,022 after\n", text)
        tree = self.clew_json("diff", "--json", "--tree", "--value=moved",
                              before, self.recording_path)
        self.assertEqual(max(one["after"]["below_value"] -
                             one["before"]["below_value"]
                             for one in tree["contexts"]), 11)

    def test_values_appear_on_the_page(self):
        self.recorded()
        path = self.work / "page.html"
        done = self.clew("html", "--value=moved", "-o", path)
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        page = Page(path.read_text(encoding="utf-8"))
        self.assertEqual((page.meta["value"]["name"],
                          page.meta["value"]["unit"], page.meta["taken"]),
                         ("moved", "bytes", None))
        own = {}
        for function, number in zip(page.function, page.rare("time")):
            name = page.names[function]
            own[name] = own.get(name, 0) + number
        self.assertEqual({name: number for name, number in own.items()
                          if number}, {"left": LEFTS,
                                       "inner": 10 * LEFTS + 60 * ROUNDS})
        self.assertEqual({group[1] for group in page.groups(True)}, {True})

    def test_pprof_files_have_values(self):
        self.recorded()
        profile = self.work / "profile"
        done = self.clew("export", "-F", "pprof", "--value=moved", "-o",
                         profile)
        self.assertEqual(done.returncode, 0, done.stderr)
        message = gzip.decompress(profile.read_bytes())
        # These are entries of the string table, with field and length.
        self.assertIn(b"2\x05moved", message)
        self.assertIn(b"2\x05bytes", message)
        self.assertNotIn(b"nanoseconds", message)
        self.assertIn(b"\xa0\x1f\xc0\xa9\x07", message)  # 4000, 120000

    def test_unknown_values_are_refused(self):
        self.recorded()
        for command, words in (
                (["report", "--value=none"],
                 "no agent counted none; the recording has the values "
                 "visits, moved, most<"),
                (["report", "--value=moved", "--by=thread"], "--value excludes --thread"),
                (["tree", "--value=moved", "--thread=1"], "--value excludes --thread"),
                (["report", "--value=moved", "--butterfly=left"],
                 "--butterfly")):
            with self.subTest(command=command):
                done = self.clew(*command)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(words, done.stderr)
        without = self.work / "without"
        self.run_program([clewtest.CLEW, "record", "-o", without, "--",
                          "/bin/true"])
        self.assertIn("no agent counted any",
                      self.clew("report", "--value=moved", without).stderr)

    def test_values_appear_in_the_dump(self):
        self.recorded()
        dumped = "".join(self.clew("dump", part).stdout for part in
                         sorted(self.recording_path.glob("*.part")))
        self.assertIn("\nvalue column=1 unit=1 text=moved\n", dumped)
        self.assertIn("state=1 values=4000,120000,100\n", dumped)

    def test_contexts_without_room_have_their_nearest_callers_row(self):
        program = [target("values"), "exit"]
        done = self.record(program, ["--max-contexts=6"])
        self.assertEqual(done.returncode, 0, done.stderr)
        report = self.clew_json("report", "--json", "--value=moved")
        self.assertEqual(report["value"]["total"], 142011)
        self.assertEqual(sum(row["self_value"]
                             for row in report["functions"]), 142011)


if __name__ == "__main__":
    clewtest.main()
