/* SPDX-License-Identifier: MIT */
/* See merge.h. */
#include "report/merge/merge.h"

#include <string.h>

#include "report/merge/contexts.h"
#include "report/merge/count_finder.h"
#include "report/merge/generated.h"
#include "report/merge/merged_samples.h"
#include "report/merge/part_jni.h"
#include "report/merge/part_labels.h"
#include "report/merge/part_left_out.h"
#include "report/merge/part_marks.h"
#include "report/merge/part_packets.h"
#include "report/merge/part_probes.h"
#include "report/merge/part_tallies.h"
#include "report/merge/part_values.h"
#include "report/merge/roots.h"
#include "report/model/call_times.h"
#include "report/recording/imported_reader.h"
#include "report/recording/values_reader.h"

/* Contexts or counts that are merged between two progress_update() calls. */
#define TELL_EACH 65536

/* Progress over all parts, in bytes. */
struct merge_progress {
	struct progress *progress; /* may be NULL */
	/* Bytes of the parts before the present one. */
	uint64_t before;
	uint64_t current; /* size of the present part */
	uint64_t all;
};

/* The state while one part is merged. */
struct work {
	struct merge_progress *reading;
	/* Numbers of contexts and counts that are merged so far, and of all. */
	uint64_t steps, all_steps;
	struct recording *recording;
	const struct part_copy *part;
	const struct whose *whose;
	struct catalog *catalog;
	struct tree *tree;
	struct numbering numbering;
	struct part_tallies tallies;
	struct part_packets packets;
	struct roots roots;
	struct contexts contexts;
	struct count_finder finder;
	int has_taken; /* whether add_all_contexts() was called */
	struct generated generated;
	struct samples samples;
	struct timing_work timing;
	/* maps 1 + the number of a tally to 1 + the thread */
	struct idmap timeline_threads;
	int wants_trace_times;
	struct merged *merged;
};

/* Reports that `steps` more contexts or counts are merged. */
static void tell_read(struct work *work, uint64_t steps)
{
	const struct merge_progress *reading = work->reading;
	uint64_t bytes;

	work->steps += steps;
	bytes = (uint64_t)((double)reading->current * (double)work->steps /
			   (double)work->all_steps);
	progress_update(reading->progress, "reading", reading->before + bytes,
			reading->all);
}

/* Called for each context or count; reports progress every TELL_EACH calls. */
static void tell_each(struct work *work, size_t index)
{
	if (index % TELL_EACH == TELL_EACH - 1)
		tell_read(work, TELL_EACH);
}

static uint64_t count_steps(const struct work *work)
{
	const struct part_tallies *tallies = &work->tallies;
	uint64_t steps = work->contexts.count + 1;

	for (size_t i = 0; i < tallies->count_spans; i++)
		steps += tallies->counts[i].count;
	return steps;
}

/* Returns whether nothing reads the part after it has been merged. */
static int is_read_once(const struct work *work)
{
	return work->whose->is_only_merged || work->recording->has_headers_only;
}

static void forget_contexts(const struct work *work)
{
	const struct part_tallies *tallies = &work->tallies;

	for (size_t i = 0; is_read_once(work) && i < tallies->context_spans;
	     i++)
		part_forget(work->part, tallies->contexts[i].items,
			    tallies->contexts[i].count *
				    sizeof(struct wire_context));
}

static void forget_counts(const struct work *work,
			  const struct count_span *span)
{
	if (is_read_once(work))
		part_forget(work->part, span->items,
			    span->count * sizeof(*span->items));
}

/*
 * Adds calls whose id belongs to no recorded context to the node of an unknown
 * function below an unknown caller.
 */
static void add_stray(struct work *work, uint32_t root, uint64_t calls)
{
	uint32_t nobody = tree_child(work->tree, root, FUNCTION_UNKNOWN_CALLER);

	nobody = tree_child(work->tree, nobody, FUNCTION_UNKNOWN);
	work->tree->nodes[nobody].calls += calls;
	work->merged->strays += calls;
}

static struct measure measure_of_count(const struct work *work,
				       const struct count_span *span, size_t i,
				       int is_tail)
{
	const uint64_t calls = wire_calls(&span->items[i]);

	return (struct measure){
		.calls = calls,
		.tails = is_tail ? calls : 0,
		.ns = span->own_ticks ? clock_ns(&work->samples.clock,
						 span->own_ticks[i])
				      : 0,
	};
}

