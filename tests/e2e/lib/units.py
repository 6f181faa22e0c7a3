# SPDX-License-Identifier: MIT
"""Installs the system call filters of a systemd unit, as systemd does.

`systemd-analyze syscall-filter` has the groups of calls. Filters whose calls the
tests' programs and clew never make are left out (RestrictRealtime and others).
"""
import errno
import pathlib
import re
import shutil
import subprocess

from lib import seccomp

REDIS = pathlib.Path("/lib/systemd/system/redis-server.service")

# The settings of Debian's memcached.service that filter system calls.
MEMCACHED = """
PrivateDevices=true
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
MemoryDenyWriteExecute=true
ProtectKernelModules=true
RestrictRealtime=true
RestrictNamespaces=true
"""

# Settings that refuse groups of calls.
REFUSED = {"PrivateDevices": "@raw-io", "ProtectClock": "@clock",
           "ProtectKernelModules": "@module"}
SET_ID = 0o6000


def are_known():
    return shutil.which("systemd-analyze") and REDIS.exists()


def groups():
    """Returns {group: names of its calls and groups}."""
    found, group = {}, None
    listed = subprocess.run(["systemd-analyze", "syscall-filter"], check=True,
                            capture_output=True, text=True).stdout
    for line in listed.splitlines():
        if line.startswith("@"):
            group = found.setdefault(line.strip(), [])
        elif line.startswith("    ") and not line.strip().startswith("#"):
            group.append(line.strip())
    return found


def calls_of(names, known):
    """Returns the set of calls that a list of calls and groups names."""
    return set().union(*(
        calls_of(known[name], known) if name.startswith("@") else {name}
        for name in names))


class Unit:
    def __init__(self, text):
        known, self.allowed, refused = groups(), None, set()
        settings = re.findall(r"^(\w+)=(.*)$", text, re.MULTILINE)
        self.settings = dict(settings)
        for name, value in settings:
            if name == "SystemCallFilter":
                self.take(value, known)
            elif name in REFUSED and self.settings[name] == "true":
                refused |= calls_of([REFUSED[name]], known)
        self.refused = sorted(refused & seccomp.NUMBERS.keys())

    def take(self, value, known):
        if value.startswith("~"):
            self.allowed -= calls_of(value[1:].split(), known)
        else:
            self.allowed = calls_of(value.split(), known)
        self.allowed |= calls_of(["@default"], known)

    def has(self, name):
        return self.settings.get(name) == "true"

    def install(self):
        """Meant for preexec_fn."""
        if self.has("MemoryDenyWriteExecute"):
            seccomp.memory_deny_write_execute().install()
        chosen = seccomp.Filter()
        for name in self.refused:
            chosen.refuse(name, errno.EPERM)
        if self.has("RestrictNamespaces"):
            (chosen.refuse("clone3", errno.ENOSYS)
             .refuse("unshare", errno.EPERM).refuse("setns", errno.EPERM)
             .refuse_flags("clone", 0, seccomp.CLONE_NEW, errno.EPERM))
        if self.has("RestrictSUIDSGID"):
            for name, argument in (("fchmod", 1), ("mkdirat", 2),
                                   ("openat", 3)):
                chosen.refuse_flags(name, argument, SET_ID, errno.EPERM)
        if self.has("LockPersonality"):
            chosen.refuse("personality", errno.EPERM)
        chosen.install()
        if self.allowed:
            seccomp.Filter().allow_only(self.allowed).install()


def redis():
    return Unit(REDIS.read_text(encoding="utf-8"))


def memcached():
    return Unit(MEMCACHED)
