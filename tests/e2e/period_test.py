#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""--from, --to and --around in reports, trees and exports."""
import csv
import io
import re

from lib import clewtest

PROGRAM = r"""
#include <time.h>
#define NOINLINE __attribute__((noinline, noclone))
volatile int sink;
NOINLINE void leaf(void) { sink++; }
NOINLINE void first(int n) { while (n--) leaf(); sink++; }
NOINLINE void second(int n) { while (n--) leaf(); sink++; }
static inline __attribute__((always_inline)) double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return time.tv_sec + time.tv_nsec * 1e-9;
}
int main(int argc, char **argv)
{
	double begin = now();
	first(1000);
	while (argc > 1 && now() - begin < 0.1) sink++;
	second(3000);
	return 0;
}
"""


class Period(clewtest.Case):
    def record_program(self, *options, arguments=()):
        source, program = self.work / "program.c", self.work / "program"
        source.write_text(PROGRAM, encoding="utf-8")
        self.assertEqual(self.run_program(
            ["cc", "-O1", source, "-o", program]).returncode, 0)
        done = self.record([program, *arguments], ["-m", "program", *options])
        self.assertEqual(done.returncode, 0, done.stderr)

    def trace(self, arguments=()):
        self.record_program("--trace", "--stamps=all", "--time=none",
                            arguments=arguments)

    def report(self, *options):
        return self.clew_json("report", "--json", *options,
                              self.recording_path)

    def calls(self, *options):
        return {row["name"]: row["calls"]
                for row in self.report(*options)["functions"]}

    def limits(self):
        """Returns options for the time before and from the call of second()."""
        text = self.clew("trace", "-f", "^second$", self.recording_path).stdout
        begin = float(re.search(r"\n +([\d.]+) .* second\(\);\n", text)[1])
        limit = f"{begin - 1e-6:.9f}"  # no call begins so shortly before it
        return f"--to={limit}", f"--from={limit}"

    def test_the_whole_time_has_all_calls(self):
        self.trace()
        whole = self.report()
        part = self.report("--from=0", "--to=1000")
        self.assertEqual([(row["name"], row["calls"], row["contexts"])
                          for row in sorted(part["functions"], key=str)],
                         [(row["name"], row["calls"], row["contexts"])
                          for row in sorted(whole["functions"], key=str)])
        self.assertAlmostEqual(part["total"]["time_ns"],
                               whole["total"]["time_ns"],
                               delta=whole["total"]["time_ns"] / 50)

    def test_each_call_is_in_one_of_two_periods(self):
        self.trace(["slowly"])
        whole = self.calls()
        limits = self.limits()
        early, late = (self.calls(limit) for limit in limits)
        self.assertEqual({name: early.get(name, 0) + late.get(name, 0)
                          for name in whole}, whole)
        self.assertEqual(early["first"], 1)
        self.assertEqual(late["second"], 1)
        # main was active in both and began in the first.
        self.assertEqual((early["main"], late["main"]), (1, 0))
        times = [self.report(*options)["total"]["time_ns"]
                 for options in ([], limits[:1], limits[1:])]
        self.assertAlmostEqual(times[0], times[1] + times[2],
                               delta=times[0] / 50)

    def test_trees_and_exports_have_the_period(self):
        self.trace(["slowly"])
        until, since = self.limits()
        tree = self.clew("tree", since, self.recording_path).stdout
        self.assertNotIn("first", tree)
        self.assertRegex(tree, r"\n.* 3,000 +[└`][─-] leaf\n")
        self.assertRegex(tree, r"\nfrom [\d.]+ m?s: 3,001 calls in 3 contexts, ")
        text = self.clew("export", "-F", "csv", since,
                         self.recording_path).stdout
        rows = {row["function"]: row["calls"] for row in csv.DictReader(
            io.StringIO(text))}
        self.assertEqual(rows, {"main": "0", "second": "1", "leaf": "3000"})
        folded = self.clew("export", "-F", "folded", "--metric=calls",
                           until, self.recording_path).stdout
        self.assertEqual(sorted(folded.splitlines()),
                         ["main 1", "main;first 1", "main;first;leaf 1000"])
        threads = self.clew("report", "--by=thread", until,
                            self.recording_path).stdout
        self.assertRegex(threads, r" 1,002 .* program \(\d+\)\n")

    def test_samples_of_a_counted_recording_have_times(self):
        self.record_program("--time=cpu", arguments=["slowly"])
        whole = self.report()
        part = self.report("--from=0", "--to=1000")
        for key in ("time_ns", "samples"):
            self.assertEqual(part["total"][key], whole["total"][key])
        samples = 0
        for options in (["--to=60ms"], ["--from=60.000001ms", "--to=100ms"],
                        ["--from=100.000001ms"]):
            done = self.clew("report", "--json", *options, self.recording_path)
            if done.returncode:
                self.assertIn("nothing was recorded in this period",
                              done.stderr)
            else:
                total = clewtest.json.loads(done.stdout)["total"]
                samples += total["samples"]
        self.assertEqual(samples, whole["total"]["samples"])
        text = self.clew("report", "--to=1000", self.recording_path).stdout
        self.assertIn("\nfrom 0 to 1,000 s: calls without times are not shown "
                      "(record with --trace); ", re.sub(r"\n  ", " ", text))

    def test_recordings_without_time_are_refused(self):
        self.record_program("--time=none")
        for options, status, why in (
                (["--from=1ms"], 1, "the recording has no samples and no "
                 "trace, so nothing has a time; record with --time=cpu or "
                 "--trace"),
                (["--from=2", "--to=1"], 64, "--from is later than --to"),
                (["--value=x", "--from=1"], 64, "--value excludes --from"),
                (["--marks", "--from=1"], 64, "--marks, --events and --snapshots exclude")):
            done = self.clew("report", *options, self.recording_path)
            self.assertEqual((done.returncode, done.stdout), (status, ""))
            self.assertIn(why, done.stderr)

    def test_an_empty_period_is_an_error(self):
        self.trace()
        done = self.clew("tree", "--from=1000", self.recording_path)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, "nothing was recorded in this period; "
                                      r"the recording lasts \d")


if __name__ == "__main__":
    clewtest.main()
