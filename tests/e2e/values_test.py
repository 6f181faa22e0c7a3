#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What an agent counts by context (agent/clew.h) is in the recording, and shown."""
import gzip
import signal

import clewtest
from clewtest import target

ROUNDS = 2 * 1000  # of two threads
LEFTS = ROUNDS + 1  # and of a forked child


class Values(clewtest.Case):
    """targets/values.c"""

    def check(self, how, status):
        program = [target("values"), how]
        native = self.run_program(program)
        recorded = self.record(program)
        self.assert_same_behaviour(native, recorded)
        self.assertEqual(native.returncode, status)
        for name, own in (
                ("visits", {"left": LEFTS, "inner": LEFTS + 2 * ROUNDS}),
                ("moved", {"left": LEFTS, "inner": 10 * LEFTS + 60 * ROUNDS}),
                # the most of two processes each, by two contexts in the first
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

    def test_of_threads_and_children(self):
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

    def test_as_text(self):
        self.recorded()
        report = self.clew("report", "--value=moved").stdout
        self.assertRegex(report, r"(?m)^ *140,010 +98\.59% .*  inner  \[")
        self.assertIn("\nvalue: moved, 142,011 in all, as an agent counted "
                      "it in 5 contexts\n", report)
        self.assertNotIn("\ntime: ", report)
        self.assertRegex(self.clew("tree", "--value=moved").stdout,
                         r"(?m)^ *120,000 +84\.50% +120,000 +4,000 .*inner")
        self.assertIn("\nvalues: visits, moved, most<; --value=NAME shows "
                      "one\n", self.clew("report").stdout)

    def test_exports(self):
        self.recorded()
        folded = self.clew("export", "-F", "folded", "--value=moved").stdout
        self.assertEqual(sum(int(line.rsplit(" ", 1)[1])
                             for line in folded.splitlines()), 142011)
        refused = self.clew("export", "-F", "csv", "--value=moved")
        self.assertIn("does not take --value", refused.stderr)

    def test_pprof(self):
        self.recorded()
        profile = self.work / "profile"
        done = self.clew("export", "-F", "pprof", "--value=moved", "-o",
                         profile)
        self.assertEqual(done.returncode, 0, done.stderr)
        message = gzip.decompress(profile.read_bytes())
        # the string table's, each with its field and length
        self.assertIn(b"2\x05moved", message)
        self.assertIn(b"2\x05bytes", message)
        self.assertNotIn(b"nanoseconds", message)
        self.assertIn(b"\xa0\x1f\xc0\xa9\x07", message)  # 4000, 120000

    def test_what_is_not_there_is_refused(self):
        self.recorded()
        for command, words in (
                (["report", "--value=none"],
                 "no value none in it, but visits, moved, most<"),
                (["report", "--value=moved", "--by=thread"], "of no thread"),
                (["tree", "--value=moved", "--thread=1"], "of no thread"),
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

    def test_in_the_dump(self):
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
