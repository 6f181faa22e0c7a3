# SPDX-License-Identifier: MIT
"""What the tests of exports share: recordings with a known content."""
import collections
import os
import subprocess

from lib import clewtest

MAKE_RECORDING = clewtest.BUILD / "tests" / "unit" / "make_recording"
PROGRAM = "synthetic"

THREAD_NAMES = {4242: "main", 4243: "worker"}

Context = collections.namedtuple("Context", "tid calls ns samples path")


class Synthetic:
    """A recording by tests/unit/make_recording, and what it says is in it."""

    def __init__(self, path, contexts=2000, samples=1000,
                 module="/lib/" + PROGRAM):
        self.path = path
        self.name = os.fsdecode(module).rsplit("/", 1)[-1]
        said = subprocess.run([MAKE_RECORDING, path, str(contexts),
                               str(samples), module], check=True,
                              stdout=subprocess.PIPE, text=True).stdout
        self.contexts = [self._context(line) for line in said.splitlines()]

    def _context(self, line):
        tid, calls, ns, samples, path = line.split()
        return Context(int(tid), int(calls), int(ns), int(samples),
                       tuple(f"{self.name}+{vaddr}"
                             for vaddr in path.split(";")))

    def total(self, measure):
        return sum(getattr(one, measure) for one in self.contexts)

    def stacks(self, measure, threads=None):
        """{path: sum} where it is not 0; threads: names to put on top."""
        sums = collections.Counter()
        for one in self.contexts:
            top = (f"{threads[one.tid]} ({one.tid})",) if threads else ()
            sums[top + one.path] += getattr(one, measure)
        return +sums

    def own(self, measure):
        """{function: sum of itself}"""
        sums = collections.Counter()
        for one in self.contexts:
            sums[one.path[-1]] += getattr(one, measure)
        return +sums

    def inclusive(self, measure):
        """{function: sum with all below it}; there is no recursion."""
        sums = collections.Counter()
        for one in self.contexts:
            for function in one.path:
                sums[function] += getattr(one, measure)
        return +sums


class Export(clewtest.Case):
    def synthetic(self, **options):
        return Synthetic(self.work / "synthetic", **options)

    def record(self, argv, options=("--time=none",), **run_options):
        return super().record(argv, options, **run_options)

    def export(self, form, recording, *options):
        """The bytes of `clew export --format FORM`."""
        done = self.clew("export", "--format", form, *options, recording,
                         text=False)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return done.stdout

    def export_file(self, form, recording, *options):
        path = self.work / f"exported.{form}"
        done = self.clew("export", "--format", form, "-o", path, *options,
                         recording)
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (0, "", ""))
        return path

    def run_tool(self, *argv):
        done = self.run_program(argv, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout
