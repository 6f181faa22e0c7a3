#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Snapshots of a running process are recorded when an event happens in it."""
import json
import os
import shutil
import signal
import struct
import subprocess

from lib import clewtest
from lib.clewtest import target

ACKNOWLEDGEMENT = struct.Struct("<QQ")
FAILED, SLOW = 7, 300
SLOW_MS, LIMIT_MS = 300, 200
JUMPS = """
#include <time.h>
static volatile int sink;
__attribute__((noinline)) int render(int i) { sink++; return sink + i; }
__attribute__((noinline)) int handle(int i)
{
	static struct timespec pause = { 0, 20000000 };
	if (i == 1) nanosleep(&pause, 0);
	return render(i);
}
int main(void) { return handle(0) + handle(1) < 0; }
"""
LOST = """
static volatile int sink;
__attribute__((noipa)) int render(int i) { sink++; return sink + i; }
__attribute__((noipa)) int handle(int i) { return render(i) + 0 * sink, 1; }
int main(void)
{
	handle(1);
	for (int i = 0; i < 100000; i++)
		render(i);
	return 0;
}
"""


class Case(clewtest.Case):
    def calls(self, recording):
        report = self.clew_json("report", "--json", "-n", "0", recording)
        self.assertEqual(report["problems"], [])
        return {row["name"]: row["calls"] for row in report["functions"]}

    def snapshots(self):
        found = self.recording_path.glob("*.snapshot*")
        return sorted(found, key=lambda path: int(path.name.split("shot")[1]))

    def run_requests(self, *options, count=400, slow_ms=1):
        self.done = self.record([target("requests"), count, FAILED, SLOW,
                                 slow_ms], options, text=True)
        self.assertEqual((self.done.returncode, self.done.stderr), (0, ""))
        return [tuple(map(int, line.split()))
                for line in self.done.stdout.splitlines()]


class Lost(Case):
    def test_a_call_that_the_ring_has_lost_has_a_name(self):
        """Packets of later calls overwrite those with the call's context."""
        source, program = self.work / "lost.c", self.work / "lost"
        source.write_text(LOST)
        done = self.run_program(["cc", "-O2", source, "-o", program])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.record([program], ["--trace=ring:64K", "--snapshot-when=handle==1"])
        (listed,) = self.clew_json("report", "--json", "--snapshots",
                                   self.recording_path)["snapshots"]
        self.assertEqual(listed["name"], "handle")
        shown = self.clew("report", "--snapshots", self.recording_path).stdout
        self.assertRegex(shown, r"snapshot1 +handle\n")
        self.assertIn("clew trace --slowest handle", shown)


