# SPDX-License-Identifier: MIT
"""Starts, compiles, attaches to and verifies the Java programs of
tests/targets/."""
import collections
import mmap
import os
import pathlib
import re
import resource
import shutil
import struct
import sys

from lib import clewtest
from lib.attached import PATIENCE_S, Attached
from lib.clewtest import until

SOURCES = [clewtest.ROOT / "tests" / "targets" / f"{name}.java"
           for name in ("Natives", "Spins")]
LIBRARY = clewtest.target("natives.so")
ROUNDS = "30000"


def find_home(version):
    """Returns the folder of a JDK with this version: $JAVA_HOME_N, or one in
    /usr/lib/jvm."""
    homes = [pathlib.Path(os.environ.get(f"JAVA_HOME_{version}", "/nowhere")),
             *sorted(pathlib.Path("/usr/lib/jvm").glob("*"))]
    for home in homes:
        release = home / "release"  # Debian's JDK 8 has none
        text = release.read_text(errors="replace") if release.exists() else \
            f'JAVA_VERSION="{home.name.removeprefix("java-")}"'
        if (home / "bin" / "java").exists() and re.search(
                rf'(?m)^JAVA_VERSION="(1\.)?{version}\b', text):
            return home
    return None


# The JDKs with which all tests run, and those with which e2e/java_versions runs.
HOMES = {version: find_home(version) for version in (17, 25)}
OTHERS = {version: find_home(version) for version in (8, 11, 21)}
ALL = OTHERS | HOMES


class JavaCase(clewtest.Case):
    def setUp(self):
        super().setUp()
        if not os.path.exists(LIBRARY):
            self.skipTest("built without the headers of a JDK")
        self.version = 17

    def home(self):
        if not ALL[self.version]:
            self.skipTest(f"no JDK {self.version} here (JAVA_HOME_"
                          f"{self.version}, /usr/lib/jvm)")
        return ALL[self.version]

    def java(self, *arguments):
        return [self.home() / "bin" / "java", "-Xmx256m", *arguments]

    def compiled(self, name, *sources):
        """Compiles sources for JDK 17, or for the present one if it is older;
        returns the folder of class files."""
        release = min(self.version, 17)
        classes = self.work / f"{name}{release}"
        if not classes.exists():
            compiler = HOMES[17] or HOMES[25] or ALL[21]
            if not compiler or not (compiler / "bin" / "javac").exists():
                self.skipTest("no javac here")
            done = self.run_program([compiler / "bin" / "javac", "--release",
                                     release, "-d", classes, *sources])
            self.assertEqual(done.returncode, 0, done.stderr)
        return classes

    def classes(self):
        return self.compiled("classes", *SOURCES)

    def natives(self, *options, rounds=ROUNDS, end=(), flavour="O2"):
        """Returns a command that runs Natives.java."""
        return self.java(*options, "-cp", self.classes(), "com.acme.Natives",
                         clewtest.target("natives.so", flavour), rounds, *end)

    def calls(self, *arguments):
        """Returns {name: calls} of the functions in the report."""
        shown = self.clew_json("report", "--json", *arguments,
                               self.recording_path)
        self.assertEqual(shown["problems"], [])
        calls = {}
        for function in shown["functions"]:
            calls[function["name"]] = (calls.get(function["name"], 0) +
                                       function["calls"])
        return calls

    def composed(self):
        """Returns figures on composed Java stacks; asserts that none of them
        was wrong."""
        shown = self.clew_json("report", "--json", self.recording_path)
        stacks = shown["confidence"]["java_stacks_asked"]
        self.assertEqual(stacks["mismatched"], 0)
        self.assertLessEqual(stacks["composed"], stacks["count"])
        return stacks

    def check_counts(self, stdout):
        truth = {name: int(calls) for calls, name in
                 re.findall(r"(?m)^(\d+) (com\..*)$", stdout.decode())}
        self.assertEqual(len(truth), 11)
        calls = self.calls()
        self.assertEqual({name: calls.get(name) for name in truth}, truth)
        return truth

    def check_natives(self, *options, record=(), **more):
        argv = self.natives(*options, **more)
        native = self.run_program(argv)
        recorded = self.record(argv, record)
        self.assert_same_behaviour(native, recorded)
        self.check_counts(recorded.stdout)


TARGETS = clewtest.ROOT / "tests" / "targets"


class CompiledCase(JavaCase):
    def run_tool(self, name, *arguments):
        tool = HOMES[17] / "bin" / name
        done = self.run_program([tool, *arguments])
        self.assertEqual(done.returncode, 0, done.stderr)

    def compile(self, folder, *sources, options=()):
        if not HOMES[17]:
            self.skipTest("no JDK 17 here, of which the compiler is")
        self.run_tool("javac", "--release", "17", *options, "-d",
                      self.work / folder, *sources)


