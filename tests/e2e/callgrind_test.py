#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Counts equal those of callgrind, which simulates every instruction.

simulation.py runs one program under both tools. Every function that clew hooked
must have as many calls as callgrind reports. The exceptions are named and
explained by resolvers() and address_dependent() in simulation.py and by
loops_to_entry() below. Functions that clew refuses to hook are not compared.
The functions of sameness.c are part of the test and not compared either.
"""
import re
import shutil

from lib import callgrind, clewtest, simulation
from lib.clewtest import PYTHON_FILE, needs

PYTHON_LOAD = """
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(13))
words = {}
for i in range(3000): words.setdefault(str(i * 7919 % 101), []).append(i)
print(sorted((len(v), k) for k, v in words.items())[:3])
print(sum(len("%d:%s" % (i, "x" * (i % 7))) for i in range(2000)))
try: [][1]
except IndexError as e: print(e)
"""

SQL_LOAD = """
create table t(id integer primary key, name text, v real);
with recursive n(i) as (select 1 union all select i+1 from n where i<600)
insert into t select i, 'name' || (i * 7919 % 100), i / 7.0 from n;
create index byname on t(name);
select count(*), sum(v), min(name), max(name) from t;
select name, count(*) c from t group by name order by c desc, name limit 3;
update t set v = v * 2 where id % 3 = 0;
delete from t where name like '%9';
select count(*), round(sum(v), 3) from t;
"""

LUA_LOAD = """
local function fib(n) if n < 2 then return n end
  return fib(n - 1) + fib(n - 2) end
print(fib(15))
local t = {}
for i = 1, 2000 do t[i] = (i * 7919) % 1007 end
table.sort(t)
print(t[1], t[#t], ("x"):rep(100):gsub("x", "yz"):len())
local s = {}
for i = 1, 500 do s[#s + 1] = tostring(i) .. "," end
print(#table.concat(s))
"""


class Callgrind(simulation.Case):
    def compare(self, program, *arguments, **options):
        runs = self.run_both(program, *arguments, **options)
        with_clew = self.calls(runs.part)
        with_callgrind = callgrind.calls(runs.simulated)
        lines = [f"{name}+{vaddr:#x}: clew {with_clew[name, vaddr]}, "
                 f"callgrind {with_callgrind[name, vaddr]}"
                 for (name, vaddr), function in runs.keys.items()
                 if (name, vaddr) not in runs.excused
                 and with_clew[name, vaddr] != with_callgrind[name, vaddr]
                 and not self.loops_to_entry(name, function)]
        if lines:
            self.fail(f"{len(lines)} of {len(runs.keys)} functions differ\n"
                      + "\n".join(lines[:40]))
        return sum(with_callgrind[key] for key in runs.keys)

    def loops_to_entry(self, name, function):
        """Returns whether the function jumps to its own start.

        clew takes such a jump for a loop and callgrind for a call; the source
        may have had either.
        """
        listing = self.run_program(
            ["objdump", "-d", "--no-show-raw-insn",
             f"--start-address={function.vaddr:#x}",
             f"--stop-address={function.vaddr + function.size:#x}",
             self.work / "modules" / name], text=True).stdout
        return re.search(rf"\sj\w+\s+{function.vaddr:x}\b", listing)

    @needs("valgrind", "sqlite3")
    def test_counts_of_sqlite3_are_those_of_callgrind(self):
        compared = self.compare(shutil.which("sqlite3"), ":memory:",
                                input=SQL_LOAD.encode())
        self.assertGreater(compared, 200000)

    @needs("valgrind", "luajit")
    def test_counts_of_luajit_are_those_of_callgrind(self):
        compared = self.compare(shutil.which("luajit"), "-joff", "-e",
                                LUA_LOAD)
        self.assertGreater(compared, 10000)

    @needs("valgrind")
    def test_counts_of_python3_are_those_of_callgrind(self):
        compared = self.compare(PYTHON_FILE, "-S", "-s", "-c", PYTHON_LOAD,
                                variable="PYTHONHASHSEED=0")
        self.assertGreater(compared, 300000)


if __name__ == "__main__":
    clewtest.main()
