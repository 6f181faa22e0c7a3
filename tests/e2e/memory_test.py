#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""clew's memory does not collide with the program's, and does not look like it."""
import contextlib
import os
import signal
import socket
import subprocess
import time

from lib import clewtest
from lib.clewtest import needs, slow, target

TIMES = "none", "exact"


class Walked(clewtest.Case):
    """Programs that scan all memory come to an end."""

    def kill_group(self, leader):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(leader, signal.SIGKILL)

    def check(self, way):
        for timing in TIMES:
            with self.subTest(time=timing):
                for old in self.truths.iterdir():
                    old.unlink()
                self.environment.pop("TRUTH_DIR", None)
                recording, _ = self.record_target(
                    [target("memory_walks"), way], ["--time", timing])
                self.assert_nothing_lost(recording.parts[0])

    def test_reader_of_all_memory_finishes(self):
        self.check("read")

    def test_tester_of_anonymous_memory_finishes(self):
        self.check("write")

    def test_leak_checker_finishes(self):
        self.environment["HEAPCHECK"] = "normal"
        self.check("scan")

    @needs("redis-server", "redis-cli")
    def test_crash_handler_of_redis_finishes(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = str(free.getsockname()[1])
        client = ["redis-cli", "-p", port]
        server = subprocess.Popen(
            self.record_command(["redis-server", "--port", port, "--save", "",
                                 "--enable-debug-command", "yes"],
                                ["--time=none"]),
            env=self.environment, cwd=self.work, stdout=subprocess.DEVNULL,
            start_new_session=True)
        self.addCleanup(self.kill_group, server.pid)
        while subprocess.run([*client, "ping"], check=False,
                             capture_output=True).stdout != b"PONG\n":
            self.assertIsNone(server.poll())
            time.sleep(0.01)
        subprocess.run([*client, "debug", "segfault"], check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.assertEqual(server.wait(60), -signal.SIGSEGV)


class Holes(clewtest.Case):
    """Memory that the program has unmapped stays unmapped."""

    def test_more_memory_is_wanted_for_more_contexts(self):
        for timing in TIMES:
            with self.subTest(time=timing):
                for old in self.truths.iterdir():
                    old.unlink()
                self.environment.pop("TRUTH_DIR", None)
                self.record_target([target("holes")], [
                    "--time", timing, "--fold-recursion=never"])

    @needs("stress-ng")
    @slow
    def test_stressors_that_read_unmapped_memory_succeed(self):
        for stressor, operations in ("mincore", "1000"), ("remap", "10"):
            with self.subTest(stressor):
                argv = ["stress-ng", f"--{stressor}", "1",
                        f"--{stressor}-ops", operations, "--verify", "-q"]
                self.assert_same_behaviour(self.run_program(argv),
                                           self.record(argv))


class Heaps(clewtest.Case):
    """A program that needs a certain address finds it free."""

    @needs("java")
    def test_java_starts_with_heaps_that_are_mapped_thrice(self):
        """The ZGC of JDK 17 maps its heap at multiples of powers of two, up to 2^46."""
        for size in "200g", "300g", "600g":
            argv = ["java", "-XX:+UseZGC", "-Xms32m", f"-Xmx{size}",
                    "-Xlog:disable", "-version"]
            native = self.run_program(argv)
            if native.returncode:
                self.skipTest("no java with such a heap here")
            for timing in TIMES:
                with self.subTest(size=size, time=timing):
                    self.assert_same_behaviour(
                        native, self.record(argv, ["--time", timing]))


if __name__ == "__main__":
    clewtest.main()
