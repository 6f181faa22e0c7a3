/* SPDX-License-Identifier: MIT */
/*
 * Finds the files with data about a module: the separate debug file, dwz's
 * alternate file, and split DWARF.
 *
 * Every path that was tried is stored with the state of the file. The index is
 * outdated when one of them has changed, for example because a missing file was
 * installed.
 */
#ifndef CLEW_SYMBOLIZER_DWARF_SOURCES_H
#define CLEW_SYMBOLIZER_DWARF_SOURCES_H

#include "symbolizer/elf/elf.h"
#include "symbolizer/index_format.h"

struct source {
	char *path;
	uint32_t role; /* enum index_role */
	uint64_t bytes, mtime_ns;
};

struct sources {
	const char *root;               /* precedes system paths; "" for none */
	const char *const *debug_roots; /* NULL-terminated; may be NULL */
	/* time limit of a download; 0 if downloads are not allowed */
	uint32_t download_seconds;
	int download_error; /* -errno of a download that failed, or 0 */
	int wants_download; /* whether a later download may find more */
	/* whether a file next to the module was not found */
	int wants_neighbour;
	struct source *items;
	size_t count, capacity;
};

/* Adds a path with its present state, or returns its existing entry. */
struct source *sources_add(struct sources *sources, const char *path);

/* Reads the state of a file, as in struct index_source. */
void source_read_state(const char *path, uint64_t *bytes, uint64_t *mtime_ns);

/*
 * Opens the separate debug file of a module by build-id, debug link or, if
 * allowed, by download. Returns 0 and its source, or -ENOENT.
 */
int sources_find_debug(struct sources *sources, struct elf *module,
		       const char *path, struct elf *out,
		       struct source **source);

/*
 * Opens the alternate file that a debug file at `path` refers to. Returns 0; 1
 * if it refers to none; -ENOENT and the file's name if it is not found.
 */
int sources_find_alternate(struct sources *sources, struct elf *debug,
			   const char *path, struct elf *out,
			   const char **wanted);

#endif
