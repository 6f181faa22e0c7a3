/* SPDX-License-Identifier: MIT */
#include "preload/stack/times.h"

#include "preload/hot/timing.h"
#include "preload/stack/walk.h"

void times_end_open(void)
{
	struct walk walk = walk_from(__builtin_frame_address(0), hot.id);
	const uint64_t now = time_now();
	struct link link;

	while (walk_next(&walk, &link))
		time_close(time_of(link.at), now);
}

/* The calls of this stack that the thread was in since it came there. */
static void each_since(uint64_t came, uint64_t now,
		       void (*visit)(struct time_slot *slot, uint64_t now))
{
	struct walk walk = walk_from(__builtin_frame_address(0), hot.id);
	struct link link;

	while (walk_next(&walk, &link)) {
		struct time_slot *slot = time_of(link.at);

		visit(slot, now);
		if (slot->start < came)
			return; /* the innermost when it came */
	}
}

static void settle(struct time_slot *slot, uint64_t now)
{
	time_settle(slot, now);
}

static void has_settled(struct time_slot *slot, uint64_t now)
{
	time_has_settled(slot, now);
}

/*
 * What was in no call, as the way to a coroutine's first one, is nobody's; or
 * it would be missing in what is to come.
 */
static void account_for_rest(uint64_t now)
{
	const uint64_t all = now - hot.came;
	const uint64_t accounted = hot.accounted - hot.came_accounted;

	if (hot.came && accounted < all)
		hot.accounted += all - accounted;
}

void times_leave_stack(uint64_t now)
{
	struct time_pause pause;

	each_since(hot.came, now, settle);
	account_for_rest(now);
	each_since(hot.came, now, has_settled);
	hot.came = now;
	hot.came_accounted = hot.accounted;
	pause = time_pause_since(now);
	time_pause_end(&pause);
}

void times_begin_anew(void)
{
	struct walk walk = walk_from(__builtin_frame_address(0), hot.id);
	const uint64_t now = time_now();
	struct link link;

	while (walk_next(&walk, &link)) {
		struct time_slot *slot = time_of(link.at);

		slot->start = now;
		slot->accounted = hot.accounted;
	}
}
