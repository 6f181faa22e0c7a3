#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Limits of memory and of mappings: no program ends because clew uses them up."""
import clewtest
import isolation
import wire
from clewtest import target

MIB = 1 << 20


class Recorded(clewtest.Case):
    """clew record in a control group folds contexts before the limit."""

    PROGRAM = [target("contexts"), "10", "6", "1"]  # 1,111,110 contexts
    CALLS = 1111110

    def check(self, limit, *options):
        group = isolation.memory_group(self, limit)
        self.before_exec = group.join
        native = self.run_program(self.PROGRAM)
        self.assertEqual(native.returncode, 0)
        recorded = self.record(self.PROGRAM, options)
        self.assertEqual((recorded.returncode, recorded.stdout),
                         (0, native.stdout), recorded.stderr)
        self.before_exec = None
        part, = self.recording().parts
        self.assert_nothing_lost(part)
        return part

    def check_folds(self, limit, *options):
        part = self.check(limit, "-m", "contexts", *options)
        folds = part.folds()
        self.assertGreater(folds[wire.FOLD_GROUP], 0)
        self.assertEqual(sum(folds), folds[wire.FOLD_GROUP])
        self.assertGreaterEqual(sum(part.counts().values()), self.CALLS)

    def test_many_contexts_fold_and_the_report_says_why(self):
        self.check_folds(100 * MIB)
        report = self.clew("report", self.recording_path).stdout
        self.assertIn("the limit of its control group", report)

    def test_times_of_each_call_fold_as_well(self):
        self.check_folds(100 * MIB, "--time=exact")

    def test_a_smaller_group_folds_more(self):
        self.check_folds(40 * MIB)

    def test_what_the_user_asks_for_leaves_a_reserve(self):
        self.check_folds(40 * MIB, "--max-contexts", "2M")

    def test_a_group_with_room_folds_nothing(self):
        part = self.check(2048 * MIB, "-m", "contexts")
        self.assertEqual(sum(part.folds()), 0)


if __name__ == "__main__":
    clewtest.main()
