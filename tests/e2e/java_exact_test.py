#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Exact counts of Java methods equal the programs' own counts."""
import collections
import json
import re

from lib import clewtest
from lib.clewtest import needs, slow
from lib.java import HOMES, TARGETS, VERIFY, ExactCase


class Contexts(ExactCase):
    def program(self, word, count, *options):
        return self.java(*VERIFY, *options, "-cp", self.compile_source(),
                         "com.acme.Exact", word, str(count))

    def check(self, *options, word="threads", count=40, record=(),
              java="exact:com.acme.Exact*,com.acme.Calls*"):
        said = self.record_exactly(self.program(word, count, *options),
                                   f"--java={java}", *record)
        self.assertNotIn("WARNING", said)
        truth = {path: int(calls) for calls, path in
                 re.findall(r"(?m)^(\d+) (.*)$", said)}
        self.assertGreater(len(truth), 10)
        wanted = {name for path in truth for name in path.split(";")}
        found = self.counted(wanted)
        self.assertEqual({path: (calls, truth.get(path))
                          for path, calls in found.items()
                          if truth.get(path) != calls}, {})
        self.assertEqual(set(truth) - set(found), set())
        return self.confidence()

    def check_version(self, version, *options):
        self.version = version
        self.assertGreater(self.check(*options), 16)

    @needs("javac")
    def test_each_java_context_has_its_calls(self):
        for version in 17, 25:
            self.check_version(version)

    @needs("javac")
    def test_interpreted_methods_count_exactly(self):
        for version in 17, 25:
            self.check_version(version, "-Xint")

    @needs("javac")
    @slow
    def test_methods_of_the_first_compiler_count_exactly(self):
        for version in 17, 25:
            self.check_version(version, "-XX:TieredStopAtLevel=1", "-Xcomp")

    @needs("javac")
    def test_methods_of_the_second_compiler_count_exactly(self):
        for version in 17, 25:
            self.check_version(version, "-XX:-TieredCompilation")

    @needs("javac")
    @slow
    def test_counts_are_right_with_each_collector(self):
        for version in 17, 25:
            for collector in "Serial", "Parallel", "G1", "Z":
                with self.subTest(collector, version=version):
                    self.check_version(version, f"-XX:+Use{collector}GC")

    @needs("javac")
    def test_virtual_threads_are_counted(self):
        self.version = 25
        self.check(word="virtual", count=300)
        self.check_natives()
        self.check("-Xint", word="virtual", count=30)
        self.check_natives()

    @needs("javac")
    def test_methods_count_beside_hooks_of_the_jvm(self):
        """Stubs of hooked JVM functions restore the context id after virtual
        threads have exchanged it, and after the tracker has stored it through a
        native of the JVM."""
        hooks = ["-m", "libjvm.so"]
        self.version = 25
        self.check(word="virtual", count=15, record=hooks)
        self.check_natives()
        self.check("-Xint", word="virtual", count=5, record=hooks)
        self.check_natives()

    @needs("javac")
    @slow
    def test_threads_count_beside_hooks_of_the_jvm(self):
        """Threads also reach the end of their stacks, which are small.

        Each method needs a context at each depth in each thread. There is no
        room for all contexts of 2 MiB stacks.
        """
        hooks = ["-m", "libjvm.so", "--time=none"]
        for version in 17, 25:
            self.version = version
            self.check(word="shallow", count=5, record=hooks)
        self.check("-Xint", word="shallow", count=2, record=hooks)

    def check_natives(self):
        """Asserts that no method counts below a native, since these natives
        call no Java."""
        tree = self.tree()
        names = [function["name"] for function in tree["functions"]]
        waits = 0
        for node in tree["contexts"]:
            name = names[node["function"]]
            caller = (names[tree["contexts"][node["parent"] - 1]["function"]]
                      if node["parent"] else "")
            if name.startswith("com.acme."):
                self.assertNotIn("java.lang.Object.wait0", caller)
            elif (name.startswith("java.lang.Object.wait0") and
                  caller.startswith("com.acme.Exact.waits(")):
                waits += node["calls"]
        self.assertGreater(waits, 10)

    @needs("javac")
    @slow
    def test_calls_agree_with_frequent_verification(self):
        for version in 17, 25:
            self.version = version
            self.assertGreater(
                self.check(count=3, record=["--verify-period=200"]), 200)

    @needs("javac")
    @slow
    def test_methods_count_without_time(self):
        self.check("-Xcheck:jni", record=["--time=none"])


