# SPDX-License-Identifier: MIT
"""Test case for programs of tests/targets/ whose calls are recorded by
handlers."""
import platform
import re

from lib import clewtest
from lib.clewtest import ROOT

HERE = ROOT / "tests" / "e2e"
COUNT = 40


class Case(clewtest.Case):
    def setUp(self):
        super().setUp()
        self.program = self.work / "handled"
        self.compile("gcc", "-pthread", "-rdynamic", "-o", self.program,
                     HERE / "handled.c")

    def compile(self, *argv):
        done = self.run_program(
            [argv[0], "-O2", "-I", ROOT / "agent", "-I",
             ROOT / "arch" / platform.machine() / "agent", *argv[1:]],
            text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def general(self, compiler="gcc"):
        """Builds a handler object as the header describes; the program's own
        names stay private."""
        path = self.work / f"general-{compiler}.so"
        self.compile(compiler, "-mgeneral-regs-only", "-shared", "-fPIC",
                     "-o", path, HERE / "handlers.c")
        return path

    def vectors(self):
        path = self.work / "vectors.so"
        self.compile("g++", "-shared", "-fPIC", "-fno-exceptions",
                     "-o", path, HERE / "handlers_vectors.cc")
        return path

    def address(self, symbol):
        names = self.run_program(["nm", self.program], text=True).stdout
        return "0x" + re.search(rf"(\w+) T {symbol}$", names, re.M)[1]

    def handled(self, options, how, count=COUNT):
        """Returns the program's output; self.probes has the report on
        probes."""
        self.done = self.record([self.program, how, str(count)],
                                ["--time=none", *options], text=True)
        self.read()
        return self.done.stdout.strip()

    def read(self):
        report = self.clew_json("report", "--json", self.recording_path)
        self.probes = {one["name"]: one for one in report["probes"]}
        self.report = report
