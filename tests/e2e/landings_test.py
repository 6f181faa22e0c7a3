#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Signals that a jump lets through on its way (targets/landings.c)."""
import clewtest
from clewtest import target


class Landings(clewtest.Case):
    def land(self, way, *options, flavour="O2"):
        argv = [target("landings", flavour), way]
        native = self.run_program(argv)
        self.assertEqual((native.stdout, native.returncode),
                         (b"40 handled\n", 0))
        recording, _ = self.record_target(argv, options)
        self.assert_nothing_lost(recording.parts[0])

    def test_siglongjmp(self):
        self.land("siglongjmp")

    def test_siglongjmp_unoptimized(self):
        self.land("siglongjmp", flavour="O0")

    def test_siglongjmp_where_time_is_taken(self):
        self.land("siglongjmp", "--time=exact")

    def test_setcontext(self):
        self.land("setcontext")

    def test_setcontext_unoptimized(self):
        self.land("setcontext", flavour="O0")


if __name__ == "__main__":
    clewtest.main()