class When(Case):
    """Tests of targets/requests.c."""

    def test_a_slow_call_makes_a_snapshot(self):
        (_, others), (inside, outside) = self.run_requests(
            "--trace=ring:1M", f"--snapshot-when=handle>{LIMIT_MS}ms",
            slow_ms=SLOW_MS)
        taken = self.snapshots()
        if others < LIMIT_MS * 1000000:  # Otherwise the computer itself was slow.
            self.assertEqual(len(taken), 1)
        calls = [self.calls(one)["handle"] for one in taken]
        self.assertIn(SLOW + 1, calls)
        one = taken[calls.index(SLOW + 1)]
        lines = [line for line in self.clew(
            "trace", "--json", one).stdout.splitlines() if "handle" in line]
        self.assertEqual(sum('"kind": "end"' in line or
                             '"kind":"end"' in line for line in lines),
                         SLOW + 1)
        last = json.loads(lines[-1])
        self.assertEqual(last["ending"], "open")
        # The probes record the time of the call's beginning, and the time just
        # before its return.
        self.assertGreater(last["least_ns"], inside * .99)
        self.assertLess(last["least_ns"], outside * 1.01 + others)

    def test_a_returned_value_makes_a_snapshot(self):
        for value in "==-1", "<0", "<= -1":
            with self.subTest(value):
                self.run_requests("--time=none",
                                  f"--snapshot-when=handle{value}")
                (one,) = self.snapshots()
                self.assertEqual(self.calls(one)["handle"], FAILED + 1)
        self.run_requests("--time=none", "--snapshot-when=handle==5")
        (listed,) = self.clew_json("report", "--json", "--snapshots",
                                   self.recording_path)["snapshots"]
        self.assertEqual(listed["name"], "handle")
        self.assertNotIn("call_ns", listed)
        (one,) = self.snapshots()
        self.assertEqual(self.calls(one)["handle"], 6)

    def test_the_first_ten_calls_make_a_snapshot_each(self):
        for options in ["--time=none"], ["--trace=ring:1M"]:
            self.run_requests("--snapshot-when=step", *options)
            self.assertEqual([self.calls(one)["step"]
                              for one in self.snapshots()],
                             list(range(1, 11)))
            report = self.clew_json("report", "--json", "--marks",
                                    self.recording_path)
            (probe,) = report["probes"]
            self.assertEqual((probe["hits"], probe["over_limit"]), (10, 390))
        # The earlier recording was renamed, with all its snapshots.
        old = self.recording_path.with_suffix(".out.old")
        self.assertEqual(len(list(old.glob("*.snapshot*"))), 10)

    def test_a_snapshot_is_marked_in_the_recording(self):
        self.run_requests("--time=none", "--snapshot-when=handle==-1")
        done = self.clew("report", "--marks", self.recording_path)
        self.assertIn("snapshot", done.stdout.split("total:")[0])
        (one,) = self.snapshots()
        done = self.clew("report", "--marks", one)
        self.assertIn("snapshot", done.stdout.split("total:")[0])

    def test_a_probe_at_the_entry_waits_for_the_end_of_the_call(self):
        for time in "none", "cpu", "wall", "exact":
            with self.subTest(time):
                self.run_requests(f"--time={time}", "--probe=handle",
                                  "--action=await", "--action=if (int)ret < 0",
                                  "--action=snapshot")
                (one,) = self.snapshots()
                self.assertEqual(self.calls(one)["handle"], FAILED + 1)
        self.run_requests("--trace=ring:1M", "--probe=handle", "--action=await",
                          "--action=limit 3", "--action=snapshot")
        self.assertEqual([self.calls(one)["handle"]
                          for one in self.snapshots()], [1, 2, 3])

    def test_unmet_conditions_make_no_snapshot(self):
        self.run_requests("--time=none", "--snapshot-when=handle>100s",
                          "--snapshot-when=step==-3")
        self.assertEqual(self.snapshots(), [])

    def test_times_of_conditions_have_fractions_and_blanks(self):
        for text, shown in ((">0.3ms", "300us"), (" > 2ms", "2ms"),
                            (">= 0.002 s", "2ms"), (">1.5ns", "2ns")):
            with self.subTest(text):
                self.run_requests("--time=none", f"--snapshot-when=handle{text}")
                probe = self.clew_json("report", "--json",
                                       self.recording_path)["probes"][1]
                self.assertEqual(probe["place"], "handle%return")
                self.assertIn(f"slower when0 {shown}", probe["actions"])

    def test_invalid_snapshot_conditions_are_refused(self):
        for text in ("", ">5ms", "f>0ms", "f<5ms", "==3", "process>abc", "f==abc",
                     "f<g", "f>5m", "f!=1e9", "f>99999999999999999999",
                     "f=>5ms", "f =>5", "f=<5", "f=5", "f>-5ms", "f>0.3"):
            done = self.clew("record", f"--snapshot-when={text}", "--", "true")
            self.assert_usage_error(done, "--snapshot-when")
        for first, second in (("handle>2ms", "handle==-1"),
                              ("handle", "handle>2ms"),
                              ("handle==1", "handle==2")):
            done = self.clew("record", f"--snapshot-when={first}",
                             f"--snapshot-when={second}", "--", "true")
            self.assert_usage_error(done, "an earlier option has a probe at handle")
        for action in ("snapshot now", "start", "start a b", "slower a",
                       "slower a 5", "slower a 0ms"):
            done = self.clew("record", "--probe=handle", f"--action={action}",
                             "--", target("requests"))
            self.assertEqual((done.returncode, done.stdout), (1, ""), action)
            self.assertIn(f"action {action.split()[0]}", done.stderr)


