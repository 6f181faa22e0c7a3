#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Long preparations before counting run in slices.

Between the slices the borrowed thread continues, modules may be loaded and
unloaded, and the controller may be killed.
"""
import mmap
import pathlib
import struct
import subprocess

from lib import clewtest
from lib.attached import Attached, children
from lib.clewtest import CLEW, PYTHON, kill_with_guardian, until

# Constants from wire/attachment.h.
NONE, PREPARING = 0, 5

ATTEMPTS = 20

# A program with one thread. The words of its memory are: ready, rounds, wrong
# answers, requested action.
LOAD, FORK = 2, 3
PROGRAM = """
import mmap, os, sys, zlib, _ctypes
with open(sys.argv[1], "r+b") as file:
    words = memoryview(mmap.mmap(file.fileno(), 0)).cast("Q")
right = zlib.crc32(b"x" * 1000)
children = []
words[0] = 1
def crowd():
    child = os.fork()
    if child:
        return children.append(child)
    while words[3] == 3 and os.getppid() != 1:
        if zlib.crc32(b"x" * 1000) != right:
            os._exit(1)
    os._exit(0)
while True:
    if words[3] == 2:
        for name in sys.argv[2:]:
            _ctypes.dlclose(_ctypes.dlopen(name, os.RTLD_NOW))
            for _ in range(2000):
                words[2] += zlib.crc32(b"x" * 1000) != right
    elif words[3] == 3 and len(children) < 8:
        crowd()
    elif words[3] == 1 and children:
        words[2] += os.waitpid(children.pop(), 0)[1] != 0
    words[2] += zlib.crc32(b"x" * 1000) != right
    words[1] += 1
"""

# Libraries of some size that are rarely linked with -z nodelete.
LIBRARIES = ("libsqlite3.so.0", "libstdc++.so.6", "libxml2.so.2", "libpng16.so.16",
             "libexpat.so.1")


def is_here(library):
    return subprocess.run([PYTHON, "-c", "import ctypes, sys; "
                           "ctypes.CDLL(sys.argv[1])", library],
                          stderr=subprocess.DEVNULL).returncode == 0


class Slices(Attached):
    def setUp(self):
        super().setUp()
        script = self.work / "program.py"
        script.write_text(PROGRAM)
        path = self.work / "words"
        path.write_bytes(bytes(4096))
        self.process = self.start([
            PYTHON, script, path, *filter(is_here, LIBRARIES)])
        with path.open("r+b") as file:
            self.memory = mmap.mmap(file.fileno(), 0)
        self.addCleanup(self.memory.close)
        self.assertTrue(until(lambda: self.word(0)))
        symbols = subprocess.run(
            ["nm", "-D", clewtest.BUILD / "preload" / "libclew.so"], check=True,
            stdout=subprocess.PIPE, text=True).stdout
        self.offset = next(int(line.split()[0], 16)
                           for line in symbols.splitlines()
                           if line.endswith(" clew_attachment"))
        self.attachment = None

    def word(self, i):
        return struct.unpack_from("<Q", self.memory, 8 * i)[0]

    def wish(self, what):
        struct.pack_into("<Q", self.memory, 24, what)

    def state(self):
        """Returns the state that the library reports; 0 before it is loaded."""
        maps = pathlib.Path(f"/proc/{self.process.pid}/maps").read_text()
        for line in maps.splitlines() if not self.attachment else ():
            if line.endswith("/libclew.so"):
                self.attachment = int(line.split("-")[0], 16) + self.offset
                break
        return self.state_in(self.process.pid) if self.attachment else 0

    def state_in(self, pid):
        """Returns the state in the process or in a child, which may have been
        forked before the library was loaded."""
        try:
            with open(f"/proc/{pid}/mem", "rb", 0) as memory:
                memory.seek(self.attachment + 4)
                return struct.unpack("<I", memory.read(4))[0]
        except OSError:
            return NONE

    def begin(self, *options):
        controller = subprocess.Popen(
            [CLEW, "attach", "-o", self.recording_path, *options,
             str(self.process.pid)], cwd=self.work, env=self.environment,
            stderr=subprocess.PIPE, text=True)
        self.addCleanup(controller.stderr.close)
        self.addCleanup(controller.wait)
        self.addCleanup(controller.kill)
        return controller

    def assert_goes_on(self):
        rounds = self.word(1)
        self.assertTrue(until(lambda: self.word(1) > rounds + 10))
        self.assertEqual(self.word(2), 0, "wrong answers")
        self.assertIsNone(self.process.poll())

    def is_begun(self, controller):
        """Returns whether some but not all slices are complete; the check may
        come too late."""
        former = now = self.state()
        while now in (NONE, former) and controller.poll() is None:
            now = self.state()
        return now == PREPARING

    def begun(self, others=iter(range(1000))):
        """Returns a controller that is still preparing; other options force it
        to prepare all anew."""
        for _ in range(ATTEMPTS):
            controller = self.begin("-F", f"^none_of_these_{next(others)}$")
            if self.is_begun(controller):
                return controller
            self.assertIn("attached to", controller.stderr.readline())
            self.detach(controller)
        raise self.failureException("nobody has seen it being made ready")

    def end(self, controller):
        kill_with_guardian(controller)

    def assert_attaches(self, pid):
        done = self.clew("attach", "-o", self.work / "other", "--for", "20ms",
                         pid)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("detached from", done.stderr)

    def seen_meanwhile(self):
        """Returns how many different rounds the program ran during the
        preparation."""
        controller, seen = self.begun(), set()
        while self.state() == PREPARING:
            seen.add(self.word(1))
        self.assertIn("attached to", controller.stderr.readline())
        self.detach(controller)
        return len(seen)

    def test_the_only_thread_runs_between_slices(self):
        self.assertTrue(any(self.seen_meanwhile() > 2
                            for _ in range(ATTEMPTS)))
        self.assert_goes_on()
        self.assert_as_before(self.process)

    def test_modules_may_be_loaded_and_unloaded_between_slices(self):
        self.wish(LOAD)
        for _ in range(6):
            controller = self.begun()
            self.assertIn("attached to", controller.stderr.readline())
            self.detach(controller)
            self.assert_goes_on()
        self.wish(1)
        self.assert_goes_on()
        self.assert_as_before(self.process)

    def test_next_controller_completes_a_begun_preparation(self):
        """The next controller completes the preparation."""
        for _ in range(3):
            self.end(self.begun())
            self.assert_goes_on()
            self.assert_attaches(self.process.pid)
            self.end(self.begun())
            self.assert_goes_on()
            done = self.clew("detach", self.process.pid)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assert_goes_on()
            self.assert_as_before(self.process)

    def test_child_forked_between_slices_can_be_attached_to(self):
        """The child discards the parent's preparation, and can be attached
        to."""
        controller = self.begun()
        self.wish(FORK)
        self.end(controller)
        self.assertTrue(until(lambda: len(children(self.process.pid)) == 8))
        begun = [child for child in children(self.process.pid)
                 if self.state_in(child) == PREPARING]
        self.assertNotEqual(begun, [])
        for child in [*begun[:2], self.process.pid, *begun[2:4]]:
            self.assert_attaches(child)
        self.wish(1)
        self.assertTrue(until(lambda: not children(self.process.pid)))
        self.assert_goes_on()
        self.assert_as_before(self.process)


if __name__ == "__main__":
    clewtest.main()
