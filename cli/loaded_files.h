/* SPDX-License-Identifier: MIT */
/*
 * Which files the loader would map for a program or a library: the loader itself is
 * asked, as ldd(1) asks it. It runs nothing of them, but it is not made for files that
 * mean harm: ask of what may be run.
 */
#ifndef CLEW_CLI_LOADED_FILES_H
#define CLEW_CLI_LOADED_FILES_H

#include <stddef.h>

struct loaded_files {
	char **paths; /* resolved, each once */
	size_t count, capacity;
	char **missing; /* names that the loader did not find */
	size_t missing_count, missing_capacity;
};

/* Also what does not exist, as it is called. */
void loaded_files_add(struct loaded_files *files, const char *path);

/* Nothing is added of a file that needs no loader. 0, or -errno: it cannot be asked. */
int loaded_files_add_needed(struct loaded_files *files, const char *path);

void loaded_files_fini(struct loaded_files *files);

#endif
