#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Packed counts: `clew record` packs the parts of processes that have ended.

The programs print how many calls they make. lib/packed.py is a second decoder.
The recorded scripts open FIFOs where the test has to wait for packed parts.
"""
import os
import pathlib
import shutil
import signal
import subprocess
import time

from lib import clewtest, packed, wire
from lib.clewtest import target

CONTEXTS = target("contexts")


def version(path):
    with path.open("rb") as file:
        return wire.HEADER.unpack(file.read(wire.HEADER.size))[1]


def has_holes(path):
    return path.stat().st_blocks * 512 < 1 << 20


class Packing(clewtest.Case):
    def setUp(self):
        super().setUp()
        for name in "go", "end", "fifo":
            os.mkfifo(self.work / name)

    def packed_paths(self):
        """Returns the packed parts, as far as their holes are made."""
        return [path for path in self.recording_path.glob("*.part")
                if path.stat().st_size and
                version(path) == wire.VERSION_PACKED and has_holes(path)]

    def await_packed(self, count):
        limit = time.monotonic() + clewtest.TIMEOUT_S / 4
        while len(self.packed_paths()) < count:
            self.assertLess(time.monotonic(), limit, "no part was packed")
            time.sleep(0.02)

    def go_on(self, fifo="go"):
        """Lets the script continue behind `: < FIFO`, which it contains once:
        a second one would find the FIFO open."""
        with (self.work / fifo).open("w", encoding="utf-8"):
            pass

    def begin(self, script, options=("--fold-recursion=1000000",)):
        return subprocess.Popen(
            [str(word) for word in self.record_command(
                ["/bin/sh", "-ec", script], options)],
            cwd=self.work, env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def end(self, recorder):
        """Waits for `clew record`. Returns what the script printed."""
        said, errors = recorder.communicate(timeout=clewtest.TIMEOUT_S)
        self.assertEqual((recorder.returncode, errors), (0, ""))
        return said

    def record_script(self, script, count, **options):
        """Records a script, which waits at its end until `count` parts are
        packed. Returns what it printed."""
        recorder = self.begin(f"{script}; : < go", **options)
        self.await_packed(count)
        self.go_on()
        return self.end(recorder)

    def packed_parts(self):
        paths = self.packed_paths()
        return [part for part in self.recording().parts if part.path in paths]

    def assert_same_reports(self):
        """Compares reports with those of a copy that the second decoder has
        unpacked."""
        plain = self.work / "plain" / self.recording_path.name
        shutil.copytree(self.recording_path, plain)
        for path in self.packed_paths():
            (plain / path.name).write_bytes(packed.unpack(path.read_bytes()))
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
        said = self.record_script(f"{CONTEXTS} 13 4 1; {CONTEXTS} 14 4 3", 2)
        self.assertEqual(said, "contexts 30940 calls 30940\n"
                               "contexts 41370 calls 124110\n")
        parts = self.packed_parts()
        self.assertEqual(sorted(self.calls(part) for part in parts),
                         [30940, 124110])
        for part in parts:
            self.assert_nothing_lost(part)
        self.assert_no_problem()
        self.assert_same_reports()

    def test_exact_times_are_packed(self):
        self.record_script(f"{CONTEXTS} 13 4 2", 1, options=("--time=exact",))
        (part,) = self.packed_parts()
        self.assertEqual(self.calls(part), 2 * 30940)
        self.assert_same_reports()

    def test_running_processes_are_not_packed(self):
        recorder = self.begin(f"{CONTEXTS} 14 4 1 1 fifo & "
                              f"{CONTEXTS} 13 4 1; : < go; : > fifo; wait")
        self.await_packed(1)
        self.assertEqual(
            sum(version(path) == wire.VERSION_PACKED
                for path in self.recording_path.glob("*.part")
                if path.stat().st_size), 1)
        self.go_on()
        self.end(recorder)
        # with the second round of the one that was running
        self.assertIn(2 * 41370,
                      [self.calls(part) for part in self.recording().parts
                       if part.arguments[1:2] == ["14"]])
        self.assert_no_problem()

    def test_killed_processes_are_packed(self):
        self.record_script(
            f": > said; {CONTEXTS} 13 4 1 1 fifo > said & "
            "until read line < said; do :; done; "
            "kill -9 $!; { wait $!; } 2> /dev/null || true", 1)
        (part,) = self.packed_parts()
        self.assertEqual(part.state, wire.RUNNING)
        self.assertEqual(self.calls(part), 30940)
        self.assert_same_reports()
        # as if `clew record` was killed, too
        os.truncate(part.path, part.path.stat().st_size + (1 << 28))
        merged = self.work / "merged"
        self.clew("merge", "-o", merged, self.recording_path)
        (copy,) = merged.glob(f"*{part.path.name}")
        self.assertEqual(version(copy), wire.VERSION_PACKED)
        self.assertLess(copy.stat().st_size, part.path.stat().st_size)

    def test_children_inherit_from_packed_parts(self):
        self.record_script(f"{CONTEXTS} 13 4 1 1 fork", 1)
        (parent,) = self.packed_parts()
        (child,) = [part for part in self.recording().parts
                    if part.parent_pid == parent.pid and
                    part.origin == wire.FROM_FORK]
        self.assertIn((wire.MODULE, parent.pid),
                      [(kind, pid) for kind, pid, _ in child.inherited])
        self.assertEqual(self.calls(child), 13)
        self.assert_same_reports()

    def test_a_part_waits_for_children_that_have_it_mapped(self):
        recorder = self.begin(
            f"{CONTEXTS} 13 4 1 1 fork fifo; {CONTEXTS} 14 4 1; "
            ": < go; : > fifo; : < end")
        self.await_packed(1)
        early = self.packed_paths()
        self.go_on()
        self.await_packed(2)
        self.go_on("end")
        self.end(recorder)
        (parent,) = [part for part in self.packed_parts()
                     if part.arguments[1] == "13"]
        self.assertNotIn(parent.path, early)
        self.assertEqual(self.calls(parent), 30940)
        self.assert_same_reports()

    def test_nothing_is_lost_if_the_packing_process_dies(self):
        recorder = self.begin(f"{CONTEXTS} 13 4 1; : < go; {CONTEXTS} 14 4 1; "
                              f"{CONTEXTS} 13 4 2")
        self.await_packed(1)
        children = pathlib.Path(
            f"/proc/{recorder.pid}/task/{recorder.pid}/children").read_text(
                encoding="utf-8").split()
        # The other child is the shell.
        (packing,) = [int(child) for child in children if not pathlib.Path(
            f"/proc/{child}/exe").readlink().name.endswith("sh")]
        os.kill(packing, signal.SIGKILL)
        self.go_on()
        self.end(recorder)
        self.assertEqual(
            sorted(self.calls(part) for part in self.recording().parts
                   if part.arguments[0].endswith("/contexts")),
            [30940, 41370, 2 * 30940])
        self.assert_no_problem()

    def test_merged_parts_stay_packed(self):
        self.record_script(f"{CONTEXTS} 13 4 1; {CONTEXTS} 14 4 3", 2)
        merged = self.work / "merged"
        self.clew("merge", "-o", merged, self.recording_path)
        paths = [path for path in merged.glob("*.part")
                 if version(path) == wire.VERSION_PACKED]
        self.assertEqual(len(paths), 2)
        for path in paths:
            self.assertTrue(has_holes(path), path)
        trees = [self.clew("tree", "--json", folder).stdout
                 for folder in (self.recording_path, merged)]
        self.assertEqual(*trees)

    def test_small_parts_stay(self):
        self.record_script(f"{CONTEXTS} 4 4 1; {CONTEXTS} 13 4 1", 1)
        self.assertEqual([part.arguments[1] for part in self.packed_parts()],
                         ["13"])


if __name__ == "__main__":
    clewtest.main()
