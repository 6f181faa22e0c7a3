#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Wall-clock samples show where threads spend their time, and what they wait for.

The programs measure their own time, so load from other processes delays both alike. The
remaining error is random, and its size is known. A look at a thread stands for a
stratum of time (preload/time/strata.h). A look is wrong only if one state ends and
another begins in the stratum. The error of n calls is thus at most half a stratum times
the square root of 2 n, and not more than that of independent looks. Five times this
error is exceeded once in 1.7 million times. Looks are also late if no processor is
free. The tolerance contains a point for that, and the tests wait for a quiet moment.
"""
import collections
import math
import pathlib
import re
import subprocess

from lib import clewtest, wire
from lib.clewtest import target
from lib.disturbance import Disturbed, undisturbed

IDLES = target("idles")
LATE_POINTS = 1.0
CEILING_POINTS = 12
SIGMAS = 5
Spent = collections.namedtuple("Spent", "calls wall_ns cpu_ns")


def call_numbers():
    """Returns {name: number} of system calls from the kernel's header."""
    text = subprocess.run(
        ["cc", "-dM", "-E", "-include", "asm/unistd_64.h", "-x", "c",
         "/dev/null"], check=True, stdout=subprocess.PIPE, text=True).stdout
    return {name: int(number) for name, number
            in re.findall(r"#define __NR_(\w+) (\d+)", text)}


