#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Generated code has the names that the program announced for it."""
import collections
import os
import pathlib
import re
import shutil
import sqlite3

from lib import clewtest
from lib.announced import NOBODY, Case
from lib.clewtest import needs, target
from lib.disturbance import Disturbed, undisturbed

ANNOUNCES = target("announces")
REGISTERED = [target("registered", flavour)
              for flavour in ("O2", "O0", "cet")]
POINTS = 4.0  # maximal error of a share, in percentage points
BUSY_JS = """
function fibber(n) { return n < 2 ? n : fibber(n - 1) + fibber(n - 2); }
const begin = process.cpuUsage();
let sum = 0;
while (process.cpuUsage(begin).user < 1500000) sum += fibber(20);
console.log(sum > 0);
"""
BUSY_ERLANG = """
-module(busy).
-export([main/0]).
fibber(N) when N < 2 -> N;
fibber(N) -> fibber(N - 1) + fibber(N - 2).
loop(Sum, Begin) ->
    case statistics(runtime) of
        {Ms, _} when Ms < Begin + 1500 -> loop(Sum + fibber(20), Begin);
        _ -> Sum
    end.
main() ->
    {Begin, _} = statistics(runtime),
    io:format("~p~n", [loop(0, Begin) > 0]), halt().
"""
BUSY_PHP = """<?php
function adder($n) {
  $sum = 0;
  for ($i = 0; $i < $n; $i++) $sum = ($sum + $i * 7) % 1000003;
  return $sum;
}
$sum = 0;
do {
  $sum += adder(100000);
  $used = getrusage();
} while ($used["ru_utime.tv_sec"] + $used["ru_utime.tv_usec"] / 1e6 < 1);
echo $sum > 0, "\n";
"""
BUSY_CS = """
class Busy {
  static int Fibber(int n) { return n < 2 ? n : Fibber(n - 1) + Fibber(n - 2); }
  static void Main() {
    int sum = 0;
    for (int i = 0; i < 20000; i++) sum += Fibber(20);
    System.Console.WriteLine(sum != 0);
  }
}
"""


BUSY_LLVM = """
define i64 @fibber(i64 %n) noinline {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %s = phi i64 [ 0, %entry ], [ %t, %loop ]
  %m = mul i64 %s, 7
  %t = xor i64 %m, %i
  %j = add i64 %i, 1
  %more = icmp ult i64 %j, %n
  br i1 %more, label %loop, label %done
done:
  ret i64 %t
}
declare i32 @puts(i8*)
@one = constant [2 x i8] c"1\\00"
define i32 @main() {
  %r = call i64 @fibber(i64 700000000)
  %z = trunc i64 %r to i32
  %q = and i32 %z, 0
  %p = call i32 @puts(i8* getelementptr ([2 x i8], [2 x i8]* @one,
                                       i64 0, i64 0))
  ret i32 %q
}
"""


