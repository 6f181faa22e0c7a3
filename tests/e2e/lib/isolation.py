# SPDX-License-Identifier: MIT
"""Unprivileged users and control groups for tests that run as root."""
import contextlib
import fcntl
import os
import pathlib
import pwd
import subprocess
import time
import unittest

# Tests that run in parallel must not change /etc/passwd at once.
LOCK = pathlib.Path("/run/clew-test-users")


@contextlib.contextmanager
def _locked():
    with open(LOCK, "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


class User:
    """An account without a password; `as_user` contains arguments for
    subprocess.run()."""

    def __init__(self, name):
        entry = pwd.getpwnam(name)
        self.name, self.uid, self.gid = name, entry.pw_uid, entry.pw_gid

    @property
    def as_user(self):
        return {"user": self.uid, "group": self.gid, "extra_groups": []}


def make_users(case, count=2):
    """Creates accounts that `case` removes when it ends; skips unless root."""
    if os.geteuid() != 0:
        raise unittest.SkipTest("only root can create users")
    users = []
    for i in range(count):
        name = f"clewtest{os.getpid()}{chr(ord('a') + i)}"
        with _locked():
            subprocess.run(["useradd", "--no-create-home", "--shell",
                            "/bin/sh", "--home-dir", "/nonexistent", name],
                           check=True, capture_output=True)
        case.addCleanup(_remove, name)
        users.append(User(name))
    return users


def _remove(name):
    subprocess.run(["pkill", "-KILL", "-u", name], check=False,
                   capture_output=True)
    with _locked():
        subprocess.run(["userdel", "--force", name], check=False,
                       capture_output=True)


class Cgroup:
    """A control group with a memory limit, or a freezer."""

    def __init__(self, folder):
        self.folder = folder

    def join(self, pid=0):
        """Moves the given process, or the caller, into the group."""
        (self.folder / "cgroup.procs").write_text(f"{pid}\n", "ascii")

    def write(self, name, text):
        (self.folder / name).write_text(f"{text}\n", "ascii")

    def read(self, name):
        return (self.folder / name).read_text("ascii")

    def remove(self):
        """Removes the group; retries while the kernel still lists processes
        that have exited."""
        end = time.monotonic() + 30
        while self.folder.exists():
            try:
                self.folder.rmdir()
            except OSError:
                if time.monotonic() > end:
                    return
                time.sleep(.01)


def _group(case, controller):
    root = pathlib.Path("/sys/fs/cgroup")
    parent = root / controller if (root / controller).is_dir() else root
    folder = parent / f"clew-test-{os.getpid()}-{controller}"
    try:
        folder.mkdir()
    except OSError as error:
        raise unittest.SkipTest(f"no control groups here: {error}")
    group = Cgroup(folder)
    case.addCleanup(group.remove)
    return group


def nested_groups(case):
    """Returns a group and a group below it, both without limits, or skips
    the test."""
    outer = _group(case, "freezer")
    inner = Cgroup(outer.folder / "inner")
    inner.folder.mkdir()
    case.addCleanup(inner.remove)
    return outer, inner


def memory_group(case, limit_bytes):
    """Returns a group with this memory limit, or skips the test."""
    group = _group(case, "memory")
    for name in ("memory.max", "memory.limit_in_bytes"):
        if (group.folder / name).exists():
            group.write(name, limit_bytes)
            return group
    raise unittest.SkipTest("no limits of memory here")


def freezer_group(case):
    """Returns a group with freeze() and thaw(), or skips the test."""
    group = _group(case, "freezer")
    is_v1 = (group.folder / "freezer.state").exists()
    if not is_v1 and not (group.folder / "cgroup.freeze").exists():
        raise unittest.SkipTest("no freezer here")
    group.freeze = lambda: group.write(
        *(("freezer.state", "FROZEN") if is_v1 else ("cgroup.freeze", 1)))
    group.thaw = lambda: group.write(
        *(("freezer.state", "THAWED") if is_v1 else ("cgroup.freeze", 0)))
    case.addCleanup(group.thaw)
    return group
