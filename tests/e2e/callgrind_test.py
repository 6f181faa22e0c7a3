#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Counts equal those of callgrind, which simulates every instruction.

One program is run under both, on a fixed load, from copies of its modules
that lie at the same paths, with sameness.c's help against randomness. Before
callgrind's turn the copies get symbols for the functions that clew found, or
callgrind would not know where one ends.

Every function that clew hooked must have been called as often as callgrind
says, but for those that resolvers(), address_dependent() and loops_to_entry()
name, and say why.
Functions that clew refuses to hook are not compared, and sameness.c's own are
the measuring apparatus.
"""
import collections
import re
import shutil
import unittest

import callgrind
import clewtest
import symtab
import wire
from clewtest import PYTHON, needs

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


RUNS = 6
SAMENESS = clewtest.BUILD / "tests" / "e2e" / "libsameness.so"


class Callgrind(clewtest.Case):
    def copy_modules(self, program):
        """Of the program and its libraries but libc's; the copy's path."""
        folder = self.work / "modules"
        folder.mkdir()
        listing = self.run_program(["ldd", program], text=True).stdout
        libraries = re.findall(r"=> (/\S+)", listing)
        for path in [program, SAMENESS, *libraries]:
            name = str(path).rsplit("/", 1)[-1]
            if not re.match(r"(libc|libm|libpthread|libdl)\.so", name):
                shutil.copy(path, folder / name)
        self.environment["LD_LIBRARY_PATH"] = str(folder)
        return folder / program.rsplit("/", 1)[-1]

    def count_with_clew(self, argv, **options):
        """{(module, vaddr): calls}, and the modules that were hooked."""
        done = self.record(argv, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        part = self.recording().parts[0]
        self.assert_nothing_lost(part)
        counted = collections.Counter()
        calls = part.counts()
        for context in part.contexts().values():
            function = part.functions[context.function]
            counted[function.module.name, function.vaddr] += \
                calls.get(context.id, 0)
        return done, counted, [m for m in part.modules
                               if m.state_name == "HOOKED"]

    def count_with_callgrind(self, argv, modules, **options):
        for module in modules:
            symtab.add(self.work / "modules" / module.name,
                       [(f"f_{f.vaddr:x}", f.vaddr, f.size)
                        for f in module.functions])
        output = self.work / "callgrind.out"
        done = self.run_program(callgrind.command(output, argv), **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done, callgrind.calls(output)

    def compare(self, program, *arguments, variable="A=1", **options):
        argv = [self.copy_modules(program), *arguments]
        self.environment["LD_PRELOAD"] = str(argv[0].parent / SAMENESS.name)
        self.environment["SAMENESS"] = f"{argv[0].name}:{variable}"
        runs = [self.count_with_clew(argv, **options) for _ in range(RUNS)]
        recorded, with_clew, modules = runs[0]
        simulated, with_callgrind = self.count_with_callgrind(argv, modules,
                                                              **options)
        self.assertEqual(recorded.stdout, simulated.stdout)
        excused = self.resolvers(modules) | \
            self.address_dependent([counted for _, counted, _ in runs])
        keys = {(module.name, function.vaddr): function
                for module in modules for function in module.functions
                if wire.VERDICTS[function.verdict][1] == "HOOKED"
                and module.name != SAMENESS.name}
        lines = [f"{name}+{vaddr:#x}: clew {with_clew[name, vaddr]}, "
                 f"callgrind {with_callgrind[name, vaddr]}"
                 for name, vaddr in keys if (name, vaddr) not in excused
                 and with_clew[name, vaddr] != with_callgrind[name, vaddr]
                 and not self.loops_to_entry(name, keys[name, vaddr])]
        if lines:
            self.fail(f"{len(lines)} of {len(keys)} functions differ\n"
                      + "\n".join(lines[:40]))
        return sum(with_callgrind[key] for key in keys)

    def address_dependent(self, runs):
        """What clew alone does not count the same in every run.

        Where the kernel puts the modules changes from run to run, and some
        tables hash addresses in them: luajit's, of its built-in functions.
        To callgrind's run they lie in one more place. They are few.
        """
        keys = set().union(*runs)
        varying = {key for key in keys if len({run[key] for run in runs}) > 1}
        self.assertLessEqual(len(varying), 3, varying)
        return varying

    def loops_to_entry(self, name, function):
        """Jumps from a function to its own start are loops to clew, calls to
        callgrind. The source may have had either."""
        listing = self.run_program(
            ["objdump", "-d", "--no-show-raw-insn",
             f"--start-address={function.vaddr:#x}",
             f"--stop-address={function.vaddr + function.size:#x}",
             self.work / "modules" / name], text=True).stdout
        return re.search(rf"\sj\w+\s+{function.vaddr:x}\b", listing)

    def resolvers(self, modules):
        """Of indirect functions: ld.so calls them while it relocates, before
        there is anything of clew in the process."""
        found = set()
        for module in modules:
            path = self.work / "modules" / module.name
            text = self.run_program(["readelf", "-rW", "--dyn-syms", path],
                                    text=True).stdout
            for match in re.finditer(
                    r"R_X86_64_IRELATIV\s+([0-9a-f]+)|"
                    r":\s+([0-9a-f]+)\s+\d+\s+IFUNC", text):
                found.add((module.name, int(match[1] or match[2], 16)))
        return found

    @needs("valgrind", "sqlite3")
    def test_sqlite3(self):
        compared = self.compare(shutil.which("sqlite3"), ":memory:",
                                input=SQL_LOAD.encode())
        self.assertGreater(compared, 200000)

    @needs("valgrind", "luajit")
    def test_luajit(self):
        compared = self.compare(shutil.which("luajit"), "-joff", "-e",
                                LUA_LOAD)
        self.assertGreater(compared, 10000)

    @needs("valgrind")
    def test_python3(self):
        compared = self.compare(PYTHON + ".11", "-S", "-s", "-c", PYTHON_LOAD,
                                variable="PYTHONHASHSEED=0")
        self.assertGreater(compared, 300000)


if __name__ == "__main__":
    clewtest.main()
