/* SPDX-License-Identifier: MIT */
/* See timing.h. */
#include "preload/hot/timing.h"

#include <stdatomic.h>

#include "preload/hot/runtime.h"
#include "preload/hot/tail_times.h"
#include "preload/hot/tails.h"
#include "preload/hot/upcalls.h"

/*
 * Calls that take at least this many ticks of the time stamp counter, about 0.3
 * ms at 3.5 GHz, are followed by hot_note_presence(). The cost of its two
 * system calls is negligible for such calls.
 */
#define LONG_TICKS (UINT64_C(1) << 20)

uint64_t time_id(const struct time_slot *slot)
{
	const struct tail_time *record = tail_time_of(slot);

	return record ? record->id : slot->id;
}

void time_open(uint64_t stack)
{
	struct time_slot *slot = time_of(stack);

	slot->id = hot.id;
	slot->accounted = hot.accounted;
	slot->start = time_now();
}

static void add(uint64_t *to, uint64_t ticks)
{
	__atomic_fetch_add(to, ticks, __ATOMIC_RELAXED);
}

static void keep_most(uint64_t *to, uint64_t ticks)
{
	uint64_t old = *to;

	while (ticks > old &&
	       !__atomic_compare_exchange_n(to, &old, ticks, 0,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/*
 * Stores a minimum. 0 means that no call has ended yet. A clamped duration of 0
 * is taken for that, too.
 */
static void keep_least(uint64_t *to, uint64_t ticks)
{
	uint64_t old = *to;

	while ((!old || ticks < old) &&
	       !__atomic_compare_exchange_n(to, &old, ticks, 0,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/* The duration of a call, and the part that is its own. */
struct lapse {
	uint64_t total, self;
	int is_clamped;
};

static struct lapse lapse_of(const struct time_slot *slot, uint64_t now)
{
	const int64_t others = (int64_t)(hot.accounted - slot->accounted);
	struct lapse lapse = { .total = now - slot->start };

	if ((int64_t)lapse.total < 0) {
		lapse.total = 0;
		lapse.is_clamped = 1;
	}
	lapse.self = lapse.total - (uint64_t)others;
	if (others < 0 || lapse.self > lapse.total) {
		lapse.self = others < 0 ? lapse.total : 0;
		lapse.is_clamped = 1;
	}
	add(&hot.accounted, lapse.self);
	return lapse;
}

/* Returns the times of a context, or NULL. */
static struct wire_times *find_times(const struct tally *tally, uint64_t id,
				     uint32_t *function)
{
	struct view view = tally_view(tally);
	struct wire_count *entry = view_find(&view, id);
	const uint64_t i = (uint64_t)(entry - view.table);

	if (entry->id != id)
		return NULL;
	*function = view.notes[i].function;
	return times_of(view.table, i);
}

/*
 * Stores the duration of this call in `latest`, and counts the duration of the
 * preceding call in its bin of the histogram. The address of the bins is read
 * only once, because a signal handler may fork meanwhile. The former table is
 * then empty in the child, so a second read would return 0.
 */
static void put_in_bin(struct tally *tally, struct wire_times *times,
		       uint64_t id, uint32_t function, uint64_t total)
{
	uint64_t *bins = (uint64_t *)__atomic_load_n(&times->histogram,
						     __ATOMIC_RELAXED);
	uint64_t before;

	if (!bins) {
		bins = hot_histogram(tally, id, function);
		times->histogram = (uintptr_t)bins;
	}
	if (!bins)
		return;
	before = __atomic_exchange_n(&times->latest, total ? total : 1,
				     __ATOMIC_RELAXED);
	if (before)
		add(bins + wire_bin(before), 1);
}

static void lose(int has_ended)
{
	if (has_ended)
		atomic_fetch_add_explicit(&rt.header->untimed_calls, 1,
					  memory_order_relaxed);
}

static void record(struct tally *tally, uint64_t id, const struct lapse *lapse,
		   int has_ended)
{
	struct wire_times *times;
	uint32_t function;

	times = find_times(tally, id, &function);
	if (!times) {
		lose(has_ended);
		return;
	}
	add(&times->self, lapse->self);
	add(&times->clamped, (uint64_t)lapse->is_clamped);
	if (!has_ended)
		return;
	add(&times->total, lapse->total);
	add(&times->ended, 1);
	keep_least(&times->min, lapse->total);
	keep_most(&times->max, lapse->total);
	put_in_bin(tally, times, id, function, lapse->total);
}

static void account(const struct time_slot *slot, uint64_t now, int has_ended)
{
	struct tally *tally = hot.tally;
	struct lapse lapse;
	uint32_t busy;

	if (!slot->start)
		return;
	lapse = lapse_of(slot, now);
	if (hot.muted || (!tally && rt.is_late))
		/*
		 * The call's count is lost as well, or the call was never
		 * counted, so its time need not be reported.
		 */
		return;
	if (!tally || !*rt.is_this_process) {
		lose(has_ended);
		return;
	}
	busy = tally_enter_path(tally, __builtin_frame_address(0));
	record(tally, time_id(slot), &lapse, has_ended);
	tally_leave_path(tally, busy);
	if (lapse.total >= LONG_TICKS)
		hot_note_presence();
}

/*
 * Ends the time of the innermost function, which has returned or jumped. The
 * slot then describes the function that jumped to it. Returns false if no
 * function has jumped to it.
 */
static int close_innermost(struct time_slot *slot, uint64_t now)
{
	struct tail_time *record = tail_time_of(slot);

	account(slot, now, 1);
	if (!record)
		return 0;
	*slot = record->before;
	tail_time_give(record);
	return 1;
}

void time_close(struct time_slot *slot, uint64_t now)
{
	while (close_innermost(slot, now))
		;
	slot->start = 0;
}

/*
 * Returns the time slot of the function that has made a tail call to this
 * slot's function, or NULL.
 */
static struct time_slot *jumped(const struct time_slot *slot)
{
	struct tail_time *record = tail_time_of(slot);

	return record ? &record->before : NULL;
}

void time_settle(const struct time_slot *slot, uint64_t now)
{
	for (; slot; slot = jumped(slot))
		account(slot, now, 0);
}

void time_has_settled(struct time_slot *slot, uint64_t now)
{
	for (; slot; slot = jumped(slot))
		slot->accounted = hot.accounted - (now - slot->start);
}

void time_begin_anew(struct time_slot *slot, uint64_t now)
{
	for (; slot; slot = jumped(slot)) {
		slot->start = now;
		slot->accounted = hot.accounted;
	}
}

/*
 * Ends the times of functions at this slot until the function with this id,
 * which has made a tail call, is the innermost one. Returns false if the slot
 * has no such function.
 */
static int close_until(struct time_slot *slot, uint64_t id, uint64_t now)
{
	while (time_id(slot) != id)
		if (!close_innermost(slot, now))
			return 0;
	return 1;
}

void hot_open_tail(const uint64_t *stack)
{
	struct time_slot *slot = time_of((uintptr_t)stack);
	const uint64_t now = time_now();
	const uint64_t from = tails_caller(tails_caller_at(stack), hot.id);
	struct tail_time *record = NULL;

	if (close_until(slot, from, now))
		record = tail_time_take((uintptr_t)stack);
	if (record) {
		record->id = hot.id;
		record->before = *slot;
		slot->id = (uintptr_t)record;
	} else {
		if (time_id(slot) == from)
			time_close(slot, now);
		slot->id = hot.id;
	}
	slot->accounted = hot.accounted;
	slot->start = now;
}

struct sink_pause time_pause_since(uint64_t start)
{
	return (struct sink_pause){ .start = start,
				    .accounted = hot.accounted };
}

/*
 * Calls that signal handlers have made during the pause have accounted for
 * their time already, so this time is not removed from the clock.
 */
void time_pause_end(const struct sink_pause *pause)
{
	const uint64_t total = time_now() - pause->start;
	const uint64_t others = hot.accounted - pause->accounted;

	if (others > total)
		return;
	add(&hot.paused, total - others);
	if (hot.tally)
		add(&hot.tally->wire->paused_ticks, total - others);
}

void hot_close(const uint64_t *stack, uint64_t total)
{
	struct time_slot *slot = time_of((uintptr_t)stack);
	const uint64_t now = slot->start + total;
	struct sink_pause pause;

	if (rt.is_late && slot->start && !hot.muted &&
	    (!hot.tally || !tally_note(hot.tally, time_id(slot)).word))
		hot_record_running(stack, time_id(slot));
	while (close_innermost(slot, now))
		;
	pause = time_pause_since(now);
	time_pause_end(&pause);
}
