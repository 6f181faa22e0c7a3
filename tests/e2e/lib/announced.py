# SPDX-License-Identifier: MIT
"""Test case for programs that announce the code that they generate."""
import collections
import re

from lib import clewtest

NOBODY = "(generated code)"
# unnamed code of a known generator
UNTOLD = re.compile(r"\(generated code of .*\)")


class Case(clewtest.Case):
    def setUp(self):
        super().setUp()
        self.written = self.work / "written"
        self.written.mkdir()
        self.environment["TMPDIR"] = str(self.written)

    def functions(self, recording=None, key="self_ns"):
        shown = self.clew_json("report", "--json", "--top=0",
                               recording or self.recording_path)
        self.problems = shown["problems"]
        found = collections.Counter()
        for row in shown["functions"]:
            if "module" not in row:
                found[UNTOLD.sub(NOBODY, row["name"])] += row[key]
        return dict(found)

    def kept(self):
        return sorted(path.suffix for path in self.recording_path.iterdir()
                      if path.suffix in (".perfmap", ".jitdump"))
