/* SPDX-License-Identifier: MIT */
/* See probe_record.h. */
#include "preload/probe/probe_record.h"

#include <string.h>

#include "preload/record/numbers.h"
#include "preload/sys/copy_bytes.h"

static uint32_t record_bytes(const struct asked_probe *probe)
{
	return (uint32_t)(sizeof(struct wire_probe) +
			  ((strlen(probe->text) + 7) & ~UINT64_C(7)));
}

int probe_record_asked(struct part *part, const struct config *config,
		       uint32_t wanted)
{
	uint64_t bytes = 0;
	struct chunk chunk;
	unsigned char *at;
	int err;

	for (const struct asked_probe *p = config->probes; p; p = p->next)
		if (wanted >> p->number & 1)
			bytes += record_bytes(p);
	if (!bytes)
		return 0;
	err = part_alloc(part, WIRE_PROBES, 0, bytes, &chunk);
	if (err)
		return err;
	at = chunk_payload(&chunk);
	for (const struct asked_probe *p = config->probes; p; p = p->next) {
		struct wire_probe *record = (struct wire_probe *)at;

		if (!(wanted >> p->number & 1))
			continue;
		record->bytes = record_bytes(p);
		record->text_bytes = (uint32_t)strlen(p->text);
		record->number = p->number;
		copy_bytes(record + 1, p->text, record->text_bytes);
		at += record->bytes;
	}
	atomic_store_explicit(&chunk.head->used, bytes, memory_order_release);
	return 0;
}

struct record_search {
	uint32_t probe;
	struct wire_probe *found;
};

static int find_record(void *context, const struct chunk *chunk)
{
	struct record_search *search = context;
	unsigned char *at = chunk_payload(chunk);
	const unsigned char *end = at + chunk->head->used;

	while (at < end) {
		struct wire_probe *record = (struct wire_probe *)at;

		if (record->number == search->probe)
			search->found = record;
		at += record->bytes;
	}
	return search->found != NULL;
}

void probe_record_removed(const struct part *part, uint32_t probe,
			  int is_removed)
{
	struct record_search search = { .probe = probe };

	part_each_chunk(part, WIRE_PROBES, find_record, &search);
	if (search.found)
		__atomic_store_n(&search.found->is_removed, is_removed != 0,
				 __ATOMIC_RELAXED);
}

static uint32_t count_places(const struct probe_places *places, uint32_t probe)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < places->count; i++)
		count += probe == PROBE_RECORD_ALL ||
			 places->list[i].probe == probe;
	return count;
}

int probe_record_places(struct part *part, const struct module *module,
			const struct probe_places *places, uint32_t probe)
{
	const uint64_t bytes =
		count_places(places, probe) * sizeof(struct wire_probe_place);
	struct wire_probe_place *record;
	struct chunk chunk;
	int err;

	if (!bytes)
		return 0;
	err = part_alloc(part, WIRE_PROBE_PLACES, 0, bytes, &chunk);
	if (err)
		return err;
	record = chunk_payload(&chunk);
	for (uint32_t i = 0; i < places->count; i++) {
		const struct probe_place *place = &places->list[i];

		if (probe != PROBE_RECORD_ALL && place->probe != probe)
			continue;
		*record++ = (struct wire_probe_place){
			.vaddr = place->site.vaddr,
			.function = module->numbers ? module->numbers->first +
							      place->function
						    : 0,
			.probe = (uint16_t)place->probe,
			.tier = place->tier,
			.reason = place->reason,
		};
	}
	atomic_store_explicit(&chunk.head->used, bytes, memory_order_release);
	return 0;
}