VERIFY = ["-XX:+UnlockDiagnosticVMOptions", "-XX:+BytecodeVerificationLocal",
          "-XX:+BytecodeVerificationRemote"]


class ExactCase(CompiledCase):
    source = "Exact"  # methods of this class and of Calls count themselves

    def compile_source(self):
        if not (self.work / self.source).exists():
            self.compile(self.source, *(
                TARGETS / f"{name}.java"
                for name in (self.source, "Calls", "In")))
        return self.work / self.source

    def in_source(self, name):
        """Returns a method's name in the source: "Base.<init>", "fib"."""
        return re.sub(rf"^com\.acme\.(?:{self.source}|Calls)[.$]", "",
                      name).partition("(")[0]

    def record_exactly(self, argv, *options):
        done = self.record(argv, ["--java-min-size=0", *options])
        self.assertEqual((done.returncode, done.stderr), (0, b""), done.stdout)
        return done.stdout.decode()

    def tree(self):
        tree = self.clew_json("tree", "--json", self.recording_path)
        self.assertEqual(tree["problems"], [])
        return tree

    def confidence(self):
        shown = self.clew_json("report", "--json", self.recording_path)
        self.assertEqual((shown["problems"], shown["folded"]), ([], {}))
        confidence = shown["confidence"]
        stacks = confidence["java_stacks"]
        for verdicts in confidence, confidence["contexts"], stacks:
            self.assertEqual((verdicts["diverged"], verdicts["collisions"]),
                             (0, 0))
        return stacks["verified"]

    def counted(self, wanted):
        """Returns {path: calls} of methods that count themselves.

        A context without calls may have samples taken while a virtual thread is
        mounted or unmounted: the code is the thread's, the context id is the
        carrier's.
        """
        tree = self.tree()
        names = [self.in_source(function["name"])
                 for function in tree["functions"]]
        paths, calls = [], collections.Counter()
        for node in tree["contexts"]:
            above = paths[node["parent"] - 1] if node["parent"] else ()
            name = names[node["function"]]
            path = above + ((name,) if name in wanted else ())
            paths.append(path)
            if name in wanted and (node["calls"] or not node["samples"]):
                calls[";".join(path)] += node["calls"]
        return calls


SOURCE = clewtest.ROOT / "tests" / "targets" / "Attached.java"
GO, LATE, END, TELL, BYTES, HELD, CALLS = 1, 2, 3, 4, 5, 8, 128
THREADS = 3

# Callers in the order of their numbers in Attached.java.
CALLERS = ["hot", "innermost", "recursion", "asRegistered", "upper", "back",
           "latest", "asks", "rests"]
OURS = re.compile(r"com\.acme\.Attached\.(hit|registered|up|late)\(")

CHAINS = {"innermost": ["innermost", "middle", "outer"],
          "back": ["back", "up", "upper"]}


def allow_cores():
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (most, most))


