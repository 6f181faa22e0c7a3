#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Programs in Java that others wrote, with each call of their methods counted."""
import pathlib
import re

import clewtest
from clewtest import needs
from java_exact_test import VERIFY, ExactCase

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
        """It prints the same; its stacks are as the machine tells them."""
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
    def test_a_database(self):
        (self.work / "load.sql").write_text(SQL)

        def inserts(rows):
            """A call for each row."""
            self.assertEqual([row["calls"] for row in rows if re.match(
                r"org\.h2\.command\.dml\.Insert\.addRow\(",
                row["name"])], [2000])

        self.check("h2.jar", "org.h2.tools.RunScript", "-url", "jdbc:h2:mem:",
                   "-script", self.work / "load.sql", "-showResults",
                   program=inserts)

    @needs("java")
    def test_an_interpreter(self):
        (self.work / "load.py").write_text(PYTHON)

        def calls_functions(rows):
            """fib(15) calls itself 1,973 times, each time by this."""
            calls = [row["calls"] for row in rows
                     if row["name"].startswith("org.python.pycode.") and
                     ".fib$" in row["name"]]
            self.assertEqual(sum(calls), 1973 + 1)

        self.check("jython.jar", f"-Dpython.cachedir={self.work}",
                   "org.python.util.jython", self.work / "load.py",
                   versions=(17,), program=calls_functions)


if __name__ == "__main__":
    clewtest.main()
