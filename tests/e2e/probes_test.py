#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Each hit of a probe counts in its context, and the program's behaviour does not change."""
import os
import pathlib
import random
import re
import shutil

from lib import clewtest
from lib.clewtest import PYTHON, needs, slow
from lib.probes import HERE, Case

FUNCTIONS = ["leaf", "loops", "switches", "recursion", "through_pointers",
             "by_tail", "floating", "flags", "jumps", "red_zone", "main"]
AT_ONCE = 32
class WithoutMemory(Case):
    @needs("strace")
    def test_probe_reports_a_lack_of_memory(self):
        """mmap() of the program's file for its analysis fails with ENOMEM."""
        program = self.compile("probed", "-O2")
        done = self.run_program([
            "strace", "-f", "-o", self.work / "calls", "-P", program,
            "-e", "trace=mmap", "-e", "inject=mmap:error=ENOMEM:when=2",
            clewtest.CLEW, "record", "--time=none", "-o", self.recording_path,
            "--probe", "main", "--", program])
        self.assertIn("ENOMEM", (self.work / "calls").read_text())
        native = self.run_program([program])
        self.assertEqual((done.stdout, done.returncode, done.stderr),
                         (native.stdout, native.returncode, native.stderr +
                          b"clew record: probe p1, main, was not "
                          b"placed: out of memory\n"))


class EachInstruction(Case):
    """A probe at each instruction of probed.c in turn."""

    def counts(self, program):
        """Returns {vaddr: number of executions}, by stepping through the program."""
        stepper = self.compile("stepper", "-O2")
        output = self.work / "counts"
        self.native = self.run_program([stepper, output, program])
        plainly = self.run_program([program])
        self.assert_same_behaviour(plainly, self.native)
        self.assertNotIn(plainly.returncode, (2, 125, 126, 127))
        return {int(vaddr, 16): int(count) for vaddr, count in
                (line.split() for line in
                 output.read_text(encoding="utf-8").splitlines())}

    def check(self, batch, truth, program, *, options=()):
        """Checks the hits of a batch of probes. Returns how each probe was reached."""
        found = self.probed([f"{vaddr:#x}" for vaddr in batch], [program],
                            ["--time=none", *options])
        self.assertEqual(self.native.stdout, self.done.stdout)
        self.assertEqual(self.native.returncode, self.done.returncode)
        ways = []
        for vaddr, one in zip(batch, found):
            [place] = one["places"]
            self.assertEqual(place["vaddr"], vaddr)
            ways.append(place["way"])
            if place["way"] != "none":
                self.assertEqual(one["hits"], truth.get(vaddr, 0),
                                 f"{vaddr:#x} by a {place['way']}")
            else:  # This is an instruction behind an endbr64.
                self.assertIn("at the same address", place["reason"])
        return ways

    def walk(self, *flavour):
        program = self.compile("probed", *flavour)
        truth = self.counts(program)
        ways = {}
        for function in FUNCTIONS:
            ways.update(self.sites(function, program))
        places = [vaddr for vaddr, way in sorted(ways.items())
                  if way != "none"]
        step = len(places) // AT_ONCE + 1
        seen = []
        # These probes are far from each other, as if each were alone.
        for first in range(step):
            seen += self.check(places[first::step], truth, program)
        # These probes are adjacent and overlap each other and hooks.
        for first in range(0, len(places), 3 * AT_ONCE):
            batch = places[first:first + AT_ONCE]
            seen += self.check(batch, truth, program)
        for way in ("jump", "int3", "stub"):
            self.assertIn(way, seen)

    @slow
    def test_each_instruction_without_optimization_can_be_probed(self):
        self.walk("-O0")

    def test_each_optimized_instruction_can_be_probed(self):
        self.walk("-O2")

    def test_each_instruction_optimized_for_size_can_be_probed(self):
        self.walk("-Os", "-fcf-protection=full")

    @slow
    def test_each_instruction_at_fixed_addresses_can_be_probed(self):
        self.walk("-O1", "-no-pie", "-fno-pie")

    def test_probes_work_at_each_instruction_without_hooks(self):
        program = self.compile("probed", "-O2")
        truth = self.counts(program)
        places = [vaddr for function in ("switches", "flags")
                  for vaddr, way in self.sites(function, program).items()
                  if way != "none"][:AT_ONCE]
        ways = self.check(places, truth, program, options=["-F", "."])
        self.assertNotIn("stub", ways)


