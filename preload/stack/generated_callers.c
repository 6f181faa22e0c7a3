/* SPDX-License-Identifier: MIT */
/* See generated_callers.h. */
#include "preload/stack/generated_callers.h"

#include <stdatomic.h>
#include <stdint.h>

#include "preload/hot/large_table.h"
#include "preload/hot/runtime.h"
#include "preload/hot/stamp_counter.h"
#include "preload/hot/thread.h"
#include "preload/hot/upcalls.h"
#include "preload/record/recorder.h"
#include "preload/stack/trampolines.h"
#include "wire/id.h"

#define CALLERS_LOG2  15
#define CALLERS       (UINT32_C(1) << CALLERS_LOG2)
#define CALLERS_TRIED 64

/*
 * A row of a hash table. A thread claims a row by storing pc, and stores the
 * number afterwards.
 */
struct generated_caller {
	_Atomic uint64_t pc;
	_Atomic uint32_t number;
};

/* The hash table of this process. Forked children inherit it. */
static struct generated_caller generated_callers[CALLERS] LARGE_TABLE;
/* number that stands for all callers that do not fit into the table; 0: none */
static uint32_t elsewhere;

static uint32_t new_number(uint64_t pc)
{
	return function_names_add_caller(
		&rt.recorder->names, &rt.recorder->part, pc, stamp_counter());
}

/* The numbers of an earlier session of this process are invalid. */
static void forget(void)
{
	for (uint32_t i = 0; i < CALLERS; i++) {
		if (!generated_callers[i].pc)
			continue;
		generated_callers[i].pc = 0;
		generated_callers[i].number = 0;
	}
}

void generated_callers_begin(void)
{
	if (rt.is_late)
		forget();
	elsewhere = new_number(0);
}

/*
 * Returns the element of a pc, claiming a free one if necessary, or NULL if
 * there is no room.
 */
static struct generated_caller *caller_at(uint64_t pc)
{
	const uint64_t hash = pc * ID_MULTIPLIER >> (64 - CALLERS_LOG2);

	for (uint64_t i = 0; i < CALLERS_TRIED; i++) {
		struct generated_caller *caller =
			&generated_callers[(hash + i) % CALLERS];
		uint64_t there = 0;

		if (atomic_load_explicit(&caller->pc, memory_order_relaxed) ==
		    pc)
			return caller;
		if (atomic_compare_exchange_strong(&caller->pc, &there, pc) ||
		    there == pc)
			return caller;
	}
	return NULL;
}

/*
 * Returns the number of the generated caller with this pc, or `elsewhere` if
 * there is no room. Two threads, or a thread and its signal handler, may number
 * a caller at once; one of the numbers then stays unused.
 */
static uint32_t number_of(uint64_t pc)
{
	struct generated_caller *caller = caller_at(pc);
	uint32_t number, none = 0;

	if (!caller)
		return elsewhere;
	number = atomic_load_explicit(&caller->number, memory_order_acquire);
	if (number)
		return number;
	number = new_number(pc);
	if (!number)
		return elsewhere;
	return atomic_compare_exchange_strong(&caller->number, &none, number)
		       ? number
		       : none;
}

/*
 * The trampoline is stored before the thread's id is changed, so that a walk in
 * a signal handler always finds the link of the new id.
 */
void hot_enter_generated(uint64_t *slot)
{
	const struct shadow_slot before = {
		.return_address = *slot,
		.caller_id = hot.id,
	};
	const uint32_t number = number_of(*slot);
	uint64_t id, word;

	if (!number)
		return;
	id = id_push(hot.id, id_key(number));
	word = trampoline_for(&before, id);
	if (!word)
		return;
	*(volatile uint64_t *)slot = word;
	*(volatile uint64_t *)&hot.id = id;
}
