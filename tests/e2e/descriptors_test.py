#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""No descriptor of ours is ever in the program's table where it could tell."""
import clewtest
from clewtest import target

TIMES = "none", "cpu", "wall", "exact"


class Numbers(clewtest.Case):
    def check(self, *argv):
        native = self.run_program(argv)
        self.assertEqual(native.returncode, 0, native.stderr)
        for time in TIMES:
            with self.subTest(time=time):
                self.assert_same_behaviour(
                    native, self.record(argv, ("--time", time)))
                self.assertTrue(self.recording().parts[0].counts())

    def test_a_thread_gets_those_that_it_gets_natively(self):
        self.check(target("descriptors"), "numbers")


if __name__ == "__main__":
    clewtest.main()
