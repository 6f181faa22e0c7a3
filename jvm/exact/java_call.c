/* SPDX-License-Identifier: MIT */
#include "jvm/exact/java_call.h"

#include "preload/hot/switch.h"
#include "preload/hot/tally.h"
#include "preload/hot/thread.h"
#include "preload/hot/upcalls.h"
#include "wire/id.h"

/*
 * Searches only the thread's present tally: if another carrier has counted the
 * context of a virtual thread, this returns 1 although the call was not folded.
 */
int java_call_is_folded(uint64_t id)
{
	return switch_is_on() && hot.tally->has_folds &&
	       !tally_note(hot.tally, id).word;
}

static int is_at_home(uint64_t id)
{
	const struct tally *tally = hot.tally;

	return !tally ||
	       tally->table[wire_count_home(id, tally->mask)].id == id;
}

/*
 * Counts a call whose context is not at its home in the count table as a stray,
 * and reorders the table after too many strays, as stubs do (stub.S).
 */
static void count_stray(uint64_t id)
{
	if (switch_is_on() && !is_at_home(id) && --hot.strays_left < 0)
		hot_reorder();
}

/*
 * The thread keeps the caller's id until the new context is recorded, so that
 * calls by a signal handler during that time count below the caller.
 */
enum count_result java_call_count(uint64_t caller, uint32_t number)
{
	const uint64_t id = id_push(caller, id_key(number));
	enum count_result result;

	*(volatile uint64_t *)&hot.id = caller;
	result = hot_count(id, caller, 0);
	if (java_call_is_folded(id))
		return COUNT_IS_DONE;
	*(volatile uint64_t *)&hot.id = id;
	if (result != COUNT_IS_FIRST)
		count_stray(id);
	return result;
}
