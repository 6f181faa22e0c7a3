#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Traces record each call in packets, with the counts that programs have themselves."""
import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import unittest

from lib import clewtest
from lib.clewtest import slow, target

ACKNOWLEDGEMENT = struct.Struct("<QQ")


class Traced(clewtest.Case):
    """Counts from packets, by context and by thread."""

    def check(self, name, *arguments, options=(), flavours=None):
        for flavour in flavours or clewtest.flavours_of(name):
            with self.subTest(flavour=flavour):
                for old in self.truths.iterdir():
                    old.unlink()
                self.environment.pop("TRUTH_DIR", None)
                recording, _ = self.record_target(
                    [target(name, flavour), *arguments],
                    ["--trace", *options])
                for part in recording.parts:
                    self.assertEqual(list(part.losses), [0] * 8)
                    self.assertGreater(part.trace.calls, 0)
                    self.assert_clew_reads_the_same(recording)

    def assert_clew_reads_the_same(self, recording):
        tree = self.clew_json("tree", "--json", recording.path)
        self.assertEqual(sum(node["calls"] for node in tree["contexts"]),
                         sum(sum(part.counts().values())
                             for part in recording.parts))

    def test_each_return_has_its_time(self):
        for name, *arguments in (
                ["recursion"], ["offsets"], ["tail"], ["threads"],
                ["callbacks"], ["jumps"], ["leaps"], ["coroutines_ucontext"],
                ["coroutines_switch"], ["deep", "5000"], ["cancel"]):
            with self.subTest(name):
                self.check(name, *arguments, options=["--stamps=all"],
                           flavours=["O2"])

    def test_recursion_is_traced(self):
        self.check("recursion")
        for stamps in ("packet", "1"):
            self.check("recursion", options=[f"--stamps={stamps}"],
                       flavours=["O2"])

    def test_callers_that_extend_their_frame_are_traced(self):
        """Earlier callees have slots further out on the stack, and have returned."""
        for options in ([], ["--stamps=all"], ["--sites"],
                        ["--trace-depth=200"]):
            with self.subTest(options):
                self.check("makes_room", options=options)
        self.check("makes_room",
                   options=["--trace=64K", "--on-overflow=process"])

    def test_calls_from_each_kind_of_location_are_traced(self):
        self.check("offsets")

    def test_tail_calls_are_traced(self):
        self.check("tail")

    def test_every_tier_of_hooks_is_traced(self):
        self.check("tiers")

    def test_threads_are_traced(self):
        self.check("threads")

    def test_callbacks_are_traced(self):
        self.check("callbacks")
        self.check("callbacks", options=["--libc"])

    def test_signal_handlers_are_traced(self):
        """The signals of a timer arrive anywhere, also inside a stub."""
        self.check_signals("--trace")

    def test_signals_are_traced_while_returns_are_stamped(self):
        self.check_signals("--trace", "--stamps=all")

    def check_signals(self, *options):
        self.environment["TRUTH_DIR"] = str(self.truths)
        self.record([target("signals")], options)
        (truth,) = self.truths.iterdir()
        totals = {int(line.split()[1], 0): int(line.split()[2])
                  for line in truth.read_text().splitlines()
                  if line.startswith("total ")}
        shown = self.clew_json("report", "--json", "-n", "0",
                               self.recording_path)
        # On a busy machine a thread may wait for more than three seconds. All
        # threads then count their packets themselves, and lose no call.
        self.assertEqual([problem for problem in shown["problems"]
                          if "threads waited too long" not in problem], [])
        calls = {int(function["vaddr"], 0): function["calls"]
                 for function in shown["functions"]
                 if function["module"].endswith("signals")}
        self.assertGreater(len(totals), 2)
        for vaddr, wanted in totals.items():
            self.assertEqual(calls[vaddr], wanted, hex(vaddr))

    def test_jumps_are_traced(self):
        self.check("jumps")

    def test_saved_return_addresses_are_followed(self):
        """Trampolines follow saved return addresses: few contexts are written, and each
        return has its time.
        """
        self.check("remembers", 1000, options=["--stamps=packet"])
        trace = self.recording().parts[0].trace
        self.assertLess(trace.contexts, 5)
        self.assertEqual(max(map(len, trace.depths.values())), 4)
        self.check("remembers", 1000, options=["--stamps=all"])
        counts, = self.recording().parts[0].trace.tallies.values()
        # Only calls at the end of a packet have no return.
        self.assertGreater(counts.returns, sum(counts.calls.values()) * .99)

    def test_jumps_without_a_library_are_traced(self):
        self.check("leaps")

    def test_calls_are_counted_before_they_are_overwritten(self):
        for name, *stamps in (["recursion"], ["tail"], ["threads"],
                              # Without stamps, jumps does not fill a packet.
                              ["jumps", "--stamps=all"]):
            with self.subTest(name):
                self.check(name, flavours=["O2"],
                           options=["--trace=64K", "--on-overflow=process",
                                    *stamps])
                self.assertGreater(self.recording().parts[0].trace.counted, 0)

    def test_workers_count_while_threads_wait(self):
        """Threads have at most two packets, so each full packet is waited for."""
        for name, *stamps in (["recursion"], ["tail"], ["threads"],
                              # Without stamps, jumps does not fill a packet.
                              ["jumps", "--stamps=all"]):
            with self.subTest(name):
                self.check(name, flavours=["O2"],
                           options=["--trace=64K", "--on-overflow=wait",
                                    "--workers=3", *stamps])
                trace = self.recording().parts[0].trace
                self.assertGreater(trace.filled, 0)
                self.assertEqual(trace.counted, 0)
                self.assertEqual(trace.given_up, 2)

    def test_threads_wait_for_each_packet(self):
        self.check("recursion", flavours=["O2"],
                   options=["--trace=64K", "--on-overflow=wait"])
        trace = self.recording().parts[0].trace
        self.assertGreater(trace.filled, 5)
        self.assertEqual(trace.handed_over, trace.filled)
        # A thread does not wait if its packet was counted before it checked again.
        self.assertLessEqual(trace.waits, trace.filled)

    def test_any_number_of_workers_finds_the_same(self):
        argv = [target("recursion")]
        counted = self.tree(argv, "--time=none")
        for workers in 1, 2, 4, 8, 64:
            for overflow in "wait", "process":
                for size in "64K", "256K":
                    with self.subTest(workers=workers, overflow=overflow,
                                      size=size):
                        self.assertEqual(
                            self.tree(argv, f"--trace={size}",
                                      f"--on-overflow={overflow}",
                                      f"--workers={workers}"), counted)
                        trace = self.recording().parts[0].trace
                        self.assertGreater(trace.handed_over + trace.counted,
                                           0)

    def test_signals_are_traced_while_threads_wait(self):
        self.check_signals("--trace=64K", "--on-overflow=wait")

    def test_forks_are_traced_while_workers_count(self):
        for way, images in ("fork", 13), ("threads", 13), ("vfork", 5):
            with self.subTest(way):
                self.setUp()
                recording, _ = self.record_target(
                    [target("processes"), way],
                    ["--trace=64K", "--on-overflow=wait"], images=images)
                self.assert_clew_reads_the_same(recording)

    def test_coroutines_are_traced(self):
        self.check("coroutines_ucontext")
        self.check("coroutines_switch")

    @unittest.skipUnless(pathlib.Path(target("coroutines20")).exists(),
                         "the compiler has no coroutines")
    def test_coroutines_of_cxx_are_traced(self):
        self.check("coroutines20")

    def test_coroutines_by_fcontext_are_traced(self):
        for way in "named", "popping", "loading":
            self.check("fcontext", way)

    def test_deep_recursion_is_traced(self):
        self.check("deep", "5000")

    def test_cancelled_threads_are_traced(self):
        self.check("cancel")

    def test_threads_that_end_within_functions_are_traced(self):
        """Clean-up handlers and destructors of keys do not count below abandoned functions."""
        for options in ([], ["--stamps=all"], ["--sites"],
                        ["--trace=64K", "--on-overflow=process"]):
            with self.subTest(options):
                self.check("thread_ends", options=options)
                self.check("thread_ends_unwound", options=options)

    def test_forks_are_traced(self):
        for way, images in (("fork", 13), ("threads", 13), ("forkexec", 9),
                            ("vfork", 5), ("spawn", 5), ("exec", 2)):
            with self.subTest(way):
                self.setUp()
                recording, _ = self.record_target(
                    [target("processes"), way], ["--trace"], images=images)
                self.assert_clew_reads_the_same(recording)

    def test_children_that_call_nothing_have_no_times_to_miss(self):
        for options in ["--trace"], ["--trace=ring:1M", "--stamps=all"]:
            with self.subTest(options):
                self.setUp()
                self.record([target("processes"), "atonce"], options)
                done = self.clew("trace", self.recording_path)
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def tree(self, argv, *options, depth=1 << 32):
        """Returns the sorted [hash of the path, calls, tail calls]."""
        self.record(argv, options)
        tree = self.clew_json("tree", "--json",
                              self.recording_path)
        paths, found, depths = {0: 0}, [], {0: 0}
        for node in tree["contexts"]:
            function = tree["functions"][node["function"]]
            path = hash((paths[node["parent"]], function["module"],
                         function["vaddr"]))
            paths[node["id"]] = path
            depths[node["id"]] = depths[node["parent"]] + 1
            if depths[node["id"]] <= depth:
                found.append((path, node["calls"], node["tail"]))
        return sorted(found)

    def test_calls_that_are_deeper_are_left_out(self):
        for name in "tail", "jumps", "unwinding", "leaps":
            counted = self.tree([target(name)], "--time=none", depth=4)
            self.assertGreater(len(counted), 10)
            for options in (["--stamps=64"], ["--stamps=all"], ["--sites"]):
                with self.subTest(name=name, options=options):
                    self.assertEqual(
                        self.tree([target(name)], "--trace",
                                  "--trace-depth=4", *options), counted)

    def test_each_depth_leaves_out_the_calls_below_it(self):
        for name in "makes_room", "handlers", "thread_ends":
            for depth in 1, 2, 3:
                with self.subTest(name=name, depth=depth):
                    self.assertEqual(
                        self.tree([target(name)], "--trace",
                                  f"--trace-depth={depth}"),
                        self.tree([target(name)], "--time=none", depth=depth))

    def test_counted_and_traced_trees_are_the_same(self):
        self.check_trees("tail", "jumps", "unwinding")

    @slow
    def test_many_contexts_are_counted_from_packets(self):
        self.check_trees("exceptions")

    def check_trees(self, *names):
        for name in names:
            with self.subTest(name):
                argv = [target(name)]
                counted = self.tree(argv, "--time=none")
                self.assertGreater(len(counted), 10)
                self.assertEqual(self.tree(argv, "--trace"), counted)
                self.assertEqual(self.tree(argv, "--trace=ring:512M",
                                           "--stamps=7"), counted)
                self.assertEqual(self.tree(argv, "--trace",
                                           "--stamps=all"), counted)
                self.assertEqual(self.tree(argv, "--trace=64K",
                                           "--on-overflow=process"), counted)