class Registers(Case):
    """Tests of probe_registers.c."""

    def check(self, options):
        program = self.compile("probe_registers", "-O1")
        ways = self.sites("spots", program)
        names = self.run_program(["nm", program], text=True).stdout
        spots = [int(re.search(rf"(\w+) T spot_{name}", names)[1], 16)
                 for name in ("wide", "narrow")]
        self.assertEqual([ways[vaddr] for vaddr in spots], ["jump", "int3"])
        found = self.probed([f"{vaddr:#x}" for vaddr in spots], [program],
                            options)
        self.assertEqual((self.done.stdout, self.done.returncode),
                         (b"0 of 2000 wrong\n", 0))
        self.assertEqual([one["hits"] for one in found], [2000, 2000])

    def test_probes_preserve_all_registers(self):
        self.check([])

    def test_probes_outside_of_contexts_preserve_all_registers(self):
        self.check(["-F", "."])


TWISTED = """
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ALONE __attribute__((noipa))

static volatile int handled;

/* An entry, a jump's worth of code, short ones, and a branch to these. */
ALONE long work(long n)
{
	long sum = n;

	__asm__ volatile("test %0, %0\\n\\tjz 1f\\n\\tnop\\n1:" : : "r"(n) : "cc");
	for (long i = 0; i < 3; i++)
		sum = sum * 17 + i;
	return sum;
}

ALONE long one(long n) { return work(n) + 1; }
ALONE long two(long n) { return work(n) + work(n + 1); }

static void on_signal(int signal)
{
	work(signal);
	handled++;
}

static void *thread(void *argument)
{
	long sum = 0;

	for (long i = 0; i < 20000; i++)
		sum += i & 1 ? one(i) : two(i);
	return (void *)sum;
}

/* Out of the code and back in, while threads run through it. */
static void toggle(void)
{
	int (*unhook)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "clew_unhook");
	int (*hook)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "clew_hook");

	if (unhook && !unhook())
		hook(); /* else a thread was in the way */
}

int main(int argc, char **argv)
{
	const char *how = argv[1];
	pthread_t threads[3];
	long sum = 0;
	void *result;

	if (!strcmp(how, "fork") && fork() == 0) {
		sum = one(1);
		_exit(sum == one(1) ? 0 : 1);
	}
	if (!strcmp(how, "fork")) {
		int status;

		wait(&status);
		sum = two(2) + status;
	}
	if (!strcmp(how, "signals")) {
		signal(SIGUSR1, on_signal);
		for (int i = 0; i < 100; i++) {
			raise(SIGUSR1);
			sum += one(i);
		}
		sum += handled;
	}
	if (!strcmp(how, "threads") || !strcmp(how, "toggle")) {
		for (int i = 0; i < 3; i++)
			pthread_create(&threads[i], NULL, thread, NULL);
		for (int i = 0; i < 200 && !strcmp(how, "toggle"); i++)
			toggle();
		for (int i = 0; i < 3; i++) {
			pthread_join(threads[i], &result);
			sum += (long)result;
		}
	}
	if (!strcmp(how, "library")) {
		void *library = dlopen(argv[2], RTLD_NOW);
		long (*part)(long) = (long (*)(long))dlsym(library, "part");

		for (int i = 0; i < 10; i++)
			sum += part(i);
	}
	printf("%ld\\n", sum);
	return 0;
}
"""

# Number of calls of work() by the threads.
THREADS = 3 * (10000 + 2 * 10000)


