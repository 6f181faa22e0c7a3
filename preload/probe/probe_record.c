/* SPDX-License-Identifier: MIT */
#include "preload/probe/probe_record.h"

#include <string.h>

#include "preload/record/numbers.h"
#include "preload/sys/copy_bytes.h"

static uint32_t record_bytes(const struct asked_probe *probe)
{
	return (uint32_t)(sizeof(struct wire_probe) +
			  ((strlen(probe->text) + 7) & ~UINT64_C(7)));
}

int probe_record_asked(struct part *part, const struct config *config)
{
	uint64_t bytes = 0;
	struct chunk chunk;
	unsigned char *at;
	int err;

	for (const struct asked_probe *p = config->probes; p; p = p->next)
		bytes += record_bytes(p);
	if (!bytes)
		return 0;
	err = part_alloc(part, WIRE_PROBES, 0, bytes, &chunk);
	if (err)
		return err;
	at = chunk_payload(&chunk);
	for (const struct asked_probe *p = config->probes; p; p = p->next) {
		struct wire_probe *record = (struct wire_probe *)at;

		record->bytes = record_bytes(p);
		record->text_bytes = (uint32_t)strlen(p->text);
		record->number = p->number;
		copy_bytes(record + 1, p->text, record->text_bytes);
		at += record->bytes;
	}
	atomic_store_explicit(&chunk.head->used, bytes, memory_order_release);
	return 0;
}

int probe_record_places(struct part *part, const struct module *module,
			const struct probe_places *places)
{
	const uint64_t bytes = places->count * sizeof(struct wire_probe_place);
	struct wire_probe_place *records;
	struct chunk chunk;
	int err;

	if (!places->count)
		return 0;
	err = part_alloc(part, WIRE_PROBE_PLACES, 0, bytes, &chunk);
	if (err)
		return err;
	records = chunk_payload(&chunk);
	for (uint32_t i = 0; i < places->count; i++) {
		const struct probe_place *place = &places->list[i];

		records[i] = (struct wire_probe_place){
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
