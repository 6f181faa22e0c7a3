#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Functions that read return addresses or flags see the program's own values."""
import re
import shutil
import subprocess

from lib import clewtest

NEXT_LIBRARY = """
#define _GNU_SOURCE
#include <dlfcn.h>
void *next_of(const char *name) { return dlsym(RTLD_NEXT, name); }
void *(*chosen)(void *, const char *);
void *next_chosen_of(const char *name)
{
	void *(*how)(void *, const char *) = chosen ? chosen : dlsym;
	return how(RTLD_NEXT, name);
}
void *next_version_of(const char *name)
{
	return dlvsym(RTLD_NEXT, name, "GLIBC_2.2.5");
}
"""

NEXT = """
#include <dlfcn.h>
#include <stdio.h>
void *next_of(const char *name);
void *next_chosen_of(const char *name);
void *next_version_of(const char *name);
int main(void)
{
	printf("%d %d %d\\n", next_of("malloc") != NULL,
	       next_chosen_of("malloc") != NULL,
	       next_version_of("malloc") != NULL);
	return 0;
}
"""

# dlopen() searches the RUNPATH of the calling library.
OPENS_LIBRARY = """
#define _GNU_SOURCE
#include <dlfcn.h>
__attribute__((noinline)) void *open_plugin(const char *name)
{
	return dlopen(name, RTLD_NOW);
}
__attribute__((noinline)) void *open_apart(const char *name)
{
	return dlmopen(LM_ID_NEWLM, name, RTLD_NOW);
}
int load(void)
{
	return (open_plugin("libplug.so") != (void *)0) +
	       2 * (open_apart("libplug.so") != (void *)0);
}
"""

OPENS = """
#include <stdio.h>
int load(void);
int main(void) { return printf("%d\\n", load()) < 0; }
"""

# who() is reached by one jump, by two, and by one from a split part of a function.
WHO_LIBRARY = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
__attribute__((noinline)) static int report(void *caller)
{
	Dl_info info;
	int is_there = dladdr(caller, &info) && info.dli_fname;
	return printf("%s\\n", is_there ? strrchr(info.dli_fname, '/') : "-");
}
__attribute__((noinline)) int who(int n)
{
	return report(__builtin_return_address(0)) + n;
}
__attribute__((noinline)) int wrapper(int n)
{
	__asm__ volatile("" : "+r"(n));
	return who(n);
}
__attribute__((noinline)) int outer(int n)
{
	__asm__ volatile("" : "+r"(n));
	return wrapper(n);
}
__attribute__((noinline, cold)) static int complain(void *caller)
{
	return report(caller) + 1;
}
__attribute__((noinline)) int rarely(int n)
{
	if (__builtin_expect(n > 1, 0))
		return complain(__builtin_return_address(0)) + n;
	return n;
}
"""

WHO = """
int wrapper(int), outer(int), rarely(int);
int main(int argc, char **argv)
{
	return wrapper(1) < 0 || outer(2) < 0 || rarely(argc + 1) < 0;
}
"""

# Calls the library until its input ends, and prints the number of wrong answers.
ASKS = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <stdio.h>
__attribute__((noinline)) void *next_of(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}
int main(void)
{
	struct pollfd input = { .fd = 0, .events = POLLIN };
	int wrong = 0;
	puts("ready");
	fflush(stdout);
	while (poll(&input, 1, 1) == 0)
		wrong += next_of("malloc") == NULL;
	return printf("%d\\n", wrong) < 0;
}
"""

PROFILED = """
#include <stdio.h>
__attribute__((noinline)) int leaf(int n)
{
	__asm__ volatile("" ::: "memory");
	return n + 1;
}
__attribute__((noinline)) int mid(int n)
{
	int sum = 0;
	for (int i = 0; i < n % 5; i++)
		sum += leaf(i);
	return sum;
}
__attribute__((noinline)) int other(int n) { return leaf(n) + mid(n); }
int main(void)
{
	int total = 0;
	for (int i = 0; i < 10000; i++)
		total += mid(i) + other(i);
	return printf("%d\\n", total) < 0;
}
"""

FLAGS_LIBRARY = """
	.text
	.globl takes_carry
	.type takes_carry, @function
takes_carry:
	.cfi_startproc
	sbb %eax, %eax
	nop
	nop
	nop
	ret
	.cfi_endproc
	.size takes_carry, . - takes_carry
	.section .note.GNU-stack, "", @progbits
"""

FLAGS = """
#include <stdio.h>
int main(void)
{
	for (int i = 0; i < 4; i++) {
		int result;
		__asm__ volatile("sub $128, %%rsp; bt $0, %1; call takes_carry;"
				 "lea 128(%%rsp), %%rsp"
				 : "=&a"(result) : "r"(i) : "cc", "memory");
		printf("%d ", result);
	}
	return 0;
}
"""

MODES = [[], ["--time=exact"], ["--trace"]]


