/* SPDX-License-Identifier: MIT */
/*
 * Finding the files that know about a module: the separate debug file, dwz's
 * alternate file, split DWARF.
 *
 * Every path that was tried is remembered, with what was there: an index is
 * out of date when one of them has changed, and one that could not be found
 * may be installed tomorrow.
 */
#ifndef CLEW_SYMBOLIZER_INDEXER_SOURCES_H
#define CLEW_SYMBOLIZER_INDEXER_SOURCES_H

#include "symbolizer/index_format.h"
#include "symbolizer/indexer/elf.h"

struct source {
	char *path;
	uint32_t role; /* enum index_role */
	uint64_t bytes, mtime_ns;
};

struct sources {
	const char *root;               /* before system paths; "" for none */
	const char *const *debug_roots; /* NULL at the end, or NULL */
	uint32_t download_seconds;      /* at most; 0: not at all */
	int download_error;             /* why there is none, -errno; or 0 */
	int wants_download;  /* there is something that may yet be asked for */
	int wants_neighbour; /* a file beside the module was not found */
	struct source *items;
	size_t count, capacity;
};

/* Adds a path as it is now, or returns what it was added as. */
struct source *sources_add(struct sources *sources, const char *path);

/* What the system says of a file, as struct index_source has it. */
void source_look(const char *path, uint64_t *bytes, uint64_t *mtime_ns);

/*
 * Opens the separate debug file of a module by build-id, debug link or, if it
 * may, by download. 0 and its source, or -ENOENT.
 */
int sources_find_debug(struct sources *sources, struct elf *module,
		       const char *path, struct elf *out,
		       struct source **source);

/*
 * Opens the alternate file that a debug file at `path` refers to. 0; 1 where
 * it refers to none; -ENOENT and its name where it cannot be found.
 */
int sources_find_alternate(struct sources *sources, struct elf *debug,
			   const char *path, struct elf *out,
			   const char **wanted);

#endif
