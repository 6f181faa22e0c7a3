#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`clew attach --libc` counts calls of libc's functions as `clew record` does."""
import subprocess

from lib import clewtest
from lib.attached import Attached, CountingTarget
from lib.clewtest import CLEW, kill_with_guardian

# Reads numbers, and calls functions of libc as often. Functions behind wrappers
# of clew are among them, and functions that libc calls itself.
PROGRAM = """
#define _GNU_SOURCE
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static jmp_buf back;
static volatile int handled;
static char text[64];

static void handle(int number) { handled++; }
static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}
__attribute__((noipa)) void leap(void) { longjmp(back, 1); }
__attribute__((noipa)) void work(int n)
{
	char *const argv[] = { "true", NULL };
	const char *names[] = { "c", "a", "b" };
	const struct timespec now = { 0 };
	const struct sigaction action = { .sa_handler = handle };
	struct pollfd none;
	sigset_t set;
	void *page;
	pid_t child;

	sigemptyset(&set);
	for (int i = 0; i < n; i++) {
		snprintf(text, sizeof(text), "%d", i);
		page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		mprotect(page, 4096, PROT_READ);
		munmap(page, 4096);
		qsort(names, 3, sizeof(*names), compare);
		sigaction(SIGUSR1, &action, NULL);
		signal(SIGUSR2, handle);
		sigprocmask(SIG_BLOCK, &set, NULL);
		raise(SIGUSR1);
		ppoll(&none, 0, &now, NULL);
		if (!setjmp(back))
			leap();
		free(malloc(100));
		getppid();
	}
	if (posix_spawn(&child, "/bin/true", NULL, NULL, argv, environ) == 0)
		waitpid(child, NULL, 0);
}
__attribute__((noipa)) void child_work(int n)
{
	for (int i = 0; i < n; i++)
		getppid();
}
int main(void)
{
	char line[16];
	pid_t child;

	while (puts("ready"), fflush(stdout), fgets(line, sizeof(line), stdin)) {
		work(atoi(line));
		child = fork();
		if (!child) {
			child_work(atoi(line));
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
	return handled & 1;
}
"""


class Calls(Attached):
    ROUNDS = 10

    def setUp(self):
        super().setUp()
        source, program = self.work / "calls.c", self.work / "calls"
        source.write_text(PROGRAM)
        done = self.run_program(["cc", "-O1", "-g", source, "-o", program])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.start_to_talk(program)
        self.assertEqual(self.process.stdout.readline(), "ready\n")
        # The first requests differ from later ones, because libc allocates.
        self.ask(1)
        once = self.recorded(1)
        self.expected = {name: calls - once.get(name, 0)
                         for name, calls in self.recorded(2).items()
                         if calls > once.get(name, 0)}

    def ask(self, times):
        for _ in range(times):
            self.process.stdin.write(f"{self.ROUNDS}\n")
            self.process.stdin.flush()
            self.assertEqual(self.process.stdout.readline(), "ready\n")

    def below(self, function, recording):
        """Returns {name: calls} of a function and all that it calls."""
        report = self.clew_json("report", "--json", f"--focus=^{function}$",
                                recording)
        self.assertEqual(report["confidence"]["diverged"], 0)
        return {row["name"]: row["calls"] for row in report["functions"]
                if row["calls"]}

    def recorded(self, times):
        path = self.work / "recorded"
        done = subprocess.run(
            [CLEW, "record", "--libc", "--time=none", "-o", path,
             self.work / "calls"], input=f"{self.ROUNDS}\n" * times, text=True,
            cwd=self.work, env=self.environment, capture_output=True,
            check=True)
        self.assertEqual(done.stdout, "ready\n" * (times + 1))
        return {**self.below("work", path), **self.below("child_work", path)}

    def session(self, *options):
        controller = self.attach(self.process, *options)
        self.ask(1)
        self.detach(controller)
        self.assert_as_before(self.process)
        return {**self.below("work", self.recording_path),
                **self.below("child_work", self.recording_path)}

    def test_counts_equal_those_of_record_in_all_sessions(self):
        self.assertEqual(self.expected["ppoll"], self.ROUNDS)
        for options in ((), ("--time=none",), ("--trace",), ("--time=exact",),
                        ("--budget=5%",), ("--no-cache",)):
            with self.subTest(options):
                self.assertEqual(self.session("--libc", *options),
                                 self.expected)
                counts = self.session(*options)
                self.assertEqual(counts["leap"], self.ROUNDS)
                self.assertNotIn("ppoll", counts)
        self.process.stdin.close()
        # raise() was handled in each of ROUNDS rounds of 13 requests.
        self.assertEqual(self.process.wait(), self.ROUNDS * 13 & 1)

    def test_wrapped_functions_stay_the_same_in_later_sessions(self):
        hooked = []
        for _ in range(3):
            self.session("--libc")
            listed = self.clew("list", "-a", self.recording_path)
            self.assertEqual(listed.returncode, 0, listed.stderr)
            hooked.append([line for line in listed.stdout.splitlines()
                           if "wrapper" in line])
        self.assertEqual(hooked[0], hooked[1])
        self.assertEqual(hooked[0], hooked[2])

    def test_clews_own_calls_are_not_counted(self):
        self.detach(self.attach(self.process, "--libc"))
        report = self.clew_json("report", "--json", self.recording_path)
        self.assertEqual(report["total"]["calls"], 0)


class Threads(CountingTarget):
    def test_threads_are_counted_exactly_beside_libc(self):
        for options in (), ("--libc",), ("--libc",), ("--libc", "--trace"):
            with self.subTest(options):
                self.is_recorded_exactly("--time=none", *options)

    def test_a_killed_controller_leaves_libc_hooked_until_detach(self):
        self.let_go()
        controller = self.attach(self.process, "--libc")
        kill_with_guardian(controller)
        self.let_go()
        done = self.clew("detach", self.process.pid)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_as_before(self.process)
        self.assertGreater(self.calls(may_throw=True)["attached_leaf"], 200)
        self.is_recorded_exactly("--libc", "--time=none")


if __name__ == "__main__":
    clewtest.main()
