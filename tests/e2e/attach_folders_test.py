#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Detaching works whatever happens to the folder of the recording."""
import os
import shutil
import subprocess
import unittest

from lib import clewtest
from lib.attached import Attached, runs
from lib.clewtest import kill_with_guardian, until
from lib.isolation import make_users


class Detaches(Attached):
    """sleep(1) waits in a hooked function, so its stack contains an address in
    a stub. clew must unwind through that stub before it detaches."""

    def sleeper(self, *within, **options):
        process = self.start([*within, "sleep", "1000"], **options)
        self.assertTrue(until(lambda: runs(process, "sleep")))
        return process

    def mounted(self, options):
        """Returns a file system of its own, or skips the test."""
        folder = self.work / "mounted"
        folder.mkdir()
        if self.run_program(["mount", "-t", "tmpfs", "-o", options, "none",
                             folder]).returncode:
            raise unittest.SkipTest("may mount nothing here")
        self.addCleanup(subprocess.run, ["umount", "--lazy", folder],
                        stderr=subprocess.DEVNULL, check=False)
        return folder

    def abandon(self, process):
        """Kills the controller, so the process stays attached."""
        controller = self.attach(process)
        kill_with_guardian(controller)

    def assert_detaches(self, process):
        done = self.clew("detach", process.pid)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("detached from", done.stderr)
        self.assert_as_before(process)

    def assert_detaches_after(self, change):
        process = self.sleeper()
        self.abandon(process)
        change(self.recording_path)
        self.assert_detaches(process)

    def test_detaching_works_on_a_noexec_file_system(self):
        self.recording_path = self.mounted("noexec,size=64m") / "out"
        process = self.sleeper()
        for _ in range(2):
            self.detach(self.attach(process))
            self.assert_as_before(process)
        self.abandon(process)
        self.assert_detaches(process)

    def test_root_and_user_processes_detach_at_once(self):
        (user,) = make_users(self, 1)
        self.work.chmod(0o755)
        own, other = self.sleeper(), self.sleeper(**user.as_user)
        done = self.clew("attach", "--for", "0s", "-o", self.recording_path,
                         own.pid, other.pid)
        self.assertEqual(done.returncode, 0, done.stderr)
        for process in own, other:
            self.assert_as_before(process)

    def test_detaching_works_with_own_noexec_mounts(self):
        """The process can only write to /tmp, which is recorded to until clew
        detaches."""
        process = self.sleeper(
            "unshare", "-m", "sh", "-c",
            'mount -t tmpfs -o noexec none /tmp && exec "$@"', "sh")
        self.detach(self.attach(process))
        self.assert_as_before(process)

    def behind(self, folder, option):
        """Starts a process that sees the folder on a mount with this option."""
        return self.sleeper(
            "unshare", "-m", "sh", "-c",
            'mount --bind "$0" "$0" && '
            f'mount -o remount,bind,{option} "$0" && exec "$@"', folder)

    def test_the_library_is_copied_if_its_folder_is_noexec(self):
        process = self.behind(clewtest.LIBRARY.parent, "noexec")
        self.detach(self.attach(process))
        self.assert_as_before(process)

    def test_a_recording_is_moved_to_a_folder_that_is_read_only_there(self):
        process = self.behind(self.work, "ro")
        self.detach(self.attach(process))
        self.assert_as_before(process)
        self.assertTrue(list(self.recording_path.glob("*.part")))

    def test_detaching_works_after_the_folder_was_removed(self):
        self.assert_detaches_after(shutil.rmtree)

    def test_detaching_works_after_the_folder_was_moved(self):
        self.assert_detaches_after(
            lambda folder: folder.rename(self.work / "moved"))

    def test_detaching_works_after_the_stubs_were_removed(self):
        def remove(folder):
            for stubs in folder.glob("*.stubs"):
                stubs.unlink()
        self.assert_detaches_after(remove)

    def test_detaching_works_after_the_folder_changed_owner(self):
        if os.geteuid() != 0:
            self.skipTest("wants to be root")

        def give(folder):
            os.chown(folder, 65534, 65534)
            folder.chmod(0)
        self.assert_detaches_after(give)

    def test_detaching_works_after_an_unmount(self):
        folder = self.mounted("size=64m")
        self.recording_path = folder / "out"
        self.assert_detaches_after(lambda _: subprocess.run(
            ["umount", "--lazy", folder], check=True))

    def test_detaching_works_after_a_noexec_remount(self):
        folder = self.mounted("size=64m")
        self.recording_path = folder / "out"
        self.assert_detaches_after(lambda _: subprocess.run(
            ["mount", "-o", "remount,noexec", folder], check=True))

    def test_detaching_works_on_a_full_file_system(self):
        folder = self.mounted("size=8m")
        self.recording_path = folder / "out"

        def fill(_):
            with (folder / "filling").open("wb", 0) as file:
                try:
                    while file.write(b"x" * 65536):
                        pass
                except OSError:
                    return
        self.assert_detaches_after(fill)


if __name__ == "__main__":
    clewtest.main()
