#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""--time=exact agrees with what functions measured themselves."""
import collections
import os
import resource
import signal
import subprocess

from lib import clewtest, wire
from lib.clewtest import target
from lib.disturbance import Agreement, Disturbed, undisturbed

SHARE = 0.01
EXACT = ["--time=exact"]

Truth = collections.namedtuple("Truth", "pid calls ticks path")


def truths(said):
    lines = [line.split() for line in said.splitlines()]
    return [Truth(int(pid), int(calls), int(ticks),
                  tuple(int(vaddr, 0) for vaddr in path))
            for pid, calls, ticks, *path in lines]


class TooFine(clewtest.Case):
    def test_short_calls_are_marked_and_their_sum_is_bounded(self):
        source, program = self.work / "fine.c", self.work / "fine"
        source.write_text(
            "#include <stdio.h>\n#include <time.h>\nvolatile long sink;\n"
            "__attribute__((noinline)) void tiny(void) { sink++; }\n"
            "__attribute__((noinline)) void large(void) "
            "{ for (int i = 0; i < 100000; i++) sink++; }\n"
            "int main(void) { for (int i = 0; i < 300000; i++) tiny(); "
            "for (int i = 0; i < 100; i++) large(); return 0; }\n",
            encoding="utf-8")
        self.assertEqual(
            self.run_program(["cc", "-O1", source, "-o", program]).returncode,
            0)
        self.record([program], EXACT)
        rows = {row["name"]: row for row in self.clew_json(
            "report", "--json", self.recording_path)["functions"]}
        self.assertTrue(rows["tiny"]["too_fine"])
        self.assertFalse(rows["large"]["too_fine"])
        self.assertLess(rows["tiny"]["self_ns"],
                        rows["tiny"]["timed"]["raw_self_ns"])
        text = self.clew("report", self.recording_path).stdout
        self.assertRegex(text, r"\?  *[\d.]+% .* tiny +\[fine\]\n")
        self.assertRegex(text, r"\n\?: too short to be measured well: ")


class Presence(clewtest.Case):
    """The time for which threads existed, and their CPU time."""

    def check_threads(self, status, *arguments):
        """Each thread's times equal those that the program prints, in ns."""
        done = self.record([target("presence"), *arguments], EXACT, text=True)
        self.assertEqual(done.returncode, status, done.stderr)
        part, = self.recording().parts
        tallies = {tid: part.tallies[tally]
                   for tid, tally, _ in part.threads}
        wanted = [tuple(map(int, line.split()))
                  for line in done.stdout.splitlines()]
        self.assertEqual(len(wanted), 4)
        for tid, present_ns, cpu_ns in wanted:
            tally = tallies[tid]
            for found, truth in ((tally.present_ns, present_ns),
                                 (tally.cpu_ns, cpu_ns)):
                # Recorded time begins before main and ends after it.
                self.assertGreater(found, truth - 10_000_000)
                if found > truth + 30_000_000 + truth // 50:
                    raise Disturbed(f"thread {tid}: {found}, not {truth}")
        return (sum(present_ns for _, present_ns, _ in wanted),
                sum(cpu_ns for _, _, cpu_ns in wanted))

    @undisturbed
    def test_report_has_the_off_cpu_time_of_each_thread(self):
        present_ns, cpu_ns = self.check_threads(0)
        report = self.clew_json("report", "--json", self.recording_path)
        found = report["presence"]
        self.assertEqual(found["off_cpu_ns"],
                         found["present_ns"] - found["cpu_ns"])
        share = found["off_cpu_ns"] / found["present_ns"]
        wanted = 1 - cpu_ns / present_ns
        if abs(share - wanted) > 0.04:
            raise Disturbed(f"{share} off the CPU, not {wanted}")
        text = self.details(self.recording_path)
        self.assertIn(f"{100 * share:.1f} % of the ", text)

    @undisturbed
    def test_killed_process_has_recorded_its_presence(self):
        self.check_threads(-signal.SIGKILL, "killed")

    def test_reports_of_cpu_time_have_no_off_cpu_time(self):
        self.record([target("presence")])
        report = self.clew_json("report", "--json", self.recording_path)
        self.assertNotIn("presence", report)


