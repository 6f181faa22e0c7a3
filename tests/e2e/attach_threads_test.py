#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""clew attach to a process of many threads, and to one whose only thread sleeps."""
import os
import subprocess

import clewtest
from attach_test import Attached
from clewtest import CLEW, PYTHON, target

THREADS = 500

PROGRAM = f"""
import hashlib, threading
go_on = threading.Event()
for _ in range({THREADS}):
    threading.Thread(target=go_on.wait, daemon=True).start()
print("ready", flush=True)
while True:
    assert hashlib.sha256(b"x").hexdigest().startswith("2d711642")
"""


class Many(Attached):
    # Some 2 to 4 s on a busy machine; far more if all are asked whenever one stops.
    CPU_MAX_S = 8

    def test_hundreds_of_threads(self):
        process = self.start([PYTHON, "-c", PROGRAM], stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.assertEqual(process.stdout.readline(), b"ready\n")
        tasks = f"/proc/{process.pid}/task"
        self.assertEqual(len(os.listdir(tasks)), THREADS + 1)
        controller = subprocess.Popen(
            [CLEW, "attach", "-o", self.recording_path, "--for", "20ms",
             "--time", "none", str(process.pid)], cwd=self.work,
            env=self.environment, stderr=subprocess.DEVNULL)
        self.addCleanup(controller.kill)
        _, status, usage = os.wait4(controller.pid, 0)
        controller.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(controller.returncode, 0)
        self.assertLess(usage.ru_utime + usage.ru_stime, self.CPU_MAX_S)
        self.assertEqual(len(os.listdir(tasks)), THREADS + 1)
        self.assert_as_before(process)


class Asleep(Attached):
    """It is in stubs, whose files go with recordings that are replaced."""

    def test_the_same_recording_again_and_again(self):
        process = self.start([target("asleep")], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, bufsize=0)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stdin.close)
        for said in b"12345":
            process.stdin.write(bytes([said]))
            self.assertEqual(process.stdout.read(1), bytes([said]))
            self.detach(self.attach(process))
            self.assert_as_before(process)


if __name__ == "__main__":
    clewtest.main()
