/* SPDX-License-Identifier: MIT */
/* See part_counters.h. */
#include "report/recording/part_counters.h"

#include <stddef.h>

#define LARGEST     (UINT64_C(1) << 56)

#define RUN(member) RUN_OF(member, 1)
#define RUN_OF(member, length)                                                 \
	{                                                                      \
		offsetof(struct wire_header, member), length                   \
	}

/*
 * The counters that are checked: each run is `length` consecutive 64-bit
 * counters at an offset in the header.
 */
static const struct {
	size_t offset;
	size_t length;
} runs[] = {
	RUN(hook_ns),
	RUN(contexts),
	RUN_OF(losses, WIRE_LOSS_COUNT),
	RUN(trap_hits),
	RUN(period_ns),
	RUN_OF(sample_losses, WIRE_SAMPLE_LOSS_COUNT),
	RUN(untimed_calls),
	RUN(watch_ns),
	RUN(callerless_natives),
	RUN(stackless_natives),
	RUN(frozen_natives),
	RUN(jumped_functions),
	RUN(verified_stacks),
	RUN(mismatched_stacks),
	RUN(makerless),
	RUN(asked_stacks),
	RUN(asked_ns),
	RUN(relayless_natives),
	RUN(budget_cpu_ns),
	RUN(budget_cost_ns),
	RUN(own_sampled_ns),
	RUN(composed_stacks),
	RUN(verified_composed),
	RUN(mismatched_composed),
	RUN(budget_rest_ns),
	RUN(start_cpu_ns),
};

unsigned int part_counters_drop(struct wire_header *header)
{
	unsigned int dropped = 0;

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		uint64_t *run =
			(uint64_t *)((uint8_t *)header + runs[i].offset);

		for (size_t k = 0; k < runs[i].length; k++)
			if (run[k] >= LARGEST) {
				run[k] = 0;
				dropped++;
			}
	}
	return dropped;
}