class Case(clewtest.Case):
    # A factor for the durations that tests request; a look may cost much here.
    longer = 1

    def record_idles(self, *arguments, options=()):
        """Records `idles`. Returns {function: Spent}, as the program prints."""
        done = self.record([IDLES, *arguments],
                           ["--time=wall", "--no-children", *options],
                           text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = (line.split() for line in done.stdout.splitlines())
        return {name: Spent(*map(int, numbers)) for name, *numbers in rows}

    def rows(self, *options):
        """Returns {name: row} of the flat report, and the report."""
        report = self.clew_json("report", "--json", "--top=0", *options,
                                self.recording_path)
        return {row["name"]: row for row in report["functions"]}, report

    def margins(self, truth):
        """Returns the tolerance of each function's share, in percentage points."""
        part, = self.recording().parts
        tids = {tally: tid for tid, tally, _ in part.threads}
        looks = [sample for sample in part.samples
                 if sample.flags & wire.BLOCKED
                 and sample.wait != wire.WAIT_PROCESSOR
                 # The main thread only joins.
                 and tids[sample.tally] != part.pid]
        longest = max(sample.weight_ns / sample.looks for sample in looks)
        squares = sum(sample.weight_ns**2 / sample.looks for sample in looks)
        total = sum(spent.wall_ns for spent in truth.values())

        def margin(spent):
            share = spent.wall_ns / total
            variance = min(2 * spent.calls * longest**2 / 4,
                           squares * share * (1 - share))
            return LATE_POINTS + 100 * SIGMAS * math.sqrt(variance) / total
        return {name: margin(spent) for name, spent in truth.items()}

    def assert_split(self, truth):
        """Checks each function's share, with margins that are not too wide."""
        rows, _ = self.rows()
        total = sum(spent.wall_ns for spent in truth.values())
        found = {name: rows[name]["total_ns"] for name in truth}
        margins = self.margins(truth)
        if max(margins.values()) > CEILING_POINTS:
            self.longer *= 2
            raise Disturbed(f"so few looks that they say nothing: {margins}")
        for name, spent in truth.items():
            error = 100 * (found[name] - spent.wall_ns) / total
            if abs(error) > margins[name]:
                raise Disturbed(
                    f"{name}: {error:+.2f} points off, not +-"
                    f"{margins[name]:.2f}; {found} for {truth}")


class Splits(Case):
    """Functions take 70, 20 and 10 % of the time, in waits of all lengths."""

    def check(self, threads, duration_ms, *arguments, options=()):
        truth = self.record_idles("split", threads, duration_ms * self.longer,
                                  *arguments, options=options)
        self.assertEqual(set(truth), {"most", "some", "little"})
        self.assert_split(truth)

    @undisturbed
    def test_short_waits_have_their_wall_time(self):
        self.check(1, 4000, 2000)

    @undisturbed
    def test_waits_of_5_ms_have_their_wall_time(self):
        self.check(1, 3000, 10000, "jitter")

    @undisturbed
    def test_regular_waits_of_50_ms_have_their_wall_time(self):
        self.check(1, 2000, 100000)

    @undisturbed
    def test_waits_of_a_second_have_their_wall_time(self):
        self.check(2, 4000, 1300000)

    @undisturbed
    def test_waits_beside_spinning_threads_have_their_wall_time(self):
        self.check(2, 3000, 20000, "jitter", "spin")

    @undisturbed
    def test_waits_of_a_hundred_threads_have_their_wall_time(self):
        self.check(100, 5000, 20000, "jitter")

    @undisturbed
    def test_simultaneous_waits_of_a_hundred_threads_have_their_wall_time(self):
        self.check(100, 3000, 100000)

    @undisturbed
    def test_wall_time_is_right_at_another_rate(self):
        self.check(4, 3000, 50000, "jitter", options=["--rate=97"])

    @undisturbed
    def test_short_waits_after_a_long_one_have_their_wall_time(self):
        truth = self.record_idles("burst", 1, 3000 * self.longer)
        self.assertEqual(set(truth), {"most", "some", "little"})
        self.assert_split(truth)


class Reasons(Case):
    """The reason of a wait is recorded without --libc."""

    WAITS = {"by_futex": ["futex"], "by_poll": ["poll"],
             "by_epoll": ["epoll_wait", "epoll_pwait"],
             "by_read": ["read"], "by_nanosleep": ["clock_nanosleep"],
             "by_accept": ["accept"], "by_wait": ["wait4"],
             "by_fault": ["page fault", "clock_nanosleep"]}

    def reasons(self):
        """Returns {function: {reason: ns}}, for reasons below each function."""
        tree = self.clew_json("tree", "--json", self.recording_path)
        names = [function["name"] for function in tree["functions"]]
        kinds = [function.get("kind") for function in tree["functions"]]
        inside = {0: None}  # maps each node to the program's function above it
        found = collections.defaultdict(collections.Counter)
        for node in tree["contexts"]:
            name = names[node["function"]]
            inside[node["id"]] = name if name.startswith("by_") \
                else inside[node["parent"]]
            if kinds[node["function"]] in ("blocked", "kernel"):
                found[inside[node["id"]]][name.strip("()")] += node["self_ns"]
        return found

    @undisturbed
    def test_each_system_call_has_its_reason(self):
        truth = self.record_idles("reasons", 200)
        found = self.reasons()
        for name, expected in self.WAITS.items():
            reason, ns = found[name].most_common(1)[0]
            self.assertIn(reason, expected, (name, found[name]))
            if not 0.8 < ns / truth[name].wall_ns < 1.2:
                raise Disturbed(f"{name}: {ns} ns of {truth[name]}")

    def test_waits_have_the_kernels_system_call_numbers(self):
        self.record_idles("reasons", 100)
        part, = self.recording().parts
        numbers = call_numbers()
        waits = {sample.wait for sample in part.samples
                 if sample.flags & wire.BLOCKED}
        for name in "futex", "poll", "read", "clock_nanosleep", "wait4":
            self.assertIn(1 + numbers[name], waits, name)

    def test_waits_have_the_pc_of_their_system_call(self):
        """The pc of a waiting thread follows a syscall instruction of the C library."""
        self.record_idles("reasons", 100)
        part, = self.recording().parts
        libc = next(m for m in part.modules if m.name.startswith("libc.so"))
        code = pathlib.Path(libc.path).read_bytes()
        inside = [s for s in part.samples if 1 <= s.wait < 1000]
        self.assertGreater(len(inside), 5)
        segments = self.executable_segments(libc.path)
        for sample in inside:
            vaddr = sample.pc - libc.base
            offset = next((vaddr - start + at for start, size, at in segments
                           if start <= vaddr < start + size), None)
            self.assertIsNotNone(offset, sample)
            self.assertEqual(code[offset - 2:offset], b"\x0f\x05")

    def executable_segments(self, path):
        done = self.run_program(["readelf", "-lW", path], text=True)
        return [(int(words[2], 16), int(words[4], 16), int(words[1], 16))
                for words in map(str.split, done.stdout.splitlines())
                if words[:1] == ["LOAD"] and "E" in words[6:-1]]

    @undisturbed
    def test_working_threads_have_no_wait_reason(self):
        truth = self.record_idles("reasons", 300)
        rows, _ = self.rows()
        blocked = self.reasons()["by_nothing"]
        spent = truth["by_nothing"]
        slept = sum(ns for reason, ns in blocked.items()
                    if reason not in ("runnable", "kernel"))
        if slept > 0.1 * spent.wall_ns or not \
                0.8 < rows["by_nothing"]["total_ns"] / spent.wall_ns < 1.2:
            raise Disturbed(f"{blocked}, {rows['by_nothing']} for {spent}")


class Rows(Case):
    """Rows of reports that are not hooked functions."""

    def test_rows_account_for_all_wall_time(self):
        self.record_idles("split", 2, 500, 20000, "spin")
        rows, report = self.rows("--by=line")
        self.assertEqual(sum(row["self_ns"] for row in rows.values()),
                         report["total"]["time_ns"])
        self.assertTrue([name for name in rows if "clock_nanosleep" in name],
                        rows)

    def test_code_that_is_not_hooked_has_rows(self):
        self.record_idles("split", 1, 500, 20000, "spin")
        rows, _ = self.rows()
        modules = {row.get("module", "").rsplit("/", 1)[-1]
                   for row in rows.values()
                   if row["calls"] == 0 and row["total_ns"] > 0}
        self.assertIn("libc.so.6", modules)

    def test_time_of_clew_is_subtracted(self):
        """The program lasts long enough to be sampled."""
        self.record_idles("split", 1, 500, 20000, "spin")
        _, report = self.rows()
        self.assertIn("watch_ns", report["self_cost"])
        self.assertGreater(report["self_cost"]["watch_ns"], 0)
        self.assertFalse(report["self_cost"]["shown"])


if __name__ == "__main__":
    clewtest.main()
