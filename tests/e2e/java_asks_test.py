#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Java programs that query their own context (org.clew.Clew) get correct
answers."""

from lib import clewtest
from lib.clewtest import BUILD, needs
from lib.java import HOMES, TARGETS, CompiledCase

JAR = BUILD / "agent" / "clew.jar"
ROUNDS = 200
HERE = [version for version in HOMES if HOMES[version]]
CONTEXTS = 2 + 4 + 8 + 16 + 1  # contexts per depth of shapes, and a leaf


@needs("javac")
class Asks(CompiledCase):
    """The program compares each answer with its own count (targets/Asks.java)."""

    def program(self, *options):
        if not JAR.exists():
            self.skipTest("built without a JDK")
        if not (self.work / "asks").exists():
            self.compile("asks", TARGETS / "Asks.java", options=["-cp", JAR])
        return self.java(*options, "-cp", f"{self.work / 'asks'}:{JAR}",
                         "com.acme.Asks", str(ROUNDS))

    def check(self, *options, record=(), more=()):
        done = self.record([*self.program(*options), *more],
                           ["--verify-period=50", *record], text=True)
        self.assertEqual((done.stdout, done.stderr, done.returncode),
                         (f"{CONTEXTS} contexts, 0 errors\n", "", 0))
        return self.clew_json("report", "--json", self.recording_path)

    def assert_marked(self, report):
        marks = {one["name"]: (one["moments"], one["regions"], one["open"])
                 for one in report["marks"]}
        [long_name] = set(marks) - {"leaf", "round"}
        self.assertRegex(long_name, "^a name that is so long .* k\u00e9pt")
        self.assertEqual(marks, {"leaf": (2 * ROUNDS, 0, 0),
                                 "round": (0, 2 * ROUNDS, 0),
                                 long_name: (1, 0, 0)})

    def test_contexts_from_the_agent_are_right_in_java(self):
        for self.version in HERE:
            copy = self.work / f"copy{self.version}"
            report = self.check(more=[copy])
            self.assert_marked(report)
            self.assertEqual([row["name"] for row in report["functions"]
                              if "org.clew" in row["name"] and row["calls"]],
                             [])
            self.assertEqual(report["confidence"]["diverged"], 0)
            self.assert_marked(self.clew_json("report", "--json", copy))

    def test_paused_java_program_is_not_counted(self):
        for self.version in HERE:
            report = self.check()
            # A row without calls has samples of the compiled Java method.
            self.assertEqual([row["calls"] for row in report["functions"]
                              if "Deflater.reset(" in row["name"] and
                              row["calls"]], [7])

    def test_contexts_are_right_in_interpreter_and_exact_mode(self):
        for self.version in HERE:
            self.check("-Xint", "-Xcheck:jni")
            self.assert_marked(self.check(record=["--java=exact"]))

    def test_agent_calls_do_nothing_without_clew(self):
        for self.version in HERE:
            done = self.run_program(self.program(), text=True)
            self.assertEqual((done.stdout, done.stderr, done.returncode),
                             ("clew is absent, 0 errors\n", "", 0))
            done = self.record(self.program(), ["--java=off"], text=True)
            self.assertEqual((done.stdout, done.stderr),
                             ("clew is absent, 0 errors\n", ""))


if __name__ == "__main__":
    clewtest.main()
