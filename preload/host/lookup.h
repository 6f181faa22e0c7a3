/* SPDX-License-Identifier: MIT */
/*
 * The address of a symbol, for code that may not call dlsym().
 *
 * A dlsym() that fails makes an error message with the program's malloc; and
 * there are programs whose malloc works from main on, and no earlier.
 */
#ifndef CLEW_HOST_LOOKUP_H
#define CLEW_HOST_LOOKUP_H

#include <link.h>
#include <stdint.h>

/*
 * The definition that dlsym(RTLD_NEXT) or dlsym(RTLD_DEFAULT) would find, or
 * NULL. Of all loaded modules of the program's namespace, those that were
 * loaded later included. The loader must not be unloading at the same time.
 */
void *lookup_next(const char *name);
void *lookup_any(const char *name);

/* The first definition of all modules but libclew.so. */
void *lookup_other(const char *name);

/*
 * What a module of the program's namespace itself defines, by its load bias, or
 * NULL. It need not be relocated yet.
 */
void *lookup_in(uint64_t base, const char *name);

/*
 * The same in two steps, for callers that look up several names: lookup_map() walks
 * the loader's list. The map is valid until its module is unloaded. NULL has no names.
 */
const struct link_map *lookup_map(uint64_t base);
void *lookup_in_map(const struct link_map *map, const char *name);

/* The module that a pc is in, if any is that of one; NULL: of none. */
const struct link_map *lookup_module(uint64_t pc);

/*
 * A number that tells which modules are loaded; 0 while the loader is mapping or
 * unmapping one.
 */
uint64_t lookup_generation(void);

/* The loader's record for debuggers; may be a struct r_debug_extended. */
const struct r_debug *lookup_debug(void);

#endif
