#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`clew attach --trace` records the calls of a running process in order."""
import collections
import json
import pathlib

from attach_test import Inside
from lib import clewtest
from lib.attached import Attached, CountingTarget
from lib.clewtest import kill_with_guardian, until
from lib.container import OWN_IDS, OWN_MOUNTS, ContainerCase

# Reads numbers of milliseconds, and handles a request for each.
SERVER = """
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PLACE extern "C" __attribute__((noipa))
static volatile long sink;
PLACE long step(long n) { sink += n; return n; }
PLACE long wait_for(long ms)
{
	struct timespec pause = { ms / 1000, ms % 1000 * 1000000 };

	return (ms ? nanosleep(&pause, NULL) : 0) + step(ms) + 1;
}
PLACE long handle(long ms) { return step(1) + wait_for(ms) - step(2); }
PLACE long passes(long ms) { sink++; return wait_for(ms); }
PLACE void throws(long ms) { step(1); wait_for(ms); throw 1; }
PLACE void guards(void)
{
	try {
		throws(0);
	} catch (int) {
		step(3);
	}
}
PLACE void forks(void)
{
	const pid_t child = fork();

	if (!child) {
		for (int i = 0; i < 5; i++)
			step(i);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}
int main(void)
{
	long ms;

	while (printf("ready\\n"), fflush(stdout), scanf("%ld", &ms) == 1)
		if (ms == -1)
			forks();
		else if (ms == -2)
			guards();
		else
			sink += handle(ms) + passes(ms);
	return 0;
}
"""


class Counts(CountingTarget):
    SESSIONS = (
        ("--trace",), ("--time=exact",),
        ("--trace=ring:1M", "--on-overflow=process"),
        ("--trace", "--stamps=all"), ("--time=cpu",), ("--trace", "--sites"),
        ("--trace", "--sites", "--stamps=all"), ("--trace", "--stamps=1"))

    def test_traced_and_counted_sessions_follow_each_other(self):
        for options in self.SESSIONS:
            with self.subTest(options):
                self.is_recorded_exactly(*options)

    def test_a_trace_survives_a_killed_controller(self):
        self.let_go()
        controller = self.attach(self.process, "--trace")
        kill_with_guardian(controller)
        self.let_go()
        done = self.clew("detach", self.process.pid)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_as_before(self.process)
        self.assertGreater(self.calls(may_throw=True)["attached_leaf"], 200)


class ActiveFunctions(Inside):
    def test_active_functions_return_in_all_ways(self):
        self.is_recorded_whole("--trace")