class Twisted(Case):
    def setUp(self):
        super().setUp()
        source = self.work / "twisted.c"
        source.write_text(TWISTED, encoding="utf-8")
        self.program = self.compile("twisted", "-O2", "-pthread", "-ldl",
                                    source=source)
        ways = self.sites("work", self.program)
        start = min(ways)
        self.ways = {f"work+{vaddr - start:#x}": way
                     for vaddr, way in ways.items()}
        # Probes of the entry, the return, and an instruction that needs a breakpoint.
        self.entry = "work+0x0"
        listed = self.clew("probe", "--sites", "work", "-e", self.program)
        self.trap = "work+" + hex(int(re.search(
            r"\+(\d+) +nop +int3", listed.stdout)[1]))
        self.places = [self.entry, self.trap, "work%return", "one", "two+0x0"]

    def run_twisted(self, how, *arguments, places=None, options=(), said=b""):
        argv = [self.program, how, *arguments]
        native = self.run_program(argv)
        found = self.probed(places or self.places, argv, options)
        native.stderr = said + native.stderr
        self.assert_same_behaviour(native, self.done)
        return {one["place"]: one["hits"] for one in found}

    def test_hits_have_threads_and_contexts(self):
        hits = self.run_twisted("threads")
        self.assertEqual(hits[self.entry], THREADS)
        self.assertEqual(hits["work%return"], THREADS)
        # Three calls, with n = 0, do not reach it.
        self.assertEqual(hits[self.trap], THREADS - 3)
        self.assertEqual(hits["one"], 3 * 10000)
        self.assertEqual(hits["two+0x0"], 3 * 10000)
        report = self.clew_json("report", "--json", "--value=p1",
                                self.recording_path)
        self.assertEqual({row["name"]: row["self_value"] for row in
                          report["functions"] if row["self_value"]},
                         {"one": 3 * 10000, "two": 3 * 20000}
                         if "work" not in {row["name"] for row in
                                           report["functions"]} else
                         {"work": THREADS})
        self.assertEqual(report["value"]["total"], THREADS)

    def test_probes_count_beside_exact_times(self):
        hits = self.run_twisted("threads", options=["--time=exact"])
        self.assertEqual(hits[self.entry], THREADS)
        self.assertEqual(hits["one"], 3 * 10000)

    def test_a_stub_leads_to_the_probe_of_a_hooked_function(self):
        hits = self.run_twisted("threads", places=["work", "one"])
        self.assertEqual(hits, {"work": THREADS, "one": 3 * 10000})
        self.assertEqual([one["places"][0]["way"]
                          for one in self.report["probes"]], ["stub", "stub"])
        calls = {row["name"]: row["calls"] for row in self.report["functions"]}
        self.assertEqual((calls["work"], calls["one"]), (THREADS, 3 * 10000))
        report = self.clew_json("report", "--json", "--value=p1",
                                self.recording_path)
        self.assertEqual({row["name"]: row["self_value"] for row in
                          report["functions"] if row["self_value"]},
                         {"work": THREADS})

    def test_probes_count_while_hooks_are_removed_and_restored(self):
        for places in (self.places, ["work", self.trap], ["work%return"]):
            with self.subTest(places=places):
                hits = self.run_twisted("toggle", places=places)
                for place in places[:1]:
                    self.assertLessEqual(hits[place], THREADS)

    def test_signal_handlers_may_hit_probes(self):
        hits = self.run_twisted("signals")
        self.assertEqual(hits[self.entry], 200)
        self.assertEqual(hits["one"], 100)

    def test_probes_count_in_forked_children(self):
        hits = self.run_twisted("fork")
        self.assertEqual(hits["one"], 2)
        self.assertEqual(hits["two+0x0"], 1)
        self.assertEqual(hits[self.entry], 4)
        recording = self.recording()
        self.assertEqual(len(recording.parts), 2)

    def test_probes_count_in_a_library_that_is_loaded_later(self):
        source = self.work / "part.c"
        source.write_text("long part(long n) { return n * 3 + 5; }\n",
                          encoding="utf-8")
        library = self.compile("libpart.so", "-O2", "-shared", "-fPIC",
                               source=source)
        hits = self.run_twisted("library", library,
                                places=["part", "libpart*:part%return"],
                                said=b"clew record: probe part: no function "
                                     b"part in twisted and the libraries that "
                                     b"it needs; the probe waits for a library "
                                     b"or program that is loaded later\n")
        self.assertEqual(hits, {"part": 10, "libpart*:part%return": 10})

    def test_probes_count_with_a_budget(self):
        hits = self.run_twisted("threads", places=["work", "one"],
                                options=["--budget=0.1%"])
        self.assertEqual(hits, {"work": THREADS, "one": 3 * 10000})