class Switched(clewtest.Case):
    """Tests of targets/requests.c: main() calls handle(), which calls step()."""

    COUNT = 400

    def paths(self, *options):
        """Returns {path: calls} of the program's own functions."""
        done = self.record([target("requests"), self.COUNT, -1, -1, 0],
                           ["--trace", *options])
        self.assertEqual(done.returncode, 0, done.stderr)
        tree = self.clew_json("tree", "--json", self.recording_path)
        paths, found = {0: ()}, {}
        for node in tree["contexts"]:
            name = tree["functions"][node["function"]]["name"]
            paths[node["id"]] = (*paths[node["parent"]], name)
            if name in ("main", "handle", "step"):
                found[paths[node["id"]][-3:]] = node["calls"]
        return found

    def test_trace_can_be_limited_to_a_function(self):
        found = self.paths("--trace-on=handle",
                           "--trace-off=handle%return")
        self.assertEqual(found.pop(("main", "handle", "step")), self.COUNT)
        # These functions were active when the trace began.
        self.assertEqual(set(found.values()), {0})
        shown = self.clew("trace", "--json", self.recording_path).stdout
        self.assertEqual(shown.count('"name":"step"'), self.COUNT)

    def test_a_function_can_switch_tracing_off(self):
        self.assertEqual(self.paths("--trace-off=handle",
                                    "--probe=handle%return",
                                    "--action=trace on"),
                         {("main",): 0, ("main", "handle"): self.COUNT - 1})

    def test_tracing_can_end_with_the_last_function(self):
        found = self.paths("--probe=step",
                           f"--action=if arg1 == {self.COUNT - 1}",
                           "--action=trace off")
        self.assertEqual(found, {("main",): 1, ("main", "handle"): self.COUNT,
                                 ("main", "handle", "step"): self.COUNT})

    def test_invalid_switches_are_refused(self):
        done = self.clew("record", "--trace-on=handle", "--", "true")
        self.assert_usage_error(done, "--trace-on")
        for action in "trace", "trace now", "trace on off":
            done = self.clew("record", "--trace", "--probe=handle",
                             f"--action={action}", "--", target("requests"))
            self.assertEqual((done.returncode, done.stdout), (1, ""), action)
            self.assertIn("action trace", done.stderr)


