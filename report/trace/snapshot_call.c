/* SPDX-License-Identifier: MIT */
/* See snapshot_call.h. */
#include "report/trace/snapshot_call.h"

#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "report/recording/marks_reader.h"
#include "wire/recording.h"
#include "wire/snapshot_name.h"

/* Returns the number of the snapshot that contains the part; 0: none. */
static uint32_t snapshot_of(const struct part_copy *part)
{
	char *path = realpath(part->path, NULL), *folder;
	uint32_t number = 0;

	if (!path)
		return 0;
	folder = strrchr(path, '/');
	if (folder) {
		*folder = '\0';
		number = wire_snapshot_number(text_basename(path));
	}
	free(path);
	return number;
}

static int is_call_mark(const struct recorded_mark_names *names,
			const struct wire_mark *mark)
{
	const uint32_t index = mark->name - 1U;

	return mark->kind != WIRE_MARK_FREE && index < names->count &&
	       names->items[index].state == WIRE_NAME_THERE &&
	       strcmp(names->items[index].text, WIRE_MARK_SNAPSHOT_CALL) == 0;
}

static int find_names(const struct part_copy *part,
		      struct recorded_mark_names *names)
{
	struct part_chunk chunk;
	uint64_t cursor = 0;

	while (part_next_chunk(part, &cursor, &chunk))
		if (recorded_mark_names_of(&chunk, names))
			return 1;
	return 0;
}

uint32_t snapshot_call_thread(const struct part_copy *part)
{
	const uint32_t number = snapshot_of(part);
	struct recorded_mark_names names;
	struct recorded_marks marks;
	struct part_chunk chunk;
	uint64_t cursor = 0;

	if (!number || !find_names(part, &names))
		return 0;
	while (part_next_chunk(part, &cursor, &chunk)) {
		if (!recorded_marks_of(&chunk, &marks))
			continue;
		for (uint32_t i = 0; i < marks.count; i++)
			if (marks.items[i].number == number &&
			    is_call_mark(&names, &marks.items[i]))
				return marks.items[i].tid;
	}
	return 0;
}