/*
 * Adds the calls and times of the count with index i to the node of its
 * context.
 */
static void add_count(struct work *work, const struct count_span *span,
		      size_t i, const struct context *context, uint32_t node)
{
	const struct measure measure = measure_of_count(
		work, span, i, context->id != span->items[i].id);

	tree_add(work->tree, node, &measure);
	if (span->times && !work->whose->without_time)
		timing_add(&work->timing, work->tree, node,
			   count_span_times(span, i));
}

/*
 * Adds the calls in the largest table of the context's tally for an id of the
 * context, which has this node.
 */
static void add_count_of(struct work *work, const struct context *context,
			 uint64_t id, uint32_t node)
{
	size_t i = 0;
	const struct count_span *span =
		count_finder_take(&work->finder, context->tally, id, &i);

	if (span)
		add_count(work, span, i, context, node);
}

/*
 * Adds the context's calls in the largest table of its tally, also tail calls.
 * The id of tail calls could be the own id of another context, if the recording
 * is damaged.
 */
static void add_calls_of(struct work *work, const struct context *context,
			 uint32_t node)
{
	const uint64_t tail_id = wire_tail_id(context->id);

	add_count_of(work, context, context->id, node);
	if (context->has_tails &&
	    contexts_find(&work->contexts, tail_id) == context)
		add_count_of(work, context, tail_id, node);
}

/*
 * Adds all contexts of the part below the tree's root, and the calls that
 * add_calls_of() finds, in the order in which they are in memory, which halves
 * the number of cache misses.
 */
static void add_all_contexts(struct work *work)
{
	struct contexts *contexts = &work->contexts;

	work->has_taken = 1;
	tree_reserve(work->tree, work->tree->count + contexts->count);
	for (size_t i = 0; i < contexts->count; i++) {
		struct context *context = &contexts->items[i];
		uint32_t node;

		contexts_prefetch_place(contexts, i, TREE_ROOT);
		if (i + CONTEXTS_AHEAD < contexts->count)
			count_finder_prefetch(&work->finder,
					      context[CONTEXTS_AHEAD].tally,
					      context[CONTEXTS_AHEAD].id);
		node = contexts_place(contexts, context, TREE_ROOT);
		add_calls_of(work, context, node);
		tell_each(work, i);
	}
}

static void add_contexts(struct work *work, const struct context_span *span)
{
	uint64_t root = roots_of(&work->roots, span->tally);

	if (root == 0)
		return;
	for (size_t i = 0; i < span->count; i++) {
		struct context *context =
			contexts_find(&work->contexts, span->items[i].id);

		if (context)
			contexts_place(&work->contexts, context,
				       (uint32_t)root - 1);
	}
}

static void add_spans(struct work *work)
{
	const struct part_tallies *tallies = &work->tallies;

	for (size_t i = 0; i < tallies->context_spans; i++)
		add_contexts(work, &tallies->contexts[i]);
}

/* Returns whether add_calls_of() has added this count of the context. */
static int was_taken(struct work *work, const struct context *context,
		     const struct count_span *span, size_t i)
{
	size_t found = 0;

	return context->tally == span->tally &&
	       count_finder_find(&work->finder, span->tally, span->items[i].id,
				 &found) == span &&
	       found == i;
}

/*
 * Adds the calls of all counts that add_calls_of() has not added. Does nothing
 * if the tally is not selected.
 */
static void add_counts(struct work *work, const struct count_span *span)
{
	uint32_t root = (uint32_t)roots_of(&work->roots, span->tally) - 1;

	if (roots_of(&work->roots, span->tally) == 0 ||
	    count_finder_took_all(&work->finder, span))
		return;
	for (size_t i = 0; i < span->count; i++) {
		const struct wire_count *count = &span->items[i];
		struct context *context;

		tell_each(work, i);
		if (i + CONTEXTS_AHEAD < span->count)
			contexts_prefetch(&work->contexts,
					  count[CONTEXTS_AHEAD].id,
					  count[CONTEXTS_AHEAD * 2 / 3].id,
					  count[CONTEXTS_AHEAD / 3].id);
		if (!count_finder_matters(span, i))
			continue;
		context = contexts_find(&work->contexts, count->id);
		if (!context)
			add_stray(work, root, wire_calls(count));
		else if (!work->has_taken || !was_taken(work, context, span, i))
			add_count(
				work, span, i, context,
				contexts_place(&work->contexts, context, root));
	}
}

