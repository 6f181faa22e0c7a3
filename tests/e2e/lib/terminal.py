# SPDX-License-Identifier: MIT
"""Runs programs on a terminal of a chosen size."""
import fcntl
import os
import pty
import struct
import subprocess
import termios

from lib import clewtest


def look(case, argv, columns=80):
    """Runs a program on a terminal of this width. Returns its output and its status."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ,
                struct.pack("4H", 24, columns, 0, 0))
    process = subprocess.Popen(
        [str(word) for word in argv], cwd=case.work, stdin=follower,
        stdout=follower, stderr=follower, env=case.environment)
    os.close(follower)
    said = b""
    try:
        while chunk := os.read(leader, 4096):
            said += chunk
    except OSError:  # EIO: the last follower is closed
        pass
    status = process.wait(clewtest.TIMEOUT_S)
    os.close(leader)
    return said.decode().replace("\r\n", "\n"), status
