#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""With `clew record --java=standby`, Java methods count while `clew attach`
runs."""
import collections
import re
import signal
import subprocess

from lib import clewtest
from lib.attached import PATIENCE_S
from lib.clewtest import CLEW, kill_with_guardian, needs, slow, until
from lib.java import HOMES, TARGETS, VERIFY, ExactCase

PATTERNS = ("--java=standby:com.acme.Standby*,com.acme.Calls*,"
            "!com.acme.Standby$Rests*")

# For each method of Standby.java and Calls.java, the methods that may count
# directly below it.
MAKES = {"Doubly.<init>", "Doomed.<init>", "Base.<init>", "leaf"}
CALLS = {
    "leaf": set(), "sinks": {"sinks"}, "fib": {"fib", "leaf"},
    "deep": {"deep", "sinks", "leaf"}, "catches": {"deep", "sinks", "leaf"},
    "Base.<init>": {"leaf"}, "Doomed.<init>": {"Base.<init>", "leaf"},
    "Doubly.<init>": {"Doomed.<init>", "Base.<init>", "leaf"},
    "Tree.<init>": {"Tree.grows", "Tree.<init>", "Base.<init>", "leaf"},
    "Tree.grows": {"Tree.grows", "Tree.<init>", "Base.<init>", "leaf"},
    "Stem.<init>": {"Stem.<init>", "Base.<init>", "leaf"},
    "constructs": MAKES, "makes": MAKES, "fails": {"makes", *MAKES},
    "Shape.twice": {"Square.sides", "leaf"}, "Square.sides": {"leaf"},
    "Locks.locked": {"Locks.locked", "leaf"}, "calls": {"calls", "leaf"},
}
CALLEES = {**CALLS, "round": set(CALLS)}

LOOP = """
public class Loop {
  static long sum;
  static long work(int n) {
    long s = 0;
    for (int i = 0; i < n; i++) s += i ^ (s << 1);
    return s;
  }
  static long outer(int n) { return work(n) + work(n / 2); }
  static void loop(long rounds) {
    for (long i = 0; i < rounds; i++) sum += outer(100);
  }
  public static void main(String[] a) throws Exception {
    Thread end = new Thread(() -> {
      try {
        System.exit(System.in.read() + 1);
      } catch (java.io.IOException e) {
        throw new Error(e);
      }
    });
    end.setDaemon(true);
    end.start();
    System.out.println(ProcessHandle.current().pid());
    loop(3_000_000);
    System.out.println("compiled");
    loop(Long.MAX_VALUE);
  }
}
"""


class StandbyCase(ExactCase):
    source = "Standby"

    def start(self, *options, seed=0, steps=3000, words=(), record=(),
              patterns=PATTERNS):
        """Starts Standby.java; all of its threads rest."""
        self.process = subprocess.Popen(
            [CLEW, "record", "-q", "-o", self.recording_path, "--time=none",
             "--java-min-size=0", patterns, *record, "--",
             *self.java(*VERIFY, *options, "-cp", self.compile_source(),
                        "com.acme.Standby", str(seed), str(steps), *words)],
            cwd=self.work, env=self.environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        for file in (self.process.stdin, self.process.stdout,
                     self.process.stderr):
            self.addCleanup(file.close)
        self.addCleanup(self.process.wait)
        self.addCleanup(self.process.kill)
        self.pid = int(self.process.stdout.readline())
        self.rests()

    def tell(self, word):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()

    def rests(self):
        self.assertEqual(self.process.stdout.readline(), "rested\n",
                         self.process.poll())

    def goes_on(self):
        self.tell("go")
        self.rests()

    def attach(self, *options):
        controller = subprocess.Popen(
            [CLEW, "attach", *options, str(self.pid)], cwd=self.work,
            env=self.environment, stderr=subprocess.PIPE, text=True)
        self.addCleanup(controller.stderr.close)
        self.addCleanup(controller.wait)
        self.addCleanup(controller.kill)
        self.assertIn("attached to", controller.stderr.readline())
        return controller

    def detach(self, controller):
        controller.send_signal(signal.SIGINT)
        status, said = controller.wait(PATIENCE_S), controller.stderr.read()
        self.assertEqual(status, 0, said)
        self.assertIn("detached from", said)

    def counts(self):
        """Counts for a while."""
        controller = self.attach()
        self.tell("on")
        self.goes_on()
        self.detach(controller)
        self.tell("off")

    def truth(self):
        said, errors = self.process.communicate("end\n", PATIENCE_S)
        self.assertEqual((self.process.returncode, errors), (0, ""), said)
        return {path: int(calls) for calls, path in
                re.findall(r"(?m)^(\d+) (.*)$", said)}

    def counted(self, wanted):
        """Omits contexts without calls: natives have contexts below methods
        that do not count."""
        return collections.Counter({
            path: calls for path, calls in super().counted(wanted).items()
            if calls})

    def is_counted_exactly(self):
        truth = self.truth()
        self.assertGreater(len(truth), 30)
        found = self.counted({name for path in truth
                              for name in path.split(";")})
        self.assertEqual({path: (found[path], truth.get(path, 0))
                          for path in {*found, *truth}
                          if found[path] != truth.get(path, 0)}, {})
        return self.confidence()


class Counts(StandbyCase):
    maxDiff = None

    def check(self, *options, times=12, versions=(17, 25), **how):
        for self.version in versions:
            if not HOMES[self.version]:
                continue
            with self.subTest(self.version):
                # Otherwise reflection uses natives, which have uncounted
                # callers also.
                self.start("-Dsun.reflect.noInflation=true", *options, **how)
                for _ in range(times):
                    self.counts()
                    self.goes_on()
                self.assertGreater(self.is_counted_exactly(), 4)

    @needs("javac")
    def test_calls_that_begin_while_attached_are_counted(self):
        self.check()

    @needs("javac")
    def test_standby_can_be_switched_at_any_moment(self):
        self.check(seed=100, steps=100, times=25)

    @needs("javac")
    def test_interpreted_methods_count_while_attached(self):
        self.check("-Xint", seed=200, steps=300)

    @needs("javac")
    @slow
    def test_compiled_methods_count_while_attached(self):
        self.check("-XX:TieredStopAtLevel=1", "-Xcomp", times=4)
        self.check("-XX:-TieredCompilation", seed=300, steps=500)

    @needs("javac")
    def test_virtual_threads_count_while_attached(self):
        self.check(seed=400, steps=300, words=["virtual"], versions=(25,))

    @needs("javac")
    def test_standby_counts_agree_with_verification_and_samples(self):
        self.check(seed=500, steps=500, record=["--time=cpu",
                                                "--verify-period=500"])

    @needs("javac")
    def test_natives_count_whether_methods_count_or_not(self):
        """Natives count below all Java methods that call them, whether these
        count or not."""
        self.version = 17  # reflection in this version begins with a native
        self.start()
        self.goes_on()
        self.truth()
        tree = self.clew_json("tree", "--json", self.recording_path)
        names = [self.in_source(function["name"])
                 for function in tree["functions"]]
        called = {names[node["function"]]: node for node in tree["contexts"]
                  if node["calls"]}
        self.assertNotIn("round", called)
        node, callers = called[next(name for name in called
                                    if name.endswith(".invoke0"))], []
        while node["parent"]:
            node = tree["contexts"][node["parent"] - 1]
            callers.append(names[node["function"]])
        self.assertEqual([name for name in callers if name in (
            "fails", "round", "rounds")], ["fails", "round", "rounds"])


class UnderLoad(StandbyCase):
    @needs("javac")
    def test_repeated_sessions_agree_under_load(self):
        """All threads run: contexts and stacks agree, and no thread ends in a
        wrong context."""
        for self.version in HOMES:
            if not HOMES[self.version]:
                continue
            self.start(record=["--verify-period=200"])
            self.tell("run")
            for _ in range(25):
                self.detach(self.attach())
            self.truth()
            calls = collections.Counter()
            for path, count in self.counted(set(CALLEES)).items():
                *above, name = path.split(";")
                calls[name] += count
                if above:
                    self.assertIn(name, CALLEES[above[-1]], path)
            self.assertEqual(set(calls), set(CALLEES))
            self.assertGreater(self.confidence(), 100)

    @needs("javac")
    def test_methods_inlined_into_a_compiled_loop_are_counted(self):
        """The compiled loop never calls methods that are not inlined into
        it."""
        (self.work / "Loop.java").write_text(LOOP)
        self.compile("loop", self.work / "Loop.java")
        for self.version in HOMES:
            if not HOMES[self.version]:
                continue
            self.process = subprocess.Popen(
                [CLEW, "record", "-q", "-o", self.recording_path,
                 "--java=standby", "--", *self.java(
                     "-cp", self.work / "loop", "Loop")], cwd=self.work,
                env=self.environment, text=True, stdin=subprocess.PIPE,
                stdout=subprocess.PIPE)
            with self.process as process:
                self.pid = int(process.stdout.readline())
                process.stdout.readline()
                controller = self.attach()
                until(lambda: self.calls_of("Loop.outer(int)") > 1000)
                self.detach(controller)
                process.stdin.close()
                self.assertEqual(process.wait(PATIENCE_S), 0)
            calls = self.calls_of("Loop.outer(int)")
            self.assertGreater(calls, 1000)
            # A call may have been active when clew attached, and another when
            # it detached.
            self.assertLessEqual(
                abs(self.calls_of("Loop.work(int)") - 2 * calls), 2)

    def calls_of(self, name):
        rows = self.clew_json("report", "--json", "--top=0",
                              self.recording_path)["functions"]
        return sum(row["calls"] for row in rows if row["name"] == name)


class Commands(StandbyCase):
    def is_refused(self, done, *words):
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assert_one_line(done, *words)

    @needs("javac")
    def test_status_shows_a_process_on_standby(self):
        self.start()
        for options in (["-o", "other"], ["--java=exact"], ["--time=none"],
                        ["--calls=1"], ["--no-cache"], ["--probe=main"]):
            self.is_refused(self.clew("attach", *options, self.pid),
                            "recorded since its start", "--java=standby")
        self.assert_usage_error(self.clew("attach", "--java=standby", self.pid),
                                "option of clew record")
        self.is_refused(self.clew("detach", self.pid), "not attached")
        self.assertIn("methods are counted while clew attach is attached",
                      self.clew("list", self.pid).stdout)
        first = self.attach()
        self.is_refused(self.clew("attach", self.pid), "another clew")
        self.is_refused(self.clew("detach", self.pid), "another clew")
        kill_with_guardian(first)
        done = self.clew("detach", self.pid)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_one_line(done, "Java methods are no longer counted")
        done = self.clew("attach", "-q", "--for=10ms", self.pid)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.truth()

    @needs("javac")
    def test_standby_counts_until_another_controller_ends_it(self):
        """Methods count until another controller ends the session."""
        self.start("-Dsun.reflect.noInflation=true")
        controller = self.attach()
        self.tell("on")
        kill_with_guardian(controller)
        self.goes_on()
        self.detach(self.attach())
        self.tell("off")
        self.goes_on()
        self.is_counted_exactly()

    @needs("javac")
    def test_processes_without_standby_are_refused(self):
        self.start(patterns="--java=exact:com.acme.Standby*")
        self.is_refused(self.clew("attach", self.pid),
                        "it has been recorded since its start")
        self.tell("run")
        self.process.communicate("end\n", PATIENCE_S)

    @needs("javac")
    def test_programs_on_standby_print_the_same(self):
        self.compile("exact", *(TARGETS / f"{name}.java" for name in
                                ("Exact", "Calls", "In")))
        for self.version in HOMES:
            if not HOMES[self.version]:
                continue
            program = self.java("-Xverify:all", "-cp", self.work / "exact",
                                "com.acme.Exact", "threads", "5")
            native = self.run_program(program)
            self.assertEqual(native.returncode, 0)
            for patterns in "", ":*":
                self.assert_same_behaviour(native, self.record(
                    program, [f"--java=standby{patterns}",
                              "--java-min-size=0"]))

    def test_options_that_conflict_with_standby_are_refused(self):
        for options, *words in (
                (["--budget=5%"], "--budget", "standby"),
                (["--time=exact"], "--time=exact", "standby"),
                (["--java=standby:/(/"], "standby", "/(/"),
                (["--java=standbys"], "not one of", "standby")):
            self.assert_usage_error(
                self.clew("record", "--java=standby", *options, "--", "true"),
                *words)


if __name__ == "__main__":
    clewtest.main()