class JavaAttached(JavaCase, Attached):
    def start_java(self, *options, words=()):
        classes = self.compiled("attached", SOURCE)
        if self.version > 17:
            options += ("--enable-native-access=ALL-UNNAMED",)
        java = self.java(*options, "-cp", classes, "com.acme.Attached")
        self.said = (self.work / "said").open("w+b")
        self.addCleanup(self.said.close)
        self.process, self.memory = self.shared_java(
            [*java, self.work / "shared",
             clewtest.target("attached_java.so"), THREADS, *words])
        self.let_go()
        self.hold()

    def shared_java(self, argv):
        path = self.work / "shared"
        path.unlink(missing_ok=True)
        process = self.start(argv, stdout=self.said, stderr=self.said,
                             preexec_fn=allow_cores)
        self.assertTrue(until(lambda: path.exists() and path.stat().st_size))
        with path.open("r+b") as file:
            memory = mmap.mmap(file.fileno(), 0)
        self.addCleanup(memory.close)
        self.assertTrue(until(lambda: struct.unpack_from("<Q", memory)[0]))
        return process, memory

    def word(self, i):
        return struct.unpack_from("<Q", self.memory, 8 * i)[0]

    def set_word(self, i, value):
        struct.pack_into("<Q", self.memory, 8 * i, value)

    def counted(self):
        """Returns {caller: calls} as the natives count them."""
        return {caller: self.word(CALLS + i)
                for i, caller in enumerate(CALLERS)}

    def let_go(self):
        self.set_word(GO, 1)
        hot = self.counted()["hot"]
        self.assertTrue(until(lambda: self.counted()["hot"] > hot + 5000 or
                              self.process.poll() is not None))
        if self.process.poll() is not None:
            self.fail(self.end_of_java())

    def hold(self):
        self.set_word(GO, 0)
        self.assertTrue(until(lambda: all(
            self.word(HELD + i) for i in range(THREADS))))

    def output(self):
        self.said.seek(0)
        return self.said.read().decode()

    def end_of_java(self):
        """Describes how the JVM has ended: its status, output and crash log,
        and the stacks of its threads from a core file, the one of the thread
        that has caused the end first."""
        until(lambda: self.process.poll() is not None, 20)
        found = [str(self.process.poll()), self.output()]
        found += [path.read_text(errors="replace")[:4000]
                  for path in self.work.glob("hs_err*")]
        for core in self.work.glob("core*"):
            if shutil.which("gdb"):
                found.append(self.run_program(
                    ["gdb", "-batch", "-ex", "bt 40", "-ex",
                     "thread apply all bt 12", self.home() / "bin" / "java",
                     core], text=True).stdout[:40000])
        return "\n".join(found)

    def recorded(self):
        """Returns ({caller: calls}, {chain of callers: calls}) of the test's
        natives."""
        tree = self.clew_json("tree", "--json", self.recording_path)
        report = self.clew_json("report", "--json", self.recording_path)
        self.assertEqual([p for p in tree["problems"]
                          if "appear at the top" not in p], [])
        self.assertEqual(report["confidence"]["diverged"], 0)
        for kind in ("java_stacks", "java_stacks_asked"):
            stacks = report["confidence"].get(kind, {})
            self.assertFalse(stacks.get("diverged") or
                             stacks.get("mismatched"), stacks)
        names = [f["name"] for f in tree["functions"]]
        calls, chains = collections.Counter(), collections.Counter()
        for node in tree["contexts"]:
            if not node["calls"] or not OURS.match(names[node["function"]]):
                continue
            chain, above = [], node
            while above["parent"]:
                above = tree["contexts"][above["parent"] - 1]
                chain.append(re.sub(r"^com\.acme\.Attached\.|\(.*$", "",
                                    names[above["function"]]))
            calls[chain[0] if chain else None] += node["calls"]
            chains[tuple(chain)] += node["calls"]
        return calls, chains

    def attach(self, process, *options):
        """Attaches; a failure shows how the JVM has ended."""
        try:
            return super().attach(process, *options)
        except AssertionError as error:
            self.fail(f"{error} {self.end_of_java()}")

    def assert_quiet(self):
        self.assertEqual(self.output(), "")
        self.assert_as_before(self.process)

    def is_recorded_exactly(self, *options):
        self.hold()
        before = self.counted()
        controller = self.attach(self.process, *options)
        self.let_go()
        self.hold()
        self.detach(controller)
        after = self.counted()
        calls, chains = self.recorded()
        made = {caller: after[caller] - before[caller] for caller in after}
        self.assertEqual({c: calls[c] for c in made}, made)
        self.assertEqual(sum(calls.values()), sum(made.values()), calls)
        for caller in ("hot", "innermost", "back", "asRegistered"):
            chain = CHAINS.get(caller, [caller])
            found = sum(count for names, count in chains.items()
                        if list(names[:len(chain)]) == chain and
                        names[-1] == "java.lang.Thread.run")
            self.assertEqual(found, made[caller], chains)
        self.assert_quiet()
        return made

    def ends(self):
        """Lets the JVM exit, and asserts that its status and output are
        normal."""
        self.set_word(END, 1)
        self.assertEqual(self.process.wait(PATIENCE_S), 0, self.output())
        self.assertEqual(self.output(), "")


class CollectorCase(JavaAttached):
    CYCLES = 3

    def cycle(self, *options):
        """Asserts that the counts lie between the calls during the session and
        all calls, except for lost ones."""
        before = self.counted()
        controller = self.attach(self.process, *options)
        at_least = self.counted()
        self.let_go()
        now = self.counted()
        self.detach(controller)
        after = self.counted()
        calls, _ = self.recorded()
        for caller in after:
            self.assertGreaterEqual(calls[caller] + THREADS,
                                    now[caller] - at_least[caller], caller)
            self.assertLessEqual(calls[caller],
                                 after[caller] - before[caller], caller)
        self.assert_quiet()

    def check_collector(self, collector, *options, versions=tuple(HOMES)):
        for self.version in versions:
            if not HOMES[self.version]:
                continue
            with self.subTest(self.version):
                self.start_java(f"-XX:+Use{collector}", *options)
                self.set_word(LATE, 1)
                self.let_go()
                for _ in range(self.CYCLES):
                    self.cycle()
                self.ends()

    def ends_quietly_but_for_tools(self):
        self.assert_as_before(self.process)
        self.set_word(END, 1)
        self.assertEqual(self.process.wait(PATIENCE_S), 0, self.output())


