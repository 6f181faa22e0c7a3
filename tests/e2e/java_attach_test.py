#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""clew attach to a Java virtual machine: natives by their callers, for a while."""
import collections
import mmap
import re
import struct
import subprocess

from attach_test import Attached, PATIENCE_S
from java_test import HOMES, JavaCase
from lib import clewtest
from lib.clewtest import kill_with_guardian, needs, slow, until

SOURCE = clewtest.ROOT / "tests" / "targets" / "Attached.java"
GO, LATE, END, TELL, BYTES, HELD, CALLS = 1, 2, 3, 4, 5, 8, 128
THREADS = 3
# What Attached.java calls as which number.
CALLERS = ["hot", "innermost", "recursion", "asRegistered", "upper", "back",
           "latest", "asks", "rests"]
NATIVES = {"asRegistered": "registered", "upper": "up", "latest": "late"}
OURS = re.compile(r"com\.acme\.Attached\.(hit|registered|up|late)\(")
CHAINS = {"innermost": ["innermost", "middle", "outer"],
          "back": ["back", "up", "upper"]}


class JavaAttached(JavaCase, Attached):
    def start_java(self, *options, words=()):
        classes = self.work / "attached"
        if not classes.exists():
            if not HOMES[17]:
                self.skipTest("no JDK 17 here, of which the compiler is")
            done = self.run_program([HOMES[17] / "bin" / "javac", "--release",
                                     "17", "-d", classes, SOURCE])
            self.assertEqual(done.returncode, 0, done.stderr)
        if self.version > 17:
            options += ("--enable-native-access=ALL-UNNAMED",)
        java = self.java(*options, "-cp", classes, "com.acme.Attached")
        self.said = (self.work / "said").open("w+b")
        self.addCleanup(self.said.close)
        self.process, self.memory = self.shared_java(
            [*java, self.work / "shared",
             clewtest.target("attached_java.so"), THREADS, *words])
        self.let_go()
        self.hold()

    def shared_java(self, argv):
        path = self.work / "shared"
        path.unlink(missing_ok=True)
        process = self.start(argv, stdout=self.said, stderr=self.said)
        self.assertTrue(until(lambda: path.exists() and path.stat().st_size))
        with path.open("r+b") as file:
            memory = mmap.mmap(file.fileno(), 0)
        self.addCleanup(memory.close)
        self.assertTrue(until(lambda: struct.unpack_from("<Q", memory)[0]))
        return process, memory

    def word(self, i):
        return struct.unpack_from("<Q", self.memory, 8 * i)[0]

    def set_word(self, i, value):
        struct.pack_into("<Q", self.memory, 8 * i, value)

    def counted(self):
        """{caller: calls}, by the natives themselves."""
        return {caller: self.word(CALLS + i)
                for i, caller in enumerate(CALLERS)}

    def let_go(self):
        self.set_word(GO, 1)
        hot = self.counted()["hot"]
        self.assertTrue(until(lambda: self.counted()["hot"] > hot + 5000 or
                              self.process.poll() is not None))
        self.assertIsNone(self.process.poll(), self.output())

    def hold(self):
        self.set_word(GO, 0)
        self.assertTrue(until(lambda: all(
            self.word(HELD + i) for i in range(THREADS))))

    def output(self):
        self.said.seek(0)
        return self.said.read().decode()

    def recorded(self):
        """({caller: calls}, {chain of callers: calls}) of our natives."""
        tree = self.clew_json("tree", "--json", self.recording_path)
        report = self.clew_json("report", "--json", self.recording_path)
        self.assertEqual([p for p in tree["problems"]
                          if "appear at the top" not in p], [])
        self.assertEqual(report["confidence"]["diverged"], 0)
        for kind in ("java_stacks", "java_stacks_asked"):
            stacks = report["confidence"].get(kind, {})
            self.assertFalse(stacks.get("diverged") or
                             stacks.get("mismatched"), stacks)
        names = [f["name"] for f in tree["functions"]]
        calls, chains = collections.Counter(), collections.Counter()
        for node in tree["contexts"]:
            if not node["calls"] or not OURS.match(names[node["function"]]):
                continue
            chain, above = [], node
            while above["parent"]:
                above = tree["contexts"][above["parent"] - 1]
                chain.append(re.sub(r"^com\.acme\.Attached\.|\(.*$", "",
                                    names[above["function"]]))
            calls[chain[0] if chain else None] += node["calls"]
            chains[tuple(chain)] += node["calls"]
        return calls, chains

    def attach(self, process, *options):
        """If the machine has ended, what it has said of that is shown."""
        try:
            return super().attach(process, *options)
        except AssertionError as error:
            crashes = [path.read_text(errors="replace")[:4000]
                       for path in self.work.glob("hs_err*")]
            self.fail(f"{error} {process.poll()} {self.output()} {crashes}")

    def assert_quiet(self):
        self.assertEqual(self.output(), "")
        self.assert_as_before(self.process)

    def is_recorded_exactly(self, *options):
        self.hold()
        before = self.counted()
        controller = self.attach(self.process, *options)
        self.let_go()
        self.hold()
        self.detach(controller)
        after = self.counted()
        calls, chains = self.recorded()
        made = {caller: after[caller] - before[caller] for caller in after}
        self.assertEqual({c: calls[c] for c in made}, made)
        self.assertEqual(sum(calls.values()), sum(made.values()), calls)
        for caller in ("hot", "innermost", "back", "asRegistered"):
            chain = CHAINS.get(caller, [caller])
            found = sum(count for names, count in chains.items()
                        if list(names[:len(chain)]) == chain and
                        names[-1] == "java.lang.Thread.run")
            self.assertEqual(found, made[caller], chains)
        self.assert_quiet()
        return made

    def ends(self):
        """As it would have without clew."""
        self.set_word(END, 1)
        self.assertEqual(self.process.wait(PATIENCE_S), 0, self.output())
        self.assertEqual(self.output(), "")


