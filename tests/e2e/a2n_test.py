#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests `clew a2n` and `clew cache`: generated code, processes, caches and
damage.

The tests read perf maps in the simplest possible way: in a list of all lines,
the last line that covers an address is right. tests/data/perfmap has maps of
real runtimes; $CLEW_TEST_DATA names another folder to use instead of
tests/data.
"""
import collections
import json
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import threading

from lib import a2n_truth, clewtest, wire
from lib.clewtest import slow

SOURCE = clewtest.ROOT / "tests" / "targets" / "inlines.cc"
LINE = re.compile(rb"(?:0x)?([0-9a-fA-F]{1,16})[ \t]+(?:0x)?([0-9a-fA-F]{1,16})"
                  rb"[ \t]+(.+)$")


def replay(data):
    """Returns [(start, end, name)], oldest first."""
    ranges = []
    for line in data.split(b"\n"):
        match = LINE.match(line)
        if match and 0 < int(match[2], 16) < 1 << 64 > int(
                match[1], 16) + int(match[2], 16):
            start = int(match[1], 16)
            ranges.append((start, start + int(match[2], 16),
                           match[3].decode(errors="replace")))
    return ranges


def newest(ranges, address):
    for start, end, name in reversed(ranges):
        if start <= address < end:
            return name
    return "??"


SWIFT = """
	.text
	.type "$s4main3FooV3baryyF", @function
"$s4main3FooV3baryyF":
	ret
	.size "$s4main3FooV3baryyF", . - "$s4main3FooV3baryyF"
	.globl main
	.type main, @function
main:
	xorl %eax, %eax
	ret
	.size main, . - main
	.section .note.GNU-stack
