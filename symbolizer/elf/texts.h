/* SPDX-License-Identifier: MIT */
/* The texts of an index, each stored once: names, demangled names, paths. */
#ifndef CLEW_SYMBOLIZER_ELF_TEXTS_H
#define CLEW_SYMBOLIZER_ELF_TEXTS_H

#include "symbolizer/elf/map.h"
#include "symbolizer/index_format.h"

struct texts {
	uint8_t *bytes; /* in the format of INDEX_TEXT */
	size_t count, capacity;
	struct map by_hash; /* hash -> position */
	struct index_name *names;
	size_t name_count, name_capacity;
	struct map name_by_symbol; /* position -> index into names */
	struct index_string *files;
	size_t file_count, file_capacity;
	struct map file_by_path; /* position -> index into files */
};

void texts_init(struct texts *texts);

/*
 * Returns the position of a text; 0 for an empty one. Replaces control
 * characters by '?'.
 */
uint32_t texts_add(struct texts *texts, const char *text, size_t length);

/* Returns the name of a symbol; 0 for NULL or "". Removes versions ("@@V1"). */
uint32_t texts_name(struct texts *texts, const char *symbol);

/* Returns the file of a path; 0 for "". */
uint32_t texts_file(struct texts *texts, const char *path);

/* Demangles all names. */
void texts_finish(struct texts *texts);

/* Returns the NUL-terminated text at a position, "" for 0. */
const char *texts_at(const struct texts *texts, uint32_t position);

#endif
