/* SPDX-License-Identifier: MIT */
/*
 * Modules that nobody has loaded: files that are mapped to be read, where the loader might
 * map them. Stubs and hooked text can be made for these, while nothing of them can run:
 * no page is executable, nothing is relocated, and the loader has not heard of them.
 */
#ifndef CLEW_MODULES_FILE_MODULES_H
#define CLEW_MODULES_FILE_MODULES_H

#include "preload/modules/modules.h"

/*
 * Appends an ELF file, by the path that the loader would use, with is_new set. It stays
 * mapped. 0 or -errno. Before main.
 */
int file_modules_add(struct modules *modules, const char *path, int is_program,
		     struct arena *arena);

/*
 * How far below the thread pointer the loader of glibc puts the thread-local storage of
 * `library`, if nothing but `program` comes before it.
 */
uint64_t file_modules_storage(const struct module *program,
			      const struct module *library);

#endif
