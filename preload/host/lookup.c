/* SPDX-License-Identifier: MIT */
/* See lookup.h. */
#include "preload/host/lookup.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>

#include "loaded/loaded_symbols.h"
#include "preload/host/next.h"
#include "preload/sys/own_code.h"

const struct r_debug *lookup_debug(void)
{
	return loaded_debug();
}

void *lookup_any(const char *name)
{
	return loaded_symbol_from(loaded_debug()->r_map, name);
}

void lookup_locked(int (*visit)(struct dl_phdr_info *info, size_t bytes,
				void *context),
		   void *context)
{
	if (next.dl_iterate_phdr)
		NEXT(dl_iterate_phdr)(visit, context);
	else
		visit(NULL, 0, context);
}

const struct link_map *lookup_map(uint64_t base)
{
	const struct link_map *map = loaded_debug()->r_map;

	while (map && map->l_addr != base)
		map = map->l_next;
	return map;
}

void *lookup_in_map(const struct link_map *map, const char *name)
{
	return map ? loaded_symbol(map, name) : NULL;
}

void *lookup_in(uint64_t base, const char *name)
{
	return lookup_in_map(lookup_map(base), name);
}

/*
 * Uses the loader's own search, which needs no lock and is async-signal-safe. A
 * walk through its list may meet a map that another thread frees.
 */
const struct link_map *lookup_module(uint64_t pc)
{
	struct dl_find_object found;

	if (!next._dl_find_object)
		return loaded_module(pc);
	return NEXT(_dl_find_object)((void *)pc, &found) ? NULL
							 : found.dlfo_link_map;
}

void *lookup_next(const char *name)
{
	const struct link_map *own = lookup_module(own_code_start());

	return own ? loaded_symbol_from(own->l_next, name) : NULL;
}

void *lookup_other(const char *name)
{
	void *found = NULL;

	for (const struct link_map *map = loaded_debug()->r_map; map && !found;
	     map = map->l_next)
		if (map->l_addr != own_code_start())
			found = loaded_symbol(map, name);
	return found;
}

static uint64_t add_word(uint64_t sum, uint64_t word)
{
	return (sum ^ word) * UINT64_C(0x100000001b3);
}

/*
 * Adds a module to a checksum of the loader's list. The sum includes the
 * module's name, because another module may be loaded at the same address
 * later.
 */
static uint64_t add_map(uint64_t sum, const struct link_map *map)
{
	sum = add_word(sum, map->l_addr);
	sum = add_word(sum, (uintptr_t)map->l_ld);
	for (const char *c = map->l_name; c && *c; c++)
		sum = add_word(sum, (unsigned char)*c);
	return sum;
}

uint64_t lookup_generation(void)
{
	uint64_t sum = 1;

	if (loaded_debug()->r_state != RT_CONSISTENT)
		return 0;
	for (const struct link_map *map = loaded_debug()->r_map; map;
	     map = map->l_next)
		sum = add_map(sum, map);
	return sum | 1;
}
