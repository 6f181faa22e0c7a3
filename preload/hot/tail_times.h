/* SPDX-License-Identifier: MIT */
/*
 * The times of functions that have jumped to another one, with exact times.
 *
 * A stack slot has one time_slot (timing.h), that of the running function. When
 * this function jumps to another one, its time_slot moves into a record, and
 * returns when the slot's functions return:
 *
 *	f jumps to g, which jumps to h
 *
 *	slot: the start of h -> record: the id of h, and the start of g
 *	                     -> record: the id of g, and the start of f
 *
 * The `id` of a time_slot with a record is the record's address, which is no
 * context's id. Therefore the thunk that ends a call finds no context, and
 * calls hot_close().
 *
 * Records are few. The records of a slot are freed when it returns, or when a
 * later call at the slot needs one.
 *
 * Any thread may call these functions for slots of its own stacks, also in
 * signal handlers.
 */
#ifndef CLEW_HOT_TAIL_TIMES_H
#define CLEW_HOT_TAIL_TIMES_H

#include <stdint.h>

#include "preload/hot/timing.h"

struct tail_time {
	uint64_t stack; /* the slot's address; 0 if the record is free */
	uint64_t id;    /* id of the function that was jumped to */
	struct time_slot before; /* times of the function that jumped */
};

/*
 * Returns the latest record of a slot, or NULL if no function of the slot has
 * jumped.
 */
struct tail_time *tail_time_of(const struct time_slot *slot);

/*
 * Claims and returns a free record for a stack slot, or NULL if there is none
 * nearby in the table. The time slot does not refer to the record yet.
 * tail_time_give() frees the record.
 */
struct tail_time *tail_time_take(uint64_t stack);

void tail_time_give(struct tail_time *record);

#endif
