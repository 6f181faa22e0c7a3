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
 * Adds the libraries that a file needs, and its loader. Adds nothing for a file
 * that needs no loader.
 */
void loaded_files_add_needed(struct loaded_files *files, const char *path);

void loaded_files_fini(struct loaded_files *files);

#endif
