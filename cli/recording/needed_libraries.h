/* SPDX-License-Identifier: MIT */
/*
 * Finds the files that glibc's loader maps for a program or library, in its
 * order, by reading DT_NEEDED as ld.so(8) describes. Neither the files nor the
 * loader are executed: the loader would execute auditors (DT_AUDIT) and other
 * code that files ask for.
 */
#ifndef CLEW_CLI_RECORDING_NEEDED_LIBRARIES_H
#define CLEW_CLI_RECORDING_NEEDED_LIBRARIES_H

#include <stddef.h>

struct needed_library {
	char *path;   /* The file's path as the loader names it. */
	char *name;   /* The needed name; for the file itself, its path. */
	char *search; /* DT_RPATH or DT_RUNPATH, or NULL. */
	size_t parent;
	int is_runpath;
	int has_no_defaults; /* whether the flag DF_1_NODEFLIB is set */
};

struct needed_libraries {
	struct needed_library *items; /* The file itself, then what it needs. */
	size_t count, capacity;
	char **missing; /* Names that were not found. */
	size_t missing_count, missing_capacity;
};

/* Lists only the file itself if it needs no loader. */
void needed_libraries_find(struct needed_libraries *libraries,
			   const char *path);
void needed_libraries_fini(struct needed_libraries *libraries);

#endif
