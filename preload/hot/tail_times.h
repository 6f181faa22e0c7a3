/* SPDX-License-Identifier: MIT */
/*
 * Where calls are timed: the times of functions that have jumped to another one.
 *
 * A stack slot has one time_slot (timing.h), which is that of the function that runs.
 * When a function of the slot jumps to another one, its own goes into a record, and
 * comes back when the slot's functions return:
 *
 *	f jumps to g, which jumps to h
 *
 *	slot: h since when  -> record: the id of h, and g since when
 *	                    -> record: the id of g, and f since when
 *
 * The id of a time_slot with a record is the record's address: no context's id. So the
 * thunk that ends a call finds no context, and leaves all to hot_close().
 *
 * Records are few. A slot's are given back when it returns, or when a later call at the
 * slot needs one.
 *
 * Safe in signal handlers. Any thread, for slots of its own stacks.
 */
#ifndef CLEW_HOT_TAIL_TIMES_H
#define CLEW_HOT_TAIL_TIMES_H

#include <stdint.h>

#include "preload/hot/timing.h"

struct tail_time {
	uint64_t stack;          /* the slot's address; 0: the record is free */
	uint64_t id;             /* of the function that was jumped to */
	struct time_slot before; /* of the function that jumped */
};

/* The record of a slot, or NULL if no function of it has jumped. */
struct tail_time *tail_time_of(const struct time_slot *slot);

/* A record for a stack slot, or NULL. The time slot does not have it yet. */
struct tail_time *tail_time_take(uint64_t stack);

void tail_time_give(struct tail_time *record);

#endif
