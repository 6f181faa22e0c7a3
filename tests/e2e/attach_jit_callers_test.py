#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""With `clew attach --jit-callers`, functions called by generated code appear
below it, as with `clew record`."""
import collections
import pathlib
import subprocess

from lib import clewtest
from lib.attached import Attached
from lib.clewtest import CLEW, until

# Generates code that calls functions of a library, and announces it in a perf
# map. Reads numbers: of calls, or minus milliseconds that one call takes.
PROGRAM = r"""
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef long callee(long caller);
typedef long piece(long turns, callee *function, long caller);
long leaf(long caller);
long upcaller(long caller, piece *second);
long waits(long ms);

static unsigned char *memory;

static const unsigned char begin[] = { /* saves and takes the arguments */
	0x53, 0x41, 0x54, 0x41, 0x55, 0x48, 0x89,
	0xfb, 0x49, 0x89, 0xf4, 0x49, 0x89, 0xd5
};
/* mov %r13, %rdi; call *%r12; dec %rbx; jnz; pop %r13, %r12, %rbx; ret */
static const unsigned char rest[] = { 0x4c, 0x89, 0xef, 0x41, 0xff, 0xd4,
				      0x48, 0xff, 0xcb, 0x75, 0xf5, 0x41,
				      0x5d, 0x41, 0x5c, 0x5b, 0xc3 };

static piece *piece_of(int which) { return (piece *)(memory + 64 * which); }

int main(int argc, char **argv)
{
	const char *const names[] = { "first", "second" };
	char path[4096];
	FILE *map;
	long n, sum;

	memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	snprintf(path, sizeof(path), "%s/perf-%d.map", argv[1], (int)getpid());
	map = fopen(path, "w");
	for (int i = 0; i < 2; i++) {
		memcpy(memory + 64 * i, begin, sizeof(begin));
		memcpy(memory + 64 * i + sizeof(begin), rest, sizeof(rest));
		fprintf(map, "%lx 40 %s\n", (long)piece_of(i), names[i]);
	}
	fclose(map);
	mprotect(memory, 4096, PROT_READ | PROT_EXEC);
	while (puts("ready"), fflush(stdout), scanf("%ld", &n) == 1) {
		if (n < 0) {
			sum = piece_of(0)(1, waits, -n);
		} else {
			sum = piece_of(0)(n, leaf, 1) + leaf(n);
			for (long i = 0; i < n; i++)
				sum += upcaller(i, piece_of(1));
		}
		printf("%ld\n", sum);
	}
	return 0;
}
"""
LIBRARY = r"""
#include <time.h>
#define PLACE __attribute__((noipa))
static volatile long sink;
PLACE long leaf(long caller) { sink += caller; return caller; }
PLACE long upcaller(long caller, long (*second)(long, long (*)(long), long))
{
	sink++;
	return second(2, leaf, caller) + 1;
}
PLACE long waits(long ms)
{
	struct timespec pause = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&pause, NULL);
	return leaf(ms) + 1;
}
"""


class Callers(Attached):
    CALLS = 100

    def setUp(self):
        super().setUp()
        self.environment["TMPDIR"] = str(self.work)
        for name, source, options in (
                ("libcallee.so", LIBRARY, ["-fPIC", "-shared"]),
                ("generates", PROGRAM, ["-L.", "-Wl,-rpath,$ORIGIN"])):
            done = self.run_program(
                ["cc", "-O1", "-g", "-o", name, "-x", "c", "-", "-x", "none",
                 *options, *(["-lcallee"] if name == "generates" else [])],
                input=source.encode())
            self.assertEqual(done.returncode, 0, done.stderr)
        self.argv = [self.work / "generates", self.work]
        self.start_to_talk(*self.argv)
        self.expect("ready")

    def expect(self, line):
        self.assertEqual(self.process.stdout.readline(), f"{line}\n")

    def send(self, number):
        self.process.stdin.write(f"{number}\n")
        self.process.stdin.flush()

    def ask(self):
        calls = self.CALLS
        self.send(calls)
        self.expect(1 + calls + calls * (calls + 1) // 2)
        self.expect("ready")

    def edges(self, recording):
        """Returns {(caller, callee): calls} of the library's functions."""
        tree = self.clew_json("tree", "--json", "-t", "0", recording)
        names = {one["id"]: tree["functions"][one["function"]]["name"]
                 for one in tree["contexts"]}
        found = collections.Counter()
        for one in tree["contexts"]:
            if names[one["id"]] in ("leaf", "upcaller", "waits"):
                found[names.get(one["parent"]), names[one["id"]]] += \
                    one["calls"]
        report = self.clew_json("report", "--json", recording)
        self.assertEqual(report["confidence"]["diverged"], 0)
        self.assertGreater(report["confidence"]["verified"], 0)
        return +found

    def session(self, *options):
        controller = self.attach(self.process, "--verify-period=1", *options)
        self.ask()
        self.detach(controller)
        self.assert_as_before(self.process)
        return self.edges(self.recording_path)

    def test_callers_equal_those_of_record_in_all_sessions(self):
        calls = self.CALLS
        expected = {("first", "leaf"): calls, ("main", "leaf"): 1,
                    ("main", "upcaller"): calls,
                    ("second", "leaf"): 2 * calls}
        subprocess.run([CLEW, "record", "-o", "recorded", "--jit-callers",
                        "--verify-period=1", "--", *self.argv],
                       input=f"{calls}\n", text=True, cwd=self.work,
                       env=self.environment, capture_output=True, check=True)
        self.assertEqual(self.edges(self.work / "recorded"), expected)
        for options in ((), ("--time=exact",), ("--libc",), ("--time=none",)):
            with self.subTest(options):
                self.assertEqual(self.session("--jit-callers", *options),
                                 expected)
                self.assertNotIn(("first", "leaf"), self.session(*options))
        self.process.stdin.close()
        self.assertEqual(self.process.wait(), 0)

    def test_clew_detaches_while_generated_code_waits(self):
        for ms in 1000, 1001:
            controller = self.attach(self.process, "--jit-callers",
                                     "--verify-period=1")
            self.send(-ms)
            self.assertTrue(until(lambda: "hrtimer_nanosleep" in pathlib.Path(
                f"/proc/{self.process.pid}/stack").read_text()))
            self.detach(controller)
            self.assert_as_before(self.process)
            self.expect(ms + 1)
            self.expect("ready")
        self.assertEqual(self.session("--jit-callers")["first", "leaf"],
                         self.CALLS)

    def test_names_of_generated_code_are_saved(self):
        """The perf map was written before clew attached."""
        self.session("--jit-callers")
        for map_file in self.work.glob("perf-*.map"):
            map_file.unlink()
        self.assertIn(("first", "leaf"), self.edges(self.recording_path))


if __name__ == "__main__":
    clewtest.main()
