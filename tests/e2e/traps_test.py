#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Breakpoints serve as hooks in programs that use SIGTRAP themselves."""
import re
import shutil
import signal
import struct
import subprocess

from lib import clewtest, wire
from lib.clewtest import needs, target

NATIVE = target("traps")
HANDLERS = target("trap_handlers")


class Trapping(clewtest.Case):
    """The program prints everything that it can observe about SIGTRAP."""

    def assert_has_traps(self):
        names = [name for name, _, _ in wire.VERDICTS]
        (module,) = [m for m in self.recording().parts[0].modules
                     if m.name in ("traps", "trap_handlers")]
        self.assertIn("TRAP", [names[f.verdict] for f in module.functions])

    def record_case(self, case, program=NATIVE):
        recording, (truth,) = self.record_target([program, case])
        self.assert_has_traps()
        trapped = sum(calls for function, calls in truth.totals.items()
                      if truth.names[function] == "trapped")
        self.assertEqual(recording.parts[0].trap_hits, trapped)
        self.assert_listed(trapped)
        return trapped

    def assert_dies_alike(self, case, hits=1, program=NATIVE):
        native = self.run_program([program, case])
        self.assertEqual(native.returncode, -signal.SIGTRAP)
        recorded = self.record([program, case])
        self.assert_same_behaviour(native, recorded)
        self.assert_has_traps()
        self.assertEqual(self.recording().parts[0].trap_hits, hits)

    def assert_listed(self, hits):
        shown = re.search(r"^ *([\d,]+)  breakpoint hits?$",
                          self.clew("list", self.recording_path).stdout, re.M)
        self.assertEqual(int(shown[1].replace(",", "")), hits)
        self.assertEqual(self.clew_json("list", "--json", self.recording_path)
                         ["breakpoint_hits"], hits)


class Traps(Trapping):
    """The output of traps.c is the native one."""

    def test_threads_may_trap(self):
        self.assertGreater(self.record_case("threads"), 1000)

    def test_handlers_of_sigtrap_work(self):
        self.record_case("handlers")

    def test_alternate_stacks_work(self):
        self.record_case("stacks")

    def test_masks_of_sigtrap_work(self):
        self.record_case("masks")

    def test_masks_of_sigtrap_work_in_waits_for_signals(self):
        self.record_case("waits")

    def test_raised_sigtrap_kills(self):
        self.assert_dies_alike("raised")

    def test_breakpoint_of_the_program_kills(self):
        self.assert_dies_alike("breakpoint")

    def test_ignored_breakpoint_kills(self):
        self.assert_dies_alike("ignoring")

    def test_blocked_breakpoint_kills(self):
        self.assert_dies_alike("blocking")

    def test_unblocked_pending_sigtrap_kills(self):
        self.assert_dies_alike("unblocking")

    def test_second_sigtrap_kills_after_a_one_time_handler(self):
        self.assert_dies_alike("twice", hits=2)

    def test_blocked_sigtrap_is_inherited_at_the_start(self):
        blocked = "import os, signal, sys\n" \
            "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTRAP])\n" \
            "os.execv(sys.argv[1], sys.argv[1:])"
        argv = [clewtest.PYTHON, "-c", blocked]
        native = self.run_program([*argv, NATIVE, "masks"])
        recorded = self.run_program(
            [*argv, *self.record_command([NATIVE, "masks"])])
        self.assert_same_behaviour(native, recorded)
        self.assert_has_traps()

    def test_blocked_sigtrap_is_inherited_by_executed_programs(self):
        for how in "os.execvp('grep', argv)", \
                "os.waitpid(os.posix_spawnp('grep', argv, os.environ), 0)":
            code = "import os, signal\n" \
                "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTRAP])\n" \
                "argv = ['grep', 'SigBlk', '/proc/self/status']\n" + how
            argv = [clewtest.PYTHON, "-c", code]
            native = self.run_program(argv)
            self.assertIn(b"10\n", native.stdout)
            recorded = self.record(argv, ["--no-children"])
            self.assert_same_behaviour(native, recorded)
            shutil.rmtree(self.recording_path)

    def test_a_report_counts_breakpoint_hits(self):
        self.record([NATIVE, "threads"])
        self.assertIn("breakpoint hits", self.details(self.recording_path))
        hits = self.clew_json("report", "--json",
                              self.recording_path)["breakpoint_hits"]
        self.assertEqual(hits, self.recording().parts[0].trap_hits)


