/* SPDX-License-Identifier: MIT */
/* See walk.h. */
#include "preload/stack/walk.h"
#include "machine/address_space.h"
#include "preload/record/numbers.h"

#include <stddef.h>

#include "preload/hot/count.h"
#include "preload/hot/recursion.h"
#include "preload/hot/runtime.h"
#include "preload/hot/tails.h"
#include "preload/hot/tally.h"
#include "preload/hot/thread.h"
#include "preload/hot/trampoline.h"
#include "preload/stack/lent.h"
#include "preload/stack/starts.h"
#include "preload/sys/own_code.h"
#include "preload/sys/signal_frame.h"
#include "preload/sys/sys.h"
#include "wire/id.h"

#define SCAN_MAX (8 << 20) /* stack slots that a walk reads: 64 MiB */
/* stack slots between two hooked functions: 1 MiB */
#define GAP_MAX    (1 << 17)
#define FIND_MAX   65536 /* stack slots up to the nearest function: 512 KiB */

#define NESTED_MAX 64

/*
 * How many links the chain that begins with an uncertain link must have for the
 * link to be accepted, unless the chain ends before (where recursion is folded).
 */
#define AHEAD_MAX 8

/*
 * A test of a link reads this many links more, so that the next links need no
 * test of their own.
 */
#define AHEAD_MORE 8

/* Maximum number of chains that walk_has_any_way() follows at once. */
#define WAYS_MAX 64
/* Maximum number of links of all chains that walk_has_any_way() follows. */
#define WAY_LINKS_MAX 1000

/*
 * Links behind which a test has found AHEAD_MAX further links, or the end of
 * the chain: a hash of the slot and of both ids. A walk clears the table before
 * it adds its first links. Walks of other threads may replace entries.
 */
#define KNOWN_LOG2 6
static uint64_t known_links[1 << KNOWN_LOG2];

static void set_id(struct walk *walk, uint64_t id)
{
	const struct tally *tally = hot.tally;

	walk->id = id;
	walk->is_jumped = tails_function(id) != 0;
	walk->is_folded = tally && tally->has_folds &&
			  tally_note(tally, id).function == WIRE_FOLDED;
}

struct walk walk_from(const void *slot, uint64_t id)
{
	struct walk walk = { .at = (uintptr_t)slot & ~UINT64_C(7),
			     .readable_from =
				     (uintptr_t)slot & ~(PAGE_BYTES - 1),
			     .scan_left = SCAN_MAX,
			     .ahead_left = SCAN_MAX };

	set_id(&walk, id);
	return walk;
}

void walk_trust_own_stack(struct walk *walk, const void *slot)
{
	const uint64_t end = runtime_own_stack_end();

	if (walk_is_on_own_stack((uintptr_t)slot))
		walk->readable_until = end ? end : rt.first_stack_end;
}

/*
 * Returns whether calls that are made in context `caller` count in the context
 * `folded`, a "(folded)" that stands for contexts without room: whether it
 * belongs to the caller or to one of the caller's callers.
 */
static int folds_into(uint64_t folded, uint64_t caller)
{
	const uint32_t depth = tally_note(hot.tally, folded).depth;
	const uint64_t above = id_pop(folded, id_key(WIRE_FOLDED));

	while (caller != folded && caller != above) {
		const union note note = tally_note(hot.tally, caller);

		if (note.depth < depth)
			return 0;
		caller = id_pop(caller, id_key(note.function));
	}
	return 1;
}

/*
 * Returns whether the address is in the memory that is known to be readable.
 * Code that a signal has interrupted may be on another stack.
 */
static int is_known(const struct walk *walk, uint64_t at)
{
	return at >= walk->readable_from && at < walk->readable_until;
}

static int read_word(const struct walk *walk, uint64_t at, uint64_t *known_page,
		     uint64_t *word)
{
	if (!is_known(walk, at))
		return walk_read(at, known_page, word);
	*word = *(const uint64_t *)at;
	return 1;
}

/*
 * Returns whether the function that was called with the slot at walk->at may be
 * `function`, which runs as walk->id. The slot's stub shows this, unless a
 * function that has jumped to `function` may own the slot.
 */
static int may_be_of(const struct walk *walk, uint32_t function)
{
	const struct trampoline *one;
	uint64_t page = walk->mapped_page, word;

	if (walk->is_jumped || !hot_tails_nest || lent_has(walk->at) ||
	    !read_word(walk, walk->at, &page, &word))
		return 1;
	one = trampoline_at(word);
	if (one && one->id)
		return one->id == walk->id;
	return !runtime_is_stub(word) ||
	       runtime_stub_key(word) == id_key(function);
}

