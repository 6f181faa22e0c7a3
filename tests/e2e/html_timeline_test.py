#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares the timeline in the page of `clew html` with other sources."""
import collections
import itertools
import json
import subprocess

from lib import clewtest
from lib.clewtest import target
from lib.html_page import FORKS_AND_THREADS, Numbers, Page, Paged
from lib.trace_runs import FIRST, MAIN, WORKER, Case, Run, calls_of, name, told


class Timed(Paged):
    def recorded(self, argv, *options):
        done = self.record(argv, options)
        self.assertEqual(done.returncode, 0, done.stderr)


class Made(Timed, Case):
    """Traces with given calls and times."""

    def make_runs(self, *runs):
        self.make(*(line for run in runs for line in run.script))

    def slices(self, page, tid):
        (lane,) = [lane for lane in page.timeline() if lane.tid == tid]
        return [[each.begin + FIRST, each.end + FIRST, each.depth,
                 each.function] for each in lane.slices]

    def test_each_call_of_a_trace_is_a_slice(self):
        for seed in range(5):
            with self.subTest(seed=seed):
                self.recording_path = self.work / f"{seed}.out"
                one = Run(seed, 0, MAIN, 777)
                other = Run(seed + 100, 1, WORKER, 500)
                self.make_runs(one, other)
                page = self.page()
                for run, tid in (one, MAIN), (other, WORKER):
                    self.assertEqual(
                        self.slices(page, tid),
                        [[begin, run.now if end is None else end, *rest]
                         for begin, end, *rest in told(run)])
                self.assertEqual(page.meta["timeline"]["calls"], 1277)
                self.assertEqual(page.meta["timeline"]["shortest_ns"], 0)

    def test_slices_have_the_uncertainty_of_trace_lines(self):
        """The uncertainty of times equals that of `clew trace`."""
        self.make_runs(Run(11, 0, MAIN, 600))
        (lane,) = self.page().timeline()
        wanted = collections.Counter()
        for line in self.lines():
            if "least_ns" in line:
                wanted[line["name"], line["ending"], line["least_ns"],
                       line.get("most_ns", line["least_ns"])] += 1
        self.assertEqual(collections.Counter(
            (each.function, each.ending, each.least, each.end - each.begin)
            for each in lane.slices), wanted)

    def test_longest_slices_are_kept(self):
        run, other = Run(3, 0, MAIN, 3000), Run(4, 1, WORKER, 2000)
        self.make_runs(run, other)
        whole = {tid: self.slices(self.page(), tid) for tid in (MAIN, WORKER)}
        for most in 1, 7, 100, 1000, 4999, 5000:
            with self.subTest(most=most):
                page = self.page(f"--slices={most}")
                meta = page.meta["timeline"]
                self.assertEqual(meta["calls"], 5000)
                self.assertEqual(meta["shortest_ns"] == 0, most == 5000)
                found = {lane.tid: self.slices(page, lane.tid)
                         for lane in page.timeline() if lane.slices}
                for tid, calls in whole.items():
                    self.assertEqual(
                        found.get(tid, []),
                        [call for call in calls
                         if call[1] - call[0] >= meta["shortest_ns"]])
                count = sum(map(len, found.values()))
                self.assertLessEqual(count, most)
                self.assertGreater(count, most * 0.9 - 1)

    def test_durations_of_all_calls_are_those_of_latencies(self):
        """The durations include those of calls that the page omits."""
        self.make_runs(Run(3, 0, MAIN, 3000), Run(4, 1, WORKER, 2000))
        self.assertNotIn("t.all", {name for name, data in
                                   self.page().sections.items() if data})
        page = self.page("--slices=10")
        found = {page.names[row[0]]: row[1:5] for row in Numbers(
            page.sections["t.all"]).rows(6 + 65)}
        lines = self.clew("trace", "--latencies", "--json", "--top=1000",
                          self.recording_path).stdout.splitlines()
        wanted = {}
        for each in map(json.loads, lines):
            if "most" in each:
                most = each["most"]
                shares = {one["share"]: one["ns"] for one in most["quantiles"]}
                wanted[each["name"]] = (
                    each["calls"], shares[0.5], shares[0.99], most["max_ns"])
        self.assertEqual(found, wanted)

    def test_windows_have_the_calls_that_overlap_them(self):
        run = Run(7, 0, MAIN, 900)
        self.make_runs(run)
        last = run.calls[-1][0]
        for begin, end in ((FIRST + 2000, FIRST + 9000),
                           (last - 500, last + 500), (FIRST, last)):
            options = f"--from={begin - FIRST}ns", f"--to={end - FIRST}ns"
            with self.subTest(options):
                page = self.page(*options)
                (lane,) = page.timeline()
                known = calls_of(self.lines(*options), MAIN)
                self.assertEqual([[each.depth, each.function]
                                  for each in lane.slices],
                                 [call[2:] for call in known])
                self.assertEqual(
                    [each.begin + FIRST for each in lane.slices
                     if not each.began_before],
                    [call[0] for call in told(run) if begin <= call[0] <= end])
                self.assertTrue(all(
                    begin <= each.begin + FIRST <= each.end + FIRST <= end
                    for each in lane.slices))
                (some,) = self.page(*options, "--slices=20").timeline()
                meta = self.page(*options, "--slices=20").meta["timeline"]
                self.assertEqual(some.slices, [
                    each for each in lane.slices
                    if each.end - each.begin >= meta["shortest_ns"]])
                self.assertEqual(page.meta["timeline"]["window"],
                                 [begin - FIRST, end - FIRST])

    def test_slices_of_a_selected_thread_are_shown_alone(self):
        self.make_runs(Run(1, 0, MAIN, 50), Run(2, 1, WORKER, 60))
        self.assertEqual([(lane.tid, len(lane.slices)) for lane in
                          self.page("--thread=worker").timeline()],
                         [(WORKER, 60)])

    def test_timeline_has_the_gaps_of_the_trace(self):
        self.make(
            "packet", "context 0 1001000", "call 1 1", "packet", "skip 3",
            "context 1 1002000 1", "call 2 2", "stamp 1002500",
            "context 2 1003000 7", "call 2 2", "stamp 1003000")
        (lane,) = self.page().timeline()
        self.assertEqual([(note.kind, note.begin, note.name)
                          for note in lane.notes],
                         [("gap", 2000, "packets are missing"),
                          ("gap", 3000, "the stack has moved")])
        self.assertEqual(
            [(each.begin, each.depth, each.function, each.began_before,
              each.ending) for each in lane.slices],
            [(1000, 0, name(1), False, "cut"), (2000, 0, name(1), True, "left"),
             (2000, 1, name(2), False, "left"),
             (3000, 0, name(7), True, "open"),
             (3000, 1, name(2), False, "open")])

    def test_invalid_options_of_the_timeline_are_refused(self):
        self.make_runs(Run(1, 0, MAIN, 50))
        for options, *words in (
                (["--slices=0", "--from=1"], "--slices=0"),
                (["--slices=many"], "--slices"),
                (["--slices=100000001"], "--slices"),
                (["--value=x", "--slices=5"], "--value"),
                (["--value=x", "--from=5"], "--value"),
                (["--from=2", "--to=1"], "--from"),
                (["--around=2", "--to=1"], "--around")):
            with self.subTest(options):
                done = self.clew("html", *options, self.recording_path)
                self.assertEqual(done.returncode, 64)
                self.assertIn(words[0], done.stderr)

    def test_period_without_data_is_refused(self):
        self.make_runs(Run(1, 0, MAIN, 50))
        target = self.work / "kept.html"
        target.write_text("earlier page", encoding="utf-8")
        for period in "--from=100", "--to=0", "--around=100":
            for output in target, "-":
                with self.subTest(period=period, output=output):
                    done = self.clew("html", period, "-o", output,
                                     self.recording_path)
                    self.assertEqual((done.returncode, done.stdout), (1, ""))
                    self.assertRegex(
                        done.stderr, "^clew html: --from, --to, --around: "
                        "nothing with a time was recorded in this period; the "
                        "recording lasts .*s\n$")
                    self.assertEqual(target.read_text(encoding="utf-8"),
                                     "earlier page")
        self.assertEqual(list(self.work.glob("*.html*")), [target])

    def test_page_without_a_timeline_is_written_on_request(self):
        self.make_runs(Run(1, 0, MAIN, 50))
        page = self.page("--slices=0")
        self.assertNotIn("timeline", page.meta)
        self.assertNotIn("t.nest", page.sections)