/*
 * Returns the timeline's index of the thread that uses a tally, and adds the
 * thread if it is new.
 */
static uint32_t timeline_thread(struct work *work, uint32_t tally)
{
	uint64_t *entered =
		idmap_at(&work->timeline_threads, (uint64_t)tally + 1);
	const struct thread *thread = NULL;

	if (*entered)
		return (uint32_t)*entered - 1;
	for (size_t i = 0; i < work->roots.threads.count && !thread; i++) {
		if (work->roots.threads.items[i].tally == tally)
			thread = &work->roots.threads.items[i];
	}
	*entered = timeline_add_thread(work->samples.timeline, work->part,
				       thread ? thread->tid : 0,
				       thread ? thread->name : "(no thread)") +
		   (uint64_t)1;
	return (uint32_t)*entered - 1;
}

static void add_samples(struct work *work)
{
	struct part_chunk chunk;
	uint64_t cursor = 0, root;

	while (part_next_chunk(work->part, &cursor, &chunk)) {
		if (chunk.kind != WIRE_SAMPLES)
			continue;
		root = roots_of(&work->roots, chunk.owner);
		if (root == 0)
			continue;
		progress_update(work->whose->progress, "placing samples",
				chunk.offset, work->part->size_bytes);
		samples_place(&work->samples, &chunk, (uint32_t)root - 1,
			      work->samples.timeline
				      ? timeline_thread(work, chunk.owner)
				      : 0);
	}
	work->merged->samples += work->samples.count;
	work->merged->clew_samples += work->samples.clew_count;
	work->merged->clew_ns += work->samples.clew_ns;
	work->merged->unsampled_ns += work->samples.unsampled_ns;
	work->merged->unsampled_threads += work->samples.unsampled_threads;
}

static void add_histograms(struct work *work, const struct part_chunk *chunk)
{
	const struct wire_histogram *items = (const void *)chunk->payload;

	for (size_t i = 0; i < chunk->used_bytes / sizeof(*items); i++)
		timing_add_bins(
			&work->tree->timings,
			numbering_function(&work->numbering, items[i].function),
			numbering_function(&work->numbering, items[i].caller),
			&items[i]);
}

/*
 * Adds the histograms of the selected tallies. The times of contexts are added
 * later, with their counts.
 */
static void begin_timing(struct work *work)
{
	struct part_chunk chunk;
	uint64_t cursor = 0;

	while (part_next_chunk(work->part, &cursor, &chunk))
		if (chunk.kind == WIRE_HISTOGRAMS &&
		    roots_of(&work->roots, chunk.owner))
			add_histograms(work, &chunk);
}

static void finish_timing(struct work *work)
{
	const struct part_tallies *tallies = &work->tallies;

	for (size_t i = 0; i < tallies->count; i++) {
		const struct wire_tally *head = tallies->items[i].head;
		struct timings *timings = &work->tree->timings;

		if (!roots_of(&work->roots, tallies->items[i].number))
			continue;
		timings->paused_ns +=
			clock_ns(&work->timing.clock, head->paused_ticks);
		timings->present_ns += head->present_ns;
		timings->cpu_ns += head->cpu_ns;
	}
	timing_finish(&work->timing, work->tree);
}

/*
 * Returns the main value of an imported recording, which is the first value of
 * the first part that has values; NULL if there is none yet.
 */
static const char *imported_value(const struct work *work)
{
	struct recorded_values values;
	struct part_chunk chunk;
	uint64_t cursor = 0;
	char *name = work->merged->imported_value;

	while (!*name && part_next_chunk(work->part, &cursor, &chunk))
		if (recorded_values_of(&chunk, &values))
			memcpy(name, values.kinds[0].name,
			       sizeof(values.kinds[0].name));
	return *name ? name : NULL;
}

/*
 * Adds the agents' values of the part. They belong to the process and to no
 * thread, so they are added below the root of the process's first tally, or
 * below the tree's root if that tally is not selected.
 */
static void add_values(struct work *work)
{
	const uint32_t tally =
		work->tallies.count > 0 ? work->tallies.items[0].number : 0;
	const uint64_t root = roots_of(&work->roots, tally);
	const char *wanted = work->whose->value;

	if (!wanted && recording_is_imported(work->recording))
		wanted = imported_value(work);
	part_values_add(&work->merged->values, work->part, &work->contexts,
			root ? (uint32_t)root - 1 : TREE_ROOT, wanted);
}

