#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`clew attach` works on processes whose threads constantly load and unload
libraries."""
import pathlib
import struct

from lib import clewtest
from lib.attached import Attached
from lib.clewtest import target, until

ROUNDS = 12
STAYS = 10  # calls per round (tests/targets/unloads.c)

# On a busy machine clew may rightly report "none of its threads was at a point
# where ...".
BUSY = "for 10 seconds, none of its threads|it is loading modules|" \
    "cannot detach|do not stop"


class Unloads(Attached):
    def word(self, i):
        return struct.unpack_from("<q", self.memory, 8 * i)[0]

    def assert_goes_on(self):
        rounds = self.word(1)
        self.assertTrue(until(lambda: self.word(1) > rounds + 20),
                        f"status {self.process.poll()}, "
                        f"{self.word(1) - rounds} rounds")
        self.assertEqual(self.word(2), 0, "wrong results")
        self.assertIsNone(self.process.poll())

    def attach_once(self):
        """Returns whether clew attached and detached."""
        done = self.clew("attach", "-o", self.recording_path, "--time=none",
                         "--for=50ms", self.process.pid)
        if done.returncode:
            self.assertRegex(done.stderr, BUSY)
            self.clew("detach", self.process.pid)
        return done.returncode == 0

    def assert_attaches(self, threads):
        directory = pathlib.Path(target("plugins")).parent
        self.process, self.memory = self.shared(
            "memory", [target("unloads"), directory, threads])
        attached = 0
        for _ in range(ROUNDS):
            if self.attach_once():
                attached += 1
                calls = self.calls()
                # In each thread one round may have begun before the session, or
                # not have ended.
                self.assertAlmostEqual(calls.get("stays", 0),
                                       STAYS * calls.get("starts_round", 0),
                                       delta=STAYS * threads)
            self.assert_goes_on()
        self.assertGreater(attached, ROUNDS // 2)

    def test_attach_succeeds_while_two_threads_unload(self):
        self.assert_attaches(2)

    def test_attach_succeeds_while_four_threads_unload(self):
        self.assert_attaches(4)


if __name__ == "__main__":
    clewtest.main()
