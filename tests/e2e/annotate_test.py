#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`clew annotate` shows the time of a function by source line and
instruction.

The program is annotate.c, in which nearly all time is in one known line.
"""
import os
import pathlib
import re
import shutil
import subprocess
import unittest
import urllib.parse

from lib import clewtest, debuginfod, html_page, screen

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE / "annotate.c"
ROUNDS = 500
HOT_LINE = next(number for number, text in
                enumerate(SOURCE.read_text().splitlines(), 1)
                if "the hot line" in text)
# A loop in memory that the program maps: mov %edi,%ecx; 1: sub $1,%ecx; jne 1b;
# ret.
GENERATED = """
#include <string.h>
#include <sys/mman.h>
int main(void)
{
	static const unsigned char code[] = { 0x89, 0xf9, 0x83, 0xe9, 0x01,
					      0x75, 0xfb, 0xc3 };
	void *memory = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(memory, code, sizeof(code));
	((void (*)(int))memory)(400000000);
	return 0;
}
"""
# The compiler inlines fib() into itself several times.
RECURSIVE = """
#include <stdlib.h>
volatile unsigned int divisor = 3;
unsigned int fib(unsigned int n)
{
	if (n < 2)
		return n / divisor + 1;
	return fib(n - 1) + fib(n - 2) + n / divisor;
}
int main(int argc, char **argv)
{
	return fib(argc > 1 ? atoi(argv[1]) / 14 : 1) == 0; /* 500: fib(35) */
}
"""

# The short names of two instances of spin() are equal.
INSTANCES = """
#include <cstdlib>
template <class A, class B> struct Pair { A a; B b; };
volatile unsigned int divisor = 3, sum;
template <class T> __attribute__((noinline)) void spin(unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		sum += i / divisor * sizeof(T);
}
template <class T> __attribute__((noinline)) void turn(unsigned int count)
{
	spin<T>(count);
	spin<Pair<unsigned short, short>>(count);
	for (unsigned int i = 0; i < count; i++)
		sum += i / divisor;
}
int main(int, char **argv)
{
	for (int i = 0; i < std::atoi(argv[1]); i++)
		turn<Pair<unsigned long, long>>(100000);
}
"""

# Two inlined functions have similar names. One only calls another function.
PARTS = """
volatile unsigned int divisor = 3;
unsigned int counted;
void __attribute__((noinline)) count(void)
{
	counted++;
	__asm__ volatile("");
}
static inline __attribute__((always_inline)) void idle_part(void)
{
	count();
	count();
}
static inline __attribute__((always_inline)) unsigned int busy_part(void)
{
	unsigned int sum = 1;

	for (int i = 0; i < 50000000; i++)
		sum += i / divisor;
	return sum;
}
int main(void)
{
	idle_part();
	return busy_part() == 0 || counted != 2;
}
"""

# Functions whose time is known by the lines that call them.
TOTALS = """
#include <stdlib.h>
#define NEVER_INLINED __attribute__((noinline, noclone))
volatile unsigned int divisor = 3, sum;
static void spin(unsigned int count)
{
	for (unsigned int i = 0; i < count * 1000; i++)
		sum += i / divisor;
}
NEVER_INLINED void slow(unsigned int n) { spin(n); spin(n); sum++; }
NEVER_INLINED void quick(unsigned int n) { spin(n); sum++; }
NEVER_INLINED void step(unsigned int n) { spin(n); sum += 2; }
NEVER_INLINED void last(unsigned int n) { spin(n); sum += 3; }
NEVER_INLINED void outer(unsigned int n)
{
	slow(n); /* slow */
	quick(n); /* quick */
	spin(n);
}
NEVER_INLINED unsigned int walk(unsigned int depth)
{
	if (depth == 0)
		return 1;
	walk(depth - 1); /* again */
	step(10); /* work */
	return 1;
}
NEVER_INLINED void jumping(unsigned int n)
{
	sum++;
	last(n); /* jump */
}
int main(int argc, char **argv)
{
	unsigned int rounds = argc > 1 ? atoi(argv[1]) / 5 : 1;

	for (unsigned int i = 0; i < rounds; i++) {
		/* Rounds of one length could be in step with the samples. */
		outer(100 + i * 7 % 23);
		sum += walk(20); /* walked */
		jumping(50);
	}
	return 0;
}
"""


class Annotated(clewtest.Case):
    def setUp(self):
        super().setUp()
        self.environment.pop("DEBUGINFOD_URLS", None)
        self.environment["XDG_CACHE_HOME"] = str(self.work / "cache")
        self.environment["LC_ALL"] = "C.UTF-8"
        self.program = self.work / "annotate"

    def build(self, *flags, source=SOURCE):
        subprocess.run(["gcc", "-O2", *flags, "-Wl,--build-id", "-o",
                        self.program, source], check=True)

    def copy_of_source(self, name="here"):
        """Returns the path of a copy of the source in a folder of its own."""
        folder = self.work / name
        folder.mkdir()
        return pathlib.Path(shutil.copy2(SOURCE, folder))

    def run_recorded(self, *options):
        done = self.record([self.program, ROUNDS], options)
        self.assertEqual(done.returncode, 0, done.stderr)

    def text(self, *arguments):
        done = self.clew("annotate", *arguments, self.recording_path)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def function(self, name, *arguments):
        """Returns the JSON of the only function with this name."""
        functions = self.clew_json("annotate", "--json", name, *arguments,
                                   self.recording_path)["functions"]
        self.assertEqual(len(functions), 1)
        return functions[0]

    def refusal(self, *arguments, status=1):
        """Returns the error message, which must be one line."""
        done = self.clew("annotate", *arguments, self.recording_path)
        self.assertEqual(done.returncode, status, done.stdout)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        return done.stderr

    def instructions_by_objdump(self, name):
        said = subprocess.run(
            ["objdump", "-d", "--no-show-raw-insn", f"--disassemble={name}",
             self.program], stdout=subprocess.PIPE, text=True,
            check=True).stdout
        return [int(vaddr, 16) for vaddr in
                re.findall(r"(?m)^ +([0-9a-f]+):\t", said)]


class Time(Annotated):
    def setUp(self):
        super().setUp()
        self.build("-g")
        self.run_recorded()

    def test_the_hot_line_has_most_of_the_time(self):
        hot = self.function("hot")
        hottest = max(hot["lines"], key=lambda line: line["self_ns"])
        self.assertEqual(hottest["line"], HOT_LINE)
        self.assertEqual(hottest["inlined"], "divided")
        self.assertIn("the hot line", hottest["text"])
        self.assertGreater(hottest["self_ns"], .6 * hot["self_ns"])
        low, high = hottest["self_ns_95"]
        self.assertLessEqual(low, hottest["self_ns"])
        self.assertGreaterEqual(high, hottest["self_ns"])

    def test_instructions_and_lines_have_all_of_the_time(self):
        hot = self.function("hot")
        self.assertGreater(hot["samples"], 20)
        for kind in "instructions", "lines":
            for key in "self_ns", "samples":
                placed = sum(item[key] for item in hot[kind])
                if key == "self_ns":
                    placed += hot["unplaced_ns"]
                self.assertEqual(placed, hot[key], (kind, key))
        self.assertEqual(hot["unplaced_ns"], 0)

    def test_time_agrees_with_the_report(self):
        hot = self.function("hot")
        reported = next(
            function for function in
            self.clew_json("report", "--json", self.recording_path)["functions"]
            if function["name"] == "hot")
        for key in "calls", "self_ns", "samples", "vaddr", "module":
            self.assertEqual(hot[key], reported[key], key)
        self.assertEqual(hot["calls"], ROUNDS)

    def test_instructions_are_those_of_objdump(self):
        for name in "hot", "caller", "main":
            found = [int(one["vaddr"], 16)
                     for one in self.function(name)["instructions"]]
            wanted = self.instructions_by_objdump(name)
            self.assertGreater(len(wanted), 5)
            self.assertEqual(found[:len(wanted)], wanted)

    def test_calls_name_their_functions(self):
        said = self.text("--all", "main")
        self.assertRegex(said, r"call\w* +0x[0-9a-f]+ <hot>")
        self.assertRegex(said, r"call\w* +0x[0-9a-f]+ <printf@plt>")

    def test_jumps_lead_to_their_destinations(self):
        self.environment["LC_ALL"] = "C"
        hot = self.function("hot")
        at = {int(one["vaddr"], 16): one for one in hot["instructions"]}
        rows = dict(
            (int(vaddr, 16), (lines, code)) for vaddr, lines, code in
            re.findall(r"(?m)^ *([0-9a-f]+)  ([-/|\\> ]*)(\w.*)$",
                       self.text("-i", "--all", "hot").replace("%", "@")))
        jumps = [one for one in at.values()
                 if one["text"].startswith("j") and "target" in one]
        self.assertGreater(len(jumps), 1)
        for one in jumps:
            self.assertIn(rows.get(int(one["vaddr"], 16), "-")[0][-2:-1],
                          "->", one)

    def test_the_hot_line_is_shown_first_and_beside_its_code(self):
        said = self.text("hot")
        line = rf"annotate\.c:{HOT_LINE} in divided  return number"
        self.assertRegex(said.splitlines()[2], line)
        self.assertRegex(said, rf"(?s){line}[^\n]*\n[^\n]* div")

    def test_source_and_instructions_exclude_each_other(self):
        source = self.text("--source", "hot")
        self.assertNotRegex(source, r"\bdiv[lq]?\b +%")
        self.assertIn("sum += divided(i + sum);", source)
        code = self.text("--instructions", "hot")
        self.assertRegex(code, r"\bdivl? +%")
        self.assertNotIn("annotate.c", code)
        done = self.clew("annotate", "-s", "-i", "hot", self.recording_path)
        self.assertEqual(done.returncode, 64)

    def test_source_has_all_lines_of_the_function_in_order(self):
        numbers = [int(number) for number in re.findall(
            r"(?m)^.{28,30} *(\d+)(?:  |$)",
            self.text("--source", "hot").partition("(inlined)")[0])]
        self.assertEqual(numbers, sorted(numbers))
        self.assertEqual(numbers, list(range(numbers[0], numbers[-1] + 1)))
        self.assertGreater(len(numbers), 7)

    def test_an_inlined_function_is_shown_in_its_caller(self):
        said = self.text("divided")
        self.assertTrue(said.startswith("divided (inlined)"), said)
        self.assertRegex(said, r"\bdivl? +%")

    def test_colors_are_for_terminals_only(self):
        self.assertNotIn("\33", self.text("hot"))
        self.assertIn("\33[1;31m", self.text("--color=always", "hot"))

    def test_wrong_arguments_are_explained(self):
        self.assertIn("did you mean hot?", self.refusal("hott"))
        self.assertIn("no such function", self.refusal("nothing_like_this"))
        self.assertIn("(folded): has neither time nor calls",
                      self.refusal("(folded)"))
        self.assertIn("hot: no such function in a module that matches libc*",
                      self.refusal("-m", "libc*", "hot"))
        for arguments in [], ["hot", "a", "b"], ["--source-path=x", "hot"]:
            done = self.clew("annotate", *arguments)
            self.assertEqual(done.returncode, 64, arguments)

    def test_a_changed_program_has_no_instructions(self):
        """The cached lines remain; a program without them cannot be shown."""
        self.text("hot")
        self.build("-g", "-O1")
        said = self.text("hot")
        self.assertIn("annotate is another build than the recorded one", said)
        self.assertIn("the hot line", said)
        self.assertNotRegex(said, r"\bdivl? +%")
        shutil.rmtree(self.environment["XDG_CACHE_HOME"])
        self.refusal("--instructions", "hot")

    def test_an_older_module_is_noted(self):
        os.utime(self.program, (1, 1))
        self.assertIn("annotate.c is newer than the module", self.text("hot"))


class Recursion(Annotated):
    def test_a_line_inlined_into_itself_counts_once(self):
        source = self.work / "fib.c"
        source.write_text(RECURSIVE)
        self.build("-g", "-O3", source=source)
        self.run_recorded()
        fib = self.function("fib")
        self.assertIn("fib", {line.get("inlined") for line in fib["lines"]
                              if line["total_ns"]})
        for line in fib["lines"]:
            self.assertLessEqual(line["inlined_ns"], fib["self_ns"])


class Totals(Annotated, screen.Screen):
    """Time with the functions that are called in a line."""
    def setUp(self):
        super().setUp()
        source = self.work / "totals.c"
        source.write_text(TOTALS)
        self.lines = {mark: number for number, text in
                      enumerate(TOTALS.splitlines(), 1)
                      for mark in re.findall(r"/\* (\w+) \*/", text)}
        self.build("-g", source=source)
        self.run_recorded()
        self.report = {
            one["name"]: one for one in self.clew_json(
                "report", "--json", "-n", "0", self.recording_path)["functions"]}

    def total(self, function, mark):
        return sum(line["total_ns"] for line in function["lines"]
                   if line["line"] == self.lines[mark])

    def test_a_call_has_the_time_of_its_callee(self):
        outer = self.function("outer")
        self.assertEqual(outer["total_ns"], self.report["outer"]["total_ns"])
        for name in "slow", "quick":
            self.assertEqual(self.total(outer, name),
                             self.report[name]["total_ns"], name)
            calls = [one for one in outer["instructions"]
                     if one["total_ns"] == self.report[name]["total_ns"] > 0]
            self.assertEqual([one["calls_made"] for one in calls],
                             [self.report[name]["calls"]], name)
        # Time in the kernel is in the total of outer() and has no line.
        kernel = self.report.get("(kernel)", {"total_ns": 0})["total_ns"]
        in_lines = sum(line["total_ns"] for line in outer["lines"]
                       if "inlined" not in line)
        self.assertLessEqual(in_lines, outer["total_ns"])
        self.assertGreaterEqual(in_lines, outer["total_ns"] - kernel)

    def test_recursion_counts_once(self):
        walk = self.function("walk")
        self.assertEqual(walk["total_ns"], self.report["walk"]["total_ns"])
        # The outermost call of walk() has a line of its own in main().
        self.assertEqual(self.total(self.function("main"), "walked"),
                         walk["total_ns"])
        self.assertLessEqual(self.total(walk, "again"), walk["total_ns"])
        self.assertGreater(self.total(walk, "again"), walk["total_ns"] / 2)
        self.assertGreater(self.total(walk, "work"), walk["total_ns"] / 2)

    def test_a_tail_call_has_the_line_of_its_jump(self):
        jumping = self.function("jumping")
        self.assertGreater(jumping["total_ns"], 0)
        self.assertEqual(jumping["unplaced_calls_ns"], 0)
        self.assertGreaterEqual(self.total(jumping, "jump"),
                                jumping["total_ns"] - jumping["self_ns"])

    def test_the_text_has_totals_of_lines_and_says_what_they_are(self):
        said = self.text("--source", "outer")
        self.assertRegex(said, r"(?m)^ +self +share.* total +calls +line, source$")
        line = next(line for line in said.splitlines() if "/* slow */" in line)
        self.assertRegex(line, rf"\d [mu]?s +{self.report['slow']['calls']} ")
        self.assertIn("line of its first call in each context", said)
        self.assertIn("lines whose calls take the most time", self.text("outer"))

    def test_narrow_terminals_have_the_total_but_no_range(self):
        self.assertIn("95% range", self.text("--source", "outer"))
        self.open(clewtest.CLEW, "annotate", "--source", "outer",
                  self.recording_path, columns=70)
        narrow = self.see(r"slow\(n\)")
        self.assertNotIn("95% range", narrow)
        self.assertRegex(narrow, "self +share +total")


class Names(Annotated):
    def test_functions_without_data_are_no_matches(self):
        source = self.work / "parts.c"
        source.write_text(PARTS)
        self.build("-g", source=source)
        self.run_recorded()
        rows = self.clew_json("tree", "-i", "--json", self.recording_path)
        self.assertTrue({"idle_part", "busy_part"} <=
                        {function["name"] for function in rows["functions"]})
        self.assertTrue(self.text("_part").startswith("busy_part (inlined)"))

    def test_names_are_short_unless_full_ones_are_requested(self):
        source = self.work / "names.cc"
        source.write_text(SOURCE.read_text().replace(
            "hot(unsigned int count)", "hot(unsigned int count, int = 0)")
            .replace("static inline", "inline"))
        self.build("-g", "-xc++", source=source)
        self.run_recorded()
        short = self.text("hot")
        self.assertTrue(short.startswith("hot  ["), short)
        self.assertIn(f"names.cc:{HOT_LINE} in divided  return", short)
        full = self.text("--full-names", "hot")
        self.assertTrue(full.startswith("hot(unsigned int, int)  ["), full)
        self.assertIn(f"names.cc:{HOT_LINE} in divided(unsigned int)", full)


    def test_instances_of_a_template_have_different_headings(self):
        source = self.work / "instances.cc"
        source.write_text(INSTANCES)
        self.build("-g", "-xc++", source=source)
        self.run_recorded()
        names = [f"spin<Pair<unsigned {kind}, {kind}>>"
                 for kind in ("long", "short")]
        for name in names:
            self.assertTrue(self.text(name).startswith(f"{name}  ["))
            tree = self.clew("tree", "--callers-of", name,
                             self.recording_path).stdout
            self.assertIn(f"{name} and its callers\n", tree)
        self.assertTrue(self.text("turn").startswith("turn<Pair<...>>  ["))
        self.assertIn("function and its callers\n", self.clew(
            "tree", "--callers-of", "turn", self.recording_path).stdout)


class Sources(Annotated):
    """Where sources are searched, and hostile ones."""
    def record_copy(self):
        source = self.copy_of_source()
        self.build("-g", source=source)
        self.run_recorded()
        return source

    def test_moved_sources_are_found(self):
        source = self.record_copy()
        moved = self.work / "moved"
        source.parent.rename(moved)
        said = self.text("hot")
        self.assertIn(f"{source}: No such file or directory", said)
        self.assertNotIn("the hot line", said)
        for paths in ([f"{source.parent}={moved}"],
                      [f"{source.parent}={self.work}/nowhere",
                       f"{self.work}/here={moved}"]):
            said = self.text("hot", *(f"--source-path={path}"
                                      for path in paths))
            self.assertIn("the hot line", said)
            self.assertNotIn("no source text", said)
        said = self.text("hot", f"--source-path={self.work}/her={moved}")
        self.assertNotIn("the hot line", said)

    def test_files_that_are_not_regular_are_not_read(self):
        source = self.record_copy()
        source.unlink()
        os.mkfifo(source)
        self.assertIn("annotate.c: not a regular file", self.text("hot"))
        source.unlink()
        for path in "/dev/zero", self.work:
            source.symlink_to(path)
            self.assertIn("annotate.c: not a regular file", self.text("hot"))
            source.unlink()

    def test_a_huge_source_is_not_read(self):
        source = self.record_copy()
        os.truncate(source, 17 << 20)
        self.assertIn("annotate.c: larger than 16 MiB", self.text("hot"))

    def test_lines_are_safe_to_print(self):
        source = self.record_copy()
        hostile = b"\33]0;title\7\xff\0" + "\u202e".encode() + b"\t" + \
            b"x" * 100000 + b"\n"
        source.write_bytes(hostile * 100)
        for arguments in ["hot"], ["--source", "hot"], ["--json", "hot"]:
            said = self.text(*arguments)
            self.assertIn("?]0;title", said)
            self.assertNotRegex(said, "[\0-\x09\x0b-\x1f\u202e\ufffd]")
            self.assertLess(max(map(len, said.splitlines())), 3000)

    def test_a_source_that_is_too_short_has_no_text(self):
        source = self.record_copy()
        source.write_text("one line\n")
        self.assertRegex(self.text("hot"), rf"annotate.c:{HOT_LINE} in divided\n")


@unittest.skipIf(debuginfod.NO_LIBRARY, "no libdebuginfod here")
class Downloads(Annotated):
    """Sources on a debuginfod server."""
    def serve(self, answer):
        server = debuginfod.Server(answer)
        self.addCleanup(server.close)
        self.environment["DEBUGINFOD_URLS"] = server.url
        self.environment["DEBUGINFOD_CACHE_PATH"] = str(self.work / "client")
        return server

    def record_without_source(self):
        source = self.copy_of_source()
        self.build("-g", source=source)
        self.run_recorded()
        self.text("hot")  # The cache now has the debug information.
        source.unlink()
        return source

    def test_a_missing_source_is_downloaded_for_its_build(self):
        source = self.record_without_source()
        build_id = re.search(
            r"Build ID: (\w+)", self.run_program(
                ["readelf", "-n", self.program], text=True).stdout)[1]
        server = self.serve(lambda handler: handler.send(
            200, SOURCE.read_bytes()))
        said = self.text("hot")
        self.assertIn("the hot line", said)
        self.assertNotIn("newer", said)
        self.assertEqual(
            [urllib.parse.unquote(path) for path in server.asked],
            [f"/buildid/{build_id}/source/{source}".replace("//", "/")])

    def test_no_server_is_asked_without_the_variable(self):
        self.record_without_source()
        server = self.serve(lambda handler: handler.send(404))
        del self.environment["DEBUGINFOD_URLS"]
        self.assertIn("no source text", self.text("hot"))
        self.assertEqual(server.asked, [])

    def test_a_server_without_the_source_is_no_error(self):
        self.record_without_source()
        self.serve(lambda handler: handler.send(404))
        self.assertIn("annotate.c: No such file", self.text("hot"))


class Modules(Annotated):
    """Modules without debug information, and damaged ones."""
    def name_of_hottest(self):
        return max(self.clew_json("report", "--json", self.recording_path)
                   ["functions"], key=lambda one: one["self_ns"])["name"]

    def test_a_stripped_program_has_instructions(self):
        self.build("-s")
        self.run_recorded()
        name = self.name_of_hottest()
        self.assertRegex(name, r"^annotate\+0x[0-9a-f]+$")
        hot = self.function(name)
        self.assertEqual(hot["lines"], [])
        self.assertEqual(sum(one["self_ns"] for one in hot["instructions"]),
                         hot["self_ns"])
        before, hottest = max(
            zip(hot["instructions"], hot["instructions"][1:]),
            key=lambda pair: pair[1]["self_ns"])
        self.assertIn("div", before["text"] + hottest["text"])

    def test_missing_debug_information_is_explained(self):
        self.build("-s")
        self.run_recorded()
        name = self.name_of_hottest()
        for option in [], ["--source"]:
            done = self.clew("annotate", *option, name, self.recording_path)
            self.assertIn("no source lines: no debug information: the file "
                          "contains none", done.stdout)

    def test_a_missing_dwo_file_is_named(self):
        self.build("-g", "-gsplit-dwarf")
        found = list(self.work.glob("*.dwo"))
        self.assertTrue(found)
        for path in found:
            path.unlink()
        self.run_recorded()
        self.assertRegex(self.text("hot"), r"debug information: some inlined "
                         r"calls are missing: 1 of 1 \.dwo files were not "
                         r"found; the first is \S+\.dwo")

    def test_a_function_has_any_of_its_addresses_as_a_name(self):
        self.build("-s")
        self.run_recorded()
        name = self.name_of_hottest()
        start = int(name.partition("+")[2], 16)
        for vaddr in start, start + 16:
            self.assertEqual(
                self.function(f"{vaddr:#x}", "--module=annotate")["name"],
                name)
        self.refusal("0xfffffff", "--module=annotate")
        self.refusal(f"{start:#x}z", "--module=annotate")

    def test_a_removed_or_changed_program_costs_one_line(self):
        self.build("-s")
        self.run_recorded()
        name = self.name_of_hottest()
        self.program.rename(self.work / "away")
        self.assertIn("No such file or directory", self.refusal(name))
        self.build("-s", "-O1", "-DNEVER")
        self.assertIn("is another build than the recorded one",
                      self.refusal(name))
        self.program.unlink()
        os.mkfifo(self.program)
        self.assertIn("is no complete ELF file", self.refusal(name))

    def test_damaged_code_is_shown_as_far_as_it_can_be_decoded(self):
        self.build("-s")
        self.run_recorded()
        name = self.name_of_hottest()
        content = bytearray(self.program.read_bytes())
        start = int(name.partition("+")[2], 16)
        content[start:start + 48] = bytes(range(0xd0, 0x100))
        self.program.write_bytes(content)
        hot = self.function(name)
        self.assertTrue(any(one["text"].startswith(".byte")
                            for one in hot["instructions"]))
        self.program.write_bytes(content[:start])
        self.assertIn("is no complete ELF file", self.refusal(name))

    def test_generated_code_says_that_it_was_not_recorded(self):
        source = self.work / "generated.c"
        source.write_text(GENERATED)
        self.build(source=source)
        self.run_recorded()
        name = self.name_of_hottest()
        self.assertTrue(name.startswith("("), name)
        self.assertIn("the code is generated at run time and its bytes were "
                      "not recorded", self.refusal(name))

    def test_a_recording_without_samples_is_refused(self):
        self.build("-g")
        self.run_recorded("--time=none")
        self.assertIn("neither samples nor call sites", self.refusal("hot"))


COLD = """
static volatile unsigned int sum;
__attribute__((cold, noinline)) void note(void) { sum++; }
__attribute__((noinline)) void handle(int x)
{
    if (__builtin_expect(x != 0, 0)) {
        note();
        for (unsigned int i = 0; i < 200000000; i++)
            sum = sum * 3 + i;
        note();
    }
}
int main(int argc, char **argv)
{
    handle(argc + (argv == 0));
    return 0;
}
"""


class Addresses(Annotated):
    """clew report --by=address"""
    def rows(self):
        return self.clew_json("report", "--json", "--by=address",
                              self.recording_path)["functions"]

    def test_rows_are_the_instructions_with_time(self):
        self.build("-g")
        self.run_recorded()
        hot = self.function("hot")
        wanted = {one["vaddr"]: (one["self_ns"], one["samples"])
                  for one in hot["instructions"] if one["self_ns"]}
        found = {row["vaddr"]: (row["self_ns"], row["samples"])
                 for row in self.rows() if row.get("function") == "hot"}
        self.assertGreater(len(wanted), 1)
        # Rows of addresses contain time that the kernel took there.
        report = self.clew_json("report", "--json", "-n0", self.recording_path)
        kernel = sum(row["self_ns"] for row in report["functions"]
                     if row["name"] == "(kernel)")
        more = {vaddr: ns - wanted.get(vaddr, (0, 0))[0]
                for vaddr, (ns, _) in found.items()}
        self.assertEqual(wanted.keys() - found.keys(), set())
        self.assertGreaterEqual(min(more.values()), 0)
        self.assertLessEqual(sum(more.values()), kernel)
        start = int(hot["vaddr"], 16)
        for row in self.rows():
            if row.get("function") == "hot":
                vaddr = int(row["vaddr"], 16)
                self.assertEqual(
                    row["name"], f"annotate+{vaddr:#x} in "
                    f"hot+{vaddr - start:#x}, {row['file']}:{row['line']}")

    def test_offsets_in_cold_code_are_those_in_the_part(self):
        source = self.work / "cold.c"
        source.write_text(COLD, encoding="utf-8")
        program = self.work / "cold"
        self.run_program(["gcc", "-O2", "-o", program, source])
        self.record([program])
        names = {row["name"] for row in self.rows()}
        self.assertTrue(any(re.match(r"cold\+0x\w+ in handle\.cold\+0x\w+$", name)
                            for name in names), names)

    def test_a_stripped_program_has_addresses(self):
        self.build("-s")
        self.run_recorded()
        hottest = max(self.rows(), key=lambda row: row["self_ns"])
        self.assertRegex(hottest["name"], r"^annotate\+0x[0-9a-f]+ in "
                                          r"annotate\+0x[0-9a-f]+$")
        self.assertNotIn("function", hottest)

    def test_a_recording_without_samples_is_refused(self):
        self.build("-g")
        self.run_recorded("--time=none")
        done = self.clew("report", "--by=address", self.recording_path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("--by=address: the recording has no samples",
                      done.stderr)


class Pages(Annotated):
    """clew html --sources"""
    def sources(self, *options):
        """Returns {path: text} of a page, or None if it has no sources."""
        done = self.clew("html", "-o", "-", *options, self.recording_path)
        self.assertEqual(done.returncode, 0, done.stderr)
        meta = html_page.Page(done.stdout).meta
        self.page_meta = meta
        if "sources" not in meta:
            return None
        return {meta["files"][one["file"]]: one["text"]
                for one in meta["sources"]}

    def record_copy(self):
        source = self.copy_of_source()
        self.build("-g", source=source)
        self.run_recorded()
        return source

    def test_files_with_time_are_embedded_on_request(self):
        source = self.record_copy()
        self.assertIsNone(self.sources())
        text = source.read_text().replace("\t", " " * 8)
        self.assertEqual(self.sources("--sources")[str(source)], text)
        moved = source.parent.rename(self.work / "moved")
        self.assertNotIn(str(source), self.sources("--sources"))
        self.assertEqual(self.sources(
            f"--source-path={source.parent}={moved}")[str(source)], text)

    def test_lines_of_calls_are_in_the_page(self):
        """Files whose lines only make calls are embedded, too."""
        source = self.record_copy()
        main = next(number for number, text in
                    enumerate(source.read_text().splitlines(), 1)
                    if "sum += hot(" in text)
        self.assertIn(str(source), self.sources("--sources"))
        page = html_page.Page(self.clew("html", "-o", "-", "--sources",
                                        self.recording_path).stdout)
        context, found = 0, {}
        for step, file, line in html_page.Numbers(
                page.sections["callers"]).rows(3):
            context += step
            found[page.names[page.function[context]]] = (
                page.meta["files"][file], line)
        self.assertEqual(found["hot"], (str(source), main))
        self.assertEqual(found["caller"], (str(source), main + 1))

    def code(self):
        """Returns {name: function} of a page's instructions."""
        self.sources("--sources")
        meta = self.page_meta
        return {meta["functions"]["name"][one["function"]]: one
                for one in meta["code"]}

    def assert_like_annotate(self, name, found):
        """The page has the data of clew annotate --json."""
        wanted = self.function(name)
        lines = [(line["file"], line["line"]) for line in wanted["lines"]]
        files = self.page_meta["files"]
        vaddr = int(found["vaddr"], 16)
        self.assertEqual(len(found["rows"]), len(wanted["instructions"]))
        for row, one in zip(found["rows"], wanted["instructions"]):
            step, _, text, ns, samples, calls, file, line, total = row
            vaddr += step
            self.assertEqual(vaddr, int(one["vaddr"], 16))
            self.assertTrue(text.startswith(one["text"]), text)
            self.assertEqual((ns, samples, calls, total),
                             (one["self_ns"], one["samples"],
                              one["calls_made"], one["total_ns"]))
            self.assertEqual((files[file], line),
                             lines[one["line"]] if "line" in one else ("", 0))
        return found["rows"]

    def test_instructions_are_those_of_annotate(self):
        self.record_copy()
        self.assertIsNone(self.sources())
        self.assertNotIn("code", self.page_meta)
        code = self.code()
        self.assertIn("hot", code)
        for name, found in code.items():
            rows = self.assert_like_annotate(name, found)
            self.assertTrue(any(row[3] for row in rows), name)
            self.assertLessEqual(sum(row[3] for row in rows), found["self_ns"])
        times = [one["self_ns"] for one in code.values()]
        self.assertEqual(times, sorted(times, reverse=True))
        # Lines of branches are those of the text.
        text = self.text("--instructions", "--all", "hot")
        for _, arrows, instruction, *_ in code["hot"]["rows"]:
            self.assertIn(f"  {arrows}{instruction}\n", text)
        self.assertTrue(any(">" in row[1] for row in code["hot"]["rows"]))

    def test_the_size_is_limited(self):
        source = self.record_copy()
        source.write_text(("x" * 79 + "\n") * (9 << 20 >> 6))
        self.assertNotIn(str(source), self.sources("--sources"))

    def test_only_files_with_names_of_sources_are_embedded(self):
        """Debug information could name a file with secrets."""
        source = self.copy_of_source()
        secret = source.with_name("secret")
        source.write_text(f'#line 1 "{secret}"\n' + source.read_text())
        secret.write_text("a secret\n" * 100)
        self.build("-g", source=source)
        self.run_recorded()
        self.assertIn("a secret", self.text("hot"))
        self.assertEqual({path for path in self.sources("--sources")
                          if str(self.work) in path}, set())

    def test_names_of_sources_that_lead_to_other_files_are_not_embedded(self):
        """A symbolic link, and ".." below a folder whose files need no
        suffix."""
        headers = self.work / "include/c++/12"
        headers.mkdir(parents=True)
        secret = self.work / "secret"
        secret.write_text("a secret\n" * 100)
        (self.work / "link.c").symlink_to(secret)
        for number, name in enumerate((
                self.work / "link.c", f"{headers}/../../../secret")):
            source = self.copy_of_source(f"copy{number}")
            source.write_text(f'#line 1 "{name}"\n' + source.read_text())
            self.build("-g", source=source)
            self.run_recorded()
            self.assertIn("a secret", self.text("hot"))
            self.assertEqual({path for path, text in
                              self.sources("--sources").items()
                              if "a secret" in text}, set(), name)


class CallSites(Annotated):
    def test_each_call_instruction_has_its_calls(self):
        self.build("-g")
        done = self.record([self.program, ROUNDS], ["--trace", "--sites"],
                           text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        own = sorted(map(int, done.stdout.split()))
        found = self.function("caller")
        self.assertEqual(sorted(one["calls_made"]
                                for one in found["instructions"]
                                if one["calls_made"]), own)
        line = next(line for line in found["lines"] if line["calls_made"])
        self.assertEqual(line["calls_made"], sum(own))
        self.assertIn("leaf(number)", line["text"])
        for calls in own:
            self.assertRegex(self.text("caller"),
                             rf" {calls}  .*call\w* .*<leaf>")


if __name__ == "__main__":
    clewtest.main()
