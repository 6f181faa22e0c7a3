/* SPDX-License-Identifier: MIT */
/*
 * The texts of an index file (symbolizer/index_format.h): symbol names, their
 * demangled forms, and paths. Each text is stored once, and a text is
 * identified by its position in `bytes`.
 */
#ifndef CLEW_SYMBOLIZER_ELF_TEXTS_H
#define CLEW_SYMBOLIZER_ELF_TEXTS_H

#include "symbolizer/elf/map.h"
#include "symbolizer/index_format.h"

struct texts {
	uint8_t *bytes; /* the texts, in the format of INDEX_TEXT */
	size_t count, capacity;
	struct map by_hash; /* maps the hash of a text to its position */
	struct index_name *names;
	size_t name_count, name_capacity;
	/* maps the position of a symbol to its index in names */
	struct map name_by_symbol;
	struct index_string *files;
	size_t file_count, file_capacity;
	/* maps the position of a path to its index in files */
	struct map file_by_path;
};

void texts_init(struct texts *texts);

/*
 * Stores a text in which control characters are replaced by '?'. Returns its
 * position, or 0 if the text is empty or there are 4 GiB of texts.
 */
uint32_t texts_add(struct texts *texts, const char *text, size_t length);

/*
 * Stores a symbol without its version ("@@V1"). Returns its index in `names`,
 * or 0 for NULL and "", and if there is no room.
 */
uint32_t texts_name(struct texts *texts, const char *symbol);

/*
 * Stores a path. Returns its index in `files`, or 0 for "", and if there is no
 * room.
 */
uint32_t texts_file(struct texts *texts, const char *path);

/*
 * Stores the demangled form of each name. Call it once, after all symbols are
 * stored.
 */
void texts_finish(struct texts *texts);

/* Returns the NUL-terminated text at a position, "" for 0. */
const char *texts_at(const struct texts *texts, uint32_t position);

#endif
