#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Programs that are linked with musl are recorded as those of glibc are.

The programs of tests/targets were also built by musl-gcc. The classes below use
these builds in place of the others.
"""
import pathlib
import re
import signal
import subprocess

from lib import clewtest
from lib.clewtest import BUILD, ROOT, needs, target

LOADER = "ld-musl-x86_64.so.1"

# Programs that count their own calls, with their arguments.
COUNTED = [["callbacks"], ["cancel"], ["churn", "300"], ["deep", "20000"],
           ["jumps"], ["leaps"], ["offsets"], ["recursion"], ["signals"],
           ["stacks_within"], ["tail"], ["threads"], ["tiers"]]

# How `processes` creates children, and the number of programs that count.
CHILDREN = {"fork": 13, "forkexec": 9, "atonce": 9, "vfork": 5, "spawn": 5,
            "exec": 2, "watched": 5}

STATUS = {"return": 1, "exit": 3, "_exit": 2, "quick_exit": 7,
          "abort": -signal.SIGABRT, "kill": -signal.SIGKILL, "thread": 6,
          "handlers": 5, "last": 0}

LIBRARY = """
int count;
__attribute__((noinline)) int in_library(int n) { count++; return n + 1; }
__attribute__((noipa)) int in_constructor(int n) { return n + 1; }
__attribute__((constructor)) static void construct(void)
{
	for (volatile int i = 0; i < 7; i++)
		in_constructor(i);
}
"""

LOADS = """
#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
static void *run(void *library)
{
	int (*function)(int) = (int (*)(int))dlsym(library, "in_library");
	for (int i = 0; i < 100; i++)
		function(i);
	return 0;
}
int main(void)
{
	pthread_t thread;
	void *library;
	dlopen("./missing.so", RTLD_NOW);
	library = dlopen("./library.so", RTLD_NOW);
	pthread_create(&thread, 0, run, library);
	pthread_join(thread, 0);
	run(library);
	dlclose(library);
	run(dlopen("./library.so", RTLD_NOW));
	if (!fork()) {
		run(library);
		_exit(0);
	}
	wait(0);
	return 0;
}
"""

# Threads load, fork and create threads at once. Prints the calls of work().
AT_ONCE = """
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static _Atomic long calls;
static _Atomic int has_ended;
__attribute__((noipa)) void work(void) { calls++; }
static void *works(void *unused) { work(); return 0; }
static void *creates(void *unused)
{
	pthread_t thread;
	while (!has_ended)
		if (!pthread_create(&thread, 0, works, 0))
			pthread_join(thread, 0);
	return 0;
}
static void *fails_to_load(void *unused)
{
	while (!has_ended)
		dlopen("./missing.so", RTLD_NOW);
	return 0;
}
static void *forks(void *unused)
{
	while (!has_ended) {
		pid_t pid = fork();
		if (!pid)
			_exit(0);
		waitpid(pid, 0, 0);
	}
	return 0;
}
int main(void)
{
	void *(*const runs[])(void *) = { creates, fails_to_load, forks };
	pthread_t threads[3];
	char name[32];
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], 0, runs[i], 0);
	for (int i = 0; i < 30; i++) {
		snprintf(name, sizeof(name), "./library%d.so", i);
		if (!dlopen(name, RTLD_NOW))
			return 1;
		usleep(2000);
	}
	has_ended = 1;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], 0);
	printf("%ld\\n", calls);
	return 0;
}
"""

# Functions that musl lacks, but which libclew.so defines for other programs.
MISSING = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
int main(void)
{
	static const char *const names[] = { "epoll_pwait2", "pkey_mprotect",
		"swapcontext", "getcontext", "backtrace", "__sigaction" };
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
		static long memory[1024];
		int (*call)(void *, void *, long, long, long) =
			(int (*)())dlsym(RTLD_DEFAULT, names[i]);
		if (call && call(memory, memory, 0, 0, 0) > 0)
			return 1;
	}
	return 0;
}
"""

ALLOCATES = """
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *run(void *unused)
{
	for (int i = 0; i < 1000; i++) {
		void *volatile block = malloc(100);
		free(block);
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
	}
	return 0;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, 0, run, 0);
	pthread_join(thread, 0);
	run(0);
	return 0;
}
"""


