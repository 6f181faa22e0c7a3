#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A command that fails neither moves nor replaces a recording."""
import os
import resource
import shutil
import signal
import subprocess

from lib import clewtest, wire
from lib.attached import Attached, contents
from lib.clewtest import CLEW


class Kept(Attached):
    def setUp(self):
        super().setUp()
        self.path = self.work / "out"
        self.recording_path = self.path
        self.old = self.path.with_name(self.path.name + ".old")
        for _ in range(2):
            self.assertEqual(self.record(["/bin/true"]).returncode, 0)
        self.both = contents(self.path), contents(self.old)
        self.assertNotEqual(*self.both)

    def assert_kept(self):
        self.assertEqual((contents(self.path), contents(self.old)), self.both)
        self.assertEqual(
            sorted(p.name for p in self.path.parent.glob("*.before")), [])

    def test_failed_record_keeps_the_old_recording(self):
        broken = self.work / "broken"
        broken.write_bytes(b"\x7fELF\2\1\1" + bytes(100))
        broken.chmod(0o755)
        for program, status in ("/no/such/program", 127), (broken, 126):
            self.assertEqual(self.record([program]).returncode, status)
            self.assert_kept()

    def test_empty_record_keeps_the_old_recording(self):
        """The failed command leaves a part without any counted call."""
        self.before_exec = lambda: resource.setrlimit(resource.RLIMIT_FSIZE,
                                                      (8192, 8192))
        for _ in range(2):
            done = self.record(["/bin/true"], text=True)
            self.assertEqual(done.returncode, clewtest.UNRECORDED)
            self.assertIn("still contains the earlier recording", done.stderr)
            self.assert_kept()

    def test_empty_merge_keeps_the_old_recording(self):
        (self.work / "empty").mkdir()
        (self.work / "empty" / "config").write_text("")
        done = self.clew("merge", "-o", self.path, self.work / "empty")
        self.assertNotEqual(done.returncode, -1)
        self.assert_kept()

    def test_full_disk_keeps_the_old_recording(self):
        """The partial copy is removed."""
        process, _ = self.shared("memory", [clewtest.target("busy")])
        self.recording_path = "other"
        controller = self.attach(process)
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE,
                                           (2048, 2048))
        for words in ["merge", "-o", self.path, "other"], \
                ["snapshot", "-o", self.path, str(process.pid)]:
            done = subprocess.run([CLEW, *words], cwd=self.work,
                                  env=self.environment, preexec_fn=limit,
                                  capture_output=True, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assert_kept()
        self.detach(controller)

    def test_refused_attach_keeps_the_old_recording(self):
        for pid in 4000000, self.stopped():
            done = self.clew("attach", "-o", self.path, pid)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assert_kept()

    def stopped(self):
        """Starts a process none of whose threads reaches a point where clew can
        attach."""
        process = self.start(["sleep", "1000"])
        process.send_signal(signal.SIGSTOP)
        return process.pid

    def test_previous_recording_is_the_old_one_while_a_program_runs(self):
        program = subprocess.Popen(
            [CLEW, "record", "-o", self.path, "--", "cat"], cwd=self.work,
            env=self.environment, stdin=subprocess.PIPE)
        self.addCleanup(program.wait)
        self.addCleanup(program.kill)
        self.assertTrue(clewtest.until(
            lambda: not self.path.with_name("out.before").exists() and
            contents(self.old) == self.both[0]))
        done = self.record(["/bin/true"], text=True)
        self.assertIn(
            f"another clew command (process {program.pid}) records there",
            done.stderr)
        program.stdin.close()
        self.assertEqual(program.wait(60), 0)
        self.assertNotEqual(contents(self.path), self.both[0])

    def test_running_process_keeps_its_recording(self):
        """The recorder of that process has exited."""
        done = self.record(["sh", "-c", "sleep 1000 >/dev/null 2>&1 & echo $!"],
                           text=True)
        pid = int(done.stdout)
        self.addCleanup(lambda: os.kill(pid, signal.SIGKILL))
        part = self.path / f"{pid}.1.part"  # sleep(1)'s part
        self.assertTrue(clewtest.until(
            lambda: part.exists() and part.stat().st_size >= 4096 and
            wire.Part(part).state == wire.RUNNING))
        shutil.copytree(self.old, self.work / "other")
        for words in ["record", "-o", self.path, "--", "/bin/true"], \
                ["merge", "-o", self.path, self.work / "other"]:
            done = self.clew(*words)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn(f"process {pid} is being recorded there", done.stderr)
            self.assertTrue(part.exists())


class Unremoved(clewtest.Case):
    """Earlier commands were killed while they removed PATH.old."""
    KILLS = 6

    def setUp(self):
        super().setUp()
        self.recording_path = self.path = self.work / "out"
        self.old = self.work / "out.old"
        for _ in range(2):
            self.assert_records()

    def assert_records(self):
        """Asserts that the recording at PATH is moved to PATH.old."""
        former = contents(self.path)
        done = self.record(["/bin/true"], text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(contents(self.old), former)

    def test_partly_removed_recording_is_removed_by_later_commands(self):
        count = len(contents(self.old))
        self.assertGreater(count, 2)
        for removed in range(count + 1):
            # clew removes the configuration last.
            for name in sorted(contents(self.old),
                               key=lambda name: name == "config")[:removed]:
                (self.old / name).unlink()
            self.assert_records()

    @clewtest.needs("strace")
    def test_recording_killed_while_it_is_removed_is_removed_later(self):
        killed = 0
        for count in range(1, self.KILLS):
            done = subprocess.run(
                ["strace", "-qq", "-o", self.work / "trace", "-e",
                 f"inject=unlinkat:signal=KILL:when={count}", CLEW, "record",
                 "-o", self.path, "--", "/bin/true"], cwd=self.work,
                env=self.environment, capture_output=True, check=False)
            killed += done.returncode == -signal.SIGKILL
            if contents(self.old):
                self.assertIn("config", contents(self.old))
            done = self.record(["/bin/true"], text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(contents(self.old))
        self.assertGreater(killed, 1)


class Moved(clewtest.Case):
    """Programs rename the folders while they are recorded to."""

    def record_and(self, script):
        return self.record(["sh", "-c", f"cd {self.work}; {script}"],
                           text=True)

    def test_a_renamed_folder_is_named(self):
        done = self.record_and("mv clew.out moved; mkdir clew.out; "
                               "echo mine >clew.out/mine")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"was renamed to {self.work}/moved while", done.stderr)
        self.assertNotIn("the dynamic loader did not load", done.stderr)
        self.assertEqual((self.work / "clew.out" / "mine").read_text(),
                         "mine\n")

    def test_a_removed_folder_is_named(self):
        done = self.record_and("rm -r clew.out; mkdir clew.out")
        self.assertEqual(done.returncode, clewtest.UNRECORDED)
        self.assertIn("clew.out was removed", done.stderr)
        self.assertTrue((self.work / "clew.out").is_dir())


if __name__ == "__main__":
    clewtest.main()
