#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Calls of natives by the Java methods that make them, as these count themselves."""
import collections
import re

import clewtest
from clewtest import needs
from java_test import HOMES, JavaCase

SOURCE = clewtest.ROOT / "tests" / "targets" / "Callers.java"
NATIVES = re.compile(r"com\.acme\.Callers\.(hit|wide|up|fail)\(")


class Callers(JavaCase):
    def compiled(self):
        classes = self.work / "callers"
        if not classes.exists():
            done = self.run_program([HOMES[17] / "bin" / "javac", "--release",
                                     "17", "-d", classes, SOURCE])
            self.assertEqual(done.returncode, 0, done.stderr)
        return classes

    def program(self, *options, rounds=20000, classes=10, flavour="O2"):
        if self.version > 17:
            options += ("--enable-native-access=ALL-UNNAMED",)
        return self.java(*options, "-cp", self.compiled(), "com.acme.Callers",
                         clewtest.target("callers.so", flavour), str(rounds),
                         str(classes))

    def called_by(self):
        """{Java method: calls of natives that it has made}"""
        tree = self.clew_json("tree", "--json", self.recording_path)
        self.assertEqual(tree["problems"], [])
        names = [function["name"] for function in tree["functions"]]
        found = collections.Counter()
        for node in tree["contexts"]:
            if node["calls"] and NATIVES.match(names[node["function"]]):
                above = tree["contexts"][node["parent"] - 1]
                found[names[above["function"]]] += node["calls"]
        self.assertEqual(self.mismatches(), 0)
        return dict(found)

    def mismatches(self):
        part, = self.recording().parts
        return sum(int(tally.collisions + tally.diverged)
                   for tally in part.tallies.values())

    def check(self, *options, record=(), **more):
        if not HOMES[17]:
            self.skipTest("no JDK 17 here, of which the compiler is")
        argv = self.program(*options, **more)
        recorded = self.record(argv, record)
        self.assertEqual((recorded.returncode, recorded.stderr), (0, b""))
        truth = {caller: int(calls) for calls, caller in
                 re.findall(r"(?m)^(\d+) (com\..*)$",
                            recorded.stdout.decode())}
        self.assertEqual(len(truth), 14)
        self.assertTrue(all(truth.values()))
        self.assertEqual(self.called_by(), truth)

    def check_version(self, version):
        self.version = version
        self.check()
        self.check("-Xint", rounds=2000, flavour="O0")
        self.check("-XX:TieredStopAtLevel=1", rounds=5000)
        self.check("-XX:-TieredCompilation", rounds=5000)
        self.check("-Xcomp", rounds=2000)

    @needs("javac")
    def test_interpreted_and_compiled_on_17(self):
        self.check_version(17)

    @needs("javac")
    def test_interpreted_and_compiled_on_25(self):
        self.check_version(25)

    @needs("javac")
    def test_whatever_collects_the_garbage(self):
        for version in HOMES:
            if HOMES[version]:
                self.version = version
                for collector in "Serial", "Parallel", "G1", "Z":
                    with self.subTest(collector, version=version):
                        self.check(f"-XX:+Use{collector}GC", rounds=4000,
                                   classes=40)

    @needs("javac")
    def test_while_every_call_is_verified(self):
        self.check(record=["--verify-period=1"], rounds=2000)

    @needs("javac")
    def test_with_exact_times(self):
        self.check(record=["--time=exact"], rounds=4000)

    @needs("javac")
    def test_beside_the_machine_s_own_functions(self):
        self.check(record=["--java=vm"], rounds=1000)


if __name__ == "__main__":
    clewtest.main()
