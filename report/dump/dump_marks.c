/* SPDX-License-Identifier: MIT */
/* See dump_marks.h. */
#include "report/dump/dump_marks.h"

#include <inttypes.h>
#include <string.h>

#include "report/dump/dump_string.h"
#include "report/recording/marks_reader.h"

static void dump_names(FILE *out, const struct recorded_mark_names *names)
{
	for (unsigned int i = 0; i < WIRE_MARK_LOSS_COUNT; i++)
		if (names->head->lost[i] > 0)
			fprintf(out, "marks_lost number=%" PRIu64 " why=%u\n",
				(uint64_t)names->head->lost[i], i);
	for (uint32_t i = 0; i < names->count; i++) {
		if (names->items[i].state != WIRE_NAME_THERE)
			continue;
		fprintf(out, "mark_name number=%" PRIu32, i + 1);
		dump_string(out, "text", names->items[i].text,
			    strlen(names->items[i].text));
	}
}

void dump_marks(FILE *out, const struct part_chunk *chunk)
{
	struct recorded_mark_names names;
	struct recorded_marks marks;

	if (recorded_mark_names_of(chunk, &names))
		dump_names(out, &names);
	if (!recorded_marks_of(chunk, &marks))
		return;
	for (uint32_t i = 0; i < marks.count; i++) {
		const struct wire_mark *mark = &marks.items[i];

		if (mark->kind != WIRE_MARK_FREE)
			fprintf(out,
				"mark tsc=%" PRIu64 " id=%#" PRIx64
				" number=%" PRIu64 " tid=%" PRIu32
				" name=%u kind=%u\n",
				mark->tsc, mark->id, mark->number, mark->tid,
				mark->name, (unsigned int)mark->kind);
	}
}
