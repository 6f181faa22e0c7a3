#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`clew merge` adds up recordings, and reports show one process or the sum of all."""
import collections
import os
import resource
import shutil
import subprocess

from lib import clewtest
from lib.clewtest import CLEW, PYTHON, target

FORKS = """
import os
for work in 10, 200, 3000:
    if os.fork() == 0:
        for i in range(work):
            abs(i)
        os._exit(0)
    os.wait()
"""


class Merge(clewtest.Case):
    def record_as(self, name, program):
        self.recording_path = self.work / name
        done = self.record([PYTHON, "-S", "-c", program])
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.recording_path

    def calls(self, *arguments):
        """Returns {function: calls} over the whole recording."""
        calls = collections.Counter()
        for row in self.clew_json("report", "--json",
                                  *arguments)["functions"]:
            calls[row.get("module"), row.get("vaddr")] += row["calls"]
        return calls

    def test_processes_are_reported_apart_and_summed(self):
        recording = self.record_as("forks", FORKS)
        report = self.clew_json("report", "--json", "--by=process", recording)
        rows = report["functions"]
        self.assertEqual(len(rows), 4)
        self.assertEqual(report["total"]["processes"], 4)
        self.assertEqual(sum(row["calls"] for row in rows),
                         report["total"]["calls"])
        own = sorted(sum(part.counts().values()) for part in
                     clewtest.wire.Recording(recording).parts)
        self.assertEqual(sorted(row["calls"] for row in rows), own)
        tree = self.clew_json("tree", "--json", "--group=process", recording)
        tops = [tree["functions"][node["function"]]["name"]
                for node in tree["contexts"] if node["parent"] == 0]
        self.assertEqual(sorted(tops), sorted(row["name"] for row in rows))

    def test_merged_recording_has_the_sum_of_calls(self):
        first = self.record_as("first", "print(sum(range(1000)))")
        second = self.record_as("second", FORKS)
        merged = self.work / "merged"
        done = self.clew("merge", "-o", merged, first, second)
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (0, "", ""))
        self.assertEqual(+self.calls(merged),
                         self.calls(first) + self.calls(second))
        total = self.clew_json("report", "--json", merged)["total"]
        self.assertEqual(total["processes"], 5)

    def record_time(self, kind):
        self.recording_path = self.work / kind
        done = self.record([PYTHON, "-S", "-c", "print(sum(range(10**6)))"],
                           [f"--time={kind}"])
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.recording_path

    def test_merged_recordings_with_other_times_are_mentioned(self):
        kinds = {kind: self.record_time(kind)
                 for kind in ("none", "cpu", "wall")}
        merged = self.work / "merged"
        for names, said, shown in (
                (["none", "cpu"], "time covers only some of the processes",
                 "missing: the time of processes that were recorded without "
                 "time"),
                (["cpu", "wall"], "sums of CPU time of some processes and wall "
                 "time of others", "of CPU time and wall time"),
                (["cpu", "cpu"], None, "ms of CPU time "),
                (["none", "none"], None, "total: ")):
            with self.subTest(names=names):
                done = self.clew("merge", "-o", merged,
                                 *[kinds[name] for name in names])
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(len(done.stderr.splitlines()),
                                 1 if said else 0, done.stderr)
                problems = self.clew_json("report", "--json",
                                          merged)["problems"]
                self.assertEqual(len(problems), 1 if said else 0, problems)
                for text in [done.stderr, *problems] if said else []:
                    self.assertIn(said, text)
                report = self.clew("report", merged)
                self.assertEqual(report.returncode, 0, report.stderr)
                self.assertIn(shown, " ".join(report.stdout.split()))

    def memory(self, *arguments):
        """Returns the peak memory of the command in KiB."""
        process = subprocess.Popen([CLEW, *arguments], cwd=self.work,
                                   env=self.environment,
                                   stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        return usage.ru_maxrss

    @clewtest.unless_sanitized
    def test_many_processes_take_the_memory_of_one(self):
        self.record([PYTHON, "-c", "import json, decimal"])
        (part,) = self.recording_path.glob("*.part")
        count = 1 + (64 << 20) // part.stat().st_size
        merged = self.work / "many"
        self.clew("merge", "-o", merged, *[self.recording_path] * count)
        self.assertEqual(len(list(merged.glob("*.part"))), count)
        for command in ["report"], ["tree"], ["list"], ["dump"], \
                ["export", "-F", "folded"], ["diff", self.recording_path]:
            with self.subTest(command=command):
                # The first command indexes modules that the cache lacks, which
                # takes three times the memory.
                self.memory(*command, self.recording_path)
                self.assertLess(self.memory(*command, merged),
                                self.memory(*command, self.recording_path) +
                                (16 << 10))

    @clewtest.unless_sanitized
    def test_many_traces_take_the_memory_of_one(self):
        """There may be more traces than files can be open."""
        self.record([target("contexts"), "2", "2", "1"], ["--trace"])
        many, count = self.work / "many", 300
        self.clew("merge", "-o", many, *[self.recording_path] * count)
        one = self.clew("trace", self.recording_path)
        self.assertGreater(one.stdout.count("()"), 6)
        all_of_them = self.clew(
            "trace", many, preexec_fn=lambda: resource.setrlimit(
                resource.RLIMIT_NOFILE, (100, 100)))
        self.assertEqual((all_of_them.returncode, all_of_them.stderr), (0, ""))
        self.assertEqual(all_of_them.stdout.count("()"),
                         count * one.stdout.count("()"))
        for command in ["trace"], ["trace", "--latencies"], \
                ["html", "-o", "out"], ["export", "-F", "chrome", "-o", "out"]:
            with self.subTest(command=command):
                self.memory(*command, self.recording_path)
                self.assertLess(self.memory(*command, many),
                                self.memory(*command, self.recording_path) +
                                (16 << 10))

    def test_equal_pids_of_other_runs_are_other_processes(self):
        recording = self.record_as("one", "pass")
        twice, thrice = self.work / "twice", self.work / "thrice"
        self.clew("merge", "-o", twice, recording, recording)
        done = self.clew("merge", "-o", thrice, twice, recording)
        self.assertEqual(done.returncode, 0, done.stderr)
        one, three = self.calls(recording), self.calls(thrice)
        self.assertEqual(three, {name: 3 * n for name, n in one.items()})
        report = self.clew_json("report", "--json", "--by=process", thrice)
        self.assertEqual(len(report["functions"]), 3)
        self.assertEqual(report["total"]["processes"], 3)

    def test_bad_input_is_named_and_the_rest_is_merged(self):
        recording = self.record_as("one", "pass")
        damaged = self.work / "damaged"
        shutil.copytree(recording, damaged)
        part, = damaged.glob("*.part")
        part.write_bytes(part.read_bytes()[:20000])
        merged = self.work / "merged"
        done = self.clew("merge", "-o", merged, recording, "nowhere", damaged)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "(?m)^clew merge: nowhere: no such")
        self.assertRegex(done.stderr, "(?m)^clew merge: .*part: truncated")
        self.assertEqual(len(list(merged.glob("*.part"))), 2)
        for arguments in ([recording], ["-o", merged], ["-o", "/dev/null",
                                                        recording]):
            done = self.clew("merge", *arguments)
            self.assertIn(done.returncode, clewtest.CLEW_FAILED)
            self.assertEqual(len(done.stderr.splitlines()[0:1]), 1)

    def test_input_is_never_moved_or_removed(self):
        first = self.record_as("first", "pass")
        second = self.record_as("second", "pass")
        before = self.calls(first)
        old = first.rename(self.work / "second.old")
        part, = second.glob("*.part")
        for inputs in ([second], [old, second], [old], [part],
                       [self.work / "." / "second" / ".." / "second"]):
            for output in second, f"{second}/":
                with self.subTest(inputs=inputs, output=output):
                    done = self.clew("merge", "-o", output, *inputs)
                    self.assert_one_line_error(done, "would replace this input")
                    self.assertEqual(done.returncode, 1)
                    self.assertEqual(self.calls(old), before)
                    self.assertTrue(part.exists())
        done = self.clew("merge", "-o", self.work / "sec", old, second)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_nothing_to_merge_replaces_nothing(self):
        first = self.record_as("first", "pass")
        kept = sorted(self.work.rglob("*"))
        for output in first, self.work / "fresh":
            done = self.clew("merge", "-o", output, "nowhere")
            self.assert_one_line_error(done, "nowhere")
            self.assertEqual(sorted(self.work.rglob("*")), kept)


if __name__ == "__main__":
    clewtest.main()