class Deserted(clewtest.Case):
    """Tests of targets/batches.c, which continues after `clew record` was killed."""

    CALLS = 40000  # A batch fills two packets or more.

    def begin(self, *options):
        self.process = subprocess.Popen(
            [str(a) for a in self.record_command(
                [target("batches"), self.CALLS],
                ["--trace=64K", "--on-overflow=wait", *options])],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env=self.environment, cwd=self.work)
        self.addCleanup(self.process.stdout.close)
        self.batches = 0

    def call(self, batches):
        for _ in range(batches):
            self.process.stdin.write(b".")
            self.process.stdin.flush()
            self.assertEqual(self.process.stdout.read(1), b".")
            self.batches += 1

    def end(self):
        """Ends the target. At the end of its output, no process can still write the recording."""
        self.process.stdin.close()
        self.assertEqual(self.process.stdout.read(), b"")
        self.process.wait(clewtest.TIMEOUT_S)
        shown = self.clew_json("report", "--json", self.recording_path)
        self.assertEqual(shown["total"]["calls"],
                         self.batches * self.CALLS + 1)  # one more for main()
        return shown

    def test_threads_stop_waiting_for_a_killed_recorder(self):
        for before in 1, 5:
            with self.subTest(before=before):
                self.setUp()
                self.begin()
                self.call(before)
                self.process.kill()
                self.call(3)
                self.assert_waited_in_vain(self.end())

    def await_stopped(self):
        """Waits until all threads are stopped; some may run on for an instant on other
        processors.
        """
        def states():
            for task in pathlib.Path(
                    f"/proc/{self.process.pid}/task").iterdir():
                yield (task / "stat").read_text().rpartition(")")[2].split()[0]
        while set(states()) != {"T"}:
            os.sched_yield()

    def assert_waited_in_vain(self, shown):
        (problem,) = shown["problems"]
        self.assertIn("threads waited too long", problem)
        self.assertGreater(shown["waits"]["count"], 0)
        self.assertGreater(shown["waits"]["ns"], 1e9)

    def test_threads_stop_waiting_for_a_stopped_recorder(self):
        self.begin()
        self.call(2)
        self.process.send_signal(signal.SIGSTOP)
        self.await_stopped()
        self.call(2)
        self.process.send_signal(signal.SIGCONT)
        self.call(2)
        shown = self.end()
        self.assert_waited_in_vain(shown)
        (part,) = self.recording().parts
        self.assertEqual(shown["waits"], {"count": part.trace.waits,
                                          "ns": part.trace.waited_ns})
        self.assertIn("until packets of the trace were counted",
                      self.details(self.recording_path))
        self.assertIn("until packets were counted",
                      self.clew("trace", self.recording_path).stderr)

    def test_a_snapshot_has_the_counts_of_workers(self):
        self.begin()
        self.call(3)
        (part,) = self.recording().parts
        done = self.clew("snapshot", "-q", "-o", "snapshot", part.pid)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        shown = self.clew_json("report", "--json", "snapshot")
        self.assertEqual(shown["total"]["calls"], 3 * self.CALLS + 1)
        self.call(1)
        self.end()

    def test_threads_that_never_wait_say_nothing(self):
        self.begin("--trace=1G")
        self.call(3)
        shown = self.end()
        self.assertEqual(shown["problems"], [])
        self.assertNotIn("waits", shown)


