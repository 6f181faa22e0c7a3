/* SPDX-License-Identifier: MIT */
/*
 * The slow path of a call whose context is not at its home entry (the first
 * entry that its hash leads to) in the count table.
 *
 * In most cases the context is new and is recorded (record.h). Otherwise it is
 * in another entry, or the thread is off (switch.h). This file also verifies
 * calls, and handles calls on stacks below hot_shadow_low.
 *
 * The code runs on the program's stack, between two instructions of the
 * program. The code uses no libc and no SSE register (-mgeneral-regs-only). A
 * signal handler may interrupt the code and run it again.
 */
#include <stdatomic.h>
#include <stddef.h>

#include "preload/hot/count.h"
#include "preload/hot/native.h"
#include "preload/hot/own_word.h"
#include "preload/hot/recent_notes.h"
#include "preload/hot/record.h"
#include "preload/hot/recursion.h"
#include "preload/hot/runtime.h"
#include "preload/hot/shadow.h"
#include "preload/hot/sink.h"
#include "preload/hot/switch.h"
#include "preload/hot/tails.h"
#include "preload/hot/tally.h"
#include "preload/hot/thread.h"
#include "preload/hot/trampoline.h"
#include "preload/hot/upcalls.h"
#include "wire/id.h"

/*
 * Counts a call in a recorded context. Returns false if the context is not
 * recorded.
 */
static int count_known(struct tally *tally, uint64_t id, uint64_t site,
		       enum count_result *result)
{
	const int is_tail = (site & WIRE_SITE_TAIL) != 0;
	enum record_known known =
		record_known_call(tally, is_tail ? wire_tail_id(id) : id);

	if (known == RECORD_IS_UNKNOWN && is_tail)
		known = record_first_tail_call(id, site);
	*result = known == RECORD_IS_DUE ? COUNT_IS_DUE : COUNT_IS_DONE;
	return known != RECORD_IS_UNKNOWN;
}

/*
 * Counts a recursive call, whose own id would be `id`, in the context
 * `runs_as`. Returns false if the call is no recursion, if `runs_as` is not
 * recorded, or if a signal handler has forked and the child has no tally.
 */
static int count_recursion(uint64_t runs_as, uint64_t id, uint64_t site,
			   enum count_result *result)
{
	if (runs_as == id || !hot.tally ||
	    !count_known(hot.tally, runs_as, site, result))
		return 0;
	hot.id = runs_as;
	return 1;
}

/*
 * Returns the id with which a function runs if recursion is folded. Its own id,
 * below `caller`, is not recorded. `from` is the caller's id in the slot's
 * shadow. `caller` is another function if that one has jumped here, and may
 * then run in a context from which the stack does not lead to `from`.
 */
static uint64_t fold(uint64_t id, uint64_t caller, uint64_t from)
{
	const uint64_t own = id_push(from, id_key_between(caller, id));
	const uint64_t found = recursion_fold(from, own);

	return found == own ? id : found;
}

static enum count_result count_slowly(struct tally *tally, uint64_t id,
				      uint64_t caller, uint64_t from,
				      uint64_t site)
{
	enum count_result result;

	if (count_known(tally, id, site, &result))
		return result;
	if (caller != ID_ROOT && !recent_note_of(tally, caller).word)
		hot_record_callers(id);
	if (hot_recursion_folds &&
	    count_recursion(fold(id, caller, from), id, site, &result))
		return result;
	if (record_new_call(id, caller, site))
		return COUNT_IS_FIRST;
	record_folded_call(caller);
	return COUNT_IS_DONE;
}

/*
 * Gives a forked child a part of its own, at the child's first call. Returns 0
 * if another thread of the child is doing so in clew's atfork handlers; the
 * call is then counted as lost.
 */
static int find_own_part(void)
{
	if (__atomic_load_n(&rt.is_forking, __ATOMIC_ACQUIRE)) {
		atomic_fetch_add_explicit(&rt.lost_meanwhile, 1,
					  memory_order_relaxed);
		return 0;
	}
	hot_after_unseen_fork();
	return 1;
}

int count_is_heard(void)
{
	if (hot.muted) {
		if (hot.muted == HOT_MUTED_FORK)
			record_loss(WIRE_LOSS_FORK);
		if (hot.muted == HOT_MUTED_SHARED)
			record_loss(WIRE_LOSS_SHARED);
		if (hot.muted == HOT_MUTED_HANDLER)
			record_loss(WIRE_LOSS_HANDLER);
		return 0;
	}
	if (!switch_is_wanted())
		return 0;
	/*
	 * This acquire pairs with the release store in mark_as_own()
	 * (process/process.c).
	 */
	if (!__atomic_load_n(rt.is_this_process, __ATOMIC_ACQUIRE) &&
	    !find_own_part())
		return 0;
	if (!hot.tally && hot_make_room()) {
		record_want_of_room();
		return 0;
	}
	return 1;
}

