#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Only one clew at a time changes a process, and no other user can prevent
it."""
import os
import pathlib
import signal
import stat
import subprocess

from lib import clewtest
from lib.attached import PATIENCE_S, Attached, runs
from lib.clewtest import CLEW, PYTHON, until
from lib.isolation import make_users

FOLDER = pathlib.Path("/run/clew")  # root's lock files

# Does what another user can do to block attaching to process PID; then prints a
# line and waits.
SQUAT = """
import fcntl, os, socket, sys, time
pid, start, folder = sys.argv[1:]
held = []
for what in "attach", "probe":
    name = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    name.bind(f"\\0clew-{what}-{pid}")
    held.append(name)
for path in (f"/proc/{pid}/clear_refs", f"/proc/{pid}/mem", folder,
             f"{folder}/attach-{pid}-{start}", f"{folder}/probes-{pid}-{start}"):
    for flags in os.O_RDONLY, os.O_WRONLY, os.O_RDWR | os.O_CREAT:
        try:
            held.append(os.open(path, flags, 0o666))
            fcntl.flock(held[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
            fcntl.lockf(held[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            pass
print("held", flush=True)
time.sleep(1000)
"""


def start_of(pid):
    """Returns the process's start time as it appears in a lock file's name."""
    text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    return text.rpartition(")")[2].split()[19]


class Locks(Attached):
    def setUp(self):
        super().setUp()
        self.users = make_users(self)
        self.work.chmod(0o755)
        if self.run_program(["test", "-x", CLEW],
                            **self.users[0].as_user).returncode:
            self.skipTest("clew is where others cannot come")

    def sleeper(self, user=None):
        process = self.start(["sleep", "1000"],
                             **user.as_user if user else {})
        self.assertTrue(until(lambda: runs(process, "sleep")))
        return process

    def folder_of(self, user):
        """Returns a folder for that user's recordings."""
        folder = self.work / user.name
        folder.mkdir(exist_ok=True)
        os.chown(folder, user.uid, user.gid)
        return folder

    def attach_as(self, user, process):
        """Starts a controller as that user and waits until it has attached."""
        controller = subprocess.Popen(
            [CLEW, "attach", "-o", self.folder_of(user) / "out",
             str(process.pid)], cwd="/", env=self.environment,
            stderr=subprocess.PIPE, text=True, **user.as_user)
        self.addCleanup(controller.stderr.close)
        self.addCleanup(controller.wait)
        self.addCleanup(controller.kill)
        line = controller.stderr.readline()
        self.assertIn("attached to", line)
        return controller

    def assert_held(self, done, process, controller, user):
        self.assert_one_line_error(
            done, f"process {process.pid}: another clew command (process "
            f"{controller.pid}, user {user}) is attached to it; wait "
            "until it ends, or end it")

    def test_another_user_cannot_prevent_attaching(self):
        process = self.sleeper()
        self.detach(self.attach(process))  # creates the folder
        squatter = self.start(
            [PYTHON, "-c", SQUAT, process.pid, start_of(process.pid), FOLDER],
            stdout=subprocess.PIPE, **self.users[0].as_user)
        self.addCleanup(squatter.stdout.close)
        self.assertEqual(squatter.stdout.readline(), b"held\n")
        controller = self.attach(process)
        clewtest.kill_with_guardian(controller)
        done = self.clew("detach", process.pid)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.detach(self.attach(process))
        self.assert_as_before(process)

    def test_message_names_the_holder_of_the_lock(self):
        process = self.sleeper()
        controller = self.attach(process)
        for words in (("attach", "-o", self.work / "other"), ("detach",)):
            self.assert_held(self.clew(*words, process.pid), process,
                             controller, "root")
        self.detach(controller)

    def test_root_and_the_user_of_the_process_exclude_each_other(self):
        user = self.users[0]
        process = self.sleeper(user)
        controller = self.attach(process)
        for words in (("attach", "-o", self.folder_of(user) / "other"),
                      ("detach",)):
            self.assert_held(self.clew(*words, process.pid, **user.as_user),
                             process, controller, "root")
        self.detach(controller)
        controller = self.attach_as(user, process)
        for words in (("attach", "-o", self.work / "other"), ("detach",)):
            self.assert_held(self.clew(*words, process.pid), process,
                             controller, user.name)
        controller.send_signal(signal.SIGINT)
        self.assertEqual(controller.wait(PATIENCE_S), 0)
        self.assert_as_before(process)

    def test_a_killed_controller_holds_no_lock(self):
        """The next attach removes its lock file, once the process has
        exited."""
        process, other = self.sleeper(), self.sleeper()
        controller = self.attach(process)
        left = FOLDER / f"attach-{process.pid}-{start_of(process.pid)}"
        self.assertTrue(left.exists())
        clewtest.kill_with_guardian(controller)
        process.kill()
        process.wait()
        self.detach(self.attach(other))
        self.assertFalse(left.exists())
        self.assertEqual(list(FOLDER.glob(f"*-{other.pid}-*")), [])

    def test_folder_of_the_lock_is_private(self):
        self.detach(self.attach(self.sleeper()))
        status = FOLDER.lstat()
        self.assertTrue(stat.S_ISDIR(status.st_mode))
        self.assertEqual((status.st_uid, status.st_mode & 0o022), (0, 0))

    def test_a_folder_that_others_can_write_is_not_used(self):
        """The lock inside the process itself suffices."""
        user = self.users[0]
        shared = self.work / "runtime"
        shared.mkdir()
        os.chown(shared, user.uid, user.gid)
        self.environment["XDG_RUNTIME_DIR"] = str(shared)
        process = self.sleeper(user)
        for mode, is_used in (0o700, True), (0o777, False):
            with self.subTest(oct(mode)):
                shared.chmod(mode)
                controller = self.attach_as(user, process)
                self.assertEqual((shared / "clew").exists(), is_used)
                if is_used:
                    self.assertEqual(len(list((shared / "clew").iterdir())), 1)
                self.assert_held(
                    self.clew("detach", process.pid, **user.as_user), process,
                    controller, user.name)
                controller.send_signal(signal.SIGINT)
                self.assertEqual(controller.wait(PATIENCE_S), 0)
                if is_used:
                    (shared / "clew").rmdir()

    def test_names_of_folders_can_be_taken_by_others(self):
        """The process sees other files than clew does. The test creates all
        folder names that can be predicted."""
        taken = self.work / "tmp"
        taken.mkdir(0o777)
        process = self.start(
            ["unshare", "-m", "sh", "-c", 'for place in /var/tmp /run '
             '/dev/shm; do mount -t tmpfs -o mode=555 none $place; done; '
             'mount --bind "$0" /tmp && exec setpriv --reuid=65534 '
             '--regid=65534 --clear-groups sleep 1000', taken])
        self.assertTrue(until(lambda: runs(process, "sleep")))
        taken.chmod(0o1777)
        for i in range(100):
            path = taken / f"clew-{process.pid}{f'.{i}' if i else ''}"
            path.mkdir()
        self.detach(self.attach(process))


if __name__ == "__main__":
    clewtest.main()
