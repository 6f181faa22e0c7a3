# SPDX-License-Identifier: MIT
"""Forbids a process to make written memory executable.

The functions deny_by_...() are meant for preexec_fn.
"""
import ctypes
import subprocess

from lib import seccomp

PR_SET_MDWE = 65  # since Linux 6.3


def deny_by_prctl():
    if ctypes.CDLL(None).prctl(PR_SET_MDWE, 1, 0, 0, 0):
        raise OSError("no PR_SET_MDWE")


def deny_by_filter():
    """Installs the filter of systemd's MemoryDenyWriteExecute=."""
    seccomp.memory_deny_write_execute().install()


def can_deny_by(deny):
    """Returns whether this kernel has the function's restriction."""
    try:
        subprocess.run(["true"], preexec_fn=deny, check=True)
    except subprocess.SubprocessError:
        return False
    return True
