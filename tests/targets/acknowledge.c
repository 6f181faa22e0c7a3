/* SPDX-License-Identifier: MIT */
/*
 * Calls step() forever, and step_other() in another thread. After every BATCH
 * calls of step(), the program writes the numbers of calls of both, 8 bytes
 * each, to standard output. When the test kills the process, the recording must
 * contain at least that many calls.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <pthread.h>

#define BATCH 64

static uint64_t counts[2];

static COUNTED void step(uint64_t *count)
{
	(*count)++;
}

static COUNTED void step_other(uint64_t *count)
{
	__atomic_add_fetch(count, 1, __ATOMIC_RELEASE);
}

/*
 * A second thread, whose counts are in another tally when the process is
 * killed.
 */
static COUNTED void *thread_main(void *unused)
{
	for (;;)
		step_other(&counts[1]);
	return NULL;
}

int main(void)
{
	uint64_t said[2];
	pthread_t thread;

	if (pthread_create(&thread, NULL, thread_main, NULL))
		return 1;
	for (;;) {
		for (int i = 0; i < BATCH; i++)
			step(&counts[0]);
		said[0] = counts[0];
		said[1] = __atomic_load_n(&counts[1], __ATOMIC_ACQUIRE);
		if (write(STDOUT_FILENO, said, sizeof(said)) != sizeof(said))
			return 1;
	}
}
