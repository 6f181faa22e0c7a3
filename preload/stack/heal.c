/* SPDX-License-Identifier: MIT */
/* See heal.h. */
#include "preload/stack/heal.h"
#include "machine/address_space.h"
#include "preload/record/numbers.h"

#include "preload/hot/runtime.h"
#include "preload/hot/shadow.h"
#include "preload/hot/switch.h"
#include "preload/hot/tally.h"
#include "preload/hot/thread.h"
#include "preload/hot/trampoline.h"
#include "preload/hot/upcalls.h"
#include "preload/stack/starts.h"
#include "preload/stack/walk.h"
#include "preload/sys/sys.h"
#include "wire/id.h"

/*
 * How many calls are checked after a look-up of unwind information. This is
 * usually more than the unwinder and the personality routine make between the
 * last look-up of unwind information and the landing.
 */
#define DOUBTS   512

#define SCAN_MAX (1 << 15) /* stack slots, 256 KiB */

/*
 * How many stack slots are read beyond the first one with a stub's or
 * trampoline's address, if another stack may be adjacent.
 */
#define SCAN_PAST     512

#define ANCESTORS_MAX 4096

/* How many callers of a function that was found must have a slot. */
#define LINKS_MIN 4
/* How many stack slots one search reads for these callers: 2 MiB. */
#define CALLERS_SCAN (1 << 18)

#define WATCHED_MAX  16

/*
 * The registered unwinders' code. `end` is 0 in an unused element, and is
 * stored last.
 */
static struct pc_range watched[WATCHED_MAX];

void heal_watch(const struct pc_range *code)
{
	for (int i = 0; i < WATCHED_MAX; i++) {
		if (watched[i].end)
			continue;
		watched[i].start = code->start;
		__atomic_store_n(&watched[i].end, code->end, __ATOMIC_RELEASE);
		return;
	}
}

void heal_forget(const struct pc_range *code)
{
	for (int i = 0; i < WATCHED_MAX; i++)
		if (watched[i].end == code->end &&
		    watched[i].start == code->start)
			__atomic_store_n(&watched[i].end, 0, __ATOMIC_RELEASE);
}

int heal_is_watched(uint64_t pc)
{
	for (int i = 0; i < WATCHED_MAX; i++)
		if (pc < __atomic_load_n(&watched[i].end, __ATOMIC_ACQUIRE) &&
		    pc >= watched[i].start)
			return 1;
	return 0;
}

void heal_expect_landing(void)
{
	if (!runtime_has_callers() || hot.muted || runtime_is_filtered())
		return;
	switch_doubt(DOUBTS);
}

int heal_is_landing_expected(void)
{
	return hot.doubts_left != 0;
}

void heal_cancel(void)
{
	switch_trust();
}

struct pc_range heal_pass_over(struct pc_range list)
{
	volatile struct hot_aside *aside = hot.aside;
	struct pc_range former = { 0 };

	if (!aside)
		return former;
	former = (struct pc_range){ aside->listed_from, aside->listed_until };
	/* A handler in between sees no list, or one of the two. */
	aside->listed_until = 0;
	aside->listed_from = list.start;
	aside->listed_until = list.end;
	return former;
}

/*
 * Returns `at`, or the end of the list of return addresses that contains it
 * (heal_pass_over()).
 */
static uint64_t pass_over(uint64_t at)
{
	const struct hot_aside *aside = hot.aside;

	return aside && at >= aside->listed_from && at < aside->listed_until
		       ? aside->listed_until
		       : at;
}

/* The result of a search for a caller. */
struct finding {
	uint64_t id;
	uint64_t at; /* stack slot of the function; 0: not found */
};

/*
 * Returns the id of the running function whose stack slot contains `word`, the
 * address of a stub. This is the context among `id` and its callers whose own
 * caller is the one in the slot's shadow. If there is none, it is the context
 * of the stub's own function, although that function may have made a tail call
 * to another one.
 */
static uint64_t running_at(uint64_t word, const struct shadow_slot *shadow,
			   uint64_t id)
{
	for (int i = 0; hot.tally && i < ANCESTORS_MAX && id != ID_ROOT; i++) {
		union note note = tally_note(hot.tally, id);
		uint64_t parent = id_pop(id, id_key(note.function));

		if (!note.word)
			break;
		if (parent == shadow->caller_id)
			return id;
		id = parent;
	}
	return walk_running_as(shadow->caller_id, runtime_stub_key(word));
}

