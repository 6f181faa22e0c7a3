#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A program records snapshots of its calls so far through agent/clew.h."""
import errno

from lib import clewtest
from lib.clewtest import target


class Snapshots(clewtest.Case):
    """Tests targets/snapshots.c."""

    def calls(self, recording):
        report = self.clew_json("report", "--json", recording)
        for problem in report["problems"]:
            self.assertRegex(problem, r"of earlier calls (was|were) overwritten")
        return {row["name"]: row["calls"] for row in report["functions"]}

    def test_snapshots_of_the_agent_are_recordings(self):
        folder = self.work / "taken"
        folder.mkdir()
        done = self.record([target("snapshots"), folder], ["--time=cpu"],
                           text=True)
        self.assertEqual(
            (done.stdout, done.stderr, done.returncode),
            (f"first 0\nfirst {-errno.EEXIST}\n"
             f"missing/folder {-errno.ENOENT}\nsecond 0\nchild 0\n", "", 0))
        first = self.calls(folder / "first")
        second = self.calls(folder / "second")
        child = self.calls(folder / "child")
        whole = self.calls(self.recording_path)
        self.assertEqual([calls["counted"] for calls in
                          (first, second, child, whole)],
                         [1000, 1500, 7, 2007])
        self.assertLessEqual(first.get("busy", 0), second.get("busy", 0))
        self.assertLessEqual(second.get("busy", 0), whole["busy"])
        # The files are only as large as their contents.
        size = sum(file.stat().st_size
                   for file in (folder / "first").iterdir())
        self.assertLess(size, 1 << 20)
        self.assertEqual(
            {file.suffix for file in (folder / "first").iterdir()},
            {"", ".part"})

    def test_snapshots_of_the_agent_have_traces(self):
        folder = self.work / "taken"
        folder.mkdir()
        done = self.record([target("snapshots"), folder], ["--trace=ring:64K"],
                           text=True)
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        self.assertEqual([self.calls(folder / name)["counted"]
                          for name in ("first", "second", "child")],
                         [1000, 1500, 7])

    def test_snapshot_without_a_recording_is_an_error(self):
        done = self.run_program([target("snapshots"), self.work], text=True)
        self.assertEqual(set(line.split()[1] for line in
                             done.stdout.splitlines()), {str(-errno.ENODEV)})


if __name__ == "__main__":
    clewtest.main()