class Case(clewtest.Case):
    def build(self, name, text, *options):
        """Builds a program with musl and returns its path."""
        built = self.run_program(
            ["musl-gcc", "-O1", "-w", "-x", "c", "-", "-o", name, *options],
            input=text.encode())
        self.assertEqual(built.returncode, 0, built.stderr)
        return self.work / name

    def record_counted(self, argv, options=(), images=1):
        for old in self.truths.iterdir():
            old.unlink()
        self.environment.pop("TRUTH_DIR", None)
        name, *rest = argv
        return self.record_target([target(name, "musl"), *rest], options,
                                  images)

    def calls(self):
        """Returns {name of function: calls} as the report shows it."""
        report = self.clew_json("report", "--json", "-n", "0",
                                self.recording_path)
        self.assertEqual(report["problems"], [])
        return {f["name"]: f["calls"] for f in report["functions"]}


@needs("musl-gcc")
class Recorded(Case):
    def check(self, *options):
        for argv in COUNTED:
            with self.subTest(argv[0]):
                recording, _ = self.record_counted(argv, options)
                for part in recording.parts:
                    self.assert_nothing_lost(part)

    def test_calls_are_counted(self):
        self.check()

    def test_calls_are_counted_and_timed(self):
        self.check("--time=exact")

    def test_each_call_is_verified(self):
        self.check("--time=none", "--verify-period=1")

    def test_calls_are_counted_with_the_c_library_hooked(self):
        self.check("--libc")

    def test_children_are_counted(self):
        for how, images in CHILDREN.items():
            with self.subTest(how):
                self.record_counted(["processes", how], images=images)

    def test_every_way_to_end_is_recorded(self):
        for how, status in STATUS.items():
            with self.subTest(how):
                recording, _ = self.record_counted(["ends", how])
                self.assert_nothing_lost(recording.parts[0])
                done = self.record([target("ends", "musl"), how])
                self.assertEqual(done.returncode, status)

    def test_programs_of_both_c_libraries_execute_each_other(self):
        program = self.build("executes", """
            #include <unistd.h>
            __attribute__((noipa)) int musl_calls(int n) { return n; }
            int main(int argc, char **argv)
            {
                for (volatile int i = 0; i < 10; i++)
                    musl_calls(i);
                if (argc > 1)
                    execvp(argv[1], argv + 1);
                return 0;
            }""")
        argv = [program, "sh", "-c", f"{program}; exec {program}"]
        self.assert_same_behaviour(self.run_program(argv), self.record(argv))
        self.assertEqual(self.calls()["musl_calls"], 30)
        self.assertIn("sh", " ".join(p.arguments[0]
                                     for p in self.recording().parts))

    def test_samples_are_taken(self):
        program = self.build("burns", """
            #include <time.h>
            __attribute__((noinline)) int burn(int n)
            {
                volatile int sum = n;
                for (int i = 0; i < 100000; i++)
                    sum += i;
                return sum;
            }
            int main(void)
            {
                while (clock() < CLOCKS_PER_SEC / 2)
                    burn(1);
                return 0;
            }""")
        self.record([program], ["--time=cpu"])
        report = self.clew_json("report", "--json", self.recording_path)
        burn = next(f for f in report["functions"] if f["name"] == "burn")
        whole = sum(f["self_ns"] for f in report["functions"])
        self.assertGreater(burn["self_ns"], 0.8 * whole)

    def test_functions_that_musl_lacks_fail(self):
        program = self.build("missing", MISSING)
        self.assertEqual(self.run_program([program]).returncode, 0)
        self.assertEqual(self.record([program]).returncode, 0)

    def test_a_mask_that_setjmp_has_not_stored_is_not_restored(self):
        """musl's setjmp() leaves the word unset in which glibc stores whether
        there is a mask."""
        program = self.build("masks", """
            #include <setjmp.h>
            #include <signal.h>
            #include <string.h>
            static jmp_buf plain;
            static sigjmp_buf saved;
            __attribute__((noinline)) void jump(void) { longjmp(plain, 1); }
            __attribute__((noinline)) void leap(void) { siglongjmp(saved, 1); }
            int main(void)
            {
                sigset_t set;
                memset(&plain, 0xff, sizeof(plain));
                sigemptyset(&set);
                sigaddset(&set, SIGUSR1);
                if (!setjmp(plain))
                    jump();
                sigprocmask(SIG_BLOCK, 0, &set);
                if (sigismember(&set, SIGUSR1) || sigismember(&set, SIGUSR2))
                    return 1;
                if (!sigsetjmp(saved, 1)) {
                    sigaddset(&set, SIGUSR1);
                    sigprocmask(SIG_SETMASK, &set, 0);
                    leap();
                }
                sigprocmask(SIG_BLOCK, 0, &set);
                return sigismember(&set, SIGUSR1) ? 2 : 0;
            }""")
        self.assertEqual(self.run_program([program]).returncode, 0)
        self.assertEqual(self.record([program]).returncode, 0)
        self.assertEqual(self.calls()["leap"], 1)

    def test_a_warmed_cache_serves_it(self):
        self.environment["XDG_CACHE_HOME"] = str(self.work / "cache")
        program = target("recursion", "musl")
        self.clew("cache", "warm", program)
        self.record_counted(["recursion"])

    def test_static_programs_run_unrecorded(self):
        program = self.build("static", "int main(void) { return 0; }",
                             "-static")
        self.assert_runs_unrecorded([program], "statically linked")

    def test_its_loader_runs_unrecorded(self):
        self.assert_runs_unrecorded(
            [f"/lib/{LOADER}", target("recursion", "musl")], "dynamic loader")