class Kept(clewtest.Case):
    """The file of packets."""

    def trace(self):
        (part,) = self.recording().parts
        return part.trace

    def test_a_call_takes_four_bytes(self):
        """The context, once a packet, adds little."""
        self.record([target("recursion")], ["--trace", "--stamps=packet"])
        trace = self.trace()
        self.assertGreater(trace.calls, 100000)
        self.assertLess(4 * trace.words / trace.calls, 4.5)

    def test_stamps_have_the_requested_distance(self):
        """The median distance of stamps is about the requested one. On shared
        processors, some distances are longer.
        """
        for ns in 2000, 6000:
            with self.subTest(ns=ns):
                self.record([target("recursion")],
                            ["--trace", f"--stamps={ns}ns"])
                (part,) = self.recording().parts
                counts, = part.trace.tallies.values()
                gaps = sorted(counts.gaps)
                ticks = (part.latest.tsc - part.first.tsc) / \
                    (part.latest.ns - part.first.ns)
                self.assertGreater(len(gaps), 50)
                self.assertLess(gaps[len(gaps) // 2], 2 * ns * ticks)
                self.assertGreater(gaps[len(gaps) // 2], ns * ticks / 2)

    def test_returns_are_stamped(self):
        self.record([target("recursion")], ["--trace", "--stamps=all"])
        (part,) = self.recording().parts
        counts, = part.trace.tallies.values()
        # Only calls at the end of a packet, or active at its end, have no return.
        self.assertGreater(counts.returns,
                           sum(counts.calls.values()) * .99)
        self.assertGreater(counts.stamps,
                           sum(counts.calls.values()) * .99)

    def test_short_calls_are_removed_from_a_trace(self):
        """No longer call is lost, and the remaining calls are balanced."""
        self.check_taken_back("tail", "jumps")

    @slow
    def test_short_calls_of_threads_are_removed_from_a_trace(self):
        self.check_taken_back("recursion", "threads")

    def check_taken_back(self, *names):
        for name in names:
            with self.subTest(name):
                self.record([target(name)], ["--trace", "--stamps=packet"])
                (part,) = self.recording().parts
                made = part.trace.calls
                done = self.record([target(name)],
                                   ["--trace", "--min-duration=2us"])
                self.assertEqual(done.returncode, 0)
                (part,) = self.recording().parts
                self.assertEqual(list(part.losses), [0] * 8)
                self.assertGreater(part.trace.taken_back, 0)
                self.assertEqual(part.trace.calls + part.trace.taken_back,
                                 made)
                (problem,) = self.clew_json(
                    "report", "--json", self.recording_path)["problems"]
                self.assertIn(f": {part.trace.taken_back:,} calls that took "
                              "less than 2.00 us are not counted", problem)
                lines = self.clew("trace", "--json", self.recording_path)
                self.assertEqual(lines.stdout.count('"most_ns"'),
                                 sum('"returned"' in line or '"left"' in line
                                     for line in lines.stdout.splitlines()))

    def test_a_ring_keeps_the_latest_calls(self):
        self.record([target("recursion")], ["--time=none"])
        (part,) = self.recording().parts
        made = sum(part.counts().values())
        self.record([target("recursion")], ["--trace=ring:128K"])
        trace = self.trace()
        self.assertLessEqual(trace.packets, 2)
        self.assertLess(trace.calls, made)
        shown = self.clew_json("report", "--json", self.recording_path)
        self.assertTrue(any("of earlier calls were overwritten" in problem
                            for problem in shown["problems"]), shown)
        text = self.details(self.recording_path)
        self.assertRegex(text, r"\nmissing: older calls \(\d+ packets? "
                               r"overwritten\)")
        self.assertRegex(text, r"\nnote: .* of earlier calls were overwritten\n")
        self.assertNotIn("problem", text)

    def test_each_view_reports_overwritten_calls(self):
        self.record([target("recursion")],
                    ["--trace=ring:128K", "--stamps=all"])
        (packets,) = re.findall(r"older calls \(([\d,]+) packets? overwritten",
                                self.details(self.recording_path))
        packets = int(packets.replace(",", ""))
        latencies = self.clew("trace", "--latencies", self.recording_path)
        function = latencies.stdout.splitlines()[1].split()[-1]
        for options in ([], ["--latencies"], [f"--histogram={function}"],
                        [f"--slowest={function}"],
                        [f"--slowest={function}", "--against=median"]):
            with self.subTest(options):
                text = self.clew("trace", *options, self.recording_path).stdout
                self.assertEqual(
                    text.splitlines()[-1],
                    f"missing: older calls ({packets:,} "
                    f"packet{'s' * (packets > 1)} overwritten); record with a "
                    "larger ring or --min-duration")
                lines = self.clew("trace", "--json", *options,
                                  self.recording_path).stdout.splitlines()
                self.assertEqual(json.loads(lines[-1]), {
                    "kind": "overwritten", "packets": packets})
        (began, *_) = [row.split()[-1] for row in
                       self.clew("trace", "--latencies", "--top=0",
                                 self.recording_path).stdout.splitlines()
                       if row.split()[:1] == ["0"]]
        done = self.clew("trace", f"--slowest={began}", "--against=median",
                         self.recording_path)
        self.assertEqual((done.returncode, done.stderr.splitlines()[-1]), (
            1, f"clew trace: {began}: a comparison needs two calls, of which the "
            "faster one has returned; the ring does not hold them: record with "
            "a larger ring or --min-duration"))
        self.record([target("recursion")], ["--trace"])
        for options in [], ["--json"], ["--latencies"]:
            self.assertNotIn("overwritten", self.clew(
                "trace", *options, self.recording_path).stdout)

    def test_a_killed_process_leaves_its_ring(self):
        """The ring contains all calls that the process has acknowledged."""
        for after in 1, 700, 2500:
            with self.subTest(after=after):
                process = subprocess.Popen(
                    [str(a) for a in self.record_command(
                        [target("acknowledge")], ["--trace=ring:64M"])],
                    stdout=subprocess.PIPE, env=self.environment,
                    cwd=self.work, start_new_session=True)
                with process.stdout:
                    said = process.stdout.read(after * ACKNOWLEDGEMENT.size)
                    os.killpg(process.pid, signal.SIGKILL)
                    said += process.stdout.read()
                process.wait(clewtest.TIMEOUT_S)
                said = said[:len(said) // 16 * 16]
                step, other = list(ACKNOWLEDGEMENT.iter_unpack(said))[-1]
                (part,) = self.recording().parts
                tallies = {tid: part.tallies[tally]
                           for tid, tally, _ in part.threads}
                most = {tid: max(part.counts([tally]).values(), default=0)
                        for tid, tally in tallies.items()}
                self.assertGreaterEqual(most.pop(part.pid), step)
                self.assertGreaterEqual(max(most.values(), default=0), other)
                shown = self.clew("trace", "--json", "--from=1000s",
                                  self.recording_path)
                # Calls with unknown times do not match.
                self.assertEqual(
                    (shown.returncode, shown.stderr),
                    (1, "clew trace: no call of the trace matches the "
                        "filters\n"))

    def test_merged_recordings_have_the_calls_of_all(self):
        totals = []
        for name, *options in (["first", "--trace"],
                               ["second", "--trace=64K",
                                "--on-overflow=wait"]):
            self.recording_path = self.work / name
            done = self.record([target("recursion")],
                               ["--time=none", *options])
            self.assertEqual(done.returncode, 0, done.stderr)
            totals.append(self.clew_json("report", "--json", name)["total"])
        done = self.clew("merge", "-o", "both", "first", "second", "second")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        both = self.clew_json("report", "--json", "both")["total"]
        self.assertGreater(totals[0]["calls"], 0)
        self.assertEqual(both["calls"],
                         totals[0]["calls"] + 2 * totals[1]["calls"])
        self.assertEqual(both["contexts"], totals[0]["contexts"])
        done = self.clew("trace", "--json", "both")
        self.assertEqual(done.returncode, 0)

    def test_options_that_conflict_with_a_trace_are_refused(self):
        for options in (["--time=cpu"], ["--budget=5%"], ["--jit-callers"],
                        ["--jni-env"]):
            done = self.clew("record", "--trace", *options, "--", "true")
            self.assert_usage_error(done, "--trace")
        for options in (["--min-duration=1us"],
                        ["--trace", "--min-duration=1us", "--stamps=64"],
                        ["--trace", "--min-duration=x"]):
            done = self.clew("record", *options, "--", "true")
            self.assert_usage_error(done, "min-duration")
        for options in (["--trace-depth=3"], ["--trace", "--trace-depth=0"],
                        ["--trace", "--trace-depth=201"]):
            done = self.clew("record", *options, "--", "true")
            self.assert_usage_error(done, "trace-depth")
        for options in (["--on-overflow=process"],
                        ["--trace", "--on-overflow=sleep"]):
            done = self.clew("record", *options, "--", "true")
            self.assert_usage_error(done, "on-overflow")
        for options in (["--workers=2"], ["--trace", "--workers=2"],
                        ["--trace", "--on-overflow=drop-oldest",
                         "--workers=2"],
                        ["--trace", "--on-overflow=wait", "--workers=0"],
                        ["--trace", "--on-overflow=wait", "--workers=65"]):
            done = self.clew("record", *options, "--", "true")
            self.assert_usage_error(done, "workers")
        for value in "0", "x", "ring:", "64":
            done = self.clew("record", f"--trace={value}", "--", "true")
            self.assert_usage_error(done, "SIZE")


if __name__ == "__main__":
    unittest.main()
