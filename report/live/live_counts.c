/* SPDX-License-Identifier: MIT */
/* See live_counts.h. */
#include "report/live/live_counts.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/now.h"
#include "report/merge/part_left_out.h"
#include "report/merge/part_tallies.h"
#include "wire/id.h"

enum { DEPTH_MAX = 4096 };

void live_counts_init(struct live_counts *counts)
{
	*counts = (struct live_counts){ 0 };
	catalog_init(&counts->catalog);
}

static void forget_part(struct live_counts *counts)
{
	if (counts->is_begun) {
		numbering_fini(&counts->numbering);
		part_close(&counts->known);
	}
	counts->is_begun = 0;
}

void live_counts_fini(struct live_counts *counts)
{
	forget_part(counts);
	catalog_fini(&counts->catalog);
	shown_names_fini(&counts->names);
	free(counts->contexts);
	idmap_fini(&counts->by_id);
	free(counts->tallies);
	threads_fini(&counts->threads);
}

/* ---- Functions ---- */

/*
 * Returns the number of bytes that describe functions. A change means that
 * there are new ones.
 */
static uint64_t function_bytes(const struct part_copy *part)
{
	struct part_chunk chunk;
	uint64_t cursor = 0, bytes = 0;

	while (part_next_chunk(part, &cursor, &chunk))
		if (chunk.kind == WIRE_MODULE || chunk.kind == WIRE_RANGES ||
		    chunk.kind == WIRE_NAMES || chunk.kind == WIRE_METHODS ||
		    chunk.kind == WIRE_STACKS || chunk.kind == WIRE_CALLERS ||
		    chunk.kind == WIRE_BINDINGS)
			bytes += chunk.bytes + chunk.used_bytes;
	return bytes;
}

/*
 * Takes ownership of the part if it describes new functions. Returns whether it
 * did.
 */
static int learn_functions(struct live_counts *counts, struct part_copy *part)
{
	const uint64_t bytes = function_bytes(part);

	if (counts->is_begun && bytes == counts->function_bytes)
		return 0;
	forget_part(counts);
	counts->known = *part;
	counts->function_bytes = bytes;
	counts->is_begun = 1;
	numbering_init(&counts->numbering, &counts->catalog, &counts->known, 0);
	for (size_t i = 0; i < counts->context_count; i++)
		counts->contexts[i].function = numbering_function(
			&counts->numbering, counts->contexts[i].number);
	return 1;
}

/* Reads uncounted time again, since it grows and is shown in names. */
static void learn_left_out(struct live_counts *counts,
			   const struct part_copy *part)
{
	if (!part->header->budget)
		return;
	catalog_forget_left_out(&counts->catalog);
	part_left_out_add(part, &counts->catalog, &counts->numbering);
}

/* ---- Contexts ---- */

static struct live_context *find_context(const struct live_counts *counts,
					 uint64_t id)
{
	const uint64_t *index = idmap_find(&counts->by_id, id);

	return index ? &counts->contexts[*index - 1] : NULL;
}

static void learn_context(struct live_counts *counts,
			  const struct wire_context *wire)
{
	const uint64_t id = wire_context_id(wire);
	uint64_t *slot, index;

	if (wire->id == 0 || idmap_find(&counts->by_id, wire->id))
		return;
	slot = idmap_at(&counts->by_id, id);
	if (*slot == 0) {
		counts->contexts = memory_grow(
			counts->contexts, counts->context_count,
			&counts->context_capacity, sizeof(*counts->contexts));
		counts->contexts[counts->context_count] = (struct live_context){
			.id = id,
			.number = wire->function,
			.function = numbering_function(&counts->numbering,
						       wire->function),
		};
		*slot = ++counts->context_count;
	}
	index = *slot;
	if (wire_is_tail(wire))
		*idmap_at(&counts->by_id, wire->id) = index;
}

static void learn_contexts(struct live_counts *counts,
			   const struct part_tallies *tallies)
{
	for (size_t i = 0; i < tallies->context_spans; i++)
		for (size_t j = 0; j < tallies->contexts[i].count; j++)
			learn_context(counts, &tallies->contexts[i].items[j]);
}

const struct live_context *live_caller(const struct live_counts *counts,
				       const struct live_context *context)
{
	const uint64_t id = id_pop(context->id, id_key(context->number));

	return id == ID_ROOT ? NULL : find_context(counts, id);
}

/* ---- Calls ---- */

static struct live_thread *tally_of(struct live_counts *counts, uint32_t tally)
{
	for (size_t i = 0; i < counts->tally_count; i++)
		if (counts->tallies[i].tally == tally)
			return &counts->tallies[i];
	counts->tallies =
		memory_grow(counts->tallies, counts->tally_count,
			    &counts->tally_capacity, sizeof(*counts->tallies));
	counts->tallies[counts->tally_count] =
		(struct live_thread){ .tally = tally };
	return &counts->tallies[counts->tally_count++];
}

/* Returns whether each count had its context. */
static int add_span(struct live_counts *counts, const struct count_span *span)
{
	struct live_thread *thread = tally_of(counts, span->tally);
	int is_whole = 1;

	for (size_t i = 0; i < span->count; i++) {
		const uint64_t calls = wire_calls(&span->items[i]);
		struct live_context *context;

		if (!wire_is_counted(&span->items[i]))
			continue;
		if (i + 8 < span->count)
			idmap_prefetch(&counts->by_id, span->items[i + 8].id);
		context = find_context(counts, span->items[i].id);
		thread->sum += calls;
		if (context)
			context->sum += calls;
		else
			is_whole = 0;
	}
	return is_whole;
}

