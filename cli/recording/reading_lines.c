/* SPDX-License-Identifier: MIT */
/* See reading_lines.h. */
#include "cli/recording/reading_lines.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "base/new_files.h"
#include "base/now.h"
#include "base/regular_file.h"
#include "base/suffix.h"
#include "cli/common/command.h"
#include "wire/recording.h"

enum {
	/*
	 * Maximum number of starting processes. If there are more, only the
	 * latest are observed.
	 */
	STARTING_MAX = 64,
	SHORT_MS = 250, /* The least time that is reported. */
};

struct reading_lines {
	int folder_fd;
	struct new_files *new_files;
	char *starting[STARTING_MAX]; /* Names of parts; NULL if free. */
	size_t next;
	char **printed;
	size_t printed_count, printed_capacity;
};

struct reading_lines *reading_lines_create(const char *folder)
{
	struct reading_lines *lines = memory_zeroed(1, sizeof(*lines));

	lines->folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	lines->new_files = new_files_begin(folder);
	if (lines->folder_fd >= 0 && lines->new_files)
		return lines;
	reading_lines_destroy(lines);
	return NULL;
}

void reading_lines_destroy(struct reading_lines *lines)
{
	if (!lines)
		return;
	if (lines->folder_fd >= 0)
		close(lines->folder_fd);
	new_files_end(lines->new_files);
	for (size_t i = 0; i < STARTING_MAX; i++)
		free(lines->starting[i]);
	for (size_t i = 0; i < lines->printed_count; i++)
		free(lines->printed[i]);
	free(lines->printed);
	free(lines);
}

static void add_part(void *context, const char *name)
{
	struct reading_lines *lines = context;
	char **slot = &lines->starting[lines->next];

	if (!suffix_stem(name, WIRE_PART_SUFFIX))
		return;
	free(*slot);
	*slot = memory_string(name, strlen(name));
	lines->next = (lines->next + 1) % STARTING_MAX;
}

/*
 * Reads the header of a part. Returns 0 if that is not possible yet, or no
 * longer.
 */
static int read_header(const struct reading_lines *lines, const char *name,
		       struct wire_header *header)
{
	int fd = regular_file_open_at(lines->folder_fd, name,
				      O_RDONLY | O_NOFOLLOW);
	int is_read;

	if (fd < 0)
		return 0;
	is_read = pread(fd, header, sizeof(*header), 0) == sizeof(*header) &&
		  header->version == WIRE_VERSION;
	close(fd);
	return is_read;
}

static int was_printed(const struct reading_lines *lines, const char *module)
{
	for (size_t i = 0; i < lines->printed_count; i++)
		if (strcmp(lines->printed[i], module) == 0)
			return 1;
	return 0;
}

static void tell(struct reading_lines *lines, const struct wire_header *header)
{
	char *module = text_printable(memory_string(
		header->reading,
		strnlen(header->reading, sizeof(header->reading))));

	if (was_printed(lines, module)) {
		free(module);
		return;
	}
	complain("clew", "analysing %s, which takes longer the first time",
		 module);
	lines->printed =
		memory_grow(lines->printed, lines->printed_count,
			    &lines->printed_capacity, sizeof(*lines->printed));
	lines->printed[lines->printed_count++] = module;
}

/*
 * Reports the module that the part's process is analysing, if this takes long.
 * Returns whether the part must be checked again: its program has not begun
 * yet, or its header cannot be read.
 */
static int check_file(struct reading_lines *lines, const char *name)
{
	const uint64_t now = now_ns(CLOCK_MONOTONIC);
	struct wire_header header;

	if (!read_header(lines, name, &header))
		return 1;
	if (header.reading_ns > 0 &&
	    header.reading_ns + SHORT_MS * UINT64_C(1000000) <= now)
		tell(lines, &header);
	return header.state == WIRE_STARTING;
}

void reading_lines_poll(void *context)
{
	struct reading_lines *lines = context;

	new_files_each(lines->new_files, add_part, lines);
	for (size_t i = 0; i < STARTING_MAX; i++)
		if (lines->starting[i] &&
		    !check_file(lines, lines->starting[i])) {
			free(lines->starting[i]);
			lines->starting[i] = NULL;
		}
}
