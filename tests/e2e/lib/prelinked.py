# SPDX-License-Identifier: MIT
"""Programs that run with prelinked modules."""
import ctypes
import random
import shutil
import time

from lib import clewtest
from lib.clewtest import PYTHON, until

# Its own mappings of stubs, and of text, and some work.
SHOW = ("maps = open('/proc/self/maps').read().split('\\n'); "
        "print(sum(range(1000)), sum('.prelinked' in line for line in maps), "
        "sum('r-x' in line and '.hooked' in line for line in maps))")
LIBC = ctypes.CDLL(None)
ADDR_NO_RANDOMIZE = 0x40000
CLOCK_REALTIME_COARSE = 5


class Case(clewtest.Case):
    """
    Modules lie where they do each time: by chance they would have their stubs at another
    distance, in another file.
    """

    def before_exec(self):
        LIBC.personality(ADDR_NO_RANDOMIZE)

    def setUp(self):
        super().setUp()
        self.cache = self.work / "cache"
        self.environment["XDG_CACHE_HOME"] = str(self.cache)

    def settled(self, path):
        """Who writes to it from now on leaves another time: it may be kept."""
        self.assertTrue(until(
            lambda: time.clock_gettime_ns(CLOCK_REALTIME_COARSE) >
            path.stat().st_ctime_ns))

    @staticmethod
    def ways_to_spoil(with_traps):
        """(what it is, what becomes of a file's bytes) each."""
        randomness = random.Random(7)
        return {
            "empty": lambda data: b"",
            "noise": lambda data: randomness.randbytes(len(data)),
            "cut": lambda data: data[:len(data) // 2],
            "longer": lambda data: data + data,
            "traps": with_traps,
            "touched": lambda data: data,
        }.items()

    def files(self, kind="prelinked"):
        """The files of stubs, and the seals of each, which are drawn."""
        return {path.name: path.stat().st_mtime_ns
                for path in self.cache.rglob(f"*.{kind}*")}

    def show(self, *options, **run_options):
        """
        How many mappings of stubs a program has that is recorded; self.texts: and of
        code.
        """
        done = self.record([PYTHON, "-S", "-E", "-c", SHOW], options,
                           text=True, **run_options)
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        result, mappings, texts = done.stdout.split()
        self.texts = int(texts)
        self.assertEqual(result, "499500")
        self.assertGreater(self.calls(), 1000)
        self.assert_no_problem()
        shutil.rmtree(self.recording_path)
        return int(mappings)

    def calls(self):
        part, = self.recording().parts
        self.assert_nothing_lost(part)
        return sum(part.counts().values())