class Overflows(ExactCase):
    def check(self, way, *options):
        said = self.record_exactly(
            self.java(*VERIFY, *options, "-cp", self.work / "overflows",
                      "com.acme.Overflows"), f"--java={way}").splitlines()
        self.assertEqual(said[:20], 4 * [f"{i}: 0 falsefalse"
                                         for i in range(5)])
        if way == "standby":
            return
        calls = self.calls("--java", "--top=0")
        self.assertEqual(
            said[20:], [f"entered {calls[f'com.acme.Overflows.{name}(int)']}"
                        for name in ("locked", "finallies", "catches",
                                     "nested", "guarded")])
        self.confidence()

    @needs("javac")
    def test_handlers_of_a_stack_overflow_run_once(self):
        """Tests the handlers of synchronized methods also. javac's handler lies
        within its own range, and would run again without end if the tracker's
        call threw."""
        self.compile("overflows", TARGETS / "Overflows.java")
        for self.version in 17, 25:
            for way in "exact", "standby":
                for options in (), ("-Xint",):
                    with self.subTest(way, options=options,
                                      version=self.version):
                        self.check(way, *options)


class Compiler(ExactCase):
    def check(self, version, methods, least):
        """Checks that javac writes identical classes, and that its stacks equal
        the JVM's."""
        self.version = version
        javac = self.home() / "bin" / "javac"
        if not javac.exists():
            self.skipTest("no compiler of that version here")
        sources = [TARGETS / f"{name}.java" for name in ("Counted", "Counts")]
        written = []
        for folder in "native", "recorded":
            argv = [javac, *(f"-J{option}" for option in VERIFY), "-d",
                    self.work / folder, *sources]
            if folder == "native":
                self.assertEqual(self.run_program(argv).returncode, 0)
            else:
                self.record_exactly(argv, f"--java=exact{methods}",
                                    "--verify-period=5000")
            written.append({path.name: path.read_bytes() for path in
                            (self.work / folder).rglob("*.class")})
        self.assertGreater(len(written[0]), 10)
        self.assertEqual(*written)
        self.assertGreater(self.confidence(), 500)
        listed = self.clew_json("list", "--json", self.recording_path)
        self.assertGreater(listed["java_methods"]["counted"], least)
        return listed["java_methods"]

    @needs("javac")
    @slow
    def test_own_methods_of_javac_count_exactly(self):
        for version in 17, 25:
            methods = self.check(version, "", 5000)
            self.assertEqual(methods["left"], {})

    @needs("javac")
    @slow
    def test_all_methods_of_a_compiler_are_counted(self):
        for version in 17, 25:
            self.check(version, ":*", 10000)


class Methods(ExactCase):
    @needs("javac")
    def test_each_java_method_has_its_calls(self):
        for version in 17, 25:
            for options in (), ("-Xint",), ("-Xcomp",):
                with self.subTest(options, version=version):
                    self.check(version, *options)

    def check(self, version, *options):
        self.version = version
        if not (self.work / "classes").exists():
            self.compile("classes", *(TARGETS / f"{name}.java"
                                      for name in ("Counted", "Counts")))
        said = self.record_exactly(
            self.java(*VERIFY, *options, "-cp", self.work / "classes",
                      "com.acme.Counts"), "--java=exact")
        own = {name: int(calls) for name, calls in
               re.findall(r"(?m)^own (\S+) (\d+)$", said)}
        self.assertGreater(len(own), 30)
        calls = collections.Counter()
        tree = self.tree()
        for node in tree["contexts"]:
            name = tree["functions"][node["function"]]["name"]
            if not name.startswith("com.acme."):
                continue
            owner, method = name.partition("(")[0].removeprefix(
                "com.acme.").rsplit(".", 1)
            calls[owner.replace("$", ".") + "." +
                  re.sub(r"^lambda\$.*", "lambda$", method)] += node["calls"]
        self.assertEqual({name: calls[name] for name in own}, own)
        self.confidence()
        rows = self.clew_json("report", "--json", "--java", "--top=0",
                              self.recording_path)["functions"]
        self.assertEqual(
            sum(row["calls"] for row in rows
                if row["name"].startswith("com.acme.")), sum(calls.values()))
        self.assertTrue(all("(" in row["name"] for row in rows))


