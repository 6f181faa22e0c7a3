#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Java programs run as without clew, and their natives have Java names."""
import os
import re
import shutil

from lib import clewtest
from lib.clewtest import needs, slow
from lib.java import HOMES, JavaCase


class Natives(JavaCase):
    """The calls of each native, by its Java name, equal its own count."""

    def check_version(self, version):
        self.version = version
        self.check_natives()
        self.check_natives("-Xint", rounds="3000", flavour="O0")
        self.check_natives("-Xcomp", "-XX:TieredStopAtLevel=1", rounds="3000")

    @needs("javac")
    def test_natives_have_counts_and_names_on_17(self):
        self.check_version(17)

    @needs("javac")
    def test_natives_have_counts_and_names_on_25(self):
        self.check_version(25)

    @needs("javac")
    def test_virtual_threads_are_counted_on_25(self):
        self.version = 25
        self.check_natives(rounds="200", end=["virtual"])
        self.check_natives(rounds="20", end=["virtual"],
                           record=["--verify-period=1"])
        self.assertGreater(self.composed()["verified"], 100)

    @needs("javac")
    @slow
    def test_natives_have_counts_and_names_beside_jvm_hooks(self):
        for version in HOMES:
            if HOMES[version]:
                self.version = version
                self.check_natives(rounds="2000", record=["--java=vm"])

    @needs("javac")
    def test_natives_with_exact_times_have_names(self):
        self.check_natives(rounds="3000", record=["--time=exact"])

    @needs("javac")
    def test_names_of_natives_are_in_every_export(self):
        argv = self.natives(rounds="2000")
        self.assertEqual(self.record(argv).returncode, 0)
        name = "com.acme.Natives.registered(int, int)"
        self.assertIn(name, self.clew("report", self.recording_path,
                                      "--sort", "calls").stdout)
        for kind in ("folded", "callgrind", "speedscope", "json", "csv",
                     "csv-contexts", "sqlite"):
            with self.subTest(kind):
                done = self.clew("export", "-F", kind, "--metric=calls",
                                 "-o", "out", self.recording_path)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(name.encode(), (self.work / "out").read_bytes())
        shown = self.clew_json("report", "--json", self.recording_path)
        kinds = {function["name"]: function.get("kind")
                 for function in shown["functions"]}
        self.assertEqual(kinds[name], "jni")
        self.assertEqual(self.clew("html", "-o", "page",
                                   self.recording_path).returncode, 0)

    @needs("javac")
    def test_names_of_natives_survive_a_kill(self):
        for version in HOMES:
            if HOMES[version]:
                self.version = version
                argv = self.natives(rounds="2000", end=["kill"])
                recorded = self.record(argv)
                self.assertEqual(recorded.returncode, -9)
                self.check_counts(recorded.stdout)

    @needs("javac")
    def test_java_off_leaves_the_jvm_unchanged(self):
        argv = self.natives(rounds="2000")
        native = self.run_program(argv)
        self.assert_same_behaviour(native, self.record(argv, ["--java=off"]))
        calls = self.calls()
        self.assertFalse([name for name in calls if name.startswith("com.")])
        self.assertNotIn("\nbinding ", self.clew(
            "dump", self.recording_path).stdout)


class Time(JavaCase):
    """Samples in code that the JVM generated."""

    def spend(self, rounds, *options, record=()):
        """Returns {name: ns} for a program that only spins."""
        argv = self.java(*options, "-cp", self.classes(), "com.acme.Spins",
                         rounds)
        self.assert_same_behaviour(self.run_program(argv),
                                   self.record(argv, record))
        shown = self.clew_json("report", "--json", self.recording_path)
        self.assertEqual(shown["problems"], [])
        return {function["name"]: function["self_ns"]
                for function in shown["functions"]}

    def check_most(self, spent, name):
        """Checks that this method has most of the time in generated code: that
        of Java methods and of unnamed code."""
        made = {other: ns for other, ns in spent.items()
                if re.match(r"[a-z]\w*(\.\w+)+\.\w+\(", other) or
                other.startswith("(generated code") or
                other == "(interpreter)"}
        self.assertGreater(made.get(name, 0), sum(made.values()) * 0.8, made)
        self.assertGreater(made[name], 10 ** 8)

    def check_version(self, version):
        self.version = version
        spin = "com.acme.Spins.spin(long)"
        self.check_most(self.spend("1000000000"), spin)
        self.check_most(self.spend("500000000", "-XX:TieredStopAtLevel=1",
                                   record=["--time=wall"]), spin)
        self.check_most(self.spend("30000000", "-Xint"), "(interpreter)")

    @needs("javac")
    def test_compiled_methods_have_names_on_17(self):
        self.check_version(17)

    @needs("javac")
    @slow
    def test_compiled_methods_have_names_on_25(self):
        self.check_version(25)


