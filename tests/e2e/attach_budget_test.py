#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`clew attach --budget` unhooks functions that cost too much in a running
process."""
import pathlib
import signal
import struct

from lib import clewtest
from lib.attached import Attached
from lib.clewtest import kill_with_guardian, target, until

TRAP = 1 << signal.SIGTRAP - 1
# An unhooked function is hooked again after a minute at the latest, once no
# debt is left.
SURVEYED_S = 180
BUDGET = ("--budget", "20%", "-f", "^busy_")


def blocking(pid):
    """Returns how many threads block SIGTRAP."""
    count = 0
    for status in pathlib.Path(f"/proc/{pid}/task").glob("*/status"):
        line, = (line for line in status.read_text().splitlines()
                 if line.startswith("SigBlk:"))
        count += bool(int(line.split()[1], 16) & TRAP)
    return count


class Budget(Attached):
    def setUp(self):
        super().setUp()
        # Sessions with a cache begin with what earlier ones have learnt.
        self.environment["XDG_CACHE_HOME"] = str(self.work / "cache")
        self.process, self.memory = self.shared("busy", [target("busy")])

    def word(self, i):
        return struct.unpack_from("<Q", self.memory, 8 * i)[0]

    def go_on(self):
        """Waits until the program has run each of its activities once more."""
        for i in (2, 5):
            now = self.word(i)
            self.assertTrue(until(lambda: self.word(i) > now + 50))

    def attach_until_left_out(self, times=1):
        out = self.word(4)
        controller = self.attach(self.process, *BUDGET)
        self.assertTrue(until(lambda: self.word(4) >= out + times,
                              seconds=SURVEYED_S))
        self.go_on()
        return controller

    def assert_unharmed(self):
        self.assert_as_before(self.process)
        self.go_on()
        self.assertEqual(self.word(1), 0, "wrong answers")

    def assert_no_problems(self, report):
        """Asserts that the report lists only transient problems: a thread's
        position, or a lack of CPU time."""
        self.assertEqual([problem for problem in report["problems"]
                          if "budget was not kept" not in problem and
                          "appear at the top" not in problem], [])

    def leaf(self):
        """Returns (the report's budget, the leaf's row)."""
        report = self.clew_json("report", "--json", self.recording_path)
        self.assert_no_problems(report)
        rows = {row["name"]: row for row in report["functions"]}
        self.assertNotIn("left_out", rows["busy_round"])
        return report["budget"], rows["busy_leaf"]

    def test_the_hot_leaf_is_left_out(self):
        """Attaches twice. Detaching restores all code."""
        for _ in range(2):
            before = self.word(3)
            self.detach(self.attach_until_left_out())
            made = self.word(3) - before
            self.assert_unharmed()
            budget, leaf = self.leaf()
            self.assertEqual(budget["share"], .2)
            self.assertEqual(budget["left_out"], 1)
            self.assertGreater(budget["missed_calls"], 0)
            self.assertGreater(leaf["left_out"]["times"], 0)
            self.assertLess(leaf["left_out"]["counted_share"], 1)
            self.assertLess(leaf["calls"], made)

    def test_unhooked_function_is_hooked_again(self):
        """The function is hooked now and then, to measure it again."""
        self.detach(self.attach_until_left_out(times=2))
        self.assert_unharmed()
        self.assertGreater(self.leaf()[1]["left_out"]["times"], 1)

    def test_signal_masks_are_restored_after_a_budget(self):
        self.go_on()
        self.assertEqual(blocking(self.process.pid), 2)
        controller = self.attach_until_left_out()
        self.detach(controller)
        self.assertTrue(until(lambda: blocking(self.process.pid) == 2))
        self.assert_unharmed()

    def test_top_marks_functions_left_out(self):
        controller = self.attach_until_left_out()
        for by in ("function", "context"):
            table = self.clew("top", "-b", "-n", "1", "-d", ".1", "--top", "0",
                              "--by", by, self.process.pid)
            self.assertEqual(table.returncode, 0, table.stderr)
            self.assertRegex(table.stdout, r"busy_leaf \{[\d.]+ %\}")
            self.assertNotRegex(table.stdout, r"busy_round \{")
        self.detach(controller)
        self.assert_unharmed()

    def test_a_later_session_has_no_budget(self):
        self.detach(self.attach_until_left_out())
        before = self.word(3)
        controller = self.attach(self.process, *BUDGET[2:])
        at_least = self.word(3)
        self.go_on()
        now = self.word(3)
        self.detach(controller)
        after = self.word(3)
        self.assert_unharmed()
        report = self.clew_json("report", "--json", self.recording_path)
        self.assert_no_problems(report)
        self.assertNotIn("budget", report)
        calls, = (row["calls"] for row in report["functions"]
                  if row["name"] == "busy_leaf")
        self.assertLessEqual(calls, after - before + 100000)
        self.assertGreaterEqual(calls + 100000, now - at_least)

    def test_budget_stays_after_the_controller_is_killed(self):
        """The budget stays in force without the controller."""
        out = self.word(4)
        controller = self.attach(self.process, *BUDGET)
        kill_with_guardian(controller)
        self.assertTrue(until(lambda: self.word(4) > out,
                              seconds=SURVEYED_S))
        self.go_on()
        done = self.clew("detach", self.process.pid)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_unharmed()

    def test_calls_that_are_measured_cannot_be_left_out(self):
        self.assert_usage_error(
            self.clew("attach", "--budget=5%", "--time=exact",
                      self.process.pid), "--budget", "--time=exact")


if __name__ == "__main__":
    clewtest.main()