class Listed(ExactCase):
    """`clew list` prints for each method how it is counted, or why not."""
    PATTERNS = "com.acme.*,java.lang.Thread.run,!com.acme.Calls.fib,!com.acme.In"

    def listed(self, way):
        """Returns {method: method of counting or reason} and the whole list."""
        self.record_exactly(
            self.java("-cp", self.compile_source(), "com.acme.Exact",
                      "threads", "1"), f"--java={way}:{self.PATTERNS}",
            "--java-min-size=8")
        whole = self.clew_json("list", "-a", "--json",
                               self.recording_path)["java_methods"]
        methods = {}
        for method in whole["methods"]:
            self.assertEqual(method["counted"], "way" in method)
            methods[method["name"].removeprefix("com.acme.")] = \
                method.get("way", method.get("reason"))
        return methods, whole

    @needs("javac")
    def test_list_shows_the_state_of_each_method(self):
        for way in "exact", "standby":
            methods, whole = self.listed(way)
            self.assertEqual(methods["Calls.leaf()"], way)
            self.assertEqual(methods["Calls.fib(int)"],
                             "not selected by --java")
            self.assertEqual(methods["In.*"], "not selected by --java")
            self.assertEqual(methods["java.lang.Thread.*"],
                             "clew or the JVM needs the class unchanged")
            self.assertEqual(methods["Exact.<init>()"],
                             "smaller than --java-min-size")
            ways = collections.Counter(methods.values())
            self.assertEqual(whole["counted"], ways[way])
            self.assertEqual(whole["standing_by"],
                             ways[way] if way == "standby" else 0)
            self.assertEqual(sum(whole["left"].values()),
                             len(methods) - ways[way])
            shown = self.clew("list", "-a", self.recording_path).stdout
            for line in (f"com.acme.Calls.leaf(): counted ({way})",
                         "com.acme.Calls.fib(int): not counted, not selected by "
                         "--java"):
                self.assertIn(f"java  {line}\n", shown)
            self.assertIn({
                "exact": f"Java: each call of {ways[way]} methods is counted",
                "standby": f"Java: calls of {ways[way]} methods are counted "
                           "while clew attach is attached (standby)"}[way], shown)
            refused = self.clew("list", "-v", self.recording_path).stdout
            self.assertIn("com.acme.Calls.fib(int): not counted", refused)
            self.assertNotIn("leaf()", refused)


class Loaders(ExactCase):
    def check(self, way):
        said = self.record_exactly(
            self.java(*VERIFY, "-cp", self.work / "loaders",
                      "com.acme.Loaders"), f"--java={way}")
        worked, asked = re.findall(r"(?m)^\w+ (\d+)$", said)
        self.assertEqual(worked, "3")
        listed = self.clew_json("list", "-a", "--json",
                                self.recording_path)["java_methods"]
        methods = {method["name"].removeprefix("com.acme.Loaders$"): method
                   for method in listed["methods"]}
        self.assertEqual(methods["Stranger.run()"]["reason"],
                         "its class loader does not find clew's class")
        self.assertTrue(methods["Guest.run()"]["counted"])
        self.assertEqual(listed["left"]["loader"], 2)
        if way == "standby":
            return
        calls = self.calls("--java", "--top=0")
        self.assertEqual(
            {name: calls[f"com.acme.Loaders${name}"] for name in (
                "Own.loadClass(String, boolean)", "Guest.run()",
                "Guest.work(int)")},
            {"Own.loadClass(String, boolean)": int(asked),
             "Guest.run()": 3 + 3, "Guest.work(int)": 6 * 100})
        self.confidence()

    @needs("javac")
    def test_classes_of_isolated_loaders_stay_unchanged(self):
        """clew does not change the classes of isolated loaders. The loaders'
        own methods are called and count."""
        self.compile("loaders", TARGETS / "Loaders.java")
        for self.version in 17, 25:
            for way in "exact", "standby":
                with self.subTest(way, version=self.version):
                    self.check(way)


