#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""clew-locks attach counts the locks of a running process, as many as the
process takes."""
from lib import clewtest
from lib.attached import Attached, all_sleep
from lib.clewtest import BUILD, CLEW, ROOT, until

LIBRARY = BUILD / "locks" / "libclew-locks.so"
THREADS = 3
NS = 1000000000
# Each thread executes the requests "FUNCTION COUNT". The main thread executes
# "holds", "drops", "signals", and "waits", which waits for the threads.
PROGRAM = r"""
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PLACE __attribute__((noipa))
#define THREADS 3

static sem_t wakes[THREADS], finished;
static char function[32], threads_function[32];
static int count, threads_count, is_signalled;
static pthread_mutex_t common = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t again;
static pthread_rwlock_t many = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static _Thread_local pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;

#define expect(call, expected) check(call, expected, #call)

static void check(int result, int expected, const char *call)
{
	if (result == expected)
		return;
	fprintf(stderr, "%s: %d\n", call, result);
	abort();
}

PLACE void takes(void)
{
	expect(pthread_mutex_lock(&own), 0);
	expect(pthread_mutex_unlock(&own), 0);
	expect(pthread_mutex_trylock(&own), 0);
	expect(pthread_mutex_unlock(&own), 0);
}

PLACE void nests(void)
{
	expect(pthread_mutex_lock(&again), 0);
	expect(pthread_mutex_lock(&again), 0);
	expect(pthread_mutex_unlock(&again), 0);
	expect(pthread_mutex_unlock(&again), 0);
}

PLACE void reads(void)
{
	expect(pthread_rwlock_rdlock(&many), 0);
	expect(pthread_rwlock_unlock(&many), 0);
}

PLACE void fails(void)
{
	struct timespec soon;

	expect(pthread_mutex_trylock(&common), EBUSY);
	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_sec -= 1;
	expect(pthread_mutex_timedlock(&common, &soon), ETIMEDOUT);
}

PLACE void contends(void)
{
	expect(pthread_mutex_lock(&common), 0);
	expect(pthread_mutex_unlock(&common), 0);
}

PLACE void awaits(void)
{
	expect(pthread_mutex_lock(&guard), 0);
	while (!is_signalled)
		expect(pthread_cond_wait(&condition, &guard), 0);
	expect(pthread_mutex_unlock(&guard), 0);
}

static int visit(struct dl_phdr_info *info, size_t bytes, void *unused)
{
	return 0;
}

PLACE void loads(void)
{
	void *math = dlopen("libm.so.6", RTLD_NOW);

	dl_iterate_phdr(visit, NULL);
	if (math)
		dlclose(math);
}

PLACE void executes(void)
{
	static const struct {
		const char *name;
		void (*call)(void);
	} functions[] = {
#define ROW(name) { #name, name }
		ROW(takes), ROW(nests), ROW(reads), ROW(fails), ROW(contends),
		ROW(awaits), ROW(loads),
	};

	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		for (int j = 0; j < threads_count; j++)
			if (!strcmp(threads_function, functions[i].name))
				functions[i].call();
}

static void *work(void *wake)
{
	for (;; sem_post(&finished)) {
		sem_wait(wake);
		executes();
	}
	return NULL;
}

PLACE void holds(void)
{
	expect(pthread_mutex_lock(&common), 0);
	expect(pthread_rwlock_wrlock(&many), 0);
}

PLACE void drops(void)
{
	expect(pthread_rwlock_unlock(&many), 0);
	expect(pthread_mutex_unlock(&common), 0);
}

PLACE void signals(void)
{
	expect(pthread_mutex_lock(&guard), 0);
	is_signalled = count;
	expect(pthread_mutex_unlock(&guard), 0);
	expect(pthread_cond_broadcast(&condition), 0);
}

static void starts(void)
{
	strcpy(threads_function, function);
	threads_count = count;
	for (int i = 0; i < THREADS; i++)
		sem_post(&wakes[i]);
}

static void request(void)
{
	if (!strcmp(function, "holds"))
		holds();
	else if (!strcmp(function, "drops"))
		drops();
	else if (!strcmp(function, "signals"))
		signals();
	else if (!strcmp(function, "waits"))
		for (int i = 0; i < THREADS; i++)
			sem_wait(&finished);
	else
		starts();
}

