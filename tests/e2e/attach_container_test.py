#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""clew attach to processes with mounts, a root or ids of their own."""
import pathlib
import shutil
import struct
import subprocess

import attach_test
import clewtest
from attach_test import children
from clewtest import CLEW, target, until

OWN_MOUNTS = ["unshare", "-m"]
OWN_IDS = ["unshare", "-p", "-f", "--mount-proc", "--kill-child"]


class Contained:
    """As Popen is asked about it: a process that another has started."""

    def __init__(self, pid):
        self.pid = pid

    def poll(self):
        there = pathlib.Path(f"/proc/{self.pid}").exists()
        return None if there else 0


class Container(attach_test.Attached):
    def setUp(self):
        super().setUp()
        for needed in OWN_MOUNTS, OWN_IDS:
            if not shutil.which("unshare") or \
                    self.run_program([*needed, "true"]).returncode:
                self.skipTest("may make no namespaces here")
        self.memory = None

    def begin(self, within, has_ids=False):
        """A process that counts, started within these words."""
        path = self.work / "busy"
        first = self.start([*within, target("busy"), path],
                           stderr=subprocess.DEVNULL)
        self.assertTrue(until(lambda: path.exists() and
                              path.stat().st_size == 4096))
        self.memory = path
        self.go_on()
        if not has_ids:
            return first
        (pid,) = children(first.pid)
        return Contained(pid)

    def word(self, i):
        return struct.unpack_from("<Q", self.memory.read_bytes(), 8 * i)[0]

    def go_on(self):
        for i in (2, 5):
            now = self.word(i)
            self.assertTrue(until(lambda: self.word(i) > now + 50))

    def is_recorded(self, process, *options):
        before = self.word(3)
        controller = self.attach(process, "-f", "^busy_", *options)
        at_least = self.word(2)
        self.go_on()
        now = self.word(2)
        self.detach(controller)
        made = self.word(3) - before
        report = self.clew_json("report", "--json", self.recording_path)
        self.assertEqual([problem for problem in report["problems"]
                          if "stand at the top" not in problem], [])
        rows = {row["name"]: row["calls"] for row in report["functions"]}
        self.assertGreater(rows["busy_leaf"], 0)
        self.assertLess(rows["busy_leaf"], made + 100000)
        self.assertGreaterEqual(rows["busy_round"] + 10, now - at_least)
        self.assert_as_before(process)
        self.go_on()
        self.assertEqual(self.word(1), 0, "wrong answers")

    def test_mounts_of_its_own(self):
        self.is_recorded(self.begin(OWN_MOUNTS))

    def test_a_root_of_its_own(self):
        """Its files have other names for us."""
        self.assert_as_before = lambda process: None
        root = self.work / "root"
        root.mkdir()
        self.is_recorded(self.begin(
            [*OWN_MOUNTS, "sh", "-c",
             'mount --rbind / "$0" && exec chroot "$0" "$@"', root]))

    def test_ids_of_its_own(self):
        """Twice, with a thread of clew's in it, too."""
        process = self.begin(OWN_IDS, has_ids=True)
        for time in ("wall", "none"):
            self.is_recorded(process, "--time", time)

    def test_a_budget(self):
        process = self.begin(OWN_IDS, has_ids=True)
        out = self.word(4)
        controller = self.attach(process, "-f", "^busy_", "--budget", "50%")
        self.assertTrue(until(lambda: self.word(4) > out))
        self.detach(controller)
        self.assert_as_before(process)
        self.assertEqual(self.word(1), 0, "wrong answers")

    def test_a_controller_that_is_killed(self):
        process = self.begin(OWN_IDS, has_ids=True)
        controller = self.attach(process, "--time", "none")
        controller.kill()
        controller.wait()
        self.go_on()
        done = self.clew("detach", process.pid)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_as_before(process)

    def assert_refused(self, process, *words, output=None):
        done = self.clew("attach", "--for", "0s", "-o",
                         output or self.recording_path, process.pid)
        self.assert_one_line_error(done, process.pid, *words)
        self.go_on()

    def hiding(self, folder):
        """Words within which that folder is another."""
        return [*OWN_MOUNTS, "sh", "-c",
                'mount -t tmpfs none "$0" && exec "$@"', folder]

    def test_one_that_cannot_see_the_library(self):
        hidden = self.work / "hidden"
        hidden.mkdir()
        beside = pathlib.Path(CLEW).parent.parent / "preload/libclew.so"
        if not beside.exists():
            self.skipTest("libclew.so is not where a build has it")
        shutil.copy(beside, hidden)
        process = self.begin(self.hiding(hidden))
        self.environment["CLEW_LIBRARY"] = str(hidden / "libclew.so")
        self.assert_refused(process, hidden / "libclew.so")

    def test_one_that_cannot_see_the_recording(self):
        hidden = self.work / "hidden"
        hidden.mkdir()
        process = self.begin(self.hiding(hidden))
        self.assert_refused(process, hidden / "out", "-o",
                            output=hidden / "out")

    def test_ids_that_its_proc_does_not_show(self):
        process = self.begin([w for w in OWN_IDS if w != "--mount-proc"],
                             has_ids=True)
        self.assert_refused(process, "/proc")


if __name__ == "__main__":
    clewtest.main()