@needs("musl-gcc")
class Loaded(Case):
    """Libraries that are loaded later are counted from their constructors
    on."""

    def check(self, *options):
        self.build("library.so", LIBRARY, "-shared", "-fPIC")
        program = self.build("loads", LOADS, *options)
        native = self.run_program([program])
        self.assertEqual(native.returncode, 0, native.stderr)
        self.assert_same_behaviour(native, self.record([program]))
        calls = self.calls()
        self.assertEqual((calls["in_constructor"], calls["in_library"]),
                         (7, 400))

    def test_libraries_are_counted(self):
        self.check()

    def test_threads_load_and_fork_at_once(self):
        """fork() waits for the loader's lock after it has called clew."""
        self.build("library0.so", LIBRARY, "-shared", "-fPIC")
        first = (self.work / "library0.so").read_bytes()
        for i in range(1, 30):
            (self.work / f"library{i}.so").write_bytes(first + bytes([i]))
        program = self.build("at_once", AT_ONCE)
        done = self.record([program], ["--no-children"], timeout=120)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(self.calls()["work"], int(done.stdout))

    def test_loaders_without_padding_are_watched(self):
        """Distributions build musl for size: the function that the loader calls
        for debuggers is followed by the next one."""
        content = bytearray(pathlib.Path("/lib", LOADER).read_bytes())
        listed = subprocess.run(["nm", "-D", f"/lib/{LOADER}"], check=True,
                                text=True, stdout=subprocess.PIPE).stdout
        at = int(re.search(r"([0-9a-f]+) W _dl_debug_state", listed)[1], 16)
        end = content.index(b"\xc3", at, at + 8) + 1
        self.assertGreater(-end % 16, 4)
        content[end:end + -end % 16] = b"\xf4" * (-end % 16)
        loader = self.work / LOADER
        loader.write_bytes(content)
        loader.chmod(0o755)
        self.check(f"-Wl,--dynamic-linker={loader}")


@needs("musl-gcc")
class Values(Case):
    def check(self, name, *variable):
        program = self.build("allocates", ALLOCATES)
        library = BUILD / name.removeprefix("clew-") / f"lib{name}.so"
        self.environment.update(
            {"CLEW": str(clewtest.CLEW),
             name.upper().replace("-", "_"): str(library)})
        done = self.run_program([ROOT / "scripts" / name, "-o",
                                 self.recording_path, "--", program])
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        shown = self.clew("report", f"--value={variable[0]}",
                          self.recording_path).stdout
        self.assertRegex(shown, r"(?m)^ *2,0\d\d .* (run|main) ")

    def test_allocations_are_counted(self):
        self.check("clew-alloc", "allocations")

    def test_locks_are_counted(self):
        self.check("clew-locks", "acquisitions")


if __name__ == "__main__":
    clewtest.main()
