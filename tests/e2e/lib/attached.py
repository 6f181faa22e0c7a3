# SPDX-License-Identifier: MIT
"""Starts targets of `clew attach`, and inspects processes outside of a
session."""
import collections
import mmap
import os
import pathlib
import signal
import socket
import struct
import subprocess

from lib import clewtest
from lib.clewtest import CLEW, kill_with_guardian, target, until

PATIENCE_S = 60


def children(pid):
    path = pathlib.Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in path.read_text().split()]


def changed_code(pid):
    """Returns [(file, number of changed bytes)] for all mapped code that
    differs.

    While clew is attached, a copy of the module with its hooks may be mapped
    instead of the module.
    """
    found = []
    with open(f"/proc/{pid}/mem", "rb", 0) as memory, \
            open(f"/proc/{pid}/maps", encoding="utf-8") as maps:
        for line in maps:
            fields = line.split()
            path = pathlib.Path(fields[5] if len(fields) > 5 else "")
            if "x" not in fields[1] or not path.is_absolute() or \
                    path.name == "libclew.so" or \
                    path.suffix in (".stubs", ".jsa"):
                continue  # JDK 11 itself changes its archive of classes
            start, end = (int(n, 16) for n in fields[0].split("-"))
            if path.suffix == ".hooked":
                found.append((str(path), end - start))
                continue
            with path.open("rb") as file:
                file.seek(int(fields[2], 16))
                expected = file.read(end - start)
            memory.seek(start)
            real = memory.read(end - start)[:len(expected)]
            if real != expected:
                found.append((str(path), sum(a != b for a, b in
                                             zip(real, expected))))
    return found


def answers(path):
    """Returns whether a Redis server answers on this socket."""
    with socket.socket(socket.AF_UNIX) as client:
        if client.connect_ex(str(path)):
            return False
        client.sendall(b"PING\r\n")
        return client.recv(7, socket.MSG_WAITALL) == b"+PONG\r\n"


def all_sleep(pid):
    """Returns whether all threads of the process sleep."""
    return all((task / "stat").read_text().rpartition(")")[2].split()[0] == "S"
               for task in pathlib.Path(f"/proc/{pid}/task").iterdir())


class Attached(clewtest.Case):
    def start(self, argv, **options):
        process = subprocess.Popen(
            [str(a) for a in argv], cwd=self.work,
            **{"stdin": subprocess.DEVNULL, "env": self.environment,
               **options})
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def start_to_talk(self, *argv):
        """Starts self.process with pipes; self.said gets its standard error."""
        self.said = (self.work / "said").open("w+b")
        self.addCleanup(self.said.close)
        self.process = self.start(argv, stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, stderr=self.said,
                                  text=True)
        self.addCleanup(self.process.stdout.close)
        self.addCleanup(self.process.stdin.close)

    def redis(self):
        """Returns (a running Redis server, its socket).

        A server listens before it starts its threads, which map memory. The
        threads have finished that once the server answers and all of them
        sleep.
        """
        path = self.work / "redis"
        server = self.start(
            ["redis-server", "--port", "0", "--unixsocket", path,
             "--save", "", "--dir", self.work], stdout=subprocess.DEVNULL)
        self.assertTrue(until(lambda: answers(path)))
        self.assertTrue(until(lambda: all_sleep(server.pid)))
        return server, path

    def attach(self, process, *options):
        """Starts a controller and waits until it has attached."""
        controller = subprocess.Popen(
            [CLEW, "attach", "-o", self.recording_path, *options,
             str(process.pid)], cwd=self.work, env=self.environment,
            stderr=subprocess.PIPE, text=True)
        self.addCleanup(controller.stderr.close)
        self.addCleanup(controller.wait)
        self.addCleanup(controller.kill)
        line = controller.stderr.readline()
        self.assertIn("attached to", line + "".join(
            [] if "attached to" in line else controller.stderr))
        return controller

    def detach(self, controller):
        controller.send_signal(signal.SIGINT)
        said = controller.stderr.read()
        self.assertEqual(controller.wait(PATIENCE_S), 0, said)
        self.assertIn("detached from", said)

    def assert_as_before(self, process):
        """Asserts that the process runs untraced and that its code equals its
        files."""
        self.assertIsNone(process.poll())
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        self.assertIn("TracerPid:\t0\n", status)
        self.assertEqual(changed_code(process.pid), [])

    def calls(self, may_throw=False):
        """Returns {name: calls} from the recording."""
        report = self.clew_json("report", "--json", self.recording_path)
        problems = [p for p in report["problems"]
                    if not may_throw or "appear at the top" not in p]
        self.assertEqual(problems, [])
        self.assertEqual(report["lost"], {})
        self.assertEqual(report["confidence"]["diverged"], 0)
        return {f["name"]: f["calls"] for f in report["functions"]}

    def shared(self, name, process_argv):
        """Returns (process, its shared memory) once the process is ready."""
        path = self.work / name
        process = self.start([*process_argv[:1], path, *process_argv[1:]])
        self.assertTrue(until(lambda: path.exists() and path.stat().st_size))
        with path.open("r+b") as file:
            memory = mmap.mmap(file.fileno(), 0)
        self.addCleanup(memory.close)
        self.assertTrue(until(lambda: struct.unpack_from("<Q", memory)[0]))
        return process, memory


