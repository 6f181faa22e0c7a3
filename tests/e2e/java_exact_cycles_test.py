#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`clew attach --java=exact` attaches repeatedly to a busy JVM."""
import subprocess

from lib import clewtest
from lib.clewtest import kill_with_guardian, needs, until
from lib.java import EXACT, HOMES, METHODS, THREADS, ExactAttached


class UnderLoad(ExactAttached):
    def cycle(self, *options):
        """Asserts that the count lies between the calls during the session and
        all calls."""
        before = self.counted()
        controller = self.attach(self.process, *EXACT, *options)
        at_least = self.counted()
        self.let_go()
        now = self.counted()
        self.detach(controller)
        after = self.counted()
        calls, _ = self.methods()
        for name in ("hot", "innermost", "outer", "back", "asks"):
            native = METHODS[name]
            self.assertGreaterEqual(calls[name] + THREADS,
                                    now[native] - at_least[native], name)
            self.assertLessEqual(calls[name],
                                 after[native] - before[native] + THREADS,
                                 name)
        self.confidence()
        self.assert_quiet()

    def check_collector(self, collector, *options, versions=tuple(HOMES),
                        cycles=3):
        for self.version in versions:
            if not HOMES[self.version]:
                continue
            with self.subTest(self.version):
                self.start_java(f"-XX:+Use{collector}", *options)
                self.let_go()
                for _ in range(cycles):
                    self.cycle("--time=none")
                self.ends()

    @needs("javac")
    def test_repeated_sessions_work_with_serial_gc(self):
        self.check_collector("SerialGC", "-Xcheck:jni")

    @needs("javac")
    def test_repeated_sessions_work_with_parallel_gc(self):
        self.check_collector("ParallelGC")

    @needs("javac")
    def test_repeated_sessions_work_with_g1(self):
        self.check_collector("G1GC")

    @needs("javac")
    def test_a_hundred_sessions_work_with_g1(self):
        self.check_collector("G1GC", versions=(17,), cycles=100)

    @needs("javac")
    def test_repeated_sessions_work_with_zgc(self):
        self.check_collector("ZGC", versions=(17,))

    @needs("javac")
    def test_classes_are_restored_after_killed_controllers(self):
        """The controller is killed, for example while classes change; `clew
        detach` restores them."""
        self.start_java()
        bytes_before = self.code_bytes()
        self.let_go()
        for i in range(6):
            controller = subprocess.Popen(
                [clewtest.CLEW, "attach", "-q", *EXACT, "-o",
                 self.recording_path, str(self.process.pid)], cwd=self.work,
                env=self.environment)
            hot = self.counted()["hot"]
            until(lambda: self.counted()["hot"] > hot + 6000 * i or
                  self.process.poll() is not None)
            kill_with_guardian(controller)
            self.let_go()
        first = self.attach(self.process, *EXACT)
        kill_with_guardian(first)
        done = self.clew("detach", self.process.pid)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.hold()
        self.assertEqual(self.code_bytes(), bytes_before)
        self.assert_quiet()
        self.ends()


if __name__ == "__main__":
    clewtest.main()
