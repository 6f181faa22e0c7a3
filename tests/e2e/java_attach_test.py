#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`clew attach` counts a JVM's native methods by their Java callers."""
import subprocess

from lib import clewtest
from lib.clewtest import kill_with_guardian, needs, slow, until
from lib.java import HOMES, LATE, CollectorCase, JavaAttached

NATIVES = {"asRegistered": "registered", "upper": "up", "latest": "late"}
class Counts(JavaAttached):
    def check_version(self, version):
        """Attaches three times; natives that are bound during a session also
        count."""
        self.version = version
        self.start_java()
        self.is_recorded_exactly()
        self.set_word(LATE, 1)
        made = self.is_recorded_exactly()
        self.assertGreater(made["latest"], 0)
        for options in (["--time=none"], ["--time=none"], ["--time=exact"],
                        ["--time=none", "--verify-period=1"]):
            with self.subTest(options):
                self.is_recorded_exactly(*options)
        self.ends()

    @needs("javac")
    def test_natives_count_by_java_caller_on_17(self):
        self.check_version(17)

    @needs("javac")
    @slow
    def test_natives_count_by_java_caller_on_25(self):
        self.check_version(25)

    @needs("javac")
    def test_natives_count_in_interpreter_and_compilers(self):
        for options in (["-Xint"], ["-XX:TieredStopAtLevel=1"], ["-Xcomp"]):
            with self.subTest(options):
                self.start_java(*options)
                self.is_recorded_exactly("--time=none")
                self.ends()

    @needs("javac")
    def test_natives_of_the_jvm_itself_are_counted(self):
        self.start_java()
        self.hold()
        before = self.counted()["asks"]
        controller = self.attach(self.process)
        self.let_go()
        self.hold()
        self.detach(controller)
        made = self.counted()["asks"] - before
        rows = self.clew_json("report", "--json", "--jni",
                              self.recording_path)["functions"]
        calls = {row["name"]: row["calls"] for row in rows}
        self.assertEqual(calls["java.lang.Thread.holdsLock(Object) <- "
                               "com.acme.Attached.asks(Object)"], made)
        self.assert_quiet()

    @needs("javac")
    def test_java_off_leaves_an_attached_jvm_unchanged(self):
        """clew does not change the JVM; natives have the names of their C
        functions, and no callers."""
        self.start_java()
        controller = self.attach(self.process, "--java=off")
        self.let_go()
        self.hold()
        self.detach(controller)
        calls, _ = self.recorded()
        self.assertEqual(calls, {})
        self.assert_quiet()


class UnderLoad(CollectorCase):
    @needs("javac")
    @slow
    def test_attaching_works_with_serial_gc(self):
        self.check_collector("SerialGC", "-Xcheck:jni")

    @needs("javac")
    @slow
    def test_attaching_works_with_parallel_gc(self):
        self.check_collector("ParallelGC")

    @needs("javac")
    def test_attaching_works_with_g1(self):
        self.check_collector("G1GC", "-Xcheck:jni")

    @needs("javac")
    def test_attaching_works_with_zgc(self):
        self.check_collector("ZGC", versions=(17,))

    @needs("javac")
    def test_zgc_of_jdk_25_is_reported_and_not_changed(self):
        """clew does not change the JVM, and the report says so."""
        self.version = 25
        if not HOMES[25]:
            self.skipTest("no JDK 25 here")
        self.start_java("-XX:+UseZGC")
        controller = self.attach(self.process)
        self.let_go()
        self.hold()
        self.detach(controller)
        report = self.clew_json("report", "--json", self.recording_path)
        self.assertEqual(len([problem for problem in report["problems"]
                              if "a running JVM that uses ZGC" in problem]), 1)
        self.assert_quiet()
        self.ends()

    @needs("javac")
    def test_tools_of_the_jdk_work_while_attached(self):
        """The JDK's tools show no thread of clew's."""
        self.start_java()
        self.let_go()
        controller = self.attach(self.process)
        for tool in (["jstack"], ["jcmd", "Thread.print"], ["jcmd", "GC.run"]):
            done = self.run_program(
                [self.home() / "bin" / tool[0], self.process.pid, *tool[1:]])
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn(b"clew", done.stdout)
        self.let_go()
        self.detach(controller)
        self.ends_quietly_but_for_tools()

    @needs("javac")
    def test_jvm_survives_killed_controllers(self):
        """The controller is killed at various moments. `clew detach` or another
        attach ends the session."""
        self.start_java()
        self.let_go()
        for i in range(12):
            controller = subprocess.Popen(
                [clewtest.CLEW, "attach", "-q", "-o", self.recording_path,
                 str(self.process.pid)], cwd=self.work, env=self.environment)
            hot = self.counted()["hot"]
            until(lambda: self.counted()["hot"] > hot + 3000 * i or
                  self.process.poll() is not None)
            kill_with_guardian(controller)
            self.let_go()
        first = self.attach(self.process)
        kill_with_guardian(first)
        done = self.clew("detach", self.process.pid)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_quiet()
        self.cycle()
        self.ends()


if __name__ == "__main__":
    clewtest.main()
