/* SPDX-License-Identifier: MIT */
/*
 * Finds the file that executable memory is mapped from, and the same code in a
 * module. V8, for example, maps the code of its builtins a second time from its
 * own file.
 */
#ifndef CLEW_GENERATED_MAPPED_CODE_H
#define CLEW_GENERATED_MAPPED_CODE_H

#include <stdint.h>

#include "wire/recording.h"

/*
 * Describes the mapping that begins at or contains `start`. Returns 0 and
 * leaves *out unchanged if it is not a file's, is a module's own text, or
 * cannot be read. Before Linux 6.11 only named mappings are searched
 * (`is_named`), because each search reads all of /proc/self/maps. The caller
 * holds the patches' lock.
 */
int mapped_code_find(uint64_t start, int is_named,
		     struct wire_mapped_code *out);

#endif
