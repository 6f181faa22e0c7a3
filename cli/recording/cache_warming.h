/* SPDX-License-Identifier: MIT */
/*
 * Fills the cache before recordings and reports need it: with analyses of
 * functions, indexes of debug information, and stubs of programs
 * (cache_programs.h).
 */
#ifndef CLEW_CLI_RECORDING_CACHE_WARMING_H
#define CLEW_CLI_RECORDING_CACHE_WARMING_H

#include <stdint.h>

struct cache_warming {
	char **files; /* Paths, or names that are searched in PATH. */
	int file_count;
	/* Number of parallel processes; 0 means one for each processor. */
	uint32_t jobs;
	int has_no_libraries, has_no_indexes, loads_nothing;
};

/*
 * Prints one line for each file: on stdout, or on stderr if it could not be
 * read. Returns the exit status, which is a failure if a file of `files` could
 * not be read, its stubs could not be stored, or the cache cannot be written.
 */
int cache_warm(const char *command, const struct cache_warming *warming);

#endif
