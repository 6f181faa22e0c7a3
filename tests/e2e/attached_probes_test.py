#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Probes work in an attached process that behaves like one with jemalloc.

The program's threads block all signals, as those of jemalloc do, and it defines
pthread_create() itself, as jemalloc does.
"""
import pathlib
import signal

from lib import clewtest
from lib.clewtest import until
from lib.live_probes import Case

PROGRAM = """
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define ALONE __attribute__((noipa))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile long sink;

ALONE void work(long n) { sink += n; sink *= n; }
ALONE void quiet(long n) { sink -= n; sink *= n; }

/* Runs until a CPU-time timer has expired. */
static void burn(void)
{
	struct timespec now;

	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
		work(1);
	} while (now.tv_nsec < 500000000 && !now.tv_sec);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
		   void *(*function)(void *), void *argument)
{
	int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
		    void *) = (int (*)(pthread_t *, const pthread_attr_t *,
				       void *(*)(void *), void *))
		dlsym(RTLD_NEXT, "pthread_create");
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_mutex_lock(&lock);
	if (function != argument)
		burn();
	pthread_mutex_unlock(&lock);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return next(thread, attributes, function, argument);
}

static void *all_blocked(void *unused)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	for (;;) {
		quiet(1);
		nanosleep(&moment, NULL);
	}
	return NULL;
}

int main(void)
{
	pthread_t thread;
	char line[64];

	pthread_create(&thread, NULL, all_blocked, (void *)all_blocked);
	printf("%d\\n", getpid());
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		pthread_mutex_lock(&lock);
		for (int i = 0; i < 1000; i++)
			work(i);
		pthread_mutex_unlock(&lock);
		printf("ok\\n");
		fflush(stdout);
	}
	return 3;
}
"""


def masks(pid):
    """Returns {thread id: whether the thread blocks SIGTRAP}."""
    found = {}
    for status in pathlib.Path(f"/proc/{pid}/task").glob("*/status"):
        lines = dict(line.split(":\t", 1) for line in
                     status.read_text(encoding="utf-8").splitlines()
                     if ":\t" in line)
        found[status.parent.name] = bool(
            int(lines["SigBlk"], 16) >> signal.SIGTRAP - 1 & 1)
    return found


class Blocking(Case):
    attaches = True

    def setUp(self):
        clewtest.Case.setUp(self)
        source = self.work / "blocks.c"
        source.write_text(PROGRAM, encoding="utf-8")
        self.program = self.compile("blocks", "-O2", "-rdynamic", "-pthread",
                                    source=source)
        self.said = []

    def test_probes_work_in_threads_that_block_signals(self):
        self.start()
        self.tell("p")
        self.probe("add", "work", "quiet")
        self.assertEqual([row[1] for row in self.rows.values()],
                         ["stub", "stub"])
        self.tell("p")
        self.probe("ls")
        self.assertGreaterEqual(self.rows["p1"][0], 1000)

        def is_hit():
            self.probe("ls")
            return self.rows["p2"][0] > 10
        self.assertTrue(until(is_hit))
        self.probe("rm", "--all")
        self.detach()
        self.assertEqual(sorted(masks(self.pid).values()), [False, True])
        self.tell("p")
        self.process.stdin.close()
        self.assertEqual(self.process.wait(), 3)


if __name__ == "__main__":
    clewtest.main()
