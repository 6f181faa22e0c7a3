/* SPDX-License-Identifier: MIT */
/* See sanitizers.h. */
#include "preload/host/sanitizers.h"

#include <stddef.h>

#include "preload/host/lookup.h"

/*
 * Returns whether code of the program runs before all libraries, which hardly
 * any programs have but those with sanitizers. A ThreadSanitizer that gcc has
 * linked in has no symbol to find it by.
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
