#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Real JVMs verify and run the classes that classfile/ has rewritten."""
from lib import clewtest
from lib.clewtest import slow
from lib.java import TARGETS, RewrittenCase

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
class Rewritten(RewrittenCase):
    # ---- Programs that count themselves ----

    def test_rewritten_methods_report_entry_and_end(self):
        self.check_counts()

    def test_interpreted_rewritten_methods_report_entry_and_end(self):
        self.check_counts("-Xint")

    def test_first_compilers_rewritten_code_reports_entry_and_end(self):
        self.check_counts("-XX:TieredStopAtLevel=1", "-Xcomp")

    def test_second_compilers_rewritten_code_reports_entry_and_end(self):
        self.check_counts("-XX:-TieredCompilation",
                          "-XX:CompileThreshold=100")

    def test_rewritten_methods_report_entry_and_end_on_25(self):
        self.version = 25
        self.check_counts()
        self.check_counts("-Xint")

    def test_code_before_super_is_rewritten_on_25(self):
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

    # ---- The classes of a JVM ----

    def test_verifier_accepts_a_sample_of_rewritten_jdk_classes(self):
        counts, refused, reasons = self.verify(13)
        self.assertEqual(refused, [])
        self.assertGreater(counts["linked"], 1000)
        self.assertGreater(counts["classes"], 3000)
        self.assertLess(sum(reasons.values()), counts["methods"] / 1000)

    @slow
    def test_methods_can_store_the_result_of_an_entry(self):
        for version in 17, 25:
            self.version = version
            with self.subTest(version=version):
                counts, refused, _ = self.verify(7, prefix="keep:",
                                                 tracker=KEEPING)
                self.assertEqual(refused, [])
                self.assertGreater(counts["classes"], 3000)

    @slow
    def test_methods_can_pass_by_a_gate(self):
        self.check_gate(7)

    @slow
    def test_methods_can_pass_by_a_gate_on_25(self):
        self.version = 25
        self.check_gate(7)

    def test_classes_that_are_loaded_can_be_changed(self):
        self.check_loaded()

    def test_classes_that_are_loaded_can_be_changed_on_25(self):
        self.version = 25
        self.check_loaded()

    @slow
    def test_verifier_accepts_a_sample_of_rewritten_jdk_classes_on_25(self):
        self.version = 25
        self.test_verifier_accepts_a_sample_of_rewritten_jdk_classes()


if __name__ == "__main__":
    clewtest.main()
