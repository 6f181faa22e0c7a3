#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The calls of JNI functions by natives equal the natives' own counts, and the
report has notes on them."""
import collections
import re

from lib import clewtest
from lib.attached import Attached
from lib.clewtest import kill_with_guardian, needs, slow
from lib.java import HOMES, JavaCase

SOURCE = clewtest.ROOT / "tests" / "targets" / "Envs.java"
ROUNDS = 300
THREADS = 3
ENV = "JNIEnv::"
NATIVE = re.compile(r"com\.acme\.Envs\.(\w+)\(")
LABEL = re.compile(rf"{ENV}(\w+) <- com\.acme\.Envs\.(\w+)\(")


class EnvCase(JavaCase):
    def compiled(self):
        classes = self.work / "envs"
        if not classes.exists():
            done = self.run_program([HOMES[17] / "bin" / "javac", "--release",
                                     "17", "-d", classes, SOURCE])
            self.assertEqual(done.returncode, 0, done.stderr)
        return classes

    def program(self, *options, flavour="O2", rounds=ROUNDS):
        if self.version > 17:
            options += ("--enable-native-access=ALL-UNNAMED",)
        return self.java(*options, "-cp", self.compiled(), "com.acme.Envs",
                         clewtest.target("envs.so", flavour), str(rounds))

    def report(self):
        return self.clew_json("report", "--jni-env", "--json",
                              self.recording_path)

    def check(self, *options, record=(), **more):
        """Records a program, and compares how often each native called each
        function."""
        argv = self.program(*options, **more)
        native = self.run_program(argv)
        recorded = self.record(argv, ("--jni-env", *record))
        self.assert_same_behaviour(native, recorded)
        return self.check_counts_of(self.counted(recorded.stdout.decode()))

    def counted(self, output):
        """Returns {(function, native): calls} as the natives count them."""
        return {(function, caller): int(calls) for calls, function, caller in
                re.findall(r"(?m)^(\d+) (\w+) <- (\w+)$", output)}

    def check_counts_of(self, truth):
        report = self.report()
        self.assertEqual([problem for problem in report["problems"]
                          if "appear at the top" not in problem], [])
        found = {LABEL.match(row["name"]).groups(): row["calls"]
                 for row in report["functions"] if LABEL.match(row["name"])}
        # Functions that the program does not count are those that return member
        # IDs.
        self.assertEqual({pair: calls for pair, calls in found.items()
                          if pair[0][-2:] != "ID" or pair[1] == "lookups"},
                         {pair: calls for pair, calls in truth.items()
                          if pair[1] not in ("ints", "list", "attached") or
                          pair[0] == "GetJavaVM"})
        self.assertGreater(len(found), 50)
        return report

    def notes(self, report, what):
        """Returns {(function, native): note, or {name: calls} of the looked-up
        members}."""
        found = collections.defaultdict(dict)
        for note in report["jni_env"]["notes"]:
            native = NATIVE.match((note["native"] or {"name": ""})["name"])
            if note["what"] != what or (
                    not native and note["function"]["name"] !=
                    ENV + "NewStringUTF"):
                continue
            key = (note["function"]["name"].removeprefix(ENV),
                   native[1] if native else None)
            if what == "lookup":
                found[key][note["name"]] = note["count"]
            else:
                self.assertNotIn(key, found)
                found[key] = {name: note[name] for name in
                              ("count", "bytes", "most_bytes", "ns", "most_ns",
                               "most", "deleted") if name in note}
        return dict(found)

    def check_notes(self, report):
        calls = THREADS * ROUNDS
        lookups = self.notes(report, "lookup")
        self.assertEqual(
            {pair[0]: names for pair, names in lookups.items()
             if pair[1] == "lookups"},
            {"FindClass": {"java/lang/String": calls},
             "GetMethodID": {"length()I": calls, "isEmpty()Z": calls // 2,
                             "isBlank()Z": calls // 2},
             "GetStaticMethodID": {"valueOf(I)Ljava/lang/String;": calls},
             "GetFieldID": {"anInt I": calls},
             "GetStaticFieldID": {"aStatic D": calls}})
        self.assertEqual(lookups["FindClass", "missing"],
                         {"no/such/Class": THREADS})
        self.assertEqual(
            self.notes(report, "copy"),
            {(function, "copies"): {"count": calls, "bytes": each * calls,
                                    "most_bytes": each}
             for function, each in (
                 ("GetByteArrayElements", 1000), ("GetIntArrayElements", 8000),
                 ("GetStringUTFChars", 13), ("GetStringChars", 22),
                 ("GetDoubleArrayRegion", 16), ("SetDoubleArrayRegion", 16))})
        self.assertEqual(
            self.notes(report, "globals"),
            {("NewGlobalRef", "keep"): {"count": calls,
                                        "deleted": calls // 4},
             ("NewWeakGlobalRef", "keep"): {"count": calls,
                                            "deleted": calls}})
        self.assertEqual(
            self.notes(report, "locals"),
            {("NewStringUTF", "locals"): {"count": THREADS, "most": 40},
             ("NewStringUTF", None): {"count": THREADS, "most": 30}})
        # Threads may have waited for a CPU.
        section = self.notes(report, "critical")[
            "GetPrimitiveArrayCritical", "sections"]
        self.assertGreaterEqual(section["count"], 2 * THREADS)
        self.assertGreaterEqual(section["ns"], 2 * THREADS * 3_000_000)
        self.assertGreaterEqual(section["most_ns"], 3_000_000)

    def check_bytes(self):
        """Checks the bytes that each native copied, by its Java caller."""
        copied = THREADS * ROUNDS * (1000 + 8000 + 13 + 22 + 16 + 16)
        rows = self.clew_json("report", "--json", "--jni", "--top=0",
                              self.recording_path)["functions"]
        found = {row["name"]: row.get("copied_bytes") for row in rows
                 if row["name"].startswith("com.acme.")}
        name = ("com.acme.Envs.copies(byte[], int[], double[], String, int) "
                "<- com.acme.Envs.work(int)")
        self.assertEqual(found[name], copied)
        self.assertIsNone(found["com.acme.Envs.missing() <- "
                                "com.acme.Envs.work(int)"])
        for options in ((), ("--metric=calls",)):
            self.assertRegex(
                self.clew("report", "--jni", "--top=0", "--full-names", *options,
                          self.recording_path).stdout,
                rf"(?s)bytes copied native method .* {copied:,} "
                + re.escape(name))


class JniEnv(EnvCase):
    def check_version(self, version):
        self.version = version
        self.check_notes(self.check())
        self.check_bytes()
        for flavour, options in (("O0", ("-Xint",)),
                                 ("O2", ("-Xcomp", "-XX:TieredStopAtLevel=1")),
                                 ("O2", ("-XX:+UseZGC",)),
                                 ("O2", ("-XX:-UseFastJNIAccessors",))):
            with self.subTest(options=options):
                self.check_notes(self.check(*options, flavour=flavour))

    @needs("javac")
    def test_jni_calls_have_counts_and_notes_on_17(self):
        self.check_version(17)

    @needs("javac")
    @slow
    def test_jni_calls_have_counts_and_notes_on_25(self):
        self.check_version(25)

    @needs("javac")
    def test_jni_calls_have_counts_and_notes_with_checked_jni(self):
        argv = self.program("-Xcheck:jni")
        recorded = self.record(argv, ("--jni-env",))
        self.assertEqual(recorded.returncode, 0)
        found = {LABEL.match(row["name"]).groups(): row["calls"]
                 for row in self.report()["functions"]
                 if LABEL.match(row["name"])}
        self.assertEqual(found["GetByteField", "fields"], THREADS * ROUNDS)
        self.assertEqual(found["CallIntMethod", "upcalls"], THREADS * ROUNDS)

    @needs("javac")
    def test_jni_calls_have_exact_times(self):
        """A JNI function has a time of its own, which includes the Java code
        that it calls."""
        report = self.check(record=("--time=exact",))
        self.check_notes(report)
        rows = {row["name"]: row for row in report["functions"]}
        for name, row in rows.items():
            if name.startswith(f"{ENV}Call"):
                self.assertGreater(row["total_ns"], 0, name)
                self.assertGreater(row["timed"]["max_ns"], 0, name)

    @needs("javac")
    def test_report_names_the_jni_calls_to_change(self):
        self.record(self.program(rounds=2000), ("--jni-env",))
        shown = self.clew("report", "--jni-env", self.recording_path)
        advice = shown.stdout.split("What to change:\n")[1]
        for sentence in (
                r"JNIEnv::GetMethodID was called 12,000 times for 3 names \("
                r"length\(\)I, is\w+\(\)Z, is\w+\(\)Z\) by "
                r"com.acme.Envs.lookups\(int\) <- com.acme.Envs.work\(int\): "
                r"look up each name once",
                r"JNIEnv::GetIntArrayElements copied 48.0 MB in 6,000 calls "
                r"\(up to 8000 bytes at once\) for .*, below "
                r"com.acme.Envs.copies\(",
                r"com.acme.Envs.sections\(.* held a critical section .* for "
                r"over 1 ms",
                r"3 calls of com.acme.Envs.locals\(.* exceeded the ensured "
                r"number of local references, with up to 40, created by "
                r"JNIEnv::NewStringUTF",
                r"4,500 of the 6,000 references that JNIEnv::NewGlobalRef created "
                r"for com.acme.Envs.keep\(.* were never deleted"):
            self.assertRegex(advice, "(?m)^- " + sentence)
        self.assertNotRegex(advice, "Region copied|NewWeakGlobalRef|- java")
        one = self.clew("report", "--jni-env", "-f", "keep",
                        self.recording_path)
        self.assertEqual(
            len(re.findall("(?m)^- ", one.stdout)), 1)

    @needs("javac")
    def test_unrequested_jni_calls_are_explained(self):
        self.record(self.program(rounds=10))
        shown = self.clew("report", "--jni-env", self.recording_path)
        self.assertEqual((shown.returncode, shown.stdout), (1, ""))
        self.assertRegex(shown.stderr,
                         r"\Aclew report: --by=jni-env: .*--jni-env\n\Z")
        refused = self.clew("record", "--jni-env", "--java=off", "--", "true")
        self.assertNotEqual(refused.returncode, 0)
        self.assertRegex(refused.stderr, "--jni-env")


class AttachedEnv(EnvCase, Attached):
    def start_envs(self, *options, flavour="O2"):
        self.start_to_talk(*self.program(*options, flavour=flavour), "again")
        self.made = collections.Counter()
        self.read()

    def read(self):
        """Returns the calls since the last read()."""
        lines = list(iter(self.process.stdout.readline, "ready\n"))
        before, self.made = self.made, collections.Counter(
            self.counted("".join(lines)))
        return self.made - before

    def ask(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return self.read()

    def session(self, *options):
        controller = self.attach(self.process, *options)
        made = self.ask()
        self.detach(controller)
        self.assert_as_before(self.process)
        return made

    def is_recorded_exactly(self, *options):
        made = self.session("--jni-env", *options)
        self.check_notes(self.check_counts_of(made))
        self.check_bytes()

    def ends(self):
        self.process.stdin.close()
        self.assertEqual(self.process.wait(), 0)
        self.said.seek(0)
        self.assertEqual(self.said.read(), b"")

    def check_sessions(self, version):
        self.version = version
        for flavour, options in (("O2", ()), ("O0", ("-Xint",)),
                                 ("O2", ("-XX:-UseFastJNIAccessors",))):
            with self.subTest(options=options):
                self.start_envs(*options, flavour=flavour)
                for recorded in ((), ("--time=none",), ("--time=exact",)):
                    self.ask()
                    self.is_recorded_exactly(*recorded)
                    self.session(*recorded)
                    shown = self.clew("report", "--jni-env",
                                      self.recording_path)
                    self.assertIn("--jni-env", shown.stderr)
                self.ends()

    @needs("javac")
    def test_an_attached_jvm_has_counts_and_notes_on_17(self):
        self.check_sessions(17)

    @needs("javac")
    @slow
    def test_an_attached_jvm_has_counts_and_notes_on_25(self):
        self.check_sessions(25)

    @needs("javac")
    def test_the_function_table_is_restored(self):
        """Calls after a session reach the JVM's functions, also if the
        controller was killed."""
        self.start_envs()
        kill_with_guardian(self.attach(self.process, "--jni-env"))
        self.ask()
        done = self.clew("detach", self.process.pid)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_as_before(self.process)
        self.check_counts_of(self.made)
        self.ask()
        self.is_recorded_exactly()
        self.ends()


if __name__ == "__main__":
    clewtest.main()
