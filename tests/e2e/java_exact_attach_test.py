#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`clew attach --java=exact` counts all calls of Java methods in a running
JVM."""
import collections
import re

from lib import clewtest
from lib.attached import PATIENCE_S
from lib.clewtest import needs, until
from lib.java import (EXACT, HOMES, METHODS, TARGETS, VERIFY, CompiledCase,
                      ExactAttached)


class Counts(ExactAttached):
    @needs("javac")
    def test_each_call_while_attached_is_counted(self):
        """Methods of the first session are still active when the second
        begins."""
        for self.version in HOMES:
            if not HOMES[self.version]:
                continue
            self.start_java()
            self.is_counted_exactly("--time=none")
            self.assertGreater(
                self.is_counted_exactly("--verify-period=1000"), 10)
            self.ends()

    @needs("javac")
    def test_methods_count_in_interpreter_and_compilers(self):
        for options in (["-Xint"], ["-XX:TieredStopAtLevel=1"], ["-Xcomp"]):
            with self.subTest(options):
                self.start_java(*VERIFY, *options)
                self.is_counted_exactly("--time=none")
                self.ends()

    @needs("javac")
    def test_virtual_threads_are_counted(self):
        """Virtual threads are mounted or unmounted when clew attaches and
        detaches."""
        self.version = 25
        if not HOMES[25]:
            self.skipTest("no JDK 25 here")
        self.start_java("-Djdk.virtualThreadScheduler.parallelism=4",
                        words=["virtual"])
        for _ in range(2):
            self.is_counted_exactly("--time=none", "--verify-period=1000")
        self.ends()

    @needs("javac")
    def test_sessions_with_and_without_exact_methods_alternate(self):
        """In the middle session natives have their Java callers."""
        self.start_java()
        self.is_counted_exactly()
        self.is_recorded_exactly()
        self.is_counted_exactly()
        self.ends()

    @needs("javac")
    def test_detaching_restores_all_classes(self):
        self.start_java()
        bytes_before = self.code_bytes()
        controller = self.attach(self.process, *EXACT)
        self.assertGreater(self.code_bytes(), bytes_before)
        self.detach(controller)
        self.assertEqual(self.code_bytes(), bytes_before)
        self.assert_quiet()
        self.ends()

    @needs("javac")
    def test_application_classes_are_counted_without_a_pattern(self):
        self.start_java()
        before = self.counted()
        controller = self.attach(self.process, "--java=exact")
        self.let_go()
        self.hold()
        self.detach(controller)
        calls, _ = self.methods()
        self.assertEqual(calls["outer"],
                         self.counted()["innermost"] - before["innermost"])

    @needs("javac")
    def test_each_method_is_listed_with_its_way_or_its_reason(self):
        self.start_java()
        controller = self.attach(self.process, "--time=none",
                                 "--java=exact:com.acme.*,!*.outer",
                                 "--java-min-size=0")
        listed = self.clew_json("list", "-a", "--json", self.process.pid)
        methods = listed["java_methods"]
        ways = {re.sub(r"^com\.acme\.Attached\.|\(.*$", "", one["name"]):
                one.get("way", one.get("reason"))
                for one in methods["methods"]}
        self.assertEqual({name: ways[name] for name in METHODS},
                         {**dict.fromkeys(METHODS, "exact"),
                          "outer": "not selected by --java"})
        shown = self.clew("list", "-v", self.process.pid).stdout
        self.assertIn(f"Java: each call of {methods['counted']:,} methods is "
                      "counted", shown)
        self.assertRegex(shown, r"java  com\.acme\.Attached\.outer\(.*\): "
                                "not counted, not selected by --java\n")
        self.detach(controller)
        kept = self.clew_json("list", "-a", "--json", self.recording_path)
        self.assertEqual(kept["java_methods"], methods)
        self.assert_one_line_error(self.clew("list", self.process.pid),
                                   "not being recorded")
        self.assert_quiet()
        self.ends()

    @needs("javac")
    def test_jvm_that_exits_while_attached_keeps_its_counts(self):
        self.start_java()
        controller = self.attach(self.process, *EXACT)
        self.let_go()
        self.ends()
        self.assertIn(controller.wait(PATIENCE_S), (0, 1))
        calls, _ = self.methods()
        self.assertGreater(calls["hot"], 5000)


class Changed(CompiledCase, ExactAttached):
    """Active methods finish in their unchanged version while other methods with
    equal names count."""
    CALLS = 5000
    TWIN, CALLEE = "com.acme.Twins$Twin.call", "com.acme.Twins$Callee.getAsInt"

    def pairs(self):
        """Returns ({method: calls}, {(method, the Java method above it):
        calls})."""
        tree = self.clew_json("tree", "--json", self.recording_path)
        names = [function["name"].partition("(")[0]
                 for function in tree["functions"]]
        calls, edges = collections.Counter(), collections.Counter()
        for node in tree["contexts"]:
            above = (names[tree["contexts"][node["parent"] - 1]["function"]]
                     if node["parent"] else None)
            calls[names[node["function"]]] += node["calls"]
            edges[names[node["function"]], above] += node["calls"]
        return calls, edges

    def check(self, *options):
        self.start_to_talk(*self.java(*options, "-cp", self.work / "twins",
                                      "com.acme.Twins", self.CALLS))
        self.assertEqual(self.process.stdout.readline(), "ready\n")
        controller = self.attach(self.process, *EXACT, "--time=none",
                                 "--verify-period=50")
        self.process.stdin.write("more\n")
        self.process.stdin.flush()
        self.assertEqual(self.process.stdout.readline(), "called\n")
        self.detach(controller)
        calls, edges = self.pairs()
        self.assertEqual(calls[self.CALLEE], 4 * self.CALLS)
        self.assertIn(calls[self.TWIN], (2 * self.CALLS, 3 * self.CALLS))
        self.assertEqual(edges[self.CALLEE, self.TWIN], calls[self.TWIN])
        self.assertGreater(self.confidence(), 4 * self.CALLS // 100)
        self.process.stdin.close()
        self.assertEqual(self.process.wait(PATIENCE_S), 0)

    @needs("javac")
    def test_methods_are_expected_from_their_change_on(self):
        self.compile("twins", TARGETS / "Twins.java")
        for self.version in HOMES:
            if not HOMES[self.version]:
                continue
            for options in (), ("-Xint",):
                with self.subTest(options=options, version=self.version):
                    self.check(*options)


class Busy(CompiledCase, ExactAttached):
    """Methods are active on the stack while clew rewrites their classes in
    batches."""
    CLASSES = 300

    def source(self):
        """Returns source in which each class calls another one, in an order
        unlike that of the names."""
        order = [i * 7 % self.CLASSES for i in range(self.CLASSES)]
        calls = [f"C{callee}.call(n)" for callee in order[1:]] + ["n + 1"]
        return "".join([
            *(f"class C{i} {{ static int call(int n) {{ return {call}; }} }}\n"
              for i, call in zip(order, calls)),
            "class Chain { public static void main(String[] words)"
            " throws Exception { for (int i = 0;"
            " System.in.available() == 0; i = C0.call(i)) if (i == 5000)"
            ' System.out.println("ready"); } }\n'])

    @needs("javac")
    def test_stacks_agree_with_verification_in_later_sessions(self):
        source = self.work / "Chain.java"
        source.write_text(self.source())
        self.compile("chain", source)
        self.start_to_talk(*self.java("-cp", self.work / "chain", "Chain"))
        self.assertEqual(self.process.stdout.readline(), "ready\n")
        for _ in range(3):
            controller = self.attach(self.process, "--java=exact",
                                     "--java-min-size=0", "--time=none",
                                     "--verify-period=1")
            until(lambda: self.confidence() > self.CLASSES // 10)
            self.detach(controller)
            self.assertGreater(self.confidence(), self.CLASSES // 10)
        self.process.stdin.write("end\n")
        self.process.stdin.flush()
        self.assertEqual(self.process.wait(PATIENCE_S), 0)


if __name__ == "__main__":
    clewtest.main()
