#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A function that a native tail-calls counts below the native and in its
time."""
import collections
import re

from lib import clewtest
from lib.clewtest import needs
from lib.disturbance import Disturbed, undisturbed
from lib.java import HOMES, JavaCase

SOURCE = clewtest.ROOT / "tests" / "targets" / "Jumps.java"
ROUNDS = 300
# {native: C functions that run below it, and whether by a tail call}
BELOW = {"jumps": [("jumps_work", True)],
         "twice": [("jumps_further", True), ("jumps_work", True)],
         "calls": [("jumps_work", False)]}


class Jumps(JavaCase):
    def record_program(self, *options):
        if not HOMES[17]:
            self.skipTest("no JDK 17 here, of which the compiler is")
        classes = self.work / "jumps"
        if not classes.exists():
            done = self.run_program([HOMES[17] / "bin" / "javac", "--release",
                                     "17", "-d", classes, SOURCE])
            self.assertEqual(done.returncode, 0, done.stderr)
        native_access = (("--enable-native-access=ALL-UNNAMED",)
                         if self.version > 17 else ())
        argv = self.java(*native_access, "-cp", classes, "com.acme.Jumps",
                         clewtest.target("native_jumps.so"), ROUNDS)
        self.assert_same_behaviour(self.run_program(argv),
                                   self.record(argv, options))

    def paths(self):
        """Returns {(names from the Java caller on): (calls, tail calls)}."""
        tree = self.clew_json("tree", "--json", self.recording_path)
        self.assertEqual(tree["problems"], [])
        above, found = {0: ()}, collections.Counter()
        tails = collections.Counter()
        for node in tree["contexts"]:
            name = re.sub(r"^com\.acme\.Jumps\.|\(.*$", "",
                          tree["functions"][node["function"]]["name"])
            path = above[node["parent"]]
            if path or name.startswith("via"):
                path += (name,)
            above[node["id"]] = path
            if node["calls"]:
                found[path] += node["calls"]
                tails[path] += node["tail"]
        return {path: (found[path], tails[path]) for path in found}

    def check_paths(self):
        paths = self.paths()
        for native, below in BELOW.items():
            path = ("via" + native.capitalize(), native)
            self.assertEqual(paths[path], (ROUNDS, 0))
            for name, by_jump in below:
                path += (name,)
                self.assertEqual(paths[path],
                                 (ROUNDS, ROUNDS if by_jump else 0), path)
        # There are no calls elsewhere.
        self.assertEqual(sum(calls for path, (calls, _) in paths.items()
                             if path and path[-1] == "jumps_work"), 3 * ROUNDS)
        confidence = self.clew_json("report", "--json",
                                    self.recording_path)["confidence"]
        for stacks in confidence, confidence["java_stacks"]:
            self.assertEqual((stacks["diverged"], stacks["collisions"]), (0, 0))
        return confidence

    def check_times(self):
        """Checks that the natives' total times contain all of the work."""
        rows = self.clew_json("report", "--json", "--jni", "--top=0",
                              self.recording_path)["functions"]
        rows = {re.sub(r"com\.acme\.Jumps\.|\([^()]*\)", "", row["name"]): row
                for row in rows}
        functions = {row["name"]: row for row in self.clew_json(
            "report", "--json", "--top=0", self.recording_path)["functions"]}
        natives = [rows[f"{native} <- via{native.capitalize()}"]
                   for native in BELOW]
        self.assertEqual([row["calls"] for row in natives], 3 * [ROUNDS])
        work = functions["jumps_work"]["total_ns"]
        self.assertGreaterEqual(sum(row["total_ns"] for row in natives), work)
        return natives, work

    @undisturbed
    def check_each_time(self):
        """Checks that each native has the time of the work below it, and that
        nearly all of its time is below it, unless another process ran."""
        self.record_program("--time=exact")
        natives, work = self.check_times()
        self.assertGreater(work, 3 * ROUNDS * 1000)
        for row in natives:
            self.assertGreater(row["total_ns"], ROUNDS * 1000)
            if row["self_ns"] > row["total_ns"] / 5:
                raise Disturbed(f"{row['self_ns']} of {row['total_ns']} ns "
                                f"in {row['name']} itself")

    @needs("javac")
    def test_callees_are_below_the_native_that_jumps(self):
        for version in HOMES:
            if not HOMES[version]:
                continue
            self.version = version
            with self.subTest(version=version):
                self.record_program("--time=exact")
                self.check_paths()
                self.check_times()
                self.check_each_time()
            with self.subTest("counted methods", version=version):
                self.record_program("--java=exact:com.acme.Jumps*",
                                    "--java-min-size=0")
                self.check_paths()
                self.check_times()

    @needs("javac")
    def test_stacks_with_jumps_agree_with_the_jvm(self):
        self.record_program("--verify-period=1")
        confidence = self.check_paths()
        self.assertGreater(confidence["java_stacks"]["verified"], 100)
        # These are jumps(), twice() and jumps_further().
        self.assertGreaterEqual(confidence["jumped_functions"],
                                3 * (ROUNDS - 1))


if __name__ == "__main__":
    clewtest.main()
