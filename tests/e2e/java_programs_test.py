#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Third-party Java programs run unchanged with each method call counted."""
import pathlib
import re
import signal
import subprocess

from lib import clewtest
from lib.attached import PATIENCE_S, Attached, children
from lib.clewtest import CLEW, needs
from lib.java import HOMES, TARGETS, VERIFY, CompiledCase, ExactCase

JARS = pathlib.Path("/usr/share/java")
SQL = """
create table t(id int primary key, name varchar(40), v double);
insert into t select x, 'n' || mod(x, 97), x*1.5 from system_range(1, 2000);
create index i on t(name);
select name, count(*), sum(v) from t group by name order by name limit 10;
select a.id, b.id from t a join t b on a.id = b.id + 1
  where a.name = 'n5' order by a.id limit 5;
update t set v = v + 1 where mod(id, 3) = 0;
select sum(v) from t;
"""
PYTHON = """
import re

def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

def deep(n):
    return deep(n + 1)

print fib(15)
print sorted(re.findall(r'[a-z]+', 'to be or not to be'))
try:
    fib('x')
except TypeError, e:
    print 'caught', e
try:
    deep(0)
except RuntimeError:
    print 'deep'
"""


class Programs(ExactCase):
    def check(self, jar, *argv, versions=(17, 25), program):
        """Checks that the output is unchanged and that stacks equal the
        JVM's."""
        if not (JARS / jar).exists():
            self.skipTest(f"no {jar} here")
        for self.version in versions:
            with self.subTest(version=self.version):
                command = self.java(*VERIFY, "-cp", JARS / jar, *argv)
                native = self.run_program(command)
                self.assertEqual(native.returncode, 0, native.stderr)
                done = self.record(command, ["--java=exact",
                                             "--verify-period=5000"])
                self.assertEqual((done.returncode, done.stdout, done.stderr),
                                 (0, native.stdout, native.stderr))
                self.assertGreater(self.confidence(), 50)
                rows = self.clew_json("report", "--json", "--java", "--top=0",
                                      self.recording_path)["functions"]
                program(rows)

    @needs("java")
    def test_database_counts_exactly(self):
        (self.work / "load.sql").write_text(SQL)

        def inserts(rows):
            """Each row causes one call."""
            self.assertEqual([row["calls"] for row in rows if re.match(
                r"org\.h2\.command\.dml\.Insert\.addRow\(",
                row["name"])], [2000])

        self.check("h2.jar", "org.h2.tools.RunScript", "-url", "jdbc:h2:mem:",
                   "-script", self.work / "load.sql", "-showResults",
                   program=inserts)

    @needs("java")
    def test_interpreter_counts_exactly(self):
        (self.work / "load.py").write_text(PYTHON)

        def calls_functions(rows):
            """fib(15) calls itself 1,973 times, each time through this
            function."""
            calls = [row["calls"] for row in rows
                     if row["name"].startswith("org.python.pycode.") and
                     ".fib$" in row["name"]]
            self.assertEqual(sum(calls), 1973 + 1)

        self.check("jython.jar", f"-Dpython.cachedir={self.work}",
                   "org.python.util.jython", self.work / "load.py",
                   versions=(17,), program=calls_functions)


