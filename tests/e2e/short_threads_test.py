#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The time of threads and processes that live a few milliseconds equals the kernel's account."""
import re

from lib import clewtest

PROGRAM = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static double used, wanted;
static double cpu(clockid_t clock)
{
	struct timespec time;
	clock_gettime(clock, &time);
	return time.tv_sec + time.tv_nsec * 1e-9;
}
__attribute__((noipa)) unsigned long compute(long n)
{
	unsigned long x = 88172645463325252ul;
	for (long i = 0; i < n; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		__asm__ volatile("" : : "r"(x));
	}
	return x;
}
__attribute__((noipa)) void *work(void *argument)
{
	const double begin = cpu(CLOCK_THREAD_CPUTIME_ID);
	double now = begin;
	while (now - begin < wanted) {
		compute(5000);
		now = cpu(CLOCK_THREAD_CPUTIME_ID);
	}
	pthread_mutex_lock(&mutex);
	used += now - begin;
	pthread_mutex_unlock(&mutex);
	return argument;
}
int main(int count, char **argv)
{
	const int threads = atoi(argv[1]);
	pthread_t thread[64];
	const double begin = cpu(CLOCK_PROCESS_CPUTIME_ID);
	wanted = atof(argv[2]) / 1000;
	for (int i = 1; i < threads; i++)
		if (pthread_create(&thread[i], 0, work, 0))
			return 1;
	work(0);
	for (int i = 1; i < threads; i++)
		pthread_join(thread[i], 0);
	printf("%f %f\n", used, cpu(CLOCK_PROCESS_CPUTIME_ID) - begin);
	return 0;
}
"""

# The children call no hooked function.
FORKS = r"""
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static inline __attribute__((always_inline)) double cpu(void)
{
	struct timespec time;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return time.tv_sec + time.tv_nsec * 1e-9;
}
int main(int count, char **argv)
{
	const double wanted = atof(argv[2]) / 1000;
	double *used = mmap(0, 4096, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < atoi(argv[1]); i++) {
		if (!fork()) {
			const double begin = cpu();
			double now = begin;
			while (now - begin < wanted) {
				for (volatile int k = 0; k < 5000; k++)
					;
				now = cpu();
			}
			*used += now - begin;
			exit(0);
		}
		wait(0);
	}
	printf("%f\n", *used);
	return 0;
}
"""


class Case(clewtest.Case):
    def build(self, program):
        built = self.run_program(["cc", "-O1", "-pthread", "-o", "short", "-x",
                                  "c", "-"], input=program.encode())
        self.assertEqual(built.returncode, 0, built.stderr)


class Short(Case):
    def setUp(self):
        super().setUp()
        self.build(PROGRAM)

    def is_all_there(self, *options):
        for threads, ms in ((1, 330), (1, 38), (8, 38), (32, 10), (60, 3)):
            done = self.clew("record", "-q", *options, "-o",
                             self.recording_path, "--", self.work / "short",
                             threads, ms)
            self.assertEqual(done.returncode, 0, done.stderr)
            work_s, all_s = map(float, done.stdout.split())
            # A report shows no time if no thread met a tick.
            dump = self.clew("dump", self.recording_path).stdout
            time_s = sum(map(int, re.findall(r"^sample .* weight_ns=(\d+) ",
                                             dump, re.M))) / 1e9
            with self.subTest(threads=threads, ms=ms):
                self.assertGreater(time_s, 0.98 * work_s)
                # clew's own start and end also take some time in the process.
                self.assertLess(time_s, 1.02 * all_s + 0.004)

    def test_short_threads_have_fine_times(self):
        self.is_all_there("--clock=auto")

    def test_short_threads_have_times_in_ticks(self):
        self.is_all_there("--clock=tick")

    def test_calls_by_clew_for_threads_are_not_counted(self):
        self.clew("record", "-q", "--module=libc.so*", "-o",
                  self.recording_path, "--", self.work / "short", 4, 1)
        report = self.clew_json("report", "--json", self.recording_path)
        names = {row["name"].strip("_"): row["calls"]
                 for row in report["functions"] if row["calls"]}
        self.assertTrue([name for name in names if "pthread_create" in name])
        self.assertFalse([name for name in names if "setspecific" in name or
                          "key_create" in name])


class Forked(Case):
    def test_time_before_the_first_tick_is_counted(self):
        self.build(FORKS)
        done = self.clew("record", "-q", "--clock=tick", "-o",
                         self.recording_path, "--", self.work / "short", 20, 30)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = self.clew_json("report", "--json", "--self-cost",
                                self.recording_path)
        self.assertEqual(report["total"]["calls"], 1)  # only main()
        self.assertGreater(report["total"]["time_ns"] / 1e9,
                           0.95 * float(done.stdout))


if __name__ == "__main__":
    clewtest.main()