class Refused(ExactCase):
    CALLS = 1598  # of 5 bytes each: the changed code would be too large

    def check(self, way):
        self.record_exactly(
            self.java(*VERIFY, "-cp", self.work / "large", "com.acme.Large"),
            f"--java={way}", "--verify-period=500")
        listed = self.clew_json("list", "-a", "--json",
                                self.recording_path)["java_methods"]
        methods = {method["name"]: method for method in listed["methods"]}
        self.assertEqual(listed["left"], {"large": 1})
        self.assertEqual(listed["counted"], 3)
        self.assertFalse(methods["com.acme.Large.large(int)"]["counted"])
        self.assertTrue(methods["com.acme.Large.leaf(int)"]["counted"])
        if way == "standby":
            return
        self.assertEqual(self.calls("--java", "--top=0")[
            "com.acme.Large.leaf(int)"], 100 * self.CALLS)
        self.assertGreater(self.confidence(), 100)

    @needs("javac")
    def test_refused_method_on_the_stack_is_not_missing(self):
        """Verified contexts omit the method, and it is not listed as
        counted."""
        source = self.work / "Large.java"
        source.write_text(f"""
            package com.acme;
            class Large {{
                static int leaf(int x) {{ return x + 1; }}
                static int large(int x) {{
                    {"x = leaf(x);" * self.CALLS}
                    return x;
                }}
                public static void main(String[] argv) {{
                    for (int i = 0; i < 100; i++)
                        large(i);
                }}
            }}""")
        self.compile("large", source)
        for self.version in 17, 25:
            for way in "exact", "standby":
                with self.subTest(way, version=self.version):
                    self.check(way)


class Classes(ExactCase):
    @needs("javac")
    def test_unloaded_and_hidden_classes_count_correctly(self):
        """Methods with equal names count as one; methods of hidden classes do
        not count."""
        self.compile("unloads", TARGETS / "Unloads.java")
        for self.version in 17, 25:
            for way in "exact", "standby":
                said = self.record_exactly(
                    self.java(*VERIFY, "-cp", self.work / "unloads",
                              "com.acme.Unloads", "20"), f"--java={way}")
                told = {name: int(calls) for name, calls in
                        re.findall(r"(?m)^(\S+) (\d+)$", said)}
                self.assertGreater(len(told), 4)
                if way == "standby":
                    told = dict.fromkeys(told, 0)
                else:
                    self.assertEqual([function["name"] for function in
                                      self.tree()["functions"]
                                      if re.search("Unloads.Unnamed",
                                                   function["name"])], [])
                calls = collections.Counter()
                tree = self.tree()
                for node in tree["contexts"]:
                    name = tree["functions"][node["function"]]["name"]
                    calls[name.removeprefix("com.acme.Unloads")[1:]
                          .partition("(")[0]] += node["calls"]
                self.assertEqual({name: calls[name] for name in told}, told)
                listed = self.clew_json("list", "--json",
                                        self.recording_path)["java_methods"]
                self.assertLess(listed["counted"], 20)