STARTED = """
#include <cstdio>
namespace shop {
struct Cart { __attribute__((noipa)) int add(int n) { return n + 1; } };
template<class T> struct Box { __attribute__((noipa)) T take(T n) { return n + 2; } };
}
extern "C" int lend(int n);
extern "C" __attribute__((noipa)) int handle(int n) { return n * 3 + lend(n); }
extern "C" __attribute__((noipa)) int handler(int n) { return n * 5; }
int main(int argc, char **argv)
{
	fprintf(stderr, "started\\n");
	argc += shop::Box<int>().take(argc) + shop::Box<long>().take(argc);
	return shop::Cart().add(handle(argc) + handler(argc)) == 0;
}
"""

LENT = """
__asm__(".globl stuck\\n.type stuck, @function\\nstuck: jmp stuck\\n"
	".size stuck, . - stuck");
int lend(int n) { return n * 7; }
"""


class Started(Case):
    """Functions that do not exist, or cannot be hooked, are named at once."""

    WAITS = ("the probe waits for a library or program that is loaded later\n"
             "started\n")

    def setUp(self):
        super().setUp()
        (self.work / "lent.c").write_text(LENT, encoding="utf-8")
        (self.work / "started.cpp").write_text(STARTED, encoding="utf-8")
        library = self.compile("liblent.so", "-O2", "-shared", "-fPIC",
                               source=self.work / "lent.c")
        done = self.run_program(
            ["g++", "-O2", "-g0", "-o", self.work / "started",
             self.work / "started.cpp", library,
             f"-Wl,-rpath,{self.work}"], text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def says(self, *options):
        done = self.record([self.work / "started"], ["--time=none", *options],
                           text=True)
        return done

    def test_similar_names_are_offered_before_the_program_starts(self):
        for option, place, question in (
                ("--probe=hanlde", "hanlde", "handle or handler"),
                ("--snapshot-when=hanlde>5ms", "hanlde", "handle or handler"),
                ("--probe=ad", "ad", "shop::Cart::add"),
                ("--probe=add", "add", "shop::Cart::add"),
                ("--probe=Cart::add", "Cart::add", "shop::Cart::add"),
                ("--probe=shop::Card::add", "shop::Card::add",
                 "shop::Cart::add"),
                ("--probe=shop::Box<int>::taek", "shop::Box<int>::taek",
                 "shop::Box::take?"),
                ("--probe=lemd%return", "lemd%return", "lend")):
            with self.subTest(option):
                done = self.says(option)
                function = place.split("%")[0]
                self.assertEqual(done.returncode, 0)
                self.assertTrue(done.stderr.startswith(
                    f"clew record: probe {place}: no function {function} in "
                    "started and the libraries that it needs; did you mean "
                    f"{question}"), done.stderr)
                self.assertIn(self.WAITS, done.stderr)

    def test_probe_of_an_unknown_name_waits_for_libraries(self):
        self.assertTrue(self.says("--probe=zzqqxx").stderr.startswith(
            "clew record: probe zzqqxx: no function zzqqxx in started and the "
            f"libraries that it needs; {self.WAITS}"))
        self.assertTrue(self.says("--probe=libzq.so:lend").stderr.startswith(
            "clew record: probe libzq.so:lend: no function lend in started and "
            "the libraries that it needs, as far as their names match "
            "libzq.so; "))

    def test_functions_of_a_needed_library_exist(self):
        for place in "lend", "liblent.so:lend", "lend%return":
            self.assertEqual(self.says(f"--probe={place}").stderr,
                             "started\n", place)

    def test_impossible_probe_in_a_needed_library_is_refused(self):
        for option in "--probe=stuck%return", "--snapshot-when=stuck>5ms":
            done = self.says(option)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stderr, "clew record: probe stuck%return: its "
                             "function has no instruction that returns\n")
            self.assertFalse(self.recording_path.exists())


EXCEPTIONS = """
#include <cstdio>
#include <stdexcept>
struct Noisy { int *count; ~Noisy() { ++*count; } };
__attribute__((noipa)) int thrower(int n)
{
	if (n % 3 == 0)
		throw std::runtime_error("three");
	return n;
}
__attribute__((noipa)) int between(int n, int *count)
{
	Noisy noisy{ count };
	int sum = thrower(n);

	return sum + thrower(n + 1);
}
int main()
{
	int sum = 0, count = 0;
	for (int i = 0; i < 99; i++) {
		try {
			sum += between(i, &count);
		} catch (std::exception &e) {
			sum += e.what()[0];
		}
	}
	std::printf("%d %d\\n", sum, count);
}
"""


