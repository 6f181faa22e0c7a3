/* SPDX-License-Identifier: MIT */
/* See recorded_times.h. */
#include "report/recording/recorded_times.h"

#include "base/memory.h"

enum {
	BIT_NONE = 1 << WIRE_TIME_NONE,
	BIT_CPU = 1 << WIRE_TIME_CPU,
	BITS_WALL = 1 << WIRE_TIME_WALL | 1 << WIRE_TIME_EXACT,
};

void recorded_times_add(struct recorded_times *times,
			const struct part_copy *part)
{
	const struct wire_header *header = part->header;

	if (header->state >= WIRE_RUNNING && header->time <= WIRE_TIME_EXACT)
		times->kinds |= UINT32_C(1) << header->time;
}

int recorded_times_lack_some(const struct recorded_times *times)
{
	return times->kinds & BIT_NONE && times->kinds & ~(uint32_t)BIT_NONE;
}

int recorded_times_differ(const struct recorded_times *times)
{
	return times->kinds & BIT_CPU && times->kinds & BITS_WALL;
}

char *recorded_times_text(const struct recorded_times *times)
{
	static const char lacking[] =
		"time covers only some of the processes; the others were "
		"recorded without time";
	static const char differing[] =
		"times are sums of CPU time of some processes and wall time of "
		"others";

	if (recorded_times_lack_some(times) && recorded_times_differ(times))
		return memory_printf("%s; %s", lacking, differing);
	if (recorded_times_lack_some(times))
		return memory_printf("%s", lacking);
	if (recorded_times_differ(times))
		return memory_printf("%s", differing);
	return NULL;
}