class Tree:
    """The contexts of a part by their paths through the program itself."""

    def __init__(self, part):
        self.part = part
        self.contexts, self.times = part.contexts(), part.times()
        self.counts = part.counts()
        self.children = collections.defaultdict(list)
        for name, context in self.contexts.items():
            self.children[context.parent].append(name)

    def path(self, name):
        """Returns the path of a context; empty for functions of other modules."""
        path = []
        if not self.is_own(name):
            return ()
        while name:
            context = self.contexts[name]
            if self.is_own(name):
                path.append(self.part.functions[context.function].vaddr)
            name = context.parent
        return tuple(path[::-1])

    def is_own(self, name):
        function = self.part.functions.get(self.contexts[name].function)
        return function and function.module.name == "timed"

    def find(self, path):
        """Returns the one context whose path ends like this; callers of main() vary."""
        found = [name for name in self.contexts
                 if self.path(name)[-len(path):] == path
                 and len(self.path(name)) <= len(path) + 2]
        if len(found) != 1:
            raise AssertionError(f"{path}: {len(found)} contexts")
        return found[0]

    def ended(self, name):
        return self.times[name].ended if name in self.times else 0

    def self_ticks(self, name):
        below = sum(self.ended(child) for child in self.children[name])
        return (self.times[name].self
                - self.ended(name) * self.part.cost_self
                - below * self.part.cost_caller)

    def total_ticks(self, name):
        both = self.part.cost_self + self.part.cost_caller
        return (self.times[name].total
                - self.ended(name) * self.part.cost_self
                - self.calls_below(name) * both)

    def calls_below(self, name):
        return sum(self.ended(child) + self.calls_below(child)
                   for child in self.children[name])