/*
 * Adds the calls in packets with their labels, and the calls that the process
 * has counted itself without labels.
 */
static void add_labelled(struct work *work, const struct part_labels *labels,
			 size_t own_spans)
{
	for (size_t i = 0; i < own_spans; i++)
		add_counts(work, &work->tallies.counts[i]);
	part_labels_add(labels, &work->contexts, &work->roots);
	work->merged->labelled++;
}

/* Adds marks, and the values that probes recorded. */
static void add_moments(struct work *work)
{
	struct mark_list *marks = &work->merged->marks;
	const size_t from = marks->event_count;

	part_probes_add(marks, work->part, &work->contexts,
			work->whose->thread);
	part_marks_add(marks, work->part, &work->contexts, work->whose->thread);
	mark_list_pair(marks, from);
}

/* Adds calls, times and values by context, and marks. */
static void add_plain(struct work *work)
{
	const struct part_tallies *tallies = &work->tallies;
	const int is_timed = !work->whose->without_time &&
			     work->part->header->time == WIRE_TIME_EXACT;

	if (is_timed)
		begin_timing(work);
	if (roots_want_everything(&work->roots)) {
		forget_contexts(work);
		add_all_contexts(work);
	} else {
		add_spans(work);
		forget_contexts(work);
	}
	for (size_t i = 0; i < tallies->count_spans; i++) {
		add_counts(work, &tallies->counts[i]);
		forget_counts(work, &tallies->counts[i]);
	}
	if (!work->whose->without_time)
		add_samples(work);
	if (is_timed)
		finish_timing(work);
	add_values(work);
	add_moments(work);
}

static void note_trace_times(struct work *work)
{
	const struct packet_counts *counts = &work->packets.counts;
	const uint64_t ns = clock_ns(&work->samples.clock, counts->ticks);

	work->merged->trace_ns += ns;
	if (!counts->has_returns)
		work->merged->divided_ns += ns;
}

static void add_everything(struct work *work)
{
	const struct label_wish nothing = { 0 };
	const struct label_wish *wish =
		work->whose->labels ? work->whose->labels : &nothing;
	struct part_labels labels;
	size_t own_spans;

	generated_name_callers(&work->generated, &work->numbering);
	roots_select(&work->roots, work->merged);
	part_tallies_init(&work->tallies, work->part);
	own_spans = work->tallies.count_spans;
	part_packets_add(&work->packets, work->recording, work->part,
			 &work->tallies, work->wants_trace_times);
	note_trace_times(work);
	work->merged->has_call_sites |=
		work->packets.is_there &&
		work->packets.trace.keeps & WIRE_KEEPS_SITES;
	contexts_init(&work->contexts, &work->tallies, &work->numbering,
		      work->catalog, work->tree);
	count_finder_init(&work->finder, &work->tallies);
	work->steps = 0;
	work->all_steps = count_steps(work);
	if (part_labels_init(&labels, wish, work->part, &work->packets))
		add_labelled(work, &labels, own_spans);
	else
		add_plain(work);
	part_labels_fini(&labels);
	recording_note(work->recording,
		       inconsistencies_text(&work->contexts.inconsistencies,
					    work->part, work->contexts.count));
	recording_note_expected(work->recording, import_text(work->part));
	recording_note(work->recording, java_problem_text(work->part));
	recording_note(work->recording, jni_problem_text(work->part));
	recording_note(work->recording, makers_problem_text(work->part));
	if (recording_note_expected(work->recording,
				    rootless_problem_text(work->part)))
		work->recording->losses.rootless_threads +=
			work->part->header->rootless_threads;
	recording_note(work->recording, overwritten_problem_text(work->part));
	recording_note(work->recording, budget_problem_text(work->part));
	part_jni_add(&work->merged->jni, work->part, &work->contexts);
	count_finder_fini(&work->finder);
	contexts_fini(&work->contexts);
	part_tallies_fini(&work->tallies);
	part_packets_fini(&work->packets);
}