class Exceptions(Case):
    @needs("g++")
    def test_exceptions_pass_probed_functions(self):
        source = self.work / "thrown.cc"
        source.write_text(EXCEPTIONS, encoding="utf-8")
        program = self.work / "thrown"
        done = self.run_program(["g++", "-O2", "-o", program, source])
        self.assertEqual(done.returncode, 0, done.stderr)
        native = self.run_program([program])
        for function in ("_Z7throweri", "_Z7betweeniPi"):
            places = [f"{vaddr:#x}" for vaddr, way in
                      self.sites(function, program).items() if way != "none"]
            for first in range(0, len(places), AT_ONCE):
                self.probed(places[first:first + AT_ONCE], [program])
                self.assertEqual(native.stdout, self.done.stdout)
                self.assertEqual(native.returncode, self.done.returncode)


class Refusals(Case):
    """Refusals are reported before the program starts, or afterwards."""

    CODE = """
	.text
	.globl bad
	.type bad, @function
bad:	.cfi_startproc
	movl $39, %eax
	syscall
	jmp 1f
	.byte 1, 2, 3, 4
1:	ret
	.cfi_endproc
	.size bad, . - bad
	.globl endless
	.type endless, @function
endless: .cfi_startproc
	testl %edi, %edi
	jz bad
1:	jmp 1b
	.cfi_endproc
	.size endless, . - endless
	.globl stuck
	.type stuck, @function
stuck:	.cfi_startproc
1:	jmp 1b
	.cfi_endproc
	.size stuck, . - stuck
	.globl restores
	.type restores, @function
restores: .cfi_startproc
	.cfi_signal_frame
	movl $15, %eax
	ret
	.cfi_endproc
	.size restores, . - restores
	.globl main
	.type main, @function
main:	.cfi_startproc
	pushq %rbx
	call bad
	xorl %eax, %eax
	popq %rbx
	ret
	.cfi_endproc
	.size main, . - main
	.data
datum:	.quad 1
	.section .note.GNU-stack,"",@progbits
"""

    def setUp(self):
        super().setUp()
        source = self.work / "bad.s"
        source.write_text(self.CODE, encoding="utf-8")
        self.program = self.compile("refuses", source=source)
        self.vaddrs = {line.split()[-1]: int(line.split()[0], 16)
                       for line in self.run_program(
                           ["nm", self.program], text=True).stdout.splitlines()
                       if len(line.split()) == 3}

    def test_bad_probes_are_refused_before_the_start(self):
        datum = self.vaddrs["datum"]
        for place, why in (
                ("bad+1", "in the middle of an instruction"),
                ("bad+5", "exposes its own address"),
                ("bad+9", "no known control flow"),
                ("bad+0x100", "not inside a function that clew found"),
                (f"{datum:#x}", "not executable"),
                ("0x7fffffff", "no part of the file is mapped there"),
                ("endless%return", "conditional jump"),
                ("stuck%return", "no instruction that returns"),
                ("restores", "signal trampoline"),
                ("refuses:nothing", "has no function nothing"),
                (f"{self.program}:nothing", "has no function nothing"),
                ("bad+", "not a probe location"), (":bad", "not a probe location"),
                ("nothing.c:12", "has no code of line 12 of nothing.c")):
            with self.subTest(place=place):
                done = self.record([self.program], ["--probe", place],
                                   text=True)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(why, done.stderr)
                self.assertFalse(self.recording_path.exists())
        done = self.record([self.program], ["--probe=bad"] * 33, text=True)
        self.assertEqual(done.returncode, 64)
        self.assertIn("more than 32 probes", done.stderr)

    def reason(self, places, argv=None, options=()):
        found = self.probed(places, argv or [self.program], options, text=True)
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        self.assertIn("was not placed: " + found[-1]["reason"], self.done.stderr)
        return found[-1]["reason"]

    def test_refused_probes_are_reported_after_the_run(self):
        for places, why, options in (
                (["nothing"], "has a function of that name", []),
                (["nothing*:bad"], "no such module was loaded", []),
                (["bad", "bad+0"], "another probe is at the same address", []),
                (["libc.so.6:write"], "its module is not hooked", []),
                (["main+1"], "its module is not hooked", ["-m", "lib*"])):
            with self.subTest(places=places):
                if options:
                    places = [f"{self.vaddrs['main'] + 1:#x}"]
                self.assertIn(why, self.reason(places, options=options))

    @needs("g++")
    def test_probes_in_a_static_unwinder_are_refused(self):
        """clew has its own probes in a program's statically linked unwinder."""
        source = self.work / "thrown.cc"
        source.write_text(EXCEPTIONS, encoding="utf-8")
        program = self.work / "watched"
        done = self.run_program(["g++", "-O2", "-static-libgcc", "-o",
                                 program, source], text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        first, second, *_ = sorted(self.sites("_Unwind_RaiseException",
                                              program))
        for vaddr in (first, second):
            self.assertIn("inside bytes that clew displaces",
                          self.reason([f"{vaddr:#x}"], [program]))

    def test_breakpoints_in_the_c_library_are_refused(self):
        libc = next(line.split()[2] for line in self.run_program(
            ["ldd", self.program], text=True).stdout.splitlines()
            if "libc.so" in line)
        listed = self.clew("probe", "--sites", "qsort_r", "-e", libc).stdout
        vaddr = next(int(m[1], 16) for m in re.finditer(
            r"^ +0x([0-9a-f]+) .* none  needs a breakpoint", listed, re.M))
        self.assertNotIn(" int3 ", listed)
        self.assertIn("a breakpoint, which clew cannot use",
                      self.reason([f"libc.so*:{vaddr:#x}"],
                                  options=["--libc"]))

    def test_probes_of_the_c_library_count(self):
        [one] = self.probed(["libc.so*:exit"], [self.program], ["--libc"])
        self.assertEqual(self.done.returncode, 0)
        self.assertEqual(one["hits"], 1)

    def test_report_has_the_locations_of_each_probe(self):
        self.probed(["bad", "nothing", "elsewhere*:bad"], [self.program])
        report = self.details(self.recording_path)
        self.assertIn("\nprobe p1: bad, 1 hit at 1 location (1 in a stub); "
                      "--value=p1 shows them\n", report)
        self.assertIn("\nprobe p2: nothing, was not placed: no hooked "
                      "module has a function of that name\n", report)
        self.assertIn("\nprobe p3: elsewhere*:bad, was not placed: no such module "
                      "was loaded\n", report)

    def test_dump_has_the_probes(self):
        self.probed(["bad", "nothing"], [self.program])
        [part] = pathlib.Path(self.recording_path).glob("*.part")
        dump = self.clew("dump", part).stdout
        self.assertIn("\nprobe number=1 text=nothing\n", dump)
        self.assertRegex(dump, r"\nprobe_place probe=0 vaddr=0x[0-9a-f]+ "
                               r"function=\d+ tier=stub reason=0\n")


class Lines(Case):
    def test_a_line_stands_for_its_first_instruction(self):
        program = self.compile("probed", "-O0", "-g")
        lines = (HERE / "probed.c").read_text(encoding="utf-8").splitlines()
        line = lines.index("\t\tsum += leaf(i) & 7;") + 1
        native = self.run_program([program])
        for place in (f"probed.c:{line}", f"{program}:e2e/probed.c:{line}"):
            with self.subTest(place=place):
                probes = ["--probe", place, "--probe", "leaf"]
                done = self.record([program], probes)
                self.assert_same_behaviour(native, done)
                report = self.clew_json("report", "--json",
                                        self.recording_path)
                hits = [one["hits"] for one in report["probes"]]
                self.assertIn(f"probed.c:{line}", report["probes"][0]["place"])
                # loops() makes all calls of leaf().
                callers = self.clew_json("tree", "--json", "--value=p1",
                                         self.recording_path)
                self.assertGreater(hits[0], 20)
                self.assertEqual(callers["value"]["total"], hits[0])


class Copies(Case):
    """Lines that are inlined into several functions."""

    SOURCE = HERE / "copies.c"

    def line(self, remark):
        lines = self.SOURCE.read_text(encoding="utf-8").splitlines()
        [number] = [i for i, line in enumerate(lines, 1) if remark in line]
        return f"copies.c:{number}"

    def hits(self, program, place, *options):
        native = self.run_program([program])
        done = self.record([program], ["--probe", place, *options])
        self.assert_same_behaviour(native, done)
        [probe] = self.clew_json("report", "--json",
                                 self.recording_path)["probes"]
        return probe

    def test_a_probe_is_at_each_copy(self):
        for compiler in "gcc", "clang":
            if not shutil.which(compiler):
                continue
            for level in "-O0", "-O1", "-O2":
                with self.subTest(compiler=compiler, level=level):
                    program = self.work / "copies"
                    done = self.run_program([compiler, level, "-g", "-o",
                                             program, self.SOURCE])
                    self.assertEqual(done.returncode, 0, done.stderr)
                    inner = self.hits(program, self.line("line of part"))
                    self.assertEqual(inner["hits"], 500)
                    outer = self.hits(program, self.line("line of work"))
                    self.assertEqual(outer["hits"], 400)
                    if level == "-O2":
                        self.assertGreater(len(outer["places"]), 1)
                        self.assertRegex(outer["place"],
                                         r"^0x\w+,\.\.\. copies\.c:\d+$")

    def test_several_addresses_are_one_probe(self):
        program = self.compile("copies", "-O2", "-g")
        places = self.hits(program, self.line("line of work"))["places"]
        addresses = [f"{place['vaddr']:#x}" for place in places]
        probe = self.hits(program, ",".join(addresses))
        self.assertEqual((probe["hits"], probe["places"]), (400, places))
        for wrong in (addresses[0] + ",", "0x10,20", "0x10,,0x20",
                      ",".join(["0x10"] * 33)):
            done = self.record([program], ["--probe", wrong], text=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn("not a probe location", done.stderr)

    def test_probe_of_moving_variables_uses_the_first_copy(self):
        program = self.compile("copies", "-O2", "-g")
        place = self.line("line of part")
        probe = self.hits(program, place, "--action", "record x")
        self.assertLess(probe["hits"], 500)
        self.assertRegex(probe["place"],
                         rf"^0x\w+ {place} \(1 of \d copies\)$")


class RealPrograms(Case):
    """Random probes in real libraries do not change the program's behaviour."""

    PROGRAM = """
import hashlib, json, re
d = [hashlib.sha256(b'x' * i).hexdigest() for i in range(100)]
print(hashlib.md5(json.dumps(d).encode()).hexdigest())
print(len(re.findall('a.', ''.join(d))), sorted(range(9), key=lambda x: -x))
print(hashlib.pbkdf2_hmac('sha1', b'p', b's', 50).hex())
"""

    def functions(self, path):
        done = self.run_program(["nm", "-D", "-S", "--defined-only", path],
                                text=True)
        return sorted({int(line.split()[0], 16)
                       for line in done.stdout.splitlines()
                       if len(line.split()) == 4 and line.split()[2] in "Tt"})

    def module(self, part):
        maps = self.run_program(
            [PYTHON, "-c", "import _hashlib; "
             "print(open('/proc/self/maps').read())"], text=True).stdout
        return next((line.split()[-1] for line in maps.splitlines()
                     if part in line.split()[-1]), None)

    def check(self, path, seed):
        if not path:
            self.skipTest("it is not here")
        chosen = random.Random(seed)
        functions = self.functions(path)
        if len(functions) < 100:
            self.skipTest("no symbols")
        places = []
        name = os.path.basename(path)
        for vaddr in chosen.sample(functions, 11):
            sites = [vaddr for vaddr, way in
                     self.sites(f"{vaddr:#x}", path).items() if way != "none"]
            places += chosen.sample(sites, min(3, len(sites)))
        places = [f"{name}:{vaddr:#x}" for vaddr in sorted(set(places))]
        argv = [PYTHON, "-c", self.PROGRAM]
        native = self.run_program(argv)
        self.assertEqual(native.returncode, 0, native.stderr)
        found = self.probed(places[:AT_ONCE], argv)
        self.assertEqual(native.stdout, self.done.stdout)
        self.assertEqual(native.returncode, self.done.returncode)
        self.assertTrue(any(place["way"] != "none" for one in found
                            for place in one["places"]))

    def test_python_runs_with_probes(self):
        self.check(os.path.realpath(PYTHON), 1)

    def test_libcrypto_runs_with_probes(self):
        self.check(self.module("libcrypto.so"), 2)


if __name__ == "__main__":
    clewtest.main()
