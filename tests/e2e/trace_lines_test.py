#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""clew trace prints the calls of traces whose every call is known."""
import collections
import json
import re

from lib import clewtest, exports, perfetto
from lib.clewtest import target
from lib.trace_runs import (FIRST, MAIN, START_NS, WORKER, Case, Run, calls_of,
                            name, told)


class Calls(Case):
    def test_values_of_a_call_are_no_stamps(self):
        """A value of a call is not a stamp: the next call has the time of its own stamp."""
        value = 8 << 22 | 0x3f0000 | 6, 0, 1023 - 1, 0, 7, 0
        self.make("packet", "context 0 1001000", "call 1 1", "stamp 1001000",
                  *(f"word {word}" for word in value),
                  "call 2 2", "stamp 1005000", "call 1 3", "stamp 1006000")
        self.assertEqual(calls_of(self.lines(), MAIN), [
            [1001000, 1006000, 0, name(1)], [1005000, 1006000, 1, name(2)],
            [1006000, None, 0, name(3)]])

    def test_each_call_of_all_threads_is_shown(self):
        for seed in range(10):
            with self.subTest(seed=seed):
                self.recording_path = self.work / f"{seed}.out"
                one = Run(seed, 0, MAIN, 777)
                other = Run(seed + 100, 1, WORKER, 500)
                self.make(*one.script, *other.script)
                lines = self.lines()
                self.assertEqual(calls_of(lines, MAIN), told(one))
                self.assertEqual(calls_of(lines, WORKER), told(other))
                times = [line["tick"] for line in lines]
                self.assertEqual(times, sorted(times))
                self.assertEqual({line["clock"] for line in lines
                                  if line["kind"] in ("begin", "call")},
                                 {"stamp"})

    def test_order_and_depth_are_right_without_stamps(self):
        run = Run(5, 0, MAIN, 600, stamped=False)
        self.make(*run.script)
        lines = self.lines()
        self.assertEqual([call[2:] for call in calls_of(lines, MAIN)],
                         [call[2:] for call in told(run)])
        # Each packet begins and ends with a stamp.
        stamped = [line for line in lines
                   if line["kind"] in ("begin", "call") and
                   line["clock"] == "stamp"]
        self.assertEqual(len(stamped), 600 // 50 + 1)
        times = [line["tick"] for line in lines]
        self.assertEqual(times, sorted(times))

    def test_windows_have_the_calls_that_overlap_them(self):
        run = Run(7, 0, MAIN, 900)
        self.make(*run.script)
        last = run.calls[-1][0]
        for begin, end in ((FIRST + 2000, FIRST + 9000),
                           (last - 500, last + 500), (FIRST, last),
                           (FIRST + 20000, FIRST + 20001)):
            with self.subTest(begin=begin, end=end):
                found = calls_of(self.lines(
                    f"--from={begin - FIRST}ns", f"--to={end - FIRST}ns"),
                    MAIN)
                self.assertEqual(
                    [call[2:] for call in found],
                    [call[2:] for call in told(run)
                     if call[0] <= end and
                     (call[1] is None or call[1] >= begin)])

    def test_a_shortest_duration_is_up_to_the_last_call_in_it(self):
        self.make("packet", "context 0 1001000", "call 1 1", "call 2 2",
                  "stamp 1003000", "call 2 3", "stamp 1004000", "call 1 4")
        found = {line["name"]: line for line in self.lines()
                 if "least_ns" in line}
        self.assertEqual(found[name(1)]["least_ns"], 3000)
        self.assertEqual((found[name(2)]["least_ns"],
                          found[name(2)]["most_ns"]), (0, 1000))


class Filters(Case):
    def setUp(self):
        super().setUp()
        self.calls = Run(3, 0, MAIN, 800)
        self.make(*self.calls.script, *Run(4, 1, WORKER, 300).script)

    def test_lines_are_filtered_by_duration(self):
        found = calls_of(self.lines("--min-duration=1us", "--thread=main"),
                         MAIN)
        self.assertEqual(
            sorted(call[0] for call in found),
            [call[0] for call in self.calls.calls
             if (call[1] or self.calls.now) - call[0] >= 1000])

    def test_lines_are_filtered_by_function(self):
        found = calls_of(self.lines("--function=0x10[0-4]0$"), MAIN)
        self.assertEqual([call[0] for call in found],
                         [call[0] for call in self.calls.calls
                          if call[3] <= 5])
        self.assertEqual(min(call[2] for call in found), 0)

    def test_lines_are_filtered_by_depth(self):
        found = calls_of(self.lines("--depth=2"), MAIN)
        self.assertEqual([call[0] for call in found],
                         [call[0] for call in self.calls.calls if call[2] < 2])

    def test_lines_are_filtered_by_thread(self):
        self.assertEqual({line["tid"] for line in self.lines("--thread=4243")},
                         {WORKER})
        self.assertEqual({line["thread"]
                          for line in self.lines("--thread=worker")},
                         {"worker"})

    def test_lines_are_filtered_by_module(self):
        done = self.clew("trace", "--module=nothing", self.recording_path)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(len(self.lines("--module=synth*")),
                         len(self.lines()))


class Functions(Case):
    def setUp(self):
        super().setUp()
        self.one = Run(11, 0, MAIN, 900)
        self.other = Run(12, 1, WORKER, 700)
        self.make(*self.one.script, *self.other.script)

    def took(self, function):
        """Returns the durations of the function's completed calls, longest first."""
        return sorted((call[1] - call[0] for run in (self.one, self.other)
                       for call in run.calls
                       if call[3] == function and call[1]), reverse=True)

    def slowest(self, function, *options):
        """Returns the lines of the slowest calls, without their main path."""
        found = self.lines_of_one(f"--slowest={name(function)}", *options)
        self.assertEqual([line["kind"] for line in found].count("main_path"),
                         1)
        self.assertEqual(found.pop()["kind"], "main_path")
        for line in found:
            line["tick"] = line["time_ns"] - START_NS + FIRST
            if "begin_ns" in line:
                line["begin"] = line["begin_ns"] - START_NS + FIRST
        return found

    def test_the_slowest_calls_are_shown(self):
        for function in (1, 7, 44):
            found = self.slowest(function, "-n0")
            self.assertEqual([line["rank"] for line in found],
                             list(range(1, len(found) + 1)))
            self.assertEqual([line["most_ns"] for line in found
                              if line["most_ns"]], self.took(function))
            self.assertEqual(self.slowest(function, "--top=3"), found[:3])

    def test_slow_calls_are_shown_with_their_callees(self):
        found = self.slowest(5, "--tree=3")
        runs = {MAIN: self.one, WORKER: self.other}
        shown = 0
        while found:
            slow = found.pop(0)
            self.assertEqual(slow["kind"], "slow")
            lines = []
            while found and found[0]["kind"] != "slow":
                lines.append(found.pop(0))
            calls = runs[slow["tid"]].calls
            first = next(i for i, call in enumerate(calls)
                         if call[0] == slow["tick"])
            expected = [calls[first]]
            for call in calls[first + 1:]:
                if call[2] <= calls[first][2]:
                    break
                if call[2] < calls[first][2] + 3:
                    expected.append(call)
            self.assertEqual(
                [(call[0], call[2], call[3])
                 for call in calls_of(lines, slow["tid"])],
                [(begin, depth - calls[first][2], name(function))
                 for begin, _, depth, function in expected])
            shown += len(expected)
        self.assertGreater(shown, 20)

    def did(self, function, ns):
        """Returns {path below that call of the function: [calls, ns, own ns]}."""
        ((calls, first),) = [(run.calls, i) for run in (self.one, self.other)
                             for i, call in enumerate(run.calls)
                             if call[3] == function and call[1] and
                             call[1] - call[0] == ns]
        found, path, depth = {}, [], calls[first][2]
        for begin, end, at, called in calls[first:]:
            if path and at <= depth:
                break
            path[at - depth:] = [name(called)]
            for key, all_of_it in ((tuple(path), 1), (tuple(path[:-1]), 0)):
                row = found.setdefault(key, [0, 0, 0])
                row[0] += all_of_it
                row[1] += (end - begin) * all_of_it
                row[2] += (end - begin) * (1 if all_of_it else -1)
        found.pop(())
        return found

    def test_the_slowest_call_is_compared_with_another(self):
        compared = 0
        for function in range(1, 90):
            took = self.took(function)
            if len(took) < 3 or len(set(took)) < len(took):
                continue
            for against, ns in (("median", took[len(took) // 2]),
                                ("fastest", took[-1]), ("2", took[1])):
                rows, path = {}, []
                for line in self.lines_of_one(f"--slowest={name(function)}",
                                          f"--against={against}"):
                    path[line["depth"]:] = [line["name"]]
                    rows[tuple(path)] = [
                        [line[side][key] for key in ("calls", "total_ns",
                                                     "self_ns")]
                        for side in ("fast", "slow")]
                fast, slow = self.did(function, ns), self.did(function, took[0])
                self.assertEqual(rows, {
                    key: [fast.get(key, [0, 0, 0]), slow.get(key, [0, 0, 0])]
                    for key in {**fast, **slow}})
                compared += 1
            if compared > 8:
                break
        self.assertGreater(compared, 8)

    def test_a_histogram_shows_durations(self):
        [found] = self.lines_of_one("--histogram=" + name(9))
        took = self.took(9)[::-1]
        most = found["most"]
        self.assertEqual((found["calls"], most["min_ns"], most["max_ns"],
                          most["mean_ns"]),
                         (len(took), took[0], took[-1],
                          sum(took) // len(took)))
        for quantile in most["quantiles"]:
            exact = took[max(0, -int(-quantile["share"] * len(took) // 1) - 1)]
            self.assertGreaterEqual(quantile["ns"], exact)
            self.assertLessEqual(quantile["ns"], exact * (1 + 1 / 128))
        for octave in found["histogram"]:
            below = octave["below_ns"]
            self.assertEqual(octave["calls"],
                             sum(below // 2 <= ns < below for ns in took))
        self.assertEqual(sum(octave["calls"]
                             for octave in found["histogram"]), len(took))

    def test_each_function_has_latencies(self):
        found = self.lines_of_one("--latencies", "--top=0")
        self.assertEqual(len({one["name"] for one in found}), len(found))
        for one in found:
            [alone] = self.lines_of_one("--histogram=" + one["name"])
            self.assertEqual(one, alone)
        sums = [one["calls"] * one["most"].get("mean_ns", 0) for one in found]
        for more, less, one in zip(sums, sums[1:], found[1:]):
            self.assertGreaterEqual(more + one["calls"], less)
        took = self.took(9)
        [nine] = self.lines_of_one("--latencies", f"-f^{re.escape(name(9))}$")
        self.assertEqual(nine["calls"], len(took))
        self.assertEqual(self.lines_of_one("--latencies", "-n2"), found[:2])
        done = self.clew("trace", "--latencies", "-fnobody",
                         self.recording_path)
        self.assertEqual((done.returncode, done.stdout), (1, ""))

    def lines_of_one(self, *options):
        done = self.clew("trace", "--json", *options, self.recording_path)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_function_table_is_printed_as_text(self):
        slow = self.text(f"--slowest={name(5)}", "--top=2", "--tree=2")
        self.assertIn(f"   1 ", slow)
        self.assertIn(f"{name(5)}()", slow)
        self.assertRegex(slow, r"2 of \d+ calls")
        histogram = self.text(f"--histogram={name(5)}")
        self.assertRegex(histogram, r"99\.9 % +[\d.]+ [nu]s +[\d.]+ [nu]s\n")
        self.assertIn("####", histogram)
        every = self.text("--latencies", "--top=2")
        self.assertRegex(every, r"\n +[\d,]+( +[\d.]+ [num]?s){6}  "
                                r"\S+\n")
        self.assertRegex(every, r"2 of \d+ functions\n")

    def test_unknown_functions_and_invalid_options_are_refused(self):
        done = self.clew("trace", "--slowest=nobody", self.recording_path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("nobody: no such function in the recording",
                      done.stderr)
        for options in (["--top=3"], ["--tree=1"],
                        ["--slowest=a", "--histogram=b"],
                        ["--slowest=a", "--latencies"],
                        ["--latencies", "--depth=3"],
                        ["--latencies", "--tree=1"],
                        ["--slowest=a", "--depth=3"], ["--against=median"],
                        ["--slowest=a", "--against=x"]):
            self.assertEqual(self.clew("trace", *options).returncode, 64)


class MainPath(Case):
    """Where the slowest call mostly spent its time, by bounds of durations."""

    CALLS = [  # (time, depth, function)
        (0, 1, 1), (90, 2, 2), (100, 3, 3), (120, 4, 4), (130, 2, 9), (900, 2, 9),
        (1000, 1, 1), (1090, 2, 2), (1100, 3, 3), (1120, 4, 4), (1130, 2, 9),
        (1900, 2, 9),
        (2000, 1, 1), (2090, 2, 2), (2100, 3, 3), (3900, 4, 4), (3920, 2, 9),
        (3980, 2, 9)]

    def make_calls(self, *more):
        script = ["packet", "context 0 1001000"]
        for at, depth, function in [*self.CALLS, *more]:
            script += [f"call {depth} {function}", f"stamp {1001000 + at}"]
        self.make(*script)

    def main_path(self, function):
        done = self.clew("trace", "--json", f"--slowest={name(function)}",
                         self.recording_path)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        (found,) = [line for line in map(json.loads, done.stdout.splitlines())
                    if line["kind"] == "main_path"]
        return found

    def test_main_path_has_most_of_the_time(self):
        self.make_calls((4000, 1, 8))
        found = self.main_path(1)
        self.assertEqual([one["name"] for one in found["path"]],
                         [name(2), name(3)])
        self.assertEqual(found["below"], {
            "slow": {"least": 1800 / 2000, "most": 1820 / 1980},
            "median": {"least": 20 / 1000, "most": 30 / 900}})
        self.assertIn(
            f"the slowest call: 90 to 92 % of it below {name(2)} > {name(3)}; "
            "the median call spends 2 to 3 % there (--against=median compares "
            "both)\n", self.text(f"--slowest={name(1)}"))

    def test_main_path_ends_before_a_callee_of_unknown_time(self):
        # The many calls of 3 are between two time stamps, so that each of them
        # may have taken no time.
        self.make("packet", "context 0 1001000", "call 1 1", "call 2 2",
                  *["call 3 3"] * 20, "stamp 1003000", "call 2 9",
                  "stamp 1003100", "call 1 8", "stamp 1004000")
        found = self.main_path(1)
        self.assertEqual([one["name"] for one in found["path"]], [name(2)])

    def test_call_of_a_snapshot_is_still_running(self):
        self.make_calls((4000, 1, 1), (4010, 2, 7), (9010, 3, 8))
        found = self.main_path(1)
        self.assertEqual([one["name"] for one in found["path"]], [name(7)])
        self.assertEqual(found["below"], {
            "slow": {"least": 5000 / 5010, "most": 5000 / 5010},
            "median": {"least": 0, "most": 0}})
        rows = [json.loads(line) for line in self.clew(
            "trace", "--json", f"--slowest={name(1)}", "--against=fastest",
            self.recording_path).stdout.splitlines()]
        self.assertEqual(rows[0]["slow"]["total_ns"], 5010)
        self.assertEqual(rows[0]["fast"]["total_ns"], 1000)

    def test_function_without_callees_has_its_own_time(self):
        self.make_calls((4000, 1, 8))
        self.assertIn("the slowest call: 100 % of it in the function itself; "
                      "the median call spends 100 % there",
                      self.text(f"--slowest={name(9)}"))

    def test_one_call_is_compared_with_none(self):
        self.make("packet", "context 0 1001000", "call 1 1", "call 2 2",
                  "stamp 1003000", "call 1 3", "stamp 1004000")
        text = self.text(f"--slowest={name(1)}")
        self.assertIn("the slowest call: 50 to 100 % of it in the function "
                      "itself\n", text)
        self.assertNotIn("median", text)
        self.assertEqual(self.main_path(1)["self"], {
            "slow": {"least": .5, "most": 1}, "median": None})
        done = self.clew("trace", f"--slowest={name(1)}", "--against=median",
                         self.recording_path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("a comparison needs two calls", done.stderr)


class Perfetto(Case):
    def export(self, *options):
        path = self.work / "out.pftrace"
        done = self.clew("export", "-F", "perfetto", "-o", path, *options,
                         self.recording_path)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return perfetto.Trace(path.read_bytes())

    def test_each_call_is_a_slice_of_its_thread(self):
        one, other = Run(21, 0, MAIN, 900), Run(22, 1, WORKER, 700)
        self.make(*one.script, *other.script)
        trace = self.export()
        self.assertEqual(sorted(trace.threads.values()),
                         [(MAIN, "main"), (WORKER, "worker")])
        self.assertEqual(list(trace.processes), [MAIN])
        for run, tid in ((one, MAIN), (other, WORKER)):
            last = max(call[0] for call in run.calls)
            self.assertEqual(
                [(slice.begin - START_NS + FIRST, slice.end - START_NS + FIRST,
                  slice.depth, slice.name)
                 for slice in trace.slices(trace.track(tid))],
                [(begin, end or last, depth, called)
                 for begin, end, depth, called in told(run)])

    def test_chrome_s_format_has_the_same_events(self):
        one, other = Run(21, 0, MAIN, 900), Run(22, 1, WORKER, 700)
        self.make(*one.script, *other.script)
        trace = self.export()
        done = self.clew("export", "-F", "chrome", self.recording_path)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        events = json.loads(done.stdout)["traceEvents"]
        self.assertEqual([(event["tid"], event["args"]["name"])
                          for event in events
                          if event["name"] == "thread_name"],
                         [(MAIN, "main"), (WORKER, "worker")])
        for tid in (MAIN, WORKER):
            found, opened = [], []
            for event in events:
                if event["tid"] != tid or event["ph"] not in "BE":
                    continue
                tick = round(event["ts"] * 1000)
                if event["ph"] == "B":
                    opened.append(len(found))
                    found.append([tick, None, len(opened) - 1, event["name"]])
                else:
                    self.assertEqual(found[opened[-1]][3], event["name"])
                    found[opened.pop()][1] = tick
            self.assertEqual(
                found, [[slice.begin - START_NS, slice.end - START_NS,
                         slice.depth, slice.name]
                        for slice in trace.slices(trace.track(tid))])

    def test_perfetto_has_windows_and_filters(self):
        run = Run(23, 0, MAIN, 900)
        self.make(*run.script, *Run(24, 1, WORKER, 300).script)
        begin, end = FIRST + 9000, FIRST + 20000
        trace = self.export(f"--from={begin - FIRST}ns",
                            f"--to={end - FIRST}ns", "--thread=main",
                            "--function=0x10[0-4]0$")
        self.assertEqual(list(trace.threads.values()), [(MAIN, "main")])
        self.assertEqual(
            [slice.name for slice in trace.slices(trace.track(MAIN))],
            [name(call[3]) for call in run.calls if call[3] <= 5 and
             call[0] <= end and (call[1] or end) >= begin])

    def test_gaps_are_instants(self):
        self.make("packet", "context 0 1001000", "call 1 1", "packet",
                  "skip 3", "context 1 1002000 1", "call 2 2")
        trace = self.export()
        self.assertEqual(trace.instants(trace.track(MAIN)),
                         ["packets are missing"])

    def test_samples_have_their_stacks(self):
        made = exports.Synthetic(self.recording_path)
        trace = self.export()
        found = {}
        for tid, _, stack in trace.samples:
            found[tid, stack] = found.get((tid, stack), 0) + 1
        expected = {}
        for one in made.contexts:
            if one.samples:
                key = one.tid, one.path
                expected[key] = expected.get(key, 0) + one.samples
        self.assertEqual(found, expected)

    def test_perfetto_has_the_samples_of_the_window(self):
        made = exports.Synthetic(self.recording_path)
        chrome = json.loads(self.clew("export", "-F", "chrome",
                                      made.path).stdout)
        start = chrome["otherData"]["start_ns"]
        some = [time for _, time, _ in self.export().samples
                if start + 200_000_000 <= time <= start + 500_000_000]
        self.assertGreater(len(some), 100)
        options = "--from=.2", "--to=500ms"
        self.assertEqual(
            [time for _, time, _ in self.export(*options).samples], some)
        chrome = json.loads(self.clew("export", "-F", "chrome", *options,
                                      made.path).stdout)
        self.assertEqual(sorted(round(one["ts"] * 1000) + start
                                for one in chrome["samples"]), sorted(some))

    def test_invalid_options_of_perfetto_are_refused(self):
        for options in (["-F", "perfetto", "--focus=x", "-o", "x"],
                        ["-F", "perfetto", "--value=x", "-o", "x"],
                        ["-F", "perfetto", "--from=2", "--to=1", "-o", "x"]):
            self.assertEqual(self.clew("export", *options).returncode, 64)


class Recorded(Case):
    """Traces of programs have the same calls as reports, once each, with their ends."""

    def check(self, name, *arguments):
        self.record([target(name), *arguments], ["--trace"])
        report = self.clew_json("report", "--json", "-n0",
                                self.recording_path)
        counted = collections.Counter()
        for function in report["functions"]:
            counted[function["module"], function["vaddr"]] += function["calls"]
        done = self.clew("trace", "--json", self.recording_path)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        found = collections.Counter()
        last, depths = {}, collections.Counter()
        for line in map(json.loads, done.stdout.splitlines()):
            thread = line["pid"], line["tid"]
            self.assertNotIn(line.get("gap"),
                             ("missing", "damaged", "mismatch"))
            depths[thread] -= line["kind"] == "end"
            if line["kind"] != "gap":
                self.assertEqual(line["depth"], depths[thread])
            depths[thread] += line["kind"] == "begin"
            self.assertGreaterEqual(line["time_ns"], last.get(thread, 0))
            last[thread] = line["time_ns"]
            if line["kind"] in ("begin", "call") and \
                    "began_before" not in line:
                found[line["module"], line["vaddr"]] += 1
        self.assertEqual(found, +counted)
        self.assertEqual(+depths, collections.Counter())

    def test_tail_calls_are_shown_as_such(self):
        self.check("tail")

    def test_jumps_are_shown(self):
        self.check("jumps")


class Text(Case):
    def test_lines_have_indentation_and_durations(self):
        self.make("packet", "context 0 1001000", "call 1 1", "call 2 2",
                  "stamp 1002000", "call 3 3", "call 3 4", "stamp 1004000",
                  "tail 3 5", "stamp 1005000", "call 2 6", "stamp 1007000")
        self.assertEqual(self.text("--quiet"), f"""\
    0.000001000                4242  {name(1)}() {{
    0.000002000                4242    {name(2)}() {{
   ~0.000003000    1.00 us     4242      {name(3)}();
    0.000004000    1.00 us     4242      {name(4)}();
    0.000005000    2.00 us     4242      {name(5)}();  (tail)
    0.000007000    5.00 us     4242    }} {name(2)}
    0.000007000         >0     4242    {name(6)}();  (still running)
   >0.000007000   >6.00 us     4242  }} {name(1)}  (still running)
""")

    def test_gaps_are_shown(self):
        self.make("packet", "context 0 1001000", "call 1 1", "packet",
                  "skip 3", "context 1 1002000 1", "call 2 2",
                  "context 2 1003000 7", "call 2 2")
        shown = self.text()
        self.assertIn("--- packets are missing, with 3 contexts ---", shown)
        self.assertIn("--- the stack has moved ---", shown)
        self.assertIn("packets are missing (1 time)", shown)
        self.assertIn(f"{name(1)}();  (cut off)", shown)
        self.assertIn(f"{name(7)}() {{  (began before)", shown)

    def test_gap_is_indented_below_its_open_calls(self):
        self.make("packet", "context 0 1001000", "call 1 1",
                  "context 2 1002000 1", "call 1 2")
        self.assertEqual([(line["kind"], line["depth"])
                          for line in self.lines()][:3],
                         [("begin", 0), ("gap", 1), ("end", 0)])

    def test_threads_are_shown_in_columns(self):
        self.make("packet", "context 0 1001000", "call 1 1",
                  "thread 1 4243", "packet", "context 0 1002000", "call 1 2")
        lines = self.text("--quiet", "--columns=20").splitlines()
        self.assertEqual(lines[1].index("synthetic") -
                         lines[0].index("synthetic"), 20)

    def test_deep_calls_are_indented_anew(self):
        self.make("packet", "context 0 1001000",
                  *(f"call {depth} 1" for depth in range(1, 1001)))
        shown = self.text("--quiet").splitlines()
        self.assertEqual(len(shown), 1999)
        self.assertLess(max(map(len, shown)), 170)
        self.assertIn("[960] ", shown[970])

    def test_recording_without_a_trace_is_reported(self):
        self.record(["/bin/true"])
        done = self.clew("trace", self.recording_path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("it contains no trace; record with --trace", done.stderr)

    def test_invalid_times_are_refused(self):
        for option in ("--from=x", "--to=3h", "--around=-1",
                       "--min-duration="):
            done = self.clew("trace", option)
            self.assertEqual(done.returncode, 64, option)
            self.assertIn("not a time", done.stderr)


class Stamped(Case):
    """Every return in the trace of targets/requests.c has its time."""

    def test_lines_show_the_durations_of_calls(self):
        done = self.record([target("requests"), 200, 7, 100, 50],
                           ["--trace", "--stamps=all"], text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        truth = [tuple(map(int, line.split()))
                 for line in done.stdout.splitlines()]
        calls = [json.loads(line) for line in self.clew(
            "trace", "--json", "--slowest=handle", "-n", "0",
            self.recording_path).stdout.splitlines()]
        self.assertEqual(calls.pop()["kind"], "main_path")
        self.assertEqual(len(calls), 200)
        for call in calls:
            self.assertEqual(call["least_ns"], call["most_ns"])
        for call, (inside, outside) in zip(calls, sorted(truth)[::-1]):
            self.assertGreaterEqual(call["most_ns"], inside * .999 - 100)
            self.assertLessEqual(call["most_ns"], outside * 1.001 + 100)
        done = self.clew("trace", "-q", self.recording_path)
        self.assertNotIn("~", done.stdout)


if __name__ == "__main__":
    clewtest.main()
