#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Generated code that no runtime announces is attributed to the module that made it executable."""
import collections
import re
import shutil
import signal
import sqlite3
import subprocess

from lib import clewtest
from lib.clewtest import needs, target
from lib.disturbance import Disturbed, undisturbed

POINTS = 4.0  # tolerance for shares, in percentage points
NOBODY = "(generated code)"


def of(maker):
    return f"(generated code of {maker})"


class Case(clewtest.Case):
    def functions(self):
        shown = self.clew_json("report", "--json", "--top=0",
                               self.recording_path)
        self.assertEqual(shown["problems"], [])
        return {row["name"]: row["total_ns"] for row in shown["functions"]
                if "module" not in row}

    def makers(self):
        dumped = self.clew("dump", self.recording_path).stdout
        return re.findall(r"^maker pc=(\S+)", dumped, re.M)


class Truth(Case):
    """A program that records whose code it calls, and for how long."""

    NAMES = {"program": "makers", "library": "libmakers_library.so",
             "deep": "libmakers_library.so"}  # A copy is the same module.

    def name(self, told):
        who, _, mapping = told.partition(", ")
        if who == "nobody":
            return NOBODY
        return of(self.NAMES[who] + (f", {mapping}" if mapping else ""))

    def check(self, way, status=0, flavour="O2", arguments=(), options=()):
        done = self.record([target("makers", flavour), way, "300", *arguments],
                           options, text=True)
        self.assertEqual((done.returncode, done.stderr), (status, ""))
        truth = collections.Counter()
        for line in done.stdout.splitlines():
            _, told, ns = re.fullmatch(r"(\d+) (.*) (\d+)", line).groups()
            truth[self.name(told)] += int(ns)
        found = {name: ns for name, ns in self.functions().items()
                 if name.startswith("(generated")}
        self.assertLessEqual(set(found), set(truth))
        total = sum(truth.values())
        for name, ns in truth.items():
            share, wanted = 100 * found.get(name, 0) / total, 100 * ns / total
            if abs(share - wanted) > POINTS:
                raise Disturbed(f"{name}: {share} % and not {wanted} %")

    @undisturbed
    def test_makers_are_the_program_and_a_library(self):
        for flavour in "O2", "O0":
            with self.subTest(flavour=flavour):
                self.check("plain", flavour=flavour)

    @undisturbed
    def test_makers_of_a_killed_process_are_recorded(self):
        self.check("killed", -9)

    @undisturbed
    def test_generated_code_that_generates_code_is_named(self):
        self.check("itself")

    @undisturbed
    def test_code_in_named_memory_has_its_maker(self):
        self.check("named")

    @undisturbed
    def test_code_at_a_reused_address_has_its_maker(self):
        self.check("reused")

    @undisturbed
    def test_code_in_moved_memory_has_its_maker(self):
        self.check("moved")
        self.check("moved-by-syscall")

    @undisturbed
    def test_code_in_shared_memory_has_its_maker(self):
        self.check("shared")
        self.check("shared-by-syscall")

    @undisturbed
    def test_forked_child_has_the_makers_of_its_parent(self):
        self.check("forked")

    def test_makers_behind_a_filter_are_recorded(self):
        """Behind a system call filter there are no samples, but the recording still has
        the makers.
        """
        self.record([target("makers"), "filtered", "10"])
        dumped = self.clew("dump", self.recording_path).stdout
        gone = re.findall(r"^maker .* gone_tsc=(\d+)", dumped, re.M)
        self.assertEqual([tsc != "0" for tsc in gone], [False, True])

    @undisturbed
    def test_code_that_changes_often_is_recorded_rarely(self):
        self.check("often")
        self.assertLess(len(self.makers()), 5000)

    @undisturbed
    def test_library_loaded_with_deepbind_is_a_maker(self):
        """The library is loaded with RTLD_DEEPBIND, as php loads its extensions, and
        hooked or excluded.
        """
        deep = self.work / "deep.so"
        shutil.copy(target("libmakers_library.so"), deep)
        self.check("deep", arguments=[deep])
        self.check("deep", arguments=[deep], options=["-M", "deep.so"])

    @undisturbed
    def test_every_view_shows_makers(self):
        self.check("plain")
        name = of("libmakers_library.so")
        for arguments in (["report"], ["tree"], ["report", f"--function={name}"],
                          ["html", "-o", "-"], ["export", "--format=folded"],
                          ["export", "--format=csv"],
                          ["export", "--format=json"],
                          ["export", "--format=callgrind"],
                          ["export", "--format=chrome"],
                          ["export", "--format=speedscope"]):
            with self.subTest(arguments=arguments):
                done = self.clew(*arguments, self.recording_path)
                self.assertEqual(done.returncode, 0, done.stderr)
                if arguments[0] != "html":
                    self.assertIn(name, done.stdout)
        database = self.work / "profile.db"
        self.clew("export", "--format=sqlite", "-o", database,
                  self.recording_path)
        with sqlite3.connect(database) as connection:
            kinds = dict(connection.execute(
                "SELECT name, kind FROM functions"))
        self.assertEqual(kinds[name], "generated")


