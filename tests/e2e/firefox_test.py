#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Profiles for the Firefox Profiler contain the recording."""
import collections
import contextlib
import json
import os
import re
import signal

from lib import clewtest, exports, firefox
from lib.clewtest import needs, target
from lib.trace_runs import FIRST, MAIN, WORKER, Case, Run, name, told

INLINES = clewtest.ROOT / "tests" / "targets" / "inlines.cc"
TOOL = (clewtest.ROOT / "tests" / "firefox" / "node_modules" /
        "@firefox-devtools" / "profiler-cli" / "dist" / "profiler-cli.js")
NS = 1_000_000  # in a millisecond


class Contexts(exports.Export):
    def profile(self, recording, *options):
        return firefox.Profile(self.export("firefox", recording, *options))

    def test_a_firefox_profile_has_calls_and_samples(self):
        made = self.synthetic()
        profile = self.profile(made.path)
        self.assertEqual(profile.calls(), made.stacks("calls"))
        threads = {thread["tid"]: profile.stacks(thread, NS)
                   for thread in profile.of_type("tracing-ms")}
        wanted = collections.defaultdict(collections.Counter)
        for one in made.contexts:
            wanted[one.tid][one.path] += one.ns
        self.assertEqual(threads, {tid: +sums for tid, sums in wanted.items()})
        self.assertEqual({thread["tid"]: thread["name"] for thread in
                          profile.of_type("tracing-ms")},
                         exports.THREAD_NAMES)
        self.assertEqual(sum(thread["samples"]["length"] for thread in
                             profile.of_type("tracing-ms")),
                         made.total("samples"))
        self.assertEqual({thread["processName"] for thread in
                          profile.of_type("tracing-ms")}, {"main"})

    def test_processor_time_is_that_of_the_samples(self):
        made = self.synthetic()
        profile = self.profile(made.path)
        self.assertEqual(profile.meta["sampleUnits"]["threadCPUDelta"], "ns")
        for thread in profile.of_type("tracing-ms"):
            samples = thread["samples"]
            self.assertEqual([round(ms * NS) for ms in samples["weight"]],
                             samples["threadCPUDelta"])

    def test_a_recording_without_samples_has_one_track_of_calls(self):
        made = self.synthetic(samples=0)
        profile = self.profile(made.path)
        (thread,) = profile.threads
        self.assertEqual(profile.calls(), made.stacks("calls"))
        self.assertEqual(profile.meta["initialSelectedThreads"], [0])
        self.assertTrue(thread["isMainThread"])

    def test_threads_have_tracks_of_calls_on_request(self):
        made = self.synthetic()
        profile = self.profile(made.path, "--group=thread")
        found = {thread["name"]: profile.stacks(thread)
                 for thread in profile.of_type("samples")}
        for tid, called in exports.THREAD_NAMES.items():
            self.assertEqual(found[f"calls: {called} ({tid})"],
                             +sum((collections.Counter({one.path: one.calls})
                                   for one in made.contexts
                                   if one.tid == tid), collections.Counter()))
        # The stacks of samples have no frame of the group.
        self.assertEqual(
            sum((profile.stacks(thread, NS) for thread in
                 profile.of_type("tracing-ms")), collections.Counter()),
            made.stacks("ns"))

    def test_the_metric_selects_the_track(self):
        made = self.synthetic()
        for metric, selected in ("time", 0), ("calls", 2):
            profile = self.profile(made.path, f"--metric={metric}")
            self.assertEqual(profile.meta["initialSelectedThreads"],
                             [selected])

    def test_filtered_functions_have_no_frames(self):
        made = self.synthetic()
        kept = r"\+0x1[0-7]"
        wanted = collections.Counter()
        for path, calls in made.stacks("calls").items():
            if re.search(kept, path[-1]):
                wanted[tuple(f for f in path if re.search(kept, f))] += calls
        self.assertEqual(self.profile(made.path, "-f", kept).calls(), wanted)

    def test_transforms_apply_to_calls_and_samples(self):
        made = self.synthetic()
        focus = made.contexts[700].path[-1]
        profile = self.profile(made.path, f"--focus={re.escape(focus)}$")
        calls, times = ({path: number for path, number in
                         made.stacks(measure).items() if focus in path}
                        for measure in ("calls", "ns"))
        self.assertEqual(profile.calls(), calls)
        self.assertEqual(
            sum((profile.stacks(thread, NS) for thread in
                 profile.of_type("tracing-ms")), collections.Counter()),
            times)

    def test_a_selected_period_has_its_samples_and_no_counts(self):
        made = self.synthetic()
        whole = self.profile(made.path)
        some = self.profile(made.path, "--from=0.2s", "--to=0.5s")
        self.assertEqual(some.of_type("samples"), [])

        def samples(profile, start, end):
            found = []
            for thread in profile.of_type("tracing-ms"):
                rows = thread["samples"]
                found += [(round(time - start, 3), profile.path(stack))
                          for time, stack in zip(rows["time"], rows["stack"])
                          if start <= time <= end]
            return sorted(found)

        self.assertGreater(len(samples(whole, 200, 500)), 100)
        self.assertEqual(samples(some, 0, 300), samples(whole, 200, 500))

    def test_values_have_their_unit(self):
        self.record([target("values"), "exit"])
        profile = self.profile(self.recording_path, "--value=moved")
        (thread,) = profile.of_type("bytes")
        self.assertEqual(thread["name"], "moved")
        self.assertEqual(sum(thread["samples"]["weight"]), 142011)

    def test_exact_times_are_a_track_of_contexts(self):
        self.record([target("recursion")], ["--time=exact"])
        profile = self.profile(self.recording_path)
        self.assertEqual([thread["name"] for thread in profile.threads],
                         ["wall", "calls"])
        tree = self.clew_json("tree", "--json", self.recording_path)
        self.assertEqual(
            round(sum(profile.threads[0]["samples"]["weight"]) * NS),
            sum(one["self_ns"] for one in tree["contexts"]))

    def test_a_forked_child_is_a_process_of_its_own(self):
        self.record([target("marks"), "exit"], ["--trace"])
        profile = self.profile(self.recording_path)
        forked = [(thread, rows) for thread in profile.threads
                  for rows in [[data for called, _, _, data in
                                profile.markers(thread) if called == "fork"]]
                  if rows]
        ((thread, rows),) = forked
        self.assertTrue(thread["isMainThread"])
        (parent,) = {one["pid"] for one in profile.threads} - {
            thread["pid"], "0"}
        self.assertEqual(rows, [{"type": "process", "parent": int(parent)}])

    def test_an_executed_program_begins_with_an_exec_marker(self):
        self.record(["sh", "-c", "/bin/ls / >/dev/null; exit 0"],
                    ["--trace"])
        profile = self.profile(self.recording_path)
        ((thread, data),) = (
            (thread, data) for thread in profile.threads
            for called, _, _, data in profile.markers(thread)
            if called == "exec")
        self.assertEqual(thread["processName"], "ls")
        self.assertEqual(
            {part.pid for part in self.recording().parts},
            {data["parent"], int(thread["pid"].split(".")[0])})

    def test_a_deep_recursion_is_complete(self):
        self.record([target("deep"), "3000"])
        profile = self.profile(self.recording_path)
        self.assertGreater(max(map(len, profile.calls())), 3000)
        self.assertEqual(sum(profile.calls().values()), sum(
            sum(part.counts().values()) for part in self.recording().parts))

    @needs("g++", "readelf", "addr2line")
    def test_frames_have_lines_inlined_functions_and_libraries(self):
        program = self.work / "program"
        for flags in ["-pie"], ["-no-pie"]:
            self.recording_path = self.work / f"{flags[0]}.out"
            self.run_tool("g++", "-g", "-O2", *flags,
                          "-Wl,--build-id=0x00112233445566778899aabbccddeeff01",
                          INLINES, "-o", program)
            self.record([program])
            profile = self.profile(self.recording_path)
            (index,) = (i for i, one in enumerate(profile.libs)
                        if one["path"] == str(program))
            library = profile.libs[index]
            self.assertEqual(library["codeId"],
                             "00112233445566778899aabbccddeeff01")
            self.assertEqual(library["breakpadId"],
                             "33221100554477668899AABBCCDDEEFF0")
            base = min(int(vaddr, 16) for vaddr in re.findall(
                r"LOAD +0x\w+ (0x\w+)",
                self.run_tool("readelf", "-lW", program)))
            frames = profile.tables["frameTable"]
            inlined = 0
            for stack in range(profile.tables["stackTable"].length):
                chain = profile.frames(stack)
                if frames["lib"][chain[-1]] != index or \
                        frames["inlineDepth"][chain[-1]] == 0:
                    continue
                inlined += 1
                address = frames["address"][chain[-1]] + base
                said = self.run_tool("addr2line", "-i", "-e", program,
                                     hex(address)).splitlines()
                depth = frames["inlineDepth"][chain[-1]]
                lines = [int(re.search(r":(\d+)", line)[1]) for line in said]
                self.assertEqual(
                    [frames["line"][frame] for frame in
                     chain[:-depth - 2:-1]], lines[len(lines) - depth - 1:])
            self.assertGreater(inlined, 10)
            symbols = profile.tables["nativeSymbols"]
            mains = [symbols["address"][i] + base
                     for i in range(symbols.length)
                     if profile.strings[symbols["name"][i]] == "main" and
                     symbols["libIndex"][i] == index]
            said = self.run_tool("readelf", "-sW", program)
            self.assertEqual(mains, [int(re.search(
                r"(\w+) +\d+ FUNC .* main\n", said)[1], 16)])

    def test_marks_are_markers_of_their_thread(self):
        self.record([target("marks"), "exit"])
        profile = self.profile(self.recording_path)
        found = {thread["tid"]: profile.markers(thread)
                 for thread in profile.threads}
        report = self.clew_json("report", "--json", "--marks",
                                self.recording_path)
        sums = collections.Counter(
            (called, end is None) for rows in found.values()
            for called, _, end, data in rows if data["type"] == "mark")
        for mark in report["marks"]:
            self.assertEqual(sums[mark["name"], True], mark["moments"])
            self.assertEqual(sums[mark["name"], False],
                             mark["regions"] + mark["open"])
        requests = [(tid, data) for tid, rows in found.items()
                    for called, _, _, data in rows if called == "request"]
        self.assertEqual(len({tid for tid, _ in requests}), 4)
        self.assertEqual({data["function"] for _, data in requests},
                         {"serves"})


