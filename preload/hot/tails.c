/* SPDX-License-Identifier: MIT */
/* See tails.h. */
#include "preload/hot/tails.h"

#include <stddef.h>

#include "preload/hot/large_table.h"
#include "preload/hot/recursion.h"
#include "preload/hot/runtime.h"
#include "preload/hot/shadow.h"
#include "preload/hot/tally.h"
#include "preload/hot/thread.h"
#include "preload/hot/trampoline.h"
#include "preload/hot/upcalls.h"
#include "wire/counts.h"
#include "wire/id.h"

/*
 * The contexts that were reached by a jump are in a few levels of hash tables.
 * Each level is larger than the one before. When a level is half full, the next
 * one is used. When all are, the tallies know the rest (function_in_tally()).
 */
#define LEVEL_LEAST_LOG2 12
#define LEVEL_STEP_LOG2  2
#define LEVELS           6 /* 85 MiB: 2.8 million contexts */

/*
 * Maximum number of jumps that are followed. A chain can be longer than
 * TAILS_CHAIN_MAX, because contexts that were recorded at two slots can form
 * one chain.
 */
#define FOLLOWED_MAX (4 * TAILS_CHAIN_MAX)

/* Claimed by storing the function, and valid once the id is stored. */
struct tail_context {
	uint64_t id;
	uint32_t function;
	uint32_t pad;
};

/* The result of following a chain of jumps. */
struct tail_chain {
	uint64_t owner;
	uint32_t owner_function;
	uint32_t jumps;
	int has_function; /* whether the chain contains the function `sought` */
};

#define ON_PAGES LARGE_TABLE __attribute__((aligned(4096)))

uint32_t hot_tail_cuts[2 << TAIL_CUTS_LOG2] ON_PAGES;
uint64_t hot_tail_known[1 << TAIL_KNOWN_LOG2] ON_PAGES;
uint64_t hot_tail_loops[1 << TAIL_LOOPS_LOG2] ON_PAGES;
uint32_t hot_tails_nest = 1;

static struct tail_context first_level[1 << LEVEL_LEAST_LOG2] ON_PAGES;

/*
 * Each level is mapped once, by any thread, and never unmapped. `used` only
 * grows, except in tails_forget().
 */
static struct {
	struct tail_context *contexts;
	uint32_t used;
} levels[LEVELS] = { { .contexts = first_level } };

/* Whether a context was left out, because no level has room for it. */
static uint32_t has_left_out;

/* ---- The table ---- */

static uint64_t mask_of(unsigned int level)
{
	return (UINT64_C(1) << (LEVEL_LEAST_LOG2 + level * LEVEL_STEP_LOG2)) -
	       1;
}

static struct tail_context *contexts_of(unsigned int level)
{
	return __atomic_load_n(&levels[level].contexts, __ATOMIC_ACQUIRE);
}

static const struct tail_context *find_in(unsigned int level, uint64_t id)
{
	const struct tail_context *contexts = contexts_of(level);
	uint64_t i = id >> 16 & mask_of(level);

	for (; contexts[i].function; i = (i + 1) & mask_of(level))
		if (__atomic_load_n(&contexts[i].id, __ATOMIC_ACQUIRE) == id)
			return &contexts[i];
	return NULL;
}

/*
 * Returns the function of a context without room in the levels, or 0: jumps to
 * this context have their own entry in the tally of each thread that has made
 * one.
 */
static uint32_t function_in_tally(uint64_t id)
{
	const struct tally *tally = hot.tally;

	return tally ? tally_note(tally, wire_tail_id(id)).function : 0;
}

uint32_t tails_function(uint64_t id)
{
	if (!hot_tails_nest || id == ID_ROOT)
		return 0;
	for (unsigned int i = 0; i < LEVELS && contexts_of(i); i++) {
		const struct tail_context *found = find_in(i, id);

		if (found)
			return found->function;
	}
	return __atomic_load_n(&has_left_out, __ATOMIC_RELAXED)
		       ? function_in_tally(id)
		       : 0;
}

/*
 * Maps a level unless it is mapped, or another thread maps it meanwhile.
 * Returns 0 if there is no memory.
 */
