# SPDX-License-Identifier: MIT
"""Tests of times, on machines that other processes use also.

Another process that wants the CPU may affect one of the two times that a test
compares, and not the other. A clock tick is charged to the thread that runs
then. An error of clew's occurs each time. Times that disagree are therefore
measured again, when the machine may be less busy. All other failures are
reported at once.
"""
import functools
import time

PATIENCE_S = 60
ATTEMPTS_MIN = 6


class Disturbed(AssertionError):
    """The times do not agree."""


class Restless(Disturbed):
    """The machine cannot run the test now, for example because no thread runs
    for long. If this remains so, the test is skipped."""


def undisturbed(test):
    """Repeats a test, or a part of one, whose times do not agree; skips it if
    it cannot run."""
    @functools.wraps(test)
    def run(self, *arguments, **options):
        end = time.monotonic() + PATIENCE_S
        attempts = 0
        while True:
            attempts += 1
            try:
                return test(self, *arguments, **options)
            except Disturbed as why:
                if attempts < ATTEMPTS_MIN or time.monotonic() < end:
                    continue
                if isinstance(why, Restless):
                    self.skipTest(str(why))
                raise
    return run


class Agreement:
    """Compares many times, each of which must agree in one of the attempts."""

    def __init__(self, share):
        self.share = share
        self.agreed = set()
        self.disagreed = {}

    def compare(self, what, found, wanted):
        """`what` must identify the time in each attempt."""
        if abs(found - wanted) < self.share * wanted:
            self.agreed.add(what)
        else:
            self.disagreed[what] = f"{what}: {found}, not {wanted}"

    def conclude(self):
        """Ends an attempt; raises Disturbed if a time has not yet agreed."""
        open_still = [why for what, why in self.disagreed.items()
                      if what not in self.agreed]
        self.disagreed = {}
        if open_still:
            raise Disturbed("; ".join(open_still))
