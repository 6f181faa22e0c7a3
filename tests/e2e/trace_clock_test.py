#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The times of a trace agree with the program's own clock."""
import json
import statistics

from lib import clewtest
from lib.clewtest import target

COUNT = 200
NS_OFF = 10_000


class Clocks(clewtest.Case):
    PROGRAM = target("beats", "host")

    def beats(self, *arguments, options=()):
        """Returns the (pid, ns) of all beats, as the program prints them and from the trace."""
        done = self.record([self.PROGRAM, COUNT, *arguments],
                           ["--trace", "--stamps=all", *options])
        self.assertEqual(done.returncode, 0, done.stderr)
        printed = sorted(
            ((int(pid), int(ns)) for pid, ns in
             (line.split() for line in done.stdout.decode().splitlines())),
            key=lambda beat: beat[1])
        lines = self.clew("trace", "--json", "-f", "^beat$",
                          self.recording_path).stdout
        calls = [json.loads(line) for line in lines.splitlines()]
        traced = sorted(((call["pid"], call["time_ns"]) for call in calls
                         if "time_ns" in call), key=lambda beat: beat[1])
        self.assertEqual(len(traced), len(printed))
        return printed, traced

    def check(self, *arguments, **options):
        printed, traced = self.beats(*arguments, **options)
        self.assertEqual([pid for pid, _ in traced],
                         [pid for pid, _ in printed], "another order")
        for process in {pid for pid, _ in printed}:
            off = [ours[1] - truth[1]
                   for truth, ours in zip(printed, traced)
                   if truth[0] == process]
            # An interruption between both clock readings makes a call's time wrong.
            self.assertLess(abs(statistics.median(off)), NS_OFF, off)

    def test_stamps_of_calls_have_the_true_time(self):
        self.check()

    def test_hooking_for_long_does_not_shift_times(self):
        self.check(options=["--no-cache", "--libc"])

    def test_events_of_a_forked_child_are_in_true_order(self):
        self.check("fork")

    def test_events_of_an_executed_child_are_in_true_order(self):
        self.check("exec")


if __name__ == "__main__":
    clewtest.main()
