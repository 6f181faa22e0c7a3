/* SPDX-License-Identifier: MIT */
/*
 * Which file executable memory is mapped from, and where a module has the same code.
 * V8, for example, maps the code of its builtins a second time from its own file.
 */
#ifndef CLEW_FRONT_MAPPED_CODE_H
#define CLEW_FRONT_MAPPED_CODE_H

#include <stdint.h>

#include "wire/recording.h"

/*
 * Describes the mapping that begins at or contains `start`. Returns 0 where that is no
 * file's, is a module's own text, or cannot be read; *out is untouched then. Before
 * Linux 6.11 only mappings with a name are searched for (`is_named`), because each
 * search reads all of /proc/self/maps. The caller holds the patches' lock.
 */
int mapped_code_find(uint64_t start, int is_named,
		     struct wire_mapped_code *out);

#endif
