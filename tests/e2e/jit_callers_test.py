#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""With `record --jit-callers`, functions called by generated code appear below
it."""
import collections
import re

from lib import announced, clewtest
from lib.clewtest import needs, slow, target

CALLS = 3000
OPTIONS = ("--jit-callers", "--verify-period=1")


class Case(announced.Case):
    def edges(self, wanted):
        """Returns {(caller, callee): calls} for callees whose names match."""
        tree = self.clew_json("tree", "--json", "-t", "0", self.recording_path)
        names = {one["id"]: tree["functions"][one["function"]]["name"]
                 for one in tree["contexts"]}
        found = collections.Counter()
        for one in tree["contexts"]:
            if re.fullmatch(wanted, names[one["id"]]):
                found[names.get(one["parent"], ""), names[one["id"]]] += \
                    one["calls"]
        return +found

    def assert_verified(self):
        about = self.clew_json("report", "--json", self.recording_path)
        self.assertEqual(about["problems"], [])
        calls = about["confidence"]
        for verdicts in calls, calls["contexts"]:
            self.assertGreater(verdicts["verified"], 0)
            self.assertEqual((verdicts["collisions"], verdicts["diverged"]),
                             (0, 0), calls)


class Truth(Case):
    def check(self, *options, flavour="O2"):
        done = self.record([target("jitted", flavour), self.written, CALLS],
                           (*OPTIONS, *options), text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        truth = {tuple(line.split()[:2]): int(line.split()[2])
                 for line in done.stdout.splitlines()}
        self.assertIn(("twice", "upcaller"), truth)
        self.assertEqual(self.edges("leaf|upcaller|leaver"), truth)
        self.assert_verified()

    def test_every_call_is_counted_by_its_caller(self):
        for flavour in "O2", "O0":
            with self.subTest(flavour=flavour):
                self.check(flavour=flavour)

    def test_generated_callers_have_exact_times(self):
        self.check("--time=exact")

    def test_generated_callers_are_right_with_the_c_library_hooked(self):
        self.check("--libc")

    def test_generated_callers_are_omitted_by_default(self):
        self.record([target("jitted"), self.written, CALLS])
        self.assertFalse({caller for caller, _ in self.edges("leaf")}
                         & {"first", "second", "twice", "beside"})


class Runtimes(Case):
    """Real runtimes."""

    TURNS = 20000

    def check(self, argv, callers, callees, *options):
        native = self.run_program(argv, text=True)
        done = self.record(argv, (*OPTIONS, *options), text=True)
        self.assertEqual((done.returncode, done.stdout),
                         (native.returncode, native.stdout), done.stderr)
        self.assert_verified()
        found = collections.Counter()
        for (caller, callee), calls in self.edges(callees).items():
            if re.search(callers, caller):
                found[callee] += calls
        # The first iterations are interpreted.
        self.assertGreater(max(found.values()), self.TURNS * 0.9, found)
        self.assertLessEqual(max(found.values()), self.TURNS, found)

    @needs("luajit")
    def test_luajit_callers_are_recorded(self):
        (self.work / "calls.lua").write_text(f"""
local ffi = require "ffi"
ffi.cdef "unsigned long crc32(unsigned long, const char *, unsigned);"
local z, sum = ffi.load "libz.so.1", 0
for i = 1, {self.TURNS} do sum = sum + tonumber(z.crc32(0, "abc", i % 3)) % 7 end
print(sum)
""", encoding="ascii")
        self.check(["luajit", "calls.lua"], "generated code of .*luajit",
                   "crc32")

    @needs("lli")
    def test_lli_callers_are_recorded(self):
        (self.work / "calls.ll").write_text(f"""
declare i64 @crc32(i64, i8*, i32)
@text = constant [4 x i8] c"abc\\00"
define i64 @calling(i64 %n) noinline {{
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %p = getelementptr [4 x i8], [4 x i8]* @text, i64 0, i64 0
  %r = call i64 @crc32(i64 0, i8* %p, i32 3)
  %j = add i64 %i, 1
  %more = icmp ult i64 %j, %n
  br i1 %more, label %loop, label %done
done:
  ret i64 %r
}}
define i32 @main() {{
  %r = call i64 @calling(i64 {self.TURNS})
  ret i32 0
}}
""", encoding="ascii")
        self.check(["lli", "-jit-kind=orc", "-load=libz.so.1", "calls.ll"],
                   "^calling$", "crc32", "--module=libz.so.1")

    @needs("php")
    @slow
    def test_php_callers_are_recorded(self):
        modules = self.run_program(["php", "-m"], text=True).stdout
        if "Zend OPcache" not in modules:
            self.skipTest("no opcache here")
        (self.work / "calls.php").write_text(f"""<?php
function calling($n) {{
  $list = [];
  for ($i = 0; $i < $n; $i++) $list[] = $i;
  return count($list);
}}
echo calling({self.TURNS}), "\\n";
""", encoding="ascii")
        argv = ["php", "-d", "opcache.enable_cli=1", "-d",
                "opcache.jit=function", "-d", "opcache.jit_buffer_size=16M",
                "-d", "opcache.jit_debug=0x10", "-d",
                "opcache.file_update_protection=0", "calls.php"]
        self.check(argv, "calling", ".*")


if __name__ == "__main__":
    clewtest.main()