class CountingTarget(Attached):
    THREADS = 3
    FUNCTIONS = ("round", "leaf", "thrower", "jumper")

    def setUp(self):
        super().setUp()
        self.process, self.memory = self.shared(
            "counts", [target("attached"), self.THREADS])

    def word(self, i):
        return struct.unpack_from("<Q", self.memory, 8 * i)[0]

    def counted(self):
        """Returns {function: calls} as counted by the process itself."""
        return {f"attached_{function}":
                sum(struct.unpack_from("<64Q", self.memory,
                                       8 * (68 + 64 * i)))
                for i, function in enumerate(self.FUNCTIONS)}

    def let_go(self):
        struct.pack_into("<Q", self.memory, 8, 1)
        rounds = self.counted()["attached_round"]
        self.assertTrue(
            until(lambda: self.counted()["attached_round"] > rounds + 200),
            f"status {self.process.poll()}")

    def hold(self):
        """Waits until no thread calls, or is in, a counted function."""
        struct.pack_into("<Q", self.memory, 8, 0)
        self.assertTrue(until(lambda: all(struct.unpack_from(
            f"<{self.THREADS + 1}Q", self.memory, 8 * 4))))

    def is_recorded_exactly(self, *options):
        self.hold()
        before = self.counted()
        controller = self.attach(self.process, *options)
        self.let_go()
        self.hold()
        self.detach(controller)
        after, calls = self.counted(), self.calls()
        for name, made in after.items():
            self.assertEqual(calls.get(name), made - before[name], name)
        self.assertEqual(self.word(2), 0, "wrong answers")
        self.assert_as_before(self.process)

    def check_exact_counts(self):
        """Records twice; the second session uses the stubs of the first."""
        for _ in range(2):
            self.is_recorded_exactly("--time", "none")

    def check_killed_controller(self):
        """Counting continues without the controller, until `clew detach` or
        another attach ends it."""
        self.let_go()
        first = self.attach(self.process, "--time", "none")
        kill_with_guardian(first)
        self.let_go()
        self.assertNotEqual(changed_code(self.process.pid), [])
        done = self.clew("detach", self.process.pid)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_as_before(self.process)
        self.assertGreater(self.calls(may_throw=True)["attached_leaf"], 200)
        second = self.attach(self.process, "--time", "none")
        kill_with_guardian(second)
        self.detach(self.attach(self.process, "--time", "none"))
        self.assert_as_before(self.process)
        self.assert_one_line_error(self.clew("detach", self.process.pid),
                                   "not attached")
        self.assertEqual(self.word(2), 0, "wrong answers")

    def check_killed_at_any_moment(self):
        self.let_go()
        for i in range(6):
            controller = subprocess.Popen(
                [CLEW, "attach", "-o", self.recording_path, "--for", "10ms",
                 str(self.process.pid)], cwd=self.work, env=self.environment,
                stderr=subprocess.DEVNULL)
            try:
                controller.wait(.03 * (i + 1))
            except subprocess.TimeoutExpired:
                kill_with_guardian(controller)
            self.let_go()
            self.clew("detach", self.process.pid)
            self.let_go()
            self.assert_as_before(self.process)
        self.assertEqual(self.word(2), 0, "wrong answers")