class Truth(Case):
    """The program measures the time it spends in each function."""

    def check_shares(self, done, recording=None):
        truth = collections.Counter()
        for line in done.stdout.splitlines():
            _, name, ns = re.fullmatch(r"(\d+) (.*) (\d+)", line).groups()
            truth[name] += int(ns)
        # The program's own time includes time in the kernel.
        found = self.functions(recording, "total_ns")
        total = sum(truth.values())
        for name in {"older", "newer", "beside", "asking", "over", NOBODY}:
            share, wanted = (100 * times.get(name, 0) / total
                             for times in (found, truth))
            if (share > 0) != (wanted > 0):
                self.fail(f"{name}: {share} % and not {wanted} %: {found}")
            if abs(share - wanted) > POINTS:
                raise Disturbed(f"{name}: {share} % and not {wanted} %")

    def announce(self, kind, way="", status=0, wanted=None):
        done = self.record([ANNOUNCES, kind, self.written, "400", way],
                           text=True)
        self.assertEqual((done.returncode, done.stderr), (status, ""))
        self.assertEqual(self.kept(), [wanted or {
            "map": ".perfmap", "jitdump": ".jitdump"}[kind]])
        return done

    def check(self, *arguments, **options):
        """Asserts that the names are in the recording, even after it is
        moved."""
        done = self.announce(*arguments, **options)
        shutil.rmtree(self.written)
        moved = self.work / "moved"
        shutil.rmtree(moved, ignore_errors=True)
        shutil.move(self.recording_path, moved)
        self.written.mkdir()
        self.check_shares(done, moved)
        self.assertEqual(self.problems, [])
        return done, moved

    @undisturbed
    def test_newest_name_of_a_perf_map_is_reported(self):
        self.check("map")

    @undisturbed
    def test_each_name_of_a_jitdump_is_reported_at_its_time(self):
        self.check("jitdump")

    @undisturbed
    def test_names_of_a_killed_process_are_known(self):
        self.check("map", "kill", -9)
        self.check("jitdump", "kill", -9)

    @undisturbed
    def test_jitdump_in_another_folder_is_found(self):
        self.environment["TMPDIR"] = str(self.work / "other")
        self.check("jitdump")
        self.check("jitdump", "kill", -9)

    @undisturbed
    def test_names_of_code_that_makes_system_calls_are_known(self):
        self.check("map", "kernel")

    @undisturbed
    def test_names_of_a_forked_child_are_known(self):
        self.check("map", "fork")

    @undisturbed
    def test_merged_recordings_have_names(self):
        done, moved = self.check("jitdump")
        merged = self.work / "merged"
        self.assertEqual(self.clew("merge", "-o", merged, moved).returncode, 0)
        shutil.rmtree(moved)
        self.check_shares(done, merged)

    def test_recording_made_again_has_names(self):
        for _ in range(3):
            self.announce("map")

    @undisturbed
    def test_every_view_has_names(self):
        _, moved = self.check("map", "kill", -9)
        dumped = self.clew("dump", moved).stdout
        self.assertNotIn("\njitdump ", dumped)
        for arguments in (["report"], ["tree"], ["report", "--function=newer"],
                          ["export", "--format=folded"],
                          ["export", "--format=csv"],
                          ["export", "--format=json"],
                          ["export", "--format=callgrind"],
                          ["export", "--format=chrome"],
                          ["export", "--format=speedscope"]):
            with self.subTest(arguments=arguments):
                done = self.clew(*arguments, moved)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("newer", done.stdout)
        database = self.work / "profile.db"
        self.clew("export", "--format=sqlite", "-o", database, moved)
        with sqlite3.connect(database) as connection:
            kinds = dict(connection.execute(
                "SELECT name, kind FROM functions"))
        self.assertEqual((kinds["newer"], kinds["beside"]),
                         ("generated", "generated"))

    @undisturbed
    def test_names_are_read_without_clew_record(self):
        """No `clew record` copies the map, so the report reads the original
        while it exists."""
        self.recording_path.mkdir()
        (self.recording_path / "config").write_text("time cpu\n")
        environment = {**self.environment,
                       "LD_PRELOAD": str(clewtest.LIBRARY),
                       "CLEW_DIR": str(self.recording_path)}
        done = self.run_program([ANNOUNCES, "map", self.written, "400"],
                                text=True, env=environment)
        self.assertEqual(self.kept(), [])
        try:
            self.check_shares(done)
        finally:
            shutil.rmtree(self.recording_path)


