#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`clew status --metrics` prints what Prometheus reads."""
import os
import pathlib
import shutil
import subprocess
import time
import unittest

from lib import clewtest, stores
from lib.attached import CountingTarget
from lib.clewtest import CLEW, PYTHON, until

try:
    from prometheus_client import parser
except ImportError:
    parser = None

WAIT = "import sys; str(1); print('ready', flush=True); sys.stdin.read()"


class Reading(clewtest.Case):
    def metrics(self, *arguments):
        """Returns {(name, labels as sorted pairs): value}, after checks of the
        format."""
        done = self.clew("status", "--metrics", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assert_is_valid(done.stdout)
        found = {}
        for family in parser.text_string_to_metric_families(done.stdout):
            self.assertIn(family.type, ("counter", "gauge"))
            self.assertTrue(family.documentation.endswith("."), family.name)
            for sample in family.samples:
                key = sample.name, tuple(sorted(sample.labels.items()))
                self.assertNotIn(key, found)
                found[key] = sample.value
        return found

    def assert_is_valid(self, text):
        """Each family has HELP, TYPE and samples, once and together."""
        self.assertTrue(text.endswith("\n"))
        seen, family = set(), None
        for line in text.splitlines():
            words = line.split(" ", 3)
            if words[:2] == ["#", "HELP"]:
                self.assertNotIn(words[2], seen)
                family, kind = words[2], None
                seen.add(family)
            elif words[:2] == ["#", "TYPE"]:
                self.assertEqual((words[2], kind), (family, None))
                kind = words[3]
                self.assertEqual(kind == "counter",
                                 family.endswith("_total"))
            else:
                self.assertEqual(line.partition("{")[0].split(" ")[0], family)
                self.assertIsNotNone(kind)
        if shutil.which("promtool"):
            done = subprocess.run(["promtool", "check", "metrics"], input=text,
                                  text=True, capture_output=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def of(self, found, **labels):
        """Returns {name: value} of the samples that have these labels."""
        return {name: value for (name, pairs), value in found.items()
                if set(labels.items()) <= set(pairs)}


@unittest.skipUnless(parser, "no python3-prometheus-client here")
class Recorded(Reading):
    def record_one(self, *options, program=PYTHON):
        """Returns the pid of a recorded program that waits."""
        recorder = subprocess.Popen(
            [CLEW, "record", "-q", "-o", self.recording_path, *options, "--",
             program, "-c", WAIT], cwd=self.work, env=self.environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(recorder.wait)
        self.addCleanup(recorder.stdin.close)
        self.addCleanup(recorder.stdout.close)
        self.assertEqual(recorder.stdout.readline(), "ready\n")
        pid, = (int(p) for p in pathlib.Path(
            f"/proc/{recorder.pid}/task/{recorder.pid}/children")
                .read_text().split())
        stat = pathlib.Path(f"/proc/{pid}/stat")
        self.assertTrue(until(lambda: stat.read_text().rpartition(")")[2]
                              .split()[0] == "S"))
        return pid

    def test_metrics_are_those_of_the_report(self):
        begin = time.time()
        pid = self.record_one("--time=none")
        found = self.metrics(pid)
        self.assertEqual(found["clew_recorded_processes", ()], 1)
        self.assertEqual(found["clew_attached_processes", ()], 0)
        here = self.of(found, pid=str(pid), program="python3")
        report = self.clew_json("report", "--json", self.recording_path)
        for name, wanted in (
                ("clew_calls_total", report["total"]["calls"]),
                ("clew_contexts", report["total"]["contexts"]),
                ("clew_hooked_functions", report["coverage"]["hooked"]),
                ("clew_calls_per_second", 0), ("clew_lost_calls_total", 0),
                ("clew_folded_calls_total", 0)):
            self.assertEqual(here[name], wanted, name)
        self.assertGreater(here["clew_calls_total"], 1000)
        self.assertGreater(here["clew_recording_bytes"], 4096)
        self.assertGreaterEqual(
            here["clew_recording_start_time_seconds"], begin - 1)
        self.assertLessEqual(
            here["clew_recording_start_time_seconds"], time.time())
        # Nothing is known of time that is not measured, and of a budget.
        self.assertFalse([name for name in here
                          if "own_time" in name or "budget" in name or
                          "samples" in name])

    def test_metrics_include_the_cost_of_a_budget(self):
        pid = self.record_one("--budget=5%", "--time=cpu", "--max-memory=64M")
        here = self.of(self.metrics(pid), pid=str(pid))
        self.assertLessEqual(here["clew_budget_cost_seconds_total"],
                             here["clew_budget_cpu_seconds_total"])
        self.assertEqual(here["clew_recording_limit_bytes"], 64 << 20)
        self.assertIn("clew_own_time_seconds_total", here)
        self.assertEqual(here["clew_lost_samples_total"], 0)

    def test_names_of_programs_are_escaped_in_metrics(self):
        program = self.work / 'a"b\\c\nd'
        shutil.copy(os.path.realpath(PYTHON), program)
        pid = self.record_one("--time=none", program=program)
        self.assertIn("clew_calls_total",
                      self.of(self.metrics(), pid=str(pid),
                              program='a"b\\c?d'))

    def test_json_and_metrics_exclude_each_other(self):
        self.assert_usage_error(self.clew("status", "--json", "--metrics"),
                                "exclude")


@unittest.skipUnless(parser, "no python3-prometheus-client here")
@unittest.skipIf(b"without libcurl" in CLEW.read_bytes(),
                 "clew was built without libcurl")
class Pushing(CountingTarget, Reading):
    def test_metrics_count_pushes_done_and_failed(self):
        server = stores.Server(stores.status(500), stores.status(200))
        self.addCleanup(server.close)
        begin = int(time.time())
        controller = self.attach(self.process, "--every=1s", "--push",
                                 server.url)
        who = {"controller": str(controller.pid)}
        self.assertEqual(
            self.of(self.metrics(self.process.pid), **who),
            {"clew_pushes_total": 0, "clew_snapshots_total": 0,
             "clew_last_push_timestamp_seconds": 0})
        self.assertTrue(until(lambda: self.of(
            self.metrics(self.process.pid), result="done",
            **who)["clew_pushes_total"] >= 1))
        found = self.metrics(self.process.pid)
        self.assertEqual(found["clew_attached_processes", ()], 1)
        failed = self.of(found, result="failed", **who)
        self.assertEqual(failed, {"clew_pushes_total": 1,
                                  "clew_snapshots_total": 0})
        done = self.of(found, result="done", **who)
        self.assertGreaterEqual(done["clew_snapshots_total"],
                                done["clew_pushes_total"] + 1)
        last, = (value for (name, _), value in found.items()
                 if name == "clew_last_push_timestamp_seconds")
        self.assertGreaterEqual(last, begin)
        controller.terminate()
        self.assertIn("pushes failed", controller.stderr.read())
        self.assertEqual(controller.wait(60), 3)
        self.assertEqual(self.of(self.metrics(), **who), {})


if __name__ == "__main__":
    clewtest.main()