"""


class A2n(clewtest.Case):
    def setUp(self):
        super().setUp()
        self.cache = self.work / "cache"
        self.environment["XDG_CACHE_HOME"] = str(self.cache)

    def names(self, addresses, *options):
        done = self.run_program(
            [clewtest.CLEW, "a2n", "-f", *options], text=True,
            errors="replace", input="".join(f"{a:#x}\n" for a in addresses))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()[::2]

    def build(self, *flags, name="program"):
        path = self.work / name
        done = self.run_program(["g++", "-g", "-O2", "-Wl,--build-id", *flags,
                                 SOURCE, "-o", path], text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return path

    def indexes(self):
        return sorted(self.cache.rglob("*.a2n"))


class Symbols(A2n):
    def test_names_of_swift_are_names(self):
        source = self.work / "swift.s"
        source.write_text(SWIFT)
        program = self.work / "swift"
        self.run_program(["gcc", "-no-pie", "-o", program, source])
        symbols = self.run_program(["nm", program], text=True).stdout
        address, = (int(line.split()[0], 16) for line in symbols.splitlines()
                    if line.endswith(" $s4main3FooV3baryyF"))
        self.assertEqual(self.names([address], "-e", program),
                         ["$s4main3FooV3baryyF"])


class PerfMaps(A2n):
    def check(self, path):
        ranges = replay(path.read_bytes())
        edges = {edge + nudge for start, end, _ in ranges
                 for edge in (start, (start + end) // 2, end)
                 for nudge in (-1, 0)}
        addresses = sorted(edges)
        chance = random.Random(2)
        if len(addresses) > 20000:
            addresses = sorted(chance.sample(addresses, 20000))
        truth = [newest(ranges, a) for a in addresses]
        found = self.names(addresses, "--perf-map", path)
        wrong = [(hex(a), f, t) for a, f, t in zip(addresses, found, truth)
                 if f != t]
        self.assertEqual(wrong, [])
        self.assertGreater(sum(t != "??" for t in truth), len(truth) / 3)

    def generated(self, count=3000):
        """Returns a map with the lines that node, the JVM and mono write, and
        invalid ones."""
        chance = random.Random(3)
        lines = []
        for i in range(count):
            start = 0x7f0000000000 + chance.randrange(1 << 20)
            size = chance.choice((1, 16, 100, 3000))
            prefix = chance.choice(("", "0x", "0x00"))
            lines.append(f"{prefix}{start:x} {prefix}{size:x} "
                         f"JS:~f{i} name with spaces.js:{i}")
            if chance.random() < .1:
                lines.append(chance.choice(lines))
            if chance.random() < .05:
                lines.append(chance.choice((
                    "", "zz 10 bad", f"{start:x}", f"{start:x} 10",
                    f"{start:x} 0 empty", "10 ffffffffffffffffff huge",
                    "ffffffffffffffff 2 wraps", "-5 10 negative",
                    "\x01\x02\x03", f"{start:x} {size:x}")))
        return "\n".join(lines).encode()

    def test_newest_line_of_a_perf_map_counts(self):
        path = self.work / "map"
        path.write_bytes(self.generated() + b"\n7f0000000000 10")
        self.check(path)

    def test_perf_maps_of_real_runtimes_are_read(self):
        data = os.environ.get("CLEW_TEST_DATA",
                              clewtest.ROOT / "tests" / "data")
        maps = sorted((pathlib.Path(data) / "perfmap").glob("*.map"))
        if not maps:
            self.skipTest("no $CLEW_TEST_DATA/perfmap here")
        for path in maps:
            with self.subTest(path=path.name):
                self.check(path)

    def test_malformed_lines_are_counted(self):
        path = self.work / "map"
        path.write_text("10 10 a\nnonsense\n20 10 b\n\n30 zz c\n40 10 d")
        done = self.clew("a2n", "--perf-map", path, "-f", "0x41")
        self.assertIn("3 records read, 3 malformed", done.stderr)
        self.assertEqual(done.stdout, "d\n??:0\n")

    def test_list_shows_the_newest_code_of_each_range(self):
        path = self.work / "map"
        path.write_text("10 20 old\n18 8 new\n100 10 other\n")
        done = self.clew("a2n", "--perf-map", path, "--list")
        self.assertEqual(done.stdout.splitlines(), [
            f"{start:016x} {end:016x} {name}" for start, end, name in
            ((0x10, 0x18, "old"), (0x18, 0x20, "new"), (0x20, 0x30, "old"),
             (0x100, 0x110, "other"))])
        for argv in (["--list"], ["--list=lines", "--perf-map", path],
                     ["--list", "-p", str(os.getpid())]):
            self.assertEqual(self.clew("a2n", *argv).returncode, 64)

    def test_holes_of_a_file_are_not_read(self):
        path = self.work / "map"
        with path.open("wb") as file:
            file.write(b"10 10 first\n")
            file.seek(1 << 42)
            file.write(b"\n20 10 last\n")
        self.assertEqual(self.names([0x11, 0x21], "--perf-map", path),
                         ["first", "last"])

    def test_escape_sequences_are_defused(self):
        path = self.work / "map"
        path.write_bytes(b"10 10 evil\033[31m\n")
        self.assertEqual(self.names([0x10], "--perf-map", path),
                         ["evil?[31m"])

    def test_directories_and_devices_as_maps_are_refused(self):
        for path in ("/nowhere", "/dev/zero", str(self.work)):
            done = self.clew("a2n", "--perf-map", path, "0x10")
            self.assertEqual(done.returncode, 1)
            self.assert_one_line(done, "clew a2n", path)


class Jitdumps(A2n):
    """Jitdump files that the tests generate in both byte orders."""

    def header(self, order):
        return struct.pack(order + "IIIIIIQQ", 0x4a695444, 1, 40, 62, 0, 1, 0,
                           0)

    def record(self, order, kind, time, payload):
        return struct.pack(order + "IIQ", kind, 16 + len(payload),
                           time) + payload

    def load(self, order, time, start, size, index, name):
        return self.record(order, 0, time, struct.pack(
            order + "IIQQQQ", 1, 1, start, start, size, index)
            + name + b"\0" + b"\x90" * size)

    def move(self, order, time, old, new, size, index):
        return self.record(order, 1, time, struct.pack(
            order + "IIQQQQQ", 1, 1, old, old, new, size, index))

    def lines(self, order, start, entries):
        body = struct.pack(order + "QQ", start, len(entries))
        for address, line, file in entries:
            body += struct.pack(order + "QII", address, line, 0) + file + b"\0"
        return self.record(order, 2, 1, body)

    def write(self, order, *records):
        path = self.work / "jit.dump"
        path.write_bytes(self.header(order) + b"".join(records))
        return path

    def ask(self, path, address, *options):
        done = self.clew("a2n", "--jitdump", path, "-f", *options,
                         f"{address:#x}")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()

    def test_jitdump_code_is_named_by_its_time(self):
        for order in "<>":
            with self.subTest(order=order):
                path = self.write(
                    order,
                    self.load(order, 10, 0x1000, 0x100, 1, b"old"),
                    self.load(order, 20, 0x1080, 0x100, 2, b"new"),
                    self.move(order, 30, 0x1000, 0x5000, 0x100, 1),
                    self.record(order, 3, 40, b""))
                for time, address, name in (
                        (9, 0x1000, "??"), (10, 0x1000, "old"),
                        (19, 0x1090, "old"), (20, 0x1090, "new"),
                        (20, 0x1010, "old"), (29, 0x107f, "old"),
                        (30, 0x107f, "??"), (30, 0x1090, "new"),
                        (30, 0x5000, "old"), (29, 0x5000, "??"),
                        (99, 0x50ff, "old"), (99, 0x5100, "??")):
                    self.assertEqual(
                        self.ask(path, address, "--at", str(time))[0], name,
                        f"{address:#x} at {time}")

    def test_lines_of_both_kinds_of_writers_are_read(self):
        for order in "<>":
            for bias in (0, 0x40):
                with self.subTest(order=order, bias=bias):
                    path = self.write(
                        order,
                        self.lines(order, 0x1000,
                                   [(0x1000 + bias, 7, b"a.js"),
                                    (0x1010 + bias, 9, b"\xff"),
                                    (0x1020 + bias, 3, b"b.js")]),
                        self.load(order, 1, 0x1000, 0x100, 1, b"f"))
                    for address, place in ((0x1000, "a.js:7"),
                                           (0x100f, "a.js:7"),
                                           (0x1010, "a.js:9"),
                                           (0x1020, "b.js:3"),
                                           (0x10ff, "b.js:3")):
                        self.assertEqual(self.ask(path, address),
                                         ["f", place])

    def test_lines_outside_of_their_code_are_no_bad_records(self):
        path = self.write("<", self.lines("<", 0x1000, [(0x1000, 7, b"a.js"),
                                                        (0x1200, 8, b"a.js")]),
                          self.load("<", 1, 0x1000, 0x100, 1, b"f"))
        done = self.clew("a2n", "--jitdump", path, "-f", "0x1000")
        self.assertEqual(done.stdout, "f\na.js:7\n")
        self.assert_one_line(done, "skipped 1 line entries outside their code")

    def test_code_is_listed_as_it_was_at_a_time(self):
        path = self.write("<", self.load("<", 5, 0x1000, 0x100, 1, b"f"),
                          self.load("<", 9, 0x1000, 0x100, 2, b"g"))
        for time, name in (("6", "f"), ("9", "g")):
            done = self.clew("a2n", "--jitdump", path, "--list", "--at", time)
            self.assertEqual(done.stdout,
                             f"{0x1000:016x} {0x1100:016x} {name}\n")

    def test_unknown_and_cut_records_are_skipped(self):
        path = self.write(
            "<", self.record("<", 77, 1, b"what is this"),
            self.load("<", 1, 0x1000, 0x10, 1, b"f"),
            self.record("<", 4, 1, b"x" * 24),
            self.load("<", 1, 0x2000, 0x10, 2, b"g")[:-20])
        self.assertEqual(self.ask(path, 0x1000)[0], "f")
        self.assertEqual(self.ask(path, 0x2000)[0], "??")

    def test_other_files_as_jitdumps_are_refused(self):
        done = self.clew("a2n", "--jitdump", clewtest.CLEW, "0x10")
        self.assertEqual(done.returncode, 1)
        self.assert_one_line(done, "not a jitdump file")


class Processes(A2n):
    def test_functions_of_a_running_process_are_named(self):
        with subprocess.Popen(["/bin/sleep", "60"]) as process:
            try:
                self.check(process.pid)
            finally:
                process.kill()

    def check(self, pid):
        while True:
            maps = pathlib.Path(f"/proc/{pid}/maps").read_text()
            libc = re.search(r"([0-9a-f]+)-\S+ r-xp ([0-9a-f]+) .*?(/.*libc\."
                             r"so\.6)", maps)
            if libc:
                break
            os.sched_yield()
        start, offset = int(libc[1], 16), int(libc[2], 16)
        out = subprocess.run(["nm", "-D", "--defined-only", libc[3]],
                             text=True, check=True,
                             stdout=subprocess.PIPE).stdout
        vaddr = next(int(line.split()[0], 16) for line in out.splitlines()
                     if line.endswith(" T printf@@GLIBC_2.2.5"))
        # In libc, addresses and file offsets of .text are equal.
        found = self.names([start - offset + vaddr], "-p", str(pid))
        self.assertIn(found[0], ("printf", "_IO_printf", "__printf"))

    def test_functions_of_the_vdso_are_named(self):
        """Looks up functions of this process's vDSO and compares them with nm's
        output."""
        maps = pathlib.Path("/proc/self/maps").read_text()
        found = re.search(r"^([0-9a-f]+)-([0-9a-f]+) .*\[vdso\]$", maps, re.M)
        if not found:
            self.skipTest("no vDSO here")
        start, end = int(found[1], 16), int(found[2], 16)
        image = self.work / "vdso"
        with open("/proc/self/mem", "rb") as memory:
            memory.seek(start)
            image.write_bytes(memory.read(end - start))
        aliases = {}
        for line in self.run_program(["nm", "-D", image],
                                     text=True).stdout.splitlines():
            vaddr, kind, name = line.split()
            if kind in "TWtw":
                aliases.setdefault(int(vaddr, 16), set()).add(
                    name.split("@")[0])
        self.assertTrue(any("__vdso_clock_gettime" in names
                            for names in aliases.values()))
        answers = self.names([start + vaddr + 1 for vaddr in aliases], "-p",
                             str(os.getpid()))
        for name, names in zip(answers, aliases.values()):
            self.assertIn(name, names)

    def test_a_missing_process_is_an_error(self):
        done = self.clew("a2n", "-p", "999999999", "0x10")
        self.assertEqual(done.returncode, 1)
        self.assert_one_line(done, "process 999999999")


class Output(A2n):
    def assert_places_agree(self, ours, theirs):
        """Compares places line by line, without names, because demanglers have
        styles of their own.

        Nearly all known places are equal. A few discriminators differ:
        addr2line takes the first one at an address and clew takes the last one.
        """
        ours, theirs = ours.splitlines(), theirs.splitlines()
        self.assertEqual(len(ours), len(theirs))
        places = [(a, b) for a, b in zip(ours, theirs)
                  if re.search(r"[^?]:[1-9]\d*", b)]
        self.assertGreater(len(places), len(ours) / 4)
        same = sum(a == b for a, b in places)
        self.assertGreater(same, len(places) * 0.98)

    def test_output_equals_that_of_addr2line(self):
        path = self.build()
        start, size, _ = a2n_truth.text_section(path)
        addresses = "".join(f"{a:#x}\n" for a in range(start, start + size, 9))
        for options in ("-a", "-f", "-fa", "-ifa", "-ifaC", "-fs", "-ifs"):
            argv = [options, "-e", path]
            ours = self.run_program([clewtest.CLEW, "a2n", *argv], text=True,
                                    input=addresses)
            theirs = self.run_program(["addr2line", *argv], text=True,
                                      input=addresses)
            self.assert_places_agree(ours.stdout, theirs.stdout)

    def test_output_equals_that_of_llvm_symbolizer(self):
        path = self.build()
        start, size, _ = a2n_truth.text_section(path)
        lines = "".join(f"{path} {a:#x}\n"
                        for a in range(start, start + size, 9))
        ours = self.run_program([clewtest.CLEW, "a2n", "--style=llvm"],
                                text=True, input=lines)
        theirs = self.run_program(["llvm-symbolizer"], text=True, input=lines)
        self.assert_places_agree(ours.stdout, theirs.stdout)

    def test_lines_that_are_no_address_are_answered_alike(self):
        path = self.build()
        junk = "sixteen\n\n  \nzz\n"
        for options in ("-s", "-f", "-fa", "-if"):
            argv = [options, "-e", path]
            ours = self.run_program([clewtest.CLEW, "a2n", *argv], text=True,
                                    input=junk)
            theirs = self.run_program(["addr2line", *argv], text=True,
                                      input=junk)
            self.assertEqual(ours.stdout, theirs.stdout.replace(
                ":?", ":0"), options)
        done = self.run_program(
            [clewtest.CLEW, "a2n", "--json", "-e", path], text=True,
            input="what?\n")
        self.assertEqual(json.loads(done.stdout),
                         {"input": "what?", "frames": []})

    def test_json_escapes_control_characters_of_input(self):
        path = self.build()
        done = self.run_program(
            [clewtest.CLEW, "a2n", "--json", "-e", path], text=True,
            input="no\taddress\x01\"\n")
        self.assertEqual(json.loads(done.stdout),
                         {"input": "no\taddress\x01\"", "frames": []})

    def test_a_file_that_is_cut_short_is_refused(self):
        path = self.build()
        whole = path.read_bytes()
        for length in (len(whole) - 1, len(whole) // 2, 200):
            path.write_bytes(whole[:length])
            for argv in (["10"], ["--list"]):
                done = self.clew("a2n", "--no-cache", "-e", path, *argv)
                self.assertEqual(done.returncode, 1)
                self.assert_one_line(done, "the file is truncated")
                self.assertEqual(done.stdout, "")

    def test_json_has_the_same_content_as_text(self):
        path = self.build()
        symbols = a2n_truth.aliases(path)
        done = self.clew("a2n", "-e", path, "--list=symbols", "--json")
        ranges = [json.loads(line) for line in done.stdout.splitlines()]
        starts = [int(r["start"], 16) for r in ranges]
        self.assertEqual(starts, sorted(starts))
        main = next(r for r in ranges
                    if r["frames"][-1]["function"] == "main")
        self.assertIn("main", symbols)
        done = self.clew("a2n", "-e", path, "--json", main["start"])
        answer = json.loads(done.stdout)
        self.assertEqual(answer["address"], main["start"])
        self.assertEqual(answer["frames"][-1]["function"], "main")
        self.assertTrue(answer["frames"][-1]["file"].endswith("inlines.cc"))

    def test_list_of_lines_is_disjoint_and_agrees(self):
        path = self.build()
        done = self.clew("a2n", "-e", path, "--list=lines", "--json")
        ranges = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertGreater(len(ranges), 300)
        end = 0
        for one in ranges:
            self.assertGreaterEqual(int(one["start"], 16), end)
            end = int(one["end"], 16)
        middles = [(int(r["start"], 16) + int(r["end"], 16)) // 2
                   for r in ranges]
        done = self.run_program([clewtest.CLEW, "a2n", "-e", path, "--json"],
                                text=True,
                                input="".join(f"{m:x}\n" for m in middles))
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([a["frames"] for a in answers],
                         [r["frames"] for r in ranges])

    def test_each_failure_of_a2n_has_its_exit_status(self):
        for argv, status in ((["-e", "/nowhere", "10"], 1),
                             (["-e", "/etc/passwd", "10"], 1),
                             (["-e", clewtest.CLEW, "sixteen"], 1),
                             (["--list"], 64), (["10"], 64),
                             (["-e", clewtest.CLEW, "-p", "1"], 64),
                             (["--style=odd"], 64), (["--help"], 0)):
            done = self.clew("a2n", *argv)
            self.assertEqual(done.returncode, status, argv)
        done = self.run_program(
            ["/bin/sh", "-c", f"{clewtest.CLEW} a2n -e {clewtest.CLEW} 10 "
             ">/dev/full"], text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write", done.stderr)


class Reports(A2n):
    def test_reports_have_files_and_lines(self):
        path = self.build()
        done = self.record([path])
        self.assertEqual(done.returncode, 0, done.stderr)
        report = self.clew_json("report", "--json", self.recording_path)
        rows = [f for f in report["functions"]
                if f.get("module", "").endswith("/program")]
        places = a2n_truth.llvm_symbolizer(
            path, [int(row["vaddr"], 16) for row in rows])
        checked = 0
        for row, frames in zip(rows, places):
            _, file, line = frames[-1]
            if line:
                self.assertEqual((row["file"], row["line"]), (file, line))
                checked += 1
        self.assertGreater(checked, 3)
        named = next(row for row in rows if row["name"] == "inlines_plain")
        place = f"{named['file']}:{named['line']}"
        for command in ("report", "tree"):
            plain = self.clew(command, self.recording_path).stdout
            lines = self.clew(command, "--lines", self.recording_path).stdout
            self.assertNotIn(place, plain)
            self.assertRegex(lines, r"inlines_plain.*  " + re.escape(place))


    def inlined_at(self, path, vaddrs):
        """Returns the names of the functions inlined at each address, outermost
        first."""
        found = [[function for function, _, _ in frames[-2::-1]]
                 for frames in a2n_truth.llvm_symbolizer(path, vaddrs)]
        mangled = sorted({name for names in found for name in names})
        plain = subprocess.run(["c++filt", "-n"], check=True, text=True,
                               input="\n".join(mangled),
                               stdout=subprocess.PIPE).stdout.splitlines()
        demangle = dict(zip(mangled, plain))
        return [[demangle[name] for name in names] for names in found]

    def expected_paths(self, part, module, path, names):
        """Returns the path from the root to each context, and its number of
        calls."""
        contexts, counts = part.contexts(), part.counts()
        functions = {f.number: f for m in part.modules for f in m.functions}
        sites = {c.id: (c.site & (1 << 48) - 1) - module.base - 1
                 for c in contexts.values()
                 if c.parent in contexts and c.site & (1 << 48) - 1 and
                 functions[contexts[c.parent].function].module is module}
        inlined = dict(zip(sites, self.inlined_at(path, sites.values())))

        def way(context):
            function = functions[context.function]
            own = (names[function.module.path, function.vaddr],)
            if context.parent not in contexts:
                return own
            return (way(contexts[context.parent]) +
                    tuple(inlined.get(context.id, ())) + own)

        paths = collections.Counter()
        for context in contexts.values():
            paths[way(context)] += counts[context.id]
        return paths

    def test_tree_has_inlined_functions(self):
        path = self.build("-static-libstdc++")
        # Samples would add frames that were never counted.
        done = self.record([path], ["--time=none"])
        self.assertEqual(done.returncode, 0, done.stderr)
        tree = self.clew_json("tree", "--json", "--inlines",
                              self.recording_path)
        functions = tree["functions"]
        for function in functions:  # addr2line has no such marks
            function["name"] = re.sub(r" \[(base|deleting|unified)\]$", "",
                                      function["name"])
        nodes = {node["id"]: node for node in tree["contexts"]}
        names = {(f["module"], int(f["vaddr"], 16)): f["name"]
                 for f in functions if "vaddr" in f}

        def way(node):
            own = (functions[node["function"]]["name"],)
            return (way(nodes[node["parent"]]) + own
                    if node["parent"] in nodes else own)

        seen = {way(node): node["calls"] for node in nodes.values()
                if "inlined" not in functions[node["function"]]}
        part, = wire.Recording(self.recording_path).parts
        module = next(m for m in part.modules if m.path == str(path))
        self.assertEqual(
            seen, self.expected_paths(part, module, path, names))
        inlined = [n for n in nodes.values()
                   if functions[n["function"]].get("inlined")]
        self.assertGreater(len(inlined), 20)
        self.assertEqual({n["calls"] for n in inlined}, {0})
        text = self.clew("tree", "--inlines", "--lines",
                         self.recording_path).stdout
        self.assertRegex(text, r"header_step.* \(inlined\)  at \S+:\d+|"
                         r"\(inlined\)  at \S*inlines\.cc:\d+")


class Cache(A2n):
    def ask(self, path, *options):
        """Returns the function at an address, and the output of -v."""
        address = f"{a2n_truth.text_section(self.work / path)[0] + 8:#x}"
        done = self.clew("a2n", "-v", "-f", *options, "-e", path, address)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, done.stderr

    def test_second_run_of_a2n_uses_the_cached_index(self):
        path = self.build()
        first = self.ask(path)
        self.assertIn(", new", first[1])
        self.assertEqual(len(self.indexes()), 1)
        second = self.ask(path)
        self.assertIn(", cached", second[1])
        self.assertEqual(first[0], second[0])

    def test_damaged_index_is_made_again(self):
        path = self.build()
        first = self.ask(path)
        index = self.indexes()[0]
        whole = index.read_bytes()
        chance = random.Random(4)
        for _ in range(20):
            broken = bytearray(whole)
            broken[chance.randrange(len(broken))] ^= 1 << chance.randrange(8)
            index.write_bytes(broken)
            again = self.ask(path)
            self.assertIn(", new", again[1])
            self.assertEqual(first[0], again[0])
            self.assertEqual(index.read_bytes(), whole)
        index.write_bytes(whole[:-1])
        self.assertIn(", new", self.ask(path)[1])
        index.write_bytes(b"")
        self.assertIn(", new", self.ask(path)[1])

    def test_processes_at_the_same_time_share_one_index(self):
        path = self.build()
        said = []
        threads = [threading.Thread(
            target=lambda: said.append(self.ask(path))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(said), 8)
        self.assertEqual(len({out for out, _ in said}), 1)
        self.assertEqual(sum(", new" in err for _, err in said), 1)
        self.assertEqual(len(self.indexes()), 1)
        self.assertEqual(list(self.cache.rglob("tmp-*")), [])

    def test_debug_file_that_appears_is_used(self):
        plain = self.build()
        path, debug = self.work / "stripped", self.work / "stripped.debug"
        for argv in (["objcopy", "--only-keep-debug", plain, debug],
                     ["objcopy", "-S", f"--add-gnu-debuglink={debug}", plain,
                      path]):
            self.assertEqual(self.run_program(argv).returncode, 0)
        hidden = debug.rename(self.work / "hidden")
        self.assertIn("missing: no debug information", self.ask(path)[1])
        self.assertIn(", cached", self.ask(path)[1])
        hidden.rename(debug)
        said = self.ask(path)[1]
        self.assertIn(", new", said)
        self.assertIn(f"lines: {debug}", said)
        debug.unlink()
        self.assertIn("missing: no debug information", self.ask(path)[1])

    def test_debug_file_beside_another_copy_is_used(self):
        plain = self.build()
        path, debug = self.work / "stripped", self.work / "stripped.debug"
        for argv in (["objcopy", "--only-keep-debug", plain, debug],
                     ["objcopy", "-S", f"--add-gnu-debuglink={debug}", plain,
                      path]):
            self.assertEqual(self.run_program(argv).returncode, 0)
        copy = self.work / "elsewhere" / "stripped"
        copy.parent.mkdir()
        shutil.copy(path, copy)
        self.assertIn("missing: no debug information", self.ask(copy)[1])
        self.assertIn(", cached", self.ask(copy)[1])
        for named in (path, "stripped", "./stripped"):
            self.assertIn(f"lines: {debug}", self.ask(named)[1])
        said = self.ask(copy)[1]
        self.assertIn(f"lines: {debug}", said)
        self.assertIn(", cached", said)

    def test_indexing_works_without_a_cache_folder(self):
        path = self.build()
        first = self.ask(path)
        for folder in ("/proc/nowhere", "/dev/null"):
            self.environment["XDG_CACHE_HOME"] = folder
            again = self.ask(path)
            self.assertIn(", new", again[1])
            self.assertEqual(first[0], again[0])

    def test_cache_is_listed_pruned_and_warmed(self):
        path = self.build()
        done = self.clew("cache", "warm", "--no-libraries", path,
                         "/etc/passwd")
        self.assertEqual(done.returncode, 1)
        self.assertIn("rows", done.stdout)
        self.assertIn("/etc/passwd: not a 64-bit ELF file", done.stderr)
        listed = self.clew_json("cache", "ls", "--json")
        self.assertEqual([entry["module"] for entry in listed], [str(path)])
        self.assertIn(str(path), self.clew("cache", "ls").stdout)
        self.clew("cache", "prune")
        self.assertEqual(len(self.indexes()), 1)
        old = self.indexes()[0]
        os.utime(old, (1, 1))
        self.assertIn("1 file removed", self.clew("cache", "prune").stdout)
        self.assertEqual(self.indexes(), [])
        self.clew("cache", "warm", "--no-libraries", path)
        self.clew("cache", "prune", "--max-size", "1")
        self.assertEqual(self.indexes(), [])
        for argv in ([], ["odd"], ["warm"], ["ls", "more"]):
            self.assertEqual(self.clew("cache", *argv).returncode, 64)


class Damage(A2n):
    """The worker reads damaged files."""

    def damaged(self, whole, chance):
        data = bytearray(whole)
        for _ in range(chance.choice((1, 3, 20, 200))):
            at = chance.randrange(len(data))
            data[at] = chance.choice((0, 1, 0x7f, 0x80, 0xff,
                                      chance.randrange(256)))
        if chance.random() < .1:
            del data[chance.randrange(64, len(data)):]
        return data

    def debug_sections(self, path):
        out = subprocess.run(["readelf", "-SW", path], check=True, text=True,
                             stdout=subprocess.PIPE).stdout
        return [(int(offset, 16), int(size, 16)) for offset, size in
                re.findall(r"\.debug_\w+\s+PROGBITS\s+\w+ (\w+) (\w+)", out)]

    def survive(self, path):
        done = self.clew("a2n", "--no-cache", "-v", "-ifC", "-e", path, "1100",
                         "1500", "2000", timeout=60, errors="replace")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertNotIn("Sanitizer", done.stderr)
        return done

    def damage_all(self, seed, *flags):
        whole = self.build(*flags).read_bytes()
        sections = self.debug_sections(self.work / "program")
        self.assertGreater(len(sections), 4)
        chance = random.Random(seed)
        path = self.work / "damaged"
        for i in range(120):
            if i % 4 == 0:
                data = self.damaged(whole, chance)
            else:
                offset, size = chance.choice(sections)
                data = bytearray(whole)
                data[offset:offset + size] = self.damaged(
                    whole[offset:offset + size], chance).ljust(size, b"\0")
            path.write_bytes(data)
            self.survive(path)

    def test_damaged_dwarf_5_is_survived(self):
        self.damage_all(5, "-gdwarf-5")

    @slow
    def test_damaged_dwarf_4_is_survived(self):
        self.damage_all(6, "-gdwarf-4")

    @slow
    def test_damaged_compressed_dwarf_is_survived(self):
        self.damage_all(7, "-gz")

    def test_oversized_section_is_refused_and_symbols_remain(self):
        """A section claims to decompress to more bytes than the worker may
        allocate."""
        path = self.build("-gz")
        out = subprocess.run(["readelf", "-SW", path], check=True, text=True,
                             stdout=subprocess.PIPE).stdout
        offset = int(re.search(r"\.debug_info\s+\w+\s+\w+ (\w+)", out)[1], 16)
        with open(path, "r+b") as file:
            file.seek(offset + 8)
            file.write(struct.pack("<Q", 1 << 33))
        done = self.survive(path)
        self.assertRegex(done.stderr, "missing: no debug information: a "
                         "section of .* is (too large|damaged)")
        main = a2n_truth.text_section(path)[0]
        self.assertNotEqual(self.names([main + 8], "-e", path), ["??"])


if __name__ == "__main__":
    clewtest.main()