class Registered(Truth):
    """Code with a symbol file, registered through GDB's JIT interface."""

    def register(self, way="", status=0, program=REGISTERED[0]):
        done = self.record([program, "400", way], text=True)
        self.assertEqual((done.returncode, done.stderr), (status, ""))
        self.check_shares(done)
        return done

    @undisturbed
    def test_registered_code_is_named_at_its_time(self):
        for program in REGISTERED:
            with self.subTest(program=program):
                self.register(program=program)
                self.assertEqual(self.problems, [])

    @undisturbed
    def test_registered_code_of_a_killed_process_is_named(self):
        self.register("kill", -9)

    def names(self, way, program=REGISTERED[0]):
        """Returns the names of the only piece of code, which uses all of the
        program's time."""
        done = self.record([program, "400", way], text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return {"older", NOBODY} & set(self.functions())

    def test_endless_list_of_registered_code_is_survived(self):
        self.assertEqual(self.names("cyclic"), {"older"})
        self.assertEqual(self.problems, [])

    def test_unreadable_registered_code_is_reported(self):
        for way in "damaged", "huge", "gone":
            with self.subTest(way=way):
                self.assertEqual(self.names(way), {NOBODY})
                self.assertEqual(len(self.problems), 1)
                self.assertIn("1 registered object of generated code has no names: "
                              "clew found no readable function symbols in it",
                              self.problems[0])


    def test_unhooked_registering_function_is_reported(self):
        self.assertEqual(self.names("cyclic", target("registered", "tight")),
                         {NOBODY})
        self.assertEqual(len(self.problems), 1)
        self.assertIn("generated code has no names: clew cannot wrap "
                      "__jit_debug_register_code()", self.problems[0])


class Hostile(Case):
    """The files may have any owner and any content."""

    def record_one(self):
        self.record([ANNOUNCES, "map", self.written, "300"])
        self.path, = self.written.iterdir()
        self.copy, = self.recording_path.glob("*.perfmap")
        self.names = self.functions()
        self.assertIn("newer", self.names)

    def assert_unnamed(self):
        names = self.functions()
        self.assertNotIn("newer", names)
        self.assertIn(NOBODY, names)

    def test_links_and_pipes_are_not_read(self):
        self.record_one()
        whole = self.work / "whole"
        self.copy.rename(whole)
        self.path.unlink()
        for make in (lambda path: path.symlink_to(whole), os.mkfifo,
                     os.mkdir):
            for place in (self.path, self.copy):
                with self.subTest(place=place):
                    make(place)
                    self.assert_unnamed()
                    if place.is_dir() and not place.is_symlink():
                        place.rmdir()
                    else:
                        place.unlink()

    def test_map_of_another_time_is_ignored(self):
        self.record_one()
        self.copy.unlink()
        self.assertIn("newer", self.functions())
        for offset in (-3600, 3600):
            moment = self.recording_path.stat().st_mtime + offset
            os.utime(self.path, (moment, moment))
            self.assert_unnamed()

    @needs("setpriv")
    def test_map_of_another_user_is_ignored(self):
        if os.geteuid() != 0:
            self.skipTest("only root can give files away")
        self.record_one()
        self.copy.unlink()
        os.chown(self.path, 65534, 65534)
        # chown() leaves the modification time unchanged.
        self.assert_unnamed()

    def test_damaged_perf_map_is_reported(self):
        self.record_one()
        lines = self.copy.read_bytes()
        with open(self.copy, "ab") as file:
            file.write(b"ffffffffffffffff ffffffffffffffff all\n"
                       b"zzz\n\0\0\0\n" + os.urandom(4096).replace(b"\n", b"")
                       + b"\n" + b"1 1 \x1b[31mred\n" + lines[:7])
        self.assertEqual(self.functions(), self.names)
        self.assertRegex(" ".join(self.problems),
                         r"\.part: \d+ records of its perf map are malformed")
        shown = self.details(self.recording_path)
        self.assertIn("are malformed", shown)
        self.assertNotIn("\x1b", shown)

    def test_escape_sequences_in_announced_names_are_not_printed(self):
        self.record_one()
        text = self.copy.read_text(encoding="ascii")
        self.copy.write_text(text.replace("newer", "\x1b[31mne\twer\x7f"),
                             encoding="ascii")
        shown = self.clew("report", self.recording_path).stdout
        self.assertIn("wer", shown)
        self.assertNotIn("\x1b", shown)

    def test_file_that_is_no_jitdump_is_reported(self):
        self.record_one()
        self.copy.with_suffix(".jitdump").write_bytes(os.urandom(10000))
        self.assertEqual(self.functions(), self.names)
        self.assertRegex(" ".join(self.problems),
                         r"\.part: its jitdump cannot be read")


class Runtimes(Case):
    """Real runtimes that announce the code they generate."""

    def check(self, argv, name):
        recorded = self.record(argv, text=True)
        self.assertEqual(recorded.returncode, 0, recorded.stderr)
        self.assertIn(recorded.stdout, ("true\n", "True\n", "1\n"))
        self.remove_what_was_written()
        functions = self.functions()
        found = sum(ns for function, ns in functions.items()
                    if name in function)
        # The cost of the kernel's work for the runtime depends on the machine.
        own = sum(functions.values()) - functions.get("(kernel)", 0)
        self.assertGreater(found, own * 0.3, functions)
        self.assertGreater(found, 5 * functions.get(NOBODY, 0), functions)

    def remove_what_was_written(self):
        """Removes the files: most runtimes write to /tmp, whatever $TMPDIR
        contains."""
        for part in self.recording().parts:
            for name in (f"perf-{part.pid}.map", f"jit-{part.pid}.dump"):
                for folder in (pathlib.Path("/tmp"), self.work):
                    (folder / name).unlink(missing_ok=True)

    def node(self, *options):
        (self.work / "busy.js").write_text(BUSY_JS, encoding="ascii")
        self.check(["node", *options, "busy.js"], "fibber")

    @needs("node")
    def test_node_code_is_named_by_a_perf_map(self):
        self.node("--perf-basic-prof")
        self.assertEqual(self.kept(), [".perfmap"])

    @needs("node")
    def test_node_code_is_named_by_a_jitdump(self):
        self.node("--perf-prof")
        self.assertEqual(self.kept(), [".jitdump"])

    @needs("node")
    def test_node_code_is_named_by_a_jitdump_elsewhere(self):
        (self.work / "busy.js").write_text(BUSY_JS, encoding="ascii")
        self.check(["sh", "-c", "mkdir dumps; cd dumps; "
                    "exec node --perf-prof ../busy.js"], "fibber")
        self.assertEqual(self.kept(), [".jitdump"])

    @needs("node")
    def test_frames_of_the_interpreter_of_node_are_named(self):
        self.node("--perf-basic-prof", "--interpreted-frames-native-stack")

    @needs("erl", "erlc")
    def test_erlang_code_is_named(self):
        (self.work / "busy.erl").write_text(BUSY_ERLANG, encoding="ascii")
        self.assertEqual(self.run_program(["erlc", "busy.erl"]).returncode, 0)
        self.check(["erl", "+JPperf", "true", "-noshell", "-run", "busy",
                    "main"], "busy:fibber/1")

    @needs("erl", "erlc")
    def test_registered_erlang_code_is_named(self):
        """Erlang registers code without any option, in a format of its own. No
        problem mentions the parts that this format lacks."""
        (self.work / "busy.erl").write_text(BUSY_ERLANG, encoding="ascii")
        self.assertEqual(self.run_program(["erlc", "busy.erl"]).returncode, 0)
        self.check(["erl", "-noshell", "-run", "busy", "main"],
                   "busy:fibber/1")
        self.assertEqual(self.problems, [])

    @needs("lli")
    def test_lli_code_is_named(self):
        """LLVM registers the code that it generates with GDB's interface by
        default."""
        (self.work / "busy.ll").write_text(BUSY_LLVM, encoding="ascii")
        self.check(["lli", "-jit-kind=orc", "busy.ll"], "fibber")
        self.assertEqual(self.kept(), [])

    @needs("mono", "mcs")
    def test_mono_code_is_named(self):
        (self.work / "busy.cs").write_text(BUSY_CS, encoding="ascii")
        self.assertEqual(self.run_program(["mcs", "busy.cs"]).returncode, 0)
        self.check(["mono", "--jitmap", "busy.exe"], "Fibber")

    @needs("php")
    def test_php_code_is_named(self):
        """PHP opens its map through a function name that clew cannot
        interpose."""
        (self.work / "busy.php").write_text(BUSY_PHP, encoding="ascii")
        argv = ["php", "-d", "opcache.enable_cli=1", "-d",
                "opcache.jit=tracing", "-d", "opcache.jit_buffer_size=64M",
                "-d", "opcache.jit_debug=0x10", "-d",
                "opcache.file_update_protection=0", "busy.php"]
        modules = self.run_program(["php", "-m"], text=True).stdout
        if "Zend OPcache" not in modules:
            self.skipTest("no opcache here")
        self.check(argv, "adder")


if __name__ == "__main__":
    clewtest.main()
