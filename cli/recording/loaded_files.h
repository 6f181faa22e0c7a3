/* SPDX-License-Identifier: MIT */
/* Files that the loader would map for programs and libraries, each once. */
#ifndef CLEW_CLI_RECORDING_LOADED_FILES_H
#define CLEW_CLI_RECORDING_LOADED_FILES_H

#include <stddef.h>

struct loaded_files {
	char **paths; /* resolved, each once */
	size_t count, capacity;
	char **missing; /* names that the loader did not find */
	size_t missing_count, missing_capacity;
};

/* Also what does not exist, as it is called. */
void loaded_files_add(struct loaded_files *files, const char *path);

/* Adds what a file needs, and its loader; nothing for a file that needs no loader. */
void loaded_files_add_needed(struct loaded_files *files, const char *path);

void loaded_files_fini(struct loaded_files *files);

#endif