/* Like hot_count(); `from` is as in fold(). */
static enum count_result count_from(uint64_t id, uint64_t caller, uint64_t from,
				    uint64_t site)
{
	enum count_result result;
	struct tally *tally;
	uint32_t busy;

	if (!count_is_heard())
		return COUNT_IS_DONE;
	/* the tally is read again, because a signal handler may have forked */
	tally = hot.tally;
	busy = tally_enter_path(tally, __builtin_frame_address(0));
	result = count_slowly(tally, id, caller, from, site);
	tally_leave_path(tally, busy);
	if (!busy && tally->memory.held_count)
		hot_free_held();
	return result;
}

enum count_result hot_count(uint64_t id, uint64_t caller, uint64_t site)
{
	return count_from(id, caller, caller, site);
}

/*
 * Verifies the first call of a context with a certain probability, which is
 * lower after a tally has recorded many contexts.
 */
static void verify_first(uint64_t *slot)
{
	struct tally *tally = hot.tally;
	const int is_late =
		tally && tally->wire->contexts > WIRE_EARLY_CONTEXTS;
	const uint32_t period = wire_first_period(rt.verify_period, is_late);
	int outcome;

	if (!tally || !period || record_draw() % period != 0)
		return;
	outcome = hot_verify_stack(slot, &tally->wire->firsts);
	if (is_late && outcome >= 0)
		tally->wire->late_decided++;
	if (is_late && outcome == 0)
		tally->wire->late_wrong++;
}

/*
 * Returns whether the slot is so near the thread's beginning that the thread
 * may be about to end (heal.c).
 */
static int is_at_thread_end(const uint64_t *slot)
{
	return runtime_own_stack_end() - (uintptr_t)slot < HOT_THREAD_END_BYTES;
}

uint64_t count_right_id(uint64_t *slot, uint64_t id, int is_tail_call)
{
	if (hot.muted == HOT_MUTED_SHARED)
		id = hot_try_end_sharing((uintptr_t)slot,
					 shadow_of((uintptr_t)slot), id);
	if (!is_tail_call && (hot.doubts_left || is_at_thread_end(slot)))
		id = hot_correct_caller(slot, id);
	return id;
}

void count_miss(uint64_t *slot, uint64_t id, int is_tail_call)
{
	const struct shadow_slot *shadow = shadow_of((uintptr_t)slot);
	uint64_t site = shadow->return_address, caller, from;

	if (is_tail_call)
		hot.id = id;
	id = count_right_id(slot, id, is_tail_call);
	caller = from = shadow->caller_id;
	if (is_tail_call) {
		caller = tails_caller(from, id);
		if (caller != from)
			/*
			 * the slot contains the call site of another function
			 */
			site = 0;
		site |= WIRE_SITE_TAIL;
	}
	switch (count_from(id, caller, from, site)) {
	case COUNT_IS_DUE:
		hot_verify(slot, is_tail_call);
		break;
	case COUNT_IS_FIRST:
		verify_first(slot);
		break;
	case COUNT_IS_DONE:
		break;
	}
	if (is_tail_call && hot.id != id && hot.tally)
		tails_move(hot.id, tally_note(hot.tally, hot.id).function);
}

void hot_miss(uint64_t *slot, uint64_t id, int is_tail_call)
{
	rt.sink->miss(slot, id, is_tail_call);
}

/* Returns whether a stub counts calls from the generated code at pc. */
static int serves_generated(const uint8_t *stub, uint64_t pc)
{
	switch (stub[STUB_GUARD_AT]) {
	case STUB_IS_GUARDED:
		return 0;
	case STUB_IS_WARY:
		return runtime_window(pc) == WINDOW_SHARED;
	default:
		return 1;
	}
}

/*
 * Returns whether a guarded stub must count this call. 0 means that the caller
 * is generated code whose calls are not counted; the stub then leaves the
 * return address on the stack.
 */
int hot_is_countable(uint64_t *slot, const uint8_t *stub)
{
	const struct native_range *range = native_find(*slot);

	if (range)
		hot.native = range;
	if (range || *slot < NATIVE_LOWEST)
		return 1;
	if (!serves_generated(stub, *slot)) {
		record_loss(WIRE_LOSS_GENERATED);
		return 0;
	}
	if (rt.asks_generated && stub[STUB_GUARD_AT] != STUB_IS_OPEN)
		hot_enter_generated(slot);
	return 1;
}

