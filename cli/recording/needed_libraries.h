/* SPDX-License-Identifier: MIT */
/*
 * Finds the files that glibc's loader maps for a program or library, in its
 * order, by reading DT_NEEDED as ld.so(8) describes, but without
 * /etc/ld.so.preload and variants for newer processors (glibc-hwcaps). Neither
 * the files nor the loader are executed: the loader would execute auditors
 * (DT_AUDIT) and other code that files request.
 */
#ifndef CLEW_CLI_RECORDING_NEEDED_LIBRARIES_H
#define CLEW_CLI_RECORDING_NEEDED_LIBRARIES_H

#include <stddef.h>

struct needed_library {
	char *path;    /* The file's path as the loader names it. */
	char *name;    /* The needed name; for the file itself, its path. */
	char *search;  /* DT_RPATH or DT_RUNPATH, or NULL. */
	size_t parent; /* Index of a file that needs it. */
	int is_runpath;
	int has_no_defaults; /* whether the flag DF_1_NODEFLIB is set */
};

struct needed_libraries {
	struct needed_library *items; /* The file itself, then what it needs. */
	size_t count, capacity;
	char **missing; /* Names that were not found. */
	size_t missing_count, missing_capacity;
};

/*
 * Lists the file itself, then the libraries in LD_PRELOAD and those that listed
 * files need, and the program's loader if it is glibc's.
 */
void needed_libraries_find(struct needed_libraries *libraries,
			   const char *path);
void needed_libraries_fini(struct needed_libraries *libraries);

#endif
