#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`clew attach` works on processes without free static thread-local storage."""
import mmap
import os
import pathlib
import shutil
import struct

from lib import clewtest
from lib.attached import Built, CountingTarget
from lib.clewtest import until
from lib.container import ContainerCase

PIECES = 40  # of 64 bytes each: more than are free

GREEDY = r"""
__thread char greedy[64] __attribute__((tls_model("initial-exec")));
char *greedy_of(void)
{
	return greedy;
}
"""

EATER = r"""
#include <dlfcn.h>
#include <stdio.h>
__attribute__((constructor)) static void eat(void)
{
	char path[256];
	int i = 0;
	do
		snprintf(path, sizeof(path), FOLDER "/greedy%d.so", i++);
	while (dlopen(path, RTLD_NOW));
	/* Clears the error, which the program would otherwise find. */
	dlerror();
}
"""

# Runs rounds of threads that reuse the stacks of earlier threads, and forks a
# child at each pause.
LIVES = r"""
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
struct shared {
	volatile uint64_t may_go, is_idle, rounds, errors;
	uint64_t calls;
} *shared;
__attribute__((noinline, noipa)) int lives_leaf(int x)
{
	__atomic_add_fetch(&shared->calls, 1, __ATOMIC_SEQ_CST);
	return x + 1;
}
__attribute__((noinline, noipa)) int lives_middle(int x)
{
	return lives_leaf(lives_leaf(x)) + 1;
}
static void *live(void *argument)
{
	const int from = (int)(uintptr_t)argument;
	return (void *)(uintptr_t)(lives_middle(from) + lives_middle(from));
}
static void make_threads(void)
{
	pthread_t threads[4];
	void *result;
	for (int i = 0; i < 4; i++)
		if (pthread_create(&threads[i], 0, live, (void *)(uintptr_t)i))
			shared->errors++;
	for (int i = 0; i < 4; i++)
		if (pthread_join(threads[i], &result) ||
		    result != (void *)(uintptr_t)(2 * i + 6))
			shared->errors++;
}
static void make_child(void)
{
	int status;
	const pid_t child = fork();
	if (!child) {
		make_threads();
		_exit(0);
	}
	if (waitpid(child, &status, 0) != child || status)
		shared->errors++;
}
int main(int argc, char **argv)
{
	const int file = open(argv[1], O_RDWR);
	shared = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	for (;;) {
		shared->is_idle = 1;
		while (!shared->may_go)
			usleep(1000);
		shared->is_idle = 0;
		make_child();
		for (; shared->may_go; shared->rounds++)
			make_threads();
	}
}
"""


class NoStorage(Built):
    def setUp(self):
        self.hungry = None
        super().setUp()

    def eater(self):
        """Returns a library by which a program uses up all static TLS."""
        if not self.hungry:
            first = self.build("greedy0.so", "-shared", "-fPIC",
                               source=GREEDY)
            for i in range(1, PIECES):
                shutil.copy(first, self.work / f"greedy{i}.so")
            self.hungry = self.build("eater.so", "-shared", "-fPIC",
                                     f'-DFOLDER="{self.work}"', source=EATER)
        return self.hungry

    def start(self, argv, **options):
        environment = {**self.environment, "LD_PRELOAD": str(self.eater())}
        return super().start(argv, **{"env": environment, **options})

    def assert_is_in_blocks(self, process):
        maps = pathlib.Path(f"/proc/{process.pid}/maps").read_text()
        self.assertIn("/in-blocks/libclew.so\n", maps)


class Counts(NoStorage, CountingTarget):
    def tearDown(self):
        self.assert_is_in_blocks(self.process)
        super().tearDown()

    def test_exceptions_jumps_and_signals_are_counted_exactly(self):
        self.check_exact_counts()

    def test_calls_have_exact_times_without_static_storage(self):
        self.is_recorded_exactly("--time", "exact")

    def test_process_without_static_storage_survives_a_killed_controller(self):
        self.check_killed_controller()

    def test_controller_may_die_at_any_moment_without_static_storage(self):
        """The controller may die even before the library is loaded; the process
        can then still be attached to."""
        self.check_killed_at_any_moment()
        self.detach(self.attach(self.process))
        self.assert_as_before(self.process)


class Hidden(NoStorage, ContainerCase):
    """The process cannot see the libraries, so the second one is copied to the
    place of the first."""

    def test_process_that_cannot_see_the_library_is_recorded(self):
        hidden = self.work / "hidden"
        shutil.copytree(self.library().parent / "in-blocks",
                        hidden / "in-blocks")
        shutil.copy(self.library(), hidden)
        process = self.begin(self.hiding(hidden))
        self.environment["CLEW_LIBRARY"] = str(hidden / "libclew.so")
        self.is_recorded(process)

    def test_process_survives_a_truncated_second_library(self):
        """The first library finds no storage. The loader of a process that loads
        a truncated library ends the process."""
        there = self.work / "there"
        shutil.copytree(self.library().parent / "in-blocks",
                        there / "in-blocks")
        shutil.copy(self.library(), there)
        second = there / "in-blocks" / "libclew.so"
        self.environment["CLEW_LIBRARY"] = str(there / "libclew.so")
        os.truncate(second, second.stat().st_size // 20)
        self.assert_refused(self.begin([]), second)


class Threads(NoStorage):
    CYCLES = 10

    def setUp(self):
        super().setUp()
        program = self.build("lives", "-pthread", source=LIVES)
        words = self.work / "words"
        words.write_bytes(bytes(4096))
        self.process = self.start([program, words])
        with words.open("r+b") as file:
            self.memory = mmap.mmap(file.fileno(), 0)
        self.addCleanup(self.memory.close)

    def word(self, i):
        return struct.unpack_from("<Q", self.memory, 8 * i)[0]

    def let_go(self):
        struct.pack_into("<Q", self.memory, 0, 1)
        rounds = self.word(2)
        self.assertTrue(until(lambda: self.word(2) > rounds + 20))

    def hold(self):
        struct.pack_into("<Q", self.memory, 0, 0)
        self.assertTrue(until(lambda: self.word(1)))

    def test_threads_that_begin_and_end_are_counted_exactly(self):
        """Threads of a forked child count also. The second session uses the
        same stubs."""
        for _ in range(2):
            self.hold()
            before = self.word(4)
            controller = self.attach(self.process, "--time", "none")
            self.let_go()
            self.hold()
            self.detach(controller)
            made = self.word(4) - before
            calls = self.calls()
            self.assertEqual(calls["lives_leaf"], made)
            self.assertEqual(calls["lives_middle"], made // 2)
            self.assertEqual(self.word(3), 0, "wrong answers")
            self.assert_as_before(self.process)
        self.assert_is_in_blocks(self.process)

    def test_repeated_sessions_survive_short_threads(self):
        self.let_go()
        tasks = os.listdir(f"/proc/{self.process.pid}/task")
        for _ in range(self.CYCLES):
            controller = self.attach(self.process)
            self.let_go()
            self.detach(controller)
            self.assert_as_before(self.process)
            self.let_go()
        self.assertGreater(self.calls()["lives_leaf"], 50)
        self.hold()
        self.assertEqual(self.word(3), 0, "wrong answers")
        self.assertEqual(len(os.listdir(f"/proc/{self.process.pid}/task")), 1,
                         tasks)
        self.assert_is_in_blocks(self.process)


if __name__ == "__main__":
    clewtest.main()
