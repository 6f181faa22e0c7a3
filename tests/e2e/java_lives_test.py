#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Java threads and programs may start and end in unusual ways."""
import resource
import signal
import subprocess

from lib import clewtest
from lib.clewtest import needs, slow
from lib.java import HOMES, JavaCase

SOURCE = clewtest.ROOT / "tests" / "targets" / "Lives.java"
PREFIX = "com.acme.Lives."


class Lives(JavaCase):
    def classes(self):
        classes = self.work / "lives"
        if not classes.exists():
            if not HOMES[17]:
                self.skipTest("no JDK 17 here, of which the compiler is")
            done = self.run_program([HOMES[17] / "bin" / "javac", "--release",
                                     "17", "-d", classes, SOURCE])
            self.assertEqual(done.returncode, 0, done.stderr)
        return classes

    def run_mode(self, mode, *options):
        """Checks that the behaviour is unchanged; returns {caller above the
        native: calls}."""
        if self.version > 17:
            options += ("--enable-native-access=ALL-UNNAMED",)
        argv = self.java(*options, "-cp", self.classes(), "com.acme.Lives",
                         clewtest.target("lives.so"), mode)
        native = self.run_program(argv)
        self.assert_same_behaviour(native, self.record(argv))
        tree = self.clew_json("tree", "--json", self.recording_path)
        self.assertEqual(tree["problems"], [])
        names = [function["name"] for function in tree["functions"]]
        found = {}
        for node in tree["contexts"]:
            name = names[node["function"]]
            if node["calls"] and name.startswith(PREFIX):
                above = tree["contexts"][node["parent"] - 1]
                key = names[above["function"]], name
                found[key] = found.get(key, 0) + node["calls"]
        return {(caller.removeprefix(PREFIX), name.removeprefix(PREFIX)): calls
                for (caller, name), calls in found.items()}

    def check_both(self, check):
        for version in HOMES:
            if HOMES[version]:
                self.version = version
                with self.subTest(version=version):
                    check()

    @needs("javac")
    def test_natives_of_attached_threads_are_counted(self):
        self.check_both(lambda: self.assertEqual(self.run_mode("attach"), {
            ("main(String[])", "attach(int, boolean)"): 2,
            ("up(int)", "hit(int)"): 12000}))

    @needs("javac")
    def test_exceptions_of_c_and_java_are_counted(self):
        def check():
            found = self.run_mode("throw")
            self.assertEqual(
                {name: sum(calls for (_, each), calls in found.items()
                           if each == name)
                 for name in ("fail()", "pending()")},
                {"fail()": 1000, "pending()": 1000})

        self.check_both(check)

    @needs("javac")
    def test_recording_is_complete_after_an_exit_in_java(self):
        def check():
            found = self.run_mode("exit")
            self.assertEqual(found[("exit()", "hit(int)")], 1)
            self.assertEqual(sum(found.values()), 2)

        self.check_both(check)

    @needs("javac")
    def test_recording_is_complete_after_an_exit_in_a_native(self):
        self.check_both(lambda: self.assertEqual(
            self.run_mode("exits"), {("main(String[])", "exits()"): 1}))

    @needs("javac")
    def test_recording_is_complete_if_main_ends_before_a_daemon(self):
        def check():
            found = self.run_mode("daemon")
            self.assertGreater(sum(found.values()), 0)
            self.assertEqual({name for _, name in found}, {"hit(int)"})

        self.check_both(check)

    @needs("javac")
    def test_jvm_reports_a_crash_as_without_clew(self):
        def check():
            log = self.work / "crash.log"
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            argv = self.java(f"-XX:ErrorFile={log}", "-cp", self.classes(),
                             "com.acme.Lives", clewtest.target("lives.so"),
                             "crash")
            done = self.record(argv)
            self.assertEqual(done.returncode, -signal.SIGABRT)
            text = log.read_text(encoding="utf-8", errors="replace")
            self.assertRegex(text, r"(?m)^j  com\.acme\.Lives\.crash\(\)V")
            self.assertRegex(text, r"(?m)^j  com\.acme\.Lives\.main\(")
            self.assertIn("SIGSEGV", text)
            tree = self.clew_json("tree", "--json", self.recording_path)
            names = {row["name"] for row in tree["functions"]}
            self.assertIn(PREFIX + "crash()", names)

        self.check_both(check)

    @needs("javac")
    @slow
    def test_tools_that_inspect_a_jvm_work(self):
        def check():
            flights, dump = self.work / "flights.jfr", self.work / "heap.hprof"
            argv = self.java(f"-XX:StartFlightRecording=filename={flights}",
                             "-Xlog:jfr*=off", "-Xlog:disable", "-cp",
                             self.classes(), "com.acme.Lives",
                             clewtest.target("lives.so"), "wait")
            with subprocess.Popen(
                    self.record_command(argv, ["--verify-period=1"]), stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE, env=self.environment,
                    cwd=self.work, text=True) as process:
                pid = next(line for line in process.stdout
                           if line.strip().isdigit()).strip()
                seen = self.look(pid, "Thread.print")
                self.assertIn("com.acme.Lives.", seen)
                self.assertIn('"looked-at"', seen)
                self.look(pid, "GC.heap_dump", dump)
                self.assertGreater(dump.stat().st_size, 1 << 20)
                self.look(pid, "GC.run")
                dump.unlink()
                process.stdin.close()
                self.assertEqual(process.wait(), 0)
            self.assertGreater(flights.stat().st_size, 10000)
            flights.unlink()
            report = self.clew_json("report", "--json", self.recording_path)
            self.assertEqual(report["problems"], [])
            self.assertEqual(
                report["confidence"].get("java_stacks", {}).get("diverged", 0),
                0)
            self.composed()  # while the Flight Recorder changes classes

        self.check_both(check)

    def look(self, *arguments):
        done = self.run_program([self.home() / "bin" / "jcmd", *arguments],
                                text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout


if __name__ == "__main__":
    clewtest.main()
