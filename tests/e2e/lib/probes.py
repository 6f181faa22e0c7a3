# SPDX-License-Identifier: MIT
"""Test case for a program with probes and its report."""
import re

from lib import clewtest
from lib.clewtest import ROOT

HERE = ROOT / "tests" / "e2e"

SITE = re.compile(r"^ +0x([0-9a-f]+)  (\+\d+) +(\S.*?)  +(jump|int3|none)\b",
                  re.M)


class Case(clewtest.Case):
    def compile(self, name, *options, source=None):
        output = self.work / name
        done = self.run_program(["gcc", "-o", output, *options,
                                 source or HERE / f"{name}.c"], text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return output

    def sites(self, function, file):
        """Returns {vaddr: kind of probe} for a function's instructions."""
        done = self.clew("probe", "--sites", function, "-e", file)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {int(m[1], 16): m[4] for m in SITE.finditer(done.stdout)}

    def probed(self, places, argv, options=(), **more):
        """Records with probes at these places; returns the report's entry for
        each."""
        probes = [word for place in places for word in ("--probe", place)]
        self.done = self.record(argv, [*options, *probes], **more)
        report = self.clew("report", "--json", self.recording_path)
        self.assertEqual(report.returncode, 0,
                         report.stderr + str(self.done.stderr))
        self.report = self.clew_json("report", "--json", self.recording_path)
        found = self.report["probes"]
        self.assertEqual([one["place"].split()[0] for one in found], places)
        return found
