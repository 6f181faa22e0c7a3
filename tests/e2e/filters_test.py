#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Programs that filter system calls never see a system call of clew's."""
import errno
import unittest

from lib import clewtest, seccomp, truth, units, wire
from lib.clewtest import needs, target

FILTERED = 3  # enum wire_loss: WIRE_LOSS_FILTER


class Own(clewtest.Case):
    """The program installs a filter while it runs."""

    def truth(self):
        """Returns the truth for all modes, from a run that may write it."""
        self.environment["TRUTH_DIR"] = str(self.truths)
        self.run_program([target("sandbox"), "none"])
        self.environment.pop("TRUTH_DIR")
        one, = truth.read_all(self.truths)
        return one

    def run_both_ways(self, mode, options=()):
        argv = [target("sandbox"), mode]
        native = self.run_program(argv)
        self.assertEqual(native.returncode, 0, native.stderr)
        self.assert_same_behaviour(native, self.record(argv, options))
        return native, self.recording()

    def check(self, mode):
        one = self.truth()
        _, recording = self.run_both_ways(mode)
        part, = recording.parts
        self.assert_equals_truth(one, part)
        self.assert_nothing_lost(part)
        return part

    def test_strict_mode_is_respected(self):
        self.assertEqual(self.check("strict").state, wire.RUNNING)

    def test_a_filter_that_kills_is_respected(self):
        self.assertEqual(self.check("kill").state, wire.ENDED)

    def test_a_filter_with_errors_is_respected(self):
        self.check("errno")

    def test_a_filter_by_system_call_is_noticed(self):
        self.check("syscall")

    def test_refused_filter_leaves_the_program_recorded(self):
        self.check("refused")

    def test_strict_mode_behind_a_filter_is_refused(self):
        """clew refuses also if the filter would forbid reading the performance
        counter."""
        self.check("twice")
        for options in ["--time=exact"], ["--trace"]:
            with self.subTest(options=options):
                self.run_both_ways("twice", options)

    def lost_behind_a_filter(self, mode):
        _, recording = self.run_both_ways(mode)
        part, = recording.parts
        lost = list(part.losses)
        self.assertEqual(sum(lost), lost[FILTERED])
        self.assertIn("filter", self.details(self.recording_path))
        return lost[FILTERED]

    def test_forked_child_is_lost_and_counted(self):
        # 1 of in_thread, 11 of work, and 11 of leaf.
        self.assertEqual(self.lost_behind_a_filter("fork"), 23)

    def test_new_thread_is_lost_and_counted(self):
        self.assertEqual(self.lost_behind_a_filter("thread"), 23)

    def test_a_filter_of_a_vfork_child_ends_with_it(self):
        """The filter ends with the child: no calls fold, and sampling
        continues."""
        _, recording = self.run_both_ways("vfork")
        part, = recording.parts
        self.assert_nothing_lost(part)
        self.assertEqual(part.folded_calls(), 0)
        self.assertEqual(part.state, wire.ENDED)

    def test_contexts_beyond_the_room_are_folded(self):
        one = self.truth()
        native, recording = self.run_both_ways("many")
        part, = recording.parts
        self.assert_nothing_lost(part)
        self.assertGreater(part.folded_calls(), 0)
        own = {f.number for module in part.modules for f in module.functions
               if module.name == "sandbox"} | {wire.FOLDED}
        calls = part.counts()
        counted = sum(calls.get(c.id, 0) for c in part.contexts().values()
                      if c.function in own and (c.depth > 1
                                                or c.function != wire.FOLDED))
        ordinary = sum(calls for _, _, function, calls in one.nodes.values()
                       if function)
        started = sum(calls.get(c.id, 0) for c in part.contexts().values()
                      if c.depth == 1 and c.function in own)
        made = int(native.stdout.split()[1])
        # main() is in `ordinary`. `started` also contains functions beside
        # main(), such as _init().
        self.assertEqual(counted - started + 1, ordinary + made)


class Stacks(clewtest.Case):
    """clew cannot query the end of a stack from the kernel, and must not read
    beyond it."""

    def check(self, how):
        for flavour in "O2", "O0":
            for time in "cpu", "exact":
                with self.subTest(flavour=flavour, time=time):
                    for old in self.truths.iterdir():
                        old.unlink()
                    self.environment.pop("TRUTH_DIR", None)
                    recording, _ = self.record_target(
                        [target("filtered_stacks", flavour), how],
                        [f"--time={time}"])
                    for part in recording.parts:
                        self.assert_nothing_lost(part)

    def test_stacks_are_swapped(self):
        self.check("swaps")

    def test_jumps_on_another_stack_are_counted(self):
        self.check("jumps")


