#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""With --java=inplace, the counts of compiled Java methods equal the programs'
own."""
import collections
import pathlib
import re
import struct

from lib import clewtest
from lib.attached import PATIENCE_S, Attached
from lib.clewtest import CLEW, needs, slow, until
from lib.java import TARGETS, VERIFY, CompiledCase

SETTLING_ROUNDS = 200
CALLERS = {"middle": {"outer"}, "passes": {"catches"}, "deep": {"deep", "passes"},
           "fib": {"fib", "round"}, "outer": {"round"}, "catches": {"round"},
           "area": {"round"}, "locked": {"round"}, "wide": {"round"},
           "large": {"round"}, "finds": {"round"},
           "inner": {"middle", "passes", "catches", "locked", "large", "finds"}}
METHODS = {*CALLERS, "round"}
# Compilers must not inline these calls.
PHYSICAL = ["-XX:CompileCommand=quiet"] + [
    f"-XX:CompileCommand=dontinline,com.acme.Compiled*::{name}"
    for name in sorted(METHODS)]
IN_PLACE = "--java=inplace:com.acme.Compiled*"


class InPlaceCase(CompiledCase, Attached):
    threads = 4

    def program(self, *options):
        if not (self.work / "compiled").exists():
            self.compile("compiled", TARGETS / "Compiled.java")
        return self.java(*PHYSICAL, *options, "-cp", self.work / "compiled",
                         "com.acme.Compiled", str(self.threads))

    def start_program(self, argv):
        self.start_to_talk(*argv)
        self.made = self.heard()

    def start_java(self, *options):
        self.start_program(self.program(*options))

    def start_recorded(self, *options, record=()):
        self.start_program([CLEW, "record", "-q", "-o", self.recording_path,
                            "--time=none", *record, IN_PLACE, "--",
                            *self.program(*options)])

    def heard(self):
        line = self.process.stdout.readline()
        self.said.seek(0)
        self.assertTrue(line, self.said.read().decode()[-3000:])
        made = {name: int(calls)
                for name, calls in re.findall(r"(\w+)=(\d+)", line)}
        self.assertEqual(made.pop("wrong"), 0)
        return made

    def say(self, line):
        """Sends a line, and returns {method: calls} for it."""
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        before, self.made = self.made, self.heard()
        return {name: calls - before[name]
                for name, calls in self.made.items()}

    def warm(self):
        for _ in range(3):
            self.say("go 20000")

    def ends(self):
        self.process.stdin.write("end\n")
        self.process.stdin.flush()
        self.assertEqual(self.process.wait(PATIENCE_S), 0)
        self.said.seek(0)
        self.assertEqual(self.said.read(), b"")

    def problems(self):
        tree = self.clew_json("tree", "--json", self.recording_path)
        return [p for p in tree["problems"] if "appear at the top" not in p]

    def recorded(self):
        """Returns ({method: calls}, {(method, caller): calls})."""
        tree = self.clew_json("tree", "--json", self.recording_path)
        self.assertEqual([p for p in tree["problems"]
                          if "appear at the top" not in p and
                          "calls of Java methods are no" not in p], [])
        names = [re.sub(r"^com\.acme\.Compiled(\$\w+)?\.|\(.*$", "", f["name"])
                 for f in tree["functions"]]
        calls, edges = collections.Counter(), collections.Counter()
        for node in tree["contexts"]:
            name = names[node["function"]]
            if name not in METHODS or not node["calls"]:
                continue
            above = node["parent"] and names[
                tree["contexts"][node["parent"] - 1]["function"]]
            calls[name] += node["calls"]
            edges[name, above] += node["calls"]
        return calls, edges

    def check_recorded(self):
        """Checks that each call counts below its caller.

        Newly compiled code gets its stub after some milliseconds, so some
        rounds may lack calls, or callers in contexts. No call may appear that
        was not made.
        """
        for _ in range(SETTLING_ROUNDS):
            before, edges_before = self.recorded()
            made = self.say("go 500")
            calls, edges = self.recorded()
            calls -= before
            others = {edge: count for edge, count in
                      (edges - edges_before).items() if edge[0] in CALLERS and
                      edge[1] not in CALLERS[edge[0]]}
            self.assertEqual({name: (calls[name], made[name]) for name in made
                              if calls[name] > made[name]}, {})
            if not others and all(calls[name] == made[name] for name in made):
                return
        self.fail((others, {name: (calls[name], made[name]) for name in made
                            if calls[name] != made[name]}))


COMPILERS = {"tiered": [], "first": ["-XX:TieredStopAtLevel=1"],
             "second": ["-XX:-TieredCompilation"]}


class WhileAttached(InPlaceCase):
    def check(self, *options):
        """At the second session's start, the compiled code or the frames differ
        from the first's."""
        self.start_java("-Xbatch", *options)
        self.warm()
        for _ in range(2):
            controller = self.attach(self.process, IN_PLACE, "--time=none")
            self.check_recorded()
            self.detach(controller)
            self.say("go 500")
        self.ends()

    def check_versions(self, *options):
        for self.version in 17, 25:
            with self.subTest(self.version):
                self.check(*options)

    @needs("javac")
    def test_each_call_of_code_of_both_compilers_is_counted(self):
        self.check_versions()

    @needs("javac")
    @slow
    def test_code_of_either_compiler_is_counted(self):
        self.check_versions(*COMPILERS["first"])
        self.check_versions(*COMPILERS["second"])

    @needs("javac")
    @slow
    def test_methods_with_frame_pointers_are_counted(self):
        self.check_versions("-XX:+PreserveFramePointer")

    @needs("javac")
    @slow
    def test_counts_are_right_with_each_collector(self):
        for collector in "Serial", "Parallel", "G1":
            self.check_versions(f"-XX:+Use{collector}GC")
        self.version = 17
        self.check("-XX:+UseZGC")

    @needs("javac")
    def test_methods_counted_in_place_have_lines(self):
        lines = (TARGETS / "Compiled.java").read_text().splitlines()
        begins = {name: next(number for number, line in enumerate(lines, 2)
                             if f" {name}(Calls calls, int" in line)
                  for name in ("fib", "outer", "middle", "inner")}
        for self.version in 17, 25:
            self.start_java("-Xbatch")
            self.warm()
            controller = self.attach(self.process, IN_PLACE, "--time=none")
            self.check_recorded()
            self.detach(controller)
            self.ends()
            tree = self.clew_json("tree", "--json", self.recording_path)
            found = {(name, f.get("file"), f.get("line"))
                     for f in tree["functions"] for name in begins
                     if f["name"].startswith(f"com.acme.Compiled.{name}(")}
            self.assertEqual(found, {(name, "com/acme/Compiled.java", line)
                                     for name, line in begins.items()})


