#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Root attaches to processes whose users may not use root's folders."""
import hashlib
import os
import pathlib
import shutil
import struct
import subprocess
import textwrap

from lib import clewtest, isolation
from lib.attached import Attached, contents
from lib.clewtest import CLEW, until

# This process's effective user differs from its real user.
EFFECTIVE = """
    import ctypes, mmap, os, sys, time
    os.setgroups([]); os.setegid(int(sys.argv[1])); os.seteuid(int(sys.argv[1]))
    print("ready", flush=True)
    while True: sum(range(1000)); time.sleep(.001)
"""

# Writes other files beside the parts, and symbolic links that clew might
# follow.
HOSTILE = """
    import glob, os, shutil, sys
    folder, secret = sys.argv[1:]
    part = glob.glob(folder + "/*.part")[0]
    os.symlink(secret, folder + "/7.0.part")
    os.mkfifo(folder + "/8.0.part")
    shutil.copy(part, folder + "/two")
    os.link(folder + "/two", folder + "/9.0.part")
    shutil.copy(part, folder + "/10.0.part")
    os.truncate(folder + "/10.0.part", 1 << 42)
    os.mkdir(folder + "/11.0.part")
    os.symlink("/etc", folder + "/etc")
"""


class Users(Attached):
    def setUp(self):
        super().setUp()
        self.alice, self.bob = isolation.make_users(self)
        library = CLEW.parent.parent / "preload" / "libclew.so"
        if self.run_program(["test", "-r", library],
                            user=self.alice.uid).returncode:
            self.skipTest("the library is where others cannot come")
        self.work.chmod(0o755)
        self.open = self.work / "open"
        self.open.mkdir()
        self.open.chmod(0o777)
        self.home = self.work / "home"
        self.home.mkdir(mode=0o700)
        self.recording_path = self.home / "clew.out"

    def busy(self, user, name):
        """Starts a process as that user, which counts in a file with this
        name."""
        path = self.open / name
        process = self.start([clewtest.target("busy"), path],
                             **(user.as_user if user else {}))
        self.assertTrue(until(lambda: path.exists() and
                              path.stat().st_size == 4096))
        return process

    def inner(self, process):
        return pathlib.Path(f"/tmp/clew-{process.pid}")

    def assert_no_folder(self, *processes):
        for process in processes:
            self.assertEqual(list(pathlib.Path("/tmp").glob(
                self.inner(process).name + "*")), [])

    def pids(self):
        report = self.clew_json("report", "--json", self.recording_path)
        self.assertEqual(report["problems"], [])
        self.assertGreater(report["total"]["calls"], 0)
        return {int(path.name.split(".")[0])
                for path in self.recording_path.glob("*.part")}

    def attach_for_a_while(self, *processes, wait=True):
        controller = self.attach(processes[0],
                                 *[str(p.pid) for p in processes[1:]])
        for process in processes:
            folder = self.inner(process)
            folder = folder if folder.exists() else self.recording_path
            self.assertTrue(until(lambda: self.has_calls(folder)))
        if wait:
            self.detach(controller)
            for process in processes:
                self.assert_as_before(process)
            self.assert_no_folder(*processes)
        return controller

    def has_calls(self, folder):
        done = self.clew("report", "--json", folder)
        return done.returncode == 0 and '"calls": 0,' not in \
            done.stdout.split('"functions"')[0]

    def test_process_that_cannot_enter_the_folder_is_recorded(self):
        process = self.busy(self.alice, "one")
        self.attach_for_a_while(process)
        self.assertIn(process.pid, self.pids())
        for path in self.recording_path, *self.recording_path.glob("*.part"):
            self.assertEqual(path.stat().st_uid, 0, path)
            self.assertEqual(path.stat().st_mode & 0o077, 0, path)

    def link_after_a_session(self, program, name):
        """Attaches to alice's process, and returns the link for the program's digest."""
        path = self.open / name
        process = self.start([program, path], **self.alice.as_user)
        self.assertTrue(until(path.exists))
        self.attach_for_a_while(process)
        st = program.stat()
        stamp = struct.pack(
            "<9Q", st.st_dev, st.st_ino, st.st_size,
            *divmod(st.st_mtime_ns, 10**9), *divmod(st.st_ctime_ns, 10**9),
            st.st_uid, st.st_mode)  # digest/digest_links.c
        stamp = hashlib.blake2b(stamp, digest_size=32).hexdigest()
        return pathlib.Path(f"/var/cache/clew/{stamp}.stamp")

    def test_the_digest_of_a_file_is_computed_once(self):
        """The process may not store it. Otherwise each process reads the whole file."""
        program = self.work / "busy"
        shutil.copy(clewtest.target("busy"), program)
        link = self.link_after_a_session(program, "one")
        self.assertTrue(
            link.with_name(os.readlink(link) + ".analysis").exists())
        shutil.rmtree(self.recording_path)
        os.chown(program, self.alice.uid, self.alice.uid)
        self.assertFalse(
            self.link_after_a_session(program, "two").is_symlink())

    def test_processes_of_two_users_and_of_root_are_attached(self):
        """Each process but the first user's has a folder of its own."""
        self.recording_path = self.work / "clew.out"
        processes = [self.busy(user, name) for user, name in
                     ((self.alice, "a"), (self.bob, "b"), (None, "r"))]
        self.attach_for_a_while(*processes)
        self.assertLessEqual({p.pid for p in processes}, self.pids())
        owner = self.recording_path.stat().st_uid
        self.assertIn(owner, (self.alice.uid, self.bob.uid))
        for process in processes[:2]:
            (part,) = self.recording_path.glob(f"{process.pid}.0.part")
            self.assertEqual(part.stat().st_uid, owner)

    def test_no_process_of_root_maps_a_file_of_a_user(self):
        """A file's owner can truncate it; the process that maps it would then
        get SIGBUS."""
        self.recording_path = self.work / "clew.out"
        first, second = self.busy(self.alice, "a"), self.busy(None, "r")
        controller = self.attach(second, "--no-cache", str(first.pid))
        owners = {path: path.stat().st_uid for path in
                  self.recording_path.glob("*.stubs")}
        self.assertIn(self.alice.uid, owners.values())
        maps = pathlib.Path(f"/proc/{second.pid}/maps").read_text()
        for path, owner in owners.items():
            if owner:
                self.assertNotIn(path.name, maps)
        self.detach(controller)
        self.assert_as_before(second)

    def test_group_member_and_stranger_are_both_recorded(self):
        """The first user has access by membership in the folder's group."""
        self.home.chmod(0o750)
        os.chown(self.home, 0, self.alice.gid)
        processes = [self.busy(self.alice, "a"), self.busy(self.bob, "b")]
        controller = self.attach_for_a_while(*processes, wait=False)
        self.assertFalse(self.inner(processes[0]).exists())
        self.assertTrue(self.inner(processes[1]).exists())
        self.detach(controller)
        self.assertLessEqual({p.pid for p in processes}, self.pids())

    def test_process_with_another_effective_user_is_recorded(self):
        process = self.start(["/usr/bin/python3", "-c",
                              textwrap.dedent(EFFECTIVE),
                              self.alice.uid],
                             stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.assertEqual(process.stdout.readline(), "ready\n")
        for folder in self.home, self.work:
            self.recording_path = folder / "clew.out"
            self.attach_for_a_while(process)
            self.assertIn(process.pid, self.pids())
        self.assertEqual(self.recording_path.stat().st_uid, self.alice.uid)

    def test_files_of_a_hostile_user_are_not_copied(self):
        secret = self.home / "secret"
        secret.write_text("secret")
        process = self.busy(self.alice, "one")
        controller = self.attach_for_a_while(process, wait=False)
        folder = self.inner(process)
        done = self.run_program(
            ["/usr/bin/python3", "-c", textwrap.dedent(HOSTILE),
             folder, secret], **self.alice.as_user)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.detach(controller)
        sizes = {path.name: path.stat().st_size
                 for path in self.recording_path.glob("*.part")}
        self.assertIn(f"{process.pid}.0.part", sizes)
        self.assertEqual([n for n in range(7, 12)
                          if f"{n}.0.part" in sizes], [10])
        self.assertLess(sizes["10.0.part"], 1 << 32)
        self.assertTrue(all(path.is_file() and not path.is_symlink()
                            for path in self.recording_path.iterdir()))
        self.assertEqual(secret.read_text(), "secret")
        shutil.rmtree(folder, ignore_errors=True)

    def test_a_failed_attempt_keeps_the_recordings(self):
        """The process sees the recording's folder, and all folders in which
        clew may create another, on read-only mounts."""
        old = self.home / "clew.out.old"
        for _ in range(2):
            self.assertEqual(self.record(["/bin/true"]).returncode, 0)
        both = contents(self.recording_path), contents(old)
        process = self.start(
            ["unshare", "-m", "sh", "-c",
             "for i in /tmp /var/tmp /dev/shm /run; do mount --bind $i $i &&"
             " mount -o remount,ro,bind $i || exit 1; done;"
             f"exec setpriv --reuid={self.alice.uid} "
             f"--regid={self.alice.gid} --clear-groups sleep 1000"])
        name = pathlib.Path(f"/proc/{process.pid}/comm")
        self.assertTrue(until(lambda: name.read_text() == "sleep\n"))
        for _ in range(2):
            done = self.clew("attach", "-o", self.recording_path, process.pid)
            self.assertEqual(done.returncode, 1, done.stderr)
            for word in str(self.home), "on a read-only mount", "/tmp: ":
                self.assertIn(word, done.stderr)
            self.assertEqual((contents(self.recording_path), contents(old)),
                             both)


if __name__ == "__main__":
    clewtest.main()
