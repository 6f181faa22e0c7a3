# SPDX-License-Identifier: MIT
"""Starts processes in their own mount, PID and user namespaces as targets of
`clew attach`."""
import pathlib
import shutil
import struct
import subprocess

from lib.attached import Attached, children
from lib.clewtest import CLEW, target, until

OWN_MOUNTS = ["unshare", "-m"]
OWN_IDS = ["unshare", "-p", "-f", "--mount-proc", "--kill-child"]


class Contained:
    """A process that another one started, with the methods of Popen that tests
    use."""

    def __init__(self, pid):
        self.pid = pid

    def poll(self):
        there = pathlib.Path(f"/proc/{self.pid}").exists()
        return None if there else 0


class ContainerCase(Attached):
    def setUp(self):
        super().setUp()
        for needed in OWN_MOUNTS, OWN_IDS:
            if not shutil.which("unshare") or \
                    self.run_program([*needed, "true"]).returncode:
                self.skipTest("may make no namespaces here")
        self.memory = None

    def begin(self, within, has_ids=False):
        """Starts a counting process below the command `within`."""
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
                          if "appear at the top" not in problem], [])
        rows = {row["name"]: row["calls"] for row in report["functions"]}
        self.assertGreater(rows["busy_leaf"], 0)
        self.assertLess(rows["busy_leaf"], made + 100000)
        self.assertGreaterEqual(rows["busy_round"] + 10, now - at_least)
        self.assert_as_before(process)
        self.go_on()
        self.assertEqual(self.word(1), 0, "wrong answers")

    def assert_refused(self, process, *words, output=None):
        done = self.clew("attach", "--for", "0s", "-o",
                         output or self.recording_path, process.pid)
        self.assert_one_line_error(done, process.pid, *words)
        self.go_on()

    def hiding(self, folder):
        """Returns a command prefix that hides the folder below an empty file
        system."""
        return [*OWN_MOUNTS, "sh", "-c",
                'mount -t tmpfs none "$0" && exec "$@"', folder]

    def library(self):
        beside = pathlib.Path(CLEW).parent.parent / "preload/libclew.so"
        if not beside.exists():
            self.skipTest("libclew.so is not where a build has it")
        return beside