SPINS = """
#include <pthread.h>
#include <time.h>
#include <unistd.h>
__attribute__((noipa)) static int step(int n) { return n + 1; }
static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
__attribute__((noipa)) static void *spin(void *unused)
{
    while (cpu_s() < 0.5)
        for (int i = 0; i < 1000; i = step(i));
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, spin, 0);
    for (int i = 0; i < 5; i++)
        usleep(20000);
    spin(0);
    return pthread_join(thread, 0);
}
"""


class Recorded(Timed, clewtest.Case):
    """Compares the contexts of slices and samples with the page's own
    counts."""

    def spins(self):
        """Builds a program that runs for 0.5 s in each of two threads."""
        made = self.work / "spins"
        made.with_suffix(".c").write_text(SPINS)
        subprocess.run(["gcc", "-O2", "-g", "-pthread", "-o", made,
                        made.with_suffix(".c")], check=True)
        return [made]

    def assert_slices_are_the_calls(self, page):
        found = [0] * len(page.calls)
        for lane in page.timeline():
            for each in lane.slices:
                found[each.context] += not each.began_before
        self.assertEqual(page.meta["timeline"]["odd"], 0)
        self.assertEqual(found, page.calls)

    def test_timeline_has_the_calls_of_each_context(self):
        for name, *arguments in (["recursion"], ["tail"], ["callbacks"],
                                 ["jumps"], ["deep", "5000"]):
            for stamps in "64", "all":
                with self.subTest(name=name, stamps=stamps):
                    self.recorded([target(name), *arguments], "--trace",
                                  f"--stamps={stamps}")
                    self.assert_slices_are_the_calls(
                        self.page("--slices=100000000"))

    def test_timeline_has_samples_of_each_thread_and_process(self):
        self.recorded([clewtest.PYTHON, "-c", FORKS_AND_THREADS], "--trace")
        page = self.page("--slices=100000000")
        sums = collections.defaultdict(collections.Counter)
        for lane in page.timeline():
            for group, each in itertools.product(lane.groups, lane.slices):
                if not each.began_before:
                    sums[group][each.context] += 1
        groups = page.groups(has_time=False)
        self.assertGreater(len(groups), 5)
        for i, (who, _, calls) in enumerate(groups):
            with self.subTest(who):
                self.assertEqual(sums[i], {at: n for at, n in calls.items()
                                           if n})

    def test_timeline_has_the_samples_of_each_context(self):
        for clock in "cpu", "wall":
            for options in [], ["--no-inlines"]:
                with self.subTest(clock=clock, options=options):
                    self.recorded(self.spins(), f"--time={clock}")
                    page = self.page(*options)
                    time, samples = page.rare("time"), page.rare("samples")
                    self.assertGreater(sum(samples), 0)
                    found = [[0, 0] for _ in time]
                    for lane in page.timeline():
                        for each in lane.samples:
                            found[each.context][0] += each.weight
                            found[each.context][1] += each.looks
                    self.assertEqual(found, [list(pair) for pair in
                                             zip(time, samples)])

    def test_first_samples_are_kept_in_the_timeline(self):
        self.recorded(self.spins(), "--time=cpu")
        every = [each for lane in self.page().timeline()
                 for each in lane.samples]
        times = sorted(each.time for each in every)
        most = len(times) // 2
        self.assertGreater(most, 0)
        page = self.page(f"--slices={most}")
        kept = sorted(each.time for lane in page.timeline()
                      for each in lane.samples)
        # All samples of a moment are kept, or none.
        self.assertEqual(kept, [time for time in times[:most]
                                if time < times[most]])
        self.assertEqual(page.meta["timeline"]["samples"], len(every))
        self.assertEqual(page.meta["timeline"]["sampled_to_ns"],
                         kept[-1])

    def test_samples_belong_to_inlined_functions(self):
        source = self.work / "inlined.c"
        source.write_text("""
            #define INLINE static inline __attribute__((always_inline))
            volatile unsigned long sink;
            INLINE void inner(void) {
                for (long i = 0; i < 200000; i++) sink += i;
            }
            __attribute__((noipa)) static void work(void) { inner(); }
            int main(void) { for (int i = 0; i < 800; i++) work(); }
            """)
        subprocess.run(["gcc", "-O2", "-g", "-o", self.work / "inlined",
                        source], check=True)
        self.recorded([self.work / "inlined"], "--time=cpu")
        for options, wanted in ([], "inner"), (["--no-inlines"], "work"):
            page = self.page(*options)
            leaves = collections.Counter(
                page.names[page.function[each.context]]
                for lane in page.timeline() for each in lane.samples)
            self.assertEqual(leaves.most_common(1)[0][0], wanted)

    def test_marks_are_on_the_lanes_of_their_threads(self):
        self.recorded([target("marks")], "--time=none")
        events = self.clew_json("report", "--events", "--json",
                                self.recording_path)["events"]
        notes = [note for lane in self.page().timeline()
                 for note in lane.notes]
        self.assertEqual(
            collections.Counter((note.kind, note.name) for note in notes),
            collections.Counter(
                ({"begin": "region"}.get(each["kind"], each["kind"]),
                 each["name"]) for each in events
                if each["kind"] in ("begin", "moment")))

    def test_page_of_a_comparison_has_no_timeline(self):
        self.recorded([target("recursion")], "--trace")
        done = self.clew("diff", "--html", self.work / "diff.html",
                         self.recording_path, self.recording_path)
        self.assertEqual(done.returncode, 0, done.stderr)
        page = Page((self.work / "diff.html").read_text(encoding="utf-8"))
        self.assertNotIn("timeline", page.meta)


if __name__ == "__main__":
    clewtest.main()