class Rounds(CompiledCase, Attached):
    """Programs run repeatedly in one JVM that verifies all classes.

    Each program's output is unchanged before, during and after the counting,
    for each method of counting.
    """
    ROUNDS = 2

    def argv(self, *options, jars=()):
        missing = [jar for jar in jars if not (JARS / jar).exists()]
        if missing:
            self.skipTest(f"no {missing[0]} here")
        if not (self.work / "rounds").exists():
            self.compile("rounds", TARGETS / "Rounds.java")
        path = ":".join(str(path) for path in [
            *(JARS / jar for jar in jars), self.work / "rounds"])
        return self.java(*VERIFY, "-cp", path, *options)

    def rounds(self):
        """Returns the output of each round."""
        printed = []
        for _ in range(self.ROUNDS):
            self.process.stdin.write("go\n")
            self.process.stdin.flush()
            lines = [self.process.stdout.readline()]
            while lines[-1] not in ("done\n", ""):
                lines.append(self.process.stdout.readline())
            self.assertEqual(lines[-1], "done\n", self.errors())
            printed.append("".join(lines))
        return printed

    def errors(self):
        """Returns error output without JDK 25's warnings about libraries."""
        self.said.seek(0)
        return [line for line in self.said.read().decode().splitlines()
                if not line.startswith("WARNING: ")]

    def ends(self):
        self.process.stdin.close()
        self.assertEqual(self.process.wait(PATIENCE_S), 0, self.errors())
        self.assertEqual(self.errors(), [])

    def natively(self, argv):
        self.start_to_talk(*argv)
        printed = self.rounds()
        self.ends()
        self.assertTrue(printed[0].strip())
        self.assertEqual(set(printed), {printed[0]})
        return printed

    def recorded(self, method):
        """Returns the calls of the method; asserts that the report has no
        problems."""
        report = self.clew_json("report", "--json", "--top=0", "--java",
                                self.recording_path)
        self.assertEqual([p for p in report["problems"]
                          if "appear at the top" not in p], [])
        self.assertEqual(report["confidence"]["diverged"], 0)
        return sum(row["calls"] for row in report["functions"]
                   if row["name"].startswith(method + "("))

    def check_recorded(self, argv, expected, method, calls, *options):
        """With --java=standby, methods count in the second of three runs."""
        stands_by = options[0].startswith("--java=standby")
        self.start_to_talk(CLEW, "record", "-q", "-o", self.recording_path, *options,
                   "--", *argv)
        if stands_by:
            self.assertEqual(self.rounds(), expected)
            controller = self.attach_by(children(self.process.pid)[0])
        self.assertEqual(self.rounds(), expected)
        if stands_by:
            self.detach_from(controller)
            self.assertEqual(self.rounds(), expected)
        self.ends()
        self.assertEqual(self.recorded(method), self.ROUNDS * calls)

    def check_attached(self, argv, expected, method, calls, mode):
        self.start_to_talk(*argv)
        self.assertEqual(self.rounds(), expected)
        for _ in range(2):
            controller = self.attach(self.process, mode)
            self.assertEqual(self.rounds(), expected)
            self.detach(controller)
            self.assertEqual(self.rounds(), expected)
            if mode.startswith("--java=exact"):
                self.assertEqual(self.recorded(method), self.ROUNDS * calls)
            else:
                self.assertLessEqual(self.recorded(method),
                                     self.ROUNDS * calls)
        self.ends()

    def attach_by(self, pid):
        controller = subprocess.Popen(
            [CLEW, "attach", str(pid)], cwd=self.work, env=self.environment,
            stderr=subprocess.PIPE, text=True)
        self.addCleanup(controller.stderr.close)
        self.addCleanup(controller.wait)
        self.addCleanup(controller.kill)
        self.assertIn("attached to", controller.stderr.readline())
        return controller

    def detach_from(self, controller):
        controller.send_signal(signal.SIGINT)
        said = controller.stderr.read()
        self.assertEqual(controller.wait(PATIENCE_S), 0, said)

    def check(self, *options, jars, method, calls, meant=""):
        for self.version in HOMES:
            if not HOMES[self.version]:
                continue
            argv = self.argv(*options, jars=jars)
            expected = self.natively(argv)
            count = calls() if callable(calls) else calls
            for how in ("exact", "standby", "inplace"):
                mode = f"--java={how}{meant}"
                with self.subTest(how, version=self.version):
                    if how != "inplace":
                        self.check_recorded(argv, expected, method, count,
                                            mode)
                    if how != "standby":
                        self.check_attached(argv, expected, method, count,
                                            mode)

    @needs("javac")
    def test_database_counts_while_attached_in_rounds(self):
        (self.work / "load.sql").write_text(SQL)
        self.check("com.acme.Rounds", "database", self.work / "load.sql",
                   jars=["h2.jar"], calls=2000,
                   method="org.h2.command.dml.Insert.addRow")

    @needs("javac")
    def test_interpreter_counts_while_attached_in_rounds(self):
        (self.work / "load.py").write_text(PYTHON)
        self.check(f"-Dpython.cachedir={self.work}", "com.acme.Rounds",
                   "interpreter", self.work / "load.py", jars=["jython.jar"],
                   calls=1, method="org.python.util.PythonInterpreter.execfile")

    @needs("javac")
    def test_json_library_counts_while_attached_in_rounds(self):
        self.check("com.acme.Rounds", "json", "300", calls=300, jars=[
            f"jackson-{name}.jar" for name in ("core", "databind",
                                               "annotations")],
                   method="com.fasterxml.jackson.databind.ObjectMapper"
                          ".readTree")

    @needs("javac")
    def test_compiler_counts_while_attached_in_rounds(self):
        """Compiles all Java programs of the tests; writes a class file for each
        class."""
        sources = sorted(path for path in TARGETS.glob("*.java")
                         if path.name != "Prologues.java")
        self.check("com.acme.Rounds", "compiler", self.work / "out", "-cp",
                   clewtest.BUILD / "agent" / "clew.jar", *sources, jars=[],
                   calls=lambda: len(list((self.work / "out").rglob("*.class"))),
                   method="com.sun.tools.javac.jvm.ClassWriter.writeClass")


if __name__ == "__main__":
    clewtest.main()
