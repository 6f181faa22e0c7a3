/* SPDX-License-Identifier: MIT */
/*
 * Finds addresses of symbols and modules, without dlsym()
 * (loaded/loaded_symbols.h says why).
 */
#ifndef CLEW_HOST_LOOKUP_H
#define CLEW_HOST_LOOKUP_H

#include <link.h>
#include <stdint.h>

/*
 * The functions below read the list of modules without the loader's lock, from
 * the first module to the one that they find. Modules that were loaded with the
 * program are never unloaded. For any other module, and for a name that no
 * module may define, the caller makes sure that no thread unloads a module
 * meanwhile: by lookup_locked(), or because the loader itself has called clew.
 */

/*
 * lookup_next() returns the definition that dlsym(RTLD_NEXT) would find,
 * lookup_any() the one of dlsym(RTLD_DEFAULT), or NULL. Both also search
 * modules of the program's namespace that were loaded later.
 */
void *lookup_next(const char *name);
void *lookup_any(const char *name);

/* Returns the first definition in all modules except libclew.so, or NULL. */
void *lookup_other(const char *name);

/*
 * Returns a module's own definition, or NULL. The module is in the program's
 * namespace and is given by its load bias; it need not be relocated yet.
 */
void *lookup_in(uint64_t base, const char *name);

/*
 * lookup_in() in two steps, for callers that look up several names:
 * lookup_map() searches the loader's list. The map is valid until its module is
 * unloaded. lookup_in_map() only reads that module, and returns NULL for a map
 * of NULL.
 */
const struct link_map *lookup_map(uint64_t base);
void *lookup_in_map(const struct link_map *map, const char *name);

/*
 * Returns the module that contains a pc, or NULL. With glibc 2.35 or later, any
 * thread and any signal handler may call it at any time; the map is valid until
 * the module is unloaded. Older ones have no such search, and the list is read
 * as above.
 */
const struct link_map *lookup_module(uint64_t pc);

/*
 * Calls `visit`, which returns 1, while the loader unloads no module. If
 * dl_iterate_phdr() was not found yet, there is no such guarantee. `info` and
 * `bytes` have no meaning. Not for signal handlers: waits for other threads.
 */
void lookup_locked(int (*visit)(struct dl_phdr_info *info, size_t bytes,
				void *context),
		   void *context);

/*
 * Returns a checksum of the loader's list of modules; 0 while the loader maps
 * or unmaps one.
 */
uint64_t lookup_generation(void);

/*
 * Returns the loader's data for debuggers. If its r_version is 2 or more, it is
 * a struct r_debug_extended.
 */
const struct r_debug *lookup_debug(void);

#endif