class Server(Attached):
    """A request makes 4 calls of step(), 2 of wait_for(), and one each of the others."""

    def setUp(self):
        super().setUp()
        source, program = self.work / "server.cc", self.work / "server"
        source.write_text(SERVER)
        done = self.run_program(["c++", "-O2", "-g", source, "-o", program])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.start_to_talk(program)
        self.assertEqual(self.process.stdout.readline(), "ready\n")

    def ask(self, *requests):
        for ms in requests:
            self.process.stdin.write(f"{ms}\n")
            self.process.stdin.flush()
            self.assertEqual(self.process.stdout.readline(), "ready\n")

    def session(self, requests, *options):
        controller = self.attach(self.process, *options)
        self.ask(*requests)
        self.detach(controller)
        self.assert_as_before(self.process)

    def counted(self, recording):
        report = self.clew_json("report", "--json", recording)
        self.assertEqual(report["confidence"]["diverged"], 0)
        self.assertEqual(report["lost"], {})
        return {row["name"]: row["calls"] for row in report["functions"]}

    def snapshots(self):
        return list(self.recording_path.glob("*.snapshot*"))

    def listed(self):
        return self.clew_json("report", "--json", "--snapshots",
                              self.recording_path)["snapshots"]

    def test_calls_are_shown_in_order(self):
        self.session([0, 0], "--trace")
        events = [json.loads(line) for line in self.clew(
            "trace", "--json", self.recording_path).stdout.splitlines()]
        self.assertEqual(
            [event["name"] for event in events
             if event["kind"] in ("begin", "call") and event["name"] != "main"],
            ["handle", "step", "wait_for", "step", "step", "passes", "wait_for",
             "step"] * 2)

    def test_a_slow_request_makes_a_snapshot(self):
        for function, done in ("handle", 1), ("passes", 2):
            with self.subTest(function):
                self.session([0, 300, 0, 0], "--trace=ring:1M",
                             f"--snapshot-when={function}>200ms")
                (listed,) = self.listed()
                self.assertEqual(listed["name"], function)
                self.assertGreater(listed["call_ns"], 300e6 * .99)
                (one,) = self.snapshots()
                self.assertEqual(self.counted(one)["wait_for"], 2 + done)

    def test_the_slowest_requests_keep_their_snapshots(self):
        self.session([40, 80, 60, 20, 0], "--trace=ring:1M",
                     "--snapshot-when=handle>10ms", "--snapshot-keep=2")
        self.assertEqual(len(self.listed()), 2)
        for one in self.listed():
            self.assertGreater(one["call_ns"], 59e6)

    def test_a_returned_value_makes_a_snapshot(self):
        self.session([0, 5, 0], "--snapshot-when=wait_for==6",
                     "--snapshot-keep=1")
        (one,) = self.snapshots()
        self.assertEqual(self.counted(one)["wait_for"], 3)

    def test_calls_that_are_left_by_exceptions_make_no_snapshot(self):
        self.session([-2, 0, -2, 60], "--trace=ring:1M",
                     "--snapshot-when=throws>1ns",
                     "--snapshot-when=handle>50ms")
        (listed,) = self.listed()
        self.assertEqual(listed["name"], "handle")
        self.assertEqual(self.counted(self.recording_path)["throws"], 2)

    def test_functions_whose_end_cannot_be_seen_are_refused(self):
        for options in (["--snapshot-when=step==7"],
                        ["-F", "handle", "--snapshot-when=handle>1ms"]):
            done = self.clew("attach", "--for=0s", "-o", self.recording_path,
                             *options, self.process.pid)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("calls another one", done.stderr)

    def test_a_call_that_lasts_beyond_the_session_returns(self):
        """The process has detached when the call returns."""
        controller = self.attach(self.process, "--trace",
                                 "--snapshot-when=handle>1us")
        self.process.stdin.write("1000\n")
        self.process.stdin.flush()
        self.assertTrue(until(lambda: "hrtimer_nanosleep" in pathlib.Path(
            f"/proc/{self.process.pid}/stack").read_text()))
        self.detach(controller)
        self.assertEqual(self.process.stdout.readline(), "ready\n")
        self.session([1, 1], "--snapshot-when=handle>1us")
        self.assertEqual(len(self.snapshots()), 2)

    def test_a_trace_is_switched_by_places(self):
        self.session([0, 0, 0], "--trace", "--trace-on=wait_for",
                     "--trace-off=handle%return")
        counts = self.counted(self.recording_path)
        self.assertEqual((counts["handle"], counts.get("passes", 0)), (2, 0))
        # The next session traces all calls again.
        self.session([0, 0, 0], "--trace")
        self.assertEqual(self.counted(self.recording_path)["passes"], 3)

    def test_a_forked_child_is_traced(self):
        self.session([0, -1, -1, 0], "--trace")
        self.assertEqual(self.counted(self.recording_path)["step"],
                         2 * 4 + 2 * 5)

    def test_short_calls_are_omitted(self):
        self.session([0, 200], "--trace", "--stamps=all", "--min-duration=100ms")
        counts = self.counted(self.recording_path)
        self.assertEqual({name: calls for name, calls in counts.items()
                          if calls and name != "nanosleep"},
                         {"handle": 1, "passes": 1, "wait_for": 2})

    def test_deep_calls_are_omitted(self):
        self.session([0, 0], "-f", "^(handle|step|wait_for)$", "--trace",
                     "--trace-depth=1")
        counts = self.counted(self.recording_path)
        self.assertEqual((counts["handle"], counts.get("step", 0)), (2, 0))

    def test_arguments_belong_to_calls(self):
        self.session([0, 3], "--trace", "--args=handle@arg1")
        tree = self.clew("tree", "--context=handle@arg1", self.recording_path)
        self.assertRegex(tree.stdout, "handle.*3")

    def test_a_snapshot_from_outside_has_the_trace(self):
        controller = self.attach(self.process, "--trace")
        self.ask(0, 0, 0)
        copied = self.work / "copied"
        done = self.clew("snapshot", "-o", copied, self.process.pid)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.detach(controller)
        self.assertEqual(self.counted(copied)["step"], 12)


class Contained(ContainerCase):
    def test_a_process_with_its_own_mounts_is_traced(self):
        self.is_recorded(self.begin(OWN_MOUNTS), "--trace")

    def test_a_process_that_cannot_see_the_recording_is_traced(self):
        hidden = self.work / "hidden"
        hidden.mkdir()
        self.recording_path = hidden / "out"
        process = self.begin(self.hiding(hidden))
        for options in ((), ("--snapshot-when=busy_leaf",)):
            self.is_recorded(process, "--trace", *options)
        snapshots = list(self.recording_path.glob("*.snapshot*"))
        # The process forks children, each of which has snapshots of its own.
        of = collections.Counter(one.name.partition(".snapshot")[0]
                                 for one in snapshots)
        self.assertEqual(max(of.values()), 10)
        for one in snapshots:
            report = self.clew_json("report", "--json", one)
            self.assertGreater(report["total"]["calls"], 0)


class Refusals(Attached):
    def test_what_only_record_can_do_is_refused_with_the_reason(self):
        for options, words in (
                (["--no-children"], "what they fork"),
                (["--no-prelinking"], "--no-cache"),
                (["--snapshot-on=USR2"], "clew snapshot PID"),
                (["--trace", "--workers=2"], "--on-overflow=process"),
                (["--trace", "--on-overflow=wait"], "--on-overflow=process"),
                (["--trace", "--calls=5"], "exclude each other"),
                (["--trace-on=f"], "--trace")):
            with self.subTest(options):
                done = self.clew("attach", *options, "1")
                self.assert_usage_error(done, words)


if __name__ == "__main__":
    clewtest.main()
