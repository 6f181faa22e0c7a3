#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""clew status, clew snapshot, and clew list PID show a recording that is still in progress."""
import os
import pathlib
import signal
import subprocess

from lib import clewtest, terminal
from lib.clewtest import CLEW, PYTHON, slow, until

# Makes as many calls as standard input requests, and then prints a line. No
# calls happen while the test inspects it.
STEPS = """
import os, sys
sys.stdout.write("ready\\n")
sys.stdout.flush()
for line in sys.stdin:
    if line == "fork\\n":
        pid = os.fork()
        if pid:
            os.waitpid(pid, 0)
            break
        sys.stdout.write(str(os.getpid()) + "\\n")
    for i in range(1000):
        str(i).encode()
    sys.stdout.write("done\\n")
    sys.stdout.flush()
"""


class Live(clewtest.Case):
    def start(self, argv):
        process = subprocess.Popen(
            [str(a) for a in argv], cwd=self.work, env=self.environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, bufsize=1)
        for file in (process.stdin, process.stdout):
            self.addCleanup(file.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def recorded(self):
        """Starts a recorded process. Returns (clew, pid of the process)."""
        recorder = self.start([CLEW, "record", "-o", self.recording_path,
                               "--time=none", "--", PYTHON, "-c", STEPS])
        self.assertEqual(recorder.stdout.readline(), "ready\n")
        pid, = (int(p) for p in pathlib.Path(
            f"/proc/{recorder.pid}/task/{recorder.pid}/children")
                .read_text().split())
        return recorder, pid

    def step(self, process):
        process.stdin.write("go\n")
        self.assertEqual(process.stdout.readline(), "done\n")

    def status(self, *arguments):
        return self.clew_json("status", "--json", *arguments)["processes"]

    def wait_for(self, pid):
        """Waits until the process waits in the kernel, where it makes no calls."""
        stat = pathlib.Path(f"/proc/{pid}/stat")

        def is_waiting():
            return stat.read_text().rsplit(")", 1)[1].split()[0] == "S"

        self.assertTrue(until(is_waiting))

    def test_status_agrees_with_the_recording(self):
        """The status and a snapshot agree with the recording, and do not stop the process."""
        recorder, pid = self.recorded()
        for i in range(2):
            self.step(recorder)
            self.wait_for(pid)
            one, = self.status(pid)
            path = self.work / f"snapshot{i}"
            done = self.clew("snapshot", "-o", path, pid)
            self.assertEqual(done.returncode, 0, done.stderr)
            taken = self.clew_json("report", "--json", path)
            here = self.clew_json("report", "--json", self.recording_path)
            self.assertEqual(taken["functions"], here["functions"])
            self.assertEqual(taken["problems"], [])
            self.assertEqual(one["calls"], taken["total"]["calls"])
            self.assertEqual(one["contexts"], taken["total"]["contexts"])
            self.assertEqual(one["hooks"], taken["coverage"]["hooked"])
            self.assertEqual(
                (one["pid"], one["state"], one["calls_per_s"], one["lost"],
                 one["recording"]),
                (pid, "recorded", 0, 0, str(self.recording_path)))
            self.assertTrue(one["command"].startswith(str(PYTHON)))
        first = self.clew_json("report", "--json", self.work / "snapshot0")
        self.assertGreater(taken["total"]["calls"], first["total"]["calls"])
        self.step(recorder)
        recorder.stdin.close()
        self.assertEqual(recorder.wait(), 0)
        self.assert_one_line_error(self.clew("status", pid),
                                   "no such process")

    @slow
    def test_status_shows_calls_per_second(self):
        process = self.start([
            CLEW, "record", "-q", "-o", self.recording_path, "--", PYTHON,
            "-c", "print('ready', flush=True)\nwhile True: str(1)"])
        self.assertEqual(process.stdout.readline(), "ready\n")
        pid, = (one["pid"] for one in self.status()
                if one["recording"] == str(self.recording_path))
        self.addCleanup(os.kill, pid, signal.SIGKILL)
        first, = self.status(pid)
        self.assertGreater(first["calls_per_s"], 1000)
        self.assertGreater(self.status(pid)[0]["calls"], first["calls"])
        for i in range(3):
            path = self.work / f"snapshot{i}"
            self.assertEqual(self.clew("snapshot", "-q", "-o", path,
                                       pid).stderr, "")
            report = self.clew_json("report", "--json", path)
            self.assertGreater(report["total"]["calls"], first["calls"])
        text = self.clew("status", pid).stdout.splitlines()
        self.assertEqual(len(text), 2)
        self.assertEqual(text[1].split()[0], str(pid))

    def test_status_fits_the_terminal(self):
        """Columns are omitted as a whole; the command has at least 30 columns."""
        recorder, pid = self.recorded()
        self.wait_for(pid)
        self.environment |= {"TERM": "xterm", "CLEW_PAGER": ""}
        headings = {}
        for columns in 70, 100, 300:
            said, status = terminal.look(self, [CLEW, "status", pid], columns)
            self.assertEqual(status, 0, said)
            heading, row = said.splitlines()
            self.assertLessEqual(len(row), columns)
            self.assertEqual(row.split()[0], str(pid))
            self.assertIn(str(PYTHON)[:20], row)
            headings[columns] = heading.split()
        self.assertEqual(headings[300], [
            "PID", "HOOKS", "CALLS/S", "CALLS", "CONTEXTS", "MB", "LOST",
            "STATE", "RECORDING", "COMMAND"])
        self.assertEqual(headings[70], ["PID", "CALLS/S", "CALLS", "LOST",
                                        "STATE", "COMMAND"])
        self.assertLess(len(headings[70]), len(headings[100]))
        self.assertLess(len(headings[100]), len(headings[300]))
        piped = self.clew("status", pid).stdout.splitlines()[0].split()
        self.assertEqual(piped, headings[300])
        recorder.stdin.close()
        self.assertEqual(recorder.wait(), 0)

    def test_snapshot_of_a_child_includes_its_parents_part(self):
        recorder, pid = self.recorded()
        recorder.stdin.write("fork\n")
        child = int(recorder.stdout.readline())
        self.assertEqual(recorder.stdout.readline(), "done\n")
        self.wait_for(child)
        path = self.work / "snapshot"
        self.assertEqual(self.clew("snapshot", "-o", path, child).returncode,
                         0)
        self.assertEqual({part.name for part in path.glob("*.part")},
                         {f"{pid}.0.part", f"{child}.0.part"})
        self.assertEqual(self.clew("snapshot", "-o", path, pid).returncode, 0)
        self.assertEqual({part.name for part in path.glob("*.part")},
                         {f"{pid}.0.part"})
        recorder.stdin.close()
        self.assertEqual(recorder.wait(), 0)

    def test_status_shows_hooked_functions(self):
        """clew list PID equals clew list of its recording; a child has another recording."""
        recorder, pid = self.recorded()
        self.step(recorder)
        self.wait_for(pid)
        listed = self.clew_json("list", "--json", "-a", pid)
        self.assertEqual(listed, self.clew_json("list", "--json", "-a",
                                                self.recording_path))
        self.assertEqual(listed["total"]["hooked"],
                         self.status(pid)[0]["hooks"])
        for name in str(pid), "1":  # Files may also have a number as name.
            (self.work / name).symlink_to(PYTHON)
        self.assertEqual(listed, self.clew_json("list", "--json", "-a", pid))
        self.assert_one_line_error(self.clew("list", 1), "process 1:")
        self.assertIn("can be hooked", self.clew("list", "./1").stdout)
        recorder.stdin.write("fork\n")
        child = int(recorder.stdout.readline())
        self.assertEqual(recorder.stdout.readline(), "done\n")
        self.wait_for(child)
        self.assertEqual(
            self.clew_json("list", "--json", "-a", child),
            self.clew_json("list", "--json", "-a",
                           self.recording_path / f"{child}.0.part"))
        recorder.stdin.close()
        self.assertEqual(recorder.wait(), 0)
        self.assert_one_line_error(self.clew("list", pid), "no such process")

    def test_unsuitable_processes_are_refused(self):
        _, pid = self.recorded()
        other = self.start(["cat"])
        for command in "status", "snapshot":
            with self.subTest(command):
                self.assert_one_line_error(self.clew(command, other.pid),
                                           other.pid, "not being recorded")
                self.assert_one_line_error(self.clew(command, 999999999),
                                           "no such process")
                for words in ["x"], ["1", "2"], ["-1"], ["--nonsense"]:
                    self.assertEqual(self.clew(command, *words).returncode,
                                     64)
        self.assert_one_line_error(self.clew("list", other.pid), other.pid,
                                   "not being recorded")
        self.assert_one_line_error(self.clew("list", 999999999),
                                   "no such process")
        for words in [pid, pid], ["99999999999"], ["0"]:
            self.assert_usage_error(self.clew("list", *words))
        self.assertEqual(self.clew("snapshot").returncode, 64)
        self.assert_one_line_error(
            self.clew("snapshot", "-o", self.recording_path, pid),
            "the process is being recorded in")
        for path in self.recording_path.iterdir():
            path.unlink()
        self.assert_one_line_error(self.clew("status", pid), "removed")
        self.assert_one_line_error(self.clew("snapshot", pid), "removed")
        self.assert_one_line_error(self.clew("list", pid), "removed")


if __name__ == "__main__":
    clewtest.main()