static int is_link(const struct walk *walk, const struct shadow_slot *shadow,
		   uint32_t *function)
{
	if (!shadow->return_address)
		return 0;
	*function = numbers_function_step(shadow->caller_id, walk->id);
	if (!*function && walk->is_jumped)
		*function =
			numbers_function_jumped(shadow->caller_id, walk->id);
	if (*function)
		return 1;
	*function = recursion_function_of(walk->id);
	if (*function && may_be_of(walk, *function) &&
	    recursion_function_between(shadow->caller_id, walk->id))
		return 1;
	*function = WIRE_FOLDED;
	return walk->is_folded && folds_into(walk->id, shadow->caller_id);
}

/*
 * Returns whether an arbitrary word is the address of a signal restorer.
 * Returns false under a system call filter.
 */
static int is_restorer(uint64_t word)
{
	uint8_t code[SIGNAL_FRAME_RESTORER_BYTES];

	return !runtime_is_filtered() && word >= PAGE_BYTES &&
	       word < STACK_END && !sys_read_memory(word, code, sizeof(code)) &&
	       signal_frame_is_restorer((uintptr_t)code);
}

/*
 * Reads a word of a signal frame. Under a system call filter it cannot be
 * checked whether the word is readable; it is then read directly.
 */
static int read_frame(const struct walk *walk, uint64_t at,
		      uint64_t *known_page, uint64_t *word)
{
	if (!runtime_is_filtered())
		return read_word(walk, at, known_page, word);
	*word = *(const uint64_t *)at;
	return 1;
}

typedef int reader(const struct walk *walk, uint64_t at, uint64_t *known_page,
		   uint64_t *word);

/*
 * Returns whether there is a ucontext_t of a signal frame at this address. If
 * the handler's slot was stale, there is other data.
 */
static int is_context(const struct walk *walk, uint64_t context,
		      uint64_t *known_page, reader *read)
{
	uint64_t link, segments;

	return read(walk, context + SIGNAL_FRAME_LINK_AT, known_page, &link) &&
	       !link &&
	       read(walk, context + SIGNAL_FRAME_SEGMENTS_AT, known_page,
		    &segments) &&
	       signal_frame_is_context(link, segments);
}

/*
 * A second signal may have interrupted the handler of a first one before that
 * handler was in the chain, or after it had left the chain. Returns the address
 * of the first signal's ucontext_t, or 0 if no such handler was interrupted.
 * `pc` and `stack` are the registers that the second signal interrupted.
 */
static uint64_t find_outer_signal(const struct walk *walk, uint64_t pc,
				  uint64_t stack)
{
	const struct shadow_slot *shadow = shadow_of(stack - 8);
	uint64_t page = 0, context = 0, word;
	uint32_t function;

	if (is_restorer(pc) || is_restorer(pc - SIGNAL_FRAME_CALL_AT))
		context = stack;
	else if (walk_read(stack, &page, &word) && is_restorer(word))
		context = stack + 8;
	else if (shadow && runtime_is_stub(pc) &&
		 is_restorer(shadow->return_address) &&
		 !is_link(walk, shadow, &function))
		context = stack;
	return context && is_context(walk, context, &page, read_frame) ? context
								       : 0;
}

/*
 * Returns whether pc is in a stub, trampoline or thunk. While a function is
 * entered or left there, its slot need not contain the address of a stub's
 * exit, although the return address is in the shadow already, or still.
 */
static int is_half_way(uint64_t pc)
{
	return runtime_is_stub(pc) || trampoline_is_pc(pc) ||
	       (pc >= (uintptr_t)hot_thunks && pc < (uintptr_t)hot_thunks_end);
}

/*
 * Continues a walk behind a signal frame, at the stack pointer of the
 * interrupted code. If that code is a stub, its function's slot is at this
 * stack pointer or up to 16 bytes below.
 */
