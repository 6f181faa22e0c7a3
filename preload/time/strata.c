/* SPDX-License-Identifier: MIT */
/* See strata.h. */
#include "preload/time/strata.h"

#define WAIT_PARTS 32

/*
 * splitmix64, a hash function: inputs that differ in any bit have unrelated
 * results.
 */
static uint64_t mix(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

uint64_t strata_instant_ns(const struct strata_clock *clock, uint64_t tick)
{
	return clock->start_ns + tick * clock->period_ns +
	       mix(clock->seed ^ tick) % clock->period_ns;
}

uint64_t strata_ticks_past(const struct strata_clock *clock, uint64_t now_ns)
{
	uint64_t tick;

	if (now_ns < clock->start_ns)
		return 0;
	tick = (now_ns - clock->start_ns) / clock->period_ns;
	return tick + (strata_instant_ns(clock, tick) <= now_ns);
}

/* Returns the tick of a stratum in which threads of this group are observed. */
static uint64_t choose(const struct strata_clock *clock, uint64_t begin,
		       uint32_t level, uint32_t group)
{
	const uint32_t groups_log2 =
		level < clock->groups_log2 ? level : clock->groups_log2;
	uint64_t shift = (uint64_t)group << (level - groups_log2);
	uint64_t random = mix(clock->seed * 3 + begin) + shift;

	return begin + (random & ((UINT64_C(1) << level) - 1));
}

static void enter(struct strata *strata, const struct strata_clock *clock,
		  uint64_t begin, uint32_t level)
{
	strata->begin = begin;
	strata->end = begin + (UINT64_C(1) << level);
	strata->due = choose(clock, begin, level, strata->group);
}

/*
 * Begins a stratum at this tick: the longest one, up to the wanted level, whose
 * length divides the tick's number.
 */
static void enter_at(struct strata *strata, const struct strata_clock *clock,
		     uint64_t begin)
{
	uint32_t level = 0;

	while (level < strata->level && !(begin >> level & 1))
		level++;
	enter(strata, clock, begin, level);
}

void strata_begin(struct strata *strata, const struct strata_clock *clock,
		  uint64_t since_ns, uint32_t group, uint32_t level)
{
	uint64_t tick =
		since_ns > clock->start_ns
			? (since_ns - clock->start_ns) / clock->period_ns
			: 0;

	strata->group = group;
	strata->level = level;
	enter(strata, clock, tick >> level << level, level);
	if (strata_instant_ns(clock, strata->due) < since_ns)
		enter_at(strata, clock, strata->end);
}

uint64_t strata_take(struct strata *strata, const struct strata_clock *clock,
		     uint64_t past)
{
	const uint64_t begin = strata->begin;
	uint64_t aligned = past >> strata->level << strata->level;

	if (strata->due >= past)
		return 0;
	enter_at(strata, clock, aligned > strata->end ? aligned : strata->end);
	while (strata->due < past)
		enter_at(strata, clock, strata->end);
	return strata->begin - begin;
}

void strata_change(struct strata *strata, const struct strata_clock *clock,
		   uint64_t past, uint32_t group, uint32_t level)
{
	strata->group = group;
	strata->level = level;
	if (strata->begin >= past)
		enter_at(strata, clock, strata->begin);
}

uint32_t strata_level(uint64_t waited, uint32_t max)
{
	uint64_t part = waited / WAIT_PARTS;
	uint32_t level = 0;

	while (level < max && part >> (level + 1))
		level++;
	return level;
}
