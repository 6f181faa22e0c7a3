/* SPDX-License-Identifier: MIT */
/*
 * Creates in advance what `clew record` stores for a program: stubs and hooked
 * text of its modules. Neither the program nor its loader, an auditor or a
 * library is executed. A process of clew maps their files read-only and creates
 * the stubs.
 */
#ifndef CLEW_CLI_RECORDING_CACHE_PROGRAMS_H
#define CLEW_CLI_RECORDING_CACHE_PROGRAMS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Items that are stored for a program; 0 if it cannot be recorded or has
 * nothing to hook.
 */
enum cache_kept {
	CACHE_HAS_STUBS = 1,
	CACHE_HAS_TEXT = 2,
	CACHE_FAILED = 4,  /* Stubs could not be created or stored. */
	CACHE_IS_BUSY = 8, /* Another process is creating the stubs. */
};

/*
 * Handles all recordable programs of `paths`, at most `jobs` at once. Sets
 * kept[i] of these programs to bits of enum cache_kept. Returns 0; or -errno
 * and *why, which the caller frees, if libclew.so is not found or no temporary
 * folder can be created.
 */
int cache_programs(char *const *paths, size_t count, uint32_t jobs,
		   const char *cache_folder, uint8_t *kept, char **why);

#endif
