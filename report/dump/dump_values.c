/* SPDX-License-Identifier: MIT */
/* See dump_values.h. */
#include "report/dump/dump_values.h"

#include <inttypes.h>
#include <string.h>

#include "report/dump/dump_string.h"
#include "report/recording/values_reader.h"

void dump_values(FILE *out, const struct part_chunk *chunk)
{
	struct recorded_values values;

	if (!recorded_values_of(chunk, &values))
		return;
	for (uint32_t i = 0; i < values.columns; i++) {
		fprintf(out, "value column=%" PRIu32 " unit=%" PRIu32, i,
			values.kinds[i].unit);
		dump_string(out, "text", values.kinds[i].name,
			    strlen(values.kinds[i].name));
	}
	for (uint32_t i = 0; i < values.count; i++) {
		const struct wire_value_row *row = recorded_row(&values, i);

		if (row->state == WIRE_ROW_FREE)
			continue;
		fprintf(out,
			"value_row id=%#" PRIx64 " state=%" PRIu32 " values=",
			row->id, (uint32_t)row->state);
		for (uint32_t j = 0; j < values.columns; j++)
			fprintf(out, "%s%" PRId64, j ? "," : "",
				recorded_row_values(row)[j]);
		fputc('\n', out);
	}
}
