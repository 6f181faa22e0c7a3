#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The program never sees a file descriptor of clew."""
import os
import resource
import tempfile
import unittest

from lib import clewtest, seccomp, wire
from lib.clewtest import slow, target

TIMES = "none", "cpu", "wall", "exact"
PROGRAM = target("descriptors")


class Numbers(clewtest.Case):
    def check(self, *argv, **options):
        native = self.run_program(argv, **options)
        self.assertEqual(native.returncode, 0, native.stderr)
        for time in TIMES:
            with self.subTest(time=time):
                self.assert_same_behaviour(
                    native, self.record(argv, ("--time", time), **options))
                for part in self.recording().parts:
                    self.assertTrue(part.counts())
                    self.assertEqual(list(part.losses), [0] * 8)

    def test_open_descriptors_are_those_of_a_native_run(self):
        self.check(PROGRAM, "list")

    def test_threads_get_the_descriptors_of_a_native_run(self):
        self.check(PROGRAM, "numbers")

    @slow
    def test_child_without_free_descriptors_runs(self):
        self.check("/bin/sh", "-c", f"ulimit -n 40; exec {PROGRAM} full")


class Files(clewtest.Case):
    """The program opens files whose descriptors could collide with clew's."""

    BYTES = b"precious data\n" * 1000

    def test_a_thread_that_closes_everything_keeps_its_file(self):
        native = self.run_program([PROGRAM, "seize"])
        self.assertEqual(native.stdout.count(b"as it was"), 2)
        for time in TIMES:
            with self.subTest(time=time):
                self.assert_same_behaviour(
                    native, self.record([PROGRAM, "seize"], ("--time", time)))
                self.assertEqual(len(self.recording().parts), 2)

    def test_files_inherited_at_a_thousand_numbers_are_not_touched(self):
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)
        if limit[1] < 1200:
            self.skipTest("too few descriptors are allowed here")
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit[1], limit[1]))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, limit)
        with tempfile.TemporaryFile(dir=self.work) as file:
            file.write(self.BYTES)
            file.flush()
            copies = []
            while not copies or copies[-1] < 1100:
                copies.append(os.dup(file.fileno()))
            for argv in ([PROGRAM, "list"], [PROGRAM, "full"]):
                native = self.run_program(argv, pass_fds=copies)
                recorded = self.record(argv, pass_fds=copies)
                self.assert_same_behaviour(native, recorded)
                self.assertEqual(os.pread(copies[0], 1 << 20, 0), self.BYTES)
            for copy in copies:
                os.close(copy)


class Few(clewtest.Case):
    """Limits so low that the program can hardly start."""

    def check(self, limit, program):
        argv = ["/bin/sh", "-c", f"ulimit -n {limit}; exec {program}"]
        with self.subTest(limit=limit, program=program):
            native, recorded = self.run_program(argv), self.record(argv)
            self.assertEqual(native.stdout, recorded.stdout)
            self.assertEqual(native.returncode, recorded.returncode)
            if limit > 3:  # with three descriptors the loader can load nothing
                self.assertEqual(native.stderr, recorded.stderr)
                self.assertEqual(self.recording().parts[-1].state, wire.ENDED)

    def test_output_is_the_same_under_each_descriptor_limit(self):
        for limit in range(3, 41):
            self.check(limit, f"{PROGRAM} list-last")
        for limit in 3, 4, 5, 25, 26:
            self.check(limit, f"{PROGRAM} list")
            self.check(limit, f"{clewtest.PYTHON} -c 'print(sum(range(9)))'")


class Growth(clewtest.Case):
    """The recording grows even if the program can no longer open or map
    files."""

    def check(self, event):
        native = self.run_program([PROGRAM, event])
        self.assertEqual(native.returncode, 0, native.stderr)
        for time in "none", "exact":
            with self.subTest(time=time):
                self.assert_same_behaviour(
                    native,
                    self.record([PROGRAM, event],
                                ("--time", time, "--fold-recursion=never")))
                part, = self.recording().parts
                self.assertGreater(part.recorded, 65000)
                self.assertEqual(list(part.losses), [0] * 8)

    def test_recording_grows_after_all_descriptors_were_closed(self):
        self.check("closed")

    def test_recording_grows_on_an_older_kernel(self):
        self.before_exec = seccomp.be_an_older_kernel
        self.check("closed")

    def test_recording_grows_after_files_were_limited(self):
        self.check("limit")

    @unittest.skipIf(os.geteuid(), "only root can")
    def test_recording_grows_in_another_root(self):
        self.check("root")

    @unittest.skipIf(os.geteuid(), "only root can")
    def test_recording_grows_as_another_user(self):
        self.check("user")


if __name__ == "__main__":
    clewtest.main()
