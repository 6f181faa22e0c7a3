/* SPDX-License-Identifier: MIT */
/*
 * Modules that the loader has not loaded: files that are mapped for reading at
 * addresses that the loader might use. Stubs and hooked text can be built for
 * them, while none of their code can run: no page is executable, nothing is
 * relocated, and the loader does not know them.
 */
#ifndef CLEW_MODULES_FILE_MODULES_H
#define CLEW_MODULES_FILE_MODULES_H

#include "preload/modules/modules.h"

/*
 * Appends an ELF file, by the path that the loader would use, with is_new set.
 * The mapping stays. Returns 0 or -errno. Called before main.
 */
int file_modules_add(struct modules *modules, const char *path, int is_program,
		     struct arena *arena);

/*
 * Returns the distance below the thread pointer at which glibc's loader places
 * the thread-local storage of `library`, if only that of `program` precedes it;
 * 0 if the library has none.
 */
uint64_t file_modules_storage(const struct module *program,
			      const struct module *library);

#endif
