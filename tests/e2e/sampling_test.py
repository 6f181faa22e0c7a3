#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Samples show where the time goes, and programs do not notice that they are taken."""
import collections
import ctypes
import resource
import subprocess
import time

from lib import clewtest, wire
from lib.clewtest import needs, target
from lib.disturbance import Disturbed, Restless, undisturbed

UNSAMPLED = 0x7ff - 3  # WIRE_WAIT_UNSAMPLED
LOADS = target("loads")
MONOTONIC_COARSE = 6  # The number of a clock for which Python has no name.
AT_HWCAP2, HWCAP2_FSGSBASE = 26, 2  # asm/auxvec.h, asm/hwcap2.h
POINTS = 2.0  # tolerance for shares, in percentage points
LOOKS_MIN = 400  # fewer independent looks estimate shares worse than POINTS

# Nearly all time is in value(), which waits for memory. A stub executes both of its
# instructions, because the jump to the stub needs their five bytes.
CHASE = """
#include <stdlib.h>
enum { NODES = 1 << 19 };
struct node { struct node *next; long value; char rest[112]; };
__attribute__((noinline)) long value(const struct node *node)
{
	return node->value;
}
int main(void)
{
	struct node *nodes = calloc(NODES, sizeof(*nodes)), *node = nodes;
	unsigned int at = 0;
	long sum = 0;

	for (unsigned int i = 0; i < NODES; i++) {
		unsigned int next = (at * 5 + 12345) % NODES;

		nodes[at].next = &nodes[next];
		at = next;
	}
	for (int i = 0; i < 4 * NODES; i++) {
		sum += value(node);
		node = node->next;
	}
	return sum != 0;
}
"""


def names_of(program):
    """Returns {vaddr: name} of the functions that a program exports."""
    done = subprocess.run(["nm", "-D", "--defined-only", program], check=True,
                          stdout=subprocess.PIPE, text=True)
    lines = (line.split() for line in done.stdout.splitlines())
    return {int(vaddr, 16): name for vaddr, _, name in lines}