class Recorded(InPlaceCase):
    threads = 16

    def check(self, *options):
        self.start_recorded(*options)
        self.check_recorded()
        self.say("storm 3000")
        self.say("unload 12")
        self.check_recorded()
        self.ends()

    @needs("javac")
    def test_counts_survive_storms_and_unloaded_classes(self):
        for self.version in 17, 25:
            with self.subTest(self.version):
                self.check()

    @needs("javac")
    @slow
    def test_counts_are_right_with_each_collector(self):
        for self.version in 17, 25:
            for collector in "Serial", "Parallel", "G1", "Z":
                with self.subTest(collector, version=self.version):
                    self.check(f"-XX:+Use{collector}GC")


class Cycles(InPlaceCase):
    """Attaches to a busy JVM that continues to compile."""

    def mappings(self, protection):
        """Returns (start, end) of mappings without a file."""
        maps = pathlib.Path(f"/proc/{self.process.pid}/maps").read_text()
        return [tuple(int(n, 16) for n in line.split()[0].split("-"))
                for line in maps.splitlines()
                if line.split()[1:] == [protection, "00000000", "00:00", "0"]]

    def code(self):
        """Returns {address: bytes} of code that the JVM generated."""
        with open(f"/proc/{self.process.pid}/mem", "rb") as memory:
            found = {}
            for start, end in self.mappings("rwxp"):
                memory.seek(start)
                found[start] = memory.read(end - start)
        return found

    def jumps_to_stubs(self, code):
        """Returns the addresses of jumps to executable memory that is not
        writable."""
        stubs, places = self.mappings("r-xp"), set()
        for start, bytes_there in code.items():
            for at in re.finditer(b"\xe9(?s:.{4})", bytes_there):
                to = start + at.start() + 5 + struct.unpack(
                    "<i", at.group()[1:])[0]
                if any(low <= to < high for low, high in stubs):
                    places.add(start + at.start())
        return places

    def bytes_at(self, code, places):
        return {place: code[start][place - start:place - start + 5]
                for place in places for start in code
                if start <= place < start + len(code[start])}

    def cycle(self, *options):
        controller = self.attach(self.process, IN_PLACE, *options)
        self.assertTrue(until(lambda: sum(self.recorded()[0].values()) > 1000))
        self.detach(controller)

    @needs("javac")
    def test_detaching_restores_compiled_code(self):
        for self.version in 17, 25:
            with self.subTest(self.version):
                self.start_java("-Xbatch")
                self.warm()
                before = self.code()
                controller = self.attach(self.process, IN_PLACE,
                                         "--time=none")
                self.say("go 500")
                places = self.jumps_to_stubs(self.code())
                self.detach(controller)
                after = self.code()
                self.assertGreater(len(places), 2 * len(METHODS))
                self.assertEqual(self.bytes_at(before, places),
                                 self.bytes_at(after, places))
                self.ends()

    def check_cycles(self, word, count, *options):
        self.start_java(*options)
        self.process.stdin.write(f"{word} 100000000\n")
        self.process.stdin.flush()
        for _ in range(count):
            self.cycle()
        self.assertIsNone(self.process.poll())
        self.process.kill()
        self.said.seek(0)
        self.assertEqual(self.said.read(), b"")

    @needs("javac")
    @slow
    def test_a_hundred_sessions_in_place_work(self):
        for self.version in 17, 25:
            for word in "go", "storm":
                with self.subTest(word, version=self.version):
                    self.check_cycles(word, 100, *VERIFY)

    @needs("javac")
    @slow
    def test_thirty_sessions_in_place_work_with_zgc(self):
        self.version = 17
        self.check_cycles("storm", 30, "-XX:+UseZGC")


class Refused(InPlaceCase):
    @needs("javac")
    def test_a_virtual_thread_is_refused(self):
        """A virtual thread ends the session; the JVM continues."""
        self.version = 25
        self.start_recorded()
        self.check_recorded()
        self.say("virtual 100")
        self.assertTrue(until(lambda: any(
            "virtual thread" in problem for problem in self.problems())))
        before, _ = self.recorded()
        self.say("go 100")
        self.assertEqual(self.recorded()[0], before)
        self.ends()

    @needs("javac")
    def test_a_jvm_with_another_compiler_is_refused(self):
        self.version = 17
        self.start_recorded("-XX:+UnlockExperimentalVMOptions",
                            "-XX:+EnableJVMCI")
        self.say("go 20000")
        self.assertEqual(self.recorded()[0], {})
        self.assertIn("calls of Java methods are not counted: "
                      "--java=inplace supports only JDK 17 and 25", " ".join(self.problems()))
        self.ends()


if __name__ == "__main__":
    clewtest.main()
