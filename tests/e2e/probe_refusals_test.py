#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Probes are refused if space, memory or a hook is missing."""
import subprocess

from lib import clewtest
from lib.clewtest import CLEW, until
from lib.live_probes import Case

# Fills the address space around the program, and loads a library into a gap.
CROWDED = """
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#define GIB (1UL << 30)

static void fill(uintptr_t start, uintptr_t end)
{
	if (start < end)
		mmap((void *)start, end - start, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
			     MAP_FIXED_NOREPLACE, -1, 0);
}

/* All that is free from there up to the stack. */
static void fill_from(uintptr_t start)
{
	static char lines[1 << 16];
	FILE *maps = fopen("/proc/self/maps", "r");
	char *line = lines;

	lines[fread(lines, 1, sizeof(lines) - 1, maps)] = 0;
	fclose(maps);
	for (; line && *line; line = strchr(line, '\\n') + 1) {
		uintptr_t low = strtoul(line, &line, 16);
		uintptr_t high = strtoul(line + 1, &line, 16);

		if (!strncmp(strchrnul(line, '['), "[stack]", 7) &&
		    strchrnul(line, '[') < strchr(line, '\\n')) {
			fill(start, low - (64UL << 20));
			return;
		}
		fill(start, low);
		if (start < high)
			start = high;
	}
}

/* Past setrlimit(), in which clew adds what is its own. */
static void limit_memory(void)
{
	long result = SYS_prlimit64;
	register long none __asm__("r10") = 0;

	FILE *file = fopen("/proc/self/statm", "r");
	struct rlimit limit;
	unsigned long pages = 0;

	if (fscanf(file, "%lu", &pages) != 1)
		abort();
	fclose(file);
	limit.rlim_cur = limit.rlim_max = (pages << 12) + (12UL << 20);
	__asm__ volatile("syscall"
			 : "+a"(result)
			 : "D"(0L), "S"((long)RLIMIT_AS), "d"(&limit), "r"(none)
			 : "rcx", "r11", "memory");
}

int main(int argc, char **argv)
{
	const uintptr_t libc = (uintptr_t)&puts & -(2UL << 20);
	const uintptr_t middle = libc - 2 * GIB - GIB / 2;
	const int is_room = !strcmp(argv[1], "room");
	long (*part)(long);

	fill_from(is_room ? libc - 5 * GIB : middle);
	if (is_room)
		munmap((void *)middle, strtoul(argv[3], NULL, 0));
	else
		limit_memory();
	part = (long (*)(long))dlsym(dlopen(argv[2], RTLD_NOW), "part");
	printf("%ld %d\\n", part(1), (uintptr_t)part < libc - 2 * GIB);
	return 0;
}
"""

PART = """
__attribute__((noipa)) long part(long n) { return n * 17 + 3; }
"""

# Prints a line when clew has removed the hook from its leaf().
LEAF = """
#include <stdio.h>
#include <unistd.h>

__attribute__((noipa)) long leaf(long n) { return n * 17 + 3; }

int main(void)
{
	const volatile unsigned char *code = (void *)leaf;
	const unsigned char hooked = *code;
	int is_out = 0;
	long sum = 0;

	printf("%d\\n", getpid());
	fflush(stdout);
	for (;;) {
		for (int i = 0; i < 100000; i++)
			sum += leaf(sum);
		if (!is_out && *code != hooked && *code != 0xcc) {
			is_out = 1;
			puts("out");
			fflush(stdout);
		}
	}
}
"""


class Refusals(Case):
    def setUp(self):
        clewtest.Case.setUp(self)

    def built(self, name, text, *options):
        source = self.work / f"{name}.c"
        source.write_text(text, encoding="utf-8")
        return self.compile(name, "-O2", *options, source=source)

    def refused(self, argv, *probes):
        options = [word for probe in probes for word in ("--probe", probe)]
        self.done = self.record(argv, options, text=True)
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        report = self.clew_json("report", "--json", self.recording_path)
        return [one.get("reason") or one["places"][0].get("reason")
                for one in report["probes"]]

    def crowded(self, how, why):
        program = self.built("crowded", CROWDED, "-D_GNU_SOURCE")
        library = self.built("libpart.so", PART, "-shared", "-fPIC")
        ends = [int(line.split()[2], 16) + int(line.split()[5], 16)
                for line in self.run_program(
                    ["readelf", "-lW", library],
                    text=True).stdout.splitlines()
                if line.split()[:1] == ["LOAD"]]
        span = (max(ends) + 4095) & -4096
        self.assertEqual(self.refused([program, how, library, hex(span)],
                                      "libpart.so:part"), [why])
        self.assertEqual(self.done.stdout, "20 1\n")

    def test_missing_room_within_reach_is_refused(self):
        self.crowded("room", "no free memory within reach of a jump")

    def test_missing_memory_is_refused(self):
        self.crowded("memory", "out of memory")

    def test_probe_in_a_function_left_out_by_a_budget_is_refused(self):
        program = self.built("leaf", LEAF)
        self.process = subprocess.Popen(
            [CLEW, "record", "-q", "-o", self.recording_path, "--time=none",
             "--budget=1%", "--", program], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, env=self.environment)
        self.see_to_its_end()
        self.addCleanup(lambda: self.run_program(["kill", self.pid]))
        self.assertEqual(self.process.stdout.readline(), "out\n")

        def is_refused():
            done = self.clew("probe", "add", str(self.pid), "leaf")
            if done.returncode:
                return "to keep the --budget" in done.stderr
            self.clew("probe", "rm", str(self.pid), "--all")
            return False
        self.assertTrue(until(is_refused))


if __name__ == "__main__":
    clewtest.main()