class ReturnAddresses(clewtest.Case):
    def compile(self, name, text, *flags, suffix=".c"):
        source = self.work / (name + suffix)
        source.write_text(text, encoding="utf-8")
        subprocess.run(["cc", source, "-o", self.work / name, *flags],
                       check=True, cwd=self.work)
        return self.work / name

    def library(self, name, text, *flags):
        return self.compile(f"lib{name}.so", text, "-shared", "-fPIC", *flags)

    def program(self, name, text, library, *flags):
        return self.compile(name, text, "-O2", library,
                            f"-Wl,-rpath,{self.work}", *flags)

    def check(self, program, expected, modes=()):
        """The program prints the same natively and recorded."""
        native = self.run_program([program])
        self.assertEqual(native.stdout, expected, native.stderr)
        for options in modes or MODES:
            with self.subTest(options):
                self.assert_same_behaviour(native,
                                           self.record([program], options))

    def assert_verdict(self, file, function, text):
        listing = self.clew_json("list", "--json", "--all", file)
        verdicts = {f["name"]: f["verdict"]
                    for f in listing["modules"][0]["functions"]}
        self.assertEqual(verdicts.get(function), text, function)

    def test_tail_calls_of_dlsym_find_the_next_definition(self):
        for flags in ["-O2"], ["-O2", "-fno-plt"], ["-Os", "-Wl,-z,now"]:
            with self.subTest(flags):
                library = self.library("next", NEXT_LIBRARY, *flags)
                self.check(self.program("next", NEXT, library), b"1 1 1\n")
                self.assert_verdict(
                    library, "next_of",
                    "jumps to a function that reads its return address")

    def test_tail_calls_of_dlopen_use_the_callers_search_path(self):
        plugins = self.work / "plugins"
        plugins.mkdir()
        plugin = self.library("plug", "int plug(void) { return 1; }")
        shutil.move(plugin, plugins)
        for flags in ["-O2"], ["-O2", "-fno-plt"]:
            with self.subTest(flags):
                library = self.library(
                    "opens", OPENS_LIBRARY, f"-Wl,-rpath,{plugins}",
                    "-Wl,--enable-new-dtags", *flags)
                self.check(self.program("opens", OPENS, library), b"3\n")

    def test_tail_calls_of_dlsym_work_while_attached(self):
        program = self.compile("asks", ASKS, "-O2")
        with subprocess.Popen([program], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True,
                              env=self.environment) as process:
            self.assertEqual(process.stdout.readline(), "ready\n")
            done = self.clew("attach", "--for", "1s", "-o",
                             self.recording_path, str(process.pid))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(process.communicate()[0], "0\n")

    def test_functions_that_return_their_caller_see_the_true_one(self):
        for flags in ["-O2"], ["-O2", "-fno-plt"], ["-O2", "-Wl,-Bsymbolic"]:
            with self.subTest(flags):
                library = self.library("who", WHO_LIBRARY, *flags)
                self.check(self.program("asked", WHO, library),
                           b"/asked\n" * 3)

    def test_stripped_functions_that_return_their_caller_see_the_true_one(self):
        library = self.library("who", WHO_LIBRARY, "-O2", "-s",
                               "-Wl,-Bsymbolic")
        self.check(self.program("asked", WHO, library), b"/asked\n" * 3)

    def test_gmon_has_all_arcs(self):
        profile = self.work / "gmon.out"
        for flags in ["-pg"], ["-pg", "-mfentry"], ["-pg", "-O2", "-no-pie"]:
            program = self.compile("profiled", PROFILED, *flags)
            arcs = {}
            for how in "native", "recorded":
                if how == "native":
                    self.run_program([program])
                else:
                    self.record([program], ["--time=none"])
                table = subprocess.run(
                    ["gprof", "-b", "-q", program, profile], check=True,
                    stdout=subprocess.PIPE, text=True).stdout
                arcs[how] = re.findall(r"(\d+)/(\d+) +(\w+) \[\d+\]$", table,
                                       re.M)
                profile.unlink()
            with self.subTest(flags):
                self.assertIn(("10000", "50000", "leaf"), arcs["native"])
                self.assertGreaterEqual(len(arcs["native"]), 6)
                self.assertEqual(arcs["recorded"], arcs["native"])
                self.assert_verdict(
                    program, "mid",
                    "calls mcount (-pg), which reads return addresses")

    def test_reports_say_why_instrumented_functions_are_missing(self):
        hooks = ("void __cyg_profile_func_enter(void *f, void *c) {}"
                 "void __cyg_profile_func_exit(void *f, void *c) {}\n")
        for text, flags, cause in (
                (PROFILED, ["-pg"], "-pg"),
                (PROFILED + hooks.replace("void __", "__attribute__(("
                                          "no_instrument_function)) void __"),
                 ["-finstrument-functions"],
                 "-finstrument-functions or -fsanitize=thread")):
            with self.subTest(flags):
                program = self.compile("instrumented", text, *flags)
                self.record([program], ["--time=none"])
                self.assertIn(
                    "\nhint: 4 functions of instrumented are not counted, "
                    "because they look up return addresses; build it "
                    f"without {cause}\n",
                    self.clew("report", "--wide", self.recording_path).stdout)

    def test_functions_that_read_the_callers_flags_are_not_hooked(self):
        source = self.work / "flags.S"
        source.write_text(FLAGS_LIBRARY, encoding="utf-8")
        program = self.compile("flags", FLAGS, "-O1", source)
        self.check(program, b"0 -1 0 -1 ")
        self.assert_verdict(program, "takes_carry",
                            "reads CPU flags that its caller has set")


if __name__ == "__main__":
    clewtest.main()