/*
 * Returns whether `shadow` can be the shadow slot of the function with this id:
 * together with the caller's id it yields the key of a function.
 */
static int is_chained(const struct shadow_slot *shadow, uint64_t id)
{
	return numbers_function_between(shadow->caller_id, id) != 0;
}

/*
 * Returns whether the stack slot holds the real return address, as it does when
 * a signal has interrupted the stub at the call or at the return.
 */
static int is_half_way(uint64_t word, const struct shadow_slot *shadow)
{
	return word == shadow->return_address;
}

/*
 * Returns how many slots to search: not more than SCAN_MAX, and not beyond the
 * end of the stack on which the thread began, if the slot is on that stack and
 * its end is known.
 */
static int slots_to_scan(uint64_t slot, int is_own)
{
	const uint64_t slots = (runtime_own_stack_end() - slot) / 8;

	return is_own && slots < SCAN_MAX ? (int)slots : SCAN_MAX;
}

/*
 * Searches the stack outwards for the caller of the function at `slot`. Returns
 * the function with this id if it has a slot there, otherwise the function of
 * the first slot with a stub's or trampoline's address. That slot may be a
 * stale one in the caller's frame, which is long if it contains a buffer.
 * Therefore the search for the id continues beyond it.
 */
static struct finding find_id(uint64_t slot, uint64_t id)
{
	const int is_own = walk_is_on_own_stack(slot);
	const int past = is_own ? SCAN_MAX : SCAN_PAST;
	struct finding finding = { 0 };
	uint64_t at = pass_over(slot + 8), page = slot & ~(PAGE_BYTES - 1);

	for (int left = slots_to_scan(slot, is_own); left > 0;
	     left--, at = pass_over(at + 8)) {
		const struct trampoline *one = walk_trampoline(at, &page);
		const struct shadow_slot *shadow = shadow_of(at);
		uint64_t word;

		if ((!one && (!shadow || !shadow->return_address)) ||
		    !walk_read(at, &page, &word))
			continue;
		if (one && (one->id == id || is_chained(&one->slot, id) ||
			    (shadow && is_chained(shadow, id) &&
			     is_half_way(word, shadow))))
			return (struct finding){ id, at };
		if (one && !finding.at) {
			finding = (struct finding){ one->id, at };
			left = left < past ? left : past;
		}
		if (one)
			continue;
		if (is_chained(shadow, id) &&
		    (walk_is_waiting(word) || is_half_way(word, shadow)))
			return (struct finding){ id, at };
		if (finding.at || !walk_is_waiting(word))
			continue;
		finding = (struct finding){ running_at(word, shadow, id), at };
		left = left < past ? left : past;
	}
	return finding;
}

/* A search for the callers of a function, from its slot outwards. */
struct caller_search {
	uint64_t at, end; /* the slots that are still to be read */
	uint64_t id;      /* of the next caller */
	int has_ended;    /* no caller of the last one is on this stack */
};

static void go_on(struct caller_search *callers, const struct shadow_slot *slot)
{
	callers->id = slot->caller_id;
	callers->has_ended = starts_is_first(slot->return_address);
}

/* Finds the next slot that may be the next caller's. */
static int find_next(struct caller_search *callers, uint64_t *page)
{
	for (; callers->at < callers->end; callers->at += 8) {
		const struct trampoline *one =
			walk_trampoline(callers->at, page);
		const struct shadow_slot *shadow = shadow_of(callers->at);

		if (one && one->id != callers->id &&
		    !is_chained(&one->slot, callers->id))
			continue;
		if (!one && (!shadow || !shadow->return_address ||
			     !walk_is_live(callers->at, page) ||
			     !is_chained(shadow, callers->id)))
			continue;
		go_on(callers, one ? &one->slot : shadow);
		callers->at += 8;
		return 1;
	}
	return 0;
}

/*
 * Returns whether the callers of the function with this slot have slots further
 * out, below `end`: LINKS_MIN of them, or all that are on this stack. Nothing
 * else than ids is compared, because a stale slot's return address may be in
 * code that was unmapped.
 */
