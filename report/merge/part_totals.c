/* SPDX-License-Identifier: MIT */
/* See part_totals.h. */
#include "report/merge/part_totals.h"

#include "report/merge/part_tallies.h"
#include "report/model/function_catalog.h"
#include "wire/verdict.h"

static void add_tallies(struct part_totals *totals,
			const struct part_copy *part)
{
	struct part_tallies tallies;

	part_tallies_init(&tallies, part);
	for (size_t i = 0; i < tallies.count_spans; i++) {
		const struct count_span *span = &tallies.counts[i];

		for (size_t j = 0; j < span->count; j++)
			if (wire_is_counted(&span->items[j]))
				totals->calls += wire_calls(&span->items[j]);
	}
	for (size_t i = 0; i < tallies.count; i++)
		for (unsigned int j = 0; j < WIRE_FOLD_COUNT; j++)
			totals->folded +=
				tallies.items[i].head->folded_calls[j];
	part_tallies_fini(&tallies);
}

static void add_module(struct part_totals *totals,
		       const struct module_record *record)
{
	if (record->module->state != MODULE_IS_HOOKED ||
	    record->module->unloaded_ns)
		return;
	for (uint32_t i = 0; i < record->function_count; i++)
		totals->hooks += verdict_class(record->functions[i].verdict) ==
				 VERDICT_HOOKED;
}

void part_totals_init(struct part_totals *totals, const struct part_copy *part)
{
	struct module_record record;
	struct part_chunk chunk;
	uint64_t cursor = 0;

	*totals = (struct part_totals){ .contexts = part_contexts(part) };
	for (unsigned int i = 0; i < WIRE_LOSS_COUNT; i++)
		totals->lost += part->header->losses[i];
	add_tallies(totals, part);
	while (part_next_chunk(part, &cursor, &chunk))
		if (module_record_of(&chunk, &record))
			add_module(totals, &record);
}
