/* SPDX-License-Identifier: MIT */
/* See clock.h. */
#include "report/model/clock.h"

/*
 * Two parts whose clocks differ by less than this time are from the same
 * machine without a restart in between.
 */
#define SAME_CLOCK_NS 1000000

void clock_init(struct clock *clock, const struct wire_header *header)
{
	const struct wire_moment *first = &header->first;
	const struct wire_moment *latest = &header->latest;

	*clock = (struct clock){
		.first_tsc = first->tsc,
		/* older recordings have only the start time of the part */
		.start_ns = header->first_real_ns ? header->first_real_ns
						  : header->start_ns,
		.first_ns = first->ns,
	};
	if (latest->tsc > first->tsc && latest->ns > first->ns) {
		clock->ticks = latest->tsc - first->tsc;
		clock->ns = latest->ns - first->ns;
	}
}

void clock_align(struct clock *clock, const struct clock *anchor)
{
	const __int128 ticks =
		(__int128)clock->first_tsc - (__int128)anchor->first_tsc;
	__int128 time_ns, off_ns;

	/* avoids an overflow */
	if (anchor->ticks == 0 || anchor->ns > INT64_MAX)
		return;
	time_ns = (__int128)anchor->start_ns +
		  ticks * (__int128)anchor->ns / (__int128)anchor->ticks;
	off_ns = time_ns - (__int128)clock->start_ns;
	if (off_ns > SAME_CLOCK_NS || off_ns < -SAME_CLOCK_NS)
		return;
	clock->start_ns = (uint64_t)time_ns;
	clock->ticks = anchor->ticks;
	clock->ns = anchor->ns;
}

uint64_t clock_ns(const struct clock *clock, uint64_t ticks)
{
	unsigned __int128 ns = (unsigned __int128)ticks * clock->ns;

	if (clock->ticks == 0)
		return 0;
	ns /= clock->ticks;
	return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

uint64_t clock_time_ns(const struct clock *clock, uint64_t tsc)
{
	if (tsc <= clock->first_tsc)
		return clock->start_ns;
	return clock->start_ns + clock_ns(clock, tsc - clock->first_tsc);
}

uint64_t clock_tsc(const struct clock *clock, uint64_t time_ns)
{
	unsigned __int128 ticks;

	if (clock->ns == 0)
		return 0;
	if (time_ns <= clock->start_ns)
		return clock->first_tsc;
	ticks = (unsigned __int128)(time_ns - clock->start_ns) * clock->ticks /
			clock->ns +
		clock->first_tsc;
	return ticks > UINT64_MAX ? UINT64_MAX : (uint64_t)ticks;
}

uint64_t clock_monotonic_ns(const struct clock *clock, uint64_t tsc)
{
	return clock_time_ns(clock, tsc) - clock->start_ns + clock->first_ns;
}
