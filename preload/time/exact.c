/* SPDX-License-Identifier: MIT */
/*
 * The sink that times each call (hot/timing.h).
 *
 * The stubs handle calls, returns and tail calls. This file does the rest: it
 * ends calls that end without returning, copies times when a count table is
 * replaced, and excludes the time of clew's own work. A walk along the shadow
 * finds the open calls of a thread.
 */
#include "preload/hot/count.h"
#include "preload/hot/sink.h"
#include "preload/hot/timing.h"
#include "preload/hot/trampoline.h"
#include "preload/record/recorder.h"
#include "preload/stack/landing_stacks.h"
#include "preload/stack/walk.h"
#include "preload/time/presence.h"

/* ---- Calls whose times stubs cannot handle ---- */

static struct sink_pause begin_pause(void)
{
	return time_pause_since(time_now());
}

static void miss(uint64_t *slot, uint64_t id, int is_tail_call)
{
	const struct sink_pause paused = begin_pause();

	count_miss(slot, id, is_tail_call);
	time_pause_end(&paused);
}

static void enter(const uint64_t *slot)
{
	time_open((uintptr_t)slot);
}

static void leave(const uint64_t *slot)
{
	hot_close(slot, time_now() - time_of((uintptr_t)slot)->start);
}

/* The time slot may belong to another call by now, so the ids are compared. */
static void leave_carried(const uint64_t *slot, const struct trampoline *one)
{
	struct time_slot *time;

	if (!shadow_of((uintptr_t)slot))
		return;
	time = time_of((uintptr_t)slot);
	if (time_id(time) == one->id || time_id(time) == hot.id)
		time_close(time, time_now());
}

/* Starts the time of a call that was active when clew attached. */
static void resume_call(uint64_t at, uint64_t id)
{
	*time_of(at) = (struct time_slot){ .start = stamp_counter(), .id = id };
}

/* ---- Jumps, and other stacks ---- */

/*
 * Calls visit() for the active calls on this stack, innermost first. Ends with
 * the call that was the innermost one when the thread switched to this stack,
 * at the time `came`.
 */
