#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Calls of natives have the line of the Java method that makes them."""
import collections
import re
import sqlite3

from lib import clewtest
from lib.clewtest import needs, slow
from lib.java import HOMES, JavaCase

FOLDER = clewtest.ROOT / "tests" / "targets"
SOURCES = [FOLDER / name for name in ("Callers.java", "Lines.java")]
LINES = (FOLDER / "Lines.java").read_text().splitlines()
FILE = "com/acme/Lines.java"
HIT = "com.acme.Callers.hit(int)"
OURS = re.compile(r"com\.acme\.Lines\.(?!main\()")
METHODS = {  # methods and the numbers of their calls
    "several(int)": range(0, 8), "innermost(int)": (8, 9),
    "middle(int)": (10,), "outer(int)": (11,), "recursion(int)": (12, 13),
    "lambda$static$0(int)": (14, 15),
}
NUMBERS = 16


def line_with(text):
    line, = [number for number, line in enumerate(LINES, 1) if text in line]
    return line


def lines_of_calls():
    """Returns {number: line}."""
    return {number: line_with(f"hit({number})") for number in range(NUMBERS)}


class CallLines(JavaCase):
    def compiled(self, debug):
        classes = self.work / f"classes{debug.replace(':', '-')}"
        if not HOMES[17]:
            self.skipTest("no JDK 17 here, of which the compiler is")
        if not classes.exists():
            done = self.run_program([HOMES[17] / "bin" / "javac", "--release",
                                     "17", debug, "-d", classes, *SOURCES])
            self.assertEqual(done.returncode, 0, done.stderr)
        return classes

    def run_lines(self, *options, rounds=4000, debug="-g", record=()):
        """Returns {number: calls} as the program has counted them."""
        if self.version > 17:
            options += ("--enable-native-access=ALL-UNNAMED",)
        done = self.record(
            self.java(*options, "-cp", self.compiled(debug), "com.acme.Lines",
                      clewtest.target("callers.so"), str(rounds)), record)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        truth = {int(number): int(calls) for calls, number in
                 re.findall(r"(?m)^(\d+) (\d+)$", done.stdout.decode())}
        self.assertEqual(len(truth), NUMBERS)
        self.assertTrue(all(truth.values()))
        return truth

    def rows(self, *options):
        """Returns {caller: calls of hit()}."""
        report = self.clew_json("report", "--json", "--top=0", "--jni",
                                *options, self.recording_path)
        self.assertEqual(report["problems"], [])
        stacks = report["confidence"]["java_stacks"]
        self.assertEqual(stacks["diverged"], 0)
        rows = collections.Counter()
        for row in report["functions"]:
            name, caller = row["name"].split(" <- ")
            if name == HIT and ".main(" not in caller:
                rows[caller] += row["calls"]
        return dict(rows)

    def by_method(self, truth):
        return {f"com.acme.Lines.{method}": sum(truth[n] for n in numbers)
                for method, numbers in METHODS.items()}

    def by_line(self, truth):
        lines = lines_of_calls()
        return {f"com.acme.Lines.{method}:{lines[n]}": truth[n]
                for method, numbers in METHODS.items() for n in numbers}

    def check(self, *options, **more):
        truth = self.run_lines(*options, **more)
        self.assertEqual(self.rows(), self.by_method(truth))
        self.assertEqual(self.rows("--lines"), self.by_line(truth))
        return truth

    def check_version(self, version):
        self.version = version
        self.check()
        self.check("-Xint", rounds=1000)
        self.check("-XX:TieredStopAtLevel=1")
        self.check("-XX:-TieredCompilation", rounds=20000)
        self.check("-Xcomp", rounds=1000)

    @needs("javac")
    def test_call_lines_are_right_on_17(self):
        self.check_version(17)

    @needs("javac")
    @slow
    def test_call_lines_are_right_on_25(self):
        self.check_version(25)

    @needs("javac")
    def test_call_lines_agree_with_verification(self):
        self.check(rounds=2000, record=["--verify-period=1"])

    @needs("javac")
    def test_call_lines_have_exact_times(self):
        self.check(record=["--time=exact"])

    @needs("javac")
    def test_without_tables_methods_have_no_lines(self):
        truth = self.run_lines(debug="-g:none")
        self.assertEqual(self.rows(), self.by_method(truth))
        self.assertEqual(self.rows("--lines"), self.by_method(truth))
        tree = self.clew_json("tree", "--json", self.recording_path)
        ours = [function for function in tree["functions"]
                if function["name"].startswith("com.acme.Lines.")]
        self.assertTrue(ours)
        self.assertFalse([one for one in ours if "file" in one])

    def nodes(self, *options):
        """Returns {method of the test: its contexts}, with their functions'
        names."""
        tree = self.clew_json("tree", "--json", *options, self.recording_path)
        nodes = collections.defaultdict(list)
        for node in tree["contexts"]:
            function = tree["functions"][node["function"]]
            node["name"] = re.sub(r"^com\.acme\.Lines\.", "", function["name"])
            node["place"] = function.get("file"), function.get("line")
            nodes[node["name"]].append(node)
        return nodes

    @needs("javac")
    def test_contexts_have_the_lines_of_their_method_and_call(self):
        self.run_lines()
        nodes = self.nodes()
        for method, callers_line in (
                ("innermost(int)", line_with("the call of innermost()")),
                ("middle(int)", line_with("the call of middle()"))):
            self.assertEqual({(node["called_at"]["file"],
                               node["called_at"]["line"])
                              for node in nodes[method]},
                             {(FILE, callers_line)})
        self.assertEqual({node["place"] for node in nodes["middle(int)"]},
                         {(FILE, line_with("the call of innermost()"))})
        shown = self.clew("tree", "--lines", "--full-names",
                          self.recording_path).stdout
        self.assertRegex(
            shown, rf"innermost\(int\):{line_with('hit(9)')}  {FILE}:"
            rf"{line_with('hit(9)')}  at {FILE}:"
            rf"{line_with('the call of innermost()')}\n")

    @needs("javac")
    def test_exports_have_call_lines(self):
        truth = self.run_lines()
        wanted = collections.Counter()
        for number, line in lines_of_calls().items():
            wanted[line] += truth[number]
        self.assertEqual(self.lines_of_callgrind(), wanted)
        self.check_sqlite()
        self.check_speedscope()

    def lines_of_callgrind(self):
        path = self.work / "callgrind"
        self.clew("export", "-F", "callgrind", "-o", path, self.recording_path)
        names, found = {}, collections.Counter()
        lines = iter(path.read_text().splitlines())
        for line in lines:
            name = re.match(r"(c?fn)=\((\d+)\)(?: (.*))?", line)
            if name:
                names.setdefault(name[2], name[3])
                if name[1] == "fn":
                    caller = names[name[2]]
                else:
                    callee = names[name[2]]
            calls = re.match(r"calls=(\d+)", line)
            if calls:
                at = int(next(lines).split()[0])
                if callee == HIT and OURS.match(caller):
                    found[at] += int(calls[1])
        return found

    def check_sqlite(self):
        path = self.work / "sqlite"
        self.clew("export", "-F", "sqlite", "-o", path, self.recording_path)
        found = set(sqlite3.connect(path).execute(
            "SELECT f.name, s.file, s.line FROM contexts c"
            " JOIN functions f ON f.id = c.function"
            " JOIN sites s ON s.id = c.site"
            " WHERE f.name LIKE 'com.acme.Lines.middle%'"))
        self.assertEqual(found, {("com.acme.Lines.middle(int)", FILE,
                                  line_with("the call of middle()"))})

    def check_speedscope(self):
        made = self.clew_json("export", "-F", "speedscope", "--metric=calls",
                              self.recording_path)
        frame, = [frame for frame in made["shared"]["frames"]
                  if frame["name"] == "com.acme.Lines.middle(int)"]
        self.assertEqual((frame["file"], frame["line"]),
                         (FILE, line_with("the call of innermost()")))

    @needs("javac", "go")
    def test_pprof_has_the_lines_of_java_calls(self):
        truth = self.run_lines()
        path = self.work / "pprof"
        self.clew("export", "-F", "pprof", "-o", path, self.recording_path)
        done = self.run_program(
            ["go", "tool", "pprof", "-lines", "-sample_index=calls", "-peek",
             r"Callers\.hit\(", path], text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = collections.Counter()
        for calls, line in re.findall(
                rf"(?m)^ +(\d+) .*{OURS.pattern}.* "
                rf"{FILE}:(\d+)\s*$", done.stdout):
            found[int(line)] += int(calls)
        wanted = collections.Counter()
        for number, line in lines_of_calls().items():
            wanted[line] += truth[number]
        self.assertEqual(found, wanted)


class MethodLines(JavaCase):
    """Each counted method has the line of its first statement."""
    BEGINNINGS = {
        "com.acme.Lines.several(int)": "int sum = Callers.hit(0)",
        "com.acme.Lines.innermost(int)": "int sum = Callers.hit(8)",
        "com.acme.Lines.middle(int)": "the call of innermost()",
        "com.acme.Lines.outer(int)": "the call of middle()",
        "com.acme.Lines.lambda$static$0(int)": "Callers.hit(14)",
    }

    def functions(self, way, debug="-g"):
        if not HOMES[17]:
            self.skipTest("no JDK 17 here, of which the compiler is")
        classes = self.work / debug.replace(":", "")
        if not classes.exists():
            done = self.run_program([HOMES[17] / "bin" / "javac", "--release",
                                     "17", debug, "-d", classes, *SOURCES])
            self.assertEqual(done.returncode, 0, done.stderr)
        options = (("--enable-native-access=ALL-UNNAMED",)
                   if self.version > 17 else ())
        done = self.record(
            self.java(*options, "-cp", classes, "com.acme.Lines",
                      clewtest.target("callers.so"), "100"),
            [f"--java={way}"])
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        tree = self.clew_json("tree", "--json", self.recording_path)
        return {function["name"]: (function.get("file"), function.get("line"))
                for function in tree["functions"]}

    @needs("javac")
    def test_counted_methods_have_lines(self):
        wanted = {name: (FILE, line_with(text))
                  for name, text in self.BEGINNINGS.items()}
        for self.version in HOMES:
            if HOMES[self.version]:
                found = self.functions("exact")
                self.assertEqual({name: found[name] for name in wanted},
                                 wanted)

    @needs("javac")
    def test_methods_without_line_tables_have_no_lines(self):
        found = self.functions("exact", "-g:none")
        self.assertEqual({found[name] for name in self.BEGINNINGS},
                         {(None, None)})


class SampleLines(JavaCase):
    """Samples of compiled code, and of methods inlined into it, have lines."""
    SOURCE = FOLDER / "Burns.java"
    FILE = "com/acme/Burns.java"
    INNERMOST = "com.acme.Burns.innermost(int)"

    def line_with(self, text):
        line, = [number for number, line in enumerate(
            self.SOURCE.read_text().splitlines(), 1) if text in line]
        return line

    def burn(self, *options, debug="-g"):
        if not HOMES[17]:
            self.skipTest("no JDK 17 here, of which the compiler is")
        classes = self.work / debug.replace(":", "")
        if not classes.exists():
            done = self.run_program([HOMES[17] / "bin" / "javac", "--release",
                                     "17", debug, "-d", classes, self.SOURCE])
            self.assertEqual(done.returncode, 0, done.stderr)
        argv = self.java(*options, "-cp", classes, "com.acme.Burns", "150")
        self.assert_same_behaviour(self.run_program(argv), self.record(argv))

    def by_line(self):
        """Returns {line's name: ns}."""
        report = self.clew_json("report", "--json", "--by=line", "--top=0",
                                self.recording_path)
        self.assertEqual(report["problems"], [])
        return {row["name"]: row["self_ns"] for row in report["functions"]
                if "com.acme.Burns" in row["name"]}

    def inlined_ns(self):
        """Returns the time of innermost(), inlined into middle(), inlined into
        outer()."""
        tree = self.clew_json("tree", "--json", "-i", self.recording_path)
        names = [(function["name"], "inlined" in function)
                 for function in tree["functions"]]
        found = 0
        for node in tree["contexts"]:
            chain, at = [], node
            while at["parent"] and len(chain) < 3:
                chain.append(names[at["function"]])
                at = tree["contexts"][at["parent"] - 1]
            if ([name for name, _ in chain] == [
                    self.INNERMOST, "com.acme.Burns.middle(int)",
                    "com.acme.Burns.outer(int)"] and chain[0][1] and
                    chain[1][1]):
                found += node["self_ns"]
        return found

    def check(self, *options):
        self.burn(*options)
        lines = self.by_line()
        found = sum(lines.values())
        loop = sum(lines.get(f"{self.FILE}:{self.line_with(text)} in "
                             f"{self.INNERMOST}", 0)
                   for text in ("the loop", "takes the time"))
        self.assertGreater(found, 50e6)
        self.assertGreater(loop, found * 0.9, lines)
        self.assertGreater(self.inlined_ns(), 0)
        shown = self.clew("tree", "-l", "-i", self.recording_path).stdout
        for name, text in (("innermost", "the call of innermost()"),
                           ("middle", "the call of middle()")):
            self.assertRegex(shown, rf"\.{name} \(inlined\)  at "
                             rf"{self.FILE}:{self.line_with(text)}\n")

    def check_version(self, version):
        self.version = version
        self.check()
        self.check("-XX:TieredStopAtLevel=1")
        self.check("-XX:-TieredCompilation")

    @needs("javac")
    def test_samples_of_each_compiler_have_lines_on_17(self):
        self.check_version(17)

    @needs("javac")
    @slow
    def test_samples_of_each_compiler_have_lines_on_25(self):
        self.check_version(25)

    @needs("javac")
    def test_reports_name_the_source_of_code_addresses(self):
        self.burn()
        report = self.clew_json("report", "--json", "--top=0",
                                self.recording_path)
        found = report["confidence"]["samples"]
        dynamic = sum(found["dynamic"].values())
        self.assertGreater(found["dynamic"]["timed"], 50)
        self.assertGreaterEqual(found["dynamic"]["timed"], sum(
            row["samples"] for row in report["functions"]
            if row["name"].startswith("com.acme.Burns.outer(")))
        self.assertEqual(found["dynamic"]["newest"], 0)
        self.assertLessEqual(dynamic + sum(found["native"].values()),
                             report["total"]["samples"])
        self.assertRegex(self.details(self.recording_path),
                         rf"(?m)^samples: {dynamic:,} in generated code: .*\b"
                         rf"{found['dynamic']['timed']:,} identified by their "
                         "time")

    @needs("javac")
    def test_samples_without_line_tables_have_names(self):
        self.burn(debug="-g:none")
        self.assertGreater(self.inlined_ns(), 0)
        self.assertFalse([name for name in self.by_line() if ":" in name])

    @needs("javac", "go")
    def test_pprof_has_lines_and_inlined_methods(self):
        self.burn()
        path = self.work / "pprof"
        self.clew("export", "-F", "pprof", "-o", path, self.recording_path)
        done = self.run_program(
            ["go", "tool", "pprof", "-lines", "-sample_index=cpu", "-top",
             "-nodefraction=0", path], text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(
            done.stdout, rf"com\.acme\.Burns\.innermost\(int\) {self.FILE}:"
            rf"{self.line_with('takes the time')}\b.*")
        self.assertRegex(
            done.stdout, rf"com\.acme\.Burns\.middle\(int\) {self.FILE}:"
            rf"{self.line_with('the call of innermost()')}\b.*")


if __name__ == "__main__":
    clewtest.main()