class Counts(JavaAttached):
    def check_version(self, version):
        """Natives that are bound meanwhile, too; and a second and third time."""
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
    def test_by_java_caller_on_17(self):
        self.check_version(17)

    @needs("javac")
    @slow
    def test_by_java_caller_on_25(self):
        self.check_version(25)

    @needs("javac")
    def test_of_the_interpreter_and_each_compiler(self):
        for options in (["-Xint"], ["-XX:TieredStopAtLevel=1"], ["-Xcomp"]):
            with self.subTest(options):
                self.start_java(*options)
                self.is_recorded_exactly("--time=none")
                self.ends()

    @needs("javac")
    def test_natives_of_the_machine_itself(self):
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
    def test_the_machine_is_left_alone(self):
        """Natives have the names of their code then, and no callers."""
        self.start_java()
        controller = self.attach(self.process, "--java=off")
        self.let_go()
        self.hold()
        self.detach(controller)
        calls, _ = self.recorded()
        self.assertEqual(calls, {})
        self.assert_quiet()


class UnderLoad(JavaAttached):
    CYCLES = 3

    def cycle(self, *options):
        """No more calls than were made, nor fewer but those that are lost."""
        before = self.counted()
        controller = self.attach(self.process, *options)
        at_least = self.counted()
        self.let_go()
        now = self.counted()
        self.detach(controller)
        after = self.counted()
        calls, _ = self.recorded()
        for caller in after:
            self.assertGreaterEqual(calls[caller] + THREADS,
                                    now[caller] - at_least[caller], caller)
            self.assertLessEqual(calls[caller],
                                 after[caller] - before[caller], caller)
        self.assert_quiet()

    def check_collector(self, collector, *options, versions=tuple(HOMES)):
        for self.version in versions:
            if not HOMES[self.version]:
                continue
            with self.subTest(self.version):
                self.start_java(f"-XX:+Use{collector}", *options)
                self.set_word(LATE, 1)
                self.let_go()
                for _ in range(self.CYCLES):
                    self.cycle()
                self.ends()

    @needs("javac")
    @slow
    def test_with_serial_gc(self):
        self.check_collector("SerialGC", "-Xcheck:jni")

    @needs("javac")
    @slow
    def test_with_parallel_gc(self):
        self.check_collector("ParallelGC")

    @needs("javac")
    def test_with_g1(self):
        self.check_collector("G1GC", "-Xcheck:jni")

    @needs("javac")
    def test_with_zgc(self):
        self.check_collector("ZGC", versions=(17,))

    @needs("javac")
    def test_with_zgc_of_a_later_machine(self):
        """It is left alone, and the report says so."""
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
    def test_tools_of_the_jdk_meanwhile(self):
        """Nor does a thread of clew's show."""
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

    def ends_quietly_but_for_tools(self):
        self.assert_as_before(self.process)
        self.set_word(END, 1)
        self.assertEqual(self.process.wait(PATIENCE_S), 0, self.output())

    @needs("javac")
    def test_a_controller_that_is_killed(self):
        """At any moment; `clew detach`, or another attach, ends it."""
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
