/* SPDX-License-Identifier: MIT */
/*
 * What recording and reporting would have to read of files, read ahead and kept:
 * the analysis of functions that hooking needs, and the index of debug information; and
 * what hooking makes of programs (cache_programs.h).
 */
#ifndef CLEW_CLI_RECORDING_CACHE_WARMING_H
#define CLEW_CLI_RECORDING_CACHE_WARMING_H

#include <stdint.h>

struct cache_warming {
	char **files; /* paths, or names to be looked up in PATH */
	int file_count;
	uint32_t jobs; /* processes at the same time; 0: one a processor */
	int has_no_libraries, has_no_indexes, loads_nothing;
};

/*
 * One line on stdout for each file. Returns the exit status: that of failure if a
 * file of `files` could not be read, or nothing could be kept.
 */
int cache_warm(const char *command, const struct cache_warming *warming);

#endif
