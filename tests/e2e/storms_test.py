#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Signals at 10 kHz, into all that clew does."""
import clewtest
import truth
from clewtest import target


class Storm(clewtest.Case):
    def record_storm(self, mode, options=()):
        self.environment["TRUTH_DIR"] = str(self.truths)
        recorded = self.record([target("storm"), mode], options)
        if recorded.returncode == 77:
            self.skipTest("the processor has no AVX-512")
        *self.said, end = recorded.stdout.splitlines()
        self.assertEqual((end, recorded.returncode), (b"over", 0),
                         recorded.stderr)
        one, = truth.read_all(self.truths)
        part, = self.recording().parts
        self.assert_nothing_lost(part)
        return one, part

    def frequent(self):
        """Verifications, and with them looks at what can be tidied up."""
        rules = self.work / "rules"
        rules.write_text("verify-period 100\n", encoding="utf-8")
        return ["--rules", rules]

    def check(self, mode, options=()):
        one, part = self.record_storm(mode, options)
        self.assert_equals_truth(one, part)
        ticks = sum(calls for _, _, function, calls in one.nodes.values()
                    if one.names.get(function) == "on_tick")
        self.assertGreaterEqual(ticks, 2000)

    def test_handlers_on_the_stack(self):
        self.check("stay")

    def test_handlers_on_their_own_stack(self):
        self.check("stack")

    def test_while_many_hits_are_verified(self):
        self.check("stay", self.frequent())

    def test_wide_vectors_in_what_is_interrupted(self):
        """zmm16 to zmm31 and opmasks, also where clew itself is interrupted."""
        self.check("wide", self.frequent())
        (line,) = self.said
        self.assertGreaterEqual(int(line.split()[1]), 20)

    def check_after_jumps(self):
        """Whether all tables that were left have been given back."""
        for left in self.truths.iterdir():
            left.unlink()
        one, part = self.record_storm("jump", self.frequent())
        calm = next(function for function, name in one.names.items()
                    if name == "calm")
        comparison = truth.Comparison(one, part)
        afterwards = [node for node in
                      set(comparison.wanted) | set(comparison.found)
                      if comparison.trie.path(node)[:1] == [calm]]
        self.assertGreater(len(afterwards), 1000)
        for node in afterwards:
            self.assertEqual(comparison.wanted[node], comparison.found[node])
        return [t.retired for t in part.tallies.values()] == [0]

    def test_handlers_that_jump_out(self):
        """Exact again once they are gone; and a slow path that was left for
        good holds nothing up, though after few storms, on a busy machine,
        one did: nothing but its memory is lost then.
        """
        self.assertTrue(any(self.check_after_jumps() for _ in range(3)))


if __name__ == "__main__":
    clewtest.main()