/* Merges one part. Returns whether it is selected (roots_want_anybody()). */
static int merge_part(struct work *work)
{
	int is_wanted;

	numbering_init(&work->numbering, work->catalog, work->part,
		       work->whose->by_line);
	roots_init(&work->roots, work->part, work->whose, work->catalog,
		   work->tree);
	clock_init(&work->samples.clock, work->part->header);
	work->timing.clock = work->samples.clock;
	work->timing.part = work->part;
	work->samples.contexts = &work->contexts;
	work->samples.generated = &work->generated;
	generated_init(&work->generated, work->recording, work->part,
		       work->catalog, &work->numbering, &work->samples.clock);
	part_left_out_add(work->part, work->catalog, &work->numbering);
	made_code_mark_makers(work->part, work->catalog, &work->numbering);
	is_wanted = roots_want_anybody(&work->roots);
	if (is_wanted)
		add_everything(work);
	generated_fini(&work->generated);
	roots_fini(&work->roots);
	numbering_fini(&work->numbering);
	idmap_fini(&work->timeline_threads);
	return is_wanted;
}

/* Counts calls that have not ended and therefore have no time. */
static void count_open_calls(struct tree *tree)
{
	struct timings *timings = &tree->timings;

	for (size_t i = 0; i < tree->count && i < timings->node_count; i++) {
		uint64_t calls = tree->nodes[i].calls;

		if (calls > timings->nodes[i].ended)
			timings->open_calls += calls - timings->nodes[i].ended;
	}
}

/*
 * Returns a number that identifies the process: two parts with the same pid
 * belong to different processes if they are from different runs.
 */
static uint64_t process_key(const struct part_copy *part)
{
	return (uint64_t)part->run << 32 | (part->header->pid + UINT64_C(1));
}

/*
 * If there is no sample except those for threads without samples, removes all
 * time from the tree, because it is unknown where it was spent.
 */
static void forget_unsampled(struct merged *merged, struct tree *tree)
{
	if (!merged->unsampled_threads ||
	    merged->samples > merged->unsampled_threads)
		return;
	tree_forget_time(tree);
	merged->samples = 0;
	merged->unsampled_ns = merged->unsampled_threads = 0;
}

/*
 * Returns whether times are computed from the time stamps of traces. A tree has
 * only one kind of time, and samples and exact times have precedence.
 */
static int wants_trace_times(const struct recording *recording,
			     const struct whose *whose)
{
	if (whose->without_time || whose->without_trace_times)
		return 0;
	for (size_t i = 0; i < recording->part_count; i++)
		if (recording->parts[i].header->time != WIRE_TIME_NONE)
			return 0;
	return 1;
}

void merge_recording(struct recording *recording, const struct whose *whose,
		     struct catalog *catalog, struct tree *tree,
		     struct timeline *timeline, struct merged *merged)
{
	const int is_timed = wants_trace_times(recording, whose);
	struct idmap pids = { 0 };
	struct merge_progress reading = { .progress = whose->progress };

	*merged = (struct merged){ 0 };
	for (size_t i = 0; i < recording->part_count; i++)
		reading.all += recording->parts[i].header->end;
	for (size_t i = 0; i < recording->part_count; i++) {
		struct work work = {
			.reading = &reading,
			.recording = recording,
			.part = recording_bring(recording, i),
			.whose = whose,
			.catalog = catalog,
			.tree = tree,
			.samples.timeline =
				whose->with_timeline ? timeline : NULL,
			.samples.with_clew = whose->with_clew,
			.samples.places = &merged->places,
			.wants_trace_times = is_timed,
			.merged = merged,
		};

		reading.before += reading.current;
		reading.current = recording->parts[i].header->end;
		progress_update(reading.progress, "reading", reading.before,
				reading.all);
		if (!work.part)
			continue;
		if (merge_part(&work))
			*idmap_at(&pids, process_key(work.part)) = 1;
		if (whose->look)
			whose->look(whose->look_context, work.part);
		recording_let_go(recording, i);
	}
	merged->processes = pids.used;
	idmap_fini(&pids);
	for (size_t i = 0; i < tree->count; i++)
		merged->contexts += tree->nodes[i].is_context;
	count_open_calls(tree);
	if (whose->value || *merged->imported_value)
		values_settle(tree);
	if (merged->labelled)
		labels_settle(tree);
	forget_unsampled(merged, tree);
	tree_sum(tree);
	mark_list_finish(&merged->marks);
	jni_usage_finish(&merged->jni);
	timeline_sort(timeline);
}
