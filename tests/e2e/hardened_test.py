#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Processes in which written memory must not become executable."""
import errno

from lib import clewtest, hardening, seccomp, wire
from lib.clewtest import target

TIMES = 20

PART = """
__attribute__((noipa)) int part(int n)
{
	return n * 3;
}
int main(void)
{
	return part(1) + part(2) + part(3) != 18;
}
"""


class ByFilter(clewtest.Case):
    """Programs are recorded from their start."""
    before_exec = staticmethod(hardening.deny_by_filter)

    def setUp(self):
        super().setUp()
        if not hardening.can_deny_by(self.before_exec):
            self.skipTest("no PR_SET_MDWE here")

    def check(self, *argv, options=()):
        for old in self.truths.iterdir():
            old.unlink()
        self.environment.pop("TRUTH_DIR", None)
        recording, _ = self.record_target(argv, options)
        for part in recording.parts:
            self.assert_nothing_lost(part)
            self.assertNotIn("NOT_EXECUTABLE", {
                wire.VERDICTS[function.verdict][0]
                for module in part.modules for function in module.functions})

    def test_counts_are_exact_every_time(self):
        for i in range(TIMES):
            with self.subTest(i):
                self.check(target("threads"))

    def test_counts_are_exact_without_stored_stubs(self):
        for name in "recursion", "signals", "exceptions", "jumps":
            with self.subTest(name):
                self.check(target(name), options=["--no-prelinking"])

    def test_times_are_exact(self):
        self.check(target("recursion"), options=["--time=exact"])

    def test_probes_are_hit(self):
        source, program = self.work / "part.c", self.work / "part"
        source.write_text(PART, encoding="utf-8")
        self.run_program(["cc", "-O2", "-o", program, source])
        self.record([program], ["--probe=part"])
        probe, = self.clew_json("report", "--json",
                                self.recording_path)["probes"]
        self.assertEqual(probe["hits"], 3)


class ByPrctl(ByFilter):
    before_exec = staticmethod(hardening.deny_by_prctl)


class Reported(clewtest.Case):
    """No method is left to make stubs executable."""

    def test_the_reason_is_reported(self):
        def deny():
            (seccomp.memory_deny_write_execute()
             .refuse("memfd_create", errno.EPERM).install())
        self.before_exec = deny
        argv = ["/bin/echo", "hello"]
        native = self.run_program(argv, text=True)
        done = self.run_program(
            self.record_command(argv, ["--no-prelinking"]), text=True)
        self.assertEqual(done.stdout, native.stdout)
        self.assertEqual(done.returncode, clewtest.UNRECORDED)
        self.assert_one_line(done, "/bin/echo was not recorded",
                             "clew cannot hook its functions",
                             "no memory become executable")
        self.assertIn("no memory become executable",
                      " ".join(self.details(self.recording_path).split()))


if __name__ == "__main__":
    clewtest.main()
