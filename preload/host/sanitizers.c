/* SPDX-License-Identifier: MIT */
#include "preload/host/sanitizers.h"

#include <stddef.h>

#include "preload/host/lookup.h"

/*
 * Something of the program's own wants to run before all libraries. Nearly
 * nobody does but the sanitizers; ThreadSanitizer, when it is linked in by gcc,
 * has no name to be found by.
 */
static int runs_before_libraries(void)
{
	const struct link_map *program = lookup_debug()->r_map;

	if (!program || !program->l_ld)
		return 0;
	for (const ElfW(Dyn) *entry = program->l_ld; entry->d_tag; entry++)
		if (entry->d_tag == DT_PREINIT_ARRAY)
			return 1;
	return 0;
}

static int has(const char *name)
{
	return lookup_any(name) != NULL;
}

int sanitizers_leave_no_room(int is_timed)
{
	if (has("__asan_init"))
		return 0;
	if (has("__msan_init") || has("__dfsan_union_load") ||
	    has("__dfsan_chain_origin"))
		return is_timed;
	return runs_before_libraries();
}
