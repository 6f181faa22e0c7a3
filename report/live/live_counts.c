/* SPDX-License-Identifier: MIT */
/* See live_counts.h. */
#include "report/live/live_counts.h"

#include <stdlib.h>
#include <string.h>

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

static void forget_part(struct live_part *part)
{
	if (part->is_begun) {
		numbering_fini(&part->numbering);
		part_close(&part->known);
	}
	part->is_begun = 0;
}

static void destroy_part(struct live_part *part)
{
	forget_part(part);
	free(part->contexts);
	idmap_fini(&part->by_id);
	free(part->tallies);
	threads_fini(&part->threads);
	free(part);
}

void live_counts_fini(struct live_counts *counts)
{
	for (size_t i = 0; i < counts->part_count; i++)
		destroy_part(counts->parts[i]);
	free(counts->parts);
	catalog_fini(&counts->catalog);
	shown_names_fini(&counts->names);
	strings_fini(&counts->paths);
}

int live_counts_has(const struct live_counts *counts, const char *path)
{
	return strings_has(&counts->paths, path);
}

void live_counts_add(struct live_counts *counts, const char *path)
{
	struct live_part *part = memory_zeroed(1, sizeof(*part));
	const uint32_t number = strings_number(&counts->paths, path);

	part->path = counts->paths.items[number];
	counts->parts =
		memory_grow(counts->parts, counts->part_count,
			    &counts->part_capacity, sizeof(struct live_part *));
	counts->parts[counts->part_count++] = part;
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
 * Takes ownership of the copy if it describes new functions. Returns whether it
 * did.
 */
static int learn_functions(struct live_part *part, struct catalog *catalog,
			   struct part_copy *copy)
{
	const uint64_t bytes = function_bytes(copy);

	if (part->is_begun && bytes == part->function_bytes)
		return 0;
	forget_part(part);
	part->known = *copy;
	part->function_bytes = bytes;
	part->is_begun = 1;
	numbering_init(&part->numbering, catalog, &part->known, 0);
	for (size_t i = 0; i < part->context_count; i++)
		part->contexts[i].function = numbering_function(
			&part->numbering, part->contexts[i].number);
	return 1;
}

/* ---- Contexts ---- */

static struct live_context *find_context(const struct live_part *part,
					 uint64_t id)
{
	const uint64_t *index = idmap_find(&part->by_id, id);

	return index ? &part->contexts[*index - 1] : NULL;
}

static void learn_context(struct live_part *part,
			  const struct wire_context *wire)
{
	const uint64_t id = wire_context_id(wire);
	uint64_t *slot, index;

	if (wire->id == 0 || idmap_find(&part->by_id, wire->id))
		return;
	slot = idmap_at(&part->by_id, id);
	if (*slot == 0) {
		part->contexts = memory_grow(
			part->contexts, part->context_count,
			&part->context_capacity, sizeof(*part->contexts));
		part->contexts[part->context_count] = (struct live_context){
			.id = id,
			.number = wire->function,
			.function = numbering_function(&part->numbering,
						       wire->function),
		};
		*slot = ++part->context_count;
	}
	index = *slot;
	if (wire_is_tail(wire))
		*idmap_at(&part->by_id, wire->id) = index;
}

static void learn_contexts(struct live_part *part,
			   const struct part_tallies *tallies)
{
	for (size_t i = 0; i < tallies->context_spans; i++)
		for (size_t j = 0; j < tallies->contexts[i].count; j++)
			learn_context(part, &tallies->contexts[i].items[j]);
}

const struct live_context *live_caller(const struct live_part *part,
				       const struct live_context *context)
{
	const uint64_t id = id_pop(context->id, id_key(context->number));

	return id == ID_ROOT ? NULL : find_context(part, id);
}

/* ---- Calls ---- */

static struct live_thread *tally_of(struct live_part *part, uint32_t tally)
{
	for (size_t i = 0; i < part->tally_count; i++)
		if (part->tallies[i].tally == tally)
			return &part->tallies[i];
	part->tallies =
		memory_grow(part->tallies, part->tally_count,
			    &part->tally_capacity, sizeof(*part->tallies));
	part->tallies[part->tally_count] =
		(struct live_thread){ .tally = tally };
	return &part->tallies[part->tally_count++];
}

/*
 * Adds the counts of a span to their contexts and to their thread. Returns
 * whether all contexts were found.
 */
static int add_span(struct live_part *part, const struct count_span *span)
{
	struct live_thread *thread = tally_of(part, span->tally);
	int is_whole = 1;

	for (size_t i = 0; i < span->count; i++) {
		const uint64_t calls = wire_calls(&span->items[i]);
		struct live_context *context;

		if (!wire_is_counted(&span->items[i]))
			continue;
		if (i + 8 < span->count)
			idmap_prefetch(&part->by_id, span->items[i + 8].id);
		context = find_context(part, span->items[i].id);
		thread->sum += calls;
		if (context)
			context->sum += calls;
		else
			is_whole = 0;
	}
	return is_whole;
}

static int add_spans(struct live_part *part, const struct part_tallies *tallies)
{
	int is_whole = 1;

	for (size_t i = 0; i < part->context_count; i++)
		part->contexts[i].sum = 0;
	for (size_t i = 0; i < part->tally_count; i++)
		part->tallies[i].sum = 0;
	for (size_t i = 0; i < tallies->count_spans; i++)
		is_whole &= add_span(part, &tallies->counts[i]);
	return is_whole;
}

/*
 * Begins a poll of a measure. While a table is replaced by a larger one, a poll
 * may find a smaller sum than before.
 */
static void begin_measure(struct live_measure *measure, uint64_t sum)
{
	*measure = (struct live_measure){
		.calls = sum > measure->calls ? sum : measure->calls,
		.new_calls = sum > measure->calls ? sum - measure->calls : 0,
	};
}

/*
 * Begins a poll of a part's measures. The calls of all contexts, including
 * folded ones, equal those of all threads.
 */
static void begin_measures(struct live_part *part)
{
	struct live_measure *total = &part->total;

	*total = (struct live_measure){ 0 };
	for (size_t i = 0; i < part->context_count; i++)
		begin_measure(&part->contexts[i].measure,
			      part->contexts[i].sum);
	for (size_t i = 0; i < part->tally_count; i++) {
		struct live_thread *thread = &part->tallies[i];

		begin_measure(&thread->measure, thread->sum);
		total->calls += thread->measure.calls;
		total->new_calls += thread->measure.new_calls;
	}
}

static void count_calls(struct live_part *part, const struct part_copy *copy)
{
	struct part_tallies tallies;

	part_tallies_init(&tallies, copy);
	if (!add_spans(part, &tallies)) {
		learn_contexts(part, &tallies);
		add_spans(part, &tallies);
	}
	begin_measures(part);
	part_tallies_fini(&tallies);
}

/* ---- Time ---- */

/* Adds time to the context and to all its callers. */
static void add_time(struct live_part *part, uint64_t id, uint64_t ns)
{
	const struct live_context *context = find_context(part, id);

	if (context)
		part->contexts[context - part->contexts].measure.self_ns += ns;
	for (int depth = 0; context && depth < DEPTH_MAX; depth++) {
		part->contexts[context - part->contexts].measure.total_ns += ns;
		context = live_caller(part, context);
	}
}

static void add_samples(struct live_part *part, const struct part_chunk *chunk,
			uint64_t after_tsc)
{
	const struct wire_sample *samples = (const void *)chunk->payload;
	struct live_measure *thread = &tally_of(part, chunk->owner)->measure;

	for (size_t i = 0; i < chunk->payload_bytes / sizeof(*samples); i++) {
		const struct wire_sample *sample = &samples[i];
		const uint64_t ns = wire_sample_ns(sample);

		if (sample->tsc > part->latest_tsc)
			part->latest_tsc = sample->tsc;
		if (sample->tsc <= after_tsc ||
		    sample->where & WIRE_SAMPLE_BLOCKED)
			continue;
		if (sample->where & WIRE_SAMPLE_CLEW) {
			part->clew_ns += ns;
			continue;
		}
		part->total.self_ns += ns;
		thread->self_ns += ns;
		add_time(part, sample->id, ns);
	}
}

static void count_time(struct live_part *part, const struct part_copy *copy)
{
	const uint64_t after_tsc = part->latest_tsc;
	struct part_chunk chunk;
	uint64_t cursor = 0;

	part->clew_ns = 0;
	while (part_next_chunk(copy, &cursor, &chunk))
		if (chunk.kind == WIRE_SAMPLES)
			add_samples(part, &chunk, after_tsc);
	part->total.total_ns = part->total.self_ns;
	for (size_t i = 0; i < part->tally_count; i++)
		part->tallies[i].measure.total_ns =
			part->tallies[i].measure.self_ns;
}

/* ---- Polling ---- */

static void take_header(struct live_part *part, const struct part_copy *copy)
{
	part->recorded_bytes = copy->size_bytes;
	part->pid = copy->header->pid;
	part->time = copy->header->time;
	part->state = copy->header->state;
	part->lost = 0;
	for (unsigned int i = 0; i < WIRE_LOSS_COUNT; i++)
		part->lost += copy->header->losses[i];
}

/*
 * Sets the measures of the last interval to 0 and keeps the numbers of calls:
 * the state of a part that has had no calls since the last poll. Called at the
 * beginning of a poll.
 */
static void rest_part(struct live_part *part)
{
	part->total = (struct live_measure){ .calls = part->total.calls };
	part->clew_ns = 0;
	for (size_t i = 0; i < part->context_count; i++)
		part->contexts[i].measure = (struct live_measure){
			.calls = part->contexts[i].measure.calls
		};
	for (size_t i = 0; i < part->tally_count; i++)
		part->tallies[i].measure = (struct live_measure){
			.calls = part->tallies[i].measure.calls
		};
}

/* Polls one part. Returns 0, or -errno and *why. */
static int look_at_part(struct live_part *part, struct catalog *catalog,
			char **why)
{
	struct part_copy copy;
	int is_kept, err;

	rest_part(part);
	if (part->has_ended)
		return 0;
	err = part_open(&copy, part->path, why);
	if (err)
		return err;
	take_header(part, &copy);
	part->has_ended = part->state == WIRE_ENDED;
	is_kept = learn_functions(part, catalog, &copy);
	/*
	 * The time in which functions were not counted is read again, since it
	 * grows and names contain it.
	 */
	if (copy.header->budget)
		part_left_out_add(&copy, catalog, &part->numbering);
	count_calls(part, &copy);
	count_time(part, &copy);
	threads_fini(&part->threads);
	threads_init(&part->threads, &copy);
	if (!is_kept)
		part_close(&copy);
	return 0;
}

static void sum_parts(struct live_counts *counts)
{
	counts->total = (struct live_measure){ 0 };
	counts->clew_ns = counts->lost = counts->context_count = 0;
	counts->has_time = 0;
	for (size_t i = 0; i < counts->part_count; i++) {
		const struct live_part *part = counts->parts[i];

		counts->total.calls += part->total.calls;
		counts->total.new_calls += part->total.new_calls;
		counts->total.self_ns += part->total.self_ns;
		counts->total.total_ns += part->total.total_ns;
		counts->clew_ns += part->clew_ns;
		counts->lost += part->lost;
		counts->context_count += part->context_count;
		counts->has_time |= part->time == WIRE_TIME_CPU ||
				    part->time == WIRE_TIME_WALL;
	}
}

int live_counts_look(struct live_counts *counts, char **why)
{
	const uint64_t before_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID);
	const uint64_t looked_ns = now_ns(CLOCK_MONOTONIC);
	size_t readable = 0;
	int err = 0;

	catalog_forget_left_out(&counts->catalog);
	for (size_t i = 0; i < counts->part_count; i++) {
		char *detail;
		const int failed = look_at_part(counts->parts[i],
						&counts->catalog, &detail);

		readable += !failed;
		if (failed && !err) {
			*why = detail;
			err = failed;
		} else if (failed) {
			free(detail);
		}
	}
	if (err && !readable)
		return err;
	if (err)
		free(*why);
	counts->interval_ns =
		counts->looked_ns ? looked_ns - counts->looked_ns : 0;
	counts->looked_ns = looked_ns;
	sum_parts(counts);
	counts->cost_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID) - before_ns;
	return 0;
}
