/* SPDX-License-Identifier: MIT */
/* Files that the loader would map for programs and libraries, each once. */
#ifndef CLEW_CLI_RECORDING_LOADED_FILES_H
#define CLEW_CLI_RECORDING_LOADED_FILES_H

#include <stddef.h>

struct loaded_files {
	char **paths; /* Resolved paths, each once. */
	size_t count, capacity;
	char **missing; /* Names that the loader would not find. */
	size_t missing_count, missing_capacity;
};

/* Adds a file. A file that does not exist is added under its given name. */
void loaded_files_add(struct loaded_files *files, const char *path);

/*
 * Adds the libraries that the loader would map with a file, those of LD_PRELOAD
 * included, and the file's loader if it is glibc's. Adds names that are not
 * found to `missing`.
 */
void loaded_files_add_needed(struct loaded_files *files, const char *path);

void loaded_files_fini(struct loaded_files *files);

#endif
