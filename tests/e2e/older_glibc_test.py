#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""clew works in programs with a glibc before 2.34, which consists of more
libraries.

CLEW_OLDER_ROOT names the root folder of a distribution with such a glibc and
g++. Without it, the tests are skipped. Debian 11 has glibc 2.31:

    debootstrap --variant=minbase --include=g++,libc6-dev bullseye ROOT
"""
import os
import shutil
import subprocess
import unittest

from lib import clewtest
from lib.attached import PATIENCE_S, Attached
from lib.clewtest import BUILD, ROOT

OLDER_ROOT = os.environ.get("CLEW_OLDER_ROOT")

# Arguments: the root, the test's folder, which has the same path inside, and
# the command.
INSIDE = """
root=$0 work=$1
shift
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/tmp"
mkdir -p "$root$work"
mount --bind "$work" "$root$work"
exec chroot "$root" /usr/bin/env -i -C "$work" PATH=/usr/bin:/bin "$@"
"""

COUNTS = """
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#ifdef THREADS
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#endif
__attribute__((noinline)) int leaf(int n) { return n * 3 + 1; }
__attribute__((noinline)) void *allocates(void) { return malloc(100); }
__attribute__((noinline)) void locks(void)
{
#ifdef THREADS
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
#endif
}
__attribute__((noinline)) void *calls(void *sum)
{
	for (int i = 0; i < 1000; i++) {
		*(volatile int *)sum += leaf(i);
		free(allocates());
		locks();
	}
	return sum;
}
int main(int argc, char **argv)
{
	int sums[2] = { 0 };
	char byte;
#ifdef THREADS
	pthread_t thread;
	pthread_create(&thread, NULL, calls, &sums[1]);
	pthread_join(thread, NULL);
#endif
	calls(&sums[0]);
	if (argc > 1) {
		puts("ready");
		fflush(stdout);
		while (read(0, &byte, 1) == 1) {
			calls(&sums[0]);
			puts("counted");
			fflush(stdout);
		}
	}
	puts("done");
	return 0;
}
"""

# libc itself loads modules by __libc_dlopen_mode(), for example of iconv().
LOADS = """
#include <stdio.h>
void *__libc_dlopen_mode(const char *name, int mode);
void *__libc_dlsym(void *module, const char *name);
int main(int argc, char **argv)
{
	void *module = __libc_dlopen_mode(argv[1], 0x80000002);
	int (*opens)(void) = __libc_dlsym(module, "opens");
	puts(opens() ? "opened" : "not opened");
	return 0;
}
"""

OPENS = """
#include <dlfcn.h>
int opens(void) { return dlopen("libm.so.6", RTLD_NOW) != 0; }
"""

# Programs search for new functions by name.
ASKS = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
int main(void)
{
	int (*wait)() = dlsym(RTLD_DEFAULT, "epoll_pwait2");
	int (*mask)() = dlsym(RTLD_DEFAULT, "pthread_attr_setsigmask_np");
	if (wait && (wait(-1, NULL, 0, NULL, NULL) != -1 || errno != ENOSYS))
		puts("wrong");
	if (mask && mask(NULL, NULL) != ENOSYS)
		puts("wrong");
	puts("asked");
	return 0;
}
"""


@unittest.skipUnless(OLDER_ROOT and os.geteuid() == 0,
                     "no CLEW_OLDER_ROOT, or not root")
