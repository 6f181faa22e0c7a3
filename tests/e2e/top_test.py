#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""clew top shows the present calls of a process, as tables and on a screen."""
import re
import subprocess
import time

from lib import clewtest
from lib.clewtest import CLEW, PYTHON, needs

PATIENCE_S = 60
LOOP = "print('ready', flush=True)\nwhile True: str(1)"


class Watched(clewtest.Case):
    def start(self, argv, **options):
        process = subprocess.Popen(
            [str(a) for a in argv], cwd=self.work, env=self.environment,
            stdin=subprocess.DEVNULL, **options)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def loop(self):
        """Starts a process that makes calls, and is not recorded."""
        process = self.start([PYTHON, "-c", LOOP], stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.assertEqual(process.stdout.readline(), b"ready\n")
        return process

    def tables(self, *arguments):
        """Returns [(first line, [(calls a second, self, total, calls, label)])]."""
        done = self.clew("top", "-b", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        found = []
        for table in done.stdout.split("\n\n")[:-1]:
            total, heading, *rows = table.splitlines()
            self.assertIn("CALLS/S", heading)
            found.append((total, [
                (int(per_s.replace(",", "")), own, all_, calls, label)
                for per_s, own, all_, calls, label in
                (row.split(maxsplit=4) for row in rows)]))
        return found

    def is_left(self, process):
        self.assertIsNone(process.poll())
        self.assert_one_line_error(self.clew("status", process.pid),
                                   "not being recorded")
        self.assertEqual(list(self.work.glob("clew-top-*")), [])


class Tables(Watched):
    def test_a_process_that_is_attached_to(self):
        """clew top attaches, detaches, and leaves no files behind."""
        self.environment["TMPDIR"] = str(self.work)
        process = self.loop()
        for subject, wanted in (("function", "PyObject_Str"),
                                ("context", " < "), ("module", "python"),
                                ("thread", str(process.pid))):
            with self.subTest(subject):
                found = self.tables("-n", "2", "-d", ".2", "--by", subject,
                                    process.pid)
                self.assertEqual(len(found), 2)
                for total, rows in found:
                    self.assertRegex(total, r"^[\d,]+ calls/s, ")
                    self.assertEqual(rows, sorted(
                        rows, key=lambda row: -row[0]))
                    self.assertGreater(rows[0][0], 1000)
                    self.assertTrue(any(wanted in row[4] for row in rows))
                self.is_left(process)

    def test_rows_are_chosen_and_sorted(self):
        self.environment["TMPDIR"] = str(self.work)
        process = self.loop()
        (_, rows), = self.tables("-n", "1", "-d", ".2", "--top", "0", "-f",
                                 "UNICODE", "-s", "all-calls", process.pid)
        self.assertTrue(rows)
        self.assertEqual({"unicode" in row[4].lower() for row in rows},
                         {True})
        calls = [int(row[3].replace(",", "")) for row in rows]
        self.assertEqual(calls, sorted(calls, reverse=True))
        (_, rows), = self.tables("-n", "1", "-d", "1", "--top", "3", "-s",
                                 "self", process.pid)
        self.assertEqual(len(rows), 3)
        own = [float(row[1]) for row in rows]
        self.assertEqual(own, sorted(own, reverse=True))
        self.assertGreater(own[0], 0)

    def test_a_command(self):
        """A command runs until it ends by itself, or is ended."""
        self.environment["TMPDIR"] = str(self.work)
        # Sorted by all calls, because in its last moments the program only cleans up.
        tables = self.tables("-d", ".05", "-s", "all-calls", "--", PYTHON,
                             "-c", "for i in range(300000): str(i)")
        self.assertIn("PyObject_Str", " ".join(
            row[4] for row in tables[-1][1]))
        called = {row[4].split()[0]: int(row[3].replace(",", ""))
                  for row in tables[-1][1]}
        self.assertGreaterEqual(called["PyObject_Str"], 300000)
        self.tables("-n", "1", "-d", ".05", "--", PYTHON, "-c",
                    "import signal\n"
                    "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
                    "while True: str(1)")
        self.assertEqual(list(self.work.glob("clew-top-*")), [])
        self.assertEqual(
            [p for p in self.clew_json("status", "--json")["processes"]
             if str(self.work) in p["recording"]], [])

    def test_top_shows_a_recorded_process(self):
        recorder = self.start([CLEW, "record", "-q", "-o",
                               self.recording_path, "--", PYTHON, "-c", LOOP],
                              stdout=subprocess.PIPE)
        self.addCleanup(recorder.stdout.close)
        self.assertEqual(recorder.stdout.readline(), b"ready\n")
        pid, = (one["pid"]
                for one in self.clew_json("status", "--json")["processes"]
                if one["recording"] == str(self.recording_path))
        self.addCleanup(self.run_program, ["kill", "-9", str(pid)])
        (_, rows), = self.tables("-n", "1", "-d", ".2", pid)
        self.assertGreater(rows[0][0], 1000)
        one, = self.clew_json("status", "--json", pid)["processes"]
        self.assertEqual(one["state"], "recorded")
        self.assertEqual(one["recording"], str(self.recording_path))

    def test_a_filter_that_matches_no_row(self):
        done = self.clew("top", "-b", "-n", "1", "-d", ".05", "-f", "zzz",
                         "--", PYTHON, "-c", "while True: str(1)")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--function=zzz: no row contains this", done.stderr)

    def test_refusals(self):
        self.environment["TMPDIR"] = str(self.work)
        self.assert_one_line_error(self.clew("top", 999999999),
                                   "no such process")
        self.assert_one_line_error(self.clew("top", "--", "/not/there"),
                                   "no such program")
        for words in ([], ["x"], ["1", "2"], ["-d", "x", "1"],
                      ["--by", "x", "1"], ["-s", "x", "1"]):
            with self.subTest(words):
                self.assertEqual(self.clew("top", *words).returncode, 64)
        self.assertEqual(list(self.work.glob("clew-top-*")), [])


@needs("tmux")
class Screen(Watched):
    """clew top on a terminal of 80 by 24 characters in tmux."""

    def setUp(self):
        super().setUp()
        self.environment |= {"TMPDIR": str(self.work), "LC_ALL": "C.UTF-8",
                             "TMUX_TMPDIR": str(self.work)}
        self.process = self.loop()
        script = (f"stty -g >before; {CLEW} top -d .1 -o "
                  f"{self.recording_path} {self.process.pid}; "
                  "echo $? >status; stty -g >after; echo over; read line")
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y",
                  "24", script)
        self.addCleanup(self.tmux, "kill-server")

    def tmux(self, *arguments):
        done = self.run_program(["tmux", *arguments], text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def see(self, pattern):
        """Waits until the pattern is on the screen."""
        end = time.monotonic() + PATIENCE_S
        while True:
            screen = self.tmux("capture-pane", "-p")
            if re.search(pattern, screen):
                return screen
            self.assertLess(time.monotonic(), end, f"{pattern}:\n{screen}")
            time.sleep(.02)

    def press(self, key, pattern):
        self.tmux("send-keys", key)
        return self.see(pattern)

    def ended_well(self):
        self.see("over")
        self.assertEqual((self.work / "status").read_text(), "0\n")
        self.assertEqual((self.work / "after").read_text(),
                         (self.work / "before").read_text())

    def test_keys(self):
        screen = self.see(r"\A(?=[\s\S]*PyObject_Str)(.*\n){23}.*\S")  # all lines
        screen = screen.rstrip("\n").split("\n")
        self.assertEqual(len(screen), 24)
        self.assertIn(f"process {self.process.pid}", screen[0])
        self.press("m", "MODULE\n.* python")
        self.press("t", rf"THREAD\n.*{self.process.pid}")
        self.press("c", "CONTEXT\n")
        self.press("f", "FUNCTION\n")
        self.press("s", "sorted by self")
        self.press("/", "filter: _")
        for key in "Object_S":
            self.press(key, "filter: ")
        screen = self.press("Enter", "filter: Object_S\n")
        self.assertIn("PyObject_Str", screen.split("\n")[4])
        self.press("Enter", "(?s)caller.*callee|PyObject_Str.*\n.*type_call")
        self.press("q", "CALLS/S")
        self.press("h", "callers and callees of the row")
        self.press("q", "CALLS/S")
        self.press("p", "paused|filter")
        self.press("Escape", "paused")
        self.press("w", "written to")
        report = self.clew_json("report", "--json", self.recording_path)
        self.assertGreater(report["total"]["calls"], 1000)
        self.tmux("send-keys", "q")
        self.ended_well()
        self.is_left(self.process)

    def test_another_size_and_an_interrupt(self):
        self.see("PyObject_Str")
        self.tmux("resize-window", "-x", "40", "-y", "8")
        self.see(r"^clew top.*\n(.*\n){2} +CALLS/S  SELF%")
        self.press("Down", "CALLS/S")
        self.tmux("send-keys", "C-c")
        self.ended_well()
        self.is_left(self.process)

    def test_the_process_ends(self):
        self.see("PyObject_Str")
        self.process.kill()
        self.process.wait()
        self.see("has ended")
        self.tmux("send-keys", "q")
        self.ended_well()


if __name__ == "__main__":
    clewtest.main()