static void enter_interrupted_stack(struct walk *walk)
{
	uint64_t context = walk->at + 8, page = 0, pc = 0, stack = 0;

	for (int i = 0; context && i < NESTED_MAX; i++) {
		if (!read_frame(walk, context + SIGNAL_FRAME_STACK_AT, &page,
				&stack) ||
		    !read_frame(walk, context + SIGNAL_FRAME_PC_AT, &page, &pc))
			break;
		context = find_outer_signal(walk, pc, stack);
	}
	walk->is_in_clew = is_half_way(pc) || own_code_is_library(pc);
	walk->interrupted_pc = pc;
	walk->interrupted_until = stack & ~UINT64_C(7);
	walk->at = walk->interrupted_until;
	if (is_half_way(pc)) {
		walk->at -= 16;
		walk->interrupted_until += 8;
	}
}

/*
 * Returns whether clew's slow path may be entering or leaving the next function
 * outwards.
 */
static int is_in_slow_path(const struct walk *walk)
{
	return !walk->has_begun || walk->is_in_clew;
}

/*
 * Returns whether a stack slot belongs to a running function: it has a stub's
 * address, a return address on loan (lent.h), or the real return address while
 * a slow path handles the function. If the slot cannot be read because of a
 * system call filter, its shadow alone decides.
 */
static int is_live(struct walk *walk, const struct shadow_slot *shadow)
{
	uint64_t word;

	if (lent_has(walk->at))
		return 1;
	if (!read_word(walk, walk->at, &walk->mapped_page, &word)) {
		walk->is_believed = runtime_is_filtered();
		return walk->is_believed;
	}
	return runtime_is_stub(word) ||
	       (is_in_slow_path(walk) && word == shadow->return_address);
}

static int may_be_live(uint64_t at, uint64_t word)
{
	return walk_is_waiting(word) || lent_has(at);
}

static uint64_t first_waiting(uint64_t at, uint64_t until)
{
	while (at < until && !may_be_live(at, *(const uint64_t *)at))
		at += 8;
	return at;
}

/*
 * Skips stack words that are not the address of a stub, as most are, as far as
 * the stack can be read.
 */
static void skip_dead(struct walk *walk)
{
	const uint64_t last = walk->at + (walk->gap_left - 1) * UINT64_C(8);
	uint64_t at = walk->at, word;
	uint32_t passed;

	if (at < walk->interrupted_until || is_in_slow_path(walk))
		return;
	if (is_known(walk, at))
		at = first_waiting(at, last < walk->readable_until
					       ? last
					       : walk->readable_until);
	if (!is_known(walk, at) && !runtime_is_filtered())
		at = walk_scan(at, last, &walk->mapped_page, may_be_live,
			       &word);
	passed = (uint32_t)((at - walk->at) / 8);
	walk->at = at;
	walk->gap_left -= passed;
	walk->scan_left -= passed;
}

/*
 * Returns the trampoline to which the function of this slot returns, or NULL.
 */
static const struct trampoline *trampoline_here(struct walk *walk,
						uint64_t *word)
{
	const struct trampoline *one;

	if (!rt.trampolines ||
	    !read_word(walk, walk->at, &walk->mapped_page, word))
		return NULL;
	one = trampoline_at(*word);
	return one && one->id ? one : NULL;
}

/*
 * If the slot holds a trampoline, the link is in its record, and the shadow may
 * be stale. The shadow also has the link while a function that returns to a
 * trampoline is being entered or left.
 */
static struct shadow_slot *link_here(struct walk *walk, uint32_t *function)
{
	uint64_t word = 0;
	const struct trampoline *one = trampoline_here(walk, &word);
	struct shadow_slot *shadow;

	if (one && is_link(walk, &one->slot, function))
		return (struct shadow_slot *)&one->slot;
	shadow = shadow_of(walk->at);
	if (one && shadow && shadow->return_address != word)
		return NULL;
	return shadow && is_link(walk, shadow, function) ? shadow : NULL;
}

/*
 * Returns whether the page that was read last is that of walk->at and was not
 * readable, so that the stack has ended.
 */
static int is_past_end(const struct walk *walk)
{
	return walk->mapped_page ==
	       ((walk->at & ~(PAGE_BYTES - 1)) | WALK_MISSING);
}

/*
 * Returns whether a link is complete: if a signal has entered its function, the
 * signal frame lies above, and the walk continues at the interrupted code.
 */
static int is_whole(struct walk *walk, const struct shadow_slot *shadow)
{
	uint64_t page = 0;

	walk->is_handler = !walk->is_believed &&
			   signal_frame_is_restorer(shadow->return_address);
	return !walk->is_handler ||
	       is_context(walk, walk->at + 8, &page, read_frame);
}

