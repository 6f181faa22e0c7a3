/* SPDX-License-Identifier: MIT */
/*
 * What a thread needs to count a call, in thread-local storage.
 *
 * The first cache line is all that a call with a known context touches here.
 * A thread is born with the initial values below: an empty table that no id is
 * found in, so that its first call takes the slow path, which attaches it.
 * Nobody but the thread itself, and signal handlers on top of it, reads or
 * writes any of this.
 */
#ifndef CLEW_HOT_THREAD_H
#define CLEW_HOT_THREAD_H

#include <stddef.h>
#include <stdint.h>

#include "preload/hot/layout.h"
#include "wire/recording.h"

struct tally;

struct hot_thread {
	uint64_t id;   /* of the context that is running */
	uint64_t mask; /* of byte offsets in the table: 16 * (entries - 1) */
	struct wire_count *table;
	uint64_t multiplier; /* ID_MULTIPLIER: imul has no 64-bit operand */
	int32_t verify_left; /* calls until the next one is verified */
	int32_t strays_left; /* calls counted away from home until a reorder */
	void (*miss_call)(void);
	void (*miss_tail)(void);
	void (*verify)(void);
	void (*enter_elsewhere)(void);
	void (*leave_elsewhere)(void);
	struct tally *tally; /* NULL until attached */
	uint32_t forking;    /* inside fork(): count nothing */
	uint64_t random;     /* state of the generator behind verify_left */
};
_Static_assert(offsetof(struct hot_thread, id) == HOT_ID, "asm");
_Static_assert(offsetof(struct hot_thread, mask) == HOT_MASK, "asm");
_Static_assert(offsetof(struct hot_thread, table) == HOT_TABLE, "asm");
_Static_assert(offsetof(struct hot_thread, multiplier) == HOT_MULTIPLIER,
	       "asm");
_Static_assert(offsetof(struct hot_thread, verify_left) == HOT_VERIFY_LEFT,
	       "asm");
_Static_assert(offsetof(struct hot_thread, strays_left) == HOT_STRAYS_LEFT,
	       "asm");
_Static_assert(offsetof(struct hot_thread, miss_call) == HOT_MISS_CALL, "asm");
_Static_assert(offsetof(struct hot_thread, miss_tail) == HOT_MISS_TAIL, "asm");
_Static_assert(offsetof(struct hot_thread, verify) == HOT_VERIFY, "asm");
_Static_assert(offsetof(struct hot_thread, enter_elsewhere) ==
		       HOT_ENTER_ELSEWHERE,
	       "asm");
_Static_assert(offsetof(struct hot_thread, leave_elsewhere) ==
		       HOT_LEAVE_ELSEWHERE,
	       "asm");

extern _Thread_local struct hot_thread hot
	__attribute__((tls_model("initial-exec")));

/* A table that holds nothing: what a thread starts with. */
extern struct wire_count hot_empty_table[2];

#endif
