/* SPDX-License-Identifier: MIT */
/* See sanitizers.h. */
#include "preload/host/sanitizers.h"

#include <link.h>
#include <stddef.h>

#include "preload/host/lookup.h"

/*
 * Returns whether the program has a preinit array, whose code runs before all
 * libraries. Hardly any program has one without a sanitizer. A ThreadSanitizer
 * that gcc has linked statically exports no symbol, so it can only be found by
 * this.
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

struct sanitizers_search {
	int is_timed, leaves_no_room;
};

static int find(struct dl_phdr_info *info, size_t size, void *context)
{
	struct sanitizers_search *search = context;

	if (has("__asan_init"))
		search->leaves_no_room = 0;
	else if (has("__msan_init") || has("__dfsan_union_load") ||
		 has("__dfsan_chain_origin"))
		search->leaves_no_room = search->is_timed;
	else
		search->leaves_no_room = runs_before_libraries();
	return 1;
}

/*
 * Searches all modules for names of sanitizers, in a callback of
 * dl_iterate_phdr(), during which the loader unloads no module.
 */
int sanitizers_leave_no_room(int is_timed)
{
	struct sanitizers_search search = { .is_timed = is_timed };

	lookup_locked(find, &search);
	return search.leaves_no_room;
}
