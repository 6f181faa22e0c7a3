/* SPDX-License-Identifier: MIT */
/*
 * The slow path of a call: its context is not where the stub looked.
 *
 * Nearly always because it is new: then it is recorded, once. Otherwise it
 * sits elsewhere in the table, or the thread is new, or there is no room and
 * the context folds into the nearest one that is recorded.
 *
 * Runs on the program's stack between two of its instructions: no libc, no
 * SSE (-mgeneral-regs-only), safe in signal handlers and re-entered by them.
 */
#include <stdatomic.h>
#include <stddef.h>

#include "preload/hot/count.h"
#include "preload/hot/native.h"
#include "preload/hot/runtime.h"
#include "preload/hot/shadow.h"
#include "preload/hot/tally.h"
#include "preload/hot/thread.h"
#include "preload/hot/timing.h"
#include "wire/id.h"

struct wire_count hot_empty_table[2];
uint64_t hot_shadow_low = SHADOW_STACK_LOW;
_Atomic uint64_t hot_shadow_regions[SHADOW_REGION_COUNT];
struct runtime rt;
struct native_range hot_native[NATIVE_MAX];
_Atomic uint32_t hot_native_count;

_Thread_local struct hot_thread hot __attribute__((aligned(64))) = {
	.table = hot_empty_table,
	.multiplier = ID_MULTIPLIER,
	.step = WIRE_CALL_STEP,
	.entry_base = -(uint64_t)SHADOW_STACK_LOW,
	.exit_base = (uint64_t)SHADOW_HALF - SHADOW_STACK_LOW - 8,
	.miss_call = hot_thunk_miss_call,
	.miss_tail = hot_thunk_miss_tail,
	.verify_call = hot_thunk_verify_call,
	.verify_tail = hot_thunk_verify_tail,
	.enter_elsewhere = hot_thunk_enter_elsewhere,
	.leave_elsewhere = hot_thunk_leave_elsewhere,
	.enter_guarded = hot_thunk_enter_guarded,
	.foreign = hot_thunk_foreign,
	.leap = hot_thunk_leap,
	.lands = hot_thunk_lands,
	.raises = hot_thunk_raises,
	.close = hot_thunk_close,
	.close_tail = hot_thunk_close_tail,
};

static void lose(enum wire_loss cause)
{
	atomic_fetch_add_explicit(&rt.losses[cause], 1, memory_order_relaxed);
}

/* A call for which there is no place at all. */
static void lose_for_want_of_room(void)
{
	lose(runtime_is_filtered()            ? WIRE_LOSS_FILTER
	     : rt.losses != rt.header->losses ? WIRE_LOSS_CHILD
					      : WIRE_LOSS_NO_SPACE);
}

/*
 * A record of this thread's own, or NULL when the chunk is full. Should a handler
 * change chunks in between, that of the one or the other may be behind its end;
 * it is wasted even if it is not.
 */
static struct wire_context *take_context(struct tally *tally)
{
	uintptr_t end = __atomic_load_n(&tally->end_context, __ATOMIC_SEQ_CST);
	uintptr_t at = __atomic_fetch_add(&tally->next_context,
					  sizeof(struct wire_context),
					  __ATOMIC_SEQ_CST);

	if (at >= end ||
	    end != __atomic_load_n(&tally->end_context, __ATOMIC_SEQ_CST))
		return NULL;
	return (struct wire_context *)at;
}

static int has_room(const struct tally *tally)
{
	return tally->used < tally->limit &&
	       tally->next_context < tally->end_context;
}

/* A free entry for id, claimed by writing its note. */
static struct wire_count *claim_entry(struct tally *tally, uint64_t id,
				      union note note)
{
	struct view view = tally_view(tally);
	uint64_t i = id >> 4 & view.mask;
	uint64_t none = 0;

	while (!__atomic_compare_exchange_n(&view.notes[i].word, &none,
					    note.word, 0, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED)) {
		none = 0;
		i = (i + 1) & view.mask;
	}
	__atomic_fetch_add(&tally->used, 1, __ATOMIC_RELAXED);
	return &view.table[i];
}

/* xorshift64 (Marsaglia, "Xorshift RNGs", 2003), one for each thread */
static uint64_t draw(void)
{
	uint64_t random = hot.random;

	random ^= random << 13;
	random ^= random >> 7;
	random ^= random << 17;
	hot.random = random;
	return random;
}

/*
 * Hits of a context between two looks at whether to verify: uniform, with the
 * configured period as its mean. There are 16 bits for it. Where the period is
 * longer, looks come as late as possible, and only some verify.
 */