static struct shadow_slot *find_link(struct walk *walk, uint32_t *function,
				     int need_live);

/* Returns whether a check of a chain may end at the link at walk->at. */
static int is_end(const struct walk *walk, const struct shadow_slot *shadow)
{
	return walk->is_handler || shadow->caller_id == ID_ROOT ||
	       trampoline_at(shadow->return_address) ||
	       starts_is_first(shadow->return_address) ||
	       walk_is_slotless(shadow->caller_id);
}

static void go_behind(struct walk *walk, const struct shadow_slot *shadow)
{
	set_id(walk, shadow->caller_id);
	walk->has_begun = 1;
	walk->is_in_clew = 0;
	walk->at += 8;
}

/* A chain that is being tested. */
struct tested_chain {
	/* the links, and the id of the last one's caller */
	struct {
		uint64_t at, id;
	} links[AHEAD_MAX + AHEAD_MORE + 1];
	unsigned int count;
	int has_ended; /* the chain ends behind these links */
};

static uint64_t hash_of_link(uint64_t at, uint64_t id, uint64_t caller)
{
	uint64_t hash = at * UINT64_C(0x9e3779b97f4a7c15) + id;

	hash = (hash ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9) + caller;
	return hash ^ hash >> 32;
}

static int is_known_link(const struct walk *walk, uint64_t caller)
{
	const uint64_t hash = hash_of_link(walk->at, walk->id, caller);

	return walk->has_known &&
	       known_links[hash >> (64 - KNOWN_LOG2)] == hash;
}

/* Keeps those links of a chain that are followed by enough others. */
static void keep_known(struct walk *walk, const struct tested_chain *chain)
{
	if (!walk->has_known)
		for (int i = 0; i < 1 << KNOWN_LOG2; i++)
			known_links[i] = 0;
	walk->has_known = 1;
	for (unsigned int i = 1; i < chain->count; i++) {
		const uint64_t hash =
			hash_of_link(chain->links[i].at, chain->links[i].id,
				     chain->links[i + 1].id);

		if (chain->has_ended || i + AHEAD_MAX <= chain->count)
			known_links[hash >> (64 - KNOWN_LOG2)] = hash;
	}
}

static void add_link(struct tested_chain *chain, struct walk *beyond,
		     const struct shadow_slot *shadow)
{
	chain->links[chain->count].at = beyond->at;
	chain->links[chain->count++].id = beyond->id;
	chain->links[chain->count].id = shadow->caller_id;
	go_behind(beyond, shadow);
}

/*
 * Returns whether a chain of AHEAD_MAX links, or of all up to its end, begins
 * with the link at `beyond`. The chain also ends at the first function of a
 * stack (walk_first_function()). If no link follows a link of the chain,
 * another link is searched in its place: further out, in a slot with another
 * caller. Up to AHEAD_MORE further links are added if they follow.
 */
static int leads_from(struct walk *beyond, const struct shadow_slot *shadow,
		      struct tested_chain *chain)
{
	uint32_t function;

	while (!is_end(beyond, shadow)) {
		add_link(chain, beyond, shadow);
		if (chain->count == AHEAD_MAX + AHEAD_MORE)
			return 1;
		while (!(shadow = find_link(beyond, &function, 1))) {
			if (walk_first_function(
				    chain->links[chain->count - 1].at + 8,
				    beyond->id)) {
				chain->has_ended = 1;
				return 1;
			}
			if (chain->count >= AHEAD_MAX)
				return 1;
			if (--chain->count == 0)
				return 0;
			beyond->broken_at = beyond->id;
			beyond->at = chain->links[chain->count].at + 8;
			set_id(beyond, chain->links[chain->count].id);
		}
	}
	add_link(chain, beyond, shadow);
	chain->has_ended = 1;
	return 1;
}

/*
 * Returns whether a chain follows from the link at walk->at. The slots that
 * this test reads do not count in scan_left, because some walks limit by it
 * which part of the stack they read. If the tests read too many slots, this
 * function ends the walk.
 */
static int leads_on(struct walk *walk, const struct shadow_slot *shadow)
{
	struct walk beyond = *walk;
	struct tested_chain chain;
	uint32_t passed;
	int leads;

	beyond.is_ahead = 1;
	chain.count = 0;
	chain.has_ended = 0;
	leads = leads_from(&beyond, shadow, &chain);
	if (leads)
		keep_known(walk, &chain);
	passed = walk->scan_left - beyond.scan_left;
	if (passed < walk->ahead_left)
		walk->ahead_left -= passed;
	else
		walk->ahead_left = walk->scan_left = walk->gap_left = 0;
	return leads;
}

