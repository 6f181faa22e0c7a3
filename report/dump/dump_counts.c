/* SPDX-License-Identifier: MIT */
/* See dump_counts.h. */
#include "report/dump/dump_counts.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/idmap.h"
#include "report/merge/part_tallies.h"
#include "report/model/waits.h"
#include "wire/id.h"

/* ---- Independent chunks ---- */

static void dump_wait(FILE *out, uint32_t wait)
{
	char *name = wait_text(wait);

	fprintf(out, " wait=%s", name);
	free(name);
}

void dump_samples(FILE *out, const struct part_chunk *chunk)
{
	const struct wire_sample *samples = (const void *)chunk->payload;

	for (size_t i = 0; i < chunk->payload_bytes / sizeof(*samples); i++) {
		const struct wire_sample *sample = &samples[i];

		if (sample->tsc == 0)
			continue;
		fprintf(out,
			"sample tally=%" PRIu32 " tsc=%" PRIu64
			" id=%#018" PRIx64 " pc=%#" PRIx64
			" blocked=%d kernel=%d clew=%d weight_ns=%" PRIu64
			" looks=%" PRIu32,
			chunk->owner, sample->tsc, sample->id,
			sample->where & WIRE_SAMPLE_PC,
			(sample->where & WIRE_SAMPLE_BLOCKED) != 0,
			(sample->where & WIRE_SAMPLE_KERNEL) != 0,
			(sample->where & WIRE_SAMPLE_CLEW) != 0,
			wire_sample_ns(sample),
			wire_sample_observations(sample));
		if (sample->where & WIRE_SAMPLE_BLOCKED)
			dump_wait(out, wire_sample_wait(sample));
		fputc('\n', out);
	}
}

/* Omits empty bins: "5=17" means 17 calls of 32 to 63 ticks. */
void dump_histograms(FILE *out, const struct part_chunk *chunk)
{
	const struct wire_histogram *items = (const void *)chunk->payload;

	for (size_t i = 0; i < chunk->used_bytes / sizeof(*items); i++) {
		fprintf(out, "histogram tally=%" PRIu32 " function=%" PRIu32,
			chunk->owner, items[i].function);
		if (items[i].caller)
			fprintf(out, " caller=%" PRIu32, items[i].caller);
		for (unsigned int bin = 0; bin < WIRE_BINS; bin++)
			if (items[i].bins[bin])
				fprintf(out, " %u=%" PRIu64, bin,
					items[i].bins[bin]);
		fputc('\n', out);
	}
}

/* ---- Tallies, which consist of several chunks ---- */

static void dump_times(FILE *out, const struct count_span *span)
{
	for (size_t i = 0; i < span->count; i++) {
		const struct wire_times *times = count_span_times(span, i);

		if (!times || !wire_is_counted(&span->items[i]) ||
		    (!times->ended && !times->self && !times->latest))
			continue;
		fprintf(out,
			"times tally=%" PRIu32 " id=%#018" PRIx64
			" ended=%" PRIu64 " total_ticks=%" PRIu64
			" self_ticks=%" PRIu64 " min_ticks=%" PRIu64
			" max_ticks=%" PRIu64 " clamped=%" PRIu64
			" latest_ticks=%" PRIu64 "\n",
			span->tally, (uint64_t)span->items[i].id, times->ended,
			times->total, times->self, times->min, times->max,
			times->clamped, times->latest);
	}
}

static void dump_verdicts(FILE *out, uint32_t tally, const char *of,
			  const struct wire_verdicts *verdicts)
{
	fprintf(out,
		"verdicts tally=%" PRIu32 " of=%s verified=%" PRIu64
		" collisions=%" PRIu64 " diverged=%" PRIu64 " partial=",
		tally, of, verdicts->verified, verdicts->collisions,
		verdicts->diverged);
	for (unsigned int i = 0; i < WIRE_PARTIAL_COUNT; i++)
		fprintf(out, "%s%" PRIu64, i ? "," : "", verdicts->partial[i]);
	fputc('\n', out);
}

static void dump_tally(FILE *out, const struct part_tally *tally)
{
	const struct wire_tally *head = tally->head;

	fprintf(out,
		"tally number=%" PRIu32 " table=%" PRIu64 ":%u"
		" retired=%" PRIu64 ":%u contexts=%" PRIu64
		" folded_calls=%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
		",%" PRIu64 ",%" PRIu64 " paused_ticks=%" PRIu64
		" present_ns=%" PRIu64 " cpu_ns=%" PRIu64 "\n",
		tally->number, wire_table_offset(head->table),
		wire_table_log2(head->table), wire_table_offset(head->retired),
		wire_table_log2(head->retired), head->contexts,
		head->folded_calls[WIRE_FOLD_CONTEXTS],
		head->folded_calls[WIRE_FOLD_BYTES],
		head->folded_calls[WIRE_FOLD_SPACE],
		head->folded_calls[WIRE_FOLD_MEMORY],
		head->folded_calls[WIRE_FOLD_FILTER],
		head->folded_calls[WIRE_FOLD_GROUP], head->paused_ticks,
		head->present_ns, head->cpu_ns);
	dump_verdicts(out, tally->number, "calls", &head->calls);
	dump_verdicts(out, tally->number, "firsts", &head->firsts);
}

/* Returns a key that differs for the same id in two tallies. */
static uint64_t key_of(uint32_t tally, uint64_t id)
{
	uint64_t key = id_push(id, tally);

	return key ? key : 1;
}

static void dump_contexts(FILE *out, const struct context_span *span,
			  const struct idmap *calls)
{
	for (size_t i = 0; i < span->count; i++) {
		const struct wire_context *context = &span->items[i];
		const uint64_t *number;

		if (context->id == 0)
			continue;
		number = idmap_find(calls, key_of(span->tally, context->id));
		fprintf(out,
			"context tally=%" PRIu32 " id=%#018" PRIx64
			" parent=%#018" PRIx64 " function=%" PRIu32
			" depth=%" PRIu32 " site=%#" PRIx64
			" tail=%d calls=%" PRIu64 "\n",
			span->tally, wire_context_id(context),
			id_pop(wire_context_id(context),
			       id_key(context->function)),
			context->function, context->depth,
			context->site & WIRE_SITE_PC, wire_is_tail(context),
			number ? *number : 0);
	}
}

void dump_tallies(FILE *out, const struct part_copy *part)
{
	struct part_tallies tallies;
	struct idmap calls = { 0 };

	part_tallies_init(&tallies, part);
	for (size_t i = 0; i < tallies.count; i++)
		dump_tally(out, &tallies.items[i]);
	for (size_t i = 0; i < tallies.count_spans; i++) {
		const struct count_span *span = &tallies.counts[i];

		for (size_t j = 0; j < span->count; j++) {
			if (!wire_is_counted(&span->items[j]))
				continue;
			*idmap_at(&calls,
				  key_of(span->tally, span->items[j].id)) +=
				wire_calls(&span->items[j]);
		}
	}
	for (size_t i = 0; i < tallies.context_spans; i++)
		dump_contexts(out, &tallies.contexts[i], &calls);
	for (size_t i = 0; i < tallies.count_spans; i++)
		dump_times(out, &tallies.counts[i]);
	idmap_fini(&calls);
	part_tallies_fini(&tallies);
}