static int open_level(unsigned int level)
{
	struct tail_context *none = NULL, *made;
	const uint64_t bytes = (mask_of(level) + 1) * sizeof(*made);

	if (contexts_of(level))
		return 1;
	made = hot_map_tails(bytes);
	if (!made)
		return 0;
	if (!__atomic_compare_exchange_n(&levels[level].contexts, &none, made,
					 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		hot_unmap_tails(made, bytes);
	return 1;
}

/* Adds a context to a level. Returns 0 if half of the level is in use. */
static int keep_in(unsigned int level, uint64_t id, uint32_t function)
{
	struct tail_context *contexts = contexts_of(level);
	uint64_t i = id >> 16 & mask_of(level);
	uint32_t none = 0;

	if (__atomic_fetch_add(&levels[level].used, 1, __ATOMIC_RELAXED) >
	    mask_of(level) / 2) {
		__atomic_fetch_sub(&levels[level].used, 1, __ATOMIC_RELAXED);
		return 0;
	}
	while (!__atomic_compare_exchange_n(&contexts[i].function, &none,
					    function, 0, __ATOMIC_ACQ_REL,
					    __ATOMIC_RELAXED)) {
		none = 0;
		i = (i + 1) & mask_of(level);
	}
	__atomic_store_n(&contexts[i].id, id, __ATOMIC_RELEASE);
	return 1;
}

static int keep(uint64_t id, uint32_t function)
{
	for (unsigned int i = 0; i < LEVELS && open_level(i); i++)
		if (keep_in(i, id, function))
			return 1;
	__atomic_store_n(&has_left_out, 1, __ATOMIC_RELAXED);
	return 0;
}

void tails_forget(void (*zero)(void *pages, uint64_t bytes))
{
	zero(hot_tail_cuts, sizeof(hot_tail_cuts));
	zero(hot_tail_known, sizeof(hot_tail_known));
	zero(hot_tail_loops, sizeof(hot_tail_loops));
	if (has_left_out) /* a store would allocate a page */
		__atomic_store_n(&has_left_out, 0, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < LEVELS && contexts_of(i); i++) {
		zero(contexts_of(i),
		     (mask_of(i) + 1) * sizeof(struct tail_context));
		if (levels[i].used) /* a store would allocate a page */
			__atomic_store_n(&levels[i].used, 0, __ATOMIC_RELAXED);
	}
}

void tails_move(uint64_t id, uint32_t function)
{
	if (hot_tails_nest && id != ID_ROOT && function && !tails_function(id))
		keep(id, function);
}

/* ---- Chains ---- */

/*
 * Returns the function that runs with the id `id` at a slot whose owner was
 * called by `caller`, or 0. Sets *is_owner to whether this function is the
 * owner itself. An owner that is a recursive call may run in the context of an
 * outer call (recursion.h).
 */
static uint32_t function_at(uint64_t caller, uint64_t id, int *is_owner)
{
	uint32_t function;

	*is_owner = id_key_function(id_key_between(caller, id), &function);
	if (*is_owner)
		return function;
	function = recursion_function_between(caller, id);
	*is_owner = function != 0;
	return *is_owner ? function : tails_function(id);
}

/*
 * Follows a chain of jumps backwards, from the function that runs with the id
 * `id` to the owner of the slot, which was called by `caller`. Returns 0 if no
 * chain leads to an owner.
 */
static int follow(struct tail_chain *chain, uint64_t caller, uint64_t id,
		  uint32_t sought)
{
	*chain = (struct tail_chain){ 0 };
	for (; chain->jumps < FOLLOWED_MAX; chain->jumps++) {
		int is_owner;
		const uint32_t function = function_at(caller, id, &is_owner);

		if (!function)
			return 0;
		chain->has_function |= function == sought;
		if (is_owner) {
			chain->owner = id;
			chain->owner_function = function;
			return 1;
		}
		id = id_pop(id, id_key(function));
	}
	return 0;
}

uint64_t tails_owner(uint64_t caller, uint64_t id)
{
	struct tail_chain chain;

	return follow(&chain, caller, id, 0) ? chain.owner : ID_ROOT;
}

int tails_share_slot(uint64_t caller, uint64_t one, uint64_t other)
{
	const uint64_t owner = tails_owner(caller, one);

	return one == other ||
	       (owner != ID_ROOT && owner == tails_owner(caller, other));
}

uint64_t tails_caller_at(const uint64_t *slot)
{
	const struct trampoline *one = trampoline_at(*slot);

	return one ? one->slot.caller_id
		   : shadow_of((uintptr_t)slot)->caller_id;
}

uint64_t tails_caller(uint64_t caller, uint64_t id)
{
	int is_owner;
	const uint32_t function = function_at(caller, id, &is_owner);

	return function && !is_owner ? id_pop(id, id_key(function)) : caller;
}

uint64_t tails_key(uint64_t caller, uint64_t id)
{
	int is_owner;
	const uint32_t function = function_at(caller, id, &is_owner);

	return function ? id_key(function) : id_key_between(caller, id);
}

static uint32_t *cuts_of(uint64_t key)
{
	return &hot_tail_cuts[2 * ((uint32_t)key >> (32 - TAIL_CUTS_LOG2))];
}

static int is_cut(uint64_t key)
{
	const uint32_t *cuts = cuts_of(key);

	return cuts[0] == (uint32_t)key || cuts[1] == (uint32_t)key;
}

/*
 * Stores that a function is cut. There is room for two keys with the same hash;
 * a third one replaces the second, which is then no longer cut.
 */
static void cut(uint64_t key)
{
	uint32_t *cuts = cuts_of(key);

	if (cuts[0])
		__atomic_store_n(&cuts[1], (uint32_t)key, __ATOMIC_RELAXED);
	else
		__atomic_store_n(&cuts[0], (uint32_t)key, __ATOMIC_RELAXED);
}

void tails_begin(int nest)
{
	const uint32_t count = sizeof(hot_tail_cuts) / sizeof(*hot_tail_cuts);

	if (hot_tails_nest !=
	    (uint32_t)nest) /* a store would allocate a page */
		hot_tails_nest = (uint32_t)nest;
	for (uint32_t i = 0; rt.is_late && i < count; i++)
		if (hot_tail_cuts[i])
			__atomic_store_n(&hot_tail_cuts[i], 0,
					 __ATOMIC_RELAXED);
}

/* ---- Jumps ---- */

/*
 * Enters a recorded context into hot_tail_known, so that the thunk need not
 * check it again.
 */
static struct tail_step admit(uint64_t id, uint64_t word)
{
	__atomic_store_n(&hot_tail_known[id >> (64 - TAIL_KNOWN_LOG2)], id,
			 __ATOMIC_RELAXED);
	return (struct tail_step){ id, word };
}

/*
 * Returns the result for a function that takes the place of the slot's owner
 * (the function that was called with this slot): it counts below the owner's
 * caller. The context is recorded as one that was reached by a jump, because
 * the function that runs with the id `caller` may itself jump to this function
 * at another slot. The stub then finds this context in the count table.
 */
static struct tail_step replace(uint64_t caller, uint64_t key, int loops)
{
	const uint64_t id = id_push(caller, key);
	uint32_t function;

	if (loops && id == hot.id)
		return (struct tail_step){ id, 0 };
	if (hot_tails_nest && id_key_function(key, &function) &&
	    (tails_function(id) || keep(id, function)))
		return admit(id, TRACE_TAIL_WORD);
	return (struct tail_step){ id, TRACE_TAIL_WORD };
}

static struct tail_step below_owner(const struct tail_chain *chain,
				    uint64_t caller, uint64_t key, int loops)
{
	const uint64_t id = id_push(chain->owner, key);
	uint32_t function;

	if (id_key(chain->owner_function) == key)
		return replace(caller, key, loops);
	if (loops && id == hot.id)
		return (struct tail_step){ id, 0 };
	if (!id_key_function(key, &function) ||
	    (!tails_function(id) && !keep(id, function)))
		return replace(caller, key, loops);
	return admit(id, TRACE_TAIL_OUT_WORD);
}

struct tail_step hot_tail_step(const uint64_t *slot, const uint8_t *stub)
{
	const uint64_t caller = tails_caller_at(slot);
	const uint64_t key = runtime_stub_key((uintptr_t)stub);
	const uint64_t id = id_push(hot.id, key);
	const int loops = stub[STUB_LOOPS_AT];
	struct tail_chain chain;
	uint32_t function = 0;

	if (!hot_tails_nest || !id_key_function(key, &function) ||
	    !follow(&chain, caller, hot.id, function))
		return replace(caller, key, loops);
	if (loops && (tails_function(hot.id) == function ||
		      (!chain.jumps && chain.owner_function == function))) {
		__atomic_store_n(&hot_tail_loops[id >> (64 - TAIL_LOOPS_LOG2)],
				 id, __ATOMIC_RELAXED);
		return (struct tail_step){ hot.id, 0 };
	}
	if (tails_function(id))
		return admit(id, TRACE_TAIL_BELOW_WORD);
	if (chain.has_function && !is_cut(key))
		cut(key);
	if (is_cut(key) || chain.jumps >= TAILS_CHAIN_MAX)
		return below_owner(&chain, caller, key, loops);
	return keep(id, function) ? admit(id, TRACE_TAIL_BELOW_WORD)
				  : replace(caller, key, loops);
}
