#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Small stacks, and stacks that end."""
import re
import resource
import signal

from lib import clewtest, truth
from lib.clewtest import target


def small_stack():
    resource.setrlimit(resource.RLIMIT_STACK, (1 << 20, 1 << 20))


class Overflow(clewtest.Case):
    before_exec = staticmethod(small_stack)

    def check(self, mode):
        for flavour in "O2", "O0":
            with self.subTest(flavour):
                for old in self.truths.iterdir():
                    old.unlink()
                self.environment.pop("TRUTH_DIR", None)
                recording, _ = self.record_target(
                    [target("overflow", flavour), mode])
                self.assert_nothing_lost(recording.parts[0])
                self.assert_no_orphans(recording.parts[0])

    def assert_no_orphans(self, part):
        """All calls by handlers are below a recorded context."""
        contexts = part.contexts()
        orphans = [c for c in contexts.values()
                   if c.parent and c.parent not in contexts]
        self.assertEqual(len(orphans), 0)

    def test_overflow_in_a_hooked_function_is_handled(self):
        self.check("exact")

    def test_overflow_of_a_threads_stack_is_handled(self):
        self.check("thread")

    def test_the_smallest_stack_suffices(self):
        self.check("small")

    def test_overflow_in_the_midst_of_a_call_is_handled(self):
        argv = [target("overflow"), "anywhere"]
        native = self.run_program(argv)
        self.environment["TRUTH_DIR"] = str(self.truths)
        self.assert_same_behaviour(native, self.record(argv))
        part = self.recording().parts[0]
        self.assert_nothing_lost(part)
        self.assert_no_orphans(part)
        one, = truth.read_all(self.truths)
        falls = int(native.stdout.split()[0])
        for line in truth.Comparison(one, part).differences():
            with self.subTest(line):
                self.assertIn("descend_plainly: called", line)
                wanted, found = (int(n) for n in re.search(
                    r"called (\d+) times, (\d+) recorded", line).groups())
                self.assertLessEqual(abs(found - wanted), falls)

    def test_stack_overflow_without_a_handler_kills(self):
        argv = [target("overflow"), "fatal"]
        native = self.run_program(argv)
        self.assertEqual(native.returncode, -signal.SIGSEGV)
        recorded = self.record(argv)
        self.assertEqual(recorded.returncode, native.returncode)
        self.assertTrue(self.recording().parts[0].counts())


class Use(clewtest.Case):
    def test_slow_paths_use_at_most_the_stated_stack(self):
        """Slow paths use at most SLOW_STACK_BYTES (preload/hot/layout.h)."""
        rules = self.work / "rules"
        rules.write_text("verify-period 1\n", encoding="utf-8")
        argv = [target("stack_use")]
        native = self.run_program(argv)
        recorded = self.record(argv, ["--rules", rules, "--time=none"])
        layout = (clewtest.ROOT / "preload/hot/layout.h").read_text("utf-8")
        limit = int(re.search(r"SLOW_STACK_BYTES (\d+)", layout).group(1))
        for before, after in zip(native.stdout.split(),
                                 recorded.stdout.split(), strict=True):
            # The program measures with a few words of its own on the stack.
            self.assertLess(int(after) - int(before), limit)

    def test_a_handler_on_a_small_stack_can_execute_a_program(self):
        """The program is executed with its own environment, to which clew must add variables."""
        argv = [target("small_stack"), "/bin/true"]
        for time in "none", "cpu", "exact":
            with self.subTest(time=time):
                native = self.run_program(argv)
                self.assertEqual(native.returncode, 0)
                self.assert_same_behaviour(
                    native, self.record(argv, [f"--time={time}"]))
                self.assertEqual(len(self.recording().parts), 2)


if __name__ == "__main__":
    clewtest.main()
