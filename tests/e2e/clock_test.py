#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""clew samples with a finer clock than the kernel's tick, unnoticed by the
program."""
import collections
import ctypes
import resource
import struct
import time

from lib import clewtest, wire
from lib.clewtest import target
from lib.disturbance import Disturbed, Restless, undisturbed

URGENT = target("urgent")

MONOTONIC_COARSE = 6  # Python has no name for this clock
SLOW_ATTEMPTS_MAX = 3
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
ALLOW = struct.pack("HBBI", 0x06, 0, 0, 0x7fff0000)  # return SECCOMP_RET_ALLOW


def filter_calls():
    """Installs a filter that allows every call, as in a sandbox."""
    libc = ctypes.CDLL(None, use_errno=True)
    code = ctypes.create_string_buffer(ALLOW)
    program = ctypes.create_string_buffer(
        struct.pack("HxxxxxxQ", 1, ctypes.addressof(code)))
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0)


class Case(clewtest.Case):
    def part_with_events(self):
        """Returns the part of the recording; skips the test if the kernel
        provides no events."""
        part, = self.recording().parts
        if part.coarse in (wire.COARSE_ENOUGH, wire.COARSE_FILTER,
                           wire.COARSE_FORBIDDEN, wire.COARSE_KERNEL):
            self.skipTest("no finer clock here")
        if part.coarse == wire.COARSE_RESTLESS:
            raise Restless("threads run for short whiles")
        if not part.events:
            raise Disturbed(f"no event, for reason {part.coarse}")
        return part

    def rate(self, part):
        """Returns the samples per second of the program's time outside the
        kernel."""
        samples = [s for s in part.samples if not s.flags & wire.KERNEL]
        return len(samples) * 1e9 / sum(s.weight_ns for s in samples)


class Rates(Case):
    slow_attempts = 0

    def record_loads(self, *options):
        done = self.record([target("loads"), "1500"], options)
        self.assertEqual(done.returncode, 0, done.stderr)

    @undisturbed
    def test_time_in_the_program_is_sampled_as_often_as_asked(self):
        self.record_loads()
        rate = self.rate(self.part_with_events())
        # Events occur by the clock: they are more frequent if other processes
        # use the CPU.
        if not 850 <= rate < 1050:
            raise Disturbed(f"{rate} a second")

    @undisturbed
    def test_kernel_ticks_are_used_on_request(self):
        self.record_loads()
        fine = self.rate(self.part_with_events())
        self.record_loads("--clock=tick")
        part, = self.recording().parts
        self.assertEqual((part.events, part.coarse), (0, wire.COARSE_ASKED))
        if self.rate(part) > 0.7 * fine:
            raise Disturbed("the machine is too slow for the finer one")
        report = self.clew_json("report", "--json", self.recording_path)
        self.assertEqual(report["total"]["fine_clock_threads"], 0)
        self.assertEqual(report["total"]["coarse_clock"],
                         "no finer clock was requested")
        self.assertIn(" a second, the rate of the kernel's timer tick (997 a "
                      "second were requested; no finer clock was requested)\n",
                      self.details(self.recording_path))

    @undisturbed
    def test_samples_add_up_to_the_kernels_account(self):
        done = self.record([target("kernel")])
        self.assertEqual(done.returncode, 0, done.stderr)
        # The program prints its whole time in microseconds at its end,
        # including that of clew before main().
        used_ns = 1000 * sum(map(int, done.stdout.split()))
        part = self.part_with_events()
        told_ns = sum(s.weight_ns for s in part.samples)
        if abs(told_ns - used_ns) > 0.03 * used_ns + 10_000_000:
            raise Disturbed(f"{told_ns} of {used_ns} ns")

    @undisturbed
    def test_each_threads_samples_add_up_to_its_time(self):
        """All threads have events, whose file descriptors have equal
        numbers."""
        done = self.record([target("presence"), "busy"], text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        part = self.part_with_events()
        if part.coarse == wire.COARSE_SILENT:
            raise Disturbed("an event had no hits")
        samples = collections.defaultdict(list)
        tallies = {tid: tally for tid, tally, _ in part.threads}
        for sample in part.samples:
            samples[sample.tally].append(sample.weight_ns)
        for line in done.stdout.splitlines():
            tid, _, used_ns = map(int, line.split())
            told = samples[tallies[tid]]
            if abs(sum(told) - used_ns) > 0.05 * used_ns + 10_000_000:
                raise Disturbed(f"{tid}: {sum(told)} of {used_ns} ns")
            if used_ns > 50_000_000 and max(told) > 50_000_000:
                raise Disturbed(f"{tid}: one sample for {max(told)} ns")

    def account_of(self, argv):
        """Returns the user and system time of a native run in seconds."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.run_program(argv)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return (after.ru_utime - before.ru_utime,
                after.ru_stime - before.ru_stime)

    def part_with_many_samples(self):
        """Returns a part with many samples; on a busy machine no attempt may
        yield one."""
        try:
            part = self.part_with_events()
            if self.rate(part) > 2000:
                return part
        except Disturbed:
            pass
        self.slow_attempts += 1
        if self.slow_attempts == SLOW_ATTEMPTS_MAX:
            self.skipTest("no processor that is free enough for many samples")
        raise Disturbed("the machine is too slow for many samples")

    def check_the_kernels_share(self, argv):
        """Checks that the kernel's share of the time equals that without clew,
        despite many samples."""
        user, system = self.account_of(argv)
        wanted = system / (user + system)
        self.record(argv, ["--rate=4730"])
        part = self.part_with_many_samples()
        samples = [s for s in part.samples if not s.flags & wire.CLEW]
        all_ns = sum(s.weight_ns for s in samples)
        share = sum(s.weight_ns for s in samples
                    if s.flags & wire.KERNEL) / all_ns
        # Both values are measured in ticks. A rare event may still occur a few
        # times.
        ticks = all_ns / 1e9 / time.clock_getres(MONOTONIC_COARSE)
        likely = max(wanted, 2 / ticks)
        margin = 5 * (2 * likely * (1 - likely) / ticks) ** .5
        if abs(share - wanted) > margin:
            raise Disturbed(f"the kernel's share is {share:.4f}, "
                            f"not {wanted:.4f} +-{margin:.4f}")

    @undisturbed
    def test_the_kernels_share_is_none_in_a_program_that_computes(self):
        self.check_the_kernels_share([target("loads"), "2000"])

    @undisturbed
    def test_the_kernels_share_equals_its_share_without_clew(self):
        self.check_the_kernels_share([target("kernel")])

    def test_filtered_program_opens_no_perf_event(self):
        done = self.record([URGENT, "waiting"], preexec_fn=filter_calls)
        self.assertEqual((done.returncode, done.stdout),
                         (0, b"cut short 0\n"))
        part, = self.recording().parts
        self.assertIn(part.coarse, (wire.COARSE_FILTER, wire.COARSE_ENOUGH))
        self.assertEqual(part.events, 0)
        self.assertGreater(len(part.samples), 0)