/*
 * Returns whether a link is valid. Where recursion is folded a stale slot of an
 * earlier call can look like a link, because the ids of a callee and its caller
 * need not yield the callee's key. Such a link is accepted if a chain continues
 * from it.
 */
static int is_sure(struct walk *walk, const struct shadow_slot *shadow)
{
	const uint64_t caller = shadow->caller_id;
	uint32_t function;

	if (caller != ID_ROOT && caller == walk->broken_at)
		return 0;
	if (walk->is_ahead || !walk->id ||
	    id_key_function(id_key_between(caller, walk->id), &function) ||
	    is_known_link(walk, caller) || leads_on(walk, shadow))
		return 1;
	walk->broken_at = caller;
	return 0;
}

static struct shadow_slot *find_link(struct walk *walk, uint32_t *function,
				     int need_live)
{
	const uint32_t gap = walk->gap_max ? walk->gap_max : GAP_MAX;

	walk->gap_left = walk->scan_left < gap ? walk->scan_left : gap;
	for (; walk->at < STACK_END && walk->gap_left; walk->at += 8) {
		struct shadow_slot *shadow;

		if (need_live)
			skip_dead(walk);
		shadow = link_here(walk, function);
		walk->scan_left--;
		walk->gap_left--;
		if (is_past_end(walk))
			return NULL;
		if (!shadow)
			continue;
		if ((!need_live || walk->at < walk->interrupted_until ||
		     trampoline_has(shadow) || is_live(walk, shadow)) &&
		    is_whole(walk, shadow) &&
		    (!hot_recursion_folds || is_sure(walk, shadow)))
			return shadow;
	}
	return NULL;
}

/*
 * Returns the shadow slot at walk->at if it continues one of the chains, whose
 * present ids are in ways[], else NULL.
 */
static const struct shadow_slot *find_way(struct walk *walk,
					  const uint64_t *ways, uint32_t count)
{
	uint32_t function;

	for (uint32_t i = 0; i < count; i++) {
		struct shadow_slot *shadow;

		set_id(walk, ways[i]);
		shadow = link_here(walk, &function);
		if (shadow && (trampoline_has(shadow) || is_live(walk, shadow)))
			return shadow;
	}
	return NULL;
}

static int has_way(const uint64_t *ways, uint32_t count, uint64_t id)
{
	while (count-- > 0)
		if (ways[count] == id)
			return 1;
	return 0;
}

/*
 * Returns whether it is certain that the word at walk->at is neither the
 * address of a stub or trampoline nor a loan, so that it can be skipped
 * whatever id is searched.
 */
static int is_nobodys(const struct walk *walk)
{
	return walk->has_begun && is_known(walk, walk->at) &&
	       !walk_is_waiting(*(const uint64_t *)walk->at) &&
	       !lent_has(walk->at);
}

enum walk_ways walk_has_any_way(const void *slot, uint64_t id,
				walk_start *is_start, uint64_t *end)
{
	struct walk walk = walk_from(slot, id);
	uint64_t ways[WAYS_MAX];
	uint32_t count = 0, gap = 0, links = 0;
	enum walk_ways found = WALK_HAS_NO_WAY;

	ways[count++] = id;
	walk_trust_own_stack(&walk, slot);
	for (; walk.at < STACK_END && walk.scan_left-- && gap++ < GAP_MAX;
	     walk.at += 8) {
		const struct shadow_slot *shadow;
		uint64_t caller;

		if (is_nobodys(&walk))
			continue;
		shadow = find_way(&walk, ways, count);
		if (is_past_end(&walk))
			break;
		if (!shadow)
			continue;
		gap = 0;
		if (++links > WAY_LINKS_MAX)
			return found == WALK_HAS_WAY ? found
						     : WALK_HAS_TOO_MANY;
		walk.has_begun = 1;
		walk.is_handler =
			signal_frame_is_restorer(shadow->return_address);
		caller = shadow->caller_id;
		if (is_end(&walk, shadow)) {
			*end = caller;
			return WALK_HAS_WAY;
		}
		if (found != WALK_HAS_WAY && is_start(walk.at, caller)) {
			*end = caller;
			found = WALK_HAS_WAY;
		}
		if (has_way(ways, count, caller))
			continue;
		if (count < WAYS_MAX)
			ways[count++] = caller;
		else if (found == WALK_HAS_NO_WAY)
			found = WALK_HAS_TOO_MANY;
	}
	return found;
}

