/* SPDX-License-Identifier: MIT */
/*
 * packet_trees TRACE WORKERS ROUNDS: builds trees of all packets of a trace
 * with this number of workers, and prints, on one line, for the fastest round:
 *
 * 	packets  calls  contexts  wall ns  CPU ns  ns to add one such table to another
 *
 * packet_trees --bandwidth THREADS: prints how many bytes a second this number
 * of threads read from memory that is in no cache.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/now.h"
#include "report/merge/packet_counts.h"

enum { READ_BYTES = 256 << 20, THREADS_MAX = 64, READ_ROUNDS = 4 };

static uint64_t cpu_ns(void)
{
	return now_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/*
 * Returns the time to add one table. At the end, the first worker adds each
 * other worker's table.
 */
static uint64_t adding_ns(const struct packet_table *table)
{
	struct packet_table to;
	uint64_t begun, took;

	packet_table_init(&to);
	packet_table_add_all(&to, table);
	begun = now_ns(CLOCK_MONOTONIC);
	packet_table_add_all(&to, table);
	took = now_ns(CLOCK_MONOTONIC) - begun;
	packet_table_fini(&to);
	return took;
}

static int make_trees(const char *path, unsigned int workers, int rounds)
{
	uint64_t best = UINT64_MAX, best_cpu = 0, contexts = 0, calls = 0,
		 adding = 0;
	struct trace trace;
	char *why;

	if (trace_open(&trace, path, &why) != 0) {
		fprintf(stderr, "packet_trees: %s\n", why);
		return EXIT_FAILURE;
	}
	for (int i = 0; i < rounds; i++) {
		const uint64_t begun = now_ns(CLOCK_MONOTONIC), cpu = cpu_ns();
		struct packet_counts counts;
		uint64_t took;

		packet_counts_init(&counts, &trace, NULL, workers, NULL, 0);
		took = now_ns(CLOCK_MONOTONIC) - begun;
		if (took < best) {
			best = took;
			best_cpu = cpu_ns() - cpu;
		}
		contexts = counts.table.used;
		adding = adding_ns(&counts.table);
		calls = counts.calls;
		packet_counts_fini(&counts);
	}
	printf("%zu %llu %llu %llu %llu %llu\n", trace.count,
	       (unsigned long long)calls, (unsigned long long)contexts,
	       (unsigned long long)best, (unsigned long long)best_cpu,
	       (unsigned long long)adding);
	trace_close(&trace);
	return EXIT_SUCCESS;
}

static void *read_all(void *memory)
{
	const volatile uint64_t *words = memory;
	uint64_t sum = 0;

	for (int round = 0; round < READ_ROUNDS; round++)
		for (size_t i = 0; i < READ_BYTES / sizeof(*words); i += 8)
			sum += words[i];
	return (void *)(uintptr_t)sum;
}

static int read_memory(unsigned int threads)
{
	pthread_t made[THREADS_MAX];
	void *memory[THREADS_MAX];
	uint64_t begun, took;

	if (threads < 1 || threads > THREADS_MAX)
		return EXIT_FAILURE;
	for (unsigned int i = 0; i < threads; i++) {
		memory[i] = memory_zeroed(1, READ_BYTES);
		memset(memory[i], 1, READ_BYTES);
	}
	begun = now_ns(CLOCK_MONOTONIC);
	for (unsigned int i = 0; i < threads; i++)
		if (pthread_create(&made[i], NULL, read_all, memory[i]) != 0)
			return EXIT_FAILURE;
	for (unsigned int i = 0; i < threads; i++)
		pthread_join(made[i], NULL);
	took = now_ns(CLOCK_MONOTONIC) - begun;
	printf("%.0f\n",
	       (double)READ_BYTES * READ_ROUNDS * threads * 1e9 / (double)took);
	for (unsigned int i = 0; i < threads; i++)
		free(memory[i]);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "--bandwidth") == 0)
		return read_memory((unsigned int)strtoul(argv[2], NULL, 10));
	if (argc != 4) {
		fprintf(stderr, "packet_trees TRACE WORKERS ROUNDS\n");
		return EXIT_FAILURE;
	}
	return make_trees(argv[1], (unsigned int)strtoul(argv[2], NULL, 10),
			  atoi(argv[3]));
}
