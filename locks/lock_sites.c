/* SPDX-License-Identifier: MIT */
/* See lock_sites.h. */
#include "locks/lock_sites.h"

#include "agent/value_sites.h"

static const struct clew_value kinds[LOCK_VALUES] = {
	[LOCK_ACQUISITIONS] = { "acquisitions", CLEW_NUMBER },
	[LOCK_CONTENDED] = { "contended", CLEW_NUMBER },
	[LOCK_WAIT] = { "wait", CLEW_NS },
	[LOCK_LONGEST_WAIT] = { "longest_wait", CLEW_NS },
	[LOCK_HOLD] = { "hold", CLEW_NS },
	[LOCK_LONGEST_HOLD] = { "longest_hold", CLEW_NS },
	[LOCK_REFUSED] = { "refused", CLEW_NUMBER },
	[LOCK_CONDITIONS] = { "condition_waits", CLEW_NUMBER },
	[LOCK_CONDITION_NS] = { "condition_wait", CLEW_NS },
	[LOCK_UNTRACKED] = { "untracked", CLEW_NUMBER },
};

static struct value_sites sites;

int lock_sites_begin(int is_last)
{
	return value_sites_begin(&sites, kinds, LOCK_VALUES, is_last);
}

uint64_t lock_sites_here(void)
{
	return value_sites_here(&sites);
}

static void add(uint64_t row, enum lock_value value, uint64_t more)
{
	clew_value_add(sites.values, row, value, (int64_t)more);
}

static void raise_to(uint64_t row, enum lock_value value, uint64_t to)
{
	clew_value_raise(sites.values, row, value, (int64_t)to);
}

static void add_wait(uint64_t row, uint64_t ns)
{
	if (ns == 0)
		return;
	add(row, LOCK_WAIT, ns);
	raise_to(row, LOCK_LONGEST_WAIT, ns);
}

void lock_sites_take(uint64_t row, int is_contended, uint64_t waited_ns)
{
	add(row, LOCK_ACQUISITIONS, 1);
	if (is_contended)
		add(row, LOCK_CONTENDED, 1);
	add_wait(row, waited_ns);
}

void lock_sites_refuse(uint64_t row, uint64_t waited_ns)
{
	add(row, LOCK_REFUSED, 1);
	add_wait(row, waited_ns);
}

void lock_sites_release(uint64_t row, uint64_t held_ns)
{
	add(row, LOCK_HOLD, held_ns);
	raise_to(row, LOCK_LONGEST_HOLD, held_ns);
}

void lock_sites_wake(uint64_t row, uint64_t waited_ns)
{
	add(row, LOCK_CONDITIONS, 1);
	add(row, LOCK_CONDITION_NS, waited_ns);
}

void lock_sites_miss(void)
{
	add(value_sites_nowhere(&sites), LOCK_UNTRACKED, 1);
}