class Exact(clewtest.Case):
    def setUp(self):
        super().setUp()
        self.agreement = Agreement(SHARE)

    def run_mode(self, mode, images=1):
        done = self.record([target("timed"), mode], EXACT, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        recording = self.recording()
        self.assertEqual(len(recording.parts), images)
        for part in recording.parts:
            self.assertEqual(part.time, wire.TIME_EXACT)
            self.assertEqual(part.untimed, 0)
            self.assertGreater(part.cost_self, 0)
        return recording, truths(done.stdout)

    def check(self, mode, inclusive=True):
        """Checks every context: equal calls, and times within the tolerance."""
        recording, wanted = self.run_mode(mode)
        tree = Tree(recording.parts[0])
        below = collections.Counter()
        for truth in wanted:
            for n in range(1, len(truth.path) + 1):
                below[truth.path[:n]] += truth.ticks
        for truth in merge(wanted):
            name = tree.find(truth.path)
            times = tree.times[name]
            self.assertEqual(tree.counts[name], truth.calls)
            self.assertEqual(times.ended, truth.calls)
            self.agreement.compare(("self", truth.path),
                                   tree.self_ticks(name), truth.ticks)
            self.assertLessEqual(times.min * times.ended, times.total)
            self.assertGreaterEqual(times.max * times.ended, times.total)
            if inclusive:
                self.agreement.compare(("total", truth.path),
                                       tree.total_ticks(name),
                                       below[truth.path])
        self.check_histograms(tree)
        self.agreement.conclude()

    def check_histograms(self, tree):
        """Checks that every call is in a bin between those of the shortest and the
        longest call.
        """
        wanted = {}
        for name, times in tree.times.items():
            if times.ended:
                function = tree.contexts[name].function
                ended, least, most = wanted.get(function, (0, times.min, 0))
                wanted[function] = (ended + times.ended,
                                    min(least, times.min),
                                    max(most, times.max))
        found = {}
        for function, bins in tree.part.histograms.items():
            used = [i for i, calls in enumerate(bins) if calls]
            if used:
                found[function] = (sum(bins), used[0], used[-1])
        self.assertEqual(found, {
            function: (ended, (least | 1).bit_length() - 1,
                       (most | 1).bit_length() - 1)
            for function, (ended, least, most) in wanted.items()})

    @undisturbed
    def test_calls_and_recursion_have_exact_times(self):
        self.check("calls")

    @undisturbed
    def test_tail_calls_have_exact_times(self):
        self.check("tails")

    @undisturbed
    def test_longjmp_has_exact_times(self):
        self.check("jumps")

    @undisturbed
    def test_threads_have_exact_times(self):
        self.check("threads")

    @undisturbed
    def test_exceptions_have_exact_times(self):
        """The unwinder's time belongs to the function that called it."""
        self.check("throws", inclusive=False)

    @undisturbed
    def test_coroutines_have_exact_times(self):
        """Calls during a coroutine's suspension are in its inclusive time, not in its own."""
        self.check("coroutines", inclusive=False)

    @undisturbed
    def test_forked_children_have_their_own_exact_times(self):
        recording, wanted = self.run_mode("forks", images=2)
        for truth in wanted:
            tree = Tree(recording.part(truth.pid))
            name = tree.find(truth.path)
            self.assertEqual(tree.counts[name], truth.calls)
            origin = tree.part.origin
            if origin != wire.FROM_FORK and len(truth.path) == 1:
                continue  # The time of fork() itself belongs to the parent.
            self.agreement.compare((origin, truth.path),
                                   tree.self_ticks(name), truth.ticks)
        self.agreement.conclude()

    def test_raw_times_are_longer(self):
        """The times agree because of the compensation, not by chance."""
        recording, wanted = self.run_mode("calls")
        tree = Tree(recording.parts[0])
        leaf = tree.find(max((t.path for t in wanted), key=len))
        raw = tree.times[leaf]
        self.assertGreaterEqual(raw.total - tree.total_ticks(leaf),
                                raw.ended * 10)

    @undisturbed
    def test_report_compensates_like_the_model(self):
        """The report's compensation, a second implementation, yields the same times."""
        _, wanted = self.run_mode("calls")
        ticks = collections.Counter()
        for truth in wanted:
            ticks[truth.path[-1]] += truth.ticks
        report = self.clew_json("report", "--json", self.recording_path)
        found = {int(f["vaddr"], 0): f["self_ns"]
                 for f in report["functions"] if f["module"].endswith("/timed")}
        part = self.recording().parts[0]
        rate = ((part.latest.tsc - part.first.tsc)
                / (part.latest.ns - part.first.ns))
        for vaddr, wanted_ticks in ticks.items():
            self.agreement.compare(vaddr, found[vaddr] * rate, wanted_ticks)
        self.agreement.conclude()

    def test_extremes_and_histograms_are_of_the_same_calls(self):
        """The report's values equal the sum of the recording's records."""
        self.run_mode("calls")
        part = self.recording().parts[0]
        times = collections.defaultdict(list)
        for name, time in part.times().items():
            times[part.contexts()[name].function].append(time)
        report = self.clew_json("report", "--json", self.recording_path)
        rows = {int(f["vaddr"], 0): f for f in report["functions"]
                if f["module"].endswith("/timed")}
        rate = ((part.latest.ns - part.first.ns)
                / (part.latest.tsc - part.first.tsc))
        checked = 0
        for number, function in part.functions.items():
            ended = [time for time in times[number] if time.ended]
            if function.module.name != "timed" or not ended:
                continue
            timed = rows[function.vaddr]["timed"]
            self.assertEqual(timed["calls"], sum(t.ended for t in ended))
            for key, ticks in (("min_ns", min(t.min for t in ended)),
                               ("max_ns", max(t.max for t in ended))):
                self.assertAlmostEqual(timed[key], ticks * rate, delta=2)
            name = rows[function.vaddr]["name"]
            wings = self.clew_json("report", "--json", f"--butterfly={name}",
                                   self.recording_path)
            self.assertEqual(wings["timed"], timed)
            self.assertEqual(sum(b["calls"] for b in wings["histogram"]),
                             timed["calls"])
            self.assertLessEqual(wings["histogram"][0]["from_ns"],
                                 timed["min_ns"])
            self.assertLessEqual(wings["histogram"][-1]["from_ns"],
                                 timed["max_ns"])
            checked += 1
        self.assertGreater(checked, 3)
        text = self.details(self.recording_path)
        self.assertRegex(text, r"per call +min +max +function")
        self.assertRegex(text, r"\ntimed: [\d,]+ calls")

    def test_killed_process_keeps_its_times(self):
        """Completed calls are timed; calls that had not returned are counted."""
        process = subprocess.Popen(
            [str(a) for a in self.record_command([target("acknowledge")],
                                                 EXACT)],
            stdout=subprocess.PIPE, env=self.environment, cwd=self.work,
            start_new_session=True)
        with process.stdout:
            process.stdout.read(64000)
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(clewtest.TIMEOUT_S)
        part = self.recording().parts[0]
        times, counts = part.times(), part.counts()
        self.assertGreater(max(t.ended for t in times.values()), 3000)
        for name, calls in counts.items():
            ended = times[name].ended if name in times else 0
            self.assertIn(calls - ended, range(3))
        self.assertTrue(part.latest.ns > part.first.ns)

    def test_tables_that_grow_take_times_along(self):
        argv = [target("contexts"), "10", "4", "20"]
        self.assertEqual(self.record(argv, EXACT).returncode, 0)
        part = self.recording().parts[0]
        times, counts = part.times(), part.counts()
        self.assertGreater(len(times), 11000)
        open_calls = {n: c - times[n].ended if n in times else c
                      for n, c in counts.items()}
        # The program ends by _exit(), so main() and its callers have not returned.
        self.assertLess(sum(open_calls.values()), 10)
        self.assertGreaterEqual(min(open_calls.values()), 0)
        self.check_histograms(Tree(part))

    def test_missing_address_space_is_reported(self):
        """Without address space for the tables, all calls take a slow path."""
        self.before_exec = lambda: resource.setrlimit(
            resource.RLIMIT_AS, (2 << 30, 2 << 30))
        argv = [target("contexts"), "10", "2", "20"]
        self.assertEqual(self.record(argv, EXACT).returncode, 0)
        part = self.recording().parts[0]
        times, counts = part.times(), part.counts()
        self.assertEqual((part.cost_self, part.cost_caller), (0, 0))
        self.assertLess(sum(counts.values())
                        - sum(t.ended for t in times.values()), 10)

    def test_program_that_forbids_time_stamps_has_exact_times(self):
        """prctl(PR_SET_TSC) reports success while clew still reads the time stamp counter."""
        script = ("import ctypes\n"
                  "libc = ctypes.CDLL(None)\n"
                  "now = ctypes.c_int()\n"
                  "print(libc.prctl(26, 2, 0, 0, 0))\n"
                  "print(libc.prctl(25, ctypes.byref(now), 0, 0, 0),"
                  " now.value)\n"
                  "print(sum(i * i for i in range(9999)), flush=True)\n"
                  "libc._exit(3)\n")
        native = self.run_program([clewtest.PYTHON, "-c", script], text=True)
        self.assertEqual(native.stdout.splitlines()[:2], ["0", "0 2"])
        self.assertEqual(native.returncode, 3)
        for options in (EXACT, ["--time=cpu"], ["--time=wall"], ["--trace"],
                        ["--time=none", "--probe=PyNumber_Multiply",
                         "--action=record arg1"]):
            with self.subTest(options=options):
                self.assert_same_behaviour(native, self.record(
                    [clewtest.PYTHON, "-c", script], options, text=True))


def merge(truths_of_threads):
    """Returns one truth for each path."""
    sums = {}
    for truth in truths_of_threads:
        old = sums.get(truth.path, Truth(0, 0, 0, ()))
        sums[truth.path] = Truth(truth.pid, old.calls + truth.calls,
                                 old.ticks + truth.ticks, truth.path)
    return sums.values()


if __name__ == "__main__":
    clewtest.main()
