/* SPDX-License-Identifier: MIT */
/* See budget_functions.h. */
#include "preload/budget/budget_functions.h"

#include <errno.h>
#include <stdatomic.h>

#include "preload/hot/runtime.h"
#include "preload/hot/tally.h"
#include "preload/record/recorder.h"
#include "preload/sys/sys.h"
#include "wire/id.h"

#define ROOM_FIRST 1024

/* ---- The table ---- */

static uint64_t slot_bytes(uint32_t room)
{
	return room * (sizeof(struct budget_function) + sizeof(uint32_t));
}

/* Returns the slot of a function, or a free slot if it has none. */
static struct budget_function *place_of(
	const struct budget_functions *functions, uint32_t function)
{
	const uint32_t mask = functions->room - 1;
	uint32_t i = function * ID_KEY_MULTIPLIER >> 7 & mask;

	while (functions->slots[i].function &&
	       functions->slots[i].function != function)
		i = (i + 1) & mask;
	return &functions->slots[i];
}

struct budget_function *budget_functions_find(
	const struct budget_functions *functions, uint32_t function)
{
	struct budget_function *slot =
		functions->room ? place_of(functions, function) : NULL;

	return slot && slot->function ? slot : NULL;
}

static int enlarge(struct budget_functions *functions)
{
	const struct budget_functions old = *functions;
	struct budget_functions larger = {
		.room = old.room ? 2 * old.room : ROOM_FIRST,
		.count = old.count,
	};

	larger.slots = sys_map_private(slot_bytes(larger.room));
	if (sys_failed(larger.slots))
		return -ENOMEM;
	larger.order = (uint32_t *)(larger.slots + larger.room);
	for (uint32_t i = 0; i < old.room; i++)
		if (old.slots[i].function)
			*place_of(&larger, old.slots[i].function) =
				old.slots[i];
	if (old.room)
		sys_munmap(old.slots, slot_bytes(old.room));
	*functions = larger;
	return 0;
}

struct budget_function *budget_functions_add(struct budget_functions *functions,
					     uint32_t function)
{
	struct budget_function *slot;

	if (functions->count >= functions->room / 2 && enlarge(functions))
		return NULL;
	slot = place_of(functions, function);
	if (!slot->function) {
		slot->function = function;
		functions->count++;
	}
	return slot;
}

void budget_functions_restart(struct budget_functions *functions)
{
	for (uint32_t i = 0; i < functions->room; i++) {
		functions->slots[i].calls = 0;
		functions->slots[i].contexts = 0;
	}
}

int budget_functions_begin_interval(struct budget_functions *functions)
{
	int are_some_out = 0;

	for (uint32_t i = 0; i < functions->room; i++) {
		struct budget_function *slot = &functions->slots[i];

		slot->was_in = slot->function && !slot->is_out;
		are_some_out |= slot->is_out;
	}
	return are_some_out;
}

/* ---- Counting ---- */

/*
 * Reads the address and the mask of a tally's table. Returns 0 if the table is
 * being replaced: the mapping is stored first, and the mask last.
 */
static int stable_view(const struct tally *tally, struct view *view)
{
	const volatile struct tally *now = tally;

	view->mask = now->mask;
	view->table = now->table;
	view->notes = now->notes;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return view->table && now->memory.active.table == view->table &&
	       now->memory.active.notes == view->notes &&
	       (UINT64_C(1) << now->memory.active.log2) - 1 == view->mask;
}

static int is_same_view(const struct tally *tally, const struct view *view)
{
	struct view again;

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return stable_view(tally, &again) && again.table == view->table &&
	       again.mask == view->mask;
}

/*
 * Returns the function of a context's caller if the caller's context is at its
 * home entry in the same table, else 0.
 */
static uint32_t caller_of(const struct view *view, uint64_t id,
			  uint32_t function)
{
	const uint64_t caller = id_pop(id, id_key(function));
	uint64_t i = wire_count_home(caller, view->mask);

	if (caller == ID_ROOT || view->table[i].id != caller)
		/*
		 * only the home entry is read, since nearly all contexts are
		 * there
		 */
		return 0;
	return view->notes[i].function;
}

static int count_entry(struct budget_functions *functions,
		       const struct view *view, uint64_t i)
{
	struct budget_function *slot =
		budget_functions_add(functions, view->notes[i].function);

	if (!slot)
		return -ENOMEM;
	slot->found_calls += wire_calls(&view->table[i]);
	slot->found_contexts++;
	return 0;
}