class ManyThreadsCase(Attached):
    """Attaches repeatedly to 64 threads that call, throw and jump.

    On two processors, the threads leave about 1/30 of a CPU to other processes.
    A command that takes 40 ms alone takes more than a second here, and there
    are 50 of them.
    """
    CYCLES = 10
    THREADS = 63
    STUBS_GROWTH = 24 # mappings

    def setUp(self):
        super().setUp()
        self.process, self.memory = self.shared(
            "counts", [target("attached"), self.THREADS])
        struct.pack_into("<Q", self.memory, 8, 1)

    def tasks(self):
        return sorted(os.listdir(f"/proc/{self.process.pid}/task"))

    def ours(self):
        """Returns {suffix of clew's files: number of mappings}."""
        kinds = collections.Counter()
        maps = pathlib.Path(f"/proc/{self.process.pid}/maps").read_text()
        for line in maps.splitlines():
            name = line.split(maxsplit=5)[-1]
            path = pathlib.Path(name.removesuffix(" (deleted)"))
            if path.name == "libclew.so" or path.suffix == ".stubs":
                kinds[path.suffix] += 1
            elif pathlib.Path(self.recording_path) in path.parents:
                kinds["recording"] += 1
        return kinds

    def assert_all_go_on(self):
        def rounds():
            return struct.unpack_from(f"<{self.THREADS + 1}Q", self.memory,
                                      8 * 68)
        before = rounds()
        self.assertTrue(until(lambda: all(
            now > then for now, then in zip(rounds()[1:], before[1:]))))
        self.assertEqual(struct.unpack_from("<Q", self.memory, 16)[0], 0,
                         "wrong answers")

    def leave(self, controller):
        """Detaches; on a busy machine this may take more than ten seconds and
        fail at first."""
        def is_left():
            return self.clew("detach", self.process.pid).returncode == 0

        controller.send_signal(signal.SIGINT)
        said = controller.stderr.read()
        if controller.wait(PATIENCE_S) != 0:
            self.assertRegex(said, "cannot detach|do not stop")
            self.assertTrue(until(is_left))

    def check_repeated_sessions(self):
        """Checks that threads return right results in all sessions, and that
        nothing grows."""
        tasks = self.tasks()
        self.assertEqual(len(tasks), self.THREADS + 1)
        self.assert_all_go_on()
        left = []
        for _ in range(self.CYCLES):
            controller = self.attach(self.process)
            self.assert_all_go_on()
            self.leave(controller)
            self.assert_as_before(self.process)
            self.assertEqual(self.tasks(), tasks)
            self.assertGreater(self.calls(may_throw=True)["attached_thrower"],
                               self.THREADS)
            left.append(self.ours())
        self.assertLessEqual({".so", ".stubs"}, set(left[-1]))
        # Each session frees the stub pages that a thread could still return
        # into when an earlier session ended.
        stubs = [kinds.pop(".stubs") for kinds in left]
        self.assertLess(stubs[-1], stubs[1] + self.STUBS_GROWTH, stubs)
        self.assertEqual(left[-1], left[1])
        self.assert_all_go_on()


def program(pid):
    """Returns the name of the program file; '' if the process has none any
    more."""
    try:
        return pathlib.Path(os.readlink(f"/proc/{pid}/exe")).name
    except OSError:
        return ""


def runs(process, name):
    """Returns whether the process runs this program and sleeps."""
    return program(process.pid) == name and state(process.pid) == "S"


def state(pid):
    text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    return text.rpartition(")")[2].split()[0]


class Built(Attached):
    def build(self, name, *options, source):
        built = self.run_program(["cc", "-O1", *options, "-o", name, "-x", "c",
                                  "-"], input=source.encode())
        self.assertEqual(built.returncode, 0, built.stderr)
        return self.work / name


def private_kb(pid):
    """Returns the size of anonymous pages; the kernel reclaims file pages on
    demand."""
    lines = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
    return sum(int(line.split()[1]) for line in lines.splitlines()
               if line.startswith("Anonymous:"))


# Writes its child's process id; both processes then wait.
FORKS = """
import ctypes, os, signal, sys
child = os.fork()
if child:
    with open(sys.argv[1], "w") as said:
        print(child, file=said)
else:
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
signal.pause()
"""


def contents(path):
    """Returns {name: bytes} of a recording's files."""
    try:
        return {file.name: file.read_bytes() for file in path.iterdir()}
    except FileNotFoundError:  # another process moves it
        return {}
