# SPDX-License-Identifier: MIT
"""Process families and control groups as targets of `clew attach`."""
import mmap
import pathlib
import signal
import struct
import subprocess

from lib import wire
from lib.attached import PATIENCE_S, Attached, changed_code
from lib.clewtest import CLEW, target, until


class Family:
    """A process and its descendants, which count their own calls."""

    def __init__(self, case, name, *arguments, program=None):
        self.case = case
        self.path = case.work / name
        self.process = case.start(
            [program or target("family"), self.path, *arguments])
        case.assertTrue(until(lambda: self.path.exists() and
                              self.path.stat().st_size))
        with self.path.open("r+b") as file:
            self.memory = mmap.mmap(file.fileno(), 0)
        case.addCleanup(self.memory.close)
        case.assertTrue(until(lambda: self.word(0)))

    def word(self, i):
        return struct.unpack_from("<Q", self.memory, 8 * i)[0]

    def member(self, place, what):
        return self.word(4 + 4 * place + what)

    @property
    def size(self):
        return self.word(3)

    def pids(self):
        return [self.member(i, 0) for i in range(self.size)]

    def counted(self):
        """Returns {pid: calls} as the processes count them."""
        return {self.member(i, 0): self.member(i, 2) + self.member(i, 3)
                for i in range(self.size)}

    def hold(self, without=()):
        """Waits until no process calls, or is in, a counted function."""
        struct.pack_into("<Q", self.memory, 8, 0)
        self.case.assertTrue(until(lambda: all(
            self.member(i, 1) for i in range(self.size)
            if self.member(i, 0) not in without)))

    def let_go(self, without=()):
        """Waits until each process has made some rounds."""
        before = [self.member(i, 3) for i in range(self.size)]
        struct.pack_into("<Q", self.memory, 8, 1)
        self.case.assertTrue(until(lambda: all(
            self.member(i, 3) > before[i] + 20 for i in range(len(before))
            if self.member(i, 0) not in without)))

    def grow(self):
        """Lets the family fork one more process; returns its process id."""
        size = self.size
        struct.pack_into("<Q", self.memory, 16, self.word(2) + 1)
        self.case.assertTrue(until(lambda: self.size == size + 1))
        return self.member(size, 0)


class Grouped(Attached):
    def group(self, *options):
        """Starts a controller for the chosen processes and waits until it has
        attached."""
        controller = subprocess.Popen(
            [str(word) for word in
             (CLEW, "attach", "-o", self.recording_path, "--time", "none",
              "-f", "^family_", *options)],
            cwd=self.work, env=self.environment, stderr=subprocess.PIPE,
            text=True)
        self.addCleanup(controller.stderr.close)
        self.addCleanup(controller.wait)
        self.addCleanup(controller.kill)
        self.refused = []
        for line in controller.stderr:
            if "attached to" in line:
                return controller
            self.refused.append(line)
        self.fail("".join(self.refused))

    def end(self, controller, status=0):
        """Interrupts the controller; returns its output."""
        controller.send_signal(signal.SIGINT)
        said = controller.stderr.read()
        self.assertEqual(controller.wait(PATIENCE_S), status, said)
        return said

    def recorded(self):
        """Returns {pid: calls}; asserts that each process has only one part."""
        recording = wire.Recording(self.recording_path)
        pids = [part.pid for part in recording.parts]
        self.assertEqual(len(set(pids)), len(pids), "two parts of one process")
        calls = {}
        for pid in pids:
            report = self.clew_json("report", "--json", "--process", str(pid),
                                    self.recording_path)
            self.assertEqual(report["problems"], [])
            self.assertEqual(report["lost"], {})
            calls[pid] = sum(f["calls"] for f in report["functions"])
        return calls

    def assert_left(self, pids):
        for pid in pids:
            status = pathlib.Path(f"/proc/{pid}/status").read_text()
            self.assertIn("TracerPid:\t0\n", status)
            self.assertEqual(changed_code(pid), [], pid)

    def is_recorded_exactly(self, families, *options):
        for family in families:
            family.hold()
        before = [family.counted() for family in families]
        controller = self.group(*options)
        self.assertEqual(self.refused, [])
        for family in families:
            family.let_go()
            family.hold()
        self.end(controller)
        self.assertEqual(self.recorded(), {
            pid: calls - before[i][pid]
            for i, family in enumerate(families)
            for pid, calls in family.counted().items()})
        for family in families:
            self.assert_left(family.pids())
