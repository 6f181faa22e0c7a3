#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`clew attach` enters processes in which no written memory may become
executable."""
from lib import clewtest, hardening
from lib.attached import CountingTarget

TIMES = 20


class ByFilter(CountingTarget):
    before = staticmethod(hardening.deny_by_filter)

    def start(self, argv, **options):
        if not hardening.can_deny_by(self.before):
            self.skipTest("no PR_SET_MDWE here")
        return super().start(argv, preexec_fn=self.before, **options)

    def test_counts_are_exact(self):
        self.check_exact_counts()

    def test_each_kind_of_time_is_measured(self):
        for kind in ("cpu", "wall", "exact"):
            with self.subTest(kind):
                self.is_recorded_exactly("--time", kind)

    def test_the_process_survives_many_sessions(self):
        self.let_go()
        for _ in range(TIMES):
            self.detach(self.attach(self.process))
            self.let_go()
        self.assertEqual(self.word(2), 0, "wrong answers")
        self.assert_as_before(self.process)


class ByPrctl(ByFilter):
    before = staticmethod(hardening.deny_by_prctl)


if __name__ == "__main__":
    clewtest.main()
