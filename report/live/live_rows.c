/* SPDX-License-Identifier: MIT */
/* See live_rows.h. */
#include "report/live/live_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/memory.h"

enum { DEPTH_MAX = 4096, LABEL_FRAMES = 64 };

const char *live_subject_text(enum live_subject subject)
{
	static const char *const texts[] = {
		[LIVE_FUNCTIONS] = "function",
		[LIVE_CONTEXTS] = "context",
		[LIVE_MODULES] = "module",
		[LIVE_THREADS] = "thread",
	};

	return texts[subject];
}

const char *live_key_text(enum live_key key)
{
	static const char *const texts[] = {
		[LIVE_BY_CALLS] = "calls",
		[LIVE_BY_SELF] = "self",
		[LIVE_BY_TOTAL] = "total",
		[LIVE_BY_ALL_CALLS] = "all-calls",
	};

	return texts[key];
}

/* ---- Sums ---- */

/* Returns the row that a context belongs to; UINT32_MAX: none. */
static uint32_t what_of(const struct live_rows *rows,
			const struct live_counts *counts,
			const struct live_context *context)
{
	const uint32_t function = context->function;

	switch (rows->subject) {
	case LIVE_FUNCTIONS:
		return function;
	case LIVE_MODULES:
		return counts->catalog.functions[function].module;
	default:
		return (uint32_t)(context - counts->contexts);
	}
}

/*
 * Returns whether no caller belongs to the same row; total time is added only
 * then.
 */
static int is_outermost(const struct live_rows *rows,
			const struct live_counts *counts,
			const struct live_context *context)
{
	const uint32_t what = what_of(rows, counts, context);

	for (int depth = 0; depth < DEPTH_MAX; depth++) {
		context = live_caller(counts, context);
		if (!context)
			return 1;
		if (what_of(rows, counts, context) == what)
			return 0;
	}
	return 0;
}

static void add(struct live_row *row, const struct live_measure *measure,
		int with_total)
{
	row->measure.calls += measure->calls;
	row->measure.new_calls += measure->new_calls;
	row->measure.self_ns += measure->self_ns;
	if (with_total)
		row->measure.total_ns += measure->total_ns;
}

/* Creates one row for each function, context or module. */
static void sum_contexts(struct live_rows *rows,
			 const struct live_counts *counts)
{
	rows->count =
		rows->subject == LIVE_FUNCTIONS ? counts->catalog.function_count
		: rows->subject == LIVE_MODULES ? counts->catalog.module_count
						: counts->context_count;
	rows->items = memory_zeroed(rows->count + 1, sizeof(*rows->items));
	for (size_t i = 0; i < counts->context_count; i++) {
		const struct live_context *context = &counts->contexts[i];
		const uint32_t what = what_of(rows, counts, context);

		if (what >= rows->count)
			continue;
		add(&rows->items[what], &context->measure,
		    context->measure.total_ns &&
			    (rows->subject == LIVE_CONTEXTS ||
			     is_outermost(rows, counts, context)));
	}
}

static void sum_threads(struct live_rows *rows,
			const struct live_counts *counts)
{
	rows->count = counts->tally_count;
	rows->items = memory_zeroed(rows->count + 1, sizeof(*rows->items));
	for (size_t i = 0; i < rows->count; i++)
		add(&rows->items[i], &counts->tallies[i].measure, 1);
}

/* ---- Labels ---- */

/* Lists the innermost function first, so that only outer ones may not fit. */
static char *context_label(struct live_counts *counts,
			   const struct live_context *context)
{
	char *label = memory_string("", 0);

	for (int i = 0; context && i < LABEL_FRAMES; i++) {
		char *longer = memory_printf(
			"%s%s%s", label, *label ? " < " : "",
			shown_name(&counts->names, &counts->catalog,
				   context->function));

		free(label);
		label = longer;
		context = live_caller(counts, context);
	}
	return label;
}

/* Threads that share a tally are shown under the name of the last one. */
static char *thread_label(const struct live_counts *counts, uint32_t tally)
{
	for (size_t i = counts->threads.count; i-- > 0;) {
		const struct thread *thread = &counts->threads.items[i];

		if (thread->tally == tally)
			return memory_printf("%s (%" PRIu32 ")", thread->name,
					     thread->tid);
	}
	return memory_printf("thread %" PRIu32, tally);
}

char *live_row_label(const struct live_rows *rows, struct live_counts *counts,
		     const struct live_row *row)
{
	const char *module;

	switch (rows->subject) {
	case LIVE_FUNCTIONS:
		module = catalog_module_name(&counts->catalog, row->what);
		return memory_printf(
			*module ? "%s  [%s]" : "%s",
			shown_name(&counts->names, &counts->catalog, row->what),
			module);
	case LIVE_MODULES:
		return memory_printf("%s",
				     counts->catalog.modules[row->what].name);
	case LIVE_CONTEXTS:
		return context_label(counts, &counts->contexts[row->what]);
	default:
		return thread_label(counts, counts->tallies[row->what].tally);
	}
}

uint32_t live_row_function(const struct live_rows *rows,
			   const struct live_counts *counts,
			   const struct live_row *row)
{
	if (rows->subject == LIVE_FUNCTIONS)
		return row->what;
	if (rows->subject == LIVE_CONTEXTS)
		return counts->contexts[row->what].function;
	return FUNCTION_NONE;
}

/* ---- Order ---- */

static uint64_t value_of(const struct live_row *row, enum live_key key)
{
	switch (key) {
	case LIVE_BY_CALLS:
		return row->measure.new_calls;
	case LIVE_BY_SELF:
		return row->measure.self_ns;
	case LIVE_BY_TOTAL:
		return row->measure.total_ns;
	default:
		return row->measure.calls;
	}
}

/* Equal rows are sorted by calls, then by age. */
static int compare(const void *left, const void *right, void *context)
{
	const struct live_row *a = left, *b = right;
	const enum live_key keys[] = { *(enum live_key *)context, LIVE_BY_CALLS,
				       LIVE_BY_ALL_CALLS };

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const uint64_t one = value_of(a, keys[i]);
		const uint64_t other = value_of(b, keys[i]);

		if (one != other)
			return one > other ? -1 : 1;
	}
	return a->what < b->what ? -1 : a->what > b->what;
}

static int matches(const struct live_rows *rows, struct live_counts *counts,
		   const struct live_row *row, const char *filter)
{
	uint32_t function;
	char *label;
	int does;

	if (!row->measure.calls && !row->measure.total_ns)
		return 0;
	if (!filter || !*filter)
		return 1;
	label = live_row_label(rows, counts, row);
	does = strcasestr(label, filter) != NULL;
	free(label);
	function = live_row_function(rows, counts, row);
	return does ||
	       (function != FUNCTION_NONE &&
		strcasestr(catalog_name(&counts->catalog, function), filter));
}

void live_rows_init(struct live_rows *rows, struct live_counts *counts,
		    enum live_subject subject, enum live_key key,
		    const char *filter)
{
	size_t kept = 0;

	*rows = (struct live_rows){ .subject = subject };
	if (subject == LIVE_THREADS)
		sum_threads(rows, counts);
	else
		sum_contexts(rows, counts);
	for (size_t i = 0; i < rows->count; i++) {
		rows->items[i].what = (uint32_t)i;
		if (matches(rows, counts, &rows->items[i], filter))
			rows->items[kept++] = rows->items[i];
	}
	rows->count = kept;
	qsort_r(rows->items, rows->count, sizeof(*rows->items), compare, &key);
}

void live_rows_fini(struct live_rows *rows)
{
	free(rows->items);
	*rows = (struct live_rows){ 0 };
}