class Unnoticed(Case):
    def check(self, mode):
        native = self.run_program([URGENT, mode])
        self.assertEqual(native.returncode, 0, native.stderr)
        self.assert_same_behaviour(
            native, self.record([URGENT, mode], ["--rate", "5000"]))

    def check_given_up(self, mode):
        """If the program uses the signal itself, clew stops using it."""
        @undisturbed
        def check(self):
            self.check(mode)
            part = self.part_with_events()
            self.assertEqual(part.coarse, wire.COARSE_SIGNAL)

        check(self)

    def test_program_handles_the_signal_beside_sampled_threads(self):
        self.check_given_up("handler")

    def test_program_gets_signals_that_it_sends_itself(self):
        self.check_given_up("raised")

    def test_program_fetches_the_blocked_signal(self):
        self.check_given_up("blocked")

    def test_program_waits_for_all_signals(self):
        self.check_given_up("awaited")

    def test_program_waits_with_all_other_signals_blocked(self):
        self.check("suspended")

    def test_ignored_signal_stays_ignored_after_exec(self):
        self.check("ignored")

    @undisturbed
    def test_sampling_works_without_queued_signals(self):
        self.check("full")
        self.part_with_events()

    def test_program_executed_in_the_midst_of_work_survives(self):
        self.check("executed")

    @undisturbed
    def test_no_wait_is_cut_short(self):
        self.check("waiting")
        self.part_with_events()


if __name__ == "__main__":
    clewtest.main()
