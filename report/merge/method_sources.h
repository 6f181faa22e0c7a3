/* SPDX-License-Identifier: MIT */
/* Source files and lines of the Java methods of one process (WIRE_SOURCES). */
#ifndef CLEW_MERGE_METHOD_SOURCES_H
#define CLEW_MERGE_METHOD_SOURCES_H

#include "report/model/function_catalog.h"
#include "report/recording/part_reader.h"

struct method_source {
	uint32_t number; /* number of the method, in this process */
	/* Index of the file in the catalog (struct announced_frame). */
	uint32_t file;
	const struct wire_line *lines; /* points into the part */
	size_t line_count;
};

/* The caller sets all members to 0 before use. */
struct method_sources {
	struct method_source *items;
	size_t count, capacity;
	struct idmap by_number; /* maps the method's number to 1 + the index */
};

/*
 * Adds the records of a chunk, except those of methods that have one already.
 * The part must outlive them.
 */
void method_sources_add(struct method_sources *sources, struct catalog *catalog,
			const struct part_chunk *chunk);
void method_sources_fini(struct method_sources *sources);

/*
 * Sets the file and line of a bytecode index of a method. Returns 0, and sets
 * nothing, if they are unknown.
 */
int method_sources_find(const struct method_sources *sources, uint32_t number,
			uint32_t bytecode, uint32_t *file, uint32_t *line);

#endif