class Slowest(Case):
    """Tests of targets/durations.c: the snapshots of the slowest calls remain."""

    MS = [30, 10, 50, 20, 70, 40, 60, 5]

    def run_durations(self, *options, ms=MS, arguments=()):
        done = self.record([target("durations"), *arguments, *ms],
                           ["--trace=ring:1M", "--snapshot-when=handle>8ms",
                            *options], text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        printed = [line.split() for line in done.stdout.splitlines()]
        self.pids = [pid for pid, _ in printed]
        return [int(ns) for _, ns in printed]

    def slowest(self, took, count):
        """Returns the numbers of the slowest calls, of those above the limit."""
        slow = [i for i, ns in enumerate(took) if ns >= 8000000]
        return sorted(sorted(slow, key=lambda i: -took[i])[:count])

    def taken(self, took, count):
        """Returns how many snapshots were written one after another."""
        kept, written = [], 0
        for ns in took:
            if ns < 8000000 or (len(kept) == count and ns <= min(kept)):
                continue
            written += 1
            kept = sorted([*kept, ns])[-count:]
        return written

    def test_snapshots_of_the_slowest_calls_remain(self):
        took = self.run_durations("--snapshot-keep=3")
        kept = self.slowest(took, 3)
        self.assertEqual(sorted(self.calls(one)["handle"] - 1
                                for one in self.snapshots()), kept)
        self.assertEqual(len(list(self.recording_path.glob("*.snapshot*"))), 3)
        slow = sum(ns >= 8000000 for ns in took)
        report = self.clew_json("report", "--json", "--marks",
                                self.recording_path)
        (probe,) = [one for one in report["probes"] if "%return" in one["place"]]
        self.assertEqual((probe["hits"], probe["over_limit"]),
                         (slow, slow - 3))
        moments = {mark["name"]: mark["moments"] + mark["regions"]
                   for mark in report["marks"]}
        self.assertEqual(moments, {"snapshot": self.taken(took, 3),
                                   "call of snapshot": self.taken(took, 3),
                                   "snapshot removed":
                                   self.taken(took, 3) - 3})
        self.assertIn(f"{slow - 3} hits have no snapshot: slower calls have "
                      "them", self.clew("report", "--details",
                                        self.recording_path).stdout)

    def test_ten_snapshots_remain_by_default(self):
        took = self.run_durations(ms=range(10, 34, 2))
        self.assertEqual(sorted(self.calls(one)["handle"] - 1
                                for one in self.snapshots()),
                         self.slowest(took, 10))

    def test_a_forked_child_retains_its_own_snapshots(self):
        took = self.run_durations("--snapshot-keep=2", ms=[30, 20, 10],
                                  arguments=["fork"])
        child, parent = self.pids[0], self.pids[3]
        self.assertNotEqual(child, parent)
        for pid, begin in (child, 0), (parent, 3):
            self.assertEqual(
                sorted(self.calls(one)["handle"] - 1
                       for one in self.snapshots() if one.name.startswith(f"{pid}.")),
                self.slowest(took[begin:begin + 3], 2))

    def test_the_report_names_the_list_of_snapshots(self):
        self.run_durations("--time=none", ms=[10, 20])
        self.assertIn("hint: the recording has 2 snapshots; clew report "
                      f"--snapshots {self.recording_path} lists them\n",
                      self.clew("report", "--wide", self.recording_path).stdout)

    def test_snapshots_are_listed_with_their_calls(self):
        for ms in self.MS, [30, 20, 10]:
            took = self.run_durations(
                "--snapshot-keep=3", ms=ms,
                arguments=[] if ms is self.MS else ["fork"])
            listed = self.clew_json("report", "--json", "--snapshots",
                                    self.recording_path)["snapshots"]
            self.assertEqual(sorted(one["folder"] for one in listed),
                             sorted(path.name for path in self.snapshots()))
            for one in listed:
                self.assertEqual(one["name"], "handle")
                call = self.calls(self.recording_path / one["folder"])["handle"]
                call += 3 * (ms is not self.MS and one["pid"] == int(self.pids[3]))
                # The probes are before and after the function's own clock.
                self.assertGreater(one["call_ns"], took[call - 1] * .99)
                self.assertLess(one["call_ns"], took[call - 1] + 1e8)
            lasted = [one["call_ns"] for one in listed]
            self.assertEqual(lasted, sorted(lasted, reverse=True))

    def test_the_call_of_a_snapshot_is_the_compared_one(self):
        took = self.run_durations(ms=[200, 20, 1, 1])
        one = self.snapshots()[1]  # of the call that follows a slower one
        rows = [json.loads(line) for line in self.clew(
            "trace", "--json", "--slowest", "handle", one).stdout.splitlines()]
        self.assertEqual([row.get("snapshot") for row in rows],
                         [None, True, True])
        self.assertEqual(rows[-1]["kind"], "main_path")
        (compared,) = [json.loads(line) for line in self.clew(
            "trace", "--json", "--slowest", "handle", "--against=2",
            one).stdout.splitlines()]
        self.assertGreater(compared["slow"]["total_ns"], took[1] * .99)
        self.assertGreater(compared["fast"]["total_ns"], took[0] * .99)
        self.assertLess(compared["slow"]["total_ns"],
                        compared["fast"]["total_ns"])
        text = self.clew("trace", "--slowest", "handle", one).stdout
        self.assertIn("<- this snapshot", text)
        self.assertIn("the call of this snapshot: ", text)

    def test_the_next_command_shows_the_slowest_snapshot(self):
        took = self.run_durations("--snapshot-keep=2", ms=[10, 40, 20, 30])
        removed = self.taken(took, 2) - 2
        text = self.clew("report", "--snapshots", self.recording_path).stdout
        more = f"; {removed} more of faster calls removed" if removed else ""
        self.assertIn(f"total: 2 snapshots{more}\n", text)
        (command,) = [line.removeprefix("next: clew ")
                      for line in text.splitlines() if line.startswith("next:")]
        (one,) = [one for one in self.snapshots()
                  if took[self.calls(one)["handle"] - 1] == max(took)]
        self.assertEqual(command.split(),
                         ["trace", "--slowest", "handle", str(one)])
        self.assertIn("<- this snapshot", self.clew(*command.split()).stdout)

    def test_a_call_that_ends_with_a_jump_is_listed_by_its_function(self):
        source = self.work / "jumps.c"
        source.write_text(JUMPS, encoding="utf-8")
        done = self.run_program(["cc", "-O2", source, "-o",
                                 self.work / "jumps"], text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.record([self.work / "jumps"],
                           ["--trace=ring:1M", "--snapshot-when=handle>8ms"])
        self.assertEqual(done.returncode, 0)
        text = self.clew("report", "--snapshots", self.recording_path).stdout
        self.assertIn(f"next: clew trace --slowest handle {self.recording_path}",
                      text)
        (listed,) = self.clew_json("report", "--json", "--snapshots",
                                   self.recording_path)["snapshots"]
        self.assertEqual(listed["name"], "handle")
        self.assertGreater(listed["call_ns"], 8000000)

    def test_only_folders_named_as_snapshots_are_listed(self):
        self.run_durations(ms=[20])
        (one,) = self.snapshots()
        base = one.name.removesuffix("1")
        for other in ("1\033[2J", "1 ", "1x", "", "-2", "99999999999", "0"):
            shutil.copytree(one, one.with_name(base + other))
        done = self.clew("report", "--snapshots", self.recording_path)
        self.assertNotIn("\033", done.stdout)
        self.assertIn("total: 1 snapshot\n", done.stdout)

    def test_a_recording_without_snapshots_lists_none(self):
        self.record([target("durations"), 1], ["--time=none"])
        done = self.clew("report", "--snapshots", self.recording_path)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("--snapshot-when", done.stderr)

    def test_conditions_without_a_duration_retain_the_first_snapshots(self):
        done = self.record([target("durations"), *self.MS],
                           ["--time=none", "--snapshot-when=handle",
                            "--snapshot-keep=2"], text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual([self.calls(one)["handle"]
                          for one in self.snapshots()], [1, 2])

    def test_impossible_numbers_of_snapshots_are_refused(self):
        for number in "0", "101", "x", "":
            done = self.clew("record", f"--snapshot-keep={number}", "--",
                             "true")
            self.assert_usage_error(done, "snapshot-keep")
        for actions, why in (
                (["snapshot slowest 3"], "put slower NAME TIME before"),
                (["limit 3", "slower a 5ms", "snapshot slowest 3"],
                 "exclude each other"),
                (["slower a 5ms", "snapshot slowest 3", "limit 3"],
                 "exclude each other"),
                (["slower a 5ms", "snapshot slowest"], "not a number"),
                (["slower a 5ms", "snapshot slowest 101"], "at most 100")):
            done = self.clew(
                "record", "--probe=handle",
                *(f"--action={action}" for action in actions), "--",
                target("durations"))
            self.assertEqual((done.returncode, done.stdout), (1, ""), actions)
            self.assertIn(why, done.stderr)


class Signalled(Case):
    """Tests of targets/signalled.c."""

    COUNT = 500

    def test_each_requested_signal_makes_one_snapshot(self):
        for how, handled in (("handler", 2), ("once", 1), ("ignored", 0),
                             ("default", 0)):
            with self.subTest(how):
                done = self.record([target("signalled"), how, self.COUNT],
                                   ["--trace=ring:1M", "--snapshot-on=USR2"],
                                   text=True)
                self.assertEqual((done.returncode, done.stdout, done.stderr),
                                 (0, f"{handled} 1\n", ""))
                self.assertEqual([self.calls(one)["step"]
                                  for one in self.snapshots()],
                                 [self.COUNT, 2 * self.COUNT])

    def test_an_inherited_ignored_signal_makes_snapshots(self):
        script = "trap '' USR2; exec \"$0\" \"$@\""
        done = self.record(["/bin/sh", "-c", script, target("signalled"),
                            "inherited", self.COUNT],
                           ["--trace=ring:1M", "--snapshot-on=USR2"],
                           text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (0, "0 1\n", ""))
        self.assertEqual([self.calls(one)["step"]
                          for one in self.snapshots()],
                         [self.COUNT, 2 * self.COUNT])

    def test_the_folder_of_a_snapshot_is_printed(self):
        command = self.record_command(
            [target("signalled"), "handler", self.COUNT],
            ["-v", "--time=none", "--snapshot-on", "SIGUSR2"])
        done = subprocess.run([str(a) for a in command], text=True,
                              capture_output=True, env=self.environment,
                              cwd=self.work, timeout=clewtest.TIMEOUT_S)
        taken = self.snapshots()
        self.assertEqual(len(taken), 2)
        for one in taken:
            self.assertIn(f"snapshot -> {one}\n", done.stderr)
        # A signal caused these snapshots, so the list has no calls for them.
        listed = self.clew_json("report", "--json", "--snapshots",
                                self.recording_path)["snapshots"]
        self.assertEqual([one["folder"] for one in listed],
                         [one.name for one in taken])
        self.assertFalse(any("call_ns" in one for one in listed))
        text = self.clew("report", "--snapshots", self.recording_path).stdout
        self.assertIn(f"next: clew report {taken[0]}\n", text)

    def test_unsuitable_snapshot_signals_are_refused(self):
        for name in "KILL", "12", "SEGV", "":
            done = self.clew("record", f"--snapshot-on={name}", "--", "true")
            self.assert_usage_error(done, "snapshot-on")


class Live(Case):
    """Tests of targets/acknowledge.c, which prints its calls."""

    def test_a_snapshot_of_a_tracing_process_is_readable(self):
        process = subprocess.Popen(
            [str(a) for a in self.record_command(
                [target("acknowledge")], ["--trace=ring:512K"])],
            stdout=subprocess.PIPE, env=self.environment, cwd=self.work,
            start_new_session=True)
        with process.stdout:
            process.stdout.read(2000 * ACKNOWLEDGEMENT.size)
            (part,) = self.recording().parts
            for name in "first", "second":
                done = self.clew("snapshot", "-o", self.work / name, part.pid)
                self.assertEqual(done.returncode, 0, done.stderr)
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(clewtest.TIMEOUT_S)
        for name in "first", "second", self.recording_path:
            report = self.clew_json("report", "--json", self.work / name)
            self.assertGreater(report["total"]["calls"], 1000)
            for problem in report["problems"]:
                self.assertIn("overwritten", problem)
            done = self.clew("trace", "--json", "--from=1000s",
                             self.work / name)
            self.assertEqual((done.returncode, done.stderr), (
                1, "clew trace: no call of the trace matches the filters\n"))


if __name__ == "__main__":
    clewtest.main()
