#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Calls of natives by the Java methods that make them equal the methods' own
counts."""
import collections
import re

from lib import clewtest
from lib.clewtest import needs, slow
from lib.java import HOMES, JavaCase

SOURCES = [clewtest.ROOT / "tests" / "targets" / name
           for name in ("Callers.java", "Stacks.java", "Suspended.java",
                        "Unhooked.java")]
NATIVES = re.compile(r"com\.acme\.Callers\.(hit|wide|up|fail)\(")
# the class before and the parameters behind the name
METHOD = re.compile(r"^com\.acme\.Callers(\$\w+)?\.|\(.*$")
CHAINS = {
    "innermost": ("innermost", "middle", "outer"),
    "deep": ("deep",) * 61,
    "back": ("back", "up", "upper"),
}


class Callers(JavaCase):
    def compiled(self):
        classes = self.work / "callers"
        if not classes.exists():
            done = self.run_program([HOMES[17] / "bin" / "javac", "--release",
                                     "17", "-d", classes, *SOURCES])
            self.assertEqual(done.returncode, 0, done.stderr)
        return classes

    def program(self, *options, rounds=20000, classes=10, flavour="O2"):
        if self.version > 17:
            options += ("--enable-native-access=ALL-UNNAMED",)
        return self.java(*options, "-cp", self.compiled(), "com.acme.Callers",
                         clewtest.target("callers.so", flavour), str(rounds),
                         str(classes))

    def called_by(self):
        """Returns {Java method: calls of natives from it}."""
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

    def chains(self):
        """Returns {methods up to work(), innermost first: calls of natives}."""
        tree = self.clew_json("tree", "--json", self.recording_path)
        names = [function["name"] for function in tree["functions"]]
        found = collections.Counter()
        for node in tree["contexts"]:
            if not node["calls"] or not NATIVES.match(
                    names[node["function"]]):
                continue
            chain, above = [], node
            while above["parent"]:
                above = tree["contexts"][above["parent"] - 1]
                name = names[above["function"]]
                if name.startswith("com.acme."):  # excludes functions of libjvm
                    chain.append(METHOD.sub("", name))
                if chain[-1:] == ["work"]:
                    break
            self.assertEqual(chain[-1], "work", chain)
            found[tuple(chain[:-1])] += node["calls"]
        return dict(found)

    def truth(self, recorded):
        """Returns {Java method: calls of natives from it}, as printed by the
        program."""
        truth = {caller: int(calls) for calls, caller in
                 re.findall(r"(?m)^(\d+) (com\..*)$",
                            recorded.stdout.decode())}
        self.assertEqual(len(truth), 14)
        self.assertTrue(all(truth.values()))
        return truth

    def check_report(self, truth):
        """Checks the report's calls of natives by their callers."""
        rows = self.clew_json("report", "--json", "--jni", "--function",
                              NATIVES.pattern, self.recording_path)
        found = collections.Counter()
        for row in rows["functions"]:
            found[row["name"].split(" <- ")[1]] += row["calls"]
        self.assertEqual(dict(found), truth)
        self.assertGreaterEqual(rows["total"]["natives"]["calls"],
                                sum(truth.values()))
        shown = self.details("--by=jni", "-n1", "-f", r"<- .*\.hot\(",
                             self.recording_path)
        self.assertRegex(shown, r"(?m)  Callers\.hit <- Callers\.hot$")
        self.assertRegex(shown, r"(?m)^Java: [\d,]+ calls of native")

    def check_chains(self, truth):
        """Checks complete call chains. A native occurs within a chain only if
        it calls Java."""
        wanted = collections.Counter()
        for caller, calls in truth.items():
            name = METHOD.sub("", caller)
            if name == "recursion":
                for depth in range(1, 6):
                    wanted[(name,) * depth] = calls // 5
            else:
                wanted[CHAINS.get(name, (name,))] += calls
        self.assertEqual(self.chains(), dict(wanted))

    def check_stacks(self, truth):
        self.check_chains(truth)
        confidence = self.clew_json("report", "--json",
                                    self.recording_path)["confidence"]
        stacks = confidence["java_stacks"]
        self.assertEqual(stacks["diverged"], 0)
        self.assertGreater(stacks["verified"], 0)
        self.composed()
        return stacks["verified"]

    def check(self, *options, record=(), **more):
        if not HOMES[17]:
            self.skipTest("no JDK 17 here, of which the compiler is")
        argv = self.program(*options, **more)
        recorded = self.record(argv, record)
        self.assertEqual((recorded.returncode, recorded.stderr), (0, b""))
        truth = self.truth(recorded)
        self.assertEqual(self.called_by(), truth)
        self.check_report(truth)
        return self.check_stacks(truth)

    def check_version(self, version):
        self.version = version
        self.check()
        self.check("-Xint", rounds=2000, flavour="O0")
        self.check("-XX:TieredStopAtLevel=1", rounds=5000)
        self.check("-XX:-TieredCompilation", rounds=5000)
        self.check("-Xcomp", rounds=2000)

    @needs("javac")
    def test_report_has_the_time_of_requested_java_stacks(self):
        self.record(self.program(rounds=20000))
        report = self.clew_json("report", "--json", self.recording_path)
        asked = report["confidence"]["java_stacks_asked"]
        since = [when for when, _ in asked["since_ms"]]
        self.assertEqual(since, sorted(set(since)))
        self.assertEqual(sum(many for _, many in asked["since_ms"]),
                         asked["count"])
        self.assertGreater(asked["count"], len(CHAINS))
        self.assertGreater(asked["ns"], asked["count"] * 500)
        self.assertLess(asked["count"] * 20,
                        report["total"]["natives"]["calls"])
        self.assertEqual(asked, self.composed())
        shown = self.details(self.recording_path)
        self.assertRegex(shown, rf"(?m)^Java: the Java callers of "
                                rf"{asked['count']:,} new stacks were read, in "
                                r"\S+ [un]s each, half of these stacks in "
                                r"the first \S+ m?s of the JVM;")
        self.assertRegex(shown, rf"(?m)^Java: {asked['composed']:,} of the new "
                                r"stacks were composed of known frames; "
                                rf"{asked['verified']:,} of these were "
                                "compared with the JVM's stack: 0 were wrong$")

    @needs("javac")
    def test_callers_are_right_on_17(self):
        self.check_version(17)

    @needs("javac")
    @slow
    def test_callers_are_right_on_25(self):
        self.check_version(25)

    @needs("javac")
    @slow
    def test_callers_are_right_with_each_collector(self):
        for version in HOMES:
            if HOMES[version]:
                self.version = version
                for collector in "Serial", "Parallel", "G1", "Z":
                    with self.subTest(collector, version=version):
                        self.check(f"-XX:+Use{collector}GC", rounds=4000,
                                   classes=40)

    @needs("javac")
    def test_callers_agree_with_verification_of_every_call(self):
        verified = self.check(record=["--verify-period=1"], rounds=2000)
        self.assertGreater(verified, 30000)

    @needs("javac")
    def test_natives_count_below_exact_java_methods(self):
        for version in 17, 25:
            self.version = version
            for options in (), ("-Xint",):
                with self.subTest(options, version=version):
                    self.check_exactly(*options)

    def check_exactly(self, *options):
        recorded = self.record(self.program(*options, rounds=2000),
                               ["--java=exact", "--java-min-size=0"])
        self.assertEqual((recorded.returncode, recorded.stderr), (0, b""))
        truth = self.truth(recorded)
        self.assertEqual(self.called_by(), truth)
        self.check_chains(truth)
        self.assertEqual(self.mismatches(), 0)
        stacks = self.clew_json("report", "--json", self.recording_path)[
            "confidence"]["java_stacks"]
        self.assertEqual(stacks["diverged"], 0)
        self.assertGreater(stacks["verified"], 0)

    @needs("javac")
    def test_natives_have_exact_times(self):
        self.check(record=["--time=exact"], rounds=4000)

    @needs("javac")
    def test_natives_have_java_callers_beside_jit_callers(self):
        """Native bridges do not appear as JIT callers. Code that Java calls
        directly has Java callers."""
        self.check(record=["--jit-callers"], rounds=4000)

    @needs("javac")
    @slow
    def test_natives_count_beside_functions_of_the_jvm(self):
        self.check(record=["--java=vm"], rounds=1000)

    @needs("javac")
    def test_natives_excluded_by_filters_have_callers(self):
        for version in HOMES:
            if HOMES[version]:
                self.version = version
                for record in ((), ("--time=exact",), ("--verify-period=1",)):
                    with self.subTest(version=version, record=record):
                        self.check(record=["-M", "callers*.so", *record],
                                   rounds=4000)

    def parks(self):
        """Returns {method of Unsafe: its calls below
        com.acme.Unhooked.parks()}."""
        tree = self.clew_json("tree", "--json", self.recording_path)
        names = [function["name"] for function in tree["functions"]]
        found = collections.Counter()
        for node in tree["contexts"]:
            method = re.match(r"jdk\.internal\.misc\.Unsafe\.(park|unpark)\(",
                              names[node["function"]])
            if not method:
                continue
            caller = tree["contexts"][node["parent"] - 1]
            ours = tree["contexts"][caller["parent"] - 1]
            if names[ours["function"]] == "com.acme.Unhooked.parks(int)":
                found[method[1]] += node["calls"]
        return found

    def check_unhooked(self, *options, record=(), but=()):
        """Checks the callers of natives, with and without hooks."""
        if not HOMES[17]:
            self.skipTest("no JDK 17 here, of which the compiler is")
        if self.version > 17:
            options += ("--enable-native-access=ALL-UNNAMED",)
        done = self.record(
            self.java(*options, "-cp", self.compiled(), "com.acme.Unhooked",
                      clewtest.target("callers.so"), "20000"), record)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, rb"\A(.* Critical.* was deprecated .*\n)?\Z")
        truth = {name: int(calls) for calls, name in
                 re.findall(r"(?m)^(\d+) (.*)$", done.stdout.decode())}
        self.assertEqual(len(truth), 4)
        shown = self.clew_json("report", "--json", "--jni", "--top=0",
                               self.recording_path)
        self.assertEqual(shown["problems"], [])
        rows = {row["name"]: row for row in shown["functions"]}
        for name in but:
            self.assertIn(name, truth)
            del truth[name]
        self.assertEqual({name: rows[name]["calls"] for name in truth}, truth)
        self.assertEqual(self.mismatches(), 0)
        self.assertEqual(self.parks(), {"park": 20000, "unpark": 20000})
        intrinsics = shown["total"]["natives"]["intrinsics"]
        self.assertFalse([name for name in intrinsics if "Unsafe.park" in name])
        self.assertIn("java.lang.Object.hashCode()", intrinsics)
        self.assertIn("java.lang.Object.getClass()", intrinsics)
        self.assertFalse([name for name in intrinsics
                          if name.startswith(("com.", "java.lang.Runtime."))])
        self.assertEqual(len(intrinsics), len(set(intrinsics)))
        self.assertRegex(
            self.details(self.recording_path),
            rf"(?m)^Java: calls of {len(intrinsics)} native methods are not "
            r"counted where the JVM runs code of its own instead "
            r"\(intrinsics\): java\.")
        return rows

    GET_CLASS = "java.lang.Object.getClass() <- com.acme.Unhooked.known(int)"

    @needs("javac")
    @slow
    def test_natives_without_hooks_have_callers(self):
        for version in HOMES:
            if HOMES[version]:
                self.version = version
                with self.subTest(version=version):
                    self.check_unhooked(but=[self.GET_CLASS])
                    # The interpreter calls functions that compiled code
                    # inlines.
                    self.check_unhooked("-Xint", record=["--verify-period=1"])

    @needs("javac")
    def test_critical_natives_have_callers(self):
        rows = self.check_unhooked("-XX:+CriticalJNINatives",
                                   but=[self.GET_CLASS])
        self.assertFalse([name for name in rows if "JavaCritical" in name])

    @needs("javac")
    def test_natives_without_hooks_have_times(self):
        for version in HOMES:
            if HOMES[version]:
                self.version = version
                with self.subTest(version=version):
                    rows = self.check_unhooked(record=["--time=exact"],
                                               but=[self.GET_CLASS])
                    asleep = [row["total_ns"] for name, row in rows.items()
                              if name.startswith("java.lang.Thread.sleep")]
                    self.assertGreater(sum(asleep), 5 * 2000000)
                    self.check_quantiles(rows)

    def check_quantiles(self, rows):
        """Each caller has bins of its own: five of the calls slept for 2 ms."""
        for name, row in rows.items():
            if "timed" not in row or name.endswith("(no Java method)"):
                self.assertNotIn("within_ns", row)
                continue
            half, most = row["within_ns"]["p50"], row["within_ns"]["p99"]
            self.assertLessEqual(half, most, name)
            self.assertLessEqual(most, row["timed"]["max_ns"], name)
            if name.startswith("java.lang.Thread.sleep") and row["calls"] == 5:
                self.assertGreater(half, 2000000)
            if ".generated(" in name:
                self.assertLess(half, 1000000)
        self.assertTrue(any(".generated(" in name for name in rows))
        self.assertRegex(self.clew("report", "--jni", self.recording_path)
                         .stdout, r"max +p50 < +p99 < +native method")

    def suspended(self, *more, options=()):
        """Returns ({calling methods, innermost first: calls}, all calls,
        details)."""
        if not (HOMES[17] and HOMES[25]):
            self.skipTest("no JDK 17 and 25 here")
        self.version = 25
        done = self.record(self.java(
            "--enable-native-access=ALL-UNNAMED", *options, "-cp",
            self.compiled(), "com.acme.Suspended",
            clewtest.target("callers.so"), *more))
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        tree = self.clew_json("tree", "--json", self.recording_path)
        self.assertEqual(tree["problems"], [])
        names = [function["name"] for function in tree["functions"]]
        found = collections.Counter()
        for node in tree["contexts"]:
            if not node["calls"] or not NATIVES.match(names[node["function"]]):
                continue
            chain, above = [], node
            while above["parent"]:
                above = tree["contexts"][above["parent"] - 1]
                chain.append(METHOD.sub("", names[above["function"]]))
            found[tuple(chain)] += node["calls"]
        return found, int(done.stdout), self.details(self.recording_path)

    @needs("javac")
    def test_suspended_virtual_threads_keep_callers(self):
        for options in (), ("-Xint",):
            with self.subTest(options):
                found, truth, details = self.suspended("100", options=options)
                self.assertEqual(sum(found.values()), truth)
                whole = sum(calls for chain, calls in found.items()
                            if [name.split(".")[-1] for name in chain[:3]] ==
                            ["work", "rounds", "outer"] and
                            chain[-1] == "jdk.internal.vm.Continuation.enter")
                self.assertGreater(whole, 0.9 * truth, found)
                if whole == truth:
                    self.assertNotIn("in virtual threads", details)

    @needs("javac")
    def test_often_suspended_virtual_threads_count_by_method(self):
        found, truth, details = self.suspended("20000", "often")
        self.assertEqual(sum(found.values()), truth)
        self.assertEqual(truth, 400000)
        self.assertRegex(
            details,
            rf"(?m)^Java: {found[('com.acme.Suspended.work',)]:,} calls of native methods "
            "in virtual threads count below the innermost Java method only: their")

    def check_hard(self, *options):
        if not HOMES[17]:
            self.skipTest("no JDK 17 here, of which the compiler is")
        if self.version > 17:
            options += ("--enable-native-access=ALL-UNNAMED",)
        done = self.record(
            self.java(*options, "-cp", self.compiled(), "com.acme.Stacks",
                      clewtest.target("callers.so")), ["--verify-period=1"])
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        truth, = re.findall(r"^(\d+) calls\n", done.stdout.decode())
        report = self.clew_json("report", "--json", "--top=0",
                                self.recording_path)
        self.assertEqual(report["problems"], [])
        self.assertEqual(sum(row["calls"] for row in report["functions"]
                             if row["name"].startswith("com.acme.Callers.hit(")),
                         int(truth))
        stacks = report["confidence"]["java_stacks"]
        self.assertEqual(stacks["diverged"], 0)
        self.assertGreater(stacks["verified"], 5000)
        self.assertEqual(self.mismatches(), 0)
        self.composed()
        callers = self.called_by()
        self.assertEqual(set(callers), {
            f"com.acme.Stacks{name}" for name in (
                ".deep(int)", ".overflow(int)", ".inner(int)",
                "$Initialised.<clinit>()")})
        self.assertEqual(sum(callers.values()), int(truth))

    @needs("javac")
    def test_stacks_hard_to_walk_have_callers_on_17(self):
        self.check_hard()
        self.check_hard("-Xint")

    @needs("javac")
    @slow
    def test_stacks_hard_to_walk_have_callers_on_25(self):
        self.version = 25
        self.check_hard()
        self.check_hard("-Xint")

    @needs("javac")
    def test_too_many_java_stacks_are_reported(self):
        if not HOMES[17]:
            self.skipTest("no JDK 17 here, of which the compiler is")
        done = self.record(
            self.java("-cp", self.compiled(), "com.acme.Stacks",
                      clewtest.target("callers.so"), "many"))
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (0, b"100000 calls\n", b""))
        tree = self.clew_json("tree", "--json", self.recording_path)
        self.assertEqual(len(tree["problems"]), 1)
        self.assertIn("there are too many different Java stacks", tree["problems"][0])
        self.assertEqual(self.mismatches(), 0)
        names = [function["name"] for function in tree["functions"]]
        called = collections.Counter()
        for node in tree["contexts"]:
            if node["calls"] and NATIVES.match(names[node["function"]]):
                above = tree["contexts"][node["parent"] - 1]
                called[names[above["function"]]] += node["calls"]
        self.assertEqual(sum(called.values()), 100000)
        self.assertEqual(set(called) - {"com.acme.Stacks.even(int, int)",
                                        "com.acme.Stacks.odd(int, int)"}, set())


if __name__ == "__main__":
    clewtest.main()