class Behaviour(JavaCase):
    """Output and exit status are unchanged on each available JDK."""

    def check(self, *argv, record=(), environment=()):
        self.environment.update(environment)
        native = self.run_program(argv)
        recorded = self.record(argv, record)
        self.assert_same_behaviour(native, recorded)
        return native

    def each_version(self):
        for version in HOMES:
            if HOMES[version]:
                self.version = version
                with self.subTest(version=version):
                    yield

    def test_java_prints_the_same_version(self):
        for _ in self.each_version():
            self.check(*self.java("-version"))
            self.check(*self.java("-Xcheck:jni", "-version"))

    def test_jvms_that_fail_to_start_print_the_same(self):
        for _ in self.each_version():
            self.check(*self.java("-Xnonsense", "-version"))
            self.check(*self.java("-XX:+Nonsense", "-version"))
            self.check(*self.java("-XX:+IgnoreUnrecognizedVMOptions",
                                  "-XX:+Nonsense", "-version"))
            self.check(*self.java("-agentpath:/nowhere", "-version"))

    def test_archives_of_classes_are_used(self):
        """A JVM that writes an archive does not start with an agent."""
        archive = self.work / "classes.jsa"
        for _ in self.each_version():
            for options in (
                    ["-Xshare:dump", f"-XX:SharedArchiveFile={archive}"],
                    [f"-XX:ArchiveClassesAtExit={archive}", "-version"]):
                with self.subTest(options[0], version=self.version):
                    done = self.record(self.java(*options))
                    self.assertEqual(done.returncode, 0,
                                     done.stdout + done.stderr)
                    archive.unlink()
                    problems = self.clew_json(
                        "report", "--json", self.recording_path)["problems"]
                    self.assertEqual(len(problems), 1)
                    self.assertIn("writes a class data archive",
                                  problems[0])

    def test_options_from_the_environment_are_kept(self):
        for _ in self.each_version():
            for variable in ("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS",
                             "_JAVA_OPTIONS"):
                self.check(*self.java("-version"), environment={
                    variable: "-Xms16m -Dsome=thing"})
                del self.environment[variable]

    @needs("javac")
    def test_each_end_of_main_keeps_its_status(self):
        for _ in self.each_version():
            for end, status in (("exit", 7), ("throw", 1), ("halt", 9)):
                native = self.check(*self.natives(rounds="500", end=[end]))
                self.assertEqual(native.returncode, status)
                self.check_counts(native.stdout)

    @needs("javac")
    def test_natives_count_with_checked_jni(self):
        for _ in self.each_version():
            self.check_counts(self.check(
                *self.natives("-Xcheck:jni", rounds="500")).stdout)

    @needs("javac")
    def test_other_agents_work(self):
        agent = clewtest.target("java_agent.so")
        for _ in self.each_version():
            native = self.check(*self.natives(f"-agentpath:{agent}=again",
                                              rounds="500"))
            self.assertTrue(native.stdout.startswith(
                b"agent: again\nagent: once\n"))
            self.check_counts(native.stdout)
            self.check(*self.natives(
                "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,"
                "address=127.0.0.1:0,quiet=y", rounds="500"))

    @needs("javac")
    def test_agents_that_are_loaded_later_work(self):
        agents = [clewtest.target("java_agent.so", flavour)
                  for flavour in ("O2", "O0")]
        for _ in self.each_version():
            if not (self.home() / "bin" / "jcmd").exists():
                self.skipTest("no jcmd here")
            native = self.check(*self.natives(rounds="500",
                                              end=["attach", *agents]))
            self.assertEqual(native.stdout.count(b"agent: none"), 2)
            self.check_counts(native.stdout)

    @needs("javac")
    @slow
    def test_each_collector_works(self):
        for _ in self.each_version():
            for collector in "Serial", "Parallel", "Z":
                self.check_counts(self.check(*self.natives(
                    f"-XX:+Use{collector}GC", rounds="500")).stdout)

    @needs("javac")
    @slow
    def test_javac_runs(self):
        for number in range(5):
            (self.work / f"C{number}.java").write_text(
                f"class C{number} {{ int f(int a) {{ return a + {number}; }} }}")
        files = [f"C{number}.java" for number in range(5)]
        for _ in self.each_version():
            javac = self.home() / "bin" / "javac"
            self.check(javac, "-d", "out", *files)
            self.assertEqual(len(list((self.work / "out").iterdir())), 5)
            shutil.rmtree(self.work / "out")
            self.composed()

    def test_stacks_composed_of_known_frames_are_verified(self):
        (self.work / "C.java").write_text("class C { }")
        for _ in self.each_version():
            javac = self.home() / "bin" / "javac"
            self.record([javac, "-d", "out", "C.java"], ["--verify-period=16"])
            stacks = self.composed()
            self.assertGreater(stacks["composed"] * 2, stacks["count"])
            self.assertGreater(stacks["verified"], 64)


