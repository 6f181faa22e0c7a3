#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A process with a budget begins with what earlier processes have learnt.

The program `budgeted asked` reads commands: 'h' calls a leaf until the leaf is not
hooked, and a while longer; '?' asks whether the leaf is hooked; 's' rarely calls the leaf.
"""
import os
import pathlib
import pwd
import shutil
import struct
import subprocess
import unittest

from lib import clewtest, truth
from lib.attached import Attached
from lib.clewtest import needs, target, until

SHARED_CACHE = pathlib.Path("/var/cache/clew")  # of root, for processes of others

BUDGET = ["--budget=10%", "--time=none"]
ONLY_IT = ["-m", "*budgeted"]
HOOKED, UNHOOKED = b"hooked\n", b"not hooked\n"


def count_of(file):
    """Returns how many functions the file lists."""
    return struct.unpack("<II", file.read_bytes()[:8])[1]


class Case(clewtest.Case):
    def setUp(self):
        super().setUp()
        self.cache = self.work / "cache"
        self.environment["XDG_CACHE_HOME"] = str(self.cache)
        self.program = self.work / "budgeted"
        shutil.copy(target("budgeted"), self.program)

    def ask(self, *options, commands=b"?", program=None):
        """Records the program. Returns the first line that it prints."""
        done = self.record([program or self.program, "asked"],
                           [*(options or BUDGET), *ONLY_IT], input=commands)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines(True)[0]

    def files(self):
        return list(self.cache.rglob("*.learnt"))

    def talk(self):
        """Starts a recording of the program, which waits for commands."""
        process = subprocess.Popen(
            [str(a) for a in self.record_command(
                [self.program, "asked"], [*BUDGET, *ONLY_IT])],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=self.work,
            env=self.environment)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.addCleanup(process.stdout.close)
        return process

    def end(self, process):
        process.stdin.close()
        self.assertEqual(process.wait(), 0)

    def learn(self):
        """Records the program until a file is written. Returns the file."""
        process = self.talk()
        process.stdin.write(b"h")
        process.stdin.flush()
        self.assertTrue(until(self.files))
        self.end(process)
        file, = self.files()
        return file


class Learnt(Case):
    def test_a_second_process_begins_with_the_hot_leaf_unhooked(self):
        self.assertEqual(self.ask(), HOOKED)
        self.learn()
        self.assertEqual(self.ask(), UNHOOKED)
        self.assertEqual(self.ask(commands=b"?h"), UNHOOKED)
        self.assertEqual(self.ask(), UNHOOKED)

    def test_calls_of_a_function_left_out_from_the_start_are_estimated(self):
        self.learn()
        self.environment["TRUTH_DIR"] = str(self.truths)
        self.assertEqual(self.ask(commands=b"?h"), UNHOOKED)
        one, = truth.read_all(self.truths)
        report = self.clew_json("report", "--json", "-n0")
        rows = {int(row["vaddr"], 0): row for row in report["functions"]
                if "vaddr" in row}
        for function, calls in one.totals.items():
            row = rows[function[1]]
            if one.names[function] == "leaf":
                self.assertLess(row["calls"], calls)
                self.assertGreater(row["left_out"]["missed_calls"], 0)
            else:
                self.assertNotIn("left_out", row)
                self.assertEqual(row["calls"], calls)
        self.assertEqual(report["problems"], [])

    def test_a_changed_program_begins_with_all_functions_hooked(self):
        self.learn()
        changed = self.work / "changed" / "budgeted"
        changed.parent.mkdir()
        text = self.program.read_bytes()
        self.assertIn(b"lucky", text)
        changed.write_bytes(text.replace(b"lucky", b"happy"))
        changed.chmod(0o755)
        self.assertEqual(self.ask(program=changed), HOOKED)
        self.assertEqual(self.ask(), UNHOOKED)

    def test_nothing_is_learnt_without_a_cache(self):
        self.ask(*BUDGET, "--no-cache", commands=b"h")
        self.assertEqual(self.files(), [])
        self.learn()
        self.assertEqual(self.ask(*BUDGET, "--no-cache"), HOOKED)

    def test_a_recording_without_a_budget_hooks_all_functions(self):
        self.learn()
        self.assertEqual(self.ask("--time=none"), HOOKED)

    def test_a_much_larger_budget_hooks_all_functions(self):
        self.learn()
        self.assertEqual(self.ask("--budget=50%", "--time=none"), HOOKED)

    def test_a_function_that_is_quiet_is_forgotten(self):
        """Surveys hook the leaf again, as nothing calls it."""
        file = self.learn()
        self.assertEqual(count_of(file), 1)
        process = self.talk()

        def is_forgotten():
            process.stdin.write(b"s?")
            process.stdin.flush()
            process.stdout.readline()
            return count_of(file) == 0
        self.assertTrue(until(is_forgotten))
        self.end(process)
        self.assertEqual(self.ask(), HOOKED)

    def test_prune_removes_what_was_learnt(self):
        self.learn()
        done = self.clew("cache", "prune", "--all")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.files(), [])


def change(file, at):
    """Inverts a byte of the file. Its mode and times stay."""
    status = file.stat()
    file.chmod(0o600)
    with file.open("r+b") as stream:
        stream.seek(at)
        byte, = stream.read(1)
        stream.seek(at)
        stream.write(bytes([byte ^ 1]))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    file.chmod(0o400)


def replace_by_copy(file):
    copy = file.with_suffix(".copy")
    shutil.copy2(file, copy)
    copy.rename(file)


def replace_by_link(file):
    real = file.with_suffix(".real")
    file.rename(real)
    file.symlink_to(real)


class Hostile(Case):
    def assert_ignored(self, harm):
        harm(self.learn())
        self.assertEqual(self.ask(), HOOKED)

    def test_a_damaged_list_is_ignored(self):
        self.assert_ignored(lambda file: change(file, 8))

    def test_a_damaged_number_of_functions_is_ignored(self):
        self.assert_ignored(lambda file: change(file, 4))

    def test_a_damaged_head_is_ignored(self):
        self.assert_ignored(lambda file: change(file, 4096 + 12))

    def test_a_truncated_file_is_ignored(self):
        self.assert_ignored(lambda file: os.truncate(file, 4096))

    def test_a_file_that_others_can_write_is_ignored(self):
        self.assert_ignored(lambda file: file.chmod(0o622))

    def test_a_copy_is_ignored(self):
        self.assert_ignored(replace_by_copy)

    def test_a_symbolic_link_is_ignored(self):
        self.assert_ignored(replace_by_link)

    @clewtest.unittest.skipIf(os.geteuid(), "needs root")
    def test_the_file_of_another_user_is_ignored(self):
        self.assert_ignored(lambda file: os.chown(file, 12345, -1))


class Attach(Attached):
    def setUp(self):
        super().setUp()
        self.environment["XDG_CACHE_HOME"] = str(self.work / "cache")
        self.process = self.start(
            [target("budgeted"), "asked"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE)
        self.addCleanup(self.process.stdout.close)
        self.addCleanup(self.process.stdin.close)

    def ask(self):
        self.process.stdin.write(b"?")
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def test_a_second_session_begins_with_the_hot_leaf_unhooked(self):
        """In the second session the process calls nothing, so that session cannot learn."""
        controller = self.attach(self.process, *BUDGET, *ONLY_IT)
        self.assertTrue(until(lambda: self.ask() == HOOKED))
        self.process.stdin.write(b"h")
        self.process.stdin.flush()
        self.assertTrue(until(lambda: list(self.work.rglob("*.learnt"))))
        self.ask()
        self.detach(controller)
        self.assert_as_before(self.process)
        controller = self.attach(self.process, *BUDGET, *ONLY_IT)
        self.assertTrue(until(lambda: self.ask() == UNHOOKED))
        self.detach(controller)
        self.assert_as_before(self.process)
        self.assertIn("left_out ", self.clew("dump").stdout)

    @needs("setpriv")
    @unittest.skipIf(os.geteuid(), "only root attaches to others' processes")
    def test_processes_of_another_user_learn_in_a_folder_of_that_user(self):
        """Nothing else than the user's own files in /var/cache/clew is changed by the
        process."""
        program = self.work / "budgeted"
        content = pathlib.Path(target("budgeted")).read_bytes()
        program.write_bytes(content + os.urandom(16))  # learnt by nobody yet
        program.chmod(0o755)
        self.work.chmod(0o755)
        user = pwd.getpwnam("nobody").pw_uid
        folder = SHARED_CACHE / str(user)
        before = set(folder.rglob("*"))
        self.addCleanup(lambda: [path.unlink() for path in
                                 set(folder.rglob("*")) - before])
        self.process = self.start(
            ["setpriv", f"--reuid={user}", "--clear-groups", program, "asked"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(self.process.stdout.close)
        self.addCleanup(self.process.stdin.close)
        # Before that it is a process of root.
        exe = f"/proc/{self.process.pid}/exe"
        self.assertTrue(until(lambda: os.readlink(exe) == str(program)))
        controller = self.attach(self.process, *BUDGET, *ONLY_IT)
        self.assertEqual((folder.stat().st_uid, folder.stat().st_mode & 0o777),
                         (user, 0o700))
        self.assertTrue(until(lambda: self.ask() == HOOKED))
        self.process.stdin.write(b"h")
        self.process.stdin.flush()
        self.assertTrue(until(lambda: set(folder.glob("*.learnt")) - before))
        self.ask()
        self.detach(controller)
        controller = self.attach(self.process, *BUDGET, *ONLY_IT)
        self.assertTrue(until(lambda: self.ask() == UNHOOKED))
        self.detach(controller)
        self.assert_as_before(self.process)


if __name__ == "__main__":
    clewtest.main()
