#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Signals at 10 kHz interrupt all code of clew."""
import subprocess
import time

from lib import clewtest, truth
from lib.clewtest import target


class Storm(clewtest.Case):
    def record_storm(self, mode, options=(), in_the_calm=None):
        """Records `storm`; calls in_the_calm with the running program after the storm. Unless
        the options say otherwise, each path of the recursion keeps a context."""
        self.environment["TRUTH_DIR"] = str(self.truths)
        if not any("--fold-recursion" in str(option) for option in options):
            options = ["--fold-recursion=never", *options]
        with subprocess.Popen(
                list(map(str, self.record_command([target("storm"), mode],
                                                  options))),
                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                env=self.environment, cwd=self.work) as running:
            first = running.stdout.readline()
            if first == b"calm\n" and in_the_calm:
                in_the_calm(running)
            rest, _ = running.communicate(timeout=clewtest.TIMEOUT_S)
        if running.returncode == 77:
            self.skipTest("the processor has no AVX-512")
        *self.said, end = rest.splitlines() or [None]
        self.assertEqual((first, end, running.returncode),
                         (b"calm\n", b"over", 0))
        one, = truth.read_all(self.truths)
        part, = self.recording().parts
        self.assert_nothing_lost(part)
        return one, part

    def frequent(self):
        """Returns options for frequent verifications, which also start pending clean-ups."""
        rules = self.work / "rules"
        rules.write_text("verify-period 100\n", encoding="utf-8")
        return ["--rules", rules]

    def check(self, mode, options=()):
        one, part = self.record_storm(mode, options)
        self.assert_equals_truth(one, part)
        ticks = sum(calls for _, _, function, calls in one.nodes.values()
                    if one.names.get(function) == "on_tick")
        self.assertGreaterEqual(ticks, 2000)

    def test_storms_of_handlers_on_the_stack_are_counted(self):
        self.check("stay")

    def test_storms_of_handlers_on_an_alternate_stack_are_counted(self):
        self.check("stack")

    def test_storms_agree_with_frequent_verification(self):
        self.check("stay", self.frequent())

    def test_storms_keep_their_sums_if_recursion_folds(self):
        for contexts in 1000, 65536:
            with self.subTest(contexts):
                for old in self.truths.iterdir():
                    old.unlink()
                self.recording_path = self.work / str(contexts)
                one, part = self.record_storm(
                    "stay", [*self.frequent(),
                             f"--fold-recursion={contexts}"])
                self.assertEqual(
                    truth.Comparison(one, part).sum_differences(), [])

    def test_storms_are_counted_with_exact_times(self):
        """All completed calls have a time, wherever a signal arrived and whichever
        table was replaced meanwhile.
        """
        one, part = self.record_storm("stay",
                                      [*self.frequent(), "--time=exact"])
        self.assert_equals_truth(one, part)
        times, counts = part.times(), part.counts()
        ended = sum(time.ended for time in times.values())
        self.assertIn(sum(counts.values()) - ended, range(10))
        self.assertLessEqual(max(times[name].ended - counts[name]
                                 for name in times), 0)
        self.assertEqual(sum(map(sum, part.histograms.values())), ended)

    def test_wide_vectors_of_interrupted_code_are_preserved(self):
        """The registers zmm16 to zmm31 and opmasks survive, also if clew itself is interrupted."""
        self.check("wide", self.frequent())
        (line,) = self.said
        self.assertGreaterEqual(int(line.split()[1]), 20)

    def await_tables(self, running):
        """Waits until no replaced table is retained for threads that might still use it."""
        end = time.monotonic() + clewtest.TIMEOUT_S
        while True:
            self.assertIsNone(running.poll())
            part, = self.recording().parts
            if not any(tally.retired for tally in part.tallies.values()):
                return
            self.assertLess(time.monotonic(), end)

    def test_storms_of_handlers_that_jump_out_are_counted(self):
        """Counts are exact again after the jumps, and an abandoned slow path blocks nothing."""
        one, part = self.record_storm("jump", self.frequent(),
                                      self.await_tables)
        calm = next(function for function, name in one.names.items()
                    if name == "calm")
        comparison = truth.Comparison(one, part)
        afterwards = [node for node in
                      set(comparison.wanted) | set(comparison.found)
                      if comparison.trie.path(node)[:1] == [calm]]
        self.assertGreater(len(afterwards), 1000)
        for node in afterwards:
            self.assertEqual(comparison.wanted[node], comparison.found[node])


if __name__ == "__main__":
    clewtest.main()
