/* SPDX-License-Identifier: MIT */
#include "report/view/dump_probes.h"

#include <inttypes.h>

#include "report/view/dump_string.h"

static void dump_asked(FILE *out, const struct part_chunk *chunk)
{
	size_t at = 0;

	while (chunk->payload_bytes - at >= sizeof(struct wire_probe)) {
		const struct wire_probe *probe =
			(const void *)(chunk->payload + at);

		if (probe->bytes < sizeof(*probe) || probe->bytes % 8 != 0 ||
		    probe->bytes > chunk->payload_bytes - at ||
		    probe->text_bytes > probe->bytes - sizeof(*probe))
			return;
		fprintf(out, "probe number=%" PRIu32, probe->number);
		dump_string(out, "text", (const char *)(probe + 1),
			    probe->text_bytes);
		at += probe->bytes;
	}
}

static void dump_places(FILE *out, const struct part_chunk *chunk)
{
	const struct wire_probe_place *places = (const void *)chunk->payload;

	for (size_t i = 0; i < chunk->used_bytes / sizeof(*places); i++)
		fprintf(out,
			"probe_place probe=%u vaddr=%#" PRIx64
			" function=%" PRIu32 " tier=%s reason=%u\n",
			places[i].probe, places[i].vaddr, places[i].function,
			probe_tier_text(places[i].tier), places[i].reason);
}

void dump_probes(FILE *out, const struct part_chunk *chunk)
{
	if (chunk->kind == WIRE_PROBES)
		dump_asked(out, chunk);
	if (chunk->kind == WIRE_PROBE_PLACES)
		dump_places(out, chunk);
}
