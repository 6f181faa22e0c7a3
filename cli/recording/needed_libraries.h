/* SPDX-License-Identifier: MIT */
/*
 * Which files the loader of glibc maps for a program or a library, and in which order:
 * found by reading DT_NEEDED, as ld.so(8) says. Nothing of the files is executed, and
 * neither is the loader: it executes auditors (DT_AUDIT) and more that files ask for.
 */
#ifndef CLEW_CLI_RECORDING_NEEDED_LIBRARIES_H
#define CLEW_CLI_RECORDING_NEEDED_LIBRARIES_H

#include <stddef.h>

struct needed_library {
	char *path;   /* as the loader calls it */
	char *name;   /* by which it is needed; of the file itself: its path */
	char *search; /* DT_RPATH or DT_RUNPATH, or NULL */
	size_t parent;
	int is_runpath;
	int has_no_defaults; /* DF_1_NODEFLIB */
};

struct needed_libraries {
	struct needed_library *items; /* the file itself, then what it needs */
	size_t count, capacity;
	char **missing; /* names that are not found */
	size_t missing_count, missing_capacity;
};

/* Nothing but the file itself for one that needs no loader. */
void needed_libraries_find(struct needed_libraries *libraries,
			   const char *path);
void needed_libraries_fini(struct needed_libraries *libraries);

#endif