/*
 * Finds the link of the generated code that has called the last link's
 * function. Returns 0 if there is none. Generated code has no slot of its own;
 * the trampoline to which that function returns stands for it.
 */
static int take_generated(struct walk *walk, struct link *link)
{
	const struct trampoline *one = walk->generated;

	walk->generated = NULL;
	if (!one || one->id != walk->id)
		return 0;
	link->at = walk->at - 8;
	link->shadow = (struct shadow_slot *)&one->slot;
	link->function =
		numbers_function_between(one->slot.caller_id, walk->id);
	if (!link->function)
		return 0;
	set_id(walk, one->slot.caller_id);
	return 1;
}

static uint32_t slotless_function(uint64_t id)
{
	return rt.slotless_function ? rt.slotless_function(id) : 0;
}

int walk_is_slotless(uint64_t id)
{
	return slotless_function(id) != 0;
}

int walk_may_be_slotless(uint64_t id)
{
	return walk_is_slotless(id) || (rt.slotless_function && hot.tally &&
					!tally_note(hot.tally, id).word);
}

int walk_is_border(uint64_t id)
{
	return hot.aside && hot.aside->border.id == id && id != ID_ROOT;
}

static int take_slotless(struct walk *walk, struct link *link)
{
	link->function = slotless_function(walk->id);
	if (!link->function)
		return 0;
	walk->slotless = (struct shadow_slot){
		.caller_id = id_pop(walk->id, id_key(link->function)),
	};
	link->at = WALK_NO_SLOT;
	link->shadow = &walk->slotless;
	walk->has_begun = 1;
	set_id(walk, walk->slotless.caller_id);
	return 1;
}

/*
 * Continues the walk beyond the present slot, with the caller of the function
 * that the slot belongs to.
 */
static void leave_slot(struct walk *walk, uint64_t caller)
{
	set_id(walk, caller);
	if (walk->is_handler)
		enter_interrupted_stack(walk);
	else
		walk->at += 8;
}

/*
 * Continues the walk with the function that has made a tail call to the link's
 * function, if there is one; otherwise beyond the slot.
 */
static void go_on(struct walk *walk, const struct link *link, uint64_t caller)
{
	const uint64_t jumped = id_pop(link->id, id_key(link->function));

	walk->is_in_clew = 0;
	if (link->function == WIRE_FOLDED || !walk->is_jumped ||
	    caller == jumped || recursion_function_between(caller, link->id)) {
		walk->chain = NULL;
		leave_slot(walk, caller);
		return;
	}
	walk->chain = link->shadow;
	walk->chain_caller = caller;
	set_id(walk, jumped);
}

/*
 * Finds the link of the function that has made a tail call to the last link's
 * function. Returns 0 if there is none. The caller's id is that of the last
 * link, because the landing of an exception may have changed the slot meanwhile
 * (stack/landing_unwound.c).
 */
static int take_jumped(struct walk *walk, struct link *link)
{
	const uint64_t caller = walk->chain_caller;

	if (!walk->chain)
		return 0;
	*link = (struct link){ .at = walk->at,
			       .id = walk->id,
			       .shadow = walk->chain,
			       .has_jumped = 1 };
	link->function = numbers_function_step(caller, walk->id);
	if (!link->function)
		link->function = recursion_function_between(caller, walk->id);
	if (!link->function)
		link->function = tails_function(walk->id);
	if (!link->function)
		return 0;
	go_on(walk, link, caller);
	return 1;
}

int walk_next(struct walk *walk, struct link *link)
{
	uint64_t start = walk->at;

	if (walk->id == ID_ROOT)
		return 0;
	if (take_jumped(walk, link))
		return 1;
	link->id = walk->id;
	link->has_jumped = 0;
	walk->is_believed = 0;
	walk->broken_at = ID_ROOT;
	if (take_generated(walk, link) || take_slotless(walk, link))
		return 1;
	link->shadow = find_link(walk, &link->function, 1);
	if (!link->shadow && !walk->has_begun) {
		/*
		 * A signal handler that is not hooked may have interrupted a
		 * stub, whose slot then holds no stub's address.
		 */
		walk->at = start;
		link->shadow = find_link(walk, &link->function, 0);
	}
	if (!link->shadow)
		return 0;
	walk->has_begun = 1;
	walk->generated = trampoline_at(link->shadow->return_address);
	link->at = walk->at;
	go_on(walk, link, link->shadow->caller_id);
	return 1;
}

