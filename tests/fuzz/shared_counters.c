/* SPDX-License-Identifier: MIT */
/*
 * Shares libFuzzer's counters of edges with child processes.
 *
 * Some fuzzers run the reader in a worker process. libFuzzer counts edges in a
 * section of the program's data, so the counts of a child would be lost with
 * the child. This file replaces that section by shared memory before the first
 * input. shared_counters.ld gives the section whole pages.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

extern uint8_t __start___sancov_cntrs[] __attribute__((visibility("hidden")));
extern uint8_t __stop___sancov_cntrs[] __attribute__((visibility("hidden")));

int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	uint8_t *counters = __start___sancov_cntrs;
	const size_t bytes = (size_t)(__stop___sancov_cntrs - counters);
	uint8_t *copy = malloc(bytes);

	if (!copy)
		abort();
	memcpy(copy, counters, bytes);
	if (mmap(counters, bytes, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != counters)
		abort();
	memcpy(counters, copy, bytes);
	free(copy);
	return 0;
}