static uint64_t countdown_limit(void)
{
	return rt.verify_period && rt.verify_period < 1 << 15 ? rt.verify_period
							      : 1 << 15;
}

static uint64_t draw_countdown(void)
{
	return draw() % (2 * countdown_limit() - 1) << WIRE_VERIFY_SHIFT;
}

int hot_record(struct tally *tally, uint64_t id, union note note, uint64_t site,
	       uint64_t calls)
{
	struct wire_context *context = take_context(tally);
	struct wire_count *entry;

	if (!context)
		return 0;
	entry = claim_entry(tally, id, note);
	context->site = site;
	context->function = note.function;
	context->depth = note.depth;
	atomic_store_explicit(&context->id, id, memory_order_release);
	__atomic_fetch_add(&entry->field, calls + draw_countdown(),
			   __ATOMIC_RELAXED);
	atomic_store_explicit(&entry->id, id, memory_order_release);
	__atomic_fetch_add(&tally->wire->contexts, 1, __ATOMIC_RELAXED);
	return 1;
}

/* One more call of a recorded context. False if it is not recorded. */
static int count_known(struct tally *tally, uint64_t id)
{
	struct wire_count *entry = tally_find(tally, id);

	if (entry->id != id)
		return 0;
	__atomic_fetch_add(&entry->field, 1, __ATOMIC_RELAXED);
	return 1;
}

static union note note_below(const struct tally *tally, uint64_t caller,
			     uint32_t function)
{
	return (union note){
		.function = function,
		.depth = tally_note(tally, caller).depth + 1,
	};
}

/* Whether one more context may be recorded in this process. */
static int admit_context(uint64_t limit)
{
	_Atomic uint64_t *contexts = &rt.header->contexts;

	if (atomic_fetch_add_explicit(contexts, 1, memory_order_relaxed) <
	    limit)
		return 1;
	atomic_fetch_sub_explicit(contexts, 1, memory_order_relaxed);
	return 0;
}

/* Record a new context below caller and count its first call. */
static int count_new(uint64_t id, uint64_t caller, uint32_t function,
		     uint64_t site, uint64_t limit)
{
	struct tally *tally = hot.tally;

	if (!admit_context(limit))
		return 0;
	do {
		if (!has_room(tally) && hot_make_room())
			goto withdraw;
	} while (!hot_record(tally, id, note_below(tally, caller, function),
			     site, 1));
	return 1;
withdraw:
	atomic_fetch_sub_explicit(&rt.header->contexts, 1,
				  memory_order_relaxed);
	return 0;
}

/*
 * No room for a context below caller: count the call at "(folded)" below the
 * nearest recorded ancestor, and let the thread's id stay there, so that what
 * is called from here folds into the same place without a search.
 */
static void fold(uint64_t caller)
{
	struct tally *tally = hot.tally;
	uint64_t limit = rt.max_contexts + rt.max_contexts / 8 + 64;
	uint64_t id = caller;
	union note note;

	for (;;) {
		note = tally_note(tally, caller);
		if (note.function != WIRE_FOLDED)
			id = id_push(caller, id_key(WIRE_FOLDED));
		else
			id = caller;
		if (count_known(tally, id) ||
		    count_new(id, caller, WIRE_FOLDED, 0, limit)) {
			__atomic_fetch_add(&tally->wire->folded_calls, 1,
					   __ATOMIC_RELAXED);
			hot.id = id;
			return;
		}
		if (caller == ID_ROOT || !note.word)
			break;
		caller = id_pop(caller, id_key(note.function));
	}
	lose_for_want_of_room();
}

static void count_slowly(uint64_t id, uint64_t caller, uint64_t site)
{
	uint32_t function;

	if (count_known(hot.tally, id))
		return;
	if (!id_key_function(id_key_between(caller, id), &function) ||
	    !count_new(id, caller, function, site, rt.max_contexts))
		fold(caller);
}

/*
 * At the first call in a child. Returns 0 while another thread sees to it: what
 * there was to count in is its parent's, or nobody's.
 */
static int find_own_part(void)
{
	if (__atomic_load_n(&rt.is_forking, __ATOMIC_ACQUIRE)) {
		atomic_fetch_add_explicit(&rt.lost_meanwhile, 1,
					  memory_order_relaxed);
		return 0;
	}
	if (!*rt.is_ours) /* or it was seen to just now */
		hot_after_fork();
	return 1;
}