class Traces(Case):
    def profile(self, *options):
        done = self.clew("export", "-F", "firefox", *options,
                         self.recording_path)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return firefox.Profile(done.stdout)

    def self_times(self, run):
        """Returns [(begin, end, path)] of a run's time by innermost call."""
        last = max(call[0] for call in run.calls)
        calls = [(begin, end or last, depth, called)
                 for begin, end, depth, called in told(run)]
        times = sorted({begin for begin, *_ in calls} |
                       {end for _, end, *_ in calls})
        found = []
        for at, following in zip(times, times[1:]):
            stack = tuple(called for begin, end, depth, called in
                          sorted(calls, key=lambda call: call[2])
                          if begin <= at < end)
            found.append((at - FIRST, following - FIRST, stack))
        return found

    def test_samples_of_a_trace_are_the_self_times_of_each_thread(self):
        one, other = Run(31, 0, MAIN, 500), Run(32, 1, WORKER, 400)
        self.make(*one.script, *other.script)
        profile = self.profile()
        for run, tid in (one, MAIN), (other, WORKER):
            (thread,) = (one for one in profile.of_type("tracing-ms")
                         if one["tid"] == tid)
            samples = thread["samples"]
            self.assertEqual(
                [(round(time * NS), round((time + weight) * NS),
                  profile.path(stack) if stack is not None else ())
                 for time, weight, stack in zip(
                     samples["time"], samples["weight"], samples["stack"])],
                self.self_times(run))

    def test_calls_of_a_trace_are_exact(self):
        one, other = Run(33, 0, MAIN, 500), Run(34, 1, WORKER, 400)
        self.make(*one.script, *other.script)
        wanted = collections.Counter(
            called for run in (one, other) for _, _, _, called in told(run))
        found = collections.Counter()
        for path, calls in self.profile().calls().items():
            found[path[-1]] += calls
        self.assertEqual(found, wanted)

    def test_a_selected_period_has_its_calls(self):
        run = Run(35, 0, MAIN, 900)
        self.make(*run.script)
        begin, end = FIRST + 9000, FIRST + 20000
        profile = self.profile(f"--from={begin - FIRST}ns",
                               f"--to={end - FIRST}ns")
        self.assertEqual(
            sum(profile.calls().values()),
            sum(begin <= call[0] <= end for call in run.calls))
        (thread,) = profile.of_type("tracing-ms")
        times = [round(time * NS) for time in thread["samples"]["time"]]
        self.assertEqual(times[0], 0)
        self.assertLess(times[-1], end - begin)

    def test_transforms_leave_no_single_calls(self):
        run = Run(36, 0, MAIN, 300)
        self.make(*run.script)
        profile = self.profile(f"--collapse={re.escape(name(2))}$")
        self.assertNotIn(MAIN, [thread["tid"] for thread in profile.threads])
        self.assertIn(f"{name(2)} (with callees)",
                      {path[-1] for path in profile.calls()})

    def test_gaps_of_a_trace_are_markers(self):
        self.make("packet", "context 0 1001000", "call 1 1", "packet",
                  "skip 3", "context 1 1002000 1", "call 2 2")
        (found,) = (profile.markers(profile.threads[0])
                    for profile in [self.profile()])
        self.assertEqual([row[0] for row in found], ["packets are missing"])
        self.assertEqual(found[0][3]["type"], "gap")


