/* SPDX-License-Identifier: MIT */
/*
 * What `clew record` makes of a program and keeps, stubs and hooked text of its modules, made
 * ahead: the program is loaded as for a recording, hooked, and ends before any of it runs
 * but what the loader calls (ifunc resolvers), as with ldd(1).
 */
#ifndef CLEW_CLI_CACHE_PROGRAMS_H
#define CLEW_CLI_CACHE_PROGRAMS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Those of `paths` that can be recorded, so many at the same time; is_kept[i] is set to
 * whether that went well. 0, or -errno and *why, to be freed, if it can be done for none.
 */
int cache_programs(char *const *paths, size_t count, uint32_t jobs,
		   const char *cache_folder, uint8_t *is_kept, char **why);

#endif