class Handlers(Trapping):
    """In trap_handlers.c, a handler blocks SIGTRAP if its action says so, although it
    meets breakpoints.
    """

    def test_trap_during_a_handler_waits(self):
        self.assertGreater(self.record_case("defers", HANDLERS), 50)

    def test_trap_handlers_run_on_alternate_stacks(self):
        self.record_case("stacks", HANDLERS)

    def test_trap_handlers_may_switch_contexts(self):
        self.record_case("switches", HANDLERS)

    def test_child_forked_in_a_trap_handler_has_no_pending_trap(self):
        native = self.run_program([HANDLERS, "forks"])
        self.assertIn(b"over: 1 entered", native.stdout)
        self.assertIn(b"over: 3 entered", native.stdout)
        self.assert_same_behaviour(native, self.record([HANDLERS, "forks"]))
        self.assert_has_traps()

    def test_a_pending_trap_kills_under_the_default_action(self):
        self.assert_dies_alike("reset", 3, HANDLERS)

    def test_breakpoint_in_a_trap_handler_kills(self):
        self.assert_dies_alike("within", 2, HANDLERS)

    def test_trap_handlers_make_no_additional_system_call(self):
        native = self.run_program([HANDLERS, "strict"])
        self.assertEqual(native.stdout, b"three\n")
        self.assert_same_behaviour(native, self.record([HANDLERS, "strict"]))
        self.assert_has_traps()
        self.assertEqual(self.recording().parts[0].trap_hits, 4)


class Debuggers(clewtest.Case):
    """clew sets no breakpoints if a debugger is present at the start. A debugger that
    attaches later must pass SIGTRAP on (clew-record(1)).
    """

    def assert_has_no_traps(self):
        names = [name for name, _, _ in wire.VERDICTS]
        verdicts = set()
        # self.recording() is not used: strace tries ptrace on children of its
        # own, which it may kill while they start, even before the header
        # exists. A killed child may still be ending, and change its file.
        for path in self.recording_path.glob("*.part"):
            try:
                part = wire.Part(path)
            except struct.error:
                continue
            self.assertEqual(part.trap_hits, 0)
            if part.arguments[:1] == [NATIVE]:
                self.assertEqual(part.state, wire.ENDED)
            verdicts |= {names[f.verdict] for m in part.modules
                         if m.name == "traps" for f in m.functions}
        self.assertNotIn("TRAP", verdicts)
        self.assertIn("NO_TRAP", verdicts)

    @needs("strace")
    def test_program_started_by_strace_traps(self):
        native = self.run_program([NATIVE, "handlers"])
        recorded = self.record(["strace", "-f", "-qqq", "-o", "/dev/null",
                                NATIVE, "handlers"])
        self.assert_same_behaviour(native, recorded)
        self.assert_has_no_traps()

    @needs("gdb")
    def test_program_started_by_gdb_traps(self):
        native = self.run_program([NATIVE, "threads"], text=True)
        recorded = self.record(["gdb", "-nx", "-batch", "-ex", "run",
                                "--args", NATIVE, "threads"], ["-m", "traps"],
                               text=True)
        self.assertIn(native.stdout, recorded.stdout)
        self.assertIn("exited normally", recorded.stdout)
        self.assert_has_no_traps()

    @needs("gdb")
    def test_gdb_can_attach_to_a_trapping_program(self):
        process = subprocess.Popen(
            self.record_command([NATIVE, "commanded"]), cwd=self.work,
            env=self.environment, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        pid = int(process.stdout.readline())
        gdb = subprocess.Popen(
            ["gdb", "-nx", "-batch", "-p", str(pid),
             "-ex", "handle SIGTRAP nostop noprint pass",
             "-ex", "handle SIG58 nostop noprint pass",  # signal of clew's timers
             "-ex", "shell echo attached", "-ex", "continue"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)
        self.addCleanup(gdb.kill)
        while gdb.stdout.readline().strip() != "attached":
            self.assertIsNone(gdb.poll())
        answer, _ = process.communicate("go\n", timeout=60)
        said, _ = gdb.communicate(timeout=60)
        self.assertEqual(process.returncode, 0)
        self.assertIn("threads: default", answer)
        self.assertIn("exited normally", said)
        self.assertGreater(self.recording().parts[0].trap_hits, 1000)


class Actions(clewtest.Case):
    """The program sets its action for SIGTRAP, which was clew's before."""

    def check(self, how):
        argv = [target("actions"), how]
        native = self.run_program(argv)
        self.assertEqual(native.stdout, b"0 errors\n")
        self.assert_same_behaviour(native, self.record(argv))

    def test_trap_action_is_set_behind_a_filter(self):
        self.check("filter")

    def test_trap_action_is_set_in_forked_children(self):
        self.check("forks")


if __name__ == "__main__":
    clewtest.main()
