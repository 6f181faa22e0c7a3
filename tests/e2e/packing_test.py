#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Packed counts: `clew record` packs the parts of processes that have ended.

The programs print how many calls they make. lib/packed.py is a second decoder.
"""
import os
import shutil
import sys

from lib import clewtest, wire
from lib.clewtest import target

REPACK = clewtest.BUILD / "tests" / "unit" / "repack"
# Waits until FOLDER has N packed parts. Not recorded itself.
AWAIT = f"""
import pathlib, struct, sys, time
folder, wanted = pathlib.Path(sys.argv[1]), int(sys.argv[2])
limit = time.monotonic() + {clewtest.TIMEOUT_S / 4}
while sum(path.read_bytes()[8:12] == struct.pack("<I", {wire.VERSION_PACKED})
          for path in folder.glob("*.part")) < wanted:
    if time.monotonic() > limit:
        sys.exit("no part was packed")
    time.sleep(0.02)
"""


def versions(folder):
    """Returns {name: version} of the parts."""
    found = {}
    for path in folder.glob("*.part"):
        fields = wire.HEADER.unpack(path.read_bytes()[:wire.HEADER.size])
        found[path.name] = fields[1]
    return found


class Packing(clewtest.Case):
    def setUp(self):
        super().setUp()
        (self.work / "await.py").write_text(AWAIT, encoding="utf-8")
        self.awaits = f"env -u LD_PRELOAD {sys.executable} await.py " \
            f"{self.recording_path}"

    def record_script(self, script, options=("--fold-recursion=1000000",)):
        """Runs a script of the shell; returns its output as text."""
        done = self.record(["/bin/sh", "-ec", script], options, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def packed_parts(self):
        found = versions(self.recording_path)
        return [part for part in self.recording().parts
                if found[part.path.name] == wire.VERSION_PACKED]

    def plain_copy(self):
        """Returns a copy of the recording without packed parts."""
        plain = self.work / "plain" / self.recording_path.name
        shutil.copytree(self.recording_path, plain)
        for path in list(plain.glob("*.part")):
            path.unlink()
            self.run_program([REPACK, "unpack",
                              self.recording_path / path.name, path])
        self.assertNotIn(wire.VERSION_PACKED, versions(plain).values())
        return plain

    def assert_same_reports(self):
        """Compares reports of the recording and of its plain copy."""
        plain = self.plain_copy()
        for command in "tree", "report":
            shown = [self.clew(command, "--json", folder.name,
                               cwd=folder.parent)
                     for folder in (self.recording_path, plain)]
            self.assertEqual(shown[0].stdout, shown[1].stdout)
            self.assertEqual(shown[1].returncode, 0)

    @staticmethod
    def calls(part):
        """Returns the calls of the functions below `grow`."""
        (module,) = [module for module in part.modules
                     if module.name == "contexts"]
        own = {function.number for function in module.functions}
        counts = part.counts()
        return sum(counts[context.id] for context in part.contexts().values()
                   if context.function in own and context.depth > 2)

    def test_processes_that_have_ended_are_packed(self):
        said = self.record_script(
            f"{target('contexts')} 13 4 1; {target('contexts')} 14 4 3;"
            f"{self.awaits} 2")
        self.assertEqual(said, "contexts 30940 calls 30940\n"
                               "contexts 41370 calls 124110\n")
        parts = self.packed_parts()
        self.assertEqual(sorted(self.calls(part) for part in parts),
                         [30940, 124110])
        for part in parts:
            self.assert_nothing_lost(part)
            status = os.stat(part.path)
            self.assertLess(status.st_blocks * 512, len(part.data) / 2)
        self.assert_no_problem()
        self.assert_same_reports()

    def test_exact_times_are_packed(self):
        self.record_script(f"{target('contexts')} 13 4 2; {self.awaits} 1",
                           ("--time=exact",))
        (part,) = self.packed_parts()
        self.assertEqual(self.calls(part), 2 * 30940)
        self.assert_same_reports()

    def test_running_processes_are_not_packed(self):
        os.mkfifo(self.work / "fifo")
        self.record_script(
            f"{target('contexts')} 14 4 1 1 fifo & "
            f"{target('contexts')} 13 4 1; {self.awaits} 1; "
            f"cp -r {self.recording_path} early; : > fifo; wait")
        early = versions(self.work / "early")
        self.assertEqual(
            sum(version == wire.VERSION_PACKED for version in early.values()),
            1)
        parts = self.recording().parts
        # The second round of the one that was running.
        self.assertIn(2 * 41370,
                      [self.calls(part) for part in parts
                       if part.arguments[1:2] == ["14"]])
        self.assert_no_problem()

    def test_killed_processes_are_packed(self):
        os.mkfifo(self.work / "fifo")
        self.record_script(
            f"{target('contexts')} 13 4 1 1 fifo > said & "
            "until grep -q calls said; do :; done; "
            f"kill -9 $!; {{ wait $!; }} 2> /dev/null || true; {self.awaits} 1")
        (part,) = self.packed_parts()
        self.assertEqual(part.state, wire.RUNNING)
        self.assertEqual(self.calls(part), 30940)
        self.assert_same_reports()

    def test_children_inherit_from_packed_parts(self):
        self.record_script(
            f"{target('contexts')} 13 4 1 1 fork; {self.awaits} 1")
        (parent,) = self.packed_parts()
        (child,) = [part for part in self.recording().parts
                    if part.parent_pid == parent.pid and
                    part.origin == wire.FROM_FORK]
        self.assertIn((wire.MODULE, parent.pid),
                      [(kind, pid) for kind, pid, _ in child.inherited])
        self.assertEqual(self.calls(child), 13)
        self.assert_same_reports()

    def test_small_parts_stay(self):
        self.record_script(f"{target('contexts')} 4 4 1; "
                           f"{target('contexts')} 13 4 1; {self.awaits} 1")
        self.assertEqual([part.arguments[1] for part in self.packed_parts()],
                         ["13"])


if __name__ == "__main__":
    clewtest.main()