class Golden(Case):
    """The whole file of a small trace, whose bytes are known."""

    FILE = clewtest.ROOT / "tests" / "data" / "firefox.json"

    def test_a_small_trace_gives_the_known_file(self):
        self.make("packet", "context 0 1001000", "call 1 1", "stamp 1001000",
                  "call 2 2", "stamp 1005000", "call 2 3", "stamp 1005500",
                  "call 1 3", "stamp 1006000")
        done = self.clew("export", "-F", "firefox", self.recording_path)
        firefox.Profile(done.stdout)
        text = re.sub(r'"importedFrom": "clew [^"]*"', '"importedFrom": "clew"',
                      done.stdout)
        self.assertEqual(text, self.FILE.read_text(encoding="utf-8"))


@needs("node")
class FrontEnd(exports.Export):
    """The Firefox Profiler's own code reads the file."""

    def setUp(self):
        super().setUp()
        if not TOOL.exists():
            self.skipTest("npm ci was not run in tests/firefox")
        self.environment["PROFILER_CLI_SESSION_DIR"] = str(self.work / "s")
        self.addCleanup(self.run_program, ["node", TOOL, "stop", "--all"])

    def load(self, path):
        """Loads a profile. The tool waits only 500 ms for its daemon to start,
        which a busy machine exceeds."""
        for _ in range(30):
            done = self.run_program(["node", TOOL, "load", path], text=True)
            said = done.stdout + done.stderr
            late = re.search(r"may still be running as pid (\d+)", said)
            if not late:
                break
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(late[1]), signal.SIGKILL)
        self.assertEqual(done.returncode, 0, said)

    def query(self, *words):
        return json.loads(self.run_tool("node", TOOL, *words, "--json"))

    def test_the_firefox_profiler_shows_the_same_functions(self):
        made = self.synthetic()
        path = self.export_file("firefox", made.path)
        self.load(path)
        tracks = self.query("thread", "list")["threads"]
        handles = {track["name"]: track["threadHandle"] for track in tracks}
        self.assertEqual(set(handles), {"calls", "main", "worker"})
        said = self.query("thread", "functions", "--thread", handles["calls"],
                          "--limit", "0", "--include-idle")
        own, total = made.own("calls"), made.inclusive("calls")
        self.assertEqual(
            {one["name"]: (one["selfSamples"], one["totalSamples"])
             for one in said["functions"]},
            {function: (own[function], total[function])
             for function in total if total[function]})
        for tid, thread in exports.THREAD_NAMES.items():
            said = self.query("thread", "functions", "--thread",
                              handles[thread], "--limit", "0",
                              "--include-idle")
            self.assertEqual(said["weightType"], "tracing-ms")
            own = collections.Counter()
            for one in made.contexts:
                if one.tid == tid:
                    own[one.path[-1]] += one.ns
            found = {one["name"]: round(one["selfSamples"] * NS)
                     for one in said["functions"] if one["selfSamples"]}
            self.assertEqual(found, +own)


if __name__ == "__main__":
    clewtest.main()
