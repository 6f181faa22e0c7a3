/* SPDX-License-Identifier: MIT */
/* See jump_places.h. */
#include "preload/stack/jump_places.h"

#include <stdatomic.h>

#include "preload/hot/large_table.h"
#include "preload/hot/runtime.h"
#include "preload/hot/sink.h"
#include "preload/hot/thread.h"
#include "preload/stack/trampolines.h"
#include "wire/id.h"

#define SETS_LOG2 10
#define WAYS      4

/*
 * An entry of the table. Any thread may write it, without a lock. If two
 * threads write at once, the words of an entry may be mixed, and `check` then
 * does not match, so that the buffer is not found.
 */
struct place {
	_Atomic uint64_t buffer; /* address of the jmp_buf; 0: unused */
	_Atomic uint64_t id;     /* id of the function that called setjmp() */
	_Atomic uint64_t check; /* check word of buffer, stack pointer and id */
	_Atomic uint64_t carried; /* stack slot of that function, or 0 */
};

static struct place places[1 << SETS_LOG2][WAYS] LARGE_TABLE;

static struct place *set_of(uint64_t buffer)
{
	return places[buffer / 8 * ID_MULTIPLIER >> (64 - SETS_LOG2)];
}

/*
 * Returns the entry for a buffer: the one that it already has, an unused one of
 * its set, or that of another buffer, which is then forgotten.
 */
static struct place *place_for(uint64_t buffer)
{
	static _Atomic unsigned int next;
	struct place *set = set_of(buffer);

	for (int i = 0; i < WAYS; i++) {
		const uint64_t other = atomic_load(&set[i].buffer);

		if (!other || other == buffer)
			return &set[i];
	}
	return &set[atomic_fetch_add(&next, 1) % WAYS];
}

static uint64_t check_of(uint64_t buffer, uint64_t stack, uint64_t id)
{
	return id_push(id_push(id_push(1, buffer), stack), id);
}

/*
 * Programs call setjmp() often with the same buffer in the same frame. The
 * function's slot then still holds its trampoline, as those further out do,
 * unless the function was called again meanwhile. If it was called with another
 * slot, the former one may hold the trampoline still. The new one then remains
 * a stub's address, which only matters if the program copies this part of the
 * stack away.
 */
static void note(const void *slot, const void *buffer)
{
	const uint64_t at = (uintptr_t)buffer;
	const uint64_t stack = (uintptr_t)slot + sizeof(uint64_t);
	const uint64_t check = check_of(at, stack, hot.id);
	struct place *place = place_for(at);

	if (atomic_load(&place->check) == check &&
	    trampolines_has(slot, atomic_load(&place->carried), hot.id))
		return;
	atomic_store(&place->carried, trampolines_carry(slot));
	atomic_store(&place->buffer, at);
	atomic_store(&place->id, hot.id);
	atomic_store(&place->check, check);
}

/* The duration of this function does not count as time of the program. */
void jump_places_note(const void *slot, const void *buffer)
{
	struct sink_pause pause = sink_pause();

	note(slot, buffer);
	sink_resume(&pause);
}

uint64_t jump_places_find(const void *buffer, uint64_t stack)
{
	const uint64_t at = (uintptr_t)buffer;
	const struct place *set = set_of(at);

	for (int i = 0; i < WAYS; i++) {
		const uint64_t id = atomic_load(&set[i].id);

		if (atomic_load(&set[i].check) == check_of(at, stack, id))
			return id;
	}
	return ID_ROOT;
}