class Sessions(Case):
    """Code that is generated during a session of `clew attach`."""

    def send(self, line):
        """Sends a command. Returns the lines that the program prints until it is done."""
        self.program.stdin.write(line + "\n")
        self.program.stdin.flush()
        return list(iter(self.program.stdout.readline, "done\n"))

    def session(self, name, *lines):
        """Records while the program executes the lines. Returns the recording and
        {maker: CPU time}.
        """
        recording = self.work / name
        with subprocess.Popen([clewtest.CLEW, "attach", "-o", recording,
                               str(self.program.pid)], text=True,
                              env=self.environment,
                              stderr=subprocess.PIPE) as controller:
            self.assertIn("attached", controller.stderr.readline())
            said = [self.send(line) for line in lines][-1]
            controller.send_signal(signal.SIGINT)
            controller.communicate()
        truth = {Truth.NAMES[who]: int(ns)
                 for _, who, ns in map(str.split, said)}
        return recording, {of(who): ns for who, ns in truth.items()}

    @undisturbed
    def test_the_makers_of_an_earlier_session_are_in_a_later_one(self):
        with subprocess.Popen([target("makers"), "on-demand", "300"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True) as self.program:
            self.assertEqual(self.program.stdout.readline(), "ready\n")
            self.session("first", "make", "burn")
            self.send("unmap")
            for name in "second", "third":
                recording, truth = self.session(name, "burn")
                shown = self.clew_json("report", "--json", "--top=0",
                                       recording)
                found = {row["name"]: row["total_ns"]
                         for row in shown["functions"]
                         if row["name"].startswith("(generated")}
                self.assertEqual(set(found), set(truth))
                for who, ns in truth.items():
                    if abs(found[who] - ns) > ns / 10:
                        raise Disturbed(f"{who}: {found[who]} ns, not {ns}")
                dumped = self.clew("dump", recording).stdout
                self.assertEqual(len(re.findall("^maker ", dumped, re.M)), 2)


class Remapped(Case):
    """A program that maps its own text a second time, as V8 does."""

    FUNCTION = "Builtins_Spin"

    def share(self, recording, wanted=FUNCTION):
        """Returns the percentage of all samples that are in one function."""
        shown = self.clew_json("report", "--json", "--top=0", recording)
        rows = {row["name"]: row["self_ns"] for row in shown["functions"]}
        for name in rows:
            self.assertNotIn(".hooked", name)
        if not rows or not any(rows.values()):
            raise Disturbed("no samples")
        return 100 * rows.get(wanted, 0) / sum(rows.values())

    @undisturbed
    def check_one(self, flavour, way, options, wanted):
        self.record([target("remapped", flavour), way, "200"], options)
        share = self.share(self.recording_path, wanted)
        if share < 100 - 2 * POINTS:
            raise Disturbed(f"{share} % in {wanted}")

    def check(self, way, options=(), wanted=FUNCTION):
        for flavour in "O2", "nopie":
            with self.subTest(way=way, flavour=flavour, options=options):
                self.check_one(flavour, way, options, wanted)

    def test_code_mapped_from_a_file_has_the_files_names(self):
        """Code has these names whether or not clew maps hooked text over the program's text."""
        for way in "file", "exe", "protected", "moved":
            self.check(way)
            self.check(way, ["--no-prelinking"])

    def test_a_copy_in_other_memory_has_the_makers_name(self):
        self.check("copied", wanted=of("remapped"))

    @undisturbed
    def test_code_mapped_before_attaching_has_names(self):
        """The second session also shows the names."""
        with subprocess.Popen([target("remapped", "O2"), "waits", "600000"],
                              stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as program:
            program.stdout.readline()
            program.stdin.write(b"x")
            program.stdin.flush()
            try:
                for session in "first", "second":
                    recording = self.work / session
                    shutil.rmtree(recording, ignore_errors=True)
                    done = self.clew("attach", "--for=500ms", "-o", recording,
                                     str(program.pid))
                    self.assertEqual(done.returncode, 0, done.stderr)
                    share = self.share(recording)
                    if share < 100 - 2 * POINTS:
                        raise Disturbed(f"{session}: {share} %")
            finally:
                program.kill()


class Runtimes(Case):
    """Real runtimes that do not announce their code."""

    def check(self, argv, maker, options=()):
        native = self.run_program(argv)
        recorded = self.record(argv, options)
        self.assert_same_behaviour(native, recorded)
        functions = self.functions()
        found = {name: ns for name, ns in functions.items()
                 if re.fullmatch(of(f"{maker}(, .*)?")
                                 .replace("(gen", r"\(gen")
                                 .replace("?)", r"?\)"), name)}
        self.assertTrue(found, functions)
        self.assertGreater(sum(found.values()),
                           5 * functions.get(NOBODY, 0), functions)

    def script(self, name, text):
        (self.work / name).write_text(text, encoding="ascii")
        return name

    @needs("node")
    def test_node_code_has_its_maker(self):
        self.check(["node", self.script("busy.js", """
            function f(n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
            let sum = 0;
            for (let i = 0; i < 100; i++) sum += f(25);
            console.log(sum);
        """)], "node")

    @undisturbed
    @needs("node")
    def test_builtins_of_node_are_named(self):
        """V8 maps its builtins a second time from node's file."""
        busy = self.script("builtins.js", """
            const words = [];
            for (let i = 0; i < 5000; i++) words.push("w" + i);
            let sum = 0;
            for (const w of words) sum += words.indexOf(w);
            console.log(sum);
        """)
        self.record(["node", busy])
        names = [row["name"] for row in
                 self.clew_json("report", "--json", "--top=3",
                                self.recording_path)["functions"]]
        if not any(name.startswith("Builtins_ArrayIndexOf")
                   for name in names):
            raise Disturbed(names)

    @needs("luajit")
    def test_luajit_code_has_its_maker(self):
        self.check(["luajit", self.script("busy.lua", """
            local s = 0
            for i = 1, 2e8 do s = (s + i * 7) % 1000003 end
            print(s)
        """)], r"(luajit|libluajit.*)")

    @needs("grep")
    def test_pcre2_code_has_its_maker(self):
        if self.run_program(["grep", "-qP", "a", "/dev/null"]).returncode == 2:
            self.skipTest("this grep has no -P")
        text = self.script("text", "\n".join(
            "abcdefgh" * 200 + str(i) for i in range(20000)))
        self.check(["grep", "-cP", "([a-h]{3,9}){2}[0-9]+77$", text],
                   r"libpcre2-8\.so.*")

    @needs("java", "javac")
    def test_java_code_is_named_without_an_agent(self):
        self.script("Busy.java", """
            class Busy {
              static int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
              public static void main(String[] a) {
                System.out.println(f(38));
              }
            }
        """)
        self.assertEqual(self.run_program(["javac", "Busy.java"]).returncode, 0)
        self.check(["java", "-cp", ".", "Busy"], r"libjvm\.so", ["--java=off"])

    @needs("php")
    def test_php_code_has_its_maker(self):
        """The compiler of php is in an extension, which php loads with RTLD_DEEPBIND."""
        modules = self.run_program(["php", "-m"], text=True).stdout
        if "Zend OPcache" not in modules:
            self.skipTest("no opcache here")
        script = self.script("busy.php", """<?php
            function f($n) {
              $s = 0;
              for ($i = 0; $i < $n; $i++) $s = ($s + $i * 7) % 1000003;
              return $s;
            }
            for ($j = 0; $j < 300; $j++) $x = f(100000);
            echo $x;
        """)
        self.check(["php", "-d", "opcache.enable_cli=1", "-d",
                    "opcache.jit=tracing", "-d", "opcache.jit_buffer_size=64M",
                    "-d", "opcache.file_update_protection=0", script],
                   r"opcache\.so")

    @needs("mono", "mcs")
    def test_mono_code_has_its_maker(self):
        self.script("busy.cs", """
            class Busy {
              static int F(int n) { return n < 2 ? n : F(n - 1) + F(n - 2); }
              static void Main() { System.Console.WriteLine(F(36)); }
            }
        """)
        self.assertEqual(self.run_program(["mcs", "busy.cs"]).returncode, 0)
        self.check(["mono", "busy.exe"], "mono.*")


if __name__ == "__main__":
    clewtest.main()