static void each_since(uint64_t came, uint64_t now,
		       void (*visit)(struct time_slot *slot, uint64_t now))
{
	struct walk walk = walk_from(__builtin_frame_address(0), hot.id);
	struct link link;

	while (walk_next(&walk, &link)) {
		struct time_slot *slot = time_of(link.at);

		if (link.has_jumped)
			continue;
		visit(slot, now);
		if (slot->start < came)
			return;
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
 * Adds the time since the switch to this stack that no call accounts for, such
 * as the time before a coroutine's first call, to hot.accounted. Otherwise that
 * time would be missing from a later call.
 */
static void account_for_rest(const struct hot_stack_time *time, uint64_t now)
{
	const uint64_t all = now - time->since;
	const uint64_t accounted = hot.accounted - time->accounted;

	if (time->since && accounted < all)
		hot.accounted += all - accounted;
}

/*
 * Called when the thread switches to another stack. The calls on the present
 * stack get their own time up to now, and none of the time that the thread
 * spends on the other stack.
 */
static void leave_stack(uint64_t now)
{
	struct hot_stack_time *time = hot.aside ? &hot.aside->on_stack : NULL;
	struct sink_pause paused;

	if (!time)
		return; /* the thread has counted nothing yet */
	each_since(time->since, now, settle);
	account_for_rest(time, now);
	each_since(time->since, now, has_settled);
	time->since = now;
	time->accounted = hot.accounted;
	paused = time_pause_since(now);
	time_pause_end(&paused);
}

static void switch_stack(void)
{
	leave_stack(time_now());
}

/*
 * Ends the times of the calls that a jump leaves. A jump to a lower address is
 * taken for a switch to another stack, unless it leaves the alternate signal
 * stack.
 */
static void end_calls(const void *frame, uint64_t stack, uint64_t now)
{
	const uint64_t here = (uintptr_t)frame;
	struct walk walk = walk_from(frame, hot.id);
	const struct stack_range signals = landing_signal_stack();
	struct link link;

	if (stack < here && !landing_is_inside(&signals, here)) {
		leave_stack(now);
		return;
	}
	while (walk_next(&walk, &link) &&
	       landing_is_inward(&signals, link.at, stack))
		time_close(time_of(link.at), now);
}

static struct sink_pause jump(const void *frame, uint64_t stack)
{
	const uint64_t now = time_now();

	end_calls(frame, stack, now);
	return time_pause_since(now);
}

/*
 * Ends the times of the calls that an exception leaves. The first `returning`
 * functions were called by the unwinder and continue. If their number is
 * unknown (0), their calls end a moment too early.
 */
static struct sink_pause unwind(const uint64_t *at, uint32_t count,
				uint32_t returning)
{
	const uint64_t now = time_now();

	for (uint32_t i = 0; i < count; i++)
		if (i < returning)
			time_settle(time_of(at[i]), now);
		else
			time_close(time_of(at[i]), now);
	for (uint32_t i = 0; i < returning; i++)
		time_has_settled(time_of(at[i]), now);
	return time_pause_since(now);
}

static void end(uint64_t at, const struct sink_pause *when)
{
	time_close(time_of(at), when->start);
}

/* ---- Threads and processes ---- */

/*
 * In a forked child the times of all open calls start again, because the child
 * is a process of its own.
 */
static void begin_anew(void)
{
	struct walk walk = walk_from(__builtin_frame_address(0), hot.id);
	const uint64_t now = time_now();
	struct link link;

	while (walk_next(&walk, &link))
		if (!link.has_jumped)
			time_begin_anew(time_of(link.at), now);
}

static void finish(void)
{
	struct walk walk = walk_from(__builtin_frame_address(0), hot.id);
	const uint64_t now = time_now();
	struct link link;

	while (walk_next(&walk, &link))
		time_close(time_of(link.at), now);
	presence_note_all(&rt.recorder->tallies);
}

/* ---- The array of times, which lies before the count table ---- */

static void add_entry(struct wire_count *to_table, uint64_t at,
		      struct wire_count *from_table, uint64_t i)
{
	const struct wire_times *from = times_of(from_table, i);
	struct wire_times *to = times_of(to_table, at);

	wire_times_add(to, from);
	if (!to->histogram)
		to->histogram = from->histogram;
	if (!to->latest)
		to->latest = from->latest;
	else if (from->latest)
		((uint64_t *)to->histogram)[wire_bin(from->latest)]++;
}

static int has_entry(struct wire_count *table, uint64_t i)
{
	const struct wire_times *times = times_of(table, i);

	return times->ended || times->self || times->latest;
}

/*
 * Zeroes the recorded times. The other members stay, because an interrupted
 * stub may still use them.
 */
static void zero_entry(struct wire_count *table, uint64_t i)
{
	struct wire_times *times = times_of(table, i);

	times->ended = times->total = times->self = times->clamped = 0;
	times->latest = 0;
}

const struct sink sink_timing = {
	.stub = &hot_stub_timed,
	.carried_at = HOT_CARRIED_REPORTED,
	.reads_clock = 1,
	.times_calls = 1,
	.slot_bytes = TIME_SLOT_BYTES,
	.entry_bytes = TIMES_BYTES,
	.off = count_off,
	.on = count_on,
	.miss = miss,
	.enter = enter,
	.leave = leave,
	.tail = hot_open_tail,
	.carried = leave_carried,
	.resume_call = resume_call,
	.pause = begin_pause,
	.resume = time_pause_end,
	.jump = jump,
	.unwind = unwind,
	.end = end,
	.switch_stack = switch_stack,
	.begin_thread = presence_begin,
	.fork = begin_anew,
	.finish = finish,
	.add_entry = add_entry,
	.has_entry = has_entry,
	.zero_entry = zero_entry,
};