class Timed(ExactCase):
    """The Flight Recorder times methods by changing their classes after clew
    has."""

    def timed(self, wrapper=()):
        """Returns ({method: calls}, {method: calls by the Flight Recorder})."""
        flights = self.work / "flights.jfr"
        argv = [self.home() / "bin" / "java", "-Xlog:jfr*=off", "-Xlog:disable",
                f"-XX:StartFlightRecording:method-timing=Timed,filename={flights}",
                "-cp", self.work, "Timed", "9000"]
        done = self.record(argv, wrapper) if wrapper else self.run_program(argv)
        self.assertEqual(done.returncode, 0, done.stderr)
        shown = self.run_program([self.home() / "bin" / "jfr", "print", "--json",
                                  "--events", "jdk.MethodTiming", flights])
        events = json.loads(shown.stdout)["recording"]["events"]
        by_recorder = {event["values"]["method"]["name"]:
                       event["values"]["invocations"] for event in events}
        truth = {name: int(calls) for calls, name in
                 re.findall(r"(?m)^(\d+) (\w+)$", done.stdout.decode())}
        self.assertEqual(len(truth), 3)
        return truth, {name: by_recorder[name] for name in truth}

    @needs("javac")
    def test_exceptions_are_counted_once(self):
        self.version = 25
        if not HOMES[25]:
            self.skipTest("no JDK 25 here")
        done = self.run_program([self.home() / "bin" / "javac", "-d", self.work,
                                 TARGETS / "Timed.java"])
        self.assertEqual(done.returncode, 0, done.stderr)
        truth, natively = self.timed()
        for option in "exact", "standby":
            with self.subTest(option):
                found, by_recorder = self.timed(
                    [f"--java={option}:Timed", "--verify-period=7"])
                self.assertEqual(found, truth)
                self.assertEqual(by_recorder, natively)
                if option == "exact":
                    self.assertEqual(self.calls_of(truth), truth)
                    self.assertGreater(self.confidence(), 1000)

    def calls_of(self, names):
        report = self.clew_json("report", "--json", "--top=0",
                                self.recording_path)
        return {name: sum(row["calls"] for row in report["functions"]
                          if row["name"].startswith(f"Timed.{name}("))
                for name in names}


class Archives(Contexts):
    """A JVM of JDK 25 with an AOT cache loads its classes early."""
    def setUp(self):
        super().setUp()
        self.version = 25
        self.jar = self.work / "exact.jar"
        self.cache = self.work / "exact.aot"
        self.run_tool("jar", "-c", "-f", self.jar, "-C",
                      self.compile_source(), ".")

    def program(self, word, count, *options):
        return self.java(*options, "-cp", self.jar, "com.acme.Exact", word,
                         str(count))

    def make_cache(self):
        done = self.run_program(self.program(
            "threads", 1, f"-XX:AOTCacheOutput={self.cache}"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(self.cache.exists(), done.stdout)

    @needs("javac")
    def test_classes_of_an_aot_cache_are_counted(self):
        self.make_cache()
        self.assertGreater(self.check(f"-XX:AOTCache={self.cache}",
                                      "-XX:AOTMode=on", java="exact"), 16)

    @needs("javac")
    def test_patterns_work_wherever_the_aot_cache_is_named(self):
        self.make_cache()
        option = f"-XX:AOTCache={self.cache}"
        file = self.work / "options"
        file.write_text(option + "\n")
        self.assertGreater(self.check(option), 16)
        self.assertGreater(self.check(f"-XX:VMOptionsFile={file}"), 16)
        self.environment["JAVA_TOOL_OPTIONS"] = option
        recorded = self.record(self.program("threads", 40),
                               ["--java=exact:com.acme.Exact*"])
        self.assertEqual(recorded.returncode, 0, recorded.stderr)
        methods = self.clew_json("list", "-a", "--json",
                                 self.recording_path)["java_methods"]
        self.assertGreater(methods["counted"], 10)

    @needs("javac")
    def test_an_aot_cache_is_written_beside_patterns(self):
        recorded = self.record(
            self.program("threads", 1, f"-XX:AOTCacheOutput={self.cache}"),
            ["--java=exact:com.acme.Exact*"])
        self.assertEqual(recorded.returncode, 0, recorded.stderr)
        self.assertTrue(self.cache.exists())

    @needs("javac")
    def test_an_archive_in_java_tool_options_is_written(self):
        self.version = 17
        archive = self.work / "exact.jsa"
        self.environment["JAVA_TOOL_OPTIONS"] = (
            f"-XX:ArchiveClassesAtExit={archive}")
        recorded = self.record(self.program("threads", 1))
        self.assertEqual(recorded.returncode, 0, recorded.stderr)
        self.assertTrue(archive.exists())


if __name__ == "__main__":
    clewtest.main()
