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
			const struct live_part *part,
			const struct live_context *context)
{
	const uint32_t function = context->function;

	switch (rows->subject) {
	case LIVE_FUNCTIONS:
		return function;
	case LIVE_MODULES:
		return counts->catalog.functions[function].module;
	default:
		return (uint32_t)(context - part->contexts);
	}
}

/*
 * Returns whether no caller belongs to the same row; total time is added only
 * then.
 */
static int is_outermost(const struct live_rows *rows,
			const struct live_counts *counts,
			const struct live_part *part,
			const struct live_context *context)
{
	const uint32_t what = what_of(rows, counts, part, context);

	for (int depth = 0; depth < DEPTH_MAX; depth++) {
		context = live_caller(part, context);
		if (!context)
			return 1;
		if (what_of(rows, counts, part, context) == what)
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

/* Adds the contexts of a part to the rows from `first` on. */
static void sum_contexts(struct live_rows *rows,
			 const struct live_counts *counts,
			 const struct live_part *part, size_t first)
{
	for (size_t i = 0; i < part->context_count; i++) {
		const struct live_context *context = &part->contexts[i];
		const uint32_t what = what_of(rows, counts, part, context);

		if (what >= rows->count - first)
			continue;
		add(&rows->items[first + what], &context->measure,
		    context->measure.total_ns &&
			    (rows->subject == LIVE_CONTEXTS ||
			     is_outermost(rows, counts, part, context)));
	}
}

/* Creates one row for each function or module. */
static void sum_shared(struct live_rows *rows, const struct live_counts *counts)
{
	rows->count = rows->subject == LIVE_FUNCTIONS
			      ? counts->catalog.function_count
			      : counts->catalog.module_count;
	rows->items = memory_zeroed(rows->count + 1, sizeof(*rows->items));
	for (size_t i = 0; i < rows->count; i++)
		rows->items[i].what = (uint32_t)i;
	for (size_t i = 0; i < counts->part_count; i++)
		sum_contexts(rows, counts, counts->parts[i], 0);
}

static size_t rows_of(const struct live_rows *rows,
		      const struct live_part *part)
{
	return rows->subject == LIVE_CONTEXTS ? part->context_count
					      : part->tally_count;
}

/* Creates one row for each context or thread of each part. */
static void sum_separate(struct live_rows *rows,
			 const struct live_counts *counts)
{
	size_t first = 0;

	for (size_t i = 0; i < counts->part_count; i++)
		rows->count += rows_of(rows, counts->parts[i]);
	rows->items = memory_zeroed(rows->count + 1, sizeof(*rows->items));
	for (size_t i = 0; i < counts->part_count; i++) {
		const struct live_part *part = counts->parts[i];
		const size_t count = rows_of(rows, part);

		for (size_t j = 0; j < count; j++) {
			rows->items[first + j].what = (uint32_t)j;
			rows->items[first + j].part = (uint32_t)i;
			if (rows->subject == LIVE_THREADS)
				add(&rows->items[first + j],
				    &part->tallies[j].measure, 1);
		}
		if (rows->subject == LIVE_CONTEXTS)
			sum_contexts(rows, counts, part, first);
		first += count;
	}
}

/* ---- Labels ---- */

/* Lists the innermost function first, so that only outer ones may not fit. */
static char *context_label(struct live_counts *counts,
			   const struct live_part *part,
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
		context = live_caller(part, context);
	}
	return label;
}

/*
 * Returns the name and number of the thread of a tally; of the last one if
 * threads share the tally.
 */
static char *thread_label(const struct live_part *part, uint32_t tally)
{
	for (size_t i = part->threads.count; i-- > 0;) {
		const struct thread *thread = &part->threads.items[i];

		if (thread->tally == tally)
			return memory_printf("%s (%" PRIu32 ")", thread->name,
					     thread->tid);
	}
	return memory_printf("thread %" PRIu32, tally);
}

char *live_row_label(const struct live_rows *rows, struct live_counts *counts,
		     const struct live_row *row)
{
	const struct live_part *part = counts->parts[row->part];
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
		return context_label(counts, part, &part->contexts[row->what]);
	default:
		return thread_label(part, part->tallies[row->what].tally);
	}
}

uint32_t live_row_function(const struct live_rows *rows,
			   const struct live_counts *counts,
			   const struct live_row *row)
{
	if (rows->subject == LIVE_FUNCTIONS)
		return row->what;
	if (rows->subject == LIVE_CONTEXTS)
		return counts->parts[row->part]->contexts[row->what].function;
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

/*
 * Compares two rows for sorting. Equal rows are sorted by calls, then in the
 * order in which they were added.
 */
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
	if (a->part != b->part)
		return a->part < b->part ? -1 : 1;
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
	if (subject == LIVE_FUNCTIONS || subject == LIVE_MODULES)
		sum_shared(rows, counts);
	else
		sum_separate(rows, counts);
	for (size_t i = 0; i < rows->count; i++) {
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
