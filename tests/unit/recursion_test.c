/* SPDX-License-Identifier: MIT */
/*
 * Compares the search for the outer call of a recursive function
 * (preload/hot/recursion.h) with a search in a model of the tree.
 */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "preload/hot/recursion.h"
#include "preload/hot/runtime.h"
#include "preload/hot/thread.h"
#include "tests/unit/drawn.h"
#include "tests/unit/empty_tally.h"
#include "wire/id.h"

enum { CONTEXTS = 800, FUNCTIONS = 40 };

struct context {
	const struct context *caller; /* NULL: the root */
	uint64_t id;
	uint32_t function;
};

static struct context contexts[CONTEXTS];
static struct wire_tally counted;

static void record(const struct context *context, uint32_t depth)
{
	struct wire_count *entry = tally_find(&tally, context->id);

	notes[entry - table] =
		(union note){ .function = context->function, .depth = depth };
	entry->id = context->id;
}

static uint32_t depth_of(const struct context *context)
{
	uint32_t depth = 0;

	for (; context; context = context->caller)
		depth++;
	return depth;
}

static void add(int i, const struct context *caller, uint32_t function)
{
	struct context *context = &contexts[i];

	context->caller = caller;
	context->function = function;
	context->id = id_push(caller ? caller->id : ID_ROOT, id_key(function));
	record(context, depth_of(context));
}

static int begin(void **state)
{
	empty_tally(state);
	memset(hot_ways, 0, sizeof(hot_ways));
	counted.contexts = 1;
	tally.wire = &counted;
	hot.tally = &tally;
	hot.table = table;
	hot_recursion_folds = 1;
	rt.fold_beyond = 0;
	return 0;
}

/* Returns the id with which a call of a function by a context runs. */
static uint64_t expected(const struct context *caller, uint32_t function)
{
	const struct context *at = caller;

	while (at && at->function != function && at->function != WIRE_FOLDED)
		at = at->caller;
	return at && at->function == function
		       ? at->id
		       : id_push(caller->id, id_key(function));
}

static void compare(const struct context *caller, uint32_t function)
{
	const uint64_t id = id_push(caller->id, id_key(function));

	/* forget the result, so that each call searches */
	memset(hot_ways, 0, sizeof(hot_ways));
	assert_int_equal(recursion_fold(caller->id, id),
			 expected(caller, function));
}

/* Callers follow each other as in a program, or are drawn from the tree. */
static void compare_many(int is_walk)
{
	const struct context *caller = &contexts[CONTEXTS - 1];

	for (int i = 0; i < 20000; i++) {
		if (is_walk && draw(3) && caller->caller)
			caller = caller->caller;
		else
			caller = &contexts[draw(CONTEXTS)];
		compare(caller, 1 + (uint32_t)draw(FUNCTIONS + 4));
	}
}

static void add_tree(void)
{
	add(0, NULL, 1);
	for (int i = 1; i < CONTEXTS; i++) {
		/* most contexts extend the latest one: deep branches */
		const int caller = draw(8) ? i - 1 : (int)draw((uint32_t)i);

		add(i, &contexts[caller],
		    i % 97 ? 1 + (uint32_t)draw(FUNCTIONS) : WIRE_FOLDED);
	}
}

static void any_caller_finds_the_innermost_call(void **state)
{
	(void)state;
	tally.busy = 1;
	add_tree();
	compare_many(0);
	compare_many(1);
}

/* A signal handler has interrupted a search, and searches itself. */
static void a_handler_does_not_disturb_a_search(void **state)
{
	struct hot_ancestry before;

	(void)state;
	tally.busy = 1;
	add_tree();
	compare(&contexts[CONTEXTS / 2], 2);
	before = tally.ancestry;
	tally.busy = 2;
	compare_many(1);
	assert_memory_equal(&before, &tally.ancestry, sizeof(before));
	tally.busy = 1;
	compare_many(1);
}

/* A handler has jumped out of a search that had written some elements. */
static void an_interrupted_search_is_forgotten(void **state)
{
	(void)state;
	tally.busy = 1;
	add_tree();
	for (int i = 0; i < 2000; i++) {
		compare(&contexts[draw(CONTEXTS)], 3);
		tally.ancestry.depth = 0;
		for (uint32_t at = HOT_ANCESTRY_DEPTH - draw(60);
		     at < HOT_ANCESTRY_DEPTH; at++)
			tally.ancestry.ids[at] = draw(1 << 30);
		compare(&contexts[draw(CONTEXTS)], 5);
	}
}

/* Contexts deeper than the ancestry has room for, up to the limit. */
static void deep_callers_are_searched_too(void **state)
{
	const int deep = HOT_ANCESTRY_DEPTH + 100;

	(void)state;
	tally.busy = 1;
	for (int i = 0; i < deep; i++)
		add(i, i ? &contexts[i - 1] : NULL, 1 + (uint32_t)i);
	for (int i = 1; i < deep; i++) {
		compare(&contexts[i], 1);
		compare(&contexts[i], (uint32_t)i);
		compare(&contexts[i], 5000);
	}
}

/* A caller without a record has no depth. */
static void unrecorded_callers_find_nothing(void **state)
{
	const uint64_t caller = id_push(ID_ROOT, id_key(7));
	const uint64_t id = id_push(caller, id_key(7));

	(void)state;
	tally.busy = 1;
	assert_int_equal(recursion_fold(caller, id), id);
	assert_int_equal(recursion_fold(ID_ROOT, caller), caller);
}

#define CLAIM(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(any_caller_finds_the_innermost_call),
		CLAIM(a_handler_does_not_disturb_a_search),
		CLAIM(an_interrupted_search_is_forgotten),
		CLAIM(deep_callers_are_searched_too),
		CLAIM(unrecorded_callers_find_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
