#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A function that is reached by a tail call counts below the function that jumped, also
in time.
"""
import re
import shutil
import subprocess
import time
import unittest

from lib import clewtest
from lib.attached import Attached
from lib.clewtest import BUILD, CLEW, ROOT, target

# first() jumps to second(), which jumps to third(). Only third() takes time: of
# the processor, so that it has this time beside load, too. The file `durations`
# then has two times for each call: of third(), and of first() with its caller.
CHAIN = r"""
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#define OWN __attribute__((noipa))
static volatile long sink;
static long durations[50][2];
static OWN long now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}
OWN long third(long us, long *took)
{
	void *block = malloc(100);
	long begin = now(CLOCK_MONOTONIC);
	long end = now(CLOCK_THREAD_CPUTIME_ID) + us * 1000;

	while (now(CLOCK_THREAD_CPUTIME_ID) < end)
		sink++;
	free(block);
	*took = now(CLOCK_MONOTONIC) - begin;
	return sink;
}
OWN long second(long us, long *took) { sink++; return third(us, took); }
OWN long first(long us, long *took)
{
	sink += now(CLOCK_MONOTONIC) & 1;
	return second(us, took);
}
int main(void)
{
	FILE *file;

	for (int i = 0; i < 50; i++) {
		long begin = now(CLOCK_MONOTONIC);

		sink += first(i == 20 ? 200000 : 2000, &durations[i][0]) + 1;
		durations[i][1] = now(CLOCK_MONOTONIC) - begin;
	}
	file = fopen("durations", "w");
	for (int i = 0; i < 50; i++)
		fprintf(file, "%ld %ld\n", durations[i][0], durations[i][1]);
	fclose(file);
	printf("%d\n", sink != 0);
	return 0;
}
"""

# A byte code interpreter: the function of each instruction jumps to that of
# the next one.
INTERPRETER = r"""
#include <stdio.h>
#include <stdlib.h>
typedef long (*step)(const unsigned char *, long);
extern const step table[16];
#define OP(n) __attribute__((noinline)) long op##n(const unsigned char *pc, long sum) \
	{ __attribute__((musttail)) return table[*pc](pc + 1, sum * 3 + n); }
OP(1) OP(2) OP(3) OP(4) OP(5) OP(6) OP(7) OP(8) OP(9) OP(10) OP(11) OP(12) OP(13) OP(14) OP(15)
__attribute__((noinline)) long stop(const unsigned char *pc, long sum) { return sum + *pc; }
const step table[16] = { stop, op1, op2, op3, op4, op5, op6, op7, op8, op9, op10, op11, op12,
			 op13, op14, op15 };