class Case(clewtest.Case):
    def assertAlmostEqual(self, *arguments, **options):
        """All such comparisons here are of times, which other processes can disturb."""
        try:
            super().assertAlmostEqual(*arguments, **options)
        except AssertionError as why:
            raise Disturbed(str(why)) from why

    def record_loads(self, *arguments, options=(), wall=False):
        """Records `loads`. Returns {(pid, tid, function, caller): ns}, as the program prints.

        The times are by the wall clock if `wall` is set, else by the CPU clock.
        self.cpu_truth always has CPU times.
        """
        done = self.record([LOADS, *arguments], options, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        truths = collections.Counter(), collections.Counter()
        for line in done.stdout.splitlines():
            pid, tid, function, caller, *times = line.split()
            key = int(pid), int(tid), function, caller
            for truth, ns in zip(truths, times):
                truth[key] += int(ns)
        self.cpu_truth = truths[0]
        return truths[wall]

    def samples(self, recording, without=0):
        """Returns {(pid, tid, function, caller): ns} of samples that have none of these flags."""
        names, found = names_of(LOADS), collections.Counter()
        for part in recording.parts:
            contexts = part.contexts()
            tids = {tally: tid for tid, tally, _ in part.threads}

            def name(context):
                context = contexts.get(context)
                if not context:
                    return "-"
                function = part.functions[context.function]
                return names.get(function.vaddr, "?")

            for sample in part.samples:
                if sample.flags & without:
                    continue
                context = contexts.get(sample.id)
                found[part.pid, tids[sample.tally], name(sample.id),
                      name(context.parent) if context else "-"] \
                    += sample.weight_ns
        return found

    def assert_shares(self, truth, found):
        """Each context has its share of all CPU time."""
        total = sum(truth.values())
        for key, ns in truth.items():
            self.assertAlmostEqual(100 * found[key] / total,
                                   100 * ns / total, delta=POINTS, msg=key)

    def assert_no_sample_lost(self, recording):
        for part in recording.parts:
            self.assertEqual(part.sample_losses, [0] * 5)


class Loads(Case):
    """Samples agree with the time that a program measures itself."""

    @undisturbed
    def test_contexts_have_their_time(self):
        truth = self.record_loads("2000")
        recording = self.recording()
        found = self.samples(recording)
        self.assert_shares(truth, found)
        self.assertAlmostEqual(sum(found.values()) / sum(truth.values()), 1,
                               delta=0.05)
        self.assert_no_sample_lost(recording)
        part, = recording.parts
        self.assertEqual((part.time, part.rate_hz, part.period_ns),
                         (wire.TIME_CPU, 997, 10**9 // 997))

    @undisturbed
    def test_threads_that_spin_and_sleep_have_their_cpu_time(self):
        truth = self.record_loads("1500", "threads")
        recording = self.recording()
        found = self.samples(recording)
        self.assert_shares(truth, found)
        self.assert_no_sample_lost(recording)
        asleep = sum(ns for (*_, function, _), ns in found.items()
                     if function == "sleeper")
        self.assertLess(asleep, sum(truth.values()) * POINTS / 100)

    @undisturbed
    def test_forked_processes_have_their_cpu_time(self):
        truth = self.record_loads("1000", "fork")
        recording = self.recording()
        self.assertEqual(len(recording.parts), 2)
        self.assert_shares(truth, self.samples(recording))
        self.assert_no_sample_lost(recording)

    @undisturbed
    def test_executed_programs_have_their_cpu_time(self):
        truth = self.record_loads("1000", "exec")
        recording = self.recording()
        self.assertEqual(len(recording.parts), 2)
        self.assert_shares(truth, self.samples(recording))
        self.assert_no_sample_lost(recording)

    @undisturbed
    def test_threads_without_hooked_calls_have_their_cpu_time(self):
        truth = self.record_loads("1000", "threads",
                                  options=["-M", "*"])
        part, = self.recording().parts
        self.assertEqual({sample.id for sample in part.samples}, {0})
        tids = {tally: tid for tid, tally, _ in part.threads}
        found = collections.Counter()
        for sample in part.samples:
            found[tids[sample.tally]] += sample.weight_ns
        spinner, = (key for key in truth if key[3] == "spinner")
        self.assertAlmostEqual(found[spinner[1]] / truth[spinner], 1,
                               delta=0.05)

    @undisturbed
    def test_a_low_rate_counts_the_same_time(self):
        truth = self.record_loads("2000", options=["--rate", "50"])
        part, = self.recording().parts
        self.assertEqual((part.rate_hz, part.period_ns), (50, 20_000_000))
        if not 80 <= len(part.samples) <= 105:
            raise Disturbed(f"{len(part.samples)} samples")
        total = sum(sample.weight_ns for sample in part.samples)
        self.assertAlmostEqual(total / sum(truth.values()), 1, delta=0.05)


class Wall(Case):
    """With the wall clock, a waiting thread is sampled in the function that waits."""

    def record_loads(self, *arguments, options=(), wall=True):
        return super().record_loads(
            *arguments, options=["--time=wall", *options], wall=wall)

    def assert_shares(self, truth, found):
        """If clew's thread gets the CPU rarely, each look stands for a long
        time, and their number, weighted by these times, is small."""
        samples = [sample for part in self.recording().parts
                   for sample in part.samples if sample.looks]
        total = sum(sample.weight_ns for sample in samples)
        squares = sum(sample.weight_ns ** 2 / sample.looks
                      for sample in samples)
        looks = total ** 2 / squares if squares else 0
        if looks < LOOKS_MIN:
            raise Restless(f"clew's thread looked {looks:.0f} times only")
        super().assert_shares(truth, found)

    @undisturbed
    def test_threads_that_spin_and_sleep_have_their_wall_time(self):
        truth = self.record_loads("1500", "threads")
        recording = self.recording()
        self.assert_shares(truth, self.samples(recording))
        self.assert_no_sample_lost(recording)
        running = self.samples(recording, without=wire.BLOCKED)
        total = sum(truth.values())
        for key, ns in self.cpu_truth.items():
            self.assertAlmostEqual(100 * running[key] / total,
                                   100 * ns / total, delta=POINTS, msg=key)

    @undisturbed
    def test_forked_processes_have_their_wall_time(self):
        truth = self.record_loads("1000", "fork")
        recording = self.recording()
        self.assertEqual(len(recording.parts), 2)
        self.assert_shares(truth, self.samples(recording))
        self.assert_no_sample_lost(recording)

    @undisturbed
    def test_executed_programs_have_their_wall_time(self):
        truth = self.record_loads("1000", "exec")
        recording = self.recording()
        self.assertEqual(len(recording.parts), 2)
        self.assert_shares(truth, self.samples(recording))

    def test_a_thread_that_waits_leaves_few_samples(self):
        truth = self.record_loads("2000", "threads",
                                  options=["--rate", "1000"])
        part, = self.recording().parts
        sleeper, = (key[1] for key in truth if key[2] == "sleeper")
        tallies = {tally for tid, tally, _ in part.threads if tid == sleeper}
        blocked = [sample for sample in part.samples
                   if sample.flags & wire.BLOCKED
                   and sample.tally in tallies]
        self.assertLess(len(blocked), 12)
        self.assertGreater(sum(sample.looks for sample in blocked), 100)

    def test_program_behaves_the_same_beside_the_sampling_thread(self):
        for name, argv in {
                "sleeps": [target("sleeps"), "100"],
                "masks": [target("alarms"), "masks"],
                "queue": [target("alarms"), "queue"],
                "heirs": [target("heirs")],
                "ends": [target("ends"), "thread"]}.items():
            with self.subTest(name):
                native = self.run_program(argv)
                self.assert_same_behaviour(native, self.record(
                    argv, ["--time=wall", "--rate", "5000"]))

    @needs("unshare")
    def test_unshare_of_one_thread_works_while_sampled(self):
        argv = ["unshare", "-U", "true"]
        native = self.run_program(argv)
        if native.returncode:
            self.skipTest("no user namespaces here")
        self.assert_same_behaviour(native,
                                   self.record(argv, ["--time=wall"]))


class Records(Case):
    """The fields of a sample."""

    def test_stamps_are_in_order_and_lie_in_the_recorded_time(self):
        self.record_loads("300")
        part, = self.recording().parts
        stamps = [sample.tsc for sample in part.samples]
        self.assertEqual(stamps, sorted(stamps))
        self.assertLess(part.first.tsc, stamps[0])
        self.assertLess(stamps[-1], part.latest.tsc)
        ns = part.latest.ns - part.first.ns
        self.assertGreater(ns, 300_000_000)
        self.assertTrue(0.3 < (part.latest.tsc - part.first.tsc) / ns < 10)

    def test_pcs_of_samples_are_in_the_sampled_function(self):
        self.record_loads("500")
        part, = self.recording().parts
        contexts, names = part.contexts(), names_of(LOADS)
        looked_at = inside = 0
        for sample in part.samples:
            if sample.id not in contexts or sample.flags:
                continue
            function = part.functions[contexts[sample.id].function]
            if names.get(function.vaddr) not in ("burn", "spin"):
                continue
            offset = sample.pc - function.module.base - function.vaddr
            looked_at += 1
            inside += 0 <= offset < function.size
        self.assertGreater(looked_at, 20)
        # All other samples were in libc and the vDSO, on the way to read the clock.
        self.assertGreater(inside, 0.8 * looked_at)

    def test_displaced_instructions_are_the_functions(self):
        program = self.work / "chase"
        subprocess.run(["gcc", "-O1", "-xc", "-", "-o", program], input=CHASE,
                       text=True, check=True)
        done = self.record([program])
        self.assertEqual(done.returncode, 0, done.stderr)
        report = self.clew_json("report", "--json", "-n0", self.recording_path)
        value = next(f for f in report["functions"] if f["name"] == "value")
        clew_ns = report["self_cost"]["time_ns"]
        self.assertGreater(value["self_ns"], clew_ns)
        shown = self.clew_json("annotate", "--json", "value",
                               self.recording_path)["functions"][0]
        placed = sum(row["self_ns"] for row in shown["instructions"])
        self.assertLess(abs(placed - value["self_ns"]), 10)  # rounded

    @needs("head")
    def test_the_kernels_time_agrees_with_its_own_account(self):
        """The program mixes system calls, page faults and its own code."""
        done = self.record([target("kernel")])
        self.assertEqual(done.returncode, 0, done.stderr)
        user, system = map(int, done.stdout.split())
        (part,) = self.recording().parts
        samples = part.samples
        # The kernel's account includes its work for samples.
        kernel = [s for s in samples if s.flags & wire.KERNEL]
        share = (sum(s.weight_ns for s in kernel) /
                 sum(s.weight_ns for s in samples))
        wanted = system / (user + system)
        self.assertGreater(len(samples), 100)
        # The margin is five standard deviations, including those of the
        # kernel's own ticks.
        margin = 5 * (2 * wanted * (1 - wanted) / len(samples)) ** .5
        self.assertLess(abs(share - wanted), margin)
        # A part of the kernel's time is in page faults: the program makes system
        # calls only through libc.
        own = next(m for m in part.modules if m.name == "kernel")
        self.assertTrue(any(own.vaddr_start <= s.pc - own.base < own.vaddr_end
                            for s in kernel))

    @undisturbed
    def test_long_system_calls_are_sampled_at_each_tick(self):
        self.record(["dd", "if=/dev/zero", f"of={self.work}/file", "bs=100M",
                     "count=3"])
        (part,) = self.recording().parts
        tick_ns = 1e9 * time.clock_getres(MONOTONIC_COARSE)
        kernel = [s for s in part.samples if s.flags & wire.KERNEL]
        for sample in kernel:
            looks = sample.weight_ns / tick_ns
            self.assertLessEqual(abs(sample.looks - max(looks, 1)), 0.51)
        if max([s.looks for s in kernel], default=0) < 3:
            raise Disturbed("no call took long")

    def test_report_has_the_achieved_rate(self):
        self.record([target("kernel")])
        report = self.clew_json("report", "--json", self.recording_path)
        total, own = report["total"], report["self_cost"]
        rate = ((total["samples"] + own["samples"]) * 1e9 /
                (total["time_ns"] + own["time_ns"]))
        self.assertLessEqual(abs(total["samples_per_s"] - rate), 1)
        text = self.details(self.recording_path)
        said = f" samples, {total['samples_per_s']:,} a second"
        self.assertIn(said, text)
        if rate < 800:
            self.assertRegex(text, rf"{said}, the rate of the kernel's timer "
                             r"tick \(997 a second were requested"
                             r"(; [^)\n]+)?\)\n")

    def test_samples_in_the_kernel_are_marked(self):
        """Nearly all time of a long copy is in its system calls."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = self.record(["dd", "if=/dev/zero", "of=/dev/null", "bs=8M",
                            "count=2000", "status=none"])
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertEqual(done.returncode, 0)
        (part,) = self.recording().parts
        everything = sum(sample.weight_ns for sample in part.samples)
        kernel = sum(sample.weight_ns for sample in part.samples
                     if sample.flags & wire.KERNEL)
        # All user time was the program's own, including its start. The clock
        # of a sample may also have been read on either side of a tick.
        user_ns = 1e9 * (after.ru_utime - before.ru_utime)
        self.assertGreater(kernel, .9 * (everything - user_ns))
        self.assertGreater(kernel, .5 * everything)

    def test_dump_has_the_samples(self):
        self.record_loads("200")
        part, = self.recording().parts
        done = self.clew("dump", self.recording_path)
        lines = [dict(word.split("=", 1) for word in line.split()[1:])
                 for line in done.stdout.splitlines()
                 if line.startswith("sample ")]
        self.assertEqual(
            [(int(line["tsc"]), int(line["id"], 16), int(line["pc"], 16),
              int(line["weight_ns"])) for line in lines],
            [(s.tsc, s.id, s.pc, s.weight_ns) for s in part.samples])
        self.assertIn(f"time kind=1 rate_hz=997 period_ns={10**9 // 997} ",
                      done.stdout)

    def test_time_none_takes_no_samples(self):
        self.record_loads("100", options=["--time=none"])
        part, = self.recording().parts
        self.assertEqual((part.time, part.samples), (wire.TIME_NONE, []))

    def test_missing_room_for_timers_is_reported(self):
        """The limit of pending signals of a user prevents timers."""
        def no_signals():
            resource.setrlimit(resource.RLIMIT_SIGPENDING, (0, 0))

        native = self.run_program([LOADS, "1"])
        recorded = self.record([LOADS, "1"], preexec_fn=no_signals)
        self.assertEqual(native.returncode, recorded.returncode)
        part, = self.recording().parts
        self.assertEqual(part.sample_losses, [0, 0, 1, 0, 0])
        sample, = part.samples  # This sample stands for the whole time of the thread.
        self.assertEqual((sample.id, sample.flags, sample.wait),
                         (0, wire.BLOCKED, UNSAMPLED))

    def test_filter_that_forbids_timers_ends_sampling(self):
        for mode, threads in ("refused", 0), ("errno", 1):
            with self.subTest(mode):
                done = self.record([target("sandbox"), mode])
                self.assertEqual(done.returncode, 0, done.stderr)
                part, = self.recording().parts
                self.assertEqual(part.sample_losses[2], threads)


class Unnoticed(Case):
    """Programs that would notice an additional signal."""

    def check(self, *argv):
        native = self.run_program(argv)
        self.assertEqual(native.returncode, 0, native.stderr)
        self.assert_same_behaviour(
            native, self.record(argv, ["--rate", "10000"]))
        return native.stdout.decode()

    def test_no_call_is_interrupted(self):
        said = self.check(target("sleeps"), "400")
        self.assertEqual({line.rsplit(" ", 1)[1]
                          for line in said.splitlines()}, {"0"})
        self.assertGreater(len(self.recording().parts[0].samples), 50)

    def test_thread_pointers_of_the_program_are_kept(self):
        """The program's thread pointer does not point to thread-local storage."""
        if not ctypes.CDLL(None).getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE:
            self.skipTest("programs may not read the thread pointer here")
        argv = [target("thread_pointer")]
        native = self.run_program(argv)
        self.assertEqual(native.stdout, b"done\n")
        for clock in "cpu", "wall":
            with self.subTest(clock):
                self.assert_same_behaviour(
                    native, self.record(argv, [f"--time={clock}"]))
                part, = self.recording().parts
                self.assertGreater(sum(s.weight_ns for s in part.samples),
                                   150e6)

    def test_timers_of_the_program_work(self):
        self.check(target("alarms"), "timers")

    def test_handlers_for_every_signal_work(self):
        self.check(target("alarms"), "actions")

    def test_signal_masks_of_every_kind_work(self):
        self.check(target("alarms"), "masks")

    @needs("grep")
    def test_handlers_without_room_for_another_work(self):
        """Neither the handlers nor the program that they execute see that they were not
        sampled.
        """
        said = self.check(target("alternate"), "grep", "SigBlk",
                          "/proc/self/status")
        self.assertIn("SigBlk", said)
        # The code after the handlers was sampled.
        first, *_ = self.recording().parts
        self.assertGreater(len(first.samples), 0)

    def test_shared_alternate_stack_is_not_damaged_by_samples(self):
        """Two samples at once would overwrite each other on the shared stack."""
        said = self.check(target("shared_stack"))
        self.assertEqual(said, "clean\n")
        self.assertGreater(sum(len(part.samples)
                               for part in self.recording().parts), 0)

    def test_program_that_waits_for_every_signal_gets_no_sample(self):
        self.check(target("alarms"), "queue")

    def test_forged_signals_take_no_samples(self):
        said = self.check(target("forgeries"))
        self.assertEqual(said, "1116 forged, 31 timers, forger 0\n")


HOT = r"""
static inline unsigned mix(unsigned x)
{
	for (int i = 0; i < 20; i++)
		x ^= x << 13, x ^= x >> 17, x ^= x << 5, x ^= x >> 3; /* HOT */
	return x;
}
__attribute__((noinline)) unsigned spin(unsigned n)
{
	unsigned x = n;
	while (n--)
		x ^= mix(x);
	return x;
}
int main(void) { return spin(8000000) == 7; }
"""


class Lines(clewtest.Case):
    def build(self, *flags):
        source = self.work / "hot.c"
        source.write_text(HOT, encoding="utf-8")
        done = self.run_program(["cc", "-O2", *flags, source, "-o",
                                 self.work / "hot"], text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.record([self.work / "hot"])
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_samples_name_their_lines(self):
        self.build("-g")
        hot = next(number for number, line in enumerate(HOT.split("\n"), 1)
                   if "HOT" in line)
        report = self.clew_json("report", "--json", "--by=line",
                                self.recording_path)
        all_ns = report["total"]["time_ns"]
        self.assertGreater(all_ns, 0)
        shares = {row["name"].rsplit("/", 1)[-1]: row["self_ns"] / all_ns
                  for row in report["functions"]}
        # The loop's own instructions belong to the line above.
        self.assertGreater(shares[f"hot.c:{hot} in mix"], 0.6)
        self.assertGreater(sum(s for name, s in shares.items()
                               if name.endswith(" in mix")), 0.95)
        tree = self.clew("tree", "--inlines", self.recording_path).stdout
        self.assertRegex(tree, r"9\d\.\d\d%.* mix \(inlined\)|"
                         r"100\.00%.* mix \(inlined\)")

    def test_without_debug_information_a_line_is_a_function(self):
        self.build("-g0")
        report = self.clew_json("report", "--json", "--by=line",
                                self.recording_path)
        self.assertEqual(report["functions"][0]["name"], "spin")

    def test_without_samples_there_are_no_lines(self):
        self.record(["/bin/true"], ["--time=none"])
        done = self.clew("report", "--by=line", self.recording_path)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr,
                         "clew report: --by=line: the recording has no "
                         "samples; record with --time=cpu or wall\n")


if __name__ == "__main__":
    clewtest.main()
