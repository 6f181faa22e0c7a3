/* SPDX-License-Identifier: MIT */
/* See sharing.h. */
#include "preload/stack/sharing.h"

#include "preload/hot/runtime.h"
#include "preload/hot/shadow.h"
#include "preload/hot/switch.h"
#include "preload/hot/tails.h"
#include "preload/hot/thread.h"
#include "preload/hot/upcalls.h"
#include "preload/stack/walk.h"
#include "preload/sys/sys.h"
#include "wire/id.h"

#define TO_BE_MADE (-1)

static int has_gone(int tid)
{
	return sys_call(SYS_tkill, tid, 0, 0, 0, 0, 0) == -ESRCH;
}

/*
 * Atomic, because several threads that share the block may change the same
 * word.
 */
static int change(int32_t *sharer, int32_t from, int32_t to)
{
	return __atomic_compare_exchange_n(sharer, &from, to, 0,
					   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* Returns the number of sharers that still exist, or whose tid is unknown. */
static int count_sharers(void)
{
	int others = __atomic_load_n(&hot.sharing.unknown, __ATOMIC_SEQ_CST);

	for (int i = 0; hot.aside && i < HOT_SHARERS_MAX; i++) {
		int32_t *sharer = &hot.aside->sharers[i];
		int32_t tid = __atomic_load_n(sharer, __ATOMIC_SEQ_CST);

		others += tid &&
			  !(tid > 0 && has_gone(tid) && change(sharer, tid, 0));
	}
	return others;
}

static int take_place(void)
{
	for (int i = 0; hot.aside && i < HOT_SHARERS_MAX; i++)
		if (change(&hot.aside->sharers[i], 0, TO_BE_MADE))
			return i;
	return SHARING_UNKNOWN;
}

int sharing_begin(uint64_t stack)
{
	int place;

	if (!hot.aside)
		hot_make_room();
	if (hot.muted == HOT_IS_HEARD) {
		hot.sharing.owner = sys_gettid();
		hot.sharing.from = stack;
	}
	switch_mute(HOT_MUTED_SHARED);
	place = take_place();
	if (place != SHARING_UNKNOWN)
		return place;
	count_sharers();
	place = take_place();
	if (place == SHARING_UNKNOWN)
		__atomic_fetch_add(&hot.sharing.unknown, 1, __ATOMIC_SEQ_CST);
	return place;
}

void sharing_with(int place, int tid)
{
	if (place != SHARING_UNKNOWN)
		__atomic_store_n(&hot.aside->sharers[place], tid < 0 ? 0 : tid,
				 __ATOMIC_SEQ_CST);
	else if (tid < 0)
		__atomic_fetch_sub(&hot.sharing.unknown, 1, __ATOMIC_SEQ_CST);
}

void sharing_forget(void)
{
	for (int i = 0; hot.aside && i < HOT_SHARERS_MAX; i++)
		hot.aside->sharers[i] = 0;
	hot.sharing.unknown = 0;
}

uint64_t hot_try_end_sharing(uint64_t slot, struct shadow_slot *shadow,
			     uint64_t id)
{
	uint64_t key = tails_key(shadow->caller_id, id);
	uint64_t caller = ID_ROOT;

	if (sys_gettid() != hot.sharing.owner || slot < hot.sharing.from)
		return id;
	hot.sharing.from = slot;
	if (count_sharers())
		return id;
	walk_find_running(slot + sizeof(slot), &caller);
	shadow->caller_id = caller;
	hot.id = id_push(caller, key);
	switch_unmute(HOT_IS_HEARD);
	return hot.id;
}
