/* SPDX-License-Identifier: MIT */
/* See leaf_ids.h. */
#include "preload/lookup/leaf_ids.h"

#include <stddef.h>

#include "preload/hot/runtime.h"
#include "preload/hot/sink.h"
#include "preload/hot/tally.h"
#include "preload/hot/thread.h"
#include "preload/hot/upcalls.h"
#include "preload/lookup/patch_find.h"
#include "preload/lookup/patches.h"
#include "preload/sys/sys.h"
#include "wire/id.h"

/*
 * Returns whether the jump to the function's stub is in the code at present.
 * --budget may have removed it.
 */
static int is_written(const struct patch *patch, const struct patch_site *site)
{
	uint8_t code[PATCH_BYTES_MAX];

	if (sys_read_memory(patch->base + site->text.pc, code,
			    site->text.bytes))
		return 0;
	for (uint8_t i = 0; i < site->text.bytes; i++)
		if (code[i] != site->text.after[i])
			return 0;
	return 1;
}

/*
 * Computes the range that contains all leaves of the patch, so that lookups
 * exclude most pcs by two comparisons.
 */
void leaf_ids_know(struct patch *patch)
{
	const struct patch_site *last = patch->sites + patch->site_count - 1;

	patch->functions = (struct pc_range){ 0 };
	if (patch->site_count)
		patch->functions = (struct pc_range){
			patch->base + patch->sites->text.pc,
			patch->base + last->text.pc + last->leaf_bytes + 1,
		};
}

/* Returns the number of the hooked leaf that contains the pc; 0: none. */
static uint32_t leaf_at(uint64_t pc)
{
	const struct patch *patch =
		__atomic_load_n(&rt.patches->first, __ATOMIC_ACQUIRE);

	for (; patch; patch = patch->next) {
		const struct patch_site *site;

		if (pc < patch->functions.start || pc >= patch->functions.end)
			continue;
		site = patch_from(patch, pc - patch->base + 1) - 1;
		if (pc - patch->base - site->text.pc < site->leaf_bytes &&
		    is_written(patch, site))
			return site->function;
	}
	return 0;
}

/*
 * Returns the id of a thread whose pc is in this leaf. `id` is the thread's
 * stored id: that of the leaf's caller, or already the leaf's own. If the leaf
 * was not entered through its stub, returns `id`.
 */
static uint64_t leaf_id(const struct tally *tally, uint64_t id,
			uint32_t function)
{
	if (!function || tally_note(tally, id).function == function ||
	    !rt.sink->is_leaf_on_top(tally, id, function))
		return id;
	return id_push(id, id_key(function));
}

uint64_t leaf_id_at_probe(const uint8_t *probe)
{
	uint32_t function;

	if (!probe[PROBE_IN_LEAF_AT] || !hot.tally || hot.muted ||
	    !rt.leaf_stub ||
	    !id_key_function(runtime_stub_key((uintptr_t)probe), &function))
		return hot.id;
	return leaf_id(hot.tally, hot.id, function);
}

uint64_t hot_id_at(const struct tally *tally, uint64_t pc)
{
	const uint64_t id = tally->hot->id;

	return rt.leaf_stub ? leaf_id(tally, id, leaf_at(pc)) : id;
}
