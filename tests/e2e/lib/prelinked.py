# SPDX-License-Identifier: MIT
"""Test case for programs that run with prelinked modules."""
import ctypes
import random
import shutil
import time

from lib import clewtest
from lib.clewtest import PYTHON, until

# Counts its own mappings of stubs and of text, and does some work.
SHOW = ("maps = open('/proc/self/maps').read().split('\\n'); "
        "print(sum(range(1000)), sum('.prelinked' in line for line in maps), "
        "sum('r-x' in line and '.hooked' in line for line in maps))")
LIBC = ctypes.CDLL(None)
ADDR_NO_RANDOMIZE = 0x40000
CLOCK_REALTIME_COARSE = 5


class Case(clewtest.Case):
    """Disables address randomization. Otherwise the distance between stubs and
    modules, and with it the stub file, would vary."""

    def before_exec(self):
        LIBC.personality(ADDR_NO_RANDOMIZE)

    def setUp(self):
        super().setUp()
        self.cache = self.work / "cache"
        self.environment["XDG_CACHE_HOME"] = str(self.cache)

    def settled(self, path):
        """Waits until any later write would change the file's time stamp, so
        the file may be cached."""
        self.assertTrue(until(
            lambda: time.clock_gettime_ns(CLOCK_REALTIME_COARSE) >
            path.stat().st_ctime_ns))

    @staticmethod
    def ways_to_spoil(with_traps):
        """Returns {name: function that damages a file's bytes}."""
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
        """Returns the time stamps of the stub files, or of other kinds of
        cached files."""
        return {path.name: path.stat().st_mtime_ns
                for path in self.cache.rglob(f"*.{kind}*")}

    def show(self, *options, **run_options):
        """Records a program; returns its number of stub mappings, and sets
        self.texts to that of text."""
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
