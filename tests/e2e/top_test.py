#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""clew top shows the present calls of a process, as tables and on a screen."""
import os
import shutil
import signal
import subprocess

from lib import clewtest, screen
from lib.clewtest import CLEW, PYTHON, needs, unless_sanitized
from lib.isolation import nested_groups

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
    def test_top_attaches_to_a_process_and_detaches(self):
        """clew top attaches, detaches, and leaves no files behind."""
        self.environment["TMPDIR"] = str(self.work)
        process = self.loop()
        for subject, wanted in (("function", "PyObject_Str"),
                                ("context", " < "), ("module", "python"),
                                ("thread", str(process.pid))):
            with self.subTest(subject):
                found = self.tables("-n", "2", "-d", ".2", "-s", "calls",
                                    "--by", subject, process.pid)
                self.assertEqual(len(found), 2)
                for total, rows in found:
                    self.assertRegex(total, r"^[\d,]+ calls/s, ")
                    self.assertEqual(rows, sorted(
                        rows, key=lambda row: -row[0]))
                    self.assertGreater(rows[0][0], 1000)
                    self.assertTrue(any(wanted in row[4] for row in rows))
                self.is_left(process)

    def test_rows_of_top_are_chosen_and_sorted(self):
        self.environment["TMPDIR"] = str(self.work)
        process = self.loop()
        (_, rows), = self.tables("-n", "1", "-d", ".2", "--top", "0", "-f",
                                 "UNICODE", "-s", "all-calls", process.pid)
        self.assertTrue(rows)
        self.assertEqual({"unicode" in row[4].lower() for row in rows},
                         {True})
        calls = [int(row[3].replace(",", "")) for row in rows]
        self.assertEqual(calls, sorted(calls, reverse=True))
        (_, rows), = self.tables("-n", "1", "-d", "1", "--top", "3",
                                 process.pid)  # by time
        self.assertEqual(len(rows), 3)
        own = [float(row[1]) for row in rows]
        self.assertEqual(own, sorted(own, reverse=True))
        self.assertGreater(own[0], 0)

    def test_top_runs_a_command_until_its_end(self):
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
        (_, rows), = self.tables("-n", "1", "-d", ".2", "-s", "calls", pid)
        self.assertGreater(rows[0][0], 1000)
        one, = self.clew_json("status", "--json", pid)["processes"]
        self.assertEqual(one["state"], "recorded")
        self.assertEqual(one["recording"], str(self.recording_path))

    def test_processes_of_a_command_are_added_up(self):
        """Each of three processes calls a function a known number of times."""
        code = ("import os\n"
                "for rounds in 20000, 30000:\n"
                "    if os.fork() == 0:\n"
                "        for i in range(rounds): bin(i)\n"
                "        os._exit(0)\n"
                "    os.wait()\n"
                "for i in range(10000): bin(i)\n")
        tables = self.tables("-d", ".05", "-s", "all-calls", "--top", "0",
                             "--", PYTHON, "-c", code)
        called = {row[4].split()[0]: int(row[3].replace(",", ""))
                  for row in tables[-1][1]}
        self.assertEqual(called["PyNumber_ToBase"], 60000)

    def test_top_adds_up_several_processes(self):
        self.environment["TMPDIR"] = str(self.work)
        processes = [self.loop(), self.loop()]
        pids = [str(process.pid) for process in processes]
        # One process is attached to after the other.
        tables = self.tables("-n", "5", "-d", ".5", "--by", "thread", *pids)
        shown = " ".join(row[4] for row in tables[-1][1] if row[0] > 1000)
        for pid in pids:
            self.assertIn(f"({pid})", shown)
        (_, rows), = self.tables("-n", "1", "-d", ".5", "-s", "calls", *pids)
        # One row a function, whichever process calls it.
        names = [row[4] for row in rows]
        self.assertEqual(len(names), len(set(names)))
        for process in processes:
            self.is_left(process)

    def test_top_ends_with_a_recorded_process_that_is_not_reaped(self):
        """The pid of such a process still exists."""
        recorder = self.start(
            [CLEW, "record", "-q", "-o", self.recording_path, "--", PYTHON,
             "-c", "import os, time\n"
             "child = os.fork()\n"
             "if child:\n"
             "    print(os.getpid(), child, flush=True)\n"
             "    time.sleep(1000)\n"
             "while True: str(1)"], stdout=subprocess.PIPE)
        self.addCleanup(recorder.stdout.close)
        parent, child = (int(word)
                         for word in recorder.stdout.readline().split())
        self.addCleanup(self.run_program, ["kill", "-9", str(parent)])
        self.addCleanup(self.run_program, ["kill", "-9", str(child)])
        self.assertTrue(clewtest.until(
            lambda: self.clew("status", child).returncode == 0))
        top = self.start([CLEW, "top", "-b", "-d", ".1", child],
                         stdout=subprocess.PIPE)
        self.addCleanup(top.stdout.close)
        self.assertIn(b"calls/s", top.stdout.readline())
        os.kill(child, signal.SIGKILL)
        top.communicate(timeout=60)
        self.assertEqual(top.returncode, 0)

    def recorded(self, code, options=()):
        """Starts a recorded program. Returns the words of its first line."""
        recorder = self.start([CLEW, "record", "-q", "-o", self.recording_path,
                               *options, "--", PYTHON, "-c", code],
                              stdout=subprocess.PIPE)
        self.addCleanup(recorder.stdout.close)
        words = recorder.stdout.readline().decode().split()
        for word in words:
            if word.isdigit():
                self.addCleanup(self.run_program, ["kill", "-9", word])
        return words

    def test_recorded_processes_are_shown_beside_others(self):
        self.environment["TMPDIR"] = str(self.work)
        pid, = self.recorded("import os\nprint(os.getpid(), flush=True)\n"
                             "while True: str(1)")
        other = self.loop()
        tables = self.tables("-n", "5", "-d", ".3", "--by", "thread",
                             pid, other.pid)
        shown = " ".join(row[4] for row in tables[-1][1] if row[0] > 1000)
        self.assertIn(f"({pid})", shown)
        self.assertIn(f"({other.pid})", shown)
        self.is_left(other)
        self.assertEqual(self.clew("status", pid).returncode, 0)

    def test_top_follows_the_children_of_a_recorded_server(self):
        """The children are forked before and after the first table."""
        self.environment["TMPDIR"] = str(self.work)
        parent, first = self.recorded(
            "import os, sys\n"
            "def child():\n"
            "    pid = os.fork()\n"
            "    while not pid: str(1)\n"
            "    return pid\n"
            "print(os.getpid(), child(), flush=True)\n"
            "while not os.path.exists('go'): str(1)\n"
            "open('second', 'w').write(str(child()))\n"
            "while True: str(1)")
        top = self.start([CLEW, "top", "-b", "-d", ".1", "--by", "thread",
                          "--children", parent],
                         stdout=subprocess.PIPE, text=True)
        self.addCleanup(top.stdout.close)
        wanted = {f"({pid})" for pid in (parent, first)}
        self.await_rows(top, wanted)
        (self.work / "go").touch()
        second = self.work / "second"
        self.assertTrue(clewtest.until(
            lambda: second.exists() and second.read_text()))
        self.addCleanup(self.run_program, ["kill", "-9", second.read_text()])
        self.await_rows(top, {f"({second.read_text()})"})
        for pid in parent, first, second.read_text():
            os.kill(int(pid), signal.SIGKILL)
        top.communicate(timeout=60)
        self.assertEqual(top.returncode, 0)

    def await_rows(self, top, wanted):
        """Reads tables until each of the texts has been in a row."""
        missing = set(wanted)
        while missing:
            line = top.stdout.readline()
            self.assertTrue(line, missing)
            missing = {text for text in missing if text not in line}

    def test_top_names_processes_that_it_left_out(self):
        self.environment["TMPDIR"] = str(self.work)
        process = self.loop()
        done = self.clew("top", "-b", "-n", "1", "-d", ".2", process.pid,
                         999999999)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("calls/s", done.stdout)
        self.assertRegex(done.stderr, "(?m)^clew top: cannot attach to process "
                         "999999999: ")
        self.is_left(process)

    def test_killed_top_detaches_from_processes(self):
        self.environment["TMPDIR"] = str(self.work)
        process = self.loop()
        top = self.start([CLEW, "top", "-b", "-d", ".1", process.pid],
                         stdout=subprocess.PIPE)
        self.addCleanup(top.stdout.close)
        self.assertIn(b"calls/s", top.stdout.readline())
        top.kill()
        top.wait()
        self.assertTrue(clewtest.until(
            lambda: self.clew("status", process.pid).returncode != 0))
        self.assert_one_line_error(self.clew("status", process.pid),
                                   "not being recorded")
        self.assertIsNone(process.poll())

    def test_killed_top_ends_its_program(self):
        self.environment["TMPDIR"] = str(self.work)
        pid_file = self.work / "pid"
        top = self.start([CLEW, "top", "-b", "-d", ".1", "--", PYTHON, "-c",
                          "import os\n"
                          "open('pid', 'w').write(str(os.getpid()))\n"
                          "while True: str(1)"], stdout=subprocess.PIPE)
        self.addCleanup(top.stdout.close)
        self.assertIn(b"calls/s", top.stdout.readline())
        self.assertTrue(clewtest.until(
            lambda: pid_file.exists() and pid_file.read_text()))
        pid = pid_file.read_text()
        self.addCleanup(self.run_program, ["kill", "-9", pid])
        top.kill()
        top.wait()
        self.assertTrue(clewtest.until(
            lambda: not os.path.exists(f"/proc/{pid}")))

    def test_top_includes_children_on_request(self):
        self.environment["TMPDIR"] = str(self.work)
        parent = self.start([PYTHON, "-c", "import subprocess, sys\n"
                             f"subprocess.run([sys.executable, '-c', {LOOP!r}])"],
                            stdout=subprocess.PIPE)
        self.addCleanup(parent.stdout.close)
        self.assertEqual(parent.stdout.readline(), b"ready\n")
        child, = (int(line) for line in self.run_program(
            ["pgrep", "-P", str(parent.pid)], text=True).stdout.split())
        self.addCleanup(self.run_program, ["kill", "-9", str(child)])
        # The child may be attached to after the first table.
        tables = self.tables("-n", "5", "-d", ".3", "--by", "thread",
                             "--children", parent.pid)
        self.assertIn(f"({child})", tables[-1][1][0][4])
        self.assert_one_line_error(
            self.clew("top", "-b", "--exe=no-such-program-anywhere"),
            "no-such-program-anywhere")

    def test_top_attaches_to_all_processes_of_a_program(self):
        self.environment["TMPDIR"] = str(self.work)
        program = self.work / "python-of-this-test"
        shutil.copy(PYTHON, program)
        processes = [self.start([program, "-c", LOOP], stdout=subprocess.PIPE)
                     for _ in range(2)]
        for process in processes:
            self.addCleanup(process.stdout.close)
            self.assertEqual(process.stdout.readline(), b"ready\n")
        tables = self.tables("-n", "5", "-d", ".5", "--by", "thread", "--exe",
                             program.name)
        shown = " ".join(row[4] for row in tables[-1][1] if row[0] > 1000)
        for process in processes:
            self.assertIn(f"({process.pid})", shown)
            self.is_left(process)

    def test_top_attaches_to_all_processes_of_a_cgroup(self):
        """The group is chosen by its folder, and by its path as in /proc."""
        self.environment["TMPDIR"] = str(self.work)
        outer, inner = nested_groups(self)
        other = self.loop()
        processes = [self.loop(), self.loop()]
        for group, process in zip((outer, inner), processes):
            group.join(process.pid)
        for name in (outer.folder, f"/{outer.folder.name}"):
            with self.subTest(name):
                tables = self.tables("-n", "5", "-d", ".5", "--by", "thread",
                                     "--cgroup", name)
                shown = " ".join(
                    row[4] for row in tables[-1][1] if row[0] > 1000)
                for process in processes:
                    self.assertIn(f"({process.pid})", shown)
                    self.is_left(process)
                self.assertNotIn(f"({other.pid})", shown)
        self.assertIsNone(other.poll())
        empty = self.clew("top", "-b", "--cgroup", outer.folder / "none")
        self.assert_one_line_error(empty, "is not a cgroup")

    def test_a_filter_of_top_without_rows_fails(self):
        done = self.clew("top", "-b", "-n", "1", "-d", ".05", "-f", "zzz",
                         "--", PYTHON, "-c", "while True: str(1)")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--function=zzz: no row contains this", done.stderr)

    def test_top_refuses_wrong_arguments(self):
        self.environment["TMPDIR"] = str(self.work)
        self.assert_one_line_error(self.clew("top", 999999999),
                                   "no such process")
        self.assert_one_line_error(self.clew("top", "--", "/not/there"),
                                   "no such program")
        for words in (["1"], ["-d", "1", "1"], ["--children"]):
            done = self.clew("top", *words, "--", "true")
            self.assertEqual(done.returncode, 64)
            self.assertIn("a command excludes processes", done.stderr)
        for words in ([], ["x"], ["--children", "--", "true"], ["-d", "x", "1"],
                      ["--by", "x", "1"], ["-s", "x", "1"]):
            with self.subTest(words):
                self.assertEqual(self.clew("top", *words).returncode, 64)
        self.assertEqual(list(self.work.glob("clew-top-*")), [])