__attribute__((noinline)) long run(const unsigned char *code) { return op1(code, 1); }
int main(void)
{
	static unsigned char code[100002];
	long sum = 0;

	srand(7);
	for (int i = 0; i < 100000; i++)
		code[i] = 1 + rand() % 15;
	for (int i = 0; i < 20; i++)
		sum += run(code) + 1;
	printf("%ld\n", sum);
	return 0;
}
"""

# A child process that shares the thread pointer changes the thread's id while
# calls() is called, and has exited when calls() jumps.
SHARES = r"""
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#define OWN __attribute__((noipa))
static volatile long sink;
static volatile int ready, stop, pid;
static char stack[65536];
OWN long after(long n) { sink += n; return sink; }
OWN long ends(long status)
{
	long done;

	ready = 1;
	while (!stop)
		__asm__ volatile("pause");
	__asm__ volatile("syscall" : "=a"(done) : "a"(SYS_exit), "D"(status)
			 : "rcx", "r11", "memory");
	return done;
}
static int child(void *none) { return none ? 1 : (int)ends(0) + 1; }
OWN long reached(long n) { sink += after(n) + 1; return after(n) + 1; }
OWN long calls(long n)
{
	stop = 1;
	waitpid(pid, NULL, 0);
	return reached(n);
}
OWN long begin(void)
{
	stop = ready = 0;
	pid = clone(child, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL);
	return 1;
}
OWN long rounds(long n)
{
	sink += begin();
	while (!ready)
		__asm__ volatile("pause");
	sink += calls(n) + 1;
	return sink;
}
int main(void)
{
	for (int i = 0; i < 20; i++)
		sink += rounds(i) + 1;
	printf("%d\n", sink != 0);
	return 0;
}
"""

# The first function on a stack of makecontext() makes a tail call.
BEGINS = r"""
#include <stdio.h>
#include <ucontext.h>
#define OWN __attribute__((noipa))
static volatile long sink;
static ucontext_t back, made;
static char stack[65536];
OWN long called(long n) { sink += n; return sink; }
OWN void third(void)
{
	for (int i = 0; i < 1000; i++)
		sink += called(i) + 1;
}
OWN void second(void) { sink++; third(); }
OWN void first(void) { sink++; second(); }
int main(void)
{
	getcontext(&made);
	made.uc_stack.ss_sp = stack;
	made.uc_stack.ss_size = sizeof(stack);
	made.uc_link = &back;
	makecontext(&made, first, 0);
	swapcontext(&back, &made);
	printf("%d\n", sink != 0);
	return 0;
}
"""

# In the first call of begins(), both() replaces itself by a tail call, below
# turns(). In the second, turns() jumps to both() at the slot of begins().
# alone() jumps to itself, and other() to alone().
PLACES = r"""
#include <stdio.h>
#define OWN __attribute__((noipa))
static volatile long sink;
OWN long leaf(long n) { sink += n; return sink; }
OWN long both(long how);
OWN long turns(long how)
{
	if (how == 3) {
		sink += both(2) + 1;
		return sink;
	}
	return both(how - 1);
}
OWN long both(long how)
{
	sink += leaf(how) + 1;
	return how == 2 ? turns(1) : leaf(how);
}
OWN long begins(long how) { sink += leaf(how) + 1; return turns(how); }
OWN long alone(long n);
long (*volatile jumps)(long) = alone;
OWN long alone(long n) { sink += leaf(n) + 1; return n > 0 ? jumps(n - 1) : leaf(n); }
OWN long other(long n) { sink++; return alone(n); }
OWN long calls(long n) { sink += alone(n) + 1; return other(n) + 1; }
int main(void)
{
	for (int i = 0; i < 20; i++) {
		sink += begins(3) + 1;
		sink += begins(1) + 1;
		sink += calls(2) + 1;
		sink += calls(0) + 1;
	}
	printf("%d\n", sink != 0);
	return 0;
}
"""

# first() and second() return the value of third().
VALUES = r"""
#include <stdio.h>
#define OWN __attribute__((noipa))
static volatile long sink;
OWN int third(int n) { sink++; return n == 7 ? -1 : n; }
OWN int second(int n) { sink++; return third(n); }
OWN int first(int n) { sink++; return second(n); }
int main(void)
{
	int sum = 0;

	for (int i = 0; i < 20; i++)
		sum += first(i);
	printf("%d\n", sum);
	return 0;
}
"""

# An exception leaves the function that was jumped to.
THROWS = r"""
#include <cstdio>
#define OWN __attribute__((noipa))
static volatile long sink;
OWN long second(long n) { if (n % 2) throw 5; sink += n; return n; }
OWN long first(long n) { sink++; return second(n); }
OWN long catches(long n)
{
	try { sink += first(n) + 1; } catch (int) { sink++; }
	return sink;
}
int main()
{
	for (int i = 0; i < 20; i++)
		sink += catches(i) + 1;
	printf("%d\n", sink != 0);
	return 0;
}
"""

# An exception leaves the first call of leaves(). 200 ms later, stays() has the
# same stack slot.
LEFT = r"""
#include <cstdio>
#include <ctime>
#define OWN __attribute__((noipa))
static volatile long sink;
OWN long throws(long n) { if (n >= 0) throw 5; return n; }
OWN long leaves(long n) { sink++; return throws(n); }
OWN long returns(long n) { sink += n; return n; }
OWN long stays(long n) { sink++; return returns(n); }
OWN long calls(long (*f)(long), long n)
{
	try { sink += f(n) + 1; } catch (int) { sink++; }
	return sink;
}
int main()
{
	timespec pause = { 0, 200000000 };

	sink += calls(leaves, 1) + 1;
	nanosleep(&pause, nullptr);
	sink += calls(stays, 1) + 1;
	printf("%d\n", sink != 0);
	return 0;
}
"""

# Calls run in cycles, in which first() is folded, until the program reads a line.
SESSIONS = r"""
#include <poll.h>
#include <stdio.h>
#define OWN __attribute__((noipa))
static volatile long sink;
OWN long second(long n);
OWN long last(long n) { sink += n; return sink; }
OWN long first(long n) { sink++; return n > 0 ? second(n - 1) : last(n); }
OWN long second(long n) { sink++; return n > 0 ? first(n - 1) : last(n); }
OWN long cycles(long n) { sink++; return first(n); }
OWN long chains(long n) { sink++; return second(n); }
int main(void)
{
	struct pollfd line = { .fd = 0, .events = POLLIN };

	for (;;) {
		sink += cycles(6) + 1;
		if (poll(&line, 1, 1) > 0)
			break;
	}
	getchar();
	puts("chains");
	fflush(stdout);
	for (line.events = 0; poll(&line, 1, 1) == 0;)
		sink += chains(1) + 1;
	return 0;
}
"""


class TailNesting(Attached):
    def build(self, source, compiler="gcc"):
        (self.work / "program.c").write_text(source)
        program = self.work / "program"
        subprocess.run([compiler, "-O2", "-o", program,
                        self.work / "program.c"], check=True)
        return program

    def tree(self, program, *options):
        """Records with these options. Returns {path of names from main() on: node}."""
        native = self.run_program([program])
        self.assert_same_behaviour(native, self.record([program], options))
        return self.paths()

    def paths(self):
        """Returns {path of names from main() on: node} of the recording."""
        shown = self.clew_json("tree", "--json", self.recording_path)
        paths, found = {0: ()}, {}
        for node in shown["contexts"]:
            name = shown["functions"][node["function"]]["name"]
            above = () if name == "main" else paths[node["parent"]]
            paths[node["id"]] = (*above, name)
            found[paths[node["id"]]] = node
        return found

    def functions(self):
        shown = self.clew_json("report", "--json", "-n", "0",
                               self.recording_path)
        return {each["name"]: each for each in shown["functions"]}

    PATH = ("main", "first", "second", "third")

    def test_function_is_below_the_one_that_jumps_to_it(self):
        program = self.build(CHAIN)
        for options in (["--time=none"], ["--time=exact"], ["--time=wall"],
                        ["--trace"], ["--trace", "--stamps=all"],
                        ["--trace=64K", "--on-overflow=process"],
                        ["--libc"], ["--verify-period=1"]):
            with self.subTest(options):
                found = self.tree(program, *options)
                for n in range(1, 5):
                    node = found[self.PATH[:n]]
                    self.assertEqual(node["calls"], 1 if n == 1 else 50)
                    self.assertEqual(node["tail"], 50 if n > 2 else 0)

    def test_verification_counts_functions_that_jumped(self):
        """In each call of third(), two functions have left the stack."""
        self.tree(self.build(CHAIN), "--time=none", "--verify-period=1")
        shown = self.clew_json("report", "--json", self.recording_path)
        confidence = shown["confidence"]
        self.assertEqual((confidence["diverged"], confidence["collisions"]),
                         (0, 0))
        self.assertGreaterEqual(confidence["jumped_functions"], 50 + 2 * 49)
        self.assertIn(" had left the stack by tail calls",
                      self.details(self.recording_path))

    def test_verification_knows_where_a_stack_begins(self):
        self.tree(self.build(BEGINS), "--time=none", "--verify-period=1",
                  "-m", "program")
        shown = self.clew_json("report", "--json", self.recording_path)
        confidence = shown["confidence"]
        self.assertEqual((confidence["diverged"], confidence["collisions"]),
                         (0, 0))
        self.assertGreaterEqual(confidence["verified"], 999)

    def test_self_jumps_agree_with_verification(self):
        for options in [], ["--trace"]:
            with self.subTest(options):
                found = self.tree(
                    self.build(PLACES), "--time=none", "--verify-period=1",
                    *options)
                shown = self.clew_json("report", "--json",
                                       self.recording_path)
                confidence = shown["confidence"]
                self.assertEqual(
                    (confidence["diverged"], confidence["collisions"]),
                    (0, 0))
                calls = [n["calls"] for path, n in found.items()
                         if path[-1] == "both"]
                self.assertEqual(sum(calls), 60)

    def test_no_tail_nesting_counts_below_the_caller(self):
        found = self.tree(self.build(CHAIN), "--no-tail-nesting")
        for name in "first", "second", "third":
            self.assertEqual(found["main", name]["calls"], 50)
        self.assertEqual(found["main", "third"]["tail"], 50)

    def test_totals_include_the_time_of_jumped_functions(self):
        program = self.build(CHAIN)
        for options in (["--time=exact"], ["--time=wall"], ["--time=cpu"],
                        ["--trace", "--stamps=all"]):
            with self.subTest(options):
                self.tree(program, *options)
                functions = self.functions()
                whole = functions["third"]["total_ns"]
                self.assertGreater(whole, 100e6)
                for name in "first", "second":
                    self.assertGreaterEqual(functions[name]["total_ns"],
                                            whole * 0.99)
                    self.assertLess(functions[name]["self_ns"], whole / 5)

    def test_a_duration_ends_when_the_slot_returns(self):
        program = self.build(CHAIN)
        self.tree(program, "--time=exact")
        for name in "first", "second", "third":
            timed = self.functions()[name]["timed"]
            self.assertEqual(timed["calls"], 50)
            self.assertGreaterEqual(timed["max_ns"], 198e6)
            self.assertGreaterEqual(timed["min_ns"], 1.98e6)
        self.tree(program, "--trace", "--stamps=all")
        shown = self.clew("trace", "--slowest=first", "-n", "1",
                          self.recording_path).stdout
        slowest = re.search(r"^ +1 +([\d.]+) (ms|s) ", shown, re.M)
        self.assertIsNotNone(slowest, shown)
        unit_ms = {"ms": 1, "s": 1000}[slowest.group(2)]
        self.assertGreaterEqual(float(slowest.group(1)) * unit_ms, 198)

    MODES = (["--time=none"], ["--time=exact"], ["--trace=ring:1M"],
             ["--trace", "--stamps=all"],
             ["--time=none", "--no-tail-nesting"])

    def snapshots(self):
        return len(list(self.recording_path.glob("*.snapshot*")))

    def slow_calls(self, limit_ns):
        """Returns between which numbers of calls of first() took longer."""
        lines = (self.work / "durations").read_text().splitlines()
        rows = [[int(word) > limit_ns for word in line.split()]
                for line in lines]
        return [sum(column) for column in zip(*rows)]

    def test_snapshots_of_slow_calls_wait_until_the_slot_returns(self):
        program = self.build(CHAIN)
        for options in self.MODES:
            with self.subTest(options):
                self.tree(program, *options, "--snapshot-when=first>100ms",
                          "--snapshot-when=second>100ms",
                          "--snapshot-when=third>100s")
                # Beside load, further calls may take this long.
                least, most = self.slow_calls(100e6)
                self.assertGreaterEqual(least, 1)
                self.assertGreaterEqual(self.snapshots(), 2 * least)
                self.assertLessEqual(self.snapshots(), 2 * most)

    def test_snapshots_of_values_wait_until_the_slot_returns(self):
        program = self.build(VALUES)
        for options in self.MODES:
            with self.subTest(options):
                self.tree(program, *options, "--snapshot-when=first==-1",
                          "--snapshot-when=second>=18")
                self.assertEqual(self.snapshots(), 3)

    def test_a_call_that_an_exception_left_is_not_slow_later(self):
        (self.work / "left.cc").write_text(LEFT)
        program = self.work / "left"
        subprocess.run(["g++", "-O2", "-o", program, self.work / "left.cc"],
                       check=True)
        for options in self.MODES:
            with self.subTest(options):
                self.tree(program, *options, "--snapshot-when=leaves>100ms",
                          "--snapshot-when=stays>100ms")
                self.assertEqual(self.snapshots(), 0)

    def test_an_exception_passes_a_slot_that_is_waited_for(self):
        (self.work / "throws.cc").write_text(THROWS)
        program = self.work / "throws"
        subprocess.run(["g++", "-O2", "-o", program,
                        self.work / "throws.cc"], check=True)
        for options in self.MODES:
            with self.subTest(options):
                found = self.tree(program, *options, "--verify-period=1",
                                  "--snapshot-when=first>=18")
                self.assertEqual(self.snapshots(), 1)
                self.assertEqual(found["main", "catches(long)",
                                       "first(long)"]["calls"], 20)
                confidence = self.clew_json(
                    "report", "--json", self.recording_path)["confidence"]
                self.assertEqual(confidence["diverged"], 0)

    def test_jump_after_a_shared_thread_counts_below_the_caller(self):
        """The function that jumps is not counted, and its tail call counts below its caller."""
        program = self.build(SHARES)
        for options in ["--time=none"], ["--time=exact"], ["--trace"]:
            with self.subTest(options):
                found = self.tree(program, *options)
                self.assertEqual(found["main", "rounds"]["calls"], 20)
                self.assertEqual(found["main", "rounds", "reached"]["calls"],
                                 20)
                self.assertEqual(
                    found["main", "rounds", "reached", "after"]["calls"], 40)

    def test_cut_tail_call_chain_lasts_for_a_session(self):
        self.start_to_talk(self.build(SESSIONS))
        for names in (("cycles", "first", "second"),
                      ("chains", "second", "first", "last")):
            if names[0] == "chains":
                self.process.stdin.write("\n")
                self.process.stdin.flush()
                self.assertEqual(self.process.stdout.readline(), "chains\n")
            controller = self.attach(self.process, "--time=none")
            time.sleep(0.3)
            self.detach(controller)
            found = self.paths()
            self.assertGreater(found["main", *names]["calls"], 0)

    @unittest.skipUnless(shutil.which("clang"), "needs clang")
    def test_contexts_of_an_interpreter_stay_few(self):
        program = self.build(INTERPRETER, "clang")
        for options in ["--time=none"], ["--trace"]:
            with self.subTest(options):
                found = self.tree(program, *options, "-m", "program")
                self.assertLess(len(found), 500)
                self.assertEqual(sum(node["calls"] for node in found.values()),
                                 1 + 20 * 100003)
                self.assertTrue(all(path[:2] == ("main", "run")
                                    for path in found if len(path) > 2))


# One round of targets/handing.c as {path: (calls, tail calls)}.
ROUND = {("main", "first"): (1, 0),
         ("main", "first", "second"): (1, 1),
         ("main", "first", "second", "third"): (1, 1),
         ("main", "even"): (4, 3),
         ("main", "even", "odd"): (4, 4),
         ("main", "even", "odd", "last"): (1, 1)}
FORMER_ROUND = {("main", path[-1]): calls for path, calls in ROUND.items()}


class Handed(Attached):
    """Agents that request the current context, and the values that they count in it."""
    PATH = TailNesting.PATH
    ROUNDS = 40

    def nodes(self, *options):
        """Returns {path of names from main() on: node} of called functions below main()."""
        tree = self.clew_json("tree", "--json", *options, self.recording_path)
        paths, found = {0: ()}, {}
        for node in tree["contexts"]:
            name = tree["functions"][node["function"]]["name"]
            above = paths[node["parent"]]
            paths[node["id"]] = (*above, name) if above or name == "main" else ()
            if node["calls"] and not name.startswith("clew_"):
                found[paths[node["id"]]] = node
        return found

    def test_contexts_from_the_agent_have_the_whole_chain(self):
        self.environment["HANDING_TELLS"] = "1"
        for options in (), ("--time=exact",), ("--libc",), ("--verify-period=1",):
            with self.subTest(options):
                recorded = self.record([target("handing"), self.ROUNDS], options)
                self.assertEqual((recorded.stdout, recorded.returncode), (
                    f"{2 * self.ROUNDS + 1} answers, 0 errors\n".encode(), 0))

    def check_values(self, tool, wanted):
        """Checks that the values, {value: that of third()}, count below the whole chain
        of calls.
        """
        library = BUILD / tool / f"libclew-{tool}.so"
        self.environment.update(
            {"CLEW": str(CLEW), f"CLEW_{tool.upper()}": str(library)})
        done = self.run_program([ROOT / "scripts" / f"clew-{tool}", "-o",
                                 self.recording_path, "--", target("handing"),
                                 self.ROUNDS])
        self.assertEqual((done.stdout, done.returncode), (b"0 errors\n", 0))
        for value, own in wanted.items():
            nodes = self.nodes(f"--value={value}")
            for n in range(2, 5):
                node = nodes[self.PATH[:n]]
                self.assertEqual((node["self_value"], node["below_value"]),
                                 (own if n == 4 else 0, own), self.PATH[:n])

    def test_allocations_have_the_whole_chain(self):
        self.check_values("alloc", {"allocations": self.ROUNDS,
                                    "bytes": 1000 * self.ROUNDS,
                                    "live_bytes": 1000 * self.ROUNDS})

    def test_locks_have_the_whole_chain(self):
        self.check_values("locks", {"acquisitions": self.ROUNDS})

    def test_sessions_of_both_kinds_alternate(self):
        """A process is attached to repeatedly, with and without --no-tail-nesting."""
        self.start_to_talk(target("handing"))
        for options, wanted in (
                ([], ROUND), (["--no-tail-nesting"], FORMER_ROUND), ([], ROUND),
                (["--no-tail-nesting", "--time=exact"], FORMER_ROUND),
                (["--time=exact", "--verify-period=1"], ROUND)):
            with self.subTest(options):
                controller = self.attach(self.process, *options)
                self.process.stdin.write(f"{self.ROUNDS}\n")
                self.process.stdin.flush()
                said = self.process.stdout.readline()
                self.detach(controller)
                # The agent's answers lack functions that have jumped, too.
                self.assertEqual(said != "0 errors\n",
                                 "--no-tail-nesting" in options)
                self.assertEqual(
                    {path: (node["calls"], node["tail"])
                     for path, node in self.nodes().items() if len(path) > 1},
                    {path: (calls * self.ROUNDS, tail * self.ROUNDS)
                     for path, (calls, tail) in wanted.items()})
                self.calls()  # checks for problems and divergence
                self.assert_as_before(self.process)


if __name__ == "__main__":
    clewtest.main()