static int add_spans(struct live_counts *counts,
		     const struct part_tallies *tallies)
{
	int is_whole = 1;

	for (size_t i = 0; i < counts->context_count; i++)
		counts->contexts[i].sum = 0;
	for (size_t i = 0; i < counts->tally_count; i++)
		counts->tallies[i].sum = 0;
	for (size_t i = 0; i < tallies->count_spans; i++)
		is_whole &= add_span(counts, &tallies->counts[i]);
	return is_whole;
}

/*
 * While a table is replaced by a larger one, a poll may find less than before.
 */
static void begin_measure(struct live_measure *measure, uint64_t sum)
{
	*measure = (struct live_measure){
		.calls = sum > measure->calls ? sum : measure->calls,
		.new_calls = sum > measure->calls ? sum - measure->calls : 0,
	};
}

/*
 * The calls of all contexts, including folded ones, equal those of all threads.
 */
static void begin_measures(struct live_counts *counts)
{
	struct live_measure *total = &counts->total;

	*total = (struct live_measure){ 0 };
	for (size_t i = 0; i < counts->context_count; i++)
		begin_measure(&counts->contexts[i].measure,
			      counts->contexts[i].sum);
	for (size_t i = 0; i < counts->tally_count; i++) {
		struct live_thread *thread = &counts->tallies[i];

		begin_measure(&thread->measure, thread->sum);
		total->calls += thread->measure.calls;
		total->new_calls += thread->measure.new_calls;
	}
}

static void count_calls(struct live_counts *counts,
			const struct part_copy *part)
{
	struct part_tallies tallies;

	part_tallies_init(&tallies, part);
	if (!add_spans(counts, &tallies)) {
		learn_contexts(counts, &tallies);
		add_spans(counts, &tallies);
	}
	begin_measures(counts);
	part_tallies_fini(&tallies);
}

/* ---- Time ---- */

/* Adds time to the context and to all its callers. */
static void add_time(struct live_counts *counts, uint64_t id, uint64_t ns)
{
	const struct live_context *context = find_context(counts, id);

	if (context)
		counts->contexts[context - counts->contexts].measure.self_ns +=
			ns;
	for (int depth = 0; context && depth < DEPTH_MAX; depth++) {
		counts->contexts[context - counts->contexts].measure.total_ns +=
			ns;
		context = live_caller(counts, context);
	}
}

static void add_samples(struct live_counts *counts,
			const struct part_chunk *chunk, uint64_t after_tsc)
{
	const struct wire_sample *samples = (const void *)chunk->payload;
	struct live_measure *thread = &tally_of(counts, chunk->owner)->measure;

	for (size_t i = 0; i < chunk->payload_bytes / sizeof(*samples); i++) {
		const struct wire_sample *sample = &samples[i];
		const uint64_t ns = wire_sample_ns(sample);

		if (sample->tsc > counts->latest_tsc)
			counts->latest_tsc = sample->tsc;
		if (sample->tsc <= after_tsc ||
		    sample->where & WIRE_SAMPLE_BLOCKED)
			continue;
		if (sample->where & WIRE_SAMPLE_CLEW) {
			counts->clew_ns += ns;
			continue;
		}
		counts->total.self_ns += ns;
		thread->self_ns += ns;
		add_time(counts, sample->id, ns);
	}
}

static void count_time(struct live_counts *counts, const struct part_copy *part)
{
	const uint64_t after_tsc = counts->latest_tsc;
	struct part_chunk chunk;
	uint64_t cursor = 0;

	counts->clew_ns = 0;
	while (part_next_chunk(part, &cursor, &chunk))
		if (chunk.kind == WIRE_SAMPLES)
			add_samples(counts, &chunk, after_tsc);
	counts->total.total_ns = counts->total.self_ns;
	for (size_t i = 0; i < counts->tally_count; i++)
		counts->tallies[i].measure.total_ns =
			counts->tallies[i].measure.self_ns;
}

/* ---- Polling ---- */

static void take_header(struct live_counts *counts,
			const struct part_copy *part)
{
	const uint64_t looked_ns = now_ns(CLOCK_MONOTONIC);

	counts->interval_ns =
		counts->looked_ns ? looked_ns - counts->looked_ns : 0;
	counts->looked_ns = looked_ns;
	counts->recorded_bytes = part->size_bytes;
	counts->time = part->header->time;
	counts->state = part->header->state;
	counts->lost = 0;
	for (unsigned int i = 0; i < WIRE_LOSS_COUNT; i++)
		counts->lost += part->header->losses[i];
}

int live_counts_look(struct live_counts *counts, const char *path, char **why)
{
	const uint64_t before_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID);
	struct part_copy part;
	int err = part_open(&part, path, why), is_kept;

	if (err)
		return err;
	take_header(counts, &part);
	is_kept = learn_functions(counts, &part);
	learn_left_out(counts, &part);
	count_calls(counts, &part);
	count_time(counts, &part);
	threads_fini(&counts->threads);
	threads_init(&counts->threads, &part);
	if (!is_kept)
		part_close(&part);
	counts->cost_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID) - before_ns;
	return 0;
}
