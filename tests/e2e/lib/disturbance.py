# SPDX-License-Identifier: MIT
"""Tests of times, on machines that others use as well.

Who else wants the processor is in one of the two times that a test compares
and not in the other; a tick is charged to whoever runs then. What is wrong with
us is wrong each time, so times that disagree are measured again, in
the hope of a quieter moment. All else is wrong at once.
"""
import functools
import time

PATIENCE_S = 60
ATTEMPTS_MIN = 6


class Disturbed(AssertionError):
    """Times do not agree."""


class Restless(Disturbed):
    """What is tested is for threads that run for a while: none does here."""


def undisturbed(test):
    """Repeats a test whose times do not agree; skips it if it cannot run."""
    @functools.wraps(test)
    def run(self):
        end = time.monotonic() + PATIENCE_S
        attempts = 0
        while True:
            attempts += 1
            try:
                return test(self)
            except Disturbed as why:
                if attempts < ATTEMPTS_MIN or time.monotonic() < end:
                    continue
                if isinstance(why, Restless):
                    self.skipTest("no thread here runs for a while")
                raise
    return run


class Agreement:
    """Of many times, each of which must agree in one of the attempts."""

    def __init__(self, share):
        self.share = share
        self.agreed = set()
        self.disagreed = {}

    def compare(self, what, found, wanted):
        """`what` is the same in each attempt."""
        if abs(found - wanted) < self.share * wanted:
            self.agreed.add(what)
        else:
            self.disagreed[what] = f"{what}: {found}, not {wanted}"

    def conclude(self):
        """At the end of an attempt."""
        open_still = [why for what, why in self.disagreed.items()
                      if what not in self.agreed]
        self.disagreed = {}
        if open_still:
            raise Disturbed("; ".join(open_still))
