/* SPDX-License-Identifier: MIT */
/*
 * What `clew record` makes of a program and keeps, stubs and hooked text of its modules, made
 * ahead. The program is not executed, and neither is its loader, an auditor or a library:
 * a process of clew itself maps their files, to be read only, and makes the stubs.
 */
#ifndef CLEW_CLI_RECORDING_CACHE_PROGRAMS_H
#define CLEW_CLI_RECORDING_CACHE_PROGRAMS_H

#include <stddef.h>
#include <stdint.h>

/* What is kept of a program; 0 if it cannot be recorded or has nothing to be hooked. */
enum cache_kept {
	CACHE_HAS_STUBS = 1,
	CACHE_HAS_TEXT = 2,
	CACHE_FAILED = 4,  /* there should be stubs */
	CACHE_IS_BUSY = 8, /* another process is making its stubs */
};

/*
 * Those of `paths` that can be recorded, so many at the same time; kept[i] is set to bits
 * of enum cache_kept. 0, or -errno and *why, to be freed, if it can be done for none.
 */
int cache_programs(char *const *paths, size_t count, uint32_t jobs,
		   const char *cache_folder, uint8_t *kept, char **why);

#endif
