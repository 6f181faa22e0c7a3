#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A signal before every instruction of what clew adds to a call."""
import unittest

import clewtest
from clewtest import target


class EveryStep(clewtest.Case):
    """The program traces itself, and counts its calls (targets/steps.c)."""

    def interrupt(self, act, calls, *options, depth=10):
        argv = [target("steps"), act, calls, depth]
        native = self.run_program(argv)
        if native.returncode == clewtest.SKIPPED:
            self.skipTest("ptrace is not permitted here")
        self.assertEqual((native.stdout, native.returncode), (b"done\n", 0))
        options = ["-m", "steps", *options]
        recording, (one,) = self.record_target(argv, options)
        part = recording.part(one.pid)
        self.assert_nothing_lost(part)
        return part

    def test_new_contexts_in_a_hit(self):
        self.interrupt("calls", "hits")

    def test_new_contexts_in_a_miss(self):
        self.interrupt("calls", "misses")

    def test_new_contexts_in_a_tail_call(self):
        self.interrupt("calls", "tails")

    # The child goes on with what its parent was interrupted in.

    def test_a_fork_in_a_hit(self):
        self.interrupt("forks", "hits", depth=3)

    def test_a_fork_in_a_miss(self):
        self.interrupt("forks", "misses", depth=3)

    def test_a_fork_in_a_tail_call(self):
        self.interrupt("forks", "tails", depth=3)

    def test_a_fork_that_nobody_is_told_of_in_a_hit(self):
        self.interrupt("bare", "hits", depth=3)

    def test_a_fork_that_nobody_is_told_of_in_a_miss(self):
        self.interrupt("bare", "misses", depth=3)

    # The thread is suspended meanwhile; its table has eight megabytes.

    def test_an_unwinder_in_a_hit(self):
        self.interrupt("phdrs", "hits", depth=17)

    def test_an_unwinder_in_a_miss(self):
        self.interrupt("phdrs", "misses", depth=17)

    def test_an_unwinder_in_a_tail_call(self):
        self.interrupt("phdrs", "tails", depth=17)

    def test_an_unwinder_where_time_is_taken(self):
        self.interrupt("phdrs", "hits", "--time=exact", depth=17)

    def test_an_unwinder_in_a_tail_call_where_time_is_taken(self):
        self.interrupt("phdrs", "tails", "--time=exact", depth=17)


if __name__ == "__main__":
    clewtest.main()