class Dispatched(clewtest.Case):
    """The kernel dispatches the program's system calls to a handler in the
    program."""

    def check(self, mode, images=1):
        native = self.run_program([target("dispatched"), mode])
        if b"no dispatch" in native.stdout:
            self.skipTest("no syscall user dispatch here")
        self.assertEqual(native.stdout, b"0 calls\n1 calls\n")
        for options in ["--time=cpu"], ["--time=wall"], ["--time=exact"]:
            with self.subTest(options=options):
                for old in self.truths.iterdir():
                    old.unlink()
                self.environment.pop("TRUTH_DIR", None)
                recording, _ = self.record_target(
                    [target("dispatched"), mode], options, images)
                for part in recording.parts:
                    self.assert_nothing_lost(part)

    def test_dispatch_by_prctl_hides_our_system_calls(self):
        self.check("prctl")

    def test_dispatch_by_syscall_hides_our_system_calls(self):
        self.check("syscall")

    def test_child_without_dispatch_is_recorded(self):
        self.check("fork", images=2)

    def test_contexts_beyond_the_room_are_folded(self):
        argv = [target("dispatched"), "many"]
        self.environment["TRUTH_DIR"] = str(self.truths)
        native = self.run_program(argv)
        one, = truth.read_all(self.truths)
        self.environment.pop("TRUTH_DIR")
        self.assert_same_behaviour(native, self.record(
            argv, ["--fold-recursion=never"]))
        part, = self.recording().parts
        self.assert_nothing_lost(part)
        folds = part.folds()
        self.assertGreater(folds[wire.FOLD_FILTER], 0)
        self.assertEqual(sum(folds), folds[wire.FOLD_FILTER])
        made = sum(calls for *_, calls in one.nodes.values())
        own = {f.number for module in part.modules for f in module.functions
               if module.name == "dispatched"} | {wire.FOLDED}
        calls = part.counts()
        counted = sum(calls.get(c.id, 0) for c in part.contexts().values()
                      if c.function in own)
        self.assertEqual(counted, made)
        self.assertIn("behind a system call filter",
                      self.details(self.recording_path))

    def test_dispatch_without_a_selector_hides_our_system_calls(self):
        argv = [target("dispatched"), "always"]
        self.assert_same_behaviour(self.run_program(argv), self.record(argv))


class Inherited(clewtest.Case):
    """The program is started with an inherited filter."""

    def test_program_whose_filter_forbids_profiling_calls_is_recorded(self):
        def before_exec():
            seccomp.Filter().refuse("membarrier", errno.ENOSYS).refuse(
                "perf_event_open", errno.EPERM).install()
        self.before_exec = before_exec
        self.check_targets()

    def check_targets(self):
        for name in "recursion", "threads", "signals":
            with self.subTest(name):
                for old in self.truths.iterdir():
                    old.unlink()
                self.environment.pop("TRUTH_DIR", None)
                self.record_target([target(name)])

    def test_calls_at_which_a_filter_kills_are_avoided(self):
        self.before_exec = seccomp.Filter().kill(
            "mincore", "perf_event_open", "membarrier", "memfd_create",
            "timer_create").install
        self.check_targets()

    @unittest.skipUnless(units.are_known(), "no systemd or redis-server here")
    def test_programs_below_a_hardened_unit_are_recorded(self):
        self.before_exec = units.redis().install
        self.check_targets()

    def test_a_filter_that_would_kill_prevents_recording(self):
        argv = ["/bin/echo", "hello"]
        self.before_exec = seccomp.Filter().kill("process_vm_readv").install
        done = self.run_program(self.record_command(argv), text=True)
        self.assertEqual((done.stdout, done.returncode),
                         ("hello\n", clewtest.UNRECORDED))
        self.assert_one_line(done, "it is not recorded", "seccomp filter",
                             "at the system call process_vm_readv")


class Real(clewtest.Case):
    @needs("man", "groff")
    def test_man_is_recorded(self):
        """man's children install filters by libseccomp; some of them then call
        exec."""
        page = self.work / "page.1"
        page.write_text(".TH PAGE 1\n.SH NAME\npage \\- a page\n",
                        encoding="utf-8")
        argv = ["man", "-l", page]
        native = self.run_program(argv)
        self.assertIn(b"a page", native.stdout)
        self.assert_same_behaviour(native, self.record(argv))
        parts = self.recording().parts
        self.assertGreater(len(parts), 5)
        self.assertIn("groff", "".join(p.arguments[0] for p in parts))


if __name__ == "__main__":
    clewtest.main()