/*
 * Adds 1 to found_callees of the caller's function, unless it is not in the
 * table yet.
 */
static int count_callee(struct budget_functions *functions,
			const struct view *view, uint64_t i)
{
	const uint32_t caller =
		caller_of(view, view->table[i].id, view->notes[i].function);
	struct budget_function *slot =
		caller ? budget_functions_find(functions, caller) : NULL;

	if (slot)
		slot->found_callees++;
	return 0;
}

static int check_tally(struct budget_functions *functions,
		       const struct tally *tally,
		       int (*visit)(struct budget_functions *functions,
				    const struct view *view, uint64_t i))
{
	struct view view;
	int err = 0;

	if (!stable_view(tally, &view))
		return -EAGAIN;
	for (uint64_t i = 0; i <= view.mask && !err; i++)
		if (wire_is_counted(&view.table[i]) && view.notes[i].function)
			err = visit(functions, &view, i);
	return !err && !is_same_view(tally, &view) ? -EAGAIN : err;
}

static void forget_found(struct budget_functions *functions)
{
	for (uint32_t i = 0; i < functions->room; i++) {
		struct budget_function *slot = &functions->slots[i];

		slot->found_calls = slot->found_contexts = 0;
		slot->found_callees = 0;
	}
}

/*
 * Computes the new calls since the last count. Counts can be smaller than
 * before: calls that are being moved from one table to another are seen later.
 */
static void take_found(struct budget_function *slot)
{
	slot->new_calls = slot->found_calls > slot->calls
				  ? slot->found_calls - slot->calls
				  : 0;
	slot->new_contexts = slot->found_contexts > slot->contexts
				     ? slot->found_contexts - slot->contexts
				     : 0;
	slot->calls += slot->new_calls;
	slot->contexts += slot->new_contexts;
}

static int check_all(struct budget_functions *functions,
		     int (*visit)(struct budget_functions *functions,
				  const struct view *view, uint64_t i))
{
	const struct tallies *tallies = &rt.recorder->tallies;
	const uint32_t count =
		__atomic_load_n(&tallies->count, __ATOMIC_ACQUIRE);
	int err = 0;

	forget_found(functions);
	for (uint32_t i = 0; i < count && !err; i++) {
		const struct tally *tally = tallies_find(tallies, i);

		if (tally)
			err = check_tally(functions, tally, visit);
	}
	return err;
}

int budget_functions_count(struct budget_functions *functions)
{
	int err = check_all(functions, count_entry);

	for (uint32_t i = 0; i < functions->room && !err; i++)
		take_found(&functions->slots[i]);
	return err;
}

int budget_functions_find_callees(struct budget_functions *functions)
{
	int err = check_all(functions, count_callee);

	for (uint32_t i = 0; i < functions->room && !err; i++)
		functions->slots[i].callees = functions->slots[i].found_callees;
	return err;
}

/* ---- Selecting functions ---- */

/*
 * Returns a function's cost divided by its information, in bits. A leaf shows
 * only that it was called; other functions also show what they call.
 */
static uint64_t price(const struct budget_function *slot)
{
	return slot->cost_ns / (32 - __builtin_clz(1 + slot->callees));
}

/*
 * Restores the order of a heap with the least element on top, after its root
 * was replaced.
 */
static void sink_down(const struct budget_functions *functions, uint32_t i,
		      uint32_t count)
{
	uint32_t *order = functions->order;
	const uint32_t moved = order[i];
	uint32_t child;

	while ((child = 2 * i + 1) < count) {
		if (child + 1 < count &&
		    price(&functions->slots[order[child + 1]]) <
			    price(&functions->slots[order[child]]))
			child++;
		if (price(&functions->slots[order[child]]) >=
		    price(&functions->slots[moved]))
			break;
		order[i] = order[child];
		i = child;
	}
	order[i] = moved;
}

uint32_t budget_functions_sort(struct budget_functions *functions,
			       uint64_t least_ns)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < functions->room; i++) {
		const struct budget_function *slot = &functions->slots[i];

		if (slot->function && slot->may_change && !slot->is_out &&
		    slot->cost_ns > least_ns)
			functions->order[count++] = i;
	}
	for (uint32_t i = count / 2; i--;)
		sink_down(functions, i, count);
	for (uint32_t left = count; left > 1;) {
		const uint32_t least = functions->order[0];

		functions->order[0] = functions->order[--left];
		functions->order[left] = least;
		sink_down(functions, 0, left);
	}
	return count;
}