static int has_callers(uint64_t at, uint64_t end, uint64_t *scan_left)
{
	struct caller_search callers = { .at = at + 8, .end = end };
	uint64_t page = at & ~(PAGE_BYTES - 1), last = at;

	if ((end - at) / 8 > *scan_left)
		return 0;
	go_on(&callers, shadow_of(at));
	for (int i = 0; i < LINKS_MIN; i++) {
		if (callers.id == ID_ROOT || callers.has_ended ||
		    walk_is_border(callers.id) ||
		    walk_may_be_slotless(callers.id))
			break;
		if (!find_next(&callers, &page)) {
			*scan_left -= (end - at) / 8;
			return walk_first_function(last, callers.id) != 0;
		}
		last = callers.at - 8;
	}
	return 1;
}

/*
 * A jump has left the function with the id that was searched for, and one of
 * its callers continues. On the thread's own stack, this function returns the
 * first one, from the slot at first.at outwards, whose callers have slots, too,
 * or which returns to a trampoline; if there is none, `first`. The frame of the
 * function that continues may contain stale slots, and words that clew's own
 * code has left there.
 */
static struct finding find_continuing(struct finding first, uint64_t slot,
				      uint64_t id)
{
	const uint64_t end = slot + (uint64_t)slots_to_scan(slot, 1) * 8;
	uint64_t page = first.at & ~(PAGE_BYTES - 1), left = CALLERS_SCAN;

	for (uint64_t at = first.at; at < end; at = pass_over(at + 8)) {
		const struct trampoline *one = walk_trampoline(at, &page);
		const struct shadow_slot *shadow = shadow_of(at);
		uint64_t word;

		if (one)
			return (struct finding){ one->id, at };
		if (shadow && shadow->return_address &&
		    walk_read(at, &page, &word) && walk_is_waiting(word) &&
		    has_callers(at, end, &left))
			return (struct finding){ running_at(word, shadow, id),
						 at };
	}
	return first;
}

static struct finding find_caller(uint64_t slot, uint64_t id)
{
	const struct finding first = find_id(slot, id);

	return first.at && first.id != id && walk_is_on_own_stack(slot)
		       ? find_continuing(first, slot, id)
		       : first;
}

/*
 * Returns the end of the alternate signal stack if the thread is on it, or 0.
 */
static uint64_t signal_stack_end(void)
{
	stack_t ss;

	if (sys_call(SYS_sigaltstack, 0, (long)&ss, 0, 0, 0, 0) ||
	    !(ss.ss_flags & SS_ONSTACK))
		return 0;
	return (uintptr_t)ss.ss_sp + ss.ss_size;
}

/*
 * Returns the id of the caller of the function at `slot`. This is `id`, unless
 * the stack shows another caller. Returns ID_ROOT if the beginning of the
 * thread's stack is known and near, and no hooked function is active up to it.
 */
static uint64_t true_caller(uint64_t slot, uint64_t id)
{
	struct finding finding = find_caller(slot, id);
	const uint64_t own_end = runtime_own_stack_end();
	uint64_t end;

	if (finding.at && finding.id == id)
		return id;
	end = signal_stack_end();
	if (end)
		return finding.at && finding.at < end ? finding.id : id;
	if (own_end > slot && own_end - slot < SCAN_MAX * sizeof(uint64_t) &&
	    (!finding.at || finding.at > own_end))
		/* The search found no function up to the thread's beginning. */
		return ID_ROOT;
	return finding.at ? finding.id : id;
}

/*
 * Returns whether the caller of this context is not checked: a recorded context
 * is taken to be right, and in some states the thread cannot check.
 */
static int is_settled(uint64_t id)
{
	return !hot.tally || hot.muted || runtime_is_filtered() ||
	       tally_note(hot.tally, id).word;
}

uint64_t hot_correct_caller(uint64_t *slot, uint64_t id)
{
	struct shadow_slot *shadow = shadow_of((uintptr_t)slot);
	uint64_t said = shadow->caller_id, caller;
	const struct trampoline *generated;

	if (said == ID_ROOT || (!hot.doubts_left && is_settled(id)))
		return id;
	if (walk_may_be_slotless(said) || walk_is_border(said)) {
		/* The caller has no stack slot and cannot be checked. */
		switch_doubt_less();
		return id;
	}
	generated = trampoline_at(shadow->return_address);
	if (generated && generated->id == said &&
	    generated->slot.caller_id ==
		    true_caller((uintptr_t)slot, generated->slot.caller_id)) {
		switch_doubt_less();
		return id;
	}
	caller = true_caller((uintptr_t)slot, said);
	if (caller == said) {
		switch_doubt_less();
		return id;
	}
	id = id_push(caller, id_key_between(said, id));
	shadow->caller_id = caller;
	hot.id = id;
	heal_cancel();
	return id;
}