int main(void)
{
	pthread_mutexattr_t recursive;

	pthread_mutexattr_init(&recursive);
	pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&again, &recursive);
	for (int i = 0; i < THREADS; i++) {
		pthread_t thread;

		sem_init(&wakes[i], 0, 0);
		pthread_create(&thread, NULL, work, &wakes[i]);
	}
	while (scanf("%31s %d", function, &count) == 2) {
		request();
		write(1, "done\n", 5);
	}
	return 0;
}
"""


class Locks(Attached):
    def setUp(self):
        super().setUp()
        done = self.run_program(
            ["gcc", "-O1", "-g", "-o", "program", "-x", "c", "-", "-lpthread",
             "-ldl"], input=PROGRAM.encode())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.start_to_talk(self.work / "program")

    def wrong(self):
        self.said.seek(0)
        return f"{self.said.read()}, status {self.process.poll()}"

    def request(self, *requests):
        for request in requests:
            self.process.stdin.write(f"{request}\n")
            self.process.stdin.flush()
            self.assertEqual(self.process.stdout.readline(), "done\n",
                             self.wrong())

    def work_through(self, *requests):
        """Waits for the threads after each request."""
        for request in requests:
            self.request(request, "waits 0")

    def block_in(self, request):
        """Returns when all threads sleep in this function."""
        self.request(request)
        self.assertTrue(until(lambda: all_sleep(self.process.pid)))

    def begin_session(self, *options, contended=False):
        suffix = ":contended" if contended else ""
        return self.attach(self.process, f"--agent={LIBRARY}{suffix}", *options)

    def end_session(self, controller):
        self.detach(controller)
        self.assert_as_before(self.process)

    def own(self, value):
        """Returns {function: value without its callees}."""
        report = self.clew_json("report", "--json", f"--value={value}",
                                self.recording_path)
        self.assertEqual(report["problems"], [])
        return {row["name"]: row["self_value"] for row in report["functions"]
                if row["self_value"]}

    def check(self, *options):
        controller = self.begin_session(*options)
        self.work_through("takes 100", "nests 10", "reads 20", "loads 3")
        self.request("holds 1")
        self.work_through("fails 4")
        self.block_in("contends 1")
        self.request("drops 1", "waits 0", "signals 0")
        self.block_in("awaits 1")
        self.request("signals 1", "waits 0")
        self.end_session(controller)
        acquisitions = self.own("acquisitions")
        self.assertEqual(acquisitions, {
            "takes": 200 * THREADS, "nests": 20 * THREADS,
            "reads": 20 * THREADS, "contends": THREADS, "awaits": THREADS,
            "holds": 2, "signals": 2})
        self.assertEqual(self.own("contended")["contends"], THREADS)
        self.assertEqual(self.own("refused"), {"fails": 8 * THREADS})
        self.assertEqual(self.own("condition_waits"), {"awaits": THREADS})
        self.assertEqual(self.own("untracked"), {})
        holds, waits = self.own("hold"), self.own("wait")
        self.assertEqual(set(holds), set(acquisitions))
        self.assertLess(waits["contends"], THREADS * holds["holds"])

    def test_locks_of_each_session_are_counted(self):
        for options in ((), ("--time=none",), ("--time=exact",), ("--libc",),
                        ()):
            with self.subTest(options):
                self.check(*options)

    def test_contended_locks_alone_are_counted(self):
        controller = self.begin_session(contended=True)
        self.work_through("takes 100", "reads 20")
        self.request("holds 1")
        self.block_in("contends 1")
        self.request("drops 1", "waits 0")
        self.end_session(controller)
        self.assertEqual(self.own("acquisitions"), {"contends": THREADS})
        self.check()

    def test_locks_of_before_the_session_are_not_counted(self):
        """Threads hold locks, and wait for locks and conditions, when clew
        attaches and when it detaches."""
        self.request("holds 1", "signals 0")
        self.block_in("contends 1")
        controller = self.begin_session()
        self.request("drops 1", "waits 0", "holds 1")
        self.block_in("contends 1")
        self.end_session(controller)
        self.assertEqual(self.own("acquisitions"), {"holds": 2})
        self.assertEqual(self.own("hold"), {})
        self.request("drops 1", "waits 0")
        self.block_in("awaits 1")
        controller = self.begin_session()
        self.request("signals 1", "waits 0", "signals 0")
        self.block_in("awaits 1")
        self.end_session(controller)
        self.assertEqual(self.own("acquisitions"),
                         {"signals": 2, "awaits": THREADS})
        self.assertEqual(self.own("condition_waits"), {})
        self.request("signals 1", "waits 0")
        self.check()

    def test_both_agents_can_follow_each_other(self):
        self.check()
        controller = self.attach(
            self.process, f"--agent={BUILD / 'alloc' / 'libclew-alloc.so'}")
        self.work_through("takes 10", "loads 1")
        self.end_session(controller)
        self.assertGreater(self.own("allocations")["loads"], 0)
        self.check()

    def test_the_script_attaches(self):
        self.environment.update(CLEW=str(CLEW), CLEW_LOCKS=str(LIBRARY))
        script = ROOT / "scripts" / "clew-locks"
        for option in "--quiet", "--contended":
            done = self.run_program(
                [script, "attach", option, "--for", "10ms", "-o",
                 self.recording_path, str(self.process.pid)], text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            report = self.clew_json("report", "--json", self.recording_path)
            self.assertIn("acquisitions",
                          [value["name"] for value in report["values"]])


if __name__ == "__main__":
    clewtest.main()
