/* SPDX-License-Identifier: MIT */
/* See unrecorded_reader.h. */
#include "report/recording/unrecorded_reader.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "base/regular_file.h"
#include "wire/recording.h"

/*
 * At most LINES_MAX valid lines are kept, and further ones are counted. A line of LINE_BYTES or more is read
 * in pieces. libclew.so writes one line of at most 256 bytes for each process
 * that it cannot record.
 */
enum { LINES_MAX = 10000, LINE_BYTES = 512 };

static FILE *open_file(const char *directory)
{
	char *path = memory_printf("%s/" WIRE_UNRECORDED_NAME, directory);
	FILE *file = regular_file_stream(path);

	free(path);
	return file;
}

/* Parses a line "PID WHY". Returns WHY, or NULL for any other line. */
static const char *parse(const char *line, uint32_t *pid)
{
	char *end;
	unsigned long number = strtoul(line, &end, 10);

	if (end == line || *end != ' ' || number > UINT32_MAX)
		return NULL;
	*pid = (uint32_t)number;
	return end + 1;
}

struct unrecorded *unrecorded_read(const char *directory, size_t *count,
				   size_t *more)
{
	FILE *file = open_file(directory);
	struct unrecorded *items = NULL;
	size_t capacity = 0;
	char line[LINE_BYTES];

	*count = *more = 0;
	while (file && fgets(line, sizeof(line), file)) {
		uint32_t pid;
		const char *why = parse(line, &pid);

		*more += why && *count == LINES_MAX;
		if (!why || *count == LINES_MAX)
			continue;
		items = memory_grow(items, *count, &capacity, sizeof(*items));
		line[strcspn(line, "\n")] = '\0';
		items[(*count)++] = (struct unrecorded){
			.pid = pid,
			.why = memory_printf("%s", text_printable(line) +
							   (why - line)),
		};
	}
	if (file)
		fclose(file);
	return items;
}

void unrecorded_free(struct unrecorded *items, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(items[i].why);
	free(items);
}
