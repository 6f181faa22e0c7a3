#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Beyond a limit calls fold: all of them are counted, below the right caller.

A recorded context has all of its calls. Calls of other contexts count in the
"(folded)" context below the nearest recorded caller.
"""
import collections
import pathlib
import resource
import subprocess

from lib import clewtest, truth, wire
from lib.clewtest import target


class Folding(truth.Comparison):
    """Compares a truth with the part of a process that had no room for all
    contexts."""

    def __init__(self, one, part, tid=None):
        self.recorded = {truth.NOWHERE}
        self.folds = collections.Counter()  # by trie node of the caller
        super().__init__(one, part, tid)

    def _lay_context(self, above, context, calls, counts):
        if context.function == wire.FOLDED:
            self.folds[above] += calls
            return above
        node = super()._lay_context(above, context, calls, counts)
        self.recorded.add(node)
        return node

    def differences(self):
        wanted = collections.Counter()
        folds = collections.Counter()
        for node, calls in self.wanted.items():
            if node in self.recorded:
                wanted[node] += calls
                continue
            while node not in self.recorded:
                node, _ = self.trie.back[node]
            folds[node] += calls
        # Functions called beside main() may fold also, without a caller.
        others = self.folds[truth.NOWHERE] - folds[truth.NOWHERE]
        self.folds[truth.NOWHERE] -= max(0, others)
        self.wanted, self.found = wanted + folds, self.found + self.folds
        return super().differences()


class Contexts(clewtest.Case):
    """Any value of --max-contexts works."""

    def record_all(self, name):
        self.environment["TRUTH_DIR"] = str(self.truths)
        self.record([target(name)], ["-m", f"*{name}*"])
        part, = self.recording().parts
        return part

    def check(self, name, limit, whole):
        for old in self.truths.iterdir():
            old.unlink()
        self.recording_path = self.work / f"{name}.{limit}"
        recorded = self.record([target(name)],
                               ["-m", f"*{name}*", "--max-contexts", str(limit)])
        self.assertEqual(recorded.returncode, 0)
        part, = self.recording().parts
        one, = truth.read_all(self.truths)
        differences = Folding(one, part).differences()
        self.assertEqual(differences, [])
        self.assert_nothing_lost(part)
        self.assert_callers_are_recorded(part)
        self.assertEqual(sum(part.counts().values()),
                         sum(whole.counts().values()))
        folds = part.folds()
        self.assertEqual(sum(folds), folds[wire.FOLD_CONTEXTS])
        self.assertEqual(sum(folds) > 0, limit < whole.recorded)
        self.assertEqual(
            sum(c.function != wire.FOLDED for c in part.contexts().values()),
            min(limit, len(whole.contexts())))
        return part

    def check_all(self, name, least=1):
        whole = self.record_all(name)
        contexts = len(whole.contexts())
        self.assertGreater(contexts, 15)
        for limit in sorted({1, 2, 10, 100, contexts // 2, contexts - 9,
                             contexts - 1, contexts, contexts + 1}):
            if limit < least:
                continue
            with self.subTest(name=name, limit=limit):
                self.check(name, limit, whole)

    def test_recursion_folds_and_is_counted(self):
        self.check_all("recursion")

    def test_tail_calls_fold_and_are_counted(self):
        self.check_all("tail")

    def test_jumps_between_folded_functions_are_counted(self):
        """Jumps land in folded functions and in others."""
        self.check_all("jumps")

    def test_exceptions_fold_and_are_counted(self):
        self.check_all("exceptions")

    def test_coroutines_fold_and_are_counted(self):
        # The functions that start the coroutines are recorded; the truth omits
        # them.
        self.check_all("coroutines_ucontext", least=5)

    def check_each_thread(self, name, *arguments):
        """Compares the threads of each process separately: other threads do not
        matter."""
        self.environment["TRUTH_DIR"] = str(self.truths)
        for limit in 1, 3, 5, 7, 10, 15, 40:
            for old in self.truths.iterdir():
                old.unlink()
            self.recording_path = self.work / str(limit)
            with self.subTest(limit):
                recorded = self.record([target(name), *arguments],
                                       ["-m", f"*{name}*",
                                        "--max-contexts", str(limit)])
                self.assertEqual(recorded.returncode, 0)
                parts = {part.pid: part for part in self.recording().parts}
                truths = truth.read_all(self.truths)
                self.assertEqual(len(parts), len(truths))
                for one in truths:
                    part = parts[one.pid]
                    self.assert_nothing_lost(part)
                    for tid in one.threads():
                        self.assertEqual(
                            Folding(one, part, tid).differences(), [])
                folds = sum(part.folded_calls() for part in parts.values())
                self.assertTrue(folds or limit > 10)

    def test_threads_fold_and_are_counted(self):
        self.check_each_thread("threads")

    def test_children_forked_in_folded_calls_are_counted(self):
        self.check_each_thread("processes", "fork")


class ManyContexts(clewtest.Case):
    """Creates 1,112 contexts, whose tables and chunks are full at various
    limits."""

    ARGUMENTS = ["10", "3", "20"]
    CALLS = 20 * 1110

    def fold(self, *options):
        recorded = self.record([target("contexts"), *self.ARGUMENTS],
                               ["-m", "contexts", *options])
        self.assertEqual(recorded.returncode, 0)
        part, = self.recording().parts
        self.assert_nothing_lost(part)
        self.assert_callers_are_recorded(part)
        return part

    def below_grow(self, part):
        """Returns the calls below grow() by depth; folded calls have a greater
        depth."""
        calls, depths = part.counts(), collections.Counter()
        contexts = part.contexts()
        for context in contexts.values():
            if context.depth >= 3:
                depths[context.depth] += calls.get(context.id, 0)
        return depths

    def test_counts_are_exact_at_every_limit(self):
        for limit in (1, 2, 3, 4, 10, 100, 200, 208, *range(988, 1026, 3),
                      1023, 1100, 1111, 1112, 1113):
            with self.subTest(limit):
                self.recording_path = self.work / str(limit)
                part = self.fold("--max-contexts", str(limit))
                self.assertEqual(sum(part.folds()),
                                 part.folds()[wire.FOLD_CONTEXTS])
                total = sum(part.counts().values())
                self.assertGreaterEqual(total, self.CALLS + 21)
                if limit >= 4:
                    self.assertEqual(sum(self.below_grow(part).values()),
                                     self.CALLS)

    def test_report_counts_folded_calls_by_reason(self):
        part = self.fold("--max-contexts", "1000")
        report = self.details(self.recording_path)
        self.assertIn(f"folded: {part.folded_calls():,} calls", report)
        self.assertIn("beyond the limit of 1,000 contexts", report)
        shown = self.clew_json("report", "--json", self.recording_path)
        self.assertEqual(shown["folded"], {
            "beyond the limit of 1,000 contexts": part.folded_calls()})
        self.assertEqual(shown["total"]["folded"], part.folded_calls())


class Bytes(clewtest.Case):
    """--max-memory limits tables, contexts and samples."""

    def spent(self, part):
        kinds = {wire.TALLY, wire.CONTEXTS, wire.TABLE, wire.SAMPLES}
        return sum(size for kind, size in part.chunk_sizes()
                   if kind in kinds)

    def check(self, limit, *options):
        self.recording_path = self.work / str(limit)
        recorded = self.record([target("contexts"), "10", "4", "30"],
                               ["--max-memory", str(limit), *options],
                               text=True)
        self.assertEqual(recorded.returncode, 0, recorded.stderr)
        part, = self.recording().parts
        self.assertEqual(part.losses.count(0), len(part.losses))
        self.assert_callers_are_recorded(part)
        self.assertLessEqual(self.spent(part), max(limit, 8192 + 4096))
        self.assertGreaterEqual(sum(part.counts().values()), 30 * 11110)
        self.assertEqual(sum(part.folds()), part.folds()[wire.FOLD_BYTES])
        self.assertGreater(sum(part.folds()), 0)
        return part

    def test_folds_bound_the_recorded_contexts(self):
        for limit in 1, 4096, 10000, 20000, 65536, 131072, 300000, 500000:
            for time in "none", "cpu":
                with self.subTest(limit=limit, time=time):
                    self.check(limit, "--time", time)

    def test_limit_of_memory_is_named_as_the_reason(self):
        self.check(131072)
        report = self.details(self.recording_path)
        self.assertIn("beyond the limit of 131,072 bytes", report)

    def test_limit_of_memory_holds_for_each_process(self):
        self.environment["TRUTH_DIR"] = str(self.truths)
        self.record([target("processes"), "fork"], ["--max-memory", "20K"])
        recording = self.recording()
        self.assertEqual(len(recording.parts), 13)
        for part in recording.parts:
            self.assertLessEqual(self.spent(part), 20480)

    def test_samples_beyond_the_limit_of_memory_are_reported(self):
        recorded = self.record([target("loads"), "1000"],
                               ["--max-memory", "30K", "--rate", "50000"])
        self.assertEqual(recorded.returncode, 0, recorded.stderr)
        part, = self.recording().parts
        if not part.samples:
            self.skipTest("this process cannot be sampled")
        self.assertLessEqual(len(part.samples) * wire.SAMPLE.size, 15360)


class NoRoom(clewtest.Case):
    """The recording cannot grow; the report gives the reason, and no call is
    lost."""

    def check(self, cause, words, path):
        self.recording_path = path
        recorded = self.record([target("contexts"), "10", "5", "2"],
                               ["--time=none", "-m", "contexts"])
        self.assertEqual(recorded.returncode, 0, recorded.stderr)
        part, = self.recording().parts
        self.assertEqual(part.losses.count(0), len(part.losses))
        self.assert_callers_are_recorded(part)
        folds = part.folds()
        self.assertGreater(folds[cause], 0)
        self.assertEqual(sum(folds), folds[cause])
        self.assertGreaterEqual(sum(part.counts().values()), 2 * 111110)
        self.assertIn(words, self.details(path))

    def test_counting_survives_a_full_address_space(self):
        """The limit leaves room for a first table and little more."""
        self.before_exec = lambda: resource.setrlimit(
            resource.RLIMIT_AS, (51 << 20, 51 << 20))
        self.check(wire.FOLD_MEMORY, "no memory or address space",
                   self.work / "clew.out")

    def test_contexts_beyond_the_largest_file_are_folded(self):
        self.before_exec = lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (700 << 10, 700 << 10))
        self.check(wire.FOLD_SPACE, "could not grow", self.work / "clew.out")

    def test_counting_survives_a_full_disk(self):
        disk = pathlib.Path(self.work / "disk")
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=700k", "none",
                           disk], stderr=subprocess.DEVNULL,
                          check=False).returncode:
            self.skipTest("nothing can be mounted here")
        self.addCleanup(subprocess.run, ["umount", disk], check=True)
        self.check(wire.FOLD_SPACE, "could not grow", disk / "clew.out")


if __name__ == "__main__":
    clewtest.main()
