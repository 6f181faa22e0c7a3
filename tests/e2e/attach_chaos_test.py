#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`clew attach` runs repeatedly and is killed at random moments, without any
harm."""
import os
import random
import signal
import struct
import subprocess

from lib import clewtest
from lib.attached import PATIENCE_S, Attached, ManyThreadsCase
from lib.clewtest import CLEW, PYTHON, kill_with_guardian, needs, target, until
from lib.java import CollectorCase

CYCLES = 100
CONTROLLERS_KILLED = 200
TARGETS_KILLED = 50

PYTHON_LOAD = """
import hashlib, threading
def work():
    while True:
        assert hashlib.sha256(b"x").hexdigest().startswith("2d711642")
        try:
            [][1]
        except IndexError:
            pass
        thread = threading.Thread(target=sum, args=([1, 2],))
        thread.start()
        thread.join()
for _ in range(4):
    threading.Thread(target=work).start()
print("ready", flush=True)
"""


class Again(Attached):
    def cycle(self, process):
        for _ in range(CYCLES):
            done = self.clew("attach", "--for", "20ms", "-o",
                             self.recording_path, process.pid)
            self.assertEqual(done.returncode, 0, f"{done.stderr} {process.poll()}")
            self.assert_as_before(process)

    def test_python_survives_repeated_attaches(self):
        process = self.start([PYTHON, "-c", PYTHON_LOAD],
                             stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.assertEqual(process.stdout.readline(), b"ready\n")
        self.cycle(process)

    @needs("sqlite3")
    def test_sqlite_survives_repeated_attaches(self):
        process = self.start(["sqlite3", ":memory:"], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE)
        self.addCleanup(process.stdin.close)
        self.addCleanup(process.stdout.close)
        process.stdin.write(
            b"with recursive n(i) as (select 1 union all select i + 1 from n)"
            b" select sum(i * i) from n;\n")
        process.stdin.flush()
        self.cycle(process)

    @needs("redis-server", "redis-benchmark")
    def test_redis_survives_repeated_attaches(self):
        server, socket = self.redis()
        load = self.start(
            ["redis-benchmark", "-s", socket, "-q", "-c", "8", "-n",
             "1000000000", "-t", "set,get"], stdout=subprocess.DEVNULL)
        self.cycle(server)
        self.assertIsNone(load.poll())
        server.send_signal(signal.SIGTERM)
        self.assertEqual(server.wait(PATIENCE_S), 0)


class AgainJava(CollectorCase):
    CYCLES = CYCLES

    @needs("javac")
    def test_java_with_g1_survives_repeated_attaches(self):
        self.check_collector("G1GC", "-Xcheck:jni", versions=(17,))


class ManyThreads(ManyThreadsCase):
    CYCLES = CYCLES

    def test_64_threads_survive_100_sessions(self):
        self.check_repeated_sessions()


class BusyThreads(ManyThreadsCase):
    CYCLES = CYCLES
    THREADS = 8

    def test_nine_threads_survive_100_sessions(self):
        self.check_repeated_sessions()


class Killed(Attached):
    def setUp(self):
        super().setUp()
        seed = int.from_bytes(os.urandom(4), "little")
        self.addCleanup(lambda: print("seed", seed))
        self.random = random.Random(seed)

    def begin(self, name):
        process, memory = self.shared(name, [target("attached"), 16])
        struct.pack_into("<Q", memory, 8, 1)
        return process, memory

    def kill_later(self, process, victim):
        """Kills either the process or the controller while the controller
        attaches and detaches."""
        controller = subprocess.Popen(
            [CLEW, "attach", "-q", "-o", self.recording_path, "--for", "5ms",
             str(process.pid)], cwd=self.work, env=self.environment,
            stderr=subprocess.DEVNULL)
        try:
            controller.wait(self.random.uniform(.005, .25))
        except subprocess.TimeoutExpired:
            pass
        if victim:
            victim.kill()
        else:
            kill_with_guardian(controller)
        self.assertIsNotNone(controller.wait(PATIENCE_S))

    def test_targets_survive_killed_controllers(self):
        process, memory = self.begin("shared")

        def rounds():
            return sum(struct.unpack_from("<64Q", memory, 8 * 68))

        for i in range(CONTROLLERS_KILLED):
            self.kill_later(process, None)
            before = rounds()
            self.assertTrue(until(lambda: rounds() > before + 100))
            if i % 4 == 0:
                self.clew("detach", process.pid)
                self.assert_as_before(process)
        self.clew("attach", "--for", "1ms", "-o", self.recording_path,
                  process.pid)
        self.assert_as_before(process)
        self.assertEqual(struct.unpack_from("<Q", memory, 16)[0], 0)

    def test_controllers_survive_killed_targets(self):
        for i in range(TARGETS_KILLED):
            process, _ = self.begin(f"shared{i}")
            self.kill_later(process, process)
            self.assertEqual(process.wait(PATIENCE_S), -signal.SIGKILL)


if __name__ == "__main__":
    clewtest.main()
