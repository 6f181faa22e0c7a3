/* SPDX-License-Identifier: MIT */
#include "preload/sharing.h"

#include "preload/hot/count.h"
#include "preload/hot/runtime.h"
#include "preload/hot/shadow.h"
#include "preload/hot/thread.h"
#include "preload/sys.h"
#include "preload/tallies.h"
#include "preload/walk.h"
#include "wire/id.h"

#define UNKNOWN (-1) /* a child that is being made, or one too many */

void sharing_begin(uint64_t stack)
{
	if (hot.muted == HOT_IS_HEARD) {
		hot.owner = sys_gettid();
		hot.shared_from = stack;
	}
	hot.muted = HOT_MUTED_SHARED;
	tallies_suspend();
	for (int i = 0; i < HOT_SHARERS_MAX; i++)
		if (!hot.sharers[i]) {
			hot.sharers[i] = UNKNOWN;
			return;
		}
}

void sharing_with(int tid)
{
	for (int i = 0; i < HOT_SHARERS_MAX; i++)
		if (hot.sharers[i] == UNKNOWN) {
			hot.sharers[i] = tid < 0 ? 0 : tid;
			return;
		}
}

static int is_alone(void)
{
	int others = 0;

	for (int i = 0; i < HOT_SHARERS_MAX; i++) {
		if (hot.sharers[i] > 0 && sys_call(SYS_tkill, hot.sharers[i], 0,
						   0, 0, 0, 0) == -ESRCH)
			hot.sharers[i] = 0;
		others += hot.sharers[i] != 0;
	}
	return !others;
}

uint64_t hot_look_alone(uint64_t slot, struct shadow_slot *shadow, uint64_t id)
{
	uint64_t key = id_key_between(shadow->caller_id, id);
	uint64_t caller = ID_ROOT;

	if (sys_gettid() != hot.owner || slot < hot.shared_from)
		return id;
	hot.shared_from = slot;
	if (!is_alone())
		return id;
	walk_find_running(slot + sizeof(slot), &caller);
	shadow->caller_id = caller;
	hot.id = id_push(caller, key);
	hot.muted = HOT_IS_HEARD;
	tallies_resume();
	return hot.id;
}
