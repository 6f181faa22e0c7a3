#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Recursion is folded beyond a number of contexts, and no call is lost.

The program itself counts a context for each level of recursion. If recursion is
folded from the start, these contexts, folded as the manual describes, must equal
those of clew. Otherwise the sums per function must.
"""
import pathlib

from lib import clewtest, truth
from lib.clewtest import target


class FoldRecursion(clewtest.Case):
    def fold(self, argv, options=(), folding="--fold-recursion"):
        """Returns (recording, truths) for the target's own functions."""
        native = self.run_program(argv)
        self.environment["TRUTH_DIR"] = str(self.truths)
        name = pathlib.Path(argv[0]).name
        recorded = self.record(argv, [folding, "-m", f"*{name}*", *options])
        self.assert_same_behaviour(native, recorded)
        self.assert_no_problem()
        recording = self.recording()
        for part in recording.parts:
            self.assert_nothing_lost(part)
            self.assert_callers_are_recorded(part)
        return recording, truth.read_all(self.truths)

    def check(self, name, *arguments, flavour="O2", options=()):
        recording, truths = self.fold([target(name, flavour), *arguments],
                                      options)
        parts = {part.pid: part for part in recording.parts}
        self.assertEqual(len(parts), len(truths))
        for one in truths:
            compared = truth.Folded(one, parts[one.pid],
                                    nests=False)
            self.assertEqual(compared.differences(), [])
        return parts, truths, compared

    def check_sums(self, name, *arguments, folding="--fold-recursion",
                   options=()):
        """Compares sums per function, where the program records only those, or
        where its stack starts anew. Returns the part."""
        recording, (one,) = self.fold([target(name), *arguments], options,
                                      folding)
        compared = truth.Comparison(one, recording.parts[0])
        self.assertEqual(compared.sum_differences(), [])
        self.assertGreater(sum(compared.wanted.values()), 0)
        return recording.parts[0]

    def start_anew(self, name):
        """Lets a test record a further program."""
        for old in self.truths.iterdir():
            old.unlink()
        self.environment.pop("TRUTH_DIR", None)
        self.recording_path = self.work / name

    def test_recursion_is_folded(self):
        parts, (one,), _ = self.check("recursion")
        (part,) = parts.values()
        self.assertGreater(len(one.nodes), 1000)
        self.assertLess(len(part.contexts()), 100)
        total = self.clew_json("report", "--json", self.recording_path)["total"]
        self.assertIs(total["folds_recursion"], True)
        self.assertIn("\nrecursion folded: ",
                      self.details(self.recording_path))

    def test_recursion_by_tail_calls_is_folded(self):
        *_, compared = self.check("tail")
        self.assertEqual(compared.tail_differences(), [])

    def test_longjmp_is_folded(self):
        self.check("jumps")

    def test_exceptions_are_folded(self):
        self.check("exceptions")

    def test_threads_are_folded(self):
        self.check("threads")

    def test_children_forked_within_recursion_fold(self):
        self.check("processes", "fork")

    def test_signal_handlers_are_folded(self):
        self.check_sums("signals")

    def test_coroutines_are_folded(self):
        for name in "coroutines_ucontext", "coroutines_switch":
            with self.subTest(name):
                self.start_anew(name)
                self.check_sums(name)

    def test_recursion_on_copied_stacks_is_folded(self):
        self.check_sums("copied_jump", "memcpy", "after")

    def test_stale_slots_are_no_callers_of_folded_calls(self):
        """Stale slots look like callers of the function whose frame they are
        in."""
        self.check_flavours("stale_slots", ("O2", "O0"),
                            ["--verify-period=1"])

    def test_leaps_past_stale_slots_are_folded(self):
        """The stale slots name another function than the one that the jump
        lands in."""
        for period in 1, 7, 65536:
            self.check_flavours("folded_leaps", ("O2", "O0", "frame"),
                                [f"--verify-period={period}"])

    def test_jumps_past_stale_slots_are_folded(self):
        """The stale slots of the landing function look as if other functions
        owned them."""
        for period in 1, 7, 65536:
            self.check_flavours("folded_jumps", ("O2", "O0", "frame"),
                                [f"--verify-period={period}"])

    def check_flavours(self, name, flavours, options=()):
        for flavour in flavours:
            with self.subTest(flavour):
                self.start_anew(flavour)
                self.check(name, flavour=flavour, options=options)

    def test_recursion_as_deep_as_the_stack_is_folded(self):
        """There is one context per function, with as many calls as the
        recursion is deep."""
        self.check("deep")

    def test_verification_accepts_folded_contexts(self):
        """The unfolded stack differs from the folded contexts."""
        for name in "recursion", "tail", "jumps", "exceptions":
            with self.subTest(name):
                self.start_anew(name)
                parts, *_ = self.check(name, options=["--verify-period=1"])
                for part in parts.values():
                    tallies = part.tallies.values()
                    self.assertGreater(sum(t.verified for t in tallies), 500)
                    self.assertEqual([t.firsts_wrong for t in tallies
                                      if t.firsts_wrong], [])

    def test_recursion_folds_beyond_a_number_of_contexts(self):
        """Folding begins at any time: in calls, in a chain of tail calls, before
        a jump lands. Verification compares each call with the stack."""
        for name in ("recursion", "tail", "jumps", "exceptions", "stale_slots",
                     "folded_leaps", "folded_jumps", "coroutines_ucontext",
                     "coroutines_switch", "signals"):
            for contexts in 1, 65, 130, 300:
                with self.subTest(name, contexts=contexts):
                    self.start_anew(f"{name}{contexts}")
                    part = self.check_sums(
                        name, folding=f"--fold-recursion={contexts}",
                        options=["--verify-period=1"])
                    tallies = part.tallies.values()
                    self.assertEqual([t.firsts_wrong for t in tallies
                                      if t.firsts_wrong], [])

    def test_recorded_contexts_stay_when_recursion_folds(self):
        recording, (one,) = self.fold([target("recursion")],
                                      folding="--fold-recursion=300")
        (part,) = recording.parts
        self.assertLess(300, len(part.contexts()))
        self.assertLess(len(part.contexts()), len(one.nodes) / 2)
        self.assertIn("recursion folded beyond 300 contexts of a thread",
                      " ".join(self.details(self.recording_path).split()))
        total = self.clew_json("report", "--json", self.recording_path)["total"]
        self.assertEqual((total["folds_recursion"], total["fold_beyond"]),
                         (True, 300))

    def test_programs_with_many_contexts_fold_by_default(self):
        """A tree of calls with 1,111,110 contexts."""
        argv = [target("contexts"), "10", "6", "1", "1"]
        counts = {}
        for folding in [], ["--fold-recursion=never"]:
            self.recording_path = self.work / f"tree{len(folding)}"
            self.assert_same_behaviour(self.run_program(argv),
                                       self.record(argv, folding))
            report = self.clew_json("report", "--json", self.recording_path)
            calls = {one["name"]: one["calls"] for one in report["functions"]
                     if one["calls"]}
            counts[not folding] = report["total"]["contexts"], calls
        (folded, sums), (all_contexts, wanted) = counts[True], counts[False]
        self.assertEqual(sums, wanted)
        self.assertGreater(all_contexts, 1_111_110)
        self.assertLess(folded, all_contexts / 4)
        self.recording_path = self.work / "tree0"
        self.assertIn("missing: the depth of recursion beyond 65,536 contexts",
                      self.clew("report", self.recording_path).stdout)

    def test_traces_may_say_that_they_never_fold(self):
        done = self.record(["true"], ["--fold-recursion=never", "--trace"])
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_wrong_numbers_are_refused(self):
        for number in "0", "x", "1e3", "-1":
            with self.subTest(number):
                done = self.record(["true"], [f"--fold-recursion={number}"],
                                   text=True)
                self.assert_usage_error(done, "--fold-recursion")

    def test_conflicting_options_are_refused(self):
        for options in (["--trace"], ["--time=exact"], ["--java=exact"]):
            with self.subTest(options):
                done = self.record(["true"], ["--fold-recursion", *options],
                                   text=True)
                self.assert_usage_error(done, "--fold-recursion")


if __name__ == "__main__":
    clewtest.main()