/*
 * Returns whether the slot has the address of this function's own stub, and not
 * that of a function that has made a tail call to it.
 */
static int is_own(uint64_t at, uint64_t word, uint32_t function)
{
	return lent_has(at) || (runtime_is_stub(word) &&
				runtime_stub_key(word) == id_key(function));
}

void walk_take_outermost(struct walk *walk, struct link *link)
{
	const uint64_t end = link->at + WALK_FRAME_BYTES;
	uint64_t page = 0, word;
	uint32_t caller;

	if (link->at == WALK_NO_SLOT || trampoline_has(link->shadow) ||
	    walk->is_believed || walk->is_folded || walk->chain ||
	    link->has_jumped)
		return;
	for (uint64_t at = link->at + 8; at < end; at += 8) {
		struct shadow_slot *shadow;

		if (!read_word(walk, at, &page, &word))
			return;
		if (!runtime_is_stub(word) && !lent_has(at))
			continue;
		shadow = shadow_of(at);
		if (!shadow || !shadow->return_address)
			continue;
		if (shadow->caller_id == walk->id &&
		    is_own(at, word, link->function)) {
			link->at = at;
			link->shadow = shadow;
			walk->at = at + 8;
			continue;
		}
		caller = numbers_function_between(shadow->caller_id, walk->id);
		if (caller && is_own(at, word, caller))
			return;
	}
}

/*
 * Searches for a signal frame. Returns the address of the frame's return
 * address, which leads to a signal restorer (code that calls sigreturn), or 0.
 */
static uint64_t find_signal(const struct walk *walk, uint64_t at, uint64_t end)
{
	uint64_t page = 0, word;

	for (; at < end; at += 8) {
		if (!read_word(walk, at, &page, &word))
			return 0;
		if (is_context(walk, at + 8, &page, read_word) &&
		    is_restorer(word))
			return at;
	}
	return 0;
}

/*
 * If no link follows a signal frame, the frame is taken for a stale one, and
 * the search continues.
 */
int walk_next_interrupted(struct walk *walk, uint64_t at, struct link *link,
			  uint64_t *pc)
{
	const uint64_t end = at + WALK_FRAME_BYTES;

	while ((at = find_signal(walk, at + 8, end))) {
		struct walk beyond = *walk;

		beyond.at = at;
		enter_interrupted_stack(&beyond);
		if (pc)
			*pc = beyond.is_in_clew ? beyond.interrupted_pc : 0;
		if (walk_next(&beyond, link)) {
			*walk = beyond;
			return 1;
		}
	}
	return 0;
}

uint64_t walk_interrupted_pc(const struct walk *walk, uint64_t at,
			     uint64_t until)
{
	struct walk beyond = *walk;

	while ((at = find_signal(walk, at + 8, until))) {
		beyond.at = at;
		enter_interrupted_stack(&beyond);
		if (beyond.is_in_clew)
			return beyond.interrupted_pc;
	}
	return 0;
}

uint64_t walk_running_as(uint64_t caller, uint64_t key)
{
	const struct tally *tally = hot.tally;
	const uint64_t id = recursion_runs_as(caller, id_push(caller, key));
	uint64_t folded = caller;

	if (!tally || !tally->has_folds || tally_note(tally, id).word)
		return id;
	if (tally_note(tally, caller).function != WIRE_FOLDED)
		folded = id_push(caller, id_key(WIRE_FOLDED));
	return tally_note(tally, folded).word ? folded : id;
}

int walk_find_running(uint64_t stack, uint64_t *id)
{
	/* The page of the return address that belongs to this stack pointer. */
	uint64_t page = (stack - 8) & ~(PAGE_BYTES - 1), word;

	for (uint64_t n = 0; n < FIND_MAX; n++, stack += 8) {
		const struct shadow_slot *shadow = shadow_of(stack);
		const struct trampoline *one = walk_trampoline(stack, &page);

		if (one) {
			*id = one->id;
			return 1;
		}
		if (!shadow || !shadow->return_address ||
		    !walk_read(stack, &page, &word) || !walk_is_waiting(word))
			continue;
		*id = walk_running_as(shadow->caller_id,
				      runtime_stub_key(word));
		return 1;
	}
	return 0;
}
