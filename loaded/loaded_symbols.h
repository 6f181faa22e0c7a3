/* SPDX-License-Identifier: MIT */
/*
 * Finds symbols of the modules that are loaded in this process, for code that
 * may not call dlsym():
 *
 * - A dlsym() that fails allocates an error message with the program's malloc,
 *   and in some programs malloc works from main on and not earlier.
 * - dlsym() moved from libdl to libc in glibc 2.34. A library that refers to
 *   the version in libc cannot be loaded with an older glibc, and one that
 *   refers to the version in libdl needs libdl in each process.
 *
 * The functions read the loader's list of modules without the loader's lock,
 * from the first module to the one that they find. Modules that were loaded
 * with the program are never unloaded. For any other module, and for a name
 * that no module may define, the caller makes sure that no thread unloads a
 * module meanwhile.
 */
#ifndef CLEW_LOADED_LOADED_SYMBOLS_H
#define CLEW_LOADED_LOADED_SYMBOLS_H

#include <link.h>
#include <stdint.h>

/* Returns the loader's data for debuggers, which contains the list. */
const struct r_debug *loaded_debug(void);

/*
 * Returns a module's own definition of a name, or NULL. The module need not be
 * relocated yet. Of several versions, finds the default one.
 */
void *loaded_symbol(const struct link_map *map, const char *name);

/* Returns the first definition in `map` and the modules behind it, or NULL. */
void *loaded_symbol_from(const struct link_map *map, const char *name);

/*
 * Returns the first definition in the modules behind the one that contains this
 * code, as dlsym(RTLD_NEXT) does, or NULL.
 */
void *loaded_symbol_next(const char *name);

/*
 * Returns the module with the greatest load bias up to pc, or NULL. It contains
 * pc unless pc is in no module.
 */
const struct link_map *loaded_module(uint64_t pc);

#endif
