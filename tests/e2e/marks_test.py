#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Moments and regions that a program announces (agent/clew.h) are in the recording."""
import json
import signal

from lib import clewtest, perfetto
from lib.clewtest import target

LONG = "a name that is so long that not all of it is kept, as it is to be"[:55]
REQUESTS = 3 * 500 + 1  # three threads and a forked child
KEPT = 1 << 21


class Marks(clewtest.Case):
    """Tests of targets/marks.c."""

    def setUp(self):
        super().setUp()
        self.told = self.work / "told"
        self.told.mkdir()
        self.environment["MARKS_TRUTH"] = str(self.told)

    def marks(self, *options):
        report = self.clew_json("report", "--json", *options)
        return {one["name"]: one for one in report["marks"]}

    def check(self, how, status, *options):
        program = [target("marks"), how]
        native = self.run_program(program)
        for left in self.told.iterdir():
            left.unlink()
        recorded = self.record(program, options)
        self.assert_same_behaviour(native, recorded)
        self.assertEqual(native.returncode, status)
        self.assert_no_problem()
        self.assert_counted(self.marks())
        for part in self.recording().parts:
            self.assert_true(part.pid)

    def assert_counted(self, marks):
        self.assertEqual({name: (one["moments"], one["regions"], one["open"],
                                 one["ends"]) for name, one in marks.items()},
                         {"request": (0, REQUESTS, 0, 0),
                          "part": (0, 2 * REQUESTS, 0, 0),
                          "half": (REQUESTS, 0, 0, 0),
                          "signal": (10, 0, 0, 0),
                          "handled": (0, 10, 0, 0),
                          "handed": (0, 1, 1, 0),
                          "sleeps": (0, 1, 0, 0),
                          "child": (0, 0, 0, 1),
                          "(other names)": (1, 0, 0, 0),
                          LONG: (1, 0, 0, 0)})

    def assert_histogram(self, one):
        bins = one["histogram"]
        self.assertEqual(sum(count for _, count in bins), one["regions"])
        self.assertLess(one["max_ns"], bins[-1][0])
        self.assertLessEqual(bins[-1][0] // 2, one["max_ns"])
        self.assertLess(one["min_ns"], bins[0][0])
        self.assertLessEqual(bins[0][0] // 2, one["min_ns"])

    def assert_true(self, pid):
        """The times of regions lie between the times that the program measures inside
        and outside.
        """
        marks = self.marks(f"--process={pid}")
        truth = {}
        for line in (self.told / str(pid)).read_text().splitlines():
            name, *numbers = line.split()
            truth[name] = [int(number) for number in numbers]
        for name, (count, least, most) in truth.items():
            if count == 0:
                self.assertNotIn(name, marks)
                continue
            one = marks[name]
            with self.subTest(name=name, pid=pid):
                self.assertEqual(one["regions"], count)
                # The clocks differ: they were compared only twice, and values
                # are whole nanoseconds.
                self.assertGreaterEqual(one["total_ns"],
                                        least * .99 - 20 * count)
                self.assertLessEqual(one["total_ns"],
                                     most * 1.01 + 20 * count)
                self.assertLessEqual(one["min_ns"], one["median_ns"])
                self.assertLessEqual(one["median_ns"], one["p90_ns"])
                self.assertLessEqual(one["p90_ns"], one["p99_ns"])
                self.assertLessEqual(one["p99_ns"], one["max_ns"])
                self.assert_histogram(one)
                self.assertLessEqual(one["max_ns"], one["total_ns"])
        self.assertEqual(marks["request"]["self_ns"],
                         marks["request"]["total_ns"] -
                         marks["part"]["total_ns"])
        self.assertEqual(marks["part"]["self_ns"], marks["part"]["total_ns"])

    def test_threads_handlers_and_children_can_set_marks(self):
        self.check("exit", 0)

    def test_marks_without_times_are_counted(self):
        self.check("exit", 0, "--time=none")

    def test_marks_have_exact_times(self):
        self.check("exit", 0, "--time=exact")

    def test_no_mark_is_lost_without_an_exit(self):
        self.check("_exit", 0)

    def test_no_mark_is_lost_in_a_crash(self):
        self.check("abort", -signal.SIGABRT, "--time=none")

    def test_marks_of_one_thread_can_be_shown(self):
        self.record([target("marks"), "exit"])
        (part,) = [part for part in self.recording().parts
                   if "sleeps" in self.marks(f"--process={part.pid}")]
        marks = self.marks(f"--process={part.pid}", f"--thread={part.pid}")
        self.assertEqual(marks["sleeps"]["regions"], 1)
        self.assertEqual(marks["handed"]["ends"], 1)
        self.assertNotIn("request", marks)

    def test_marks_beyond_the_limit_are_counted(self):
        done = self.record([target("marks"), "flood"], ["--time=none"])
        self.assertEqual((done.stderr, done.returncode), (b"", 0))
        report = self.clew_json("report", "--json")
        (flood,) = [one for one in report["marks"] if one["name"] == "flood"]
        (lost,) = report["marks_lost"].values()
        self.assertEqual(flood["moments"] + lost, 2200000)
        self.assertLess(flood["moments"], KEPT)
        self.assertGreater(flood["moments"], KEPT * .9)
        self.assertIn(f"\nmarks lost: {lost:,}, more than clew stores per "
                      "process\n", self.details())

    def test_marks_are_printed_as_text(self):
        self.record([target("marks"), "exit"])
        text = self.details("--marks")
        self.assertRegex(text, rf"(?m)^ *- +{REQUESTS:,} ( *\S+ [mun]?s){{6}}"
                               "  request$")
        self.assertRegex(text, r"(?m)^ *10 +-( +-){6}  signal$")
        self.assertIn("\nhanded: 1 region did not end\n", text)
        self.assertIn("\nchild: 1 end without a begin\n", text)
        self.assertIn("; clew report --marks clew.out shows them\n",
                      self.details())
        self.record([target("abi")])
        none = self.clew("report", "--marks")
        self.assertEqual(none.returncode, 1)
        self.assertIn("the program marked no moment", none.stderr)

    def test_marks_appear_in_the_timeline(self):
        self.record([target("marks"), "exit"])
        path = self.work / "trace"
        done = self.clew("export", "-F", "chrome", "-o", path)
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        events = json.loads(path.read_text())["traceEvents"]
        begun, ended = ({event["id"]: event for event in events
                         if event["ph"] == kind} for kind in "be")
        self.assertEqual(len(begun), 3 * REQUESTS + 10 + 2 + 1)
        self.assertEqual(set(begun) - set(ended), {
            one["id"] for one in begun.values()
            if one["name"] == "handed" and one["args"]["number"] == 7})
        for number, end in ended.items():
            self.assertEqual(begun[number]["name"], end["name"])
            self.assertGreaterEqual(end["ts"], begun[number]["ts"])
        requests = [one for one in begun.values() if one["name"] == "request"]
        self.assertEqual({one["args"]["function"] for one in requests},
                         {"serves"})
        self.assertEqual(len({one["tid"] for one in requests}), 4)
        halves = [event for event in events if event["ph"] == "i" and
                  event["name"] == "half"]
        self.assertEqual(sorted(event["args"]["number"] for event in halves),
                         sorted([*range(500)] * 3 + [1]))

    def test_marks_appear_in_perfetto(self):
        self.record([target("marks"), "exit"])
        path = self.work / "trace"
        done = self.clew("export", "-F", "perfetto", "-o", path)
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        trace = perfetto.Trace(path.read_bytes())
        begun = [name for events in trace.events.values()
                 for _, kind, name in events if kind == perfetto.BEGIN]
        ended = sum(kind == perfetto.END for events in trace.events.values()
                    for _, kind, _ in events)
        self.assertEqual(len(begun), 3 * REQUESTS + 10 + 2 + 1)
        # One region is handed to another thread.
        self.assertEqual(ended, len(begun) - 1)
        requests = [notes for name, notes in trace.notes if name == "request"]
        self.assertEqual({one["function"] for one in requests}, {"serves"})
        halves = [notes["number"] for name, notes in trace.notes
                  if name == "half"]
        self.assertEqual(sorted(halves), sorted([*range(500)] * 3 + [1]))
        for track, events in trace.events.items():
            if trace.tracks[track]:  # This track is of a region.
                names = {name for _, _, name in events if name}
                self.assertEqual(names, {trace.tracks[track]})

    def test_marks_appear_in_the_dump(self):
        self.record([target("marks"), "exit"])
        dumped = "".join(self.clew("dump", part).stdout for part in
                         sorted(self.recording_path.glob("*.part")))
        self.assertIn(" text=request\n", dumped)
        self.assertRegex(dumped, r"\nmark tsc=\d+ id=0x[0-9a-f]+ number=10 ")


if __name__ == "__main__":
    clewtest.main()