# {method of Attached.java: caller whose count is the method's number of calls}
METHODS = {"hot": "hot", "innermost": "innermost", "middle": "innermost",
           "outer": "innermost", "recursion": "recursion", "upper": "upper",
           "back": "back", "asRegistered": "asRegistered",
           "latest": "latest", "asks": "asks", "rests": "rests"}
CALLEES = {"innermost": "middle", "middle": "outer", "back": "upper"}
EXACT = ["--java=exact:com.acme.*", "--java-min-size=0"]


class ExactAttached(JavaAttached):
    def methods(self):
        """Returns ({method: calls}, {(method, Java caller): calls}) for
        Attached.java."""
        tree = self.clew_json("tree", "--json", self.recording_path)
        self.assertEqual([p for p in tree["problems"]
                          if "appear at the top" not in p], [])
        names = [re.sub(r"^com\.acme\.Attached\.|\(.*$", "", f["name"])
                 for f in tree["functions"]]
        calls, edges = collections.Counter(), collections.Counter()
        for node in tree["contexts"]:
            name = names[node["function"]]
            if name not in METHODS or not node["calls"]:
                continue
            above = node
            while above["parent"]:
                above = tree["contexts"][above["parent"] - 1]
                if names[above["function"]] in METHODS:
                    break
            caller = names[above["function"]] if above is not node else None
            calls[name] += node["calls"]
            edges[name, caller if caller in METHODS else None] += node["calls"]
        return calls, edges

    def confidence(self):
        report = self.clew_json("report", "--json", self.recording_path)
        confidence = report["confidence"]
        stacks = confidence.get("java_stacks")  # None: no stack was drawn
        for verdicts in confidence, stacks or confidence:
            self.assertEqual((verdicts["diverged"], verdicts["collisions"]),
                             (0, 0), confidence)
        return stacks["verified"] if stacks else 0

    def is_counted_exactly(self, *options):
        self.hold()
        before = self.counted()
        controller = self.attach(self.process, *EXACT, *options)
        self.let_go()
        self.hold()
        self.detach(controller)
        after = self.counted()
        calls, edges = self.methods()
        made = {name: after[native] - before[native]
                for name, native in METHODS.items()}
        # recursion(0) makes no call
        made["recursion"] += made["recursion"] // 3
        self.assertEqual({name: calls[name] for name in made}, made)
        for callee, caller in CALLEES.items():
            self.assertEqual(edges[callee, caller], made[callee], edges)
        for name in ("hot", "outer", "asks"):
            self.assertEqual(edges[name, None], made[name], edges)
        self.assert_quiet()
        return self.confidence()


    def code_bytes(self):
        """Returns the JVM's current bytecode size of outer()."""
        self.set_word(TELL, 1)
        self.assertTrue(until(lambda: not self.word(TELL)))
        return self.word(BYTES)


TRACKER = """package java.lang;
public class ClewTracker {
    public static void enter(int number) { }
    public static void exit(int number) { }
    public static void thrown(int number) { }
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


class RewrittenCase(CompiledCase):
    def agent(self, tracker, prefix):
        return (f"-agentpath:{clewtest.target('rewritten.so')}="
                f"{tracker},{self.work / 'told'},{prefix}")

    def run_rewritten(self, *arguments):
        """Returns the lines that the program prints, and those that the agent
        prints."""
        done = self.run_program(self.java(*VERIFY, *arguments), text=True)
        problems = [line for line in done.stderr.splitlines()
                    if not line.startswith("WARNING: Using incubator")]
        self.assertEqual((done.returncode, problems), (0, []), done.stdout)
        return (done.stdout.splitlines(),
                (self.work / "told").read_text().splitlines())

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
        # One call each of Derived, Doomed and Doubly, in each of 5 rounds of 8
        # threads.
        self.assertEqual(totals["dropped"], 3 * 40)
        self.assertEqual(totals["open"], totals["dropped"])
        self.assertGreater(totals["throws"], 10000)
        self.assertEqual(totals["returns"] + totals["throws"] +
                         totals["dropped"], sum(counts.values()))

    def patched(self, prefix="", tracker=TRACKER):
        """Returns options that put the tracker into the JVM's own java.lang
        package."""
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
        """Verifies every EVERYth class; all loaded classes are rewritten."""
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

    def check_gate(self, every):
        """Checks that the verifier accepts the classes with the gate open and
        shut."""
        for state in 0, 1:
            counts, refused, _ = self.verify(every, prefix="gate:",
                                             tracker=GATED % state)
            self.assertEqual(refused, [])
            self.assertGreater(counts["classes"], 3000)

    def check_loaded(self):
        counts, refused, _ = self.verify(100, prefix="late:")
        self.assertEqual(refused, [])
        self.assertGreater(counts["classes"], 300)
