#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Classes that classfile/ has rewritten: real machines verify and run them."""
import collections
import re
import sys

from java_changes_test import TARGETS, CompiledCase
from lib import clewtest
from lib.clewtest import slow

TRACKER = """package java.lang;
public class ClewTracker {
    public static void enter(int number) { }
    public static void exit(int number) { }
    public static void thrown(int number) { }
}
"""
KEEPING = """package java.lang;
public class ClewTracker {
    public static long enter(int number) { return number; }
    public static void exit(long kept) { }
    public static void caught(long kept, int number) {
        if (kept != number)
            throw new InternalError();
    }
}
"""
GATED = """package java.lang;
public class ClewTracker {
    public static volatile int STATE = %d;
    public static long enter(int number) { return number + 2L; }
    public static long catching(int number, int state) {
        if (state == 0)
            throw new InternalError();
        return number + 2L;
    }
    public static void exit(long kept) { }
    public static void caught(long kept, int number, int state) {
        if (kept != (state == 0 ? 1 : number + 2L))
            throw new InternalError();
    }
}
"""
VERIFY = ["-XX:+UnlockDiagnosticVMOptions", "-XX:+BytecodeVerificationLocal",
          "-XX:+BytecodeVerificationRemote"]


class Rewritten(CompiledCase):
    def agent(self, tracker, prefix):
        return (f"-agentpath:{clewtest.target('rewritten.so')}="
                f"{tracker},{self.work / 'told'},{prefix}")

    def run_rewritten(self, *arguments):
        """What the program says, and what the agent does, as lines."""
        done = self.run_program(self.java(*VERIFY, *arguments), text=True)
        problems = [line for line in done.stderr.splitlines()
                    if not line.startswith("WARNING: Using incubator")]
        self.assertEqual((done.returncode, problems), (0, []), done.stdout)
        return (done.stdout.splitlines(),
                (self.work / "told").read_text().splitlines())

    # ---- A program that counts itself ----

    def count(self, *options):
        self.compile("classes", *(TARGETS / f"{name}.java"
                                  for name in ("Counted", "Counts")))
        return self.run_rewritten(
            *options,
            self.agent("com/acme/Counts$Tracker", "com/acme/Counted"), "-cp",
            self.work / "classes", "com.acme.Counts")

    def check_counts(self, *options):
        said, told = self.count(*options)
        names = {}
        for line in told:
            number, name = line.split(" ", 1)
            if number.isdigit():
                owner, method = name.removeprefix("com/acme/").rsplit(".", 1)
                names[number] = (owner.replace("$", ".") + "." +
                                 re.sub(r"^lambda\$.*", "lambda$", method))
        own, counts, totals = {}, collections.Counter(), {}
        for line in said:
            kind, *rest = line.split()
            if kind == "own":
                own[rest[0]] = int(rest[1])
            elif kind == "told":
                counts[names[rest[0]]] += int(rest[1])
            else:
                totals[kind] = int(rest[0])
        self.assertEqual([line for line in told if line[:7] == "refused"], [])
        self.assertGreater(len(own), 30)
        self.assertEqual({name: counts[name] for name in own}, own)
        # Derived once, Doomed and Doubly, in each of 5 rounds of 8 threads.
        self.assertEqual(totals["dropped"], 3 * 40)
        self.assertEqual(totals["open"], totals["dropped"])
        self.assertGreater(totals["throws"], 10000)
        self.assertEqual(totals["returns"] + totals["throws"] +
                         totals["dropped"], sum(counts.values()))

    def test_each_call_has_its_entry_and_its_end(self):
        self.check_counts()

    def test_interpreted_code_does(self):
        self.check_counts("-Xint")

    def test_code_of_the_first_compiler_does(self):
        self.check_counts("-XX:TieredStopAtLevel=1", "-Xcomp")

    def test_code_of_the_second_compiler_does(self):
        self.check_counts("-XX:-TieredCompilation",
                          "-XX:CompileThreshold=100")

    def test_each_call_has_its_entry_and_its_end_on_25(self):
        self.version = 25
        self.check_counts()
        self.check_counts("-Xint")

    def test_code_before_super_on_25(self):
        self.version = 25
        compiler = self.home() / "bin" / "javac"
        if not compiler.exists():
            self.skipTest("no compiler of that version here")
        done = self.run_program([compiler, "-d", self.work / "classes",
                                 TARGETS / "Counts.java",
                                 TARGETS / "Counted.java",
                                 TARGETS / "Prologues.java"])
        self.assertEqual(done.returncode, 0, done.stderr)
        arguments = ["-cp", self.work / "classes", "com.acme.Prologues"]
        native = self.run_program(self.java(*arguments), text=True)
        said, told = self.run_rewritten(
            self.agent("com/acme/Counts$Tracker", "com/acme/Prologues"),
            *arguments)
        self.assertEqual(said, native.stdout.splitlines())
        self.assertEqual(said[-1], "15")
        self.assertEqual(told[-2:], ["classes 3", "methods 5"])

    # ---- All that there is ----

    def patched(self, prefix="", tracker=TRACKER):
        """Options by which the tracker is one of the machine's own classes."""
        source = self.work / "source" / "java" / "lang" / "ClewTracker.java"
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(tracker)
        self.run_tool("javac", "--patch-module",
                      f"java.base={self.work / 'source'}", "-d",
                      self.work / "patch", source)
        return ["-Xshare:off", "--patch-module",
                f"java.base={self.work / 'patch'}",
                self.agent("java/lang/ClewTracker", prefix)]

    def verify(self, every, jars=(), prefix="", tracker=TRACKER):
        """Each EVERYth class; all that are loaded are rewritten."""
        self.compile("classes", TARGETS / "Verifies.java")
        said, told = self.run_rewritten(
            *self.patched(prefix, tracker), "--add-modules=ALL-SYSTEM", "-cp",
            self.work / "classes", "com.acme.Verifies", every, *jars)
        counts = {kind: int(count) for kind, count in
                  (line.split() for line in [*said, *told[-2:]]
                   if re.fullmatch(r"[a-z]+ \d+", line))}
        refused = [line for line in said if line.startswith("refused ")]
        refused += [line for line in told if line.startswith("kept ")]
        reasons = collections.Counter(
            line.rsplit(": ", 1)[1] for line in told
            if line.startswith("refused "))
        print(counts, dict(reasons), file=sys.stderr)
        return counts, refused, reasons

    def test_the_verifier_takes_a_sample_of_the_machines_own_classes(self):
        counts, refused, reasons = self.verify(13)
        self.assertEqual(refused, [])
        self.assertGreater(counts["linked"], 1000)
        self.assertGreater(counts["classes"], 3000)
        self.assertLess(sum(reasons.values()), counts["methods"] / 1000)

    @slow
    def test_methods_can_keep_what_an_entry_returns(self):
        for version in 17, 25:
            self.version = version
            with self.subTest(version=version):
                counts, refused, _ = self.verify(7, prefix="keep:",
                                                 tracker=KEEPING)
                self.assertEqual(refused, [])
                self.assertGreater(counts["classes"], 3000)

    def check_gate(self, every):
        """The verifier takes it, whether it is open or shut."""
        for state in 0, 1:
            counts, refused, _ = self.verify(every, prefix="gate:",
                                             tracker=GATED % state)
            self.assertEqual(refused, [])
            self.assertGreater(counts["classes"], 3000)

    @slow
    def test_methods_can_pass_by_a_gate(self):
        self.check_gate(7)

    @slow
    def test_methods_can_pass_by_a_gate_on_25(self):
        self.version = 25
        self.check_gate(7)

    def check_loaded(self):
        counts, refused, _ = self.verify(100, prefix="late:")
        self.assertEqual(refused, [])
        self.assertGreater(counts["classes"], 300)

    def test_classes_that_are_loaded_can_be_changed(self):
        self.check_loaded()

    def test_classes_that_are_loaded_can_be_changed_on_25(self):
        self.version = 25
        self.check_loaded()

    @slow
    def test_the_verifier_takes_a_sample_on_25(self):
        self.version = 25
        self.test_the_verifier_takes_a_sample_of_the_machines_own_classes()


if __name__ == "__main__":
    clewtest.main()