@needs("tmux")
class Screen(Watched, screen.Screen):
    """clew top on a terminal of 80 by 24 characters in tmux."""

    def setUp(self):
        super().setUp()
        self.environment["TMPDIR"] = str(self.work)
        self.process = self.loop()
        self.open(CLEW, "top", "-d", ".1", "-o", self.recording_path,
                  self.process.pid)

    def test_keys_change_the_screen_of_top(self):
        shown = self.see(r"\A(?=[\s\S]*PyObject_Str)(.*\n){23}.*\S")  # all lines
        shown = shown.rstrip("\n").split("\n")
        self.assertEqual(len(shown), 24)
        self.assertIn(f"process {self.process.pid}", shown[0])
        self.press("m", "MODULE\n.* python")
        self.press("t", rf"THREAD\n.*{self.process.pid}")
        self.press("c", "CONTEXT\n")
        self.press("f", "FUNCTION\n")
        self.press("s", "sorted by total")
        self.press("/", "filter: _")
        for key in "Object_S":
            self.press(key, "filter: ")
        shown = self.press("Enter", "filter: Object_S\n")
        self.assertIn("PyObject_Str", shown.split("\n")[4])
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
        self.ended()
        self.is_left(self.process)

    def test_top_sorts_by_own_time_first(self):
        self.see("sorted by self")
        self.press("s", "sorted by total")
        self.press("s", "sorted by calls")
        self.press("s", "sorted by all-calls")
        self.tmux("send-keys", "q")
        self.ended()

    def test_top_fits_another_size_and_ends_at_control_c(self):
        self.see("PyObject_Str")
        self.resize(40, 8)
        self.see(r"^clew top.*\n(.*\n){2} +CALLS/S  SELF%")
        self.press("Down", "CALLS/S")
        self.tmux("send-keys", "C-c")
        self.ended()
        self.is_left(self.process)

    @unless_sanitized
    def test_a_crash_of_top_restores_the_terminal(self):
        self.see("PyObject_Str")
        os.kill(self.command_pid("top"), signal.SIGSEGV)
        self.ended(128 + signal.SIGSEGV)

    def test_top_reports_the_end_of_the_process(self):
        self.see("PyObject_Str")
        self.process.kill()
        self.process.wait()
        self.see("have ended")
        self.tmux("send-keys", "q")
        self.ended()


if __name__ == "__main__":
    clewtest.main()
