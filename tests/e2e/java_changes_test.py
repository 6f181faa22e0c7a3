#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Agents may change Java classes at run time, and there may be very many
classes."""
import re

from lib import clewtest
from lib.clewtest import needs, slow
from lib.java import HOMES, TARGETS, CompiledCase

MANIFEST = """Premain-Class: com.acme.Redefines
Can-Redefine-Classes: true
Can-Retransform-Classes: true
"""


class Changes(CompiledCase):
    def program(self, *options, rounds, changes):
        """Builds two versions of Changed.java, and an agent that replaces one
        by the other."""
        if self.version > 17:
            options += ("--enable-native-access=ALL-UNNAMED",)
        agent = self.work / "agent.jar"
        if not agent.exists():
            self.compile("one", *(TARGETS / f"{name}.java" for name in
                                  ("Callers", "Changed", "Redefines")))
            other = self.work / "Changed.java"
            other.write_text((TARGETS / "Changed.java").read_text()
                             .replace("/*+", "").replace("+*/", ""))
            self.compile("other", other, options=["-cp", self.work / "one"])
            manifest = self.work / "manifest"
            manifest.write_text(MANIFEST)
            self.run_tool("jar", "-c", "-f", agent, "-m", manifest, "-C",
                          self.work / "one", "com/acme/Redefines.class")
        return self.java(*options, f"-javaagent:{agent}={self.work / 'other'}",
                         "-cp", self.work / "one", "com.acme.Redefines",
                         clewtest.target("callers.so"), str(rounds),
                         str(changes))

    def check(self, *options, record=(), rounds=3000, changes=100):
        argv = self.program(*options, rounds=rounds, changes=changes)
        native = self.run_program(argv)
        recorded = self.record(argv, record)
        self.assert_same_behaviour(native, recorded)
        truth = {caller: int(calls) for calls, caller in
                 re.findall(r"(?m)^(\d+) (.*)$", recorded.stdout.decode())}
        self.assertEqual(len(truth), 6)
        shown = self.clew_json("report", "--json", "--jni", "--top=0",
                               self.recording_path)
        self.assertEqual(shown["problems"], [])
        found = {}
        for row in shown["functions"]:
            callee, _, caller = row["name"].partition(" <- ")
            if re.match(r"com\.acme\.(Callers\.hit|Changed\.own)\(", callee):
                found[caller] = found.get(caller, 0) + row["calls"]
            elif "InstrumentationImpl.re" in callee:
                found["changes"] = found.get("changes", 0) + row["calls"]
        self.assertEqual(found.pop("changes"), changes)
        self.assertEqual(found, truth)
        self.assertEqual(
            shown["confidence"]["java_stacks"]["diverged"], 0)
        self.composed()
        return shown["confidence"]["java_stacks"]["verified"]

    def check_version(self, version):
        self.version = version
        self.check()
        self.check("-Xint", record=["--time=exact"])
        for mode in "-Xint", "-XX:TieredStopAtLevel=1":
            self.assertGreater(self.check(mode, record=["--verify-period=1"],
                                          rounds=10000, changes=500), 10000)

    @needs("javac")
    def test_methods_that_change_while_they_run_count_on_17(self):
        self.check_version(17)

    @needs("javac")
    @slow
    def test_methods_that_change_while_they_run_count_on_25(self):
        self.check_version(25)

    @needs("javac")
    def test_classes_changed_by_an_unhooked_agent_count(self):
        for version in HOMES:
            if HOMES[version]:
                self.version = version
                self.check("-Xint", record=["-M", "libinstrument.so",
                                            "--verify-period=1"])


class ManyClasses(CompiledCase):
    def anonymous_kb(self, argv, is_recorded):
        done = self.record(argv) if is_recorded else self.run_program(argv)
        self.assertEqual(done.returncode, 0, done.stderr)
        return int(re.match(r"(?s).*RssAnon:\s+(\d+) kB", done.stdout.decode())
                   .group(1))

    @needs("javac")
    @slow
    def test_thirty_thousand_classes_take_little_memory(self):
        self.compile("many", TARGETS / "Many.java")
        for version in HOMES:
            if not HOMES[version]:
                continue
            self.version = version
            argv = self.java("-XX:+UseSerialGC", "-Xms256m", "-Xint",
                             "-XX:+AlwaysPreTouch", "-cp", self.work / "many",
                             "com.acme.Many", "30000")
            with self.subTest(version=version):
                more = (self.anonymous_kb(argv, True) -
                        self.anonymous_kb(argv, False))
                self.assertLess(more, 30000)
                self.assertGreater(more, -5000)


if __name__ == "__main__":
    clewtest.main()