class OlderGlibc(Attached):
    def inside(self, *argv):
        return ["unshare", "-m", "sh", "-ec", INSIDE, OLDER_ROOT,
                str(self.work), *argv]

    def build(self, name, *arguments):
        built = self.run_program(self.inside(*arguments, "-o", name),
                                 text=True)
        self.assertEqual(built.returncode, 0, built.stderr)
        return str(self.work / name)

    def compile(self, name, source, *options):
        (self.work / f"{name}.c").write_text(source)
        return self.build(name, "gcc", "-O1", f"{name}.c", *options)

    def record_inside(self, argv, *agents):
        """Runs a command below libclew.so and agents, in the root."""
        libraries = [BUILD / "preload" / "libclew.so", *agents]
        for library in libraries:
            shutil.copy(library, self.work)
        shutil.rmtree(self.recording_path, ignore_errors=True)
        self.recording_path.mkdir()
        preloaded = ":".join(str(self.work / library.name)
                             for library in libraries)
        done = self.run_program(self.inside(
            f"LD_PRELOAD={preloaded}", f"CLEW_DIR={self.recording_path}",
            f"TRUTH_DIR={self.truths}", *argv), text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def values(self, value):
        report = self.clew_json("report", "--json", f"--value={value}",
                                self.recording_path)
        return {row["name"]: row["total_value"] for row in report["functions"]
                if row["total_value"]}

    def test_calls_are_counted_exactly(self):
        for threads, options in ((1, []), (2, ["-DTHREADS", "-lpthread"])):
            with self.subTest(threads=threads):
                program = self.compile("counts", COUNTS, *options)
                self.assertEqual(self.record_inside([program]), "done\n")
                calls = self.calls()
                self.assertEqual(calls["calls"], threads)
                self.assertEqual(calls["leaf"], 1000 * threads)

    def test_exceptions_jumps_and_signals_are_counted_exactly(self):
        """These programs count their own calls."""
        shutil.copytree(ROOT / "tests" / "targets",
                        self.work / "tests" / "targets")
        for source in ("exceptions.cc", "jumps.c", "signals.c", "cancel.c",
                       "threads.c", "thread_ends.c"):
            with self.subTest(source):
                name = source.split(".")[0]
                program = self.build(
                    name, "g++" if source.endswith(".cc") else "gcc", "-O2",
                    "-I.", f'-DTRUTH_MODULE="{name}"',
                    f"tests/targets/{source}", "-pthread")
                self.record_inside([program])
                self.assert_counts(self.recording())
                (self.truths / os.listdir(self.truths)[0]).unlink()

    def test_agents_count_allocations_and_locks(self):
        program = self.compile("counts", COUNTS, "-DTHREADS", "-lpthread")
        for agent, value, function in (
                ("alloc", "allocations", "allocates"),
                ("locks", "acquisitions", "locks")):
            with self.subTest(agent):
                self.record_inside([program],
                                   BUILD / agent / f"libclew-{agent}.so")
                self.assertEqual(self.values(value)[function], 2000)

    def test_libdl_may_be_loaded_later(self):
        program = self.compile("loads", LOADS)
        library = self.compile("libopens.so", OPENS, "-shared", "-fPIC",
                               "-ldl")
        self.assertEqual(self.record_inside([program, library]), "opened\n")

    def test_functions_that_glibc_lacks_fail(self):
        program = self.compile("asks", ASKS, "-ldl")
        self.assertEqual(self.record_inside([program]), "asked\n")

    def go_on(self, process):
        process.stdin.write(b".")
        process.stdin.flush()
        self.assertEqual(process.stdout.readline(), b"counted\n")

    def test_running_processes_can_be_attached_to(self):
        for threads, options in ((1, []), (2, ["-DTHREADS", "-lpthread"])):
            with self.subTest(threads=threads):
                program = self.compile("counts", COUNTS, *options)
                process = self.start(self.inside(program, "waits"),
                                     stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE)
                self.addCleanup(process.stdin.close)
                self.addCleanup(process.stdout.close)
                self.assertEqual(process.stdout.readline(), b"ready\n")
                shutil.rmtree(self.recording_path, ignore_errors=True)
                controller = self.attach(process)
                self.go_on(process)
                self.detach(controller)
                self.go_on(process)
                process.stdin.close()
                self.assertEqual(process.stdout.read(), b"done\n")
                self.assertEqual(process.wait(PATIENCE_S), 0)
                calls = self.calls()
                self.assertEqual((calls["calls"], calls["leaf"]), (1, 1000))


if __name__ == "__main__":
    clewtest.main()