static void tail_elsewhere(uint64_t *slot, const uint8_t *stub)
{
	const struct tail_step step = hot_tail_step(slot, stub);

	if (!step.word)
		return;
	rt.sink->miss(slot, step.id, (int)step.word);
	sink_tail(slot);
}

/*
 * Handles the entry of a call on a stack below hot_shadow_low. Returns 1 if the
 * return address must stay on the stack: for a tail call, for a call that the
 * stub must not count, and if the shadow cannot be mapped, so that the call is
 * lost.
 */
int hot_enter_elsewhere(uint64_t *slot, uint64_t key, const uint8_t *stub)
{
	struct shadow_slot *shadow = shadow_of((uintptr_t)slot);
	const struct trampoline *one = trampoline_at(*slot);
	const int is_tail_call = one || runtime_is_stub(*slot);

	if (!is_tail_call && stub[STUB_GUARD_AT] &&
	    !hot_is_countable(slot, stub))
		return 1;
	if (!shadow) {
		if (hot_map_shadow((uintptr_t)slot)) {
			record_want_of_room();
			return 1;
		}
		shadow = shadow_of((uintptr_t)slot);
	}
	if (one) {
		*shadow = one->slot;
	} else if (!is_tail_call) {
		shadow->return_address = *slot;
		shadow->caller_id = hot.id;
	}
	if (is_tail_call) {
		tail_elsewhere(slot, stub);
		return 1;
	}
	hot.id = id_push(shadow->caller_id, key);
	rt.sink->miss(slot, hot.id, 0);
	sink_enter(slot);
	return 0;
}

void hot_leave_elsewhere(uint64_t *slot)
{
	const struct shadow_slot *shadow = shadow_of((uintptr_t)slot);

	sink_leave(slot);
	*(volatile uint64_t *)&hot.id = shadow->caller_id;
	*(volatile uint64_t *)slot = shadow->return_address;
}

int count_is_drawn(uint64_t id)
{
	const struct tally *tally = hot.tally;
	struct wire_count *entry;

	/*
	 * This is a child that a signal handler has forked, and it has no
	 * memory for a tally.
	 */
	if (!tally)
		return 0;
	entry = tally_find(tally, id);
	if (entry->id != id)
		return 0;
	/*
	 * The countdown has wrapped to 0xffff. The addition wraps the countdown
	 * again, to the new value.
	 */
	own_add(&entry->field, record_draw_countdown() -
				       (UINT64_C(0xffff) << WIRE_VERIFY_SHIFT));
	return rt.verify_period && hot.tally &&
	       record_draw() % rt.verify_period < record_check_period();
}

void hot_verify(uint64_t *slot, int is_tail_call)
{
	if (count_is_drawn(is_tail_call ? wire_tail_id(hot.id) : hot.id))
		hot_verify_stack(slot, &hot.tally->wire->calls);
}

void count_past_call(uint64_t id, uint64_t caller, int is_tail_call)
{
	const uint64_t entry = is_tail_call ? wire_tail_id(id) : id;
	const uint64_t site = is_tail_call ? WIRE_SITE_TAIL : 0;
	const uint64_t running = hot.id;
	enum record_known known = record_known_call(hot.tally, entry);

	if (known == RECORD_IS_UNKNOWN && is_tail_call)
		known = record_first_tail_call(id, site);
	if (known == RECORD_IS_DUE)
		count_is_drawn(entry);
	if (known != RECORD_IS_UNKNOWN || record_new_call(id, caller, site))
		return;
	record_folded_call(caller);
	hot.id = running;
}

/*
 * Stubs load the mask before the table. A stub that a signal has interrupted in
 * between continues with an earlier mask and the blank table. Therefore the
 * blank table is as large as any table that the thread has had
 * (record/blank.h).
 */
void count_off(void)
{
	hot.table = hot_blank_table();
}

/*
 * Lets stubs of the thread count. A signal handler that interrupts this loop
 * may let the tally's table grow or switch the thread; the handler's change
 * remains. The loop makes no system call, which a filter might forbid.
 */
void count_on(void)
{
	volatile struct hot_thread *const thread = &hot;
	struct wire_count *former;
	struct view view;

	while (switch_is_on()) {
		former = thread->table;
		view = tally_view(thread->tally);
		if (!__atomic_compare_exchange_n(
			    &hot.table, &former, view.table, 0,
			    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			continue;
		thread->mask = view.mask * sizeof(*view.table);
		if (view.table == thread->tally->table)
			break;
	}
}