void hot_count(uint64_t id, uint64_t caller, uint64_t site)
{
	uint32_t busy;

	if (hot.muted) {
		if (hot.muted == HOT_MUTED_FORK)
			lose(WIRE_LOSS_FORK);
		if (hot.muted == HOT_MUTED_SHARED)
			lose(WIRE_LOSS_SHARED);
		return;
	}
	/* The loads pair with the stores at the end of hot_after_fork(). */
	if (!__atomic_load_n(rt.is_ours, __ATOMIC_ACQUIRE) && !find_own_part())
		return;
	if (!hot.tally && hot_make_room()) {
		lose_for_want_of_room();
		return;
	}
	busy = tally_enter_path(hot.tally, __builtin_frame_address(0));
	count_slowly(id, caller, site);
	tally_leave_path(hot.tally, busy);
	if (!busy && hot.tally->held_count)
		hot_look();
}

/* So near to where the thread began that it may be about to end (heal.c). */
static int is_at_thread_end(const uint64_t *slot)
{
	return runtime_own_stack_end() - (uintptr_t)slot < HOT_THREAD_END_BYTES;
}

/* slot is where the return address was. */
static void miss(uint64_t *slot, uint64_t id, int is_tail_call)
{
	struct shadow_slot *shadow = shadow_of((uintptr_t)slot);
	uint64_t site = shadow->return_address;

	if (hot.muted == HOT_MUTED_SHARED)
		id = hot_look_alone((uintptr_t)slot, shadow, id);
	if (!is_tail_call && (hot.doubts_left || is_at_thread_end(slot)))
		id = hot_heal(slot, id);
	hot_count(id, shadow->caller_id,
		  is_tail_call ? site | WIRE_SITE_TAIL : site);
}

/* From a stub. */
void hot_miss(uint64_t *slot, uint64_t id, int is_tail_call)
{
	struct time_pause pause;

	if (!rt.is_timed) {
		miss(slot, id, is_tail_call);
		return;
	}
	pause = time_pause_since(time_now());
	miss(slot, id, is_tail_call);
	time_pause_end(&pause);
}

static void close_elsewhere(const uint64_t *slot)
{
	hot_close(slot, time_now() - time_of((uintptr_t)slot)->start);
}

/*
 * The whole entry of a call on a stack below hot_shadow_low. Returns 1 if
 * the return address stays where it is: at a tail call, and where no shadow
 * can be had, so that this call goes uncounted.
 */
int hot_enter_elsewhere(uint64_t *slot, uint64_t key)
{
	struct shadow_slot *shadow = shadow_of((uintptr_t)slot);
	int is_tail_call = runtime_is_stub(*slot);
	uint64_t id;

	if (!shadow) {
		if (hot_map_shadow((uintptr_t)slot)) {
			lose_for_want_of_room();
			return 1;
		}
		shadow = shadow_of((uintptr_t)slot);
	}
	if (!is_tail_call) {
		shadow->return_address = *slot;
		shadow->caller_id = hot.id;
	}
	id = id_push(shadow->caller_id, key);
	if (is_tail_call && id == hot.id)
		return 1;
	if (is_tail_call && rt.is_timed)
		close_elsewhere(slot);
	hot.id = id;
	hot_miss(slot, id, is_tail_call);
	if (rt.is_timed)
		time_open((uintptr_t)slot);
	return is_tail_call;
}

/*
 * A call into a module that hosts a JIT, not from that module's own text:
 * false, so that it is passed through, if it comes from no module at all.
 */
int hot_is_native_call(const uint64_t *slot)
{
	if (native_has(*slot))
		return 1;
	lose(WIRE_LOSS_GENERATED);
	return 0;
}

int hot_enter_guarded(uint64_t *slot, uint64_t key)
{
	if (!runtime_is_stub(*slot) && !hot_is_native_call(slot))
		return 1;
	return hot_enter_elsewhere(slot, key);
}

void hot_leave_elsewhere(uint64_t *slot)
{
	const struct shadow_slot *shadow = shadow_of((uintptr_t)slot);

	*slot = shadow->return_address;
	hot.id = shadow->caller_id;
	if (rt.is_timed)
		close_elsewhere(slot);
}

void hot_verify(uint64_t *slot)
{
	struct wire_count *entry = tally_find(hot.tally, hot.id);

	if (entry->id != hot.id)
		return;
	/* Underflow left 0xffff there; what is added wraps round to the rest.
	 */
	__atomic_fetch_add(&entry->field,
			   draw_countdown() -
				   (UINT64_C(0xffff) << WIRE_VERIFY_SHIFT),
			   __ATOMIC_RELAXED);
	hot_look();
	if (rt.verify_period && !runtime_is_filtered() &&
	    draw() % rt.verify_period < countdown_limit())
		hot_verify_stack(slot);
}