class CommandLine(JavaCase):
    """-agentpath:libclew.so is among the JVM's options."""

    def option(self, options=""):
        return f"-agentpath:{clewtest.LIBRARY}{options}"

    @needs("javac")
    def test_natives_count_once_beside_the_agent_option(self):
        for options in "", "=natives":
            recorded = self.record(self.natives(self.option(options),
                                                rounds="500"))
            self.assertEqual(recorded.returncode, 0, recorded.stderr)
            self.check_counts(recorded.stdout)

    @needs("javac")
    def test_java_off_adds_no_agent(self):
        recorded = self.record(self.natives(self.option("=off"), rounds="500"))
        self.assertEqual(recorded.returncode, 0, recorded.stderr)
        self.assertFalse([name for name in self.calls()
                          if name.startswith("com.acme")])

    def check_refused(self, done):
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout + done.stderr, rb"(?i)agent.*libclew\.so")

    def test_unknown_options_of_the_agent_are_refused(self):
        self.check_refused(self.record(self.java(self.option("=nonsense"),
                                                 "-version")))

    def test_agent_is_refused_without_preloading(self):
        for version in HOMES:
            if HOMES[version]:
                self.version = version
                self.check_refused(self.run_program(
                    self.java(self.option(), "-version")))


class Embedded(JavaCase):
    """Programs that create a JVM themselves."""

    def check(self, *argv):
        native = self.run_program(argv)
        self.assertEqual(native.returncode, 5, native.stderr)
        self.assertEqual(len(native.stdout.split()), 6)
        self.assert_same_behaviour(native, self.record(argv))
        self.assertIn("java.lang.Object.getClass()", " ".join(re.findall(
            r"(?m)^binding .* method=(.*)$",
            self.clew("dump", self.recording_path).stdout)))
        self.assert_no_problem()

    def test_program_that_loads_the_jvm_is_recorded(self):
        for version in HOMES:
            if HOMES[version]:
                with self.subTest(version=version):
                    self.check(clewtest.target("embeds"), HOMES[version] /
                               "lib" / "server" / "libjvm.so")

    def test_program_linked_with_the_jvm_is_recorded(self):
        program = clewtest.target("embeds_linked")
        if not os.path.exists(program):
            self.skipTest("no libjvm.so to link with")
        self.check(program)


if __name__ == "__main__":
    clewtest.main()
